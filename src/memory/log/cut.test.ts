import { Database } from "bun:sqlite"
import { afterAll, beforeAll, expect, test } from "bun:test"
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { randomFrom } from "../../../test/random.ts"
import { AmanError } from "../../base/index.ts"
import { Knowledge } from "../knowledge.ts"
import { recover } from "./recover.ts"

/** Number of cuts of each file; from 200 on, as in `bun run soak`, each is cut at every page. */
const CUTS = Number(process.env["AMAN_TEST_DAMAGES"] ?? 3)
const SEED = Number(process.env["AMAN_TEST_SEED"] ?? 1)
const PAGE = 4096
const COMMITS = 60

let folder: string
/** A store with a write-ahead log of some hundred pages, as a killed process leaves it. */
let lived: string
/** Texts in the order in which they were acknowledged, each with the log's size in bytes at that time. */
const acknowledged: { readonly text: string; readonly logBytes: number }[] = []

/** For each text, the bytes of the row that stored it, from its number to its seal. */
const rows = new Map<string, Buffer>()

/** Bytes of a row of the log before its first text: its number and the lengths of its values. */
const ROW_HEADER = 11

function storedRows(path: string): { text: string; row: Buffer }[] {
  using db = new Database(path, { readonly: true })
  const files = ["", "-wal"].map((suffix) => readFileSync(path + suffix))
  return db
    .query<{ body: string; values: string; seal: number }, []>(
      "SELECT body, id || at || subject || type || body AS 'values', seal FROM events WHERE type = 'stored'",
    )
    .all()
    .map(({ body, values, seal }) => {
      const number = Buffer.alloc(8)
      number.writeBigInt64BE(BigInt(seal))
      const row = Buffer.concat([Buffer.from(values), seal < 2 ** 47 ? number.subarray(2) : number])
      const file = files.find((bytes) => bytes.includes(row))!
      const at = file.indexOf(row)
      return { text: JSON.parse(body).fields.text, row: file.subarray(at - ROW_HEADER, at + row.length) }
    })
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "aman-cut-"))
  lived = join(folder, "lived.db")
  const path = join(folder, "knowledge.db")
  let clock = Date.parse("2026-11-21T20:00:00Z")
  const entryOf = (i: number) => ({
    text: `fact ${i} ${"of some length ".repeat(i % 20)}ends ${i}.`,
    topic: `t${i % 7}`,
    ...(i % 3 === 0 ? { entities: [`Thing ${i % 9}`] } : {}),
  })
  const open = () => new Knowledge({ path, now: () => clock++ })
  const first = Array.from({ length: 150 }, (_, i) => entryOf(i))
  {
    using knowledge = open()
    knowledge.remember(first)
  }
  using knowledge = open()
  for (const { text } of first) acknowledged.push({ text, logBytes: 0 })
  for (let i = 0; i < COMMITS; i++) {
    const entry = entryOf(first.length + i)
    knowledge.remember([entry])
    acknowledged.push({ text: entry.text, logBytes: statSync(`${path}-wal`).size })
  }
  for (const suffix of ["", "-wal"]) copyFileSync(path + suffix, lived + suffix)
  for (const { text, row } of storedRows(path)) rows.set(text, row)
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Offsets at which a file of this size is cut. */
function cutsOf(bytes: number, seed: number): number[] {
  const pages = Array.from({ length: Math.ceil(bytes / PAGE) }, (_, page) => page * PAGE)
  if (CUTS >= 200) return pages
  const random = randomFrom(seed)
  return Array.from({ length: CUTS }, () => pages[Math.floor(random() * pages.length)]!)
}

/** A copy of the store with one of its files cut, used by `act` and removed. */
function withCut<T>(suffix: "" | "-wal", bytes: number, act: (path: string) => T): T {
  const place = mkdtempSync(join(folder, "cut-"))
  const path = join(place, "knowledge.db")
  for (const each of ["", "-wal"]) copyFileSync(lived + each, path + each)
  truncateSync(path + suffix, bytes)
  try {
    return act(path)
  } finally {
    rmSync(place, { recursive: true })
  }
}

const now = () => Date.parse("2026-11-22T20:00:00Z")

/** All texts in the store; the message, if it says that the store is damaged. Any other error fails the test. */
function textsIn(path: string): Set<string> | string {
  try {
    using knowledge = new Knowledge({ path, now })
    const damages = knowledge.damages()
    if (damages.length > 0) return damages.join("; ")
    return new Set(knowledge.list().entries.map(({ text }) => text))
  } catch (error) {
    if (error instanceof AmanError && error.code === "KNOWLEDGE_CORRUPT" && error.hint) return error.message
    throw error
  }
}

test(
  "a write-ahead log cut at a page: every commit that it still has whole is there, and it can be written on",
  () => {
    const bytes = statSync(`${lived}-wal`).size
    expect(bytes).toBeGreaterThan(200 * PAGE)
    for (const cut of cutsOf(bytes, SEED))
      withCut("-wal", cut, (path) => {
        const whole = acknowledged.filter(({ logBytes }) => logBytes <= cut).map(({ text }) => text)
        expect([cut, textsIn(path)]).toEqual([cut, new Set(whole)])
        using knowledge = new Knowledge({ path, now })
        const { id } = knowledge.remember([{ text: "written after the cut" }])[0]!
        expect(knowledge.get([id])[0]!.text).toBe("written after the cut")
      })
  },
  60_000 + CUTS * 5_000,
)

for (const hasLog of [true, false])
  test(
    `a store cut at a page, ${hasLog ? "with" : "without"} its write-ahead log: the damage is said, and what the bytes hold is recovered`,
    () => {
      for (const cut of cutsOf(statSync(lived).size, SEED + 1))
        withCut("", cut, (path) => {
          if (!hasLog) rmSync(`${path}-wal`)
          const left = ["", "-wal"].map((each) =>
            existsSync(path + each) ? readFileSync(path + each) : Buffer.of(),
          )
          const isHeld = ([, row]: [string, Buffer]) => left.some((bytes) => bytes.includes(row))
          const held = [...rows].filter(isHeld).map(([text]) => text)
          const found = textsIn(path)
          if (typeof found !== "string") {
            expect([cut, held.filter((text) => !found.has(text))]).toEqual([cut, []])
            return
          }
          let report: ReturnType<typeof recover>
          try {
            report = recover(path, now)
          } catch (error) {
            expect([cut, (error as AmanError).code, held]).toEqual([cut, "KNOWLEDGE_CORRUPT", []])
            return
          }
          using knowledge = new Knowledge({ path, now })
          const recovered = new Set(knowledge.list().entries.map(({ text }) => text))
          expect([cut, held.filter((text) => !recovered.has(text))]).toEqual([cut, []])
          const written = acknowledged.filter(({ logBytes }) => hasLog || logBytes === 0)
          const isWhole = written.every(({ text }) => recovered.has(text))
          expect([cut, isWhole || report!.losses.length + report!.doubts.length > 0]).toEqual([cut, true])
        })
    },
    60_000 + CUTS * 5_000,
  )
