import type { TextLines } from "../text-lines.ts"

/** The brackets of a text, as offsets. */
export type Brackets = {
  /** Offset of the closing bracket by that of the opening one. An opening bracket that is not closed is absent. */
  readonly closeOf: ReadonlyMap<number, number>
  /** Number of brackets that are open at the start of each row. */
  readonly depths: Uint16Array
}

const PARTNER: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" }
const MAX_DEPTH = 0xffff

/**
 * Matches brackets. A closing brace also closes all brackets that are open inside its block. Any other closing bracket
 * closes the innermost open bracket if that is of the same kind, and otherwise none.
 */
export function matchBrackets(code: string, { starts, count }: TextLines): Brackets {
  const closeOf = new Map<number, number>()
  const depths = new Uint16Array(count)
  const open: OpenBrackets = { at: [], braces: 0 }
  let row = 0
  for (const { index, 0: bracket } of code.matchAll(/[()[\]{}]/g)) {
    while (row < count && starts[row]! <= index) depths[row++] = Math.min(open.at.length, MAX_DEPTH)
    const opened = matchBracket(bracket, index, open, code)
    if (opened !== undefined) closeOf.set(opened, index)
  }
  while (row < count) depths[row++] = Math.min(open.at.length, MAX_DEPTH)
  return { closeOf, depths }
}

type OpenBrackets = { readonly at: number[]; braces: number }

/** Offset of the opening bracket that this bracket closes; undefined if it closes none. */
function matchBracket(bracket: string, index: number, open: OpenBrackets, code: string): number | undefined {
  const partner = PARTNER[bracket]
  if (partner === undefined) {
    open.at.push(index)
    if (bracket === "{") open.braces++
    return undefined
  }
  if (bracket === "}" && open.braces > 0) {
    while (code[open.at.at(-1)!] !== "{") open.at.pop()
    open.braces--
  }
  return code[open.at.at(-1) ?? -1] === partner ? open.at.pop() : undefined
}
