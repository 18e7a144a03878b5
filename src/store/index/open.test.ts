import { Database } from "bun:sqlite"
import { afterEach, beforeEach, expect, test } from "bun:test"
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { openStore } from "./open.ts"

let folder: string
let path: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "aman-store-"))
  path = join(folder, "index.db")
})

afterEach(() => rmSync(folder, { recursive: true }))

test("keeps committed data", () => {
  {
    using store = openStore(path)
    store.transaction(() => store.meta.set("key", "value"))
  }
  using again = openStore(path, { readonly: true })
  expect(again.meta.get("key")).toBe("value")
})

test("throws INDEX_MISSING for a missing index and does not create one", () => {
  expect(() => openStore(path, { readonly: true })).toThrow(
    expect.objectContaining({ code: "INDEX_MISSING" }),
  )
  expect(existsSync(path)).toBe(false)
  new Database(path).close()
  expect(() => openStore(path, { readonly: true })).toThrow(
    expect.objectContaining({ code: "INDEX_MISSING" }),
  )
})

test("reports a file that is no database as damaged; it can be deleted and created again", () => {
  writeFileSync(path, "not a database at all, but long enough to be read as one ".repeat(100))
  for (const readonly of [true, false])
    expect(() => openStore(path, { readonly })).toThrow(expect.objectContaining({ code: "INDEX_CORRUPT" }))
  for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true })
  using store = openStore(path)
  expect(store.files.totals()).toEqual({ files: 0, chunks: 0, lines: 0 })
})

test("reports damage found later from the transaction that meets it", () => {
  {
    using store = openStore(path)
    store.transaction(() => store.segments.add({ files: 1, chunks: 1, blob: new Uint8Array(50_000).fill(7) }))
    store.checkpoint()
  }
  const size = statSync(path).size
  const db = new Uint8Array(size)
  db.set(new Uint8Array(readFileSync(path)))
  // The end of the file, after the pages of the schema, is the segment.
  db.fill(0xa5, size - 40_000, size)
  writeFileSync(path, db)
  using store = openStore(path)
  expect(() => store.consistently(() => store.segments.all())).toThrow(
    expect.objectContaining({ code: "INDEX_CORRUPT" }),
  )
})

test("leaves an index of a newer aman unchanged", () => {
  openStore(path).close()
  const db = new Database(path)
  db.run("PRAGMA user_version = 999")
  db.close()
  expect(() => openStore(path)).toThrow(expect.objectContaining({ code: "INDEX_NEWER" }))
})

test("rolls a failed transaction back", () => {
  using store = openStore(path)
  expect(() =>
    store.transaction(() => {
      store.meta.set("key", "value")
      throw new Error("half-way")
    }),
  ).toThrow("half-way")
  expect(store.meta.get("key")).toBeNull()
})

test("gives a reader one state while another connection writes, and the new one afterwards", () => {
  using writer = openStore(path)
  writer.transaction(() => writer.meta.set("key", "old"))
  using reader = openStore(path, { readonly: true })
  const version = reader.dataVersion()
  reader.consistently(() => {
    expect(reader.meta.get("key")).toBe("old")
    writer.transaction(() => writer.meta.set("key", "new"))
    expect(reader.meta.get("key")).toBe("old")
  })
  expect(reader.meta.get("key")).toBe("new")
  expect(reader.dataVersion()).not.toBe(version)
  expect(reader.dataVersion()).toBe(reader.dataVersion())
})

// Otherwise the leader goes on writing where no later process looks, and they wait for it for ever.
test("notices that its -shm file is gone, because processes that open it now share nothing with it", () => {
  using writer = openStore(path)
  expect(writer.isInPlace).toBe(true)
  rmSync(`${path}-shm`)
  // SQLite gives this connection of the same process the file that is gone.
  using reader = openStore(path)
  expect([writer.isInPlace, reader.isInPlace]).toEqual([false, false])
  writer.close()
  reader.close()
  using next = openStore(path)
  expect(next.isInPlace).toBe(true)
})

test("sees commits of other processes and waits for their transactions", async () => {
  using store = openStore(path)
  const script = `
    import { openStore } from ${JSON.stringify(join(import.meta.dir, "open.ts"))}
    const store = openStore(${JSON.stringify(path)})
    store.transaction(() => {
      store.meta.set("key", "theirs")
      console.log("writing")
      Bun.sleepSync(200)
    })
    store.close()`
  const child = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe" })
  const before = store.dataVersion()
  await child.stdout.getReader().read()
  expect(store.meta.get("key")).toBeNull()
  store.transaction(() => store.meta.set("mine", store.meta.get("key") ?? "nothing"))
  expect(store.meta.get("mine")).toBe("theirs")
  expect(store.dataVersion()).not.toBe(before)
  expect(await child.exited).toBe(0)
})

test("empties the log at a checkpoint", () => {
  using store = openStore(path)
  store.transaction(() => store.segments.add({ files: 1, chunks: 1, blob: new Uint8Array(1 << 20) }))
  expect(statSync(`${path}-wal`).size).toBeGreaterThan(1 << 20)
  expect(store.checkpoint()).toBe(true)
  expect(statSync(`${path}-wal`).size).toBe(0)
})

test("returns pages freed by a merge at the next checkpoint", () => {
  using store = openStore(path)
  const blob = new Uint8Array(1 << 20).fill(7)
  const ids = store.transaction(() =>
    [1, 2, 3, 4].map(() => store.segments.add({ files: 1, chunks: 1, blob })),
  )
  store.checkpoint()
  expect(statSync(path).size).toBeGreaterThan(4 << 20)
  store.transaction(() => store.segments.removeUpTo(ids.at(-1)!))
  store.checkpoint()
  expect(statSync(path).size).toBeLessThan(1 << 20)
})
