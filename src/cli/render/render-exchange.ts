import type { ExportAnswer } from "../../app/symbols/exact-export.ts"
import type { ImportAnswer } from "../../app/symbols/exact-import.ts"
import { printableLine } from "./printable.ts"

/** The result of an import: what was taken, and what was left out and why. */
export function renderImport({ tool, files, places, left_out, total }: ImportAnswer): string {
  const from = tool === "" ? "" : ` from ${printableLine(tool)}`
  const lines = [`imported ${count(places, "place")} in ${count(files, "file")}${from}`]
  for (const { reason, files: number, paths } of left_out) {
    const more = number > paths.length ? ", …" : ""
    lines.push(
      `left out ${count(number, "file")}, ${REASONS[reason]}: ${paths.map(printableLine).join(", ")}${more}`,
    )
  }
  if (total.files !== files)
    lines.push(`all imports: ${count(total.places, "place")} in ${count(total.files, "file")}`)
  return `${lines.join("\n")}\n`
}

const REASONS: Readonly<Record<ImportAnswer["left_out"][number]["reason"], string>> = {
  outside: "whose paths lead out of the project",
  "not indexed": "which aman does not index",
  changed: "which have changed since they were indexed",
}

export function renderExport({ file, documents, symbols, uses, left_out }: ExportAnswer): string {
  const rest = left_out === 0 ? "" : `; left out ${count(left_out, "use")} that are not certain`
  return `wrote ${count(symbols, "symbol")} and ${count(uses, "use")} of ${count(documents, "file")} to ${printableLine(file)}${rest}\n`
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? "" : "s"}`
}
