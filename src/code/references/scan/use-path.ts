import { backOverSpace } from "../name-chars.ts"
import type { Use } from "../use-code.ts"
import { extended, type ValuePath } from "../value-path.ts"
import { expectedAt } from "./use-frames.ts"
import { genericEnd, isTag } from "./use-roles.ts"
import type { PrecedingWord, UseScan } from "./use-scan.ts"

const [BRACE, COMMA, EQUALS, COLON] = [123, 44, 61, 58]

/** The path of the value before the dot; null if the path is only the qualifier itself. */
export function pathBefore(scan: UseScan, valueEnd: number, qualifier: string): ValuePath | null {
  const path = scan.pathEnd === valueEnd ? scan.path : null
  return path === qualifier || qualifier === "super" ? null : path
}

/** Sets `scan.path` to the path of the name that was just read, because a member or call may follow. */
export function passName(
  scan: UseScan,
  word: string,
  start: number,
  end: number,
  before: PrecedingWord,
  at: number,
): void {
  const base = at >= 0 && scan.pathEnd === at ? scan.path : null
  if (at >= 0) {
    const isMade = base !== null && base.charCodeAt(0) === COLON && scan.text[at - 1] !== ")"
    const path = isMade ? `:${word}` : extended(base, `.${word}`)
    setPath(scan, path ?? `?.${word}`, base === null ? start : scan.pathStart, end)
  } else {
    const isMade =
      before.word === "new" && scan.reserved.has("new") && before.end === backOverSpace(scan.text, start)
    setPath(scan, isMade ? `:${word}` : (scan.aliases.get(word) ?? word), start, end)
  }
}

export function setPath(scan: UseScan, path: ValuePath | null, start: number, end: number): void {
  scan.path = path
  scan.pathStart = start
  scan.pathEnd = end
}

/**
 * Called after a name. If a call with type arguments follows (`open<Row>(`), stores it in `scan.generic`; if the name
 * begins a markup element, stores the path of the element's properties.
 */
export function passCall(scan: UseScan, start: number, end: number): void {
  const { text, path, pathStart, open } = scan
  const behind = genericEnd(text, end)
  if (behind >= 0) scan.generic = { path, start: pathStart, at: behind - 1 }
  const frame = open.at(-1)
  if (frame && isTag(text, scan.language, start))
    frame.tag = /^\p{Lu}/u.test(path ?? "") ? extended(path, "@0") : null
}

/** Makes the word that was just read the key of the value after the colon. Returns the path of the object literal. */
export function passKey({ open, word }: UseScan): ValuePath | null {
  const frame = open.at(-1)
  if (!frame) return null
  frame.key = word
  return frame.expected
}

const ARROW = /\s*=>/y

/**
 * The path of a parameter such as `each` in `each => …`, which follows from the type that the context expects for the
 * function. Null if the name is not such a parameter.
 */
export function arrowParameter(scan: UseScan, start: number, end: number): ValuePath | null {
  if (!scan.hasContexts || scan.text.charCodeAt(end + 1) !== EQUALS) return null
  ARROW.lastIndex = end
  if (!ARROW.test(scan.text)) return null
  const expected = expectedAt(scan, backOverSpace(scan.text, start))
  scan.arrow = expected
  return extended(expected, "@0")
}

/** The path of the properties that a component accepts, for `<Button label={…}`; `label` is one of these properties. */
export function attributeOf({ text, open }: UseScan, end: number): ValuePath | null {
  const tag = open.at(-1)?.tag ?? null
  if (tag === null || text.charCodeAt(end) !== EQUALS) return null
  const next = text.charCodeAt(end + 1)
  return next === BRACE || next === 34 || next === 39 ? tag : null
}

/**
 * The path of the expected type of an object literal with `{ name }`, because the name is then also a member of that
 * type.
 */
export function shorthandOf(
  { text, open }: UseScan,
  { flags }: Use,
  start: number,
  next: number,
): ValuePath | null {
  const frame = open.at(-1)
  if (!frame || frame.code !== BRACE || frame.isPattern || frame.expected === null || flags !== 0) return null
  if (next !== COMMA && next !== 125) return null
  const previous = text.charCodeAt(backOverSpace(text, start) - 1)
  return previous === BRACE || previous === COMMA ? frame.expected : null
}
