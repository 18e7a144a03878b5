import { expect, test } from "bun:test"
import { PLAIN_DOCUMENT } from "../../../../test/recall-document.ts"
import { createStaticEmbedder } from "../../../index/embed/static.ts"
import type { RecallDocument } from "./analyse.ts"
import { RecallIndex } from "./recall-index.ts"

let made = 0

function entry(text: string, fields: Partial<RecallDocument> = {}): RecallDocument {
  made++
  return {
    id: `id${String(made).padStart(4, "0")}`,
    ...PLAIN_DOCUMENT,
    text,
    ...fields,
  }
}

async function indexOf(...documents: RecallDocument[]): Promise<RecallIndex> {
  const index = new RecallIndex(createStaticEmbedder())
  await index.upsert(documents)
  return index
}

async function idsFor(index: RecallIndex, question: string, limit = 10): Promise<string[]> {
  return (await index.search(question, { limit })).hits.map(({ document }) => document.id)
}

test("an entry that answers comes before one that shares a word", async () => {
  const right = entry("We chose SQLite because one file is easy to back up")
  const other = entry("The file server was moved to the cellar")
  expect(await idsFor(await indexOf(other, right), "why did we choose SQLite as one file?")).toEqual([
    right.id,
    other.id,
  ])
})

test("the explanation adds up to the score", async () => {
  const index = await indexOf(
    entry("The port is 8080", { topic: "server" }),
    entry("A port city in the north"),
  )
  for (const { score, terms } of (await index.search("server port", { limit: 5 })).hits) {
    expect(terms.reduce((sum, { value }) => sum + value, 0)).toBeCloseTo(score, 10)
    expect(score).toBeGreaterThan(0)
    expect(score).toBeLessThanOrEqual(1)
  }
})

test("does not find a replaced or removed entry by its old words", async () => {
  const old = entry("The gate opens at seven")
  const index = await indexOf(old)
  await index.upsert([{ ...old, text: "The door closes at nine" }])
  expect(await idsFor(index, "gate")).toEqual([])
  expect(await idsFor(index, "door")).toEqual([old.id])
  await index.remove([old.id])
  expect(await idsFor(index, "door")).toEqual([])
})

test("returns the newest entries first when the question is empty", async () => {
  const first = entry("first", { recordedAt: "2023-01-01" })
  const last = entry("last", { recordedAt: "2024-01-01" })
  expect(await idsFor(await indexOf(first, last), " ")).toEqual([last.id, first.id])
})

test("ranks the note that answers above a conversation about a similar subject", async () => {
  const said = { session: "standup", role: "person" } as const
  const index = await indexOf(
    entry("Which port did the old server have, does anybody know?", { ...said, ordinal: 1 }),
    entry("No idea, ask the server team.", { ...said, ordinal: 2 }),
    entry("I will look at the server later.", { ...said, role: "agent", ordinal: 3 }),
  )
  const note = entry("The development server listens on port 5173.")
  await index.upsert([note])
  expect((await idsFor(index, "port of the development server"))[0]).toBe(note.id)
})
