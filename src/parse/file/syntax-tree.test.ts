import { expect, test } from "bun:test"
import { workLimit } from "./syntax-tree.ts"

test("counts processor time, and not time in which the thread was idle", () => {
  const isOver = workLimit(50)
  Bun.sleepSync(200)
  expect(isOver()).toBeFalse()
  const start = performance.now()
  while (!isOver() && performance.now() - start < 10_000);
  expect(isOver()).toBeTrue()
})

test("counts elapsed time where the runtime cannot measure a thread's processor time", () => {
  const tell = process.threadCpuUsage
  try {
    Object.assign(process, { threadCpuUsage: undefined })
    const isOver = workLimit(50)
    expect(isOver()).toBeFalse()
    Bun.sleepSync(60)
    expect(isOver()).toBeTrue()
  } finally {
    Object.assign(process, { threadCpuUsage: tell })
  }
})
