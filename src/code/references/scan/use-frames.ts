import { backOverSpace } from "../name-chars.ts"
import { extended, pathOfType, type ValuePath } from "../value-path.ts"
import { opensTuple } from "./bound-values.ts"
import { bindParameters } from "./use-parameters.ts"
import { setDocumentedPaths, setNamedPaths } from "./use-patterns.ts"
import type { OpenBracket, UseScan } from "./use-scan.ts"

/*
 * Follows the brackets of a file while its uses are read, so that each use of a member gets the path of the value
 * before its dot (ValuePath in value-path.ts has the notation). Each open bracket is a frame of `scan.open`.
 * `openFrame` stores what comes before the bracket: the path of the value that it calls or indexes (`path`), and the
 * path of the value that the context expects for it (`expected`). `closeFrame` makes the path of the whole expression,
 * `scan.path`, which the next `.name` extends.
 *
 * Example: `shop.each((item) => item.name).close()`
 * 1. The outer "(" calls `shop.each`: `path` is `shop.each`.
 * 2. The inner "(" begins its first argument: `expected` is `shop.each@0`, what the first parameter of `each` accepts.
 * 3. The inner ")" is followed by `=>`, so that `item` is a parameter of that function: the path of `item` is
 *    `shop.each@0@0`, what the function that `each` accepts gets as its first argument.
 * 4. The outer ")" closes the call: `scan.path` is `shop.each()`, its result. The use of `close` gets this path.
 */

const [PAREN, BRACE, BRACKET, COMMA, COLON, EQUALS, GREATER, DOT, BANG] = [
  40, 123, 91, 44, 58, 61, 62, 46, 33,
]

/** The entry for text that is outside of all brackets. */
export function outermost(): OpenBracket {
  const none = { path: null, expected: null, tag: null, key: null, named: null, parameters: null }
  return { ...none, code: 0, at: 0, isPattern: false, tuple: null, subject: null, result: "<", commas: 0 }
}

/** The entry for the bracket that opens at `at`. */
export function openFrame(scan: UseScan, code: number, at: number, isPattern: boolean): OpenBracket {
  const previous = behindValue(scan, at)
  const value = code === BRACE ? null : valueBefore(scan, at, previous)
  const outer = scan.open.at(-1)
  const isBody = code === BRACE && scan.hasContexts && isArrow(scan.text, previous)
  return {
    code,
    at: value === null ? at : value.start,
    isPattern,
    path: value === null ? null : value.path,
    expected: value !== null || isBody || !scan.hasContexts ? null : expectedAt(scan, previous, code, at),
    result: isBody ? arrowResult(scan, previous) : outer ? outer.result : "<",
    tuple: opensTuple(scan, code, at),
    subject: scan.subject?.at === at ? scan.subject : null,
    commas: 0,
    tag: null,
    key: null,
    named: null,
    parameters: null,
  }
}

/** Offset of the end of the value before a bracket, in `a(`, `a?.(` or `a![`. */
function behindValue({ text }: UseScan, at: number): number {
  const end = backOverSpace(text, at)
  const last = text.charCodeAt(end - 1)
  if (last === DOT && text[end - 2] === "?") return end - 2
  return last === BANG && text.charCodeAt(at) !== BRACE ? end - 1 : end
}

type PrecedingValue = { readonly path: ValuePath; readonly start: number }

/** The value that the bracket at `at` calls or indexes; null if there is none. */
function valueBefore(
  { generic, path, pathStart, pathEnd }: UseScan,
  at: number,
  previous: number,
): PrecedingValue | null {
  // After type arguments, as in `open<Row>(`, the value is the one before them.
  const value = generic?.at === at ? generic : { path: pathEnd === previous ? path : null, start: pathStart }
  return value.path === null ? null : { path: value.path, start: value.start }
}

/**
 * Called when the bracket of `frame` closes at `at`. Stores the path of the value of the whole expression with the
 * bracket.
 */
export function closeFrame(scan: UseScan, frame: OpenBracket, at: number): void {
  if (frame.code === PAREN)
    scan.path =
      frame.path === null
        ? (scan.source.jsdoc?.casts.get(frame.at) ?? parenthesizedPath(scan, frame, at))
        : resultPath(frame.path)
  else scan.path = frame.code === BRACKET ? extended(frame.path, "[]") : null
  scan.pathStart = frame.at
  scan.pathEnd = at + 1
  setDocumentedPaths(scan, frame)
  bindParameters(scan, frame, at)
  if (!scan.hasContexts) return
  if (frame.code === PAREN) scan.arrow = isParameters(scan.text, at) ? frame.expected : null
  setNamedPaths(scan, frame, at)
}

/**
 * The path of the result of a call of `path`. A type that is called, as in `new Store()`, makes a value of that type.
 */
function resultPath(path: ValuePath): ValuePath | null {
  return path.charCodeAt(0) === COLON && !MORE.test(path) ? path : extended(path, "()")
}

const MORE = /[.(@]/

/** The path of an expression in parentheses: `(await open())`, `(value as Type)`. */
function parenthesizedPath(scan: UseScan, { at }: OpenBracket, end: number): ValuePath | null {
  const { text, path, pathStart, pathEnd } = scan
  if (
    path !== null &&
    pathEnd === end &&
    GROUP.test(text.slice(at, Math.min(pathStart, at + MAX_LOOKBEHIND)))
  )
    return path
  return scan.hasContexts ? castIn(scan, at, end) : null
}

const GROUP = /^[(]\s*(?:await\s+|new\s+)?$/

const CAST = /\bas\s+([^=;{}()]+)$/

/** The path of the type in `(value as Type)`; null if the parentheses contain no cast. */
function castIn({ text, wordEnd }: UseScan, at: number, end: number): ValuePath | null {
  if (wordEnd < end - 2) return null
  const type = CAST.exec(text.slice(Math.max(at, end - MAX_LOOKBEHIND), end))?.[1]
  return type === undefined ? null : pathOfType(type)
}

const PARAMETERS = /\s*(?::[^=;{}]{1,120})?=>/y

/** True if the bracket that ends at `at` contains the parameters of an arrow function. */
export function isParameters(text: string, at: number): boolean {
  const next = text.charCodeAt(at + 2)
  if (next !== EQUALS && text.charCodeAt(at + 1) !== COLON && next > 32) return false
  PARAMETERS.lastIndex = at + 1
  return PARAMETERS.test(text)
}

/**
 * The path of the value that the context expects for an expression that begins after `previous`: `shop.open@0` for the
 * first argument of `shop.open(`, `:Options` after `const options: Options =`. Null if the context expects nothing.
 * `code` is the character code of the bracket at `at` with which the expression begins; 0 if it begins with none.
 */
export function expectedAt(scan: UseScan, previous: number, code = 0, at = previous): ValuePath | null {
  const { text } = scan
  const outer = scan.open.at(-1)
  switch (text.charCodeAt(previous - 1)) {
    case PAREN:
    case COMMA:
    case BRACKET:
      return outer ? argumentOf(outer) : null
    case BRACE:
      return outer?.code === BRACE ? outer.expected : null
    case COLON:
      return outer ? keptUnder(outer) : null
    case EQUALS:
      return assigned(scan, previous)
    case GREATER:
      return isArrow(text, previous) ? arrowResult(scan, previous) : null
    default:
      return scan.wordEnd === previous ? behindWord(scan, code, at === previous) : null
  }
}

/** The path that is expected for the value of a key: `:Options.size` for `{ size: ` where `:Options` is expected. */
function keptUnder({ code, key, expected }: OpenBracket): ValuePath | null {
  return code === BRACE && key !== null ? extended(expected, `.${key}`) : null
}

/**
 * The path that is expected after a word: the result of the function after `return`, the type in Go's `Options{`. In
 * Go, a word in lower case is a type only if the bracket directly follows; otherwise it may end a condition.
 */
function behindWord(scan: UseScan, code: number, isAdjacent: boolean): ValuePath | null {
  const { text, word, wordEnd, language, open } = scan
  if (word === "return") return open.at(-1)?.result ?? null
  if (code !== BRACE || !LITERAL.test(language)) return null
  if (!/^\p{Lu}/u.test(word) && (language !== "go" || !isAdjacent || scan.reserved.has(word))) return null
  if (language !== "rust") return `:${word}`
  // After an arrow, the word is the type of a result, and the bracket begins the function's body.
  const start = wordEnd - word.length
  if (RESULT_SIGN.test(text.slice(Math.max(0, start - MAX_LOOKBEHIND), start))) return null
  return word === "Self" ? "this" : `:${word}`
}

const RESULT_SIGN = /->\s*(?:\w+::)*$/

/** Languages in which the type of a literal is written before it: `Options{ Name: 1 }`. */
const LITERAL = /^(?:go|rust)$/

/** The path that is expected for the next argument or element in a bracket. */
function argumentOf({ code, path, expected, commas }: OpenBracket): ValuePath | null {
  if (code === BRACKET) return path === null ? extended(expected, "[]") : null
  if (code !== PAREN) return null
  if (path !== null) return extended(path, `@${commas}`)
  return commas === 0 ? expected : null
}

function isArrow(text: string, end: number): boolean {
  return text.charCodeAt(end - 1) === GREATER && text.charCodeAt(end - 2) === EQUALS
}

const MAX_LOOKBEHIND = 160
const TYPED = /^\s*([^=;{}()]+?)\s*=$/
const NAMED = /[\w$\])]\??\s*$/
const ATTRIBUTE = /[\s}"']([\w$]+)=$/

/** The expected path after `const options: Options = `, or after `value=` in markup. */
function assigned({ text, open }: UseScan, previous: number): ValuePath | null {
  const before = text.slice(Math.max(0, previous - MAX_LOOKBEHIND), previous)
  const colon = before.lastIndexOf(":")
  const typed = colon < 0 ? undefined : TYPED.exec(before.slice(colon + 1))?.[1]
  if (typed !== undefined && NAMED.test(before.slice(0, colon))) return pathOfType(typed)
  const tag = open.at(-1)?.tag ?? null
  const attribute = tag === null ? undefined : ATTRIBUTE.exec(before)?.[1]
  return attribute === undefined ? null : extended(tag, `.${attribute}`)
}

const RESULT = /\)\s*:\s*([^=()]+?)\s*=>$/

/**
 * The path of the value that the arrow function whose parameters end at `end` returns, from its written result type; if
 * it has none, from its context.
 */
function arrowResult(scan: UseScan, end: number): ValuePath | null {
  const typed = RESULT.exec(scan.text.slice(Math.max(0, end - MAX_LOOKBEHIND), end))?.[1]
  return typed === undefined ? extended(scan.arrow, "()") : pathOfType(typed)
}
