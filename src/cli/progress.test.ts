import { expect, test } from "bun:test"
import picocolors from "picocolors"
import type { Output } from "./output.ts"
import { progressText, reportProgress } from "./progress.ts"

test("a line says how far, how fast and how long still", () => {
  expect(progressText({ phase: "parse", done: 1200, total: 5000 }, 400)).toBe(
    "Reading  1,200/5,000 files  24 %  400 files/s  9.5 s left",
  )
  expect(progressText({ phase: "scan", done: 70, total: 0 }, 0)).toBe("Looking for files  70 files")
  expect(progressText({ phase: "embed", done: 9, total: 9 }, 100)).toBe(
    "Embedding  9/9 chunks  100 %  100 chunks/s",
  )
})

test("on a terminal there is a bar, which is removed at the end", () => {
  const { reporter, written, clock } = start(true)
  for (const [time, done] of [
    [0, 0],
    [100, 10],
    [250, 25],
    [260, 26],
    [400, 40],
  ] as const) {
    clock.now = time
    reporter.update({ phase: "parse", done, total: 100 })
  }
  reporter.done()
  expect(written).toEqual([
    "\r\x1b[2KReading  ██████░░░░░░░░░░░░░░░░░░  25/100 files  25 %  100 files/s  1.0 s left",
    "\r\x1b[2KReading  ██████████░░░░░░░░░░░░░░  40/100 files  40 %  100 files/s  1.0 s left",
    "\r\x1b[2K",
  ])
})

test("elsewhere there is a line a second, and nothing for what is over sooner", () => {
  const { reporter, written, clock } = start(false)
  for (let time = 0; time <= 3000; time += 50) {
    clock.now = time
    reporter.update({ phase: "parse", done: time, total: 10_000 })
  }
  reporter.done()
  expect(written).toHaveLength(3)
  expect(written[2]).toBe("Reading  3,000/10,000 files  30 %  1,000 files/s  7.0 s left\n")
})

test("--quiet is silent", () => {
  const { reporter, written, clock } = start(true, true)
  clock.now = 10_000
  reporter.update({ phase: "parse", done: 1, total: 2 })
  reporter.done()
  expect(written).toEqual([])
})

function start(isTerminal: boolean, quiet = false) {
  const written: string[] = []
  const clock = { now: 0 }
  const output: Pick<Output, "remark" | "isRemarkTerminal" | "remarkColors"> = {
    remark: (text) => void written.push(text),
    isRemarkTerminal: isTerminal,
    remarkColors: picocolors.createColors(false),
  }
  return { reporter: reportProgress(output, quiet, () => clock.now), written, clock }
}
