/**
 * Reads types as JSDoc writes them: `import("./shop").Shop`, `Array.<Shop>`, `{ open: Shop, size?: number }`,
 * `(shop: Shop) => void`. Every function reads its range once, from the left to the right.
 */

import { codesEnd, isClosing, isDigit, isNameCode, isOpening } from "./name-chars.ts"
import { pathOfType, type ValuePath } from "./value-path.ts"

/** A name in a type. `at` is a UTF-16 offset. */
export type DocName = {
  readonly name: string
  readonly at: number
  /** The module of `import("module").Name`; null if the name has no such module. */
  readonly module: string | null
  /** The name before the dot in `qualifier.name`; null if there is none. */
  readonly qualifier: string | null
}

/** A member of an object type. */
type DocMember = { readonly name: string; readonly at: number; readonly type: string }

const MAX_TYPE_CHARS = 4_000
const MAX_NAME_CHARS = 120
const MAX_MEMBERS = 200
/** Maximum length of a string in a type, and of a gap between two parts of a type. */
const MAX_GAP_CHARS = 300
/** Maximum length of a type that is stored as text. */
const MAX_TEXT_CHARS = 200
const [DOT, COLON, QUESTION, STAR, BRACE, PAREN, BACKSLASH] = [46, 58, 63, 42, 123, 40, 92]
const QUOTES: ReadonlySet<number> = new Set([34, 39, 96])

/** Words in a type that do not name a definition of a project. */
const PLAIN: ReadonlySet<string> = new Set(
  `import string number boolean bigint symbol any unknown never void null undefined object true false this function new typeof
  keyof infer extends is asserts in out readonly unique Array Object Promise Function String Number Boolean`.split(
    /\s+/,
  ),
)

/** Offset of the first character at or after `from` that is no white space and no `*` at the start of a line. */
export function skipBlank(text: string, from: number, stop: number): number {
  let isLineStart = false
  for (let at = from; at < stop; at++) {
    const code = text.charCodeAt(at)
    if (code === 10) isLineStart = true
    else if (code > 32 && !(isLineStart && code === STAR)) return at
  }
  return stop
}

/** The name that begins at `at`; null if there is none. */
export function wordAt(text: string, at: number, stop: number): Word | null {
  const code = at < stop ? text.charCodeAt(at) : 0
  if (!isNameCode(code, true) || isDigit(code)) return null
  const end = Math.min(codesEnd(text, at, true), stop)
  return end - at > MAX_NAME_CHARS ? null : { name: text.slice(at, end), at, end }
}

/** Offset of the `}` that closes the brace at `from`; -1 if there is none in the first MAX_TYPE_CHARS characters. */
export function typeEnd(text: string, from: number, stop: number): number {
  let depth = 0
  const limit = Math.min(stop, from + MAX_TYPE_CHARS)
  for (let at = from; at < limit; at++) {
    const code = text.charCodeAt(at)
    if (code === BRACE) depth++
    else if (code === 125 && --depth === 0) return at
    else if (QUOTES.has(code)) at = quoteEnd(text, at, code, limit)
  }
  return -1
}

/** Offset of the quote that ends the string at `from`; `from` itself if the string does not end on its line, or is too long. */
function quoteEnd(text: string, from: number, quote: number, stop: number): number {
  for (let at = from + 1; at < Math.min(stop, from + MAX_GAP_CHARS); at++) {
    const code = text.charCodeAt(at)
    if (code === BACKSLASH) at++
    else if (code === quote) return at
    else if (code === 10) return from
  }
  return from
}

/** A name with the offsets of its start and its end. */
export type Word = { readonly name: string; readonly at: number; readonly end: number }

/** The names that the type between two offsets uses. Keys of objects and names of parameters are no uses. */
export function namesInType(text: string, from: number, to: number): DocName[] {
  const names: DocName[] = []
  let module: string | null = null
  for (let at = from; at < to; at++) {
    const word = wordAt(text, at, to)
    if (word === null) {
      at = behindOther(text, at, to) - 1
      continue
    }
    at = word.end - 1
    const imported = word.name === "import" ? importedModule(text, word.end, to) : null
    if (imported !== null) at = imported.end - 1
    const name = imported === null ? namedBy(text, word, module, names.at(-1)) : null
    module = imported?.module ?? null
    if (name !== null && (name.qualifier !== null || name.module !== null || !isKeyAt(text, word, from, to)))
      names.push(name)
  }
  return names
}

/** What a word of a type names, after the module of an `import(…)` or the name before it; null for nothing. */
function namedBy(
  text: string,
  { name, at }: Word,
  module: string | null,
  last: DocName | undefined,
): DocName | null {
  const isMember = text.charCodeAt(at - 1) === DOT && text.charCodeAt(at - 2) !== DOT
  if (!isMember) return PLAIN.has(name) ? null : { name, at, module: null, qualifier: null }
  if (module !== null) return { name, at, module, qualifier: null }
  return last !== undefined && endsAt(last, at - 1) ? { name, at, module: null, qualifier: last.name } : null
}

/** The offset after a character that begins no name: after the string or the number that it begins, else after itself. */
function behindOther(text: string, at: number, to: number): number {
  const code = text.charCodeAt(at)
  if (QUOTES.has(code)) return quoteEnd(text, at, code, to) + 1
  return isNameCode(code, true) ? codesEnd(text, at, true) : at + 1
}

function endsAt({ name, at }: DocName, end: number): boolean {
  return at + name.length === end
}

/** The module in `("module")`, and the offset after the bracket. */
function importedModule(
  text: string,
  from: number,
  to: number,
): { readonly module: string; readonly end: number } | null {
  const open = skipBlank(text, from, to)
  if (text.charCodeAt(open) !== PAREN) return null
  const at = skipBlank(text, open + 1, to)
  const quote = text.charCodeAt(at)
  const end = QUOTES.has(quote) ? quoteEnd(text, at, quote, to) : at
  if (end === at) return null
  const closing = skipBlank(text, end + 1, to)
  return text[closing] === ")" ? { module: text.slice(at + 1, end), end: closing + 1 } : null
}

/**
 * True for the key of an object type and for the name of a parameter: `name:`, `name?:` or `name(` after a bracket, a
 * comma or a line break.
 */
function isKeyAt(text: string, { at, end }: Word, from: number, to: number): boolean {
  let next = skipBlank(text, end, to)
  if (text.charCodeAt(next) === QUESTION) next = skipBlank(text, next + 1, to)
  const sign = next < to ? text.charCodeAt(next) : 0
  if (sign !== COLON && sign !== PAREN) return false
  let before = at - 1
  while (before >= from && (text.charCodeAt(before) <= 32 || text.charCodeAt(before) === STAR)) before--
  return before < from || KEY_BEFORE.has(text[before]!) || text.slice(before, at).includes("\n")
}

const KEY_BEFORE: ReadonlySet<string> = new Set(["{", "(", "[", ",", ";", "."])

/** The members of the object type between two offsets; none for another type. */
export function membersOfType(text: string, from: number, to: number): DocMember[] {
  const open = skipBlank(text, from, to)
  if (text.charCodeAt(open) !== BRACE) return []
  const members: DocMember[] = []
  let start = open + 1
  for (let at = start; at < to && members.length < MAX_MEMBERS; at++) {
    const code = text.charCodeAt(at)
    if (isOpening(code) || QUOTES.has(code)) at = partEnd(text, at, to)
    else if (isClosing(code) || endsMember(text, at, to)) {
      const member = memberIn(text, start, at)
      if (member !== null) members.push(member)
      if (isClosing(code)) break
      start = at + 1
    }
  }
  return members
}

/** Offset of the bracket or quote that ends the part of a type that begins with one at `at`. */
function partEnd(text: string, from: number, to: number): number {
  let depth = 0
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at)
    if (QUOTES.has(code)) at = quoteEnd(text, at, code, to)
    else if (isOpening(code)) depth++
    else if (isClosing(code)) depth--
    if (depth <= 0) return at
  }
  return to
}

/** True for a comma, a semicolon, and a line break after which the type of a member does not go on. */
function endsMember(text: string, at: number, to: number): boolean {
  const char = text[at]
  return char === "," || char === ";" || (char === "\n" && !continues(text, at, to))
}

/** The member that is written between two offsets: `name: Type`, `name?: Type`, `name(a: Type): Type`. */
function memberIn(text: string, from: number, to: number): DocMember | null {
  let word = wordAt(text, skipBlank(text, from, to), to)
  if (word?.name === "readonly") word = wordAt(text, skipBlank(text, word.end, to), to)
  if (word === null) return null
  for (let at = word.end; at < to; at++) {
    const code = text.charCodeAt(at)
    if (isOpening(code)) at = partEnd(text, at, to)
    else if (code === COLON) return { name: word.name, at: word.at, type: typeText(text, at + 1, to) }
  }
  return null
}

/** True if the type of a member goes on after the line break at `at`. */
function continues(text: string, at: number, to: number): boolean {
  const next = text[skipBlank(text, at, Math.min(to, at + MAX_GAP_CHARS))]
  return next === "|" || next === "&" || next === "="
}

/** The type between two offsets as one line; "" if it is empty or too long. */
export function typeText(text: string, from: number, to: number): string {
  if (to - from > MAX_TYPE_CHARS) return ""
  const written = text
    .slice(from, to)
    .replace(/\n[ \t]*\*?/g, " ")
    .replace(/\.</g, "<")
    .replace(/\s+/g, " ")
    .trim()
    .replace(/^[?!]|=$/g, "")
  return written.length > MAX_TEXT_CHARS ? "" : written
}

/** The path of a value of the type `written`; null for functions and object types, which have no name. */
export function pathOfDocType(written: string): ValuePath | null {
  const plain = written.replace(IMPORTED, "")
  return plain === "" || /[{(]|=>|^function\b/.test(plain) ? null : pathOfType(plain)
}

/** Matches the module before a type: `import("./shop").`. */
const IMPORTED = /\bimport\((?:"[^"()]*"|'[^'()]*')\)\.?/g
