// RE2JS takes about 1 ms for each class of Unicode that a repetition copies, 0.05 ms for any other instruction.
const UNICODE_CLASS_SIZE = 10

/** A quoted text, a class in brackets, a named class, another escape, a repetition, the opening of a group, a character. */
const PIECES =
  /\\Q(.*?)(?:\\E|$)|\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]?|\\(?:[pP](?:\{[^}]*\}|.)|.)|(\{\d+(?:,\d*)?\})|(\(\?[^():]*:|\(\?P?<[^>]*>|\()|./gsu

type Group = {
  /** Size of all pieces before the last one. */
  size: number
  /** Size of the last piece, which a repetition multiplies. */
  last: number
}

/**
 * Estimated number of instructions that a regular expression of RE2's syntax compiles to, Unicode classes counted
 * tenfold. Compiling can take minutes and gigabytes, so only the text is read, in time linear in its length.
 */
export function patternSize(pattern: string): number {
  const open: Group[] = [{ size: 0, last: 0 }]
  for (const [piece, quoted, repetition, opening] of pattern.matchAll(PIECES)) {
    const group = open.at(-1)!
    if (repetition !== undefined) group.last *= copiesOf(repetition)
    else if (opening !== undefined) open.push({ size: 0, last: 0 })
    else if (piece === ")" && open.length > 1) {
      open.pop()
      // An empty group is compiled to an instruction that does nothing.
      append(open.at(-1)!, Math.max(1, group.size + group.last) + 1)
    } else append(group, sizeOf(piece, quoted))
  }
  return open.reduce((sum, { size, last }) => sum + size + last, 0)
}

function sizeOf(piece: string, quoted: string | undefined): number {
  if (quoted !== undefined) return quoted.length
  return /^[[\\]/.test(piece) && isLargeClass(piece) ? UNICODE_CLASS_SIZE : 1
}

function append(group: Group, size: number): void {
  group.size += group.last
  group.last = size
}

/** Number of copies that a repetition compiles to: `x{2,5}` gives five, `x{3,}` three and one more. */
function copiesOf(repetition: string): number {
  const [, min = "", comma, max = ""] = /^\{(\d+)(,?)(\d*)\}$/.exec(repetition)!
  const copies = comma === "" ? Number(min) : max === "" ? Number(min) + 1 : Number(max)
  return Math.max(1, copies)
}

/**
 * True for a piece that becomes a large class: `\w`, `\d` and `\s` mean their Unicode classes, and ranges
 * beyond ASCII grow where case is ignored.
 */
function isLargeClass(piece: string): boolean {
  return /\\[pPwWdDsSx]|[^\0-\x7f]/u.test(piece)
}
