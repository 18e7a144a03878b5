import { Database } from "bun:sqlite"
import { afterEach, beforeEach, expect, test } from "bun:test"
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ENGRAM } from "../../memory/formats/json-sources.ts"
import { readEngramRows } from "./engram.ts"

let folder: string
let path: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "aman-engram-"))
  path = join(folder, "engram #1.db")
})

afterEach(() => {
  chmodSync(folder, 0o700)
  rmSync(folder, { recursive: true })
})

/** A database of engram, as of February or (`withSyncId`) September 2026, without indexes and full-text tables. */
function engram(withSyncId: boolean): Database {
  const db = new Database(path)
  db.run("PRAGMA journal_mode = WAL")
  db.run(`CREATE TABLE sessions (id TEXT PRIMARY KEY, project TEXT NOT NULL, directory TEXT NOT NULL,
    started_at TEXT NOT NULL DEFAULT (datetime('now')), ended_at TEXT, summary TEXT)`)
  db.run(`CREATE TABLE observations (id INTEGER PRIMARY KEY AUTOINCREMENT, ${withSyncId ? "sync_id TEXT," : ""}
    session_id TEXT NOT NULL, type TEXT NOT NULL, title TEXT NOT NULL, content TEXT NOT NULL, tool_name TEXT,
    project TEXT, scope TEXT NOT NULL DEFAULT 'project', topic_key TEXT, normalized_hash TEXT,
    revision_count INTEGER NOT NULL DEFAULT 1, duplicate_count INTEGER NOT NULL DEFAULT 1, last_seen_at TEXT,
    created_at TEXT NOT NULL DEFAULT (datetime('now')), updated_at TEXT NOT NULL DEFAULT (datetime('now')),
    deleted_at TEXT, FOREIGN KEY (session_id) REFERENCES sessions(id))`)
  db.run(
    `INSERT INTO sessions VALUES ('s1', 'shop', '/x', '2026-02-20 09:00:00', '2026-02-20 10:00:00', 'We moved to JWT.')`,
  )
  db.run(`INSERT INTO observations (session_id, type, title, content, project, topic_key, created_at, updated_at)
    VALUES ('s1', 'decision', 'JWT', 'Sessions are JWT now', 'shop', 'architecture/auth', '2026-02-20 09:30:00', '2026-02-20 09:30:00')`)
  return db
}

test.each([true, false])(
  "reads observations and session summaries while engram writes (sync_id: %p)",
  (withSyncId) => {
    using db = engram(withSyncId)
    if (withSyncId) db.run("UPDATE observations SET sync_id = 'obs-1'")
    const { entries } = ENGRAM.read(
      { name: "engram.db", text: JSON.stringify(readEngramRows(path)), modified: null },
      [],
    )
    expect(entries).toMatchObject([
      {
        ref: withSyncId ? "observation\nobs-1" : "observation\ns1/1",
        text: "JWT\n\nSessions are JWT now",
        topic: "architecture/auth",
        kind: "decision",
        recordedAt: "2026-02-20T09:30:00.000Z",
      },
      { text: "We moved to JWT.", kind: "episodic", session: "s1", recordedAt: "2026-02-20T10:00:00.000Z" },
    ])
  },
)

test("writes nothing beside the database, even if the folder is read-only", () => {
  engram(true).close()
  const before = readFileSync(path)
  chmodSync(folder, 0o500)
  expect(readEngramRows(path).observations.length).toBe(1)
  expect(readFileSync(path)).toEqual(before)
})

test("refuses a database of another program and a truncated one", () => {
  new Database(path).run("CREATE TABLE notes (text TEXT)")
  expect(() => readEngramRows(path)).toThrow("is not a database of engram")
  writeFileSync(path, `SQLite format 3\0${"x".repeat(5000)}`)
  expect(() => readEngramRows(path)).toThrow("is not a database of engram")
})
