import { backOverSpace } from "../name-chars.ts"
import { extended, pathOfType, type ValuePath } from "../value-path.ts"
import { typeBefore, valueBehind } from "./bound-values.ts"
import type { PrecedingWord, TuplePattern, UseScan } from "./use-scan.ts"

/*
 * Decides whether the name that the scan has reached is bound here, and to which value: by a word before it (`const
 * a`), by a pattern or tuple that it is part of, by a type beside it (`Store a`, `a: Store`), or by an assignment.
 * Which of these a language has is in MORE_BINDING and STYLES.
 */

const BINDING: ReadonlySet<string> = new Set(["const", "let", "var", "val", "mut", "using"])
/**
 * Words, besides the common ones, after which a language binds a name. After `for`, a name is bound only if a
 * collection follows.
 */
const MORE_BINDING: Readonly<Record<string, ReadonlySet<string>>> = {
  c: new Set(["auto"]),
  cpp: new Set(["auto"]),
  dart: new Set(["final", "late"]),
  rust: new Set(["for", "ref"]),
  python: new Set(["for", "as"]),
  ruby: new Set(["for"]),
  kotlin: new Set(["for"]),
  swift: new Set(["for"]),
  scala: new Set(["for", "case"]),
  php: new Set(["as"]),
}
const [BRACE, PAREN, BRACKET, COLON, COMMA, EQUALS, QUESTION, PIPE] = [123, 40, 91, 58, 44, 61, 63, 124]
const MAX_LOOKAHEAD = 120

/** How a language binds names without `const` or a similar keyword. */
type Style = {
  /** True if object literals have their member names before a colon. */
  readonly isKeyed?: true
  /** True if the type of a parameter comes after a colon. */
  readonly isColonTyped?: true
  /** "walrus": `a := b`; "row": `a = b` at the start of a row; "type first": `Type a`. */
  readonly how?: "walrus" | "row" | "type first"
  /** True if, in addition to `how`, `a = b` at the start of a row binds `a`. */
  readonly isRow?: true
}

const SCRIPT: Style = { isKeyed: true, isColonTyped: true }
const STYLES: Readonly<Record<string, Style>> = {
  javascript: { isKeyed: true },
  html: { isKeyed: true },
  typescript: SCRIPT,
  tsx: SCRIPT,
  vue: SCRIPT,
  svelte: SCRIPT,
  rust: SCRIPT,
  kotlin: { isColonTyped: true },
  swift: { isColonTyped: true },
  scala: { isColonTyped: true },
  go: { isKeyed: true, how: "walrus" },
  python: { isColonTyped: true, how: "row" },
  ruby: { how: "row" },
  java: { how: "type first" },
  csharp: { how: "type first" },
  cpp: { how: "type first" },
  c: { how: "type first" },
  dart: { how: "type first" },
  php: { how: "type first", isRow: true },
  solidity: { how: "type first" },
}
const NO_STYLE: Style = {}

/** True if an object literal of the language gets its type from its context. */
export function hasContexts(language: string): boolean {
  return STYLES[language]?.isKeyed ?? false
}

/** True for a key: `name` in `{ name: value }` is a member of the object, although there is no dot before it. */
export function isKey({ text, language, open }: UseScan, start: number, end: number): boolean {
  if (open.at(-1)?.code !== BRACE || text.charCodeAt(end) !== COLON) return false
  if (!STYLES[language]?.isKeyed || text.charCodeAt(end + 1) === COLON) return false
  const last = text.charCodeAt(backOverSpace(text, start) - 1)
  return last === BRACE || last === COMMA
}

/** True if the bracket begins a destructuring pattern, as in `const { a, b } =`. */
export function opensPattern({ text, word, wordEnd, open }: UseScan, code: number, at: number): boolean {
  if (code === PAREN) return false
  if (BINDING.has(word) && wordEnd === backOverSpace(text, at)) return true
  return open.at(-1)?.isPattern ?? false
}

/**
 * True for a name that a pattern of JavaScript takes out of an object under its own name: `a` in `const { a } = value`.
 * It is a member of the value, and binds a local variable.
 */
export function isTakenOut({ text, hasDollars, open }: UseScan, start: number, end: number): boolean {
  const frame = open.at(-1)
  if (!hasDollars || frame?.isPattern !== true || frame.code !== BRACE) return false
  const last = text.charCodeAt(backOverSpace(text, start) - 1)
  return (last === BRACE || last === COMMA) && nextCode(text, end) !== COLON
}

/**
 * The path of the value that a name is bound to; "" if it is bound but the path is unknown; null if it is not bound
 * here.
 */
export function bindingOf(
  scan: UseScan,
  before: PrecedingWord,
  start: number,
  end: number,
): ValuePath | "" | null {
  const { text, language, open } = scan
  const frame = open.at(-1)
  if (frame?.isPattern) return nextCode(text, end) === COLON ? null : ""
  if (frame?.tuple) return boundInTuple(scan, frame.tuple, frame.commas, start, end)
  if (isBindingWord(scan, before, start)) return afterWord(scan, before.word, start, end)
  const style = STYLES[language] ?? NO_STYLE
  if (style.how === "type first" && endsTyped(text, end)) {
    if (isTyped(scan, before, start)) return `:${before.word}`
    const type = typeBefore(scan, start)
    if (type !== null) return type
  }
  return bindsBehind(scan, style, start, end) ? typeAhead(scan, start, end) : null
}

function isBindingWord({ text, language }: UseScan, { word, end }: PrecedingWord, start: number): boolean {
  // Most names are too far from the word before them to be bound by it.
  if (start - end > MAX_WORD_GAP) return false
  if (!BINDING.has(word) && MORE_BINDING[language]?.has(word) !== true) return false
  if (word === "mut" && isReference(text, end - word.length)) return false
  let at = backOverSpace(text, start)
  if (at === end) return true
  // Marks and brackets that may come between: `auto &x`, `as $x`, `for (x in`
  const isLoop = word === "for"
  while (at > end && (MARKS.has(text.charCodeAt(at - 1)) || (isLoop && text.charCodeAt(at - 1) === PAREN)))
    at = backOverSpace(text, at - 1)
  return at === end
}

/**
 * True for Rust's `&mut`, `&'a mut` and `*mut`, which are part of a type or an expression and bind no name, except in
 * patterns such as `for &mut x` and `|&mut x|`.
 */
function isReference(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - MAX_WORD_GAP), at)
  return REFERENCE.test(before) && !REFERENCE_PATTERN.test(before)
}

const REFERENCE = /(?:[&*]|&\s*'\w+)\s*$/
const REFERENCE_PATTERN = /(?:\b(?:let|for)\s+|(?<!\|)\|\s*)&\s*$/

/**
 * Maximum number of characters between a word that binds and the name. There may be line breaks and marks between them.
 */
const MAX_WORD_GAP = 40

/** The characters `$`, `&` and `*`. */
const MARKS: ReadonlySet<number> = new Set([36, 38, 42])

function afterWord(scan: UseScan, word: string, start: number, end: number): ValuePath | "" | null {
  if (word === "as")
    return scan.language === "php" ? (extended(scan.beforeAs, "[]") ?? "") : (scan.beforeAs ?? "")
  if (word === "for") return valueBehind(scan, start, end)
  if (word === "case") return nextCode(scan.text, end) === COLON ? typeAhead(scan, start, end) : null
  return typeAhead(scan, start, end)
}

/**
 * For a name in a pattern, such as `a` in `let (a, b) = pair()`, the path of its value; `at` is the position of the
 * name in the pattern. "" if the path is unknown; null if the name is not bound here.
 */
function boundInTuple(
  scan: UseScan,
  { how, path }: TuplePattern,
  at: number,
  start: number,
  end: number,
): ValuePath | "" | null {
  const next = nextCode(scan.text, end)
  if (next === PAREN || next === BRACE) return null
  if (how === "typed" && isBehindName(scan.text, start)) return null
  if (how === "typed") return GO_LIST_TYPE.test(aheadOf(scan.text, end)) ? typeAhead(scan, start, end) : null
  if (next === COLON) return typeAhead(scan, start, end)
  if (path === "") return ""
  return how === "whole" ? path : (extended(path, `,${at}`) ?? "")
}

/** True for the type in Go's `name Type = value`. */
function isBehindName(text: string, start: number): boolean {
  let at = start
  while (text[at - 1] === " " || text[at - 1] === "\t") at--
  return at < start && /[\w\])]/.test(text[at - 1] ?? "")
}

/** Matches, after a Go name that may be the first of several, a type or a value. */
const GO_LIST_TYPE = /^(?:\s*,\s*\w+)*\s+(?:[\p{L}_*[(]|\.{3}|=(?!=))/u

/** True if the sign that makes it a binding (`:`, `:=`, `=`) comes after the name. */
function bindsBehind(
  scan: UseScan,
  { isColonTyped, how, isRow }: Style,
  start: number,
  end: number,
): boolean {
  const { text, open } = scan
  const next = nextCode(text, end)
  if (isColonTyped && (next === COLON || next === QUESTION) && mayBeParameter(scan, start))
    return PARAMETER.test(aheadOf(text, end))
  if (how === "walrus") return (next === COLON || next === COMMA) && WALRUS.test(aheadOf(text, end))
  if ((how !== "row" && isRow !== true) || (next !== EQUALS && next !== COLON && next !== COMMA)) return false
  const frame = open.at(-1)?.code
  if (frame === PAREN || frame === BRACKET) return false
  return isListStart(text, start) && ASSIGNED.test(aheadOf(text, end))
}

/**
 * True for a name in parentheses, or after the bar of a closure in Rust. False for the middle of `(isNew ? open :
 * close)` and for a part of a union type.
 */
function mayBeParameter({ text, language, open }: UseScan, start: number): boolean {
  const previous = text.charCodeAt(backOverSpace(text, start) - 1)
  if (previous === PIPE) return language === "rust"
  return previous !== QUESTION && open.at(-1)?.code === PAREN
}

const PARAMETER = /^\??\s*:(?!:)/
const WALRUS = /^(?:\s*,\s*\w+)*\s*:=/
const ASSIGNED = /^(?:\s*,\s*[*@$]*\w+)*\s*(?::[^=\n,]*)?=(?![=~>])/
/** The characters `=`, `;`, `,`, `)`, `:` and `}`. */
const TYPED_END: ReadonlySet<number> = new Set([61, 59, 44, 41, 58, 125])
const CLAUSE_BEHIND = /^\s*(?:&&|\|\||->|=>|\?|when\b|in\b)/

/** True if the text after a name allows it to be declared here, with its type before it. */
function endsTyped(text: string, end: number): boolean {
  return TYPED_END.has(nextCode(text, end)) || CLAUSE_BEHIND.test(text.slice(end, end + 8))
}

function aheadOf(text: string, end: number): string {
  return text.slice(end, end + MAX_LOOKAHEAD)
}

export function nextCode(text: string, end: number): number {
  let at = end
  while (text.charCodeAt(at) <= 32) at++
  return text.charCodeAt(at)
}

const TYPE_BEHIND = /^\??\s*:(?!=)\s*((?:<(?:[^<>]|<[^<>]*>)*>|[^=(){};,<>\n])+)/
const GO_TYPE = /^(?:\s*,\s*\w+)*\s+((?:\[\w*\]|map\[[\w.]+\]|\*)*[\p{L}_][\p{L}\p{N}_.]*)/u
/** Matches the type in Swift's `case let x as Store`. */
const TYPE_AS = /^\s+as[?!]?\s+(\p{Lu}[\w.]*)/u

/** The path of a name's type or value, read from the text after the name; "" if it is unknown. */
function typeAhead(scan: UseScan, start: number, end: number): ValuePath | "" {
  const { text, language } = scan
  const ahead = aheadOf(text, end)
  const type = COLON_VALUES.has(language)
    ? undefined
    : (TYPE_BEHIND.exec(ahead)?.[1] ??
      (language === "go" ? GO_TYPE.exec(ahead)?.[1] : TYPE_AS.exec(ahead)?.[1]))
  if (type !== undefined) return pathOfType(type) ?? ""
  return valueBehind(scan, start, end) ?? ""
}

/**
 * Languages in which a colon after a name may be followed by the collection that a loop iterates over, and not by a
 * type.
 */
const COLON_VALUES: ReadonlySet<string> = new Set(["java", "c", "cpp", "ruby", "csharp"])

/** True if there is a type before the name: `Store store =`, `const Store *store;`, `(Store store)`. */
function isTyped({ text, reserved }: UseScan, before: PrecedingWord, start: number): boolean {
  if (before.word === "" || start - before.end > 4 || reserved.has(before.word)) return false
  const between = text.slice(before.end, start)
  if (/^\s+\$?$/.test(between)) return /^\p{Lu}|_t$/u.test(before.word)
  return /^(?:\s+[*&]{1,2}|[*&]{1,2}\s+)$/.test(between)
}

/** True if only spaces, and other names of a list, are before the name on its row. */
function isListStart(text: string, start: number): boolean {
  let at = start - 1
  while (at >= 0 && MAY_LEAD.has(text.charCodeAt(at))) at--
  if (at < 0 || text[at] === "\n") return true
  return (
    text[at] === "," && LIST.test(text.slice(text.lastIndexOf("\n", at) + 1, at + 1).slice(-MAX_LOOKAHEAD))
  )
}

/** Space, tab and the characters `$`, `@` and `*`. */
const MAY_LEAD: ReadonlySet<number> = new Set([32, 9, 36, 64, 42])
const LIST = /^\s*(?:[*@$]*\w+\s*,\s*)*[*@$]*\w+\s*,$/
