import { afterEach, beforeEach, expect, jest, test } from "bun:test"
import { RunningCalls } from "./server.ts"

beforeEach(() => jest.useFakeTimers())
afterEach(() => jest.useRealTimers())

test("calls onPause a second, onIdle eight seconds and onRest a minute after the last running call was answered", async () => {
  let rests = 0
  let idles = 0
  let pauses = 0
  let answered = 0
  const calls = new RunningCalls({
    onAnswered: () => answered++,
    onPause: () => pauses++,
    onIdle: () => idles++,
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
  jest.advanceTimersByTime(7_000)
  expect([pauses, idles]).toEqual([1, 0])
  jest.advanceTimersByTime(52_000)
  expect(idles).toBe(1)
  await calls.track(Promise.resolve())
  jest.advanceTimersByTime(59_000)
  expect([pauses, rests]).toEqual([2, 0])
  jest.advanceTimersByTime(120_000)
  expect([pauses, rests]).toEqual([2, 1])
})
