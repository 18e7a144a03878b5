import { expect, test } from "bun:test"
import { AmanError } from "../../base/errors.ts"
import type { ConfiguredOutcome } from "./build-configured-space.ts"
import { embeddingJob } from "./index-updater.ts"
import type { Indexer } from "./indexer.ts"

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
