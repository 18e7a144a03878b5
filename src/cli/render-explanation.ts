import type { Explanation } from "../app/answers.ts"
import type { Colors } from "./output.ts"
import { printableLine } from "./printable.ts"

const DIGITS = 3

/** Where the file stood in each channel, then every feature's share of the sum: the column adds up. */
export function explanationTable(score: number, { channels, features, sum }: Explanation, c: Colors): string {
  const found = Object.entries(channels).map(([name, rank]) => `${name} #${rank}`)
  const cells = features.map(({ name, value, weight, contribution }) => [
    printableLine(name),
    value.toFixed(DIGITS),
    weight.toFixed(DIGITS),
    signed(contribution),
  ])
  const rows = [["feature", "value", "weight", "share"], ...cells]
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]!.length)))
  const lines = rows.map(
    (row) => `  ${row.map((cell, column) => pad(cell, widths[column]!, column)).join("  ")}`,
  )
  const total = widths.reduce((all, width) => all + width, 3 * 2)
  return [
    `  ${c.dim("found by")} ${found.join(", ") || "no channel"}`,
    c.dim(lines[0]!),
    ...lines.slice(1),
    `  ${c.bold(`sum ${signed(sum).padStart(total - 4)}`)}  ${c.dim(`score ${score.toFixed(DIGITS)}`)}`,
  ].join("\n")
}

function pad(cell: string, width: number, column: number): string {
  return column === 0 ? cell.padEnd(width) : cell.padStart(width)
}

function signed(value: number): string {
  return `${value < 0 ? "-" : "+"}${Math.abs(value).toFixed(DIGITS)}`
}
