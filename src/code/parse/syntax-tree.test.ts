import { expect, test } from "bun:test"
import { workLimit } from "./syntax-tree.ts"

test("time in which nothing was done counts for nothing, work does", () => {
  const isOver = workLimit(50)
  Bun.sleepSync(200)
  expect(isOver()).toBeFalse()
  const start = performance.now()
  while (!isOver() && performance.now() - start < 10_000);
  expect(isOver()).toBeTrue()
})

test("where the runtime cannot tell how long a thread worked, the clock counts", () => {
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
