import { afterEach, beforeEach, expect, jest, test } from "bun:test"
import { RunningCalls } from "./server.ts"

beforeEach(() => jest.useFakeTimers())
afterEach(() => jest.useRealTimers())

test("calls onPause a second and onRest a minute after the last running call was answered", async () => {
  let rests = 0
  let pauses = 0
  let answered = 0
  const calls = new RunningCalls({
    onAnswered: () => answered++,
    onPause: () => pauses++,
    onRest: () => rests++,
  })
  const answer = Promise.withResolvers<void>()
  const slow = calls.track(answer.promise)
  await calls.track(Promise.resolve())
  jest.advanceTimersByTime(120_000)
  expect([answered, pauses, rests]).toEqual([0, 0, 0])

  answer.resolve()
  await slow
  jest.advanceTimersByTime(900)
  expect([answered, pauses]).toEqual([1, 0])
  jest.advanceTimersByTime(59_000)
  await calls.track(Promise.resolve())
  jest.advanceTimersByTime(59_000)
  expect([pauses, rests]).toEqual([2, 0])
  jest.advanceTimersByTime(120_000)
  expect([pauses, rests]).toEqual([2, 1])
})
