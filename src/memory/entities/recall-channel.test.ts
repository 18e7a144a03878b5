import { expect, test } from "bun:test"
import { Knowledge } from "../knowledge.ts"
import { RecallIndex } from "../recall/index/recall-index.ts"
import type { NearestEntries } from "../recall/rank.ts"
import { GraphIndex } from "./graph-index.ts"

/** Texts of the hits, best first, with and without the graph's term. */
async function ask(question: string): Promise<{ without: string[]; withGraph: string[] }> {
  using knowledge = new Knowledge({ path: ":memory:", now: () => Date.parse("2026-11-21T20:00:00.000Z") })
  knowledge.remember([
    { text: "Payments time out on Mondays", entities: ["Checkout"] },
    {
      text: "Nightly batches lock its tables",
      entities: ["Ledger"],
      relations: [
        { from: "Checkout", to: "Ledger", type: "writes to" },
        { from: "Vault", to: "Ledger", type: "copies" },
      ],
    },
    { text: "Lunch is at noon", entities: ["Canteen"] },
    { text: "Ann answers for Checkout" },
  ])
  const changes = knowledge.changedSince(0)
  const index = new RecallIndex(null)
  await index.upsert(changes.entries)
  const graph = new GraphIndex()
  graph.apply(changes)
  const near: NearestEntries = (hits, accepts) => graph.scores(hits, question, null, accepts)
  const texts = async (options: object) =>
    (await index.search(question, { limit: 10, ...options })).hits.map(({ document }) => document.text)
  return { without: await texts({}), withGraph: await texts({ near }) }
}

test("PageRank alone finds entries that share no word with the question, one and two hops from a hit", async () => {
  const { without, withGraph } = await ask("why do payments time out?")
  expect(without).toEqual(["Payments time out on Mondays"])
  expect(withGraph).toEqual([
    "Payments time out on Mondays",
    "Ann answers for Checkout",
    "Nightly batches lock its tables",
  ])
})

test("PageRank starts from an entity that the question names, too", async () => {
  const { without, withGraph } = await ask("what about the vault?")
  expect(without).toEqual([])
  expect(withGraph[0]).toBe("Nightly batches lock its tables")
})

test("without a link into the graph the order stays the same", async () => {
  const { without, withGraph } = await ask("when is lunch?")
  expect(without).toEqual(["Lunch is at noon"])
  expect(withGraph).toEqual(without)
})
