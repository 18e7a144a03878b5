import { Database } from "bun:sqlite"
import { afterEach, beforeEach, expect, test } from "bun:test"
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { EmbeddingCache } from "./embedding-cache.ts"

const DAY_MS = 86_400_000
const SPACE = { provider: "ollama", model: "m@1", dimensions: 2, version: 1 }
let folder: string
let today = 20_000

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "aman-cache-"))
  today = 20_000
})

afterEach(() => rmSync(folder, { recursive: true }))

function open(maxBytes?: number): EmbeddingCache {
  const limit = maxBytes === undefined ? {} : { maxBytes }
  return EmbeddingCache.open(join(folder, "user", "embeddings.db"), { now: () => today * DAY_MS, ...limit })
}

const hash = (n: number) => new Uint8Array(new BigUint64Array([BigInt(n), 7n]).buffer)
const row = (n: number, bytes = 4) => new Uint8Array(bytes).fill(n)
const entry = (n: number, bytes?: number) => ({ hash: hash(n), row: row(n, bytes) })

test("returns a vector only for its text and space", () => {
  using cache = open()
  cache.put(SPACE, [entry(1), entry(2)])
  expect(cache.get(SPACE, [hash(2), hash(3), hash(1)])).toEqual([row(2), null, row(1)])
  for (const other of [{ model: "m@2" }, { dimensions: 3 }, { version: 2 }, { provider: "openai" }])
    expect(cache.get({ ...SPACE, ...other }, [hash(1)])).toEqual([null])
})

test("shares vectors between the user's processes and is readable by that user only", () => {
  using first = open()
  using second = open()
  first.put(SPACE, [entry(1)])
  expect(second.get(SPACE, [hash(1)])).toEqual([row(1)])
  if (process.platform !== "win32")
    expect(statSync(join(folder, "user", "embeddings.db")).mode & 0o777).toBe(0o600)
})

test("stays below its limit by evicting the least recently used vectors", () => {
  const limit = 400 * 1024 // below the 512 KiB that all 256 vectors would take
  using cache = open(limit)
  const numbers = Array.from({ length: 600 }, (_, n) => n)
  for (const n of numbers) {
    today = 20_000 + n
    cache.put(SPACE, [entry(n % 256, 2048)])
    // The first vector is requested every day, so it is never the least recently used.
    cache.get(SPACE, [hash(0)])
  }
  const found = cache.get(SPACE, numbers.slice(0, 256).map(hash))
  const kept = found.flatMap((vector, n) => (vector === null ? [] : [n]))
  expect(kept[0]).toBe(0)
  expect(kept).toContain(599 % 256)
  expect(kept.length).toBeLessThan(200)
  expect(kept.length).toBeGreaterThan(100)
  cache.close()
  expect(statSync(join(folder, "user", "embeddings.db")).size).toBeLessThan(limit * 1.1)
})

test("refuses a damaged or foreign file, which can be replaced", () => {
  open().close()
  const path = join(folder, "user", "embeddings.db")
  const foreign = (version: number, table: string) => () => {
    using db = new Database(path, { create: true })
    db.run(`CREATE TABLE ${table}`)
    db.run(`PRAGMA user_version = ${version}`)
  }
  const harms = [
    () => writeFileSync(path, "garbage".repeat(2000)),
    foreign(0, "notes (id INTEGER, text TEXT)"),
    foreign(1, "vectors (id INTEGER, text TEXT)"),
  ]
  for (const harm of harms) {
    rmSync(path)
    harm()
    expect(open).toThrow(expect.objectContaining({ code: "INDEX_CORRUPT" }))
    using cache = EmbeddingCache.openNew(path, { now: () => today * DAY_MS })
    cache.put(SPACE, [entry(1)])
    expect(cache.get(SPACE, [hash(1)])).toEqual([row(1)])
  }
})

test("leaves a file of a newer aman unchanged", () => {
  open().close()
  const path = join(folder, "user", "embeddings.db")
  using db = new Database(path)
  db.run("PRAGMA user_version = 2")
  expect(open).toThrow(expect.objectContaining({ code: "INDEX_NEWER" }))
  expect(db.query("SELECT count(*) AS n FROM vectors").get()).toEqual({ n: 0 })
})
