import { afterAll, beforeAll, expect, test } from "bun:test"
import { Workspace } from "./harness.ts"

const SHOP = `export class Shop {
  /** Lets a customer in. */
  login(name: string) {
    return name.length > 0
  }
}
`

let shop: Workspace
beforeAll(async () => {
  shop = new Workspace({ "package.json": "{}", "src/shop.ts": SHOP })
  await remember("Payments time out on Mondays", { entities: ["Checkout"] })
  await remember("Nightly batches lock its tables", {
    entities: ["Ledger"],
    relations: [{ from: "Checkout", to: "Ledger", type: "writes to", weight: 0.8 }],
  })
  await remember("Ann answers for the checkout; Shop.login is hers, too")
  await remember("Lunch is at noon", { entities: ["Canteen"] })
})
afterAll(() => shop[Symbol.dispose]())

test("recall returns entries related to the answer that share no word with the question", async () => {
  const { results } = await shop.json(["recall", "--", "why do payments time out"])
  const texts = results.map(({ text }: { text: string }) => text)
  expect(texts[0]).toBe("Payments time out on Mondays")
  expect(texts).toContain("Nightly batches lock its tables")
  expect(texts).not.toContain("Lunch is at noon")
})

test("lists entities, their relations and the path between them", async () => {
  const { entities, total } = await shop.json(["memory", "entities"])
  expect(total).toBe(3)
  expect(entities[0]).toMatchObject({ name: "Checkout", entry_count: 2, relation_count: 1 })
  const around = await shop.json(["memory", "related", "ledger"])
  expect(around.entities.map(({ name }: { name: string }) => name)).toEqual(["Ledger", "Checkout"])
  expect(around.relations).toEqual([{ from: "Checkout", type: "writes to", to: "Ledger", weight: 0.8 }])
  const { paths } = await shop.json(["memory", "path", "ledger", "checkout"])
  expect(paths).toHaveLength(1)
})

test("links memories to the code that they mention, and the code to them", async () => {
  await shop.run(["index"])
  const around = await shop.json(["memory", "related", "Checkout"])
  expect(around.symbols).toEqual([{ name: "login", kind: "method", path: "src/shop.ts", line: 3 }])
  const { entities, entries } = await shop.json(["memory", "related", "Shop.login"])
  expect(entities).toEqual([])
  expect(entries.map(({ text }: { text: string }) => text)).toEqual([
    "Ann answers for the checkout; Shop.login is hers, too",
  ])
  const unknown = await shop.run(["memory", "related", "Shop.logout"])
  expect(unknown.stderr).toContain('no entity "Shop.logout"')
})

function remember(text: string, rest: object = {}): Promise<unknown> {
  return shop.run(["remember", "--batch", "-"], { stdin: JSON.stringify({ text, ...rest }) })
}
