import { afterEach, beforeEach, expect, jest, test } from "bun:test"
import { Calls } from "./calls.ts"

beforeEach(() => jest.useFakeTimers())
afterEach(() => jest.useRealTimers())

test("rests once, a minute after the last of its calls is answered", async () => {
  let rests = 0
  const calls = new Calls(() => rests++)
  const answer = Promise.withResolvers<void>()
  const slow = calls.track(answer.promise)
  await calls.track(Promise.resolve())
  jest.advanceTimersByTime(120_000)
  expect(rests).toBe(0)

  answer.resolve()
  await slow
  jest.advanceTimersByTime(59_000)
  await calls.track(Promise.resolve())
  jest.advanceTimersByTime(59_000)
  expect(rests).toBe(0)
  jest.advanceTimersByTime(120_000)
  expect(rests).toBe(1)
})
