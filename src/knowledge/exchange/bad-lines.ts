import { AmanError } from "../../base/errors.ts"

/** What is wrong with a line of a file. */
export type BadLine = { readonly line: number; readonly message: string }

const SHOWN = 10

/** USAGE that names the first of them: nothing of the file was taken in. Of notes no line can be left out. */
export function badLines(file: string, bad: readonly BadLine[], isSkippable = true): AmanError {
  const shown = bad.slice(0, SHOWN).map(({ line, message }) => `\n  line ${line}: ${message}`)
  const more = bad.length > SHOWN ? `\n  and ${bad.length - SHOWN} more` : ""
  const count = bad.length === 1 ? "a line" : `${bad.length} lines`
  return new AmanError("USAGE", `${file}: ${count} cannot be read:${shown.join("")}${more}`, {
    hint: `nothing was stored; mend those lines${isSkippable ? ", or leave them out with --skip-bad" : ""}`,
  })
}
