import { expect, test } from "bun:test"
import type { IndexProgress } from "../../base/answers.ts"
import { colorsIf } from "./output.ts"
import { openProgressBar, progressText, reportProgress, Speed } from "./progress.ts"

test("draws a bar on a terminal, but not for a run that ends before the delay", () => {
  const { reporter, written, clock } = start({ isTerminal: true })
  reporter.update({ phase: "parse", done: 0, total: 100 })
  clock.now = 150
  reporter.update({ phase: "parse", done: 10, total: 100 })
  expect(written).toEqual([])
  clock.now = 250
  reporter.update({ phase: "parse", done: 25, total: 100 })
  expect(written.join("")).toContain("Reading  ██████░░░░░░░░░░░░░░░░░░  25/100 files  25 %")
  reporter.done()
})

test.each([{ isTerminal: false }, { isTerminal: true, verbose: true }])(
  "prints one line a second without a terminal (%p), and nothing for a shorter run",
  (surroundings) => {
    const { reporter, written, clock } = start(surroundings)
    for (let time = 0; time <= 3000; time += 50) {
      clock.now = time
      reporter.update({ phase: "parse", done: time, total: 10_000 })
    }
    reporter.done()
    expect(written).toHaveLength(3)
    expect(written[2]).toBe("Reading  3,000/10,000 files  30 %  1,000 files/s  7.0 s left\n")
  },
)

test("prints nothing with --quiet", () => {
  const { reporter, written, clock } = start({ isTerminal: true, quiet: true })
  clock.now = 10_000
  reporter.update({ phase: "parse", done: 1, total: 2 })
  reporter.done()
  expect(written).toEqual([])
})

function start({ isTerminal = false, quiet = false, verbose = false }) {
  const written: string[] = []
  const clock = { now: 0 }
  const output = {
    remark: (text: string) => void written.push(text),
    isRemarkTerminal: isTerminal,
    remarkColumns: 100,
    remarkColors: colorsIf(false),
  }
  return { reporter: reportProgress(output, { quiet, verbose }, () => clock.now), written, clock }
}

const QUARTER: IndexProgress = { phase: "parse", done: 25, total: 100 }
const CLEARED = "\x1b[1G\x1b[2K"

test("draws the bar between the phase and the percentage, and erases it at the end", () => {
  const { bar, written } = openBar(QUARTER, 100)
  expect(Bun.stripANSI(written())).toContain("Reading  ██████░░░░░░░░░░░░░░░░░░  25/100 files  25 %")
  bar.update({ phase: "parse", done: 50, total: 100 }, 100, 200)
  bar.close()
  expect(Bun.stripANSI(written())).toContain(
    "Reading  ████████████░░░░░░░░░░░░  50/100 files  50 %  100 files/s  1.0 s left",
  )
  expect(written()).toEndWith(CLEARED)
})

test.each([120, 80, 60, 40, 20, 5])("keeps the line within %d columns", (columns) => {
  const { bar, written } = openBar(QUARTER, columns)
  bar.update({ phase: "parse", done: 1_234_567, total: 7_654_321 }, 12_345, 200)
  bar.close()
  const lines = Bun.stripANSI(
    written().replaceAll("\x1b7", "").replaceAll("\x1b8", "").replaceAll("\x1b[1G", "\n"),
  )
  for (const line of lines.split("\n")) expect(line.length).toBeLessThan(columns)
  // The bar neither turns line wrapping off nor hides the cursor.
  expect(written()).not.toContain("\x1b[?")
})

test("draws no bar when the total is unknown", () => {
  const { bar, written } = openBar({ phase: "scan", done: 70, total: 0 }, 80)
  bar.close()
  expect(written()).toContain("Scanning files  70 files")
  expect(written()).not.toContain("░")
})

function openBar(progress: IndexProgress, columns: number) {
  let written = ""
  const output = {
    remark: (text: string) => {
      written += text
    },
    remarkColumns: columns,
    remarkColors: colorsIf(true),
  }
  const bar = openProgressBar(output)
  bar.update(progress, 0, 0)
  return { bar, written: () => written }
}

test("reports share, speed and remaining time in one line", () => {
  expect(progressText({ phase: "parse", done: 1200, total: 5000 }, 400)).toBe(
    "Reading  1,200/5,000 files  24 %  400 files/s  9.5 s left",
  )
  expect(progressText({ phase: "scan", done: 70, total: 0 }, 0)).toBe("Scanning files  70 files")
  expect(progressText({ phase: "embed", done: 9, total: 9 }, 100)).toBe(
    "Embedding  9/9 files  100 %  100 files/s",
  )
})

test("computes the speed from the last seconds of the current phase", () => {
  const speed = new Speed()
  const measure = (done: number, seconds: number) =>
    speed.measure({ phase: "parse", done, total: 9000 }, seconds * 1000)
  expect(measure(0, 0)).toBe(0)
  for (let second = 1; second <= 10; second++) measure(100 * second, second)
  expect(measure(1000 + 700, 11)).toBeGreaterThan(150)
  expect(speed.measure({ phase: "embed", done: 0, total: 10 }, 12_000)).toBe(0)
})
