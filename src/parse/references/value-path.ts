import {
  ANGLE,
  BACKSLASH,
  BANG,
  BRACKET,
  COLON,
  codesEnd,
  DOT,
  isClosing,
  isDigit,
  isNameCode,
  isOpening,
  PAREN,
  QUESTION,
} from "./words.ts"
import { canonicalText, readType, SIGN, type WrittenType } from "./written-type.ts"

/**
 * Describes how the text reaches a value. It begins with a name, `this`, `:Type` for a value of that type (the
 * canonical text of written-type.ts), or `<` for the result of the enclosing function. Then come steps: `.name` for a member, `()`
 * for the result of a call, `[]` for an element, `@1` for what the second parameter accepts, `,1` for the second part
 * of a tuple.
 */
export type ValuePath = string

/** Maximum length of a path. Longer paths can rarely be resolved, so they are not stored. */
const MAX_PATH_CHARS = 80
const MAX_LOOKAHEAD = 1500

/** The path with a further step; null if there is no path, or if the result would be too long. */
export function extended(path: ValuePath | null, step: string): ValuePath | null {
  return path === null || path.length + step.length > MAX_PATH_CHARS ? null : path + step
}

const LEADING = /\s*(?:(?:await|yield|try[?!]?)\s+){0,2}(?:&\s*)?(?:mut\s+)?(new\s+)?/y
const GENERIC = /(?:::)?<(?:[^<>(){};]|<(?:[^<>(){};]|<[^<>(){};]*>)*>)*>(?=\s?\()/y
/** Matches the text after a complete expression. If other text follows, the expression continues. */
const END = /[ \t]*(?:$|[\r\n;,)\]}]|\/\/|\?\?|\|\||\bas\b|\bsatisfies\b|\bor\b|\?[;,\n)]|\?\?)/y

/** Matches the end of an expression that may be followed by a block or clause: `{`, `:`, `else`, `if`, `?:`. */
const BLOCK_END = /\s*(?:[{:]|\?:|\b(?:else|if|do)\b)/y

/**
 * The path of the expression that begins at `from`; null if there is none, or if it is more complex than a path can
 * express. With `mayOpen`, a block may follow the expression.
 */
export function pathAhead(text: string, from: number, mayOpen = false): ValuePath | null {
  const parsed = readPath(text, from, text.length)
  if (parsed === null) return null
  END.lastIndex = parsed.end
  if (END.test(text)) return parsed.path
  BLOCK_END.lastIndex = parsed.end
  return mayOpen && BLOCK_END.test(text) ? parsed.path : null
}

type ParsedPath = { readonly path: ValuePath; readonly end: number }

function readPath(text: string, from: number, limit: number): ParsedPath | null {
  LEADING.lastIndex = from
  const [leading, made] = LEADING.exec(text) ?? [""]
  const at = from + leading.length
  const head =
    givenAt(text, at) ??
    (made !== undefined
      ? madeAt(text, at)
      : text.charCodeAt(at) === PAREN
        ? inBrackets(text, at)
        : nameHead(text, at))
  return head === null ? null : steps(text, head, limit)
}

/** The path of a call that returns a value of the type it is given: Angular's `inject(Store)`, Python's `cast(Store, x)`. */
function givenAt(text: string, at: number): ParsedPath | null {
  GIVEN.lastIndex = at
  const [call, type] = GIVEN.exec(text) ?? []
  if (type === undefined) return null
  return {
    path: `:${type}`,
    end: bracketAt(text, text.indexOf("(", at), at + call!.length + MAX_LOOKAHEAD).end,
  }
}

const GIVEN = /(?:TestBed\.)?(?:inject|cast)\(\s*["']?(\p{Lu}\w*)["']?\s*(?=[,)])/uy

/** The path (see ValuePath) of the new object whose type is at `at`: `:Map<string;Row>` for `new Map<string, Row>(`. */
function madeAt(text: string, at: number): ParsedPath | null {
  const { type, end } = readType(text, at, "")
  const path = pathOf(type)
  return path === null ? null : { path, end }
}

/**
 * The path of the expression in the parentheses at `at`, and the offset after `)`. For `(await open())` it is the path
 * of `open()`. Null if the parentheses contain anything else.
 */
function inBrackets(text: string, at: number): ParsedPath | null {
  const inner = readPath(text, at + 1, text.length)
  return inner !== null && text[inner.end] === ")" ? { path: inner.path, end: inner.end + 1 } : null
}

/** The name at `at`, with which a path begins or continues; null if there is none, or a word that is no value. */
function nameHead(text: string, at: number): ParsedPath | null {
  const code = text.charCodeAt(at)
  const isName = isNameCode(code, true) || (code === 35 && isNameCode(text.charCodeAt(at + 1), true))
  if (!isName || isDigit(code)) return null
  const end = codesEnd(text, at, true)
  const path = text.slice(at, end)
  return NO_VALUES.has(path) ? null : { path: path === "self" ? "this" : path, end }
}

const NO_VALUES: ReadonlySet<string> = new Set(
  "async function typeof void delete class true false null undefined None True False nil not if match".split(
    " ",
  ),
)

/** Extends a path by the members, calls and indexes that follow it in the text; null if it gets too long. */
function steps(text: string, head: ParsedPath, limit: number): ParsedPath | null {
  let current = head
  for (let isMade = head.path.startsWith(":"); ; isMade = false) {
    const at = skipGeneric(text, current.end)
    const code = text.charCodeAt(at)
    const isBracket = code === PAREN || code === BRACKET
    const step = isBracket ? bracketAt(text, at, limit) : memberAt(text, at)
    if (step === null) return current
    // `new Store()` has the same path as a value of type `Store`: `:Store`.
    const path = extended(current.path, isMade && code === PAREN ? "" : step.path)
    if (path === null) return null
    current = { path, end: step.end }
  }
}

function skipGeneric(text: string, at: number): number {
  if (text.charCodeAt(at) === BANG && text.charCodeAt(at + 1) !== 61) return at + 1
  const next = text.charCodeAt(at)
  if (next !== ANGLE && next !== COLON) return at
  GENERIC.lastIndex = at
  return GENERIC.test(text) ? GENERIC.lastIndex : at
}

/** The step for `.name`, `?.name`, `->name` or `::name`, even if the dot is on the next line. */
function memberAt(text: string, from: number): ParsedPath | null {
  let at = from
  while (text.charCodeAt(at) <= 32 && at - from < 60) at++
  const code = text.charCodeAt(at)
  const next = text.charCodeAt(at + 1)
  if (code === QUESTION && next === DOT) at += 2
  else if (code === DOT && next !== DOT) at += 1
  else if (at === from && ((code === COLON && next === COLON) || (code === 45 && next === 62))) at += 2
  else return null
  const name = nameHead(text, at)
  if (name !== null) return { path: `.${name.path}`, end: name.end }
  // The `?.` of `a?.[0]` and `a?.()`
  return code === QUESTION ? { path: "", end: at } : null
}

/**
 * The step for a bracket, which ends after its closing bracket, or at the end of the text if the closing bracket is too
 * far away.
 */
function bracketAt(text: string, from: number, limit: number): ParsedPath {
  const path = text.charCodeAt(from) === BRACKET ? "[]" : "()"
  const until = Math.min(limit, from + MAX_LOOKAHEAD)
  const end = partEnd(text, from, until)
  return { path, end: end < until ? end + 1 : text.length }
}

/** Offset of the bracket or quote that closes the one at `from`; `until` if there is none. */
export function partEnd(text: string, from: number, until: number): number {
  let depth = 0
  for (let at = from; at < until; at++) {
    const code = text.charCodeAt(at)
    if (QUOTES.has(code)) at = quoteEnd(text, at, code, until)
    else if (isOpening(code)) depth++
    else if (isClosing(code)) depth--
    if (depth <= 0) return at
  }
  return until
}

export const QUOTES: ReadonlySet<number> = new Set([34, 39, 96])
const MAX_QUOTED_CHARS = 500

/** Offset of the quote that ends the string at `from`; `from` itself if the string has no end, or is too long. */
export function quoteEnd(text: string, from: number, quote: number, until: number): number {
  for (let at = from + 1; at < Math.min(until, from + MAX_QUOTED_CHARS); at++) {
    const code = text.charCodeAt(at)
    if (code === BACKSLASH) at++
    else if (code === quote) return at
    // The quote is an apostrophe or belongs to a Rust lifetime, and does not begin a string.
    else if (code === 10 && quote !== 96) return from
  }
  return from
}

/** The path of a value of a type as written in a language family; null if the type cannot be read. */
export function pathOfType(written: string, family: string): ValuePath | null {
  return pathOf(readType(written, 0, family).type)
}

/** The path of a value of a type; null if the type is unknown. */
export function pathOf(type: WrittenType): ValuePath | null {
  const { name, qualifier, args } = type
  if (name === SIGN.value) return qualifier
  if (name === SIGN.member) return extended(pathOf(args[0]!), qualifier === null ? "[]" : `.${qualifier}`)
  const inner = args.length === 1 && OF_VALUE.has(name) ? pathOf(args[0]!) : null
  if (inner !== null && inner.charCodeAt(0) !== COLON) {
    if (name === "InstanceType") return extended(":", inner.replaceAll(".", "/"))
    return name === "ReturnType" ? extended(inner, "()") : inner
  }
  const text = canonicalText(type)
  return text === "" ? null : extended(":", text)
}

/** Types of TypeScript that are computed from the type of a value: `ReturnType<typeof open>`. */
const OF_VALUE: ReadonlySet<string> = new Set(
  "InstanceType ReturnType Awaited NonNullable Readonly".split(" "),
)
