import { Database } from "bun:sqlite"
import { afterAll, beforeAll, expect, test } from "bun:test"
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { randomFrom } from "../random.ts"
import { Workspace } from "./harness.ts"

const PAGE = 4096
let space: Workspace
let data: string
let ids: readonly string[]
let path: string
let sound: Buffer

beforeAll(async () => {
  space = new Workspace({ "package.json": "{}" })
  data = join(space.dir, "data")
  const lines = Array.from({ length: 400 }, (_, i) => JSON.stringify({ text: `Fact ${i} of the old ledger` }))
  space.write("facts.jsonl", lines.join("\n"))
  const made = await space.json(["remember", "--batch", "facts.jsonl"], { env: { AMAN_DATA_DIR: data } })
  ids = made.ids
  await space.json(["memory", "purge", ids[20]!], { env: { AMAN_DATA_DIR: data } })
  path = join(data, "knowledge.db")
  sound = readFileSync(path)
})
afterAll(() => space[Symbol.dispose]())

test("a damaged store is reported by every interface, never recreated unasked, and restored on request", async () => {
  const env = { AMAN_DATA_DIR: data }
  const bytes = Buffer.from(sound)
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

  const { code, stdout } = await space.run(["memory", "recover", "--json"], { env })
  const { recovered } = JSON.parse(stdout)
  expect(code).toBe(recovered.losses.length > 0 ? 3 : 0)
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

const CUTS = Number(process.env["AMAN_TEST_CUTS"] ?? 6)
const random = randomFrom(Number(process.env["AMAN_TEST_SEED"] ?? 1))

/** What `memory recover` says about a store with this content. */
async function recoveredFrom(bytes: Uint8Array) {
  for (const name of readdirSync(data)) if (name.startsWith("knowledge.db")) rmSync(join(data, name))
  writeFileSync(path, bytes)
  const { code, stdout } = await space.run(["memory", "recover", "--json"], { env: { AMAN_DATA_DIR: data } })
  const { recovered, error } = JSON.parse(stdout)
  return { code, error, recovered, missing: ids.length - 1 - (recovered?.entries ?? 0) }
}

const pages = () => sound.length / PAGE
/** Page numbers, from 1, that SQLite's counter of event numbers and aman's counts of rows are on. */
const counterPages = () => {
  const found = ["sqlite_sequence", "sums"].map((name) => {
    using db = new Database(path, { readonly: true })
    return db
      .query<{ rootpage: number }, [string]>("SELECT rootpage FROM sqlite_schema WHERE name = ?")
      .get(name)!
  })
  return found.map(({ rootpage }) => rootpage)
}

test(
  "every event that a truncated store has lost is counted, and the exit code says so",
  async () => {
    // The log itself begins behind the tables that are made from it.
    const cuts = [0, 25, 44, ...Array.from({ length: CUTS }, () => Math.floor(random() * pages()))]
    for (const cut of cuts) {
      const { code, recovered, error, missing } = await recoveredFrom(sound.subarray(0, cut * PAGE))
      if (error !== undefined) expect([cut, code, error.code]).toEqual([cut, 3, "KNOWLEDGE_CORRUPT"])
      else if (missing === 0) expect([cut, code, recovered.doubts]).toEqual([cut, 0, []])
      else {
        expect([cut, code, recovered.lost >= missing]).toEqual([cut, 3, true])
        // The event that says what was purged is no entry. It cannot be told from the others once its table is lost, too.
        const gone = recovered.lost - recovered.mended
        if (recovered.doubts.length === 0) expect([missing, missing + 1]).toContain(gone)
        else expect(recovered.doubts).toEqual([expect.stringContaining("purged")])
      }
    }
  },
  60_000 + CUTS * 10_000,
)

test("a truncated store without its counters has lost an unknown number, and that is said", async () => {
  writeFileSync(path, sound)
  const bytes = Buffer.from(sound.subarray(0, Math.floor(pages() / 5) * PAGE))
  for (const page of counterPages()) bytes.fill(0, (page - 1) * PAGE, page * PAGE)
  const { code, recovered, missing } = await recoveredFrom(bytes)
  expect(missing).toBeGreaterThan(0)
  expect([code, recovered.doubts]).toEqual([3, [expect.stringContaining("how many events there were")]])
})
