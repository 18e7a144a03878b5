import { appendFileSync } from "node:fs"

/** What a long test found, for the table that the soak prints; nothing in a usual run. */
export function noteFigures(part: string, figures: Readonly<Record<string, number | string>>): void {
  const file = process.env["AMAN_TEST_FIGURES"]
  if (file) appendFileSync(file, `${JSON.stringify({ part, ...figures })}\n`)
}
