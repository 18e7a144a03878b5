import { Database } from "bun:sqlite"
import { afterEach, beforeEach, expect, test } from "bun:test"
import { TempProject } from "../../../test/temp-project.ts"
import { LeaderLock } from "../../store/lock/lead.ts"
import { indexPath } from "../index-folder.ts"
import { leadOrWait } from "./ensure-fresh.ts"
import { indexProject } from "./index-project.ts"
import { Indexer } from "./indexer.ts"

let project: TempProject

beforeEach(() => {
  project = new TempProject({ "a.txt": "first words\n" })
})
afterEach(() => project[Symbol.dispose]())

test("takes the lead when no process has it", async () => {
  using indexer = await leadOrWait(project.open())
  expect(indexer?.leads).toBe(true)
})

test("uses another leader's complete index as it is, with a notice", async () => {
  await project.index()
  using _other = Indexer.take(project.open())!
  expect(await leadOrWait(project.open())).toBeNull()
  const report = await project.index()
  expect(report).toMatchObject({ files: 1, changed: 0 })
  expect(report.notices).toHaveLength(1)
})

test("waits for a first index that another process builds", async () => {
  using other = Indexer.take(project.open())!
  const waiting = leadOrWait(project.open())
  await other.run()
  expect(await waiting).toBeNull()
  expect(await project.paths("first", { mode: "keyword" })).toEqual(["a.txt"])
})

test("takes over when the other process ends early", async () => {
  const other = Indexer.take(project.open())!
  const waiting = indexProject(project.open())
  other.close()
  expect(await waiting).toMatchObject({ files: 1, changed: 1 })
})

test("can be interrupted while waiting", async () => {
  using _other = Indexer.take(project.open())!
  const abort = new AbortController()
  const waiting = leadOrWait(project.open(), abort.signal)
  abort.abort()
  await expect(waiting).rejects.toMatchObject({ code: "INTERRUPTED" })
})

test("waits for earlier edits and for no later ones", async () => {
  await project.index()
  using other = Indexer.take(project.open())!
  project.write("a.txt", "second words\n")
  const waiting = leadOrWait(project.open())
  await other.run()
  project.write("b.txt", "third words\n")
  expect(await waiting).toBeNull()
  expect(await project.paths("second", { mode: "keyword" })).toEqual(["a.txt"])
})

test("takes over when the other process ends without indexing the edits", async () => {
  await project.index()
  const other = Indexer.take(project.open())!
  project.write("a.txt", "second words\n")
  const waiting = leadOrWait(project.open())
  other.close()
  using indexer = await waiting
  expect(indexer?.leads).toBe(true)
})

test("does not wait forever for an older leader, whose index cannot be read", async () => {
  await project.index()
  const ours = project.open()
  const { dir } = ours.config.index
  const db = new Database(indexPath(dir))
  db.run("PRAGMA user_version = 1")
  db.close()
  using _older = LeaderLock.take(dir)!
  await expect(leadOrWait(ours)).rejects.toMatchObject({
    code: "INDEX_BUSY",
    message: `an older version of aman is using the index in ${dir}`,
  })
})
