import { expect, test } from "bun:test"
import { MemoryRelease } from "./release-memory.ts"

/** A process whose memory and clock the test sets; a collection takes 30 ms and leaves `leftMb`. */
function processOf(residentMb: number, ownMb: number, leftMb = 50) {
  const state = { residentMb, ownMb, nowMs: 1_000, collections: 0, releases: 0 }
  const release = new MemoryRelease({
    residentBytes: () => state.residentMb * 1e6,
    ownBytes: () => state.ownMb * 1e6,
    collect: () => {
      state.collections++
      state.ownMb = leftMb
      state.nowMs += 30
    },
    releasePages: () => state.releases++,
    nowMs: () => state.nowMs,
  })
  return { state, release }
}

test("collects garbage when private memory has grown by more than the limit, and not for less", () => {
  const { state, release } = processOf(110, 60)
  release.afterAnswer()
  expect(state).toMatchObject({ collections: 1, releases: 1 })
  Object.assign(state, { nowMs: 2_000, ownMb: 57 })
  release.afterAnswer()
  expect(state).toMatchObject({ collections: 1, releases: 2 })
  Object.assign(state, { nowMs: 3_000, ownMb: 59 })
  release.afterAnswer()
  expect(state).toMatchObject({ collections: 2, releases: 3 })
})

test("measures growth from the lowest private memory, which a pause may have reached", () => {
  const { state, release } = processOf(110, 60)
  release.afterAnswer()
  Object.assign(state, { nowMs: 20_000, residentMb: 70, ownMb: 30 })
  release.afterAnswer()
  Object.assign(state, { nowMs: 21_000, residentMb: 90, ownMb: 37 })
  release.afterAnswer()
  expect(state.collections).toBe(1)
  Object.assign(state, { nowMs: 22_000, ownMb: 39 })
  release.afterAnswer()
  expect(state.collections).toBe(2)
})

test("spends at most a tenth of the time on releasing memory under constant load", () => {
  const { state, release } = processOf(110, 60)
  release.afterAnswer()
  Object.assign(state, { nowMs: 1_000 + 299, ownMb: 90 })
  release.afterAnswer()
  expect(state.releases).toBe(1)
  state.nowMs = 1_000 + 301
  release.afterAnswer()
  expect(state).toMatchObject({ collections: 2, releases: 2 })
})

test("collects in a process above 200 MB, but releases no pages", () => {
  const { state, release } = processOf(220, 60)
  release.afterAnswer()
  expect(state).toMatchObject({ collections: 1, releases: 0 })
})

test("lets private memory grow by an eighth of what is in use, if that is more than the limit", () => {
  const { state, release } = processOf(220, 180, 160)
  release.afterAnswer()
  Object.assign(state, { nowMs: 2_000, ownMb: 179 })
  release.afterAnswer()
  expect(state.collections).toBe(1)
  Object.assign(state, { nowMs: 3_000, ownMb: 181 })
  release.afterAnswer()
  expect(state.collections).toBe(2)
})

test("does nothing for a small process, and collects in one of any other size", () => {
  for (const [residentMb, collections] of [
    [79, 0],
    [600, 1],
  ] as const) {
    const { state, release } = processOf(residentMb, 60)
    release.afterAnswer()
    expect(state).toMatchObject({ collections, releases: 0 })
  }
})
