import { Database } from "bun:sqlite"
import { afterEach, beforeEach, expect, test } from "bun:test"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { openKnowledgeStore } from "./knowledge-store.ts"

let folder: string
let path: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "aman-knowledge-store-"))
  path = join(folder, "data", "knowledge.db")
})

afterEach(() => rmSync(folder, { recursive: true }))

const EVENT = { id: "e1", at: "2026-11-21T20:00:00.000Z", subject: "s1", type: "stored", body: "{}" }

test("keeps committed data in a file that only its owner may read", () => {
  {
    using store = openKnowledgeStore(path)
    store.transaction(() => store.events.add(EVENT))
  }
  using again = openKnowledgeStore(path, { readonly: true })
  expect(again.events.ofSubject("s1")).toEqual([{ ...EVENT, seq: 1 }])
  if (process.platform !== "win32") {
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(statSync(join(folder, "data")).mode & 0o777).toBe(0o700)
  }
})

test("ignores a known event, and refuses to change or delete events", () => {
  using store = openKnowledgeStore(path)
  expect(store.events.add(EVENT)).toBe(true)
  expect(store.events.add({ ...EVENT, body: '{"other":1}' })).toBe(false)
  const db = new Database(path)
  expect(() => db.run("UPDATE events SET body = '{}'")).toThrow("never changed")
  expect(() => db.run("DELETE FROM events")).toThrow("never deleted")
  db.close()
  expect(store.events.count()).toBe(1)
  store.transaction(() => store.events.purge("s1"))
  expect(store.events.count()).toBe(0)
  store.events.add(EVENT)
  expect(store.events.lastSeq()).toBeGreaterThan(1)
})

test("leaves a damaged file unchanged and names the command that recovers its content", () => {
  openKnowledgeStore(path).close()
  const damaged = "not a database at all, but long enough to be read as one ".repeat(100)
  writeFileSync(path, damaged)
  for (const readonly of [true, false])
    expect(() => openKnowledgeStore(path, { readonly })).toThrow(
      expect.objectContaining({
        code: "KNOWLEDGE_CORRUPT",
        hint: expect.stringContaining("aman memory recover"),
      }),
    )
  expect(readFileSync(path, "utf8")).toBe(damaged)
})

test("reports damage from the open or the transaction that meets it", () => {
  {
    using store = openKnowledgeStore(path)
    store.transaction(() => {
      for (let i = 0; i < 200; i++) store.events.add({ ...EVENT, id: `e${i}`, body: `"${"x".repeat(500)}"` })
    })
  }
  const bytes = readFileSync(path)
  bytes.fill(0xa5, bytes.length / 2)
  writeFileSync(path, bytes)
  const readAll = () => {
    using store = openKnowledgeStore(path)
    return store.consistently(() => store.events.after(0))
  }
  expect(readAll).toThrow(expect.objectContaining({ code: "KNOWLEDGE_CORRUPT" }))
})

test("leaves a file of a newer aman unchanged", () => {
  openKnowledgeStore(path).close()
  const db = new Database(path)
  db.run("PRAGMA user_version = 999")
  db.close()
  for (const readonly of [true, false])
    expect(() => openKnowledgeStore(path, { readonly })).toThrow(
      expect.objectContaining({ code: "KNOWLEDGE_NEWER" }),
    )
})

test("reads a missing file as empty without creating it", () => {
  using store = openKnowledgeStore(path, { readonly: true })
  expect(store.events.count()).toBe(0)
  expect(existsSync(join(folder, "data"))).toBe(false)
})

test("reads a file that another process has just created as empty", () => {
  openKnowledgeStore(path).close()
  rmSync(path)
  const db = new Database(path)
  db.run("PRAGMA journal_mode = WAL")
  db.run("CREATE TABLE x (y)")
  db.close()
  using store = openKnowledgeStore(path, { readonly: true })
  expect(store.events.count()).toBe(0)
})

test("six processes open a new file at once while another connection has begun to write to it", async () => {
  mkdirSync(join(folder, "data"), { mode: 0o700 })
  using db = new Database(path)
  db.run("BEGIN IMMEDIATE")
  const program = join(import.meta.dir, "..", "..", "..", "test", "knowledge-writer.ts")
  const writers = Array.from({ length: 6 }, (_, writer) =>
    Bun.spawn([process.execPath, program, path, `${writer}`, "0", "1"], { stdout: "ignore", stderr: "pipe" }),
  )
  await Bun.sleep(500)
  db.run("COMMIT")
  expect(await Promise.all(writers.map(({ stderr }) => stderr.text()))).toEqual(Array(6).fill(""))
  using store = openKnowledgeStore(path, { readonly: true })
  expect(store.entries.count()).toBe(6)
})

test("names the folder that cannot be created and what to do", () => {
  writeFileSync(join(folder, "data"), "a file")
  expect(() => openKnowledgeStore(path)).toThrow(
    expect.objectContaining({ code: "IO", hint: expect.stringContaining("AMAN_DATA_DIR") }),
  )
})

test.skipIf(process.platform === "win32" || process.getuid?.() === 0)(
  "reads in a read-only folder and explains why writing fails (skipped for the superuser)",
  () => {
    openKnowledgeStore(path).close()
    chmodSync(path, 0o400)
    chmodSync(join(folder, "data"), 0o500)
    using store = openKnowledgeStore(path, { readonly: true })
    expect(store.events.count()).toBe(0)
    expect(() => openKnowledgeStore(path)).toThrow(expect.objectContaining({ code: "IO" }))
    chmodSync(join(folder, "data"), 0o700)
  },
)

test("rolls a failed transaction back, and the next one works", () => {
  using store = openKnowledgeStore(path)
  const fail = () =>
    store.transaction(() => {
      store.events.add(EVENT)
      throw new Error("half-way")
    })
  expect(fail).toThrow("half-way")
  expect(store.events.count()).toBe(0)
  store.transaction(() => store.transaction(() => store.events.add(EVENT)))
  expect(store.events.count()).toBe(1)
})

test("lets several processes create the file at the same time", async () => {
  const script = `
    import { openKnowledgeStore } from ${JSON.stringify(join(import.meta.dir, "knowledge-store.ts"))}
    const store = openKnowledgeStore(${JSON.stringify(path)})
    store.transaction(() => store.events.add({ ...${JSON.stringify(EVENT)}, id: String(process.pid) }))
    store.close()`
  const children = [1, 2, 3, 4].map(() => Bun.spawn([process.execPath, "-e", script], { stderr: "inherit" }))
  expect(await Promise.all(children.map(({ exited }) => exited))).toEqual([0, 0, 0, 0])
  using store = openKnowledgeStore(path)
  expect(store.events.count()).toBe(4)
})
