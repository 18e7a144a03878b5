import { afterEach, beforeEach, expect, test } from "bun:test"
import { closeSync, openSync, writeSync } from "node:fs"
import { TempProject } from "../../../test/temp-project.ts"
import { AmanError } from "../../base/errors.ts"
import { indexPath } from "../index-folder.ts"
import type { Project } from "../open/open-project.ts"
import type { ConfiguredOutcome } from "./build-configured-space.ts"
import { embeddingJob, IndexUpdater } from "./index-updater.ts"
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

/**
 * A job with an indexer that returns these outcomes one after the other, and with a clock that the test sets.
 */
function working(...outcomes: readonly (() => Promise<ConfiguredOutcome>)[]) {
  const calls: number[] = []
  let time = 0
  let isWhole = true
  const indexer = {
    embedConfigured: () => outcomes[Math.min(calls.push(time), outcomes.length) - 1]!(),
    get isConfiguredComplete() {
      return isWhole
    },
  } as Pick<Indexer, "embedConfigured" | "isConfiguredComplete">
  const work = embeddingJob(new AbortController().signal, () => time)
  return {
    calls,
    work,
    follow: async (at: number) => {
      time = at
      work.follow(indexer)
      await work.finished()
    },
    retry: async (at: number) => {
      time = at
      work.retry(indexer)
      await work.finished()
    },
    lack: () => {
      isWhole = false
    },
  }
}

const fine = async () => ({ embedder: "ollama m", failure: null })
const broken = async () => ({ embedder: null, failure: { message: "refused", hint: null } })

test("embeds new files after a run and checks for another embedder once a minute", async () => {
  const { calls, follow, lack } = working(fine)
  for (const at of [0, 1_000, 59_999, 60_000]) await follow(at)
  expect(calls).toEqual([0, 60_000])
  lack()
  await follow(60_001)
  expect(calls).toEqual([0, 60_000, 60_001])
})

test("retries after half a minute without waiting for a run", async () => {
  const { calls, follow, retry, lack } = working(broken, fine)
  lack()
  await follow(0)
  await follow(10)
  for (const at of [29_999, 30_000, 60_000]) await retry(at)
  expect(calls).toEqual([0, 30_000])
})

test("survives any error", async () => {
  const failing = async () => {
    throw new AmanError("INTERRUPTED", "interrupted")
  }
  const { calls, follow, retry } = working(failing, fine)
  await follow(0)
  await retry(30_000)
  expect(calls).toEqual([0, 30_000])
})
