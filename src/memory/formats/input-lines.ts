import { AmanError } from "../../base/index.ts"

/** A non-blank line and its number, from 1. */
export type InputLine = { readonly number: number; readonly text: string }

/** The non-blank lines of a text. */
export function linesIn(text: string): InputLine[] {
  const lines = (text.startsWith("\ufeff") ? text.slice(1) : text).split("\n")
  return lines.flatMap((line, index) =>
    line.trim() === "" ? [] : [{ number: index + 1, text: line.replace(/\r$/, "") }],
  )
}

/** A line that cannot be read, and why. */
export type BadLine = { readonly line: number; readonly message: string }

const MAX_LISTED = 10

/** A USAGE error with the first bad lines. `isSkippable`: false for notes, whose lines --skip-bad cannot skip. */
export function badLines(file: string, bad: readonly BadLine[], isSkippable = true): AmanError {
  const shown = bad.slice(0, MAX_LISTED).map(({ line, message }) => `\n  line ${line}: ${message}`)
  const more = bad.length > MAX_LISTED ? `\n  and ${bad.length - MAX_LISTED} more` : ""
  const count = bad.length === 1 ? "a line" : `${bad.length} lines`
  return new AmanError("USAGE", `${file}: ${count} cannot be read:${shown.join("")}${more}`, {
    hint: `nothing was stored; repair those lines${isSkippable ? ", or skip them with --skip-bad" : ""}`,
  })
}
