import { expect, test } from "bun:test"
import { MemoryRelease } from "./release-memory.ts"

/** A process whose memory and clock a test moves; a collection takes 30 ms and leaves 50 MB. */
function processOf(residentMb: number, ownMb: number) {
  const state = { residentMb, ownMb, nowMs: 1_000, collections: 0, releases: 0 }
  const release = new MemoryRelease({
    residentBytes: () => state.residentMb * 1e6,
    ownBytes: () => state.ownMb * 1e6,
    collect: () => {
      state.collections++
      state.ownMb = 50
      state.nowMs += 30
    },
    releasePages: () => state.releases++,
    nowMs: () => state.nowMs,
  })
  return { state, release }
}

test("garbage is collected each time the server has grown by some megabytes of its own, and not for less", () => {
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

test("what a pause let go of is not left to lie as garbage after it", () => {
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

test("who asks without a pause waits for it a tenth of the time at most", () => {
  const { state, release } = processOf(110, 60)
  release.afterAnswer()
  Object.assign(state, { nowMs: 1_000 + 299, ownMb: 90 })
  release.afterAnswer()
  expect(state.releases).toBe(1)
  state.nowMs = 1_000 + 301
  release.afterAnswer()
  expect(state).toMatchObject({ collections: 2, releases: 2 })
})

test("a small server needs none of it, and of a large one it would be a small part", () => {
  for (const residentMb of [79, 201]) {
    const { state, release } = processOf(residentMb, 60)
    release.afterAnswer()
    expect(state).toMatchObject({ collections: 0, releases: 0 })
  }
})
