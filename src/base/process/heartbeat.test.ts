import { expect, test } from "bun:test"
import { everyHalfSecond } from "./heartbeat.ts"

test("calls all registered functions in one tick until they are disposed", async () => {
  const calls: string[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  const first = everyHalfSecond(() => calls.push("first"))
  using second = everyHalfSecond(() => {
    calls.push("second")
    first[Symbol.dispose]()
    if (calls.length === 3) resolve()
  })
  // Keeps the test running, which a timer that is not referenced does not do.
  const alive = setInterval(() => {}, 1000)
  await promise
  clearInterval(alive)
  expect(second).toBeDefined()
  expect(calls).toEqual(["first", "second", "second"])
})
