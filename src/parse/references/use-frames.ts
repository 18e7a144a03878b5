import { familyOf } from "../languages/family.ts"
import { argumentsOf } from "./arity.ts"
import { USE, type Use } from "./use-code.ts"
import {
  genericEnd,
  isTag,
  mayBind,
  type OpenBracket,
  type PatternName,
  type PrecedingWord,
  type UseScan,
} from "./use-scan.ts"
import { opensTuple } from "./use-values.ts"
import { extended, pathAhead, pathOf, pathOfType, type ValuePath } from "./value-path.ts"
import { BANG, BRACE, BRACKET, backOverSpace, COLON, COMMA, DOT, EQUALS, GREATER, PAREN } from "./words.ts"
import { readType } from "./written-type.ts"

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

/** The entry for text that is outside of all brackets. */
export function outermost(): OpenBracket {
  const none = { path: null, expected: null, call: null, tag: null, key: null, named: null }
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
    expected: value !== null || isBody ? null : expectedFor(scan, previous, code, at),
    result: isBody ? arrowResult(scan, previous) : outer ? outer.result : "<",
    tuple: opensTuple(scan, code, at),
    subject: scan.subject?.at === at ? scan.subject : null,
    call: scan.counted?.at === at ? scan.counted : null,
    commas: 0,
    tag: null,
    key: null,
    named: null,
  }
}

/** The path that is expected for a bracket; in C#, that of the object before its initializer. */
function expectedFor(scan: UseScan, previous: number, code: number, at: number): ValuePath | null {
  if (scan.hasContexts) return expectedAt(scan, previous, code, at)
  const isMade = code === BRACE && scan.pathEnd === previous && scan.path?.charCodeAt(0) === COLON
  return isMade ? scan.path : null
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
  if (frame.call !== null) {
    const args = argumentsOf(scan, frame, frame.call, at)
    const use = scan.uses[frame.call.use]
    if (use && args !== undefined) scan.uses[frame.call.use] = { ...use, args }
  }
  if (frame.code === PAREN)
    scan.path =
      frame.path === null
        ? (scan.source.jsdoc?.casts.get(frame.at) ?? parenthesizedPath(scan, frame, at))
        : resultPath(frame.path)
  else scan.path = frame.code === BRACKET ? extended(frame.path, "[]") : null
  scan.pathStart = frame.at
  scan.pathEnd = at + 1
  setDocumentedPaths(scan, frame)
  if (!scan.hasContexts) return
  if (frame.code === PAREN) scan.arrow = isParameters(scan.text, at) ? frame.expected : null
  setNamedPaths(scan, frame, at)
}

/** The path of the result of a call of `path`. A type that is called, as in `new Store()`, makes a value of that type. */
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
  const cast = end - at > MAX_LOOKBEHIND ? undefined : CASTS[scan.language]
  const [, behind, before] = cast?.exec(scan.text.slice(at + 1, end)) ?? []
  const type = behind ?? before
  return type === undefined ? null : pathOfType(type, familyOf(scan.language))
}

const GROUP = /^[(]\s*(?:await\s+|new\s+)?$/

const CAST_AS = /\bas[?!]?\s+([^=;{}()]+)$/
const CAST_BEFORE = /^()?\s*\(\s*([^()]+)\)\s*[\w(*&]/
/** How a language writes a cast inside parentheses: `(value as Type)`, `((Type) value)`. */
const CASTS: Readonly<Record<string, RegExp>> = {
  typescript: CAST_AS,
  tsx: CAST_AS,
  vue: CAST_AS,
  svelte: CAST_AS,
  rust: CAST_AS,
  kotlin: CAST_AS,
  swift: CAST_AS,
  dart: CAST_AS,
  csharp: /\bas\s+([^=;{}()]+)$|^\s*\(\s*([^()]+)\)\s*[\w(]/,
  java: CAST_BEFORE,
  c: CAST_BEFORE,
  cpp: CAST_BEFORE,
}

const PARAMETERS = /\s*(?::[^=;{}]{1,120})?=>/y

/** True if the bracket that ends at `at` contains the parameters of an arrow function. */
function isParameters(text: string, at: number): boolean {
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
function expectedAt(scan: UseScan, previous: number, code = 0, at = previous): ValuePath | null {
  const { text } = scan
  const outer = scan.open.at(-1)
  const sign = text.charCodeAt(previous - 1)
  if (scan.language === "go" && outer?.code === BRACE && (sign === COLON || sign === COMMA))
    return elementOf(outer, code)
  switch (sign) {
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

/** The path that is expected for an element of a map or a list in Go, which alone has no type before its bracket. */
function elementOf({ expected }: OpenBracket, code: number): ValuePath | null {
  return code === BRACE ? expected : null
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
  if (language !== "rust") return `:${scan.pathEnd === wordEnd ? scan.path!.replaceAll(".", "/") : word}`
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
function assigned({ text, open, language }: UseScan, previous: number): ValuePath | null {
  const before = text.slice(Math.max(0, previous - MAX_LOOKBEHIND), previous)
  const colon = before.lastIndexOf(":")
  const typed = colon < 0 ? undefined : TYPED.exec(before.slice(colon + 1))?.[1]
  if (typed !== undefined && NAMED.test(before.slice(0, colon))) return pathOfType(typed, familyOf(language))
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
  return typed === undefined ? extended(scan.arrow, "()") : pathOfType(typed, familyOf(scan.language))
}

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
    const path = isMade ? extended(base, `/${word}`) : extended(base, `.${word}`)
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
  if (behind >= 0) scan.generic = { path: castBy(scan, end) ?? path, start: pathStart, at: behind - 1 }
  const frame = open.at(-1)
  if (frame && isTag(text, scan.language, start))
    frame.tag = /^\p{Lu}/u.test(path ?? "") ? extended(path, "@0") : null
}

/** The path of the type that a call of C++ names: `static_cast<Store *>(`, `std::make_unique<Store>(`; null for other calls. */
function castBy({ text, word, language }: UseScan, end: number): ValuePath | null {
  if (language !== "cpp" || !NAMES_RESULT.test(word)) return null
  return pathOf(readType(text, end + 1, "c").type)
}

const NAMES_RESULT =
  /^(?:(?:static|dynamic|const|reinterpret)_(?:pointer_)?cast|make_(?:unique|shared)|any_cast)$/

/** Makes the word that was just read the key of the value after the colon. Returns the path of the object literal. */
export function passKey({ open, word }: UseScan): ValuePath | null {
  const frame = open.at(-1)
  if (!frame) return null
  frame.key = word
  return frame.expected
}

/** The path of the value that a named argument or an initializer gives a member: `:Point` for `Point(x=1)`. */
export function labelledValue({ open }: UseScan): ValuePath | null {
  const frame = open.at(-1)
  const path = frame?.path ?? frame?.expected ?? null
  if (path === null || path.charCodeAt(0) === COLON) return path
  const type = MADE.exec(path)?.[1]
  return type === undefined ? null : `:${type}`
}

/** Matches the path of a type that is called. */
const MADE = /^(?:\w+\.)*(\p{Lu}\w*)$/u

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

/** `,`, `)`, `}`, `]`, `=` */
const ENDS: ReadonlySet<number> = new Set([COMMA, 125, 41, 93, EQUALS])

/**
 * Stores a name in the frame of its bracket, because the bracket may turn out to be a pattern that binds the name;
 * that, and the type of the name, is known only after the closing bracket. Returns false if the bracket cannot bind it.
 */
export function noteName(
  scan: UseScan,
  start: number,
  next: number,
  use: Use,
  as: PatternName["as"] | null = null,
): boolean {
  const frame = scan.open.at(-1)
  if (!frame || (use.flags & USE.import) !== 0 || !holdsNames(frame, next)) return false
  const previous = scan.text.charCodeAt(backOverSpace(scan.text, start) - 1)
  const isRenamed = previous === COLON && frame.code === BRACE && frame.key !== null
  if (previous !== frame.code && previous !== COMMA && !isRenamed) return false
  const isLocal = frame.code !== BRACE || isRenamed
  frame.named ??= []
  frame.named.push({
    use: scan.uses.length,
    name: use.name,
    as: as ?? (isLocal ? "local" : next === COLON ? "key" : "both"),
    member: isLocal ? (stepTo(frame) ?? "") : "",
  })
  return true
}

/** True if the text after the name (`,`, `}`, `)`, `]`, `=`, or the colon of a key) allows the bracket to bind it. */
function holdsNames({ code, path, expected, isPattern }: OpenBracket, next: number): boolean {
  if (path !== null || (expected !== null && code !== PAREN && !isPattern)) return false
  return ENDS.has(next) || (next === COLON && code === BRACE)
}

/**
 * Called when a bracket closes at `at`. Stores the paths of their values with the names that the bracket binds, or
 * passes the names on to the enclosing bracket.
 */
function setNamedPaths(scan: UseScan, frame: OpenBracket, at: number): void {
  if (frame.named === null) return
  if (frame.code === PAREN) {
    if (scan.arrow !== null) for (const named of frame.named) tell(scan, named, scan.arrow)
    return
  }
  const path = pathBehind(scan, at + 1)
  if (path !== null) {
    for (const named of frame.named) tell(scan, named, path)
    return
  }
  const outer = scan.open.at(-1)
  if (!outer || outer.path !== null) return
  const step = stepTo(outer)
  if (step === null) return
  outer.named ??= []
  for (const named of frame.named) outer.named.push({ ...named, member: step + named.member })
}

/** Gives the names in a function's list of parameters the types that a JSDoc comment before the function states. */
function setDocumentedPaths(scan: UseScan, { at, named }: OpenBracket): void {
  const described = named === null ? undefined : scan.source.jsdoc?.parameters.get(at)
  if (described === undefined) return
  for (const each of named!) {
    const step = POSITION.exec(each.member)
    if (step === null) continue
    const isWhole = each.as === "local" && each.member === step[0]
    const byName = isWhole ? described.find(({ name }) => name === each.name) : undefined
    const path = (byName ?? (isWhole ? undefined : described[Number(step[1])]))?.path ?? null
    if (path !== null) tell(scan, { ...each, member: each.member.slice(step[0].length) }, path)
  }
}

const POSITION = /^@(\d+)/

function stepTo({ code, commas, key }: OpenBracket): string | null {
  if (code === PAREN) return `@${commas}`
  if (code === BRACKET) return "[]"
  return key === null ? null : `.${key}`
}

const TYPE_BEHIND = /^\s*(?::|\bas\b|\bsatisfies\b)\s*((?:<(?:[^<>]|<[^<>]*>)*>|[^=(){};,<>\n])+)/
/**
 * Maximum length of a type in characters. Without a limit, an unclosed bracket would be searched to the end of the
 * text.
 */
const MAX_LOOKAHEAD = 160
const VALUE_BEHIND = /\s*(=(?![=>])|of\b)/y

/**
 * The path of the value that a pattern destructures, read from the text after the pattern: `{ a }: Options`, `{ a } =
 * options`, `{ a } of all`, `{ a: 1 } as Options`.
 */
function pathBehind({ text, language }: UseScan, at: number): ValuePath | null {
  const type = TYPE_BEHIND.exec(text.slice(at, at + MAX_LOOKAHEAD))?.[1]
  if (type !== undefined) return pathOfType(type, familyOf(language))
  VALUE_BEHIND.lastIndex = at
  const sign = VALUE_BEHIND.exec(text)?.[1]
  if (sign === undefined) return null
  const path = pathAhead(text, VALUE_BEHIND.lastIndex)
  return sign === "of" ? extended(path, "[]") : path
}

function tell(scan: UseScan, { use: at, name, as, member }: PatternName, of: ValuePath): void {
  const { uses, places } = scan
  const use = uses[at]
  const path = extended(of, member)
  if (use?.name !== name || path === null) return
  if (as !== "key" && !mayBind(scan, places[at]!)) return
  if (as === "local") uses[at] = { ...use, flags: (use.flags & ~USE.member) | USE.declares, qualifier: path }
  else if (as === "key") uses[at] = { ...use, flags: use.flags | USE.member, qualifier: null, path }
  else uses[at] = { ...use, flags: use.flags | USE.member | USE.declares, qualifier: null, path }
}
