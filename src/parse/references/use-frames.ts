import { IN_CALLBACK, USE, type Use } from "./use-code.ts"
import {
  genericEnd,
  isTag,
  type OpenBracket,
  type PatternName,
  type PrecedingWord,
  type UseScan,
} from "./use-scan.ts"
import { opensTuple } from "./use-values.ts"
import { extended, pathAhead, pathOfType, type ValuePath } from "./value-path.ts"
import {
  AND,
  BANG,
  BRACE,
  BRACKET,
  backOverSpace,
  COLON,
  COMMA,
  DOT,
  EQUALS,
  GREATER,
  PAREN,
  STAR,
} from "./words.ts"

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

/**
 * Languages in which a parameter may have no type, each with what stands before the bracket of a function's parameters.
 * Null for JavaScript, where the text after the bracket tells.
 */
const UNTYPED: Readonly<Record<string, RegExp | null>> = {
  javascript: null,
  typescript: null,
  tsx: null,
  vue: null,
  svelte: null,
  python: /\bdef\s+\w+$/,
  ruby: /\bdef\s+(?:self\.)?\w+[?!=]?$/,
  lua: /\bfunction\b\s*[\w.:]*$/,
}

const MAX_HEAD_CHARS = 120
const MAX_PARAMETERS = 50

/**
 * Stores a name without a type in the frame of its bracket. It is a parameter if the text after the closing bracket
 * shows that the bracket is the list of a function's parameters; see `bindParameters`.
 */
export function noteParameter(scan: UseScan, start: number, end: number, next: number): void {
  const frame = scan.open.at(-1)
  if (frame === undefined || frame.code === 0 || frame.path !== null || !(scan.language in UNTYPED)) return
  if (frame.code === BRACE && (!scan.hasDollars || isType(scan))) return
  if (!ENDS.has(next) || (next === EQUALS && scan.text.charCodeAt(end + 1) === EQUALS)) return
  const previous = scan.text.charCodeAt(backOverSpace(scan.text, start) - 1)
  if (previous !== frame.code && !BEFORE.has(previous)) return
  if (previous === COLON && frame.code !== BRACE) return
  frame.parameters ??= []
  if (frame.parameters.length < MAX_PARAMETERS) frame.parameters.push(scan.uses.length)
}

/** Max number of nested braces that are followed outwards. */
const MAX_NESTED = 8

/** True inside the braces of a type of a parameter: `options: { size: Size }`. */
function isType({ text, open }: UseScan): boolean {
  const last = Math.max(0, open.length - 1 - MAX_NESTED)
  for (let at = open.length - 1; at > last && open[at]!.code === BRACE; at--)
    if (text.charCodeAt(backOverSpace(text, open[at]!.at) - 1) !== COLON) return false
    else if (open[at - 1]!.code === PAREN) return true
  return false
}

/** `,`, `)`, `}`, `]`, `=` */
const ENDS: ReadonlySet<number> = new Set([COMMA, 125, 41, 93, EQUALS])
/** `,`, the `...` and `*` before a list of arguments, Ruby's `&`, and the colon of a pattern. */
const BEFORE: ReadonlySet<number> = new Set([COMMA, DOT, STAR, AND, COLON])

/**
 * Called when a bracket closes at `at`. If it is the list of a function's parameters, the names in it become local
 * variables. If it is a pattern such as `{ a, b }`, its names are passed on to the enclosing bracket.
 */
function bindParameters(scan: UseScan, frame: OpenBracket, at: number): void {
  const { parameters, code } = frame
  if (parameters === null) return
  const outer = scan.open.at(-1)
  if (code !== PAREN) {
    if (scan.hasDollars && outer && outer.code !== 0 && outer.path === null) passOn(frame, outer)
    return
  }
  const kind = scan.hasDollars ? kindOf(scan.text, frame.at, at) : kindOfHead(scan, frame.at)
  if (kind === null) return
  const names = boundBy(scan, parameters, kind === "callback" ? IN_CALLBACK : null)
  if (kind === "callback" && outer && names.size > 0)
    scan.callbacks.push({ names, depth: scan.open.length, commas: outer.commas })
}

function kindOfHead(scan: UseScan, at: number): "function" | null {
  return isHead(scan, at) ? "function" : null
}

/** Adds the names of a pattern to those of the enclosing bracket. */
function passOn({ code, parameters }: OpenBracket, outer: OpenBracket): void {
  const names = parameters ?? []
  outer.parameters = [...(outer.parameters ?? []), ...(code === BRACE ? names.map(asTaken) : names)]
}

/** The index of a name that a pattern takes out of an object: negative, so that it differs from others. */
function asTaken(index: number): number {
  return index < 0 ? index : -1 - index
}

/** Makes the uses at some indexes bindings of locals, and returns their names. */
function boundBy({ uses }: UseScan, indexes: readonly number[], qualifier: string | null): Set<string> {
  const names = new Set<string>()
  for (const index of indexes.slice(0, MAX_PARAMETERS)) {
    const at = index < 0 ? -1 - index : index
    const use = uses[at]
    if (use === undefined || use.flags !== 0) continue
    names.add(use.name)
    uses[at] =
      index < 0
        ? { ...use, flags: USE.declares | USE.member, qualifier: null }
        : { ...use, flags: USE.declares, qualifier }
  }
  return names
}

function isHead({ text, language }: UseScan, open: number): boolean {
  return UNTYPED[language]?.test(text.slice(Math.max(0, open - MAX_HEAD_CHARS), open)) ?? false
}

const ARROW_BEHIND = /^\s*(?::[^=;{}()]{1,120})?=>/
const BODY_BEHIND = /^\s*(?::[^=;()]{1,120})?\{/
const WORD_BEFORE = /([\w$]+)\s*$/
const CONTROL: ReadonlySet<string> = new Set([
  "if",
  "for",
  "while",
  "switch",
  "with",
  "case",
  "return",
  "await",
])

/**
 * The kind of function whose parameters are in the bracket from `open` to `at`: "callback" for an arrow function that
 * is an argument, an element or the value of a key, "function" for any other. Null if the bracket contains no
 * parameters.
 */
function kindOf(text: string, open: number, at: number): "function" | "callback" | null {
  let next = at + 1
  while (text.charCodeAt(next) <= 32) next++
  const sign = text.charCodeAt(next)
  if (sign !== EQUALS && sign !== BRACE && sign !== COLON) return null
  const behind = text.slice(at + 1, at + 1 + MAX_HEAD_CHARS)
  if (ARROW_BEHIND.test(behind))
    return VALUE_BEFORE.has(text.charCodeAt(backOverSpace(text, open) - 1)) ? "callback" : "function"
  if (!BODY_BEHIND.test(behind)) return null
  const word = WORD_BEFORE.exec(text.slice(Math.max(0, open - 40), open))?.[1]
  return word !== undefined && !CONTROL.has(word) ? "function" : null
}

/** `(`, `[`, `,`, `:` */
const VALUE_BEFORE: ReadonlySet<number> = new Set([PAREN, BRACKET, COMMA, COLON])

/** True for a name that is a parameter of an arrow function around it. */
export function isOfCallback(scan: UseScan, use: Use): boolean {
  const { callbacks, open } = scan
  while (callbacks.length > 0) {
    const { depth, commas } = callbacks.at(-1)!
    if (open.length > depth || (open.length === depth && open.at(-1)!.commas === commas)) break
    callbacks.pop()
  }
  if (use.flags !== 0 && use.flags !== USE.call) return false
  return callbacks.some(({ names }) => names.has(use.name))
}

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
  if (!frame || (use.flags & USE.import) !== 0 || !mayBind(frame, next)) return false
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
function mayBind({ code, path, expected, isPattern }: OpenBracket, next: number): boolean {
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
  const path = pathBehind(scan.text, at + 1)
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
function pathBehind(text: string, at: number): ValuePath | null {
  const type = TYPE_BEHIND.exec(text.slice(at, at + MAX_LOOKAHEAD))?.[1]
  if (type !== undefined) return pathOfType(type)
  VALUE_BEHIND.lastIndex = at
  const sign = VALUE_BEHIND.exec(text)?.[1]
  if (sign === undefined) return null
  const path = pathAhead(text, VALUE_BEHIND.lastIndex)
  return sign === "of" ? extended(path, "[]") : path
}

function tell({ uses }: UseScan, { use: at, name, as, member }: PatternName, of: ValuePath): void {
  const use = uses[at]
  const path = extended(of, member)
  if (use?.name !== name || path === null) return
  if (as === "local") uses[at] = { ...use, flags: (use.flags & ~USE.member) | USE.declares, qualifier: path }
  else if (as === "key") uses[at] = { ...use, flags: use.flags | USE.member, qualifier: null, path }
  else uses[at] = { ...use, flags: use.flags | USE.member | USE.declares, qualifier: null, path }
}
