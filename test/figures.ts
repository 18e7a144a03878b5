import { appendFileSync } from "node:fs"

/**
 * Appends the figures of a long test to the file that the soak prints as a table; does nothing in a usual
 * run.
 */
export function noteFigures(part: string, figures: Readonly<Record<string, number | string>>): void {
  const file = process.env["AMAN_TEST_FIGURES"]
  if (file) appendFileSync(file, `${JSON.stringify({ part, ...figures })}\n`)
}
