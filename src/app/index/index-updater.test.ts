import { afterEach, beforeEach, expect, test } from "bun:test"
import { closeSync, openSync, writeSync } from "node:fs"
import { TempProject } from "../../../test/temp-project.ts"
import { indexPath } from "../../index/index-folder.ts"
import type { Project } from "../project/open-project.ts"
import { IndexUpdater } from "./index-updater.ts"
import { Indexer } from "./indexer.ts"

const LONG_MS = 30_000

let temp: TempProject
let leader: Indexer
let project: Project
let updater: IndexUpdater

/** Another process is the leader, and handles no requests. */
beforeEach(async () => {
  temp = new TempProject({ "map.txt": "The treasure is buried.\n" })
  await temp.index()
  leader = Indexer.take(temp.open())!
  project = temp.open()
  updater = new IndexUpdater(project)
})
afterEach(async () => {
  await updater.close()
  leader.close()
  temp[Symbol.dispose]()
})

test("returns pending for a request without paths to another leader", async () => {
  expect(await updater.rescan(LONG_MS, [])).toBe("pending")
})

test("stops waiting for the leader when closed", async () => {
  const looked = updater.rescan(LONG_MS, ["map.txt"])
  await updater.close()
  expect(await looked).toBe("pending")
})

test("returns none when the index breaks while waiting for the leader", async () => {
  const looked = updater.rescan(LONG_MS, ["map.txt"])
  project.close()
  // The file keeps its size, because the leader has mapped it into memory.
  const file = openSync(indexPath(project.config.index.dir), "r+")
  writeSync(file, "no index ".repeat(100))
  closeSync(file)
  expect(await looked).toBe("none")
})
