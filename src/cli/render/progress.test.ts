import { expect, test } from "bun:test"
import picocolors from "picocolors"
import { reportProgress } from "./progress.ts"

test("draws a bar on a terminal, but not for a run that ends before the delay", async () => {
  const { reporter, written, clock } = start({ isTerminal: true })
  reporter.update({ phase: "parse", done: 0, total: 100 })
  clock.now = 150
  reporter.update({ phase: "parse", done: 10, total: 100 })
  await loaded()
  expect(written).toEqual([])
  clock.now = 250
  reporter.update({ phase: "parse", done: 25, total: 100 })
  await loaded()
  expect(written.join("")).toContain("Reading  ██████░░░░░░░░░░░░░░░░░░  25/100 files  25 %")
  reporter.done()
})

test("does not draw a bar whose module was still loading at the end", async () => {
  const { reporter, written, clock } = start({ isTerminal: true })
  clock.now = 250
  reporter.update({ phase: "parse", done: 25, total: 100 })
  reporter.done()
  await loaded()
  expect(written).toEqual([])
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

test("prints nothing with --quiet", async () => {
  const { reporter, written, clock } = start({ isTerminal: true, quiet: true })
  clock.now = 10_000
  reporter.update({ phase: "parse", done: 1, total: 2 })
  await loaded()
  reporter.done()
  expect(written).toEqual([])
})

/** Resolves when the bar's code is loaded and the reporter that waited for it has continued. */
async function loaded(): Promise<void> {
  await import("./progress-bar.ts")
  await Bun.sleep(0)
}

function start({ isTerminal = false, quiet = false, verbose = false }) {
  const written: string[] = []
  const clock = { now: 0 }
  const output = {
    remark: (text: string) => void written.push(text),
    isRemarkTerminal: isTerminal,
    remarkColumns: 100,
    remarkColors: picocolors.createColors(false),
  }
  return { reporter: reportProgress(output, { quiet, verbose }, () => clock.now), written, clock }
}
