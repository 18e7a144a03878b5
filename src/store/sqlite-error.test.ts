import { Database } from "bun:sqlite"
import { expect, test } from "bun:test"
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { openFrozen } from "./sqlite-error.ts"

test("opens a database under any path as immutable, without creating files beside it", () => {
  const folder = mkdtempSync(join(tmpdir(), "aman frozen #1 50% é"))
  const name = process.platform === "win32" ? "a b#.db" : "a b?#.db"
  {
    using db = new Database(join(folder, name))
    db.run("PRAGMA journal_mode = WAL")
    db.run("CREATE TABLE t (a)")
    db.run("INSERT INTO t VALUES (7)")
  }
  {
    using db = openFrozen(join(folder, name))
    expect(db.query("SELECT a FROM t").all()).toEqual([{ a: 7 }])
    expect(() => db.run("DELETE FROM t")).toThrow("readonly")
  }
  expect(readdirSync(folder)).toEqual([name])
  rmSync(folder, { recursive: true })
})
