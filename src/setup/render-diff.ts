import { createTwoFilesPatch } from "diff"

const MAX_LINE_CHARACTERS = 160
/** Pattern for values of keys, tokens and passwords, which settings files of other tools may contain. */
const SECRET =
  /((?:key|token|secret|password|passwd|authorization|bearer)[\w-]*["']?\s*[:=]\s*["'])[^"']{6,}/gi

/** A change as a diff like that of `diff -u`. Long lines are cut, and values that look like secrets are hidden. */
export function renderDiff(file: string, before: string | null, after: string | null): string {
  const from = before === null ? "/dev/null" : file
  const to = after === null ? "/dev/null" : file
  const patch = createTwoFilesPatch(from, to, before ?? "", after ?? "", undefined, undefined, { context: 2 })
  const lines = patch.slice(patch.indexOf("--- ")).trimEnd().split("\n")
  // Lines are cut before secrets are hidden, because one line may contain megabytes.
  return lines.map((line) => cut(line.replace(/\r$/, "")).replace(SECRET, "$1…")).join("\n")
}

function cut(line: string): string {
  return line.length <= MAX_LINE_CHARACTERS ? line : `${line.slice(0, MAX_LINE_CHARACTERS)}…`
}
