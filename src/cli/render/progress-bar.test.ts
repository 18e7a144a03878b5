import { expect, test } from "bun:test"
import picocolors from "picocolors"
import type { IndexProgress } from "../../app/answers.ts"
import { openProgressBar } from "./progress-bar.ts"

const QUARTER: IndexProgress = { phase: "parse", done: 25, total: 100 }
const CLEARED = "\x1b[1G\x1b[2K"

test("draws the bar between the phase and the percentage, and erases it at the end", () => {
  const { bar, written } = open(QUARTER, 100)
  expect(Bun.stripANSI(written())).toContain("Reading  ██████░░░░░░░░░░░░░░░░░░  25/100 files  25 %")
  bar.update({ phase: "parse", done: 50, total: 100 }, 100)
  bar.close()
  expect(Bun.stripANSI(written())).toContain(
    "Reading  ████████████░░░░░░░░░░░░  50/100 files  50 %  100 files/s  1.0 s left",
  )
  expect(written()).toEndWith(CLEARED)
})

test.each([120, 80, 60, 40, 20, 5])("keeps the line within %d columns", (columns) => {
  const { bar, written } = open(QUARTER, columns)
  bar.update({ phase: "parse", done: 1_234_567, total: 7_654_321 }, 12_345)
  bar.close()
  const lines = Bun.stripANSI(
    written().replaceAll("\x1b7", "").replaceAll("\x1b8", "").replaceAll("\x1b[1G", "\n"),
  )
  for (const line of lines.split("\n")) expect(line.length).toBeLessThan(columns)
  // The bar neither turns line wrapping off nor hides the cursor.
  expect(written()).not.toContain("\x1b[?")
})

test("draws no bar when the total is unknown", () => {
  const { bar, written } = open({ phase: "scan", done: 70, total: 0 }, 80)
  bar.close()
  expect(written()).toContain("Scanning files  70 files")
  expect(written()).not.toContain("░")
})

function open(progress: IndexProgress, columns: number) {
  let written = ""
  const output = {
    remark: (text: string) => {
      written += text
    },
    remarkColumns: columns,
    remarkColors: picocolors.createColors(true),
  }
  return { bar: openProgressBar(output, progress), written: () => written }
}
