import { afterAll, beforeAll, expect, test } from "bun:test"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Workspace } from "./harness.ts"

const PAGE = 4096
let space: Workspace
let data: string
let ids: readonly string[]

beforeAll(async () => {
  space = new Workspace({ "package.json": "{}" })
  data = join(space.dir, "data")
  const lines = Array.from({ length: 400 }, (_, i) => JSON.stringify({ text: `Fact ${i} of the old ledger` }))
  space.write("facts.jsonl", lines.join("\n"))
  const made = await space.json(["remember", "--batch", "facts.jsonl"], { env: { AMAN_DATA_DIR: data } })
  ids = made.ids
})
afterAll(() => space[Symbol.dispose]())

test("a damaged store is reported by every interface, never recreated unasked, and restored on request", async () => {
  const env = { AMAN_DATA_DIR: data }
  const path = join(data, "knowledge.db")
  const bytes = readFileSync(path)
  // Damages pages in the middle, which contain rows. The first pages contain the schema.
  for (const share of [0.5, 0.6, 0.7]) {
    const start = PAGE * Math.floor((bytes.length / PAGE) * share)
    bytes.fill(0xa5, start, start + PAGE)
  }
  writeFileSync(path, bytes)
  const doctor = await space.run(["doctor"], { env })
  expect(doctor.stdout).toContain("aman memory recover")
  const recall = await space.run(["recall", "--json", "--", "the ledger"], { env })
  expect(recall.code).toBe(3)
  expect(JSON.parse(recall.stdout).error).toMatchObject({
    code: "KNOWLEDGE_CORRUPT",
    hint: expect.stringContaining("aman memory recover"),
  })
  expect(readFileSync(path).equals(bytes)).toBe(true)

  const { recovered } = await space.json(["memory", "recover"], { env })
  expect(readFileSync(recovered.kept).equals(bytes)).toBe(true)
  const { entries, total } = await space.json(["memory", "list", "--limit", "1000"], { env })
  expect(total).toBeGreaterThan(360)
  for (const { id, text } of entries) expect(text).toBe(`Fact ${ids.indexOf(id)} of the old ledger`)
  const { results } = await space.json(["recall", "--", "fact 7 of the ledger"], { env })
  expect(results.length).toBeGreaterThan(0)
  const again = await space.json(["memory", "recover"], { env })
  expect(again).toEqual({ recovered: null })
  expect(readdirSync(data).filter((name) => name.includes("damaged"))).not.toEqual([])
})
