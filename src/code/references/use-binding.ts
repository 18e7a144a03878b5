import { backOverSpace } from "./name-chars.ts"
import type { Before, UseScan } from "./use-scan.ts"
import { extended, pathAhead, pathOfType, type ValuePath } from "./value-path.ts"

const BINDING: ReadonlySet<string> = new Set(["const", "let", "var", "val", "mut", "using"])
const [BRACE, PAREN, COLON, COMMA, EQUALS, QUESTION] = [123, 40, 58, 44, 61, 63]
const MAX_LOOKAHEAD = 120

/** How a language binds names other than with `const` and similar keywords. */
type Style = {
  /** Object literals write their member names before a colon. */
  readonly isKeyed?: true
  /** A parameter's type follows a colon. */
  readonly isColonTyped?: true
  /** "walrus": `a := b`; "row": `a = b` at the beginning of a row; "type first": `Type a`. */
  readonly how?: "walrus" | "row" | "type first"
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
  php: { how: "type first" },
}
const NO_STYLE: Style = {}

/** True if an object literal of the language gets its type from its context. */
export function hasContexts(language: string): boolean {
  return STYLES[language]?.isKeyed ?? false
}

/** True for `name` in `{ name: value }`: a member of the object literal, although no dot precedes it. */
export function isKey({ text, language, open }: UseScan, start: number, end: number): boolean {
  if (open.at(-1)?.code !== BRACE || text.charCodeAt(end) !== COLON) return false
  if (!STYLES[language]?.isKeyed || text.charCodeAt(end + 1) === COLON) return false
  const last = text.charCodeAt(backOverSpace(text, start) - 1)
  return last === BRACE || last === COMMA
}

/** True if the bracket opens a destructuring pattern, as in `const { a, b } =`. */
export function opensPattern({ text, word, wordEnd, open }: UseScan, code: number, at: number): boolean {
  if (code === PAREN) return false
  if (BINDING.has(word) && wordEnd === backOverSpace(text, at)) return true
  return open.at(-1)?.isPattern ?? false
}

/**
 * The path of the value that is bound to the name; "" if it is bound but the text does not tell the value;
 * null if the name is not bound here.
 */
export function bindingOf(scan: UseScan, before: Before, start: number, end: number): ValuePath | "" | null {
  const { text, language, open } = scan
  if (open.at(-1)?.isPattern) return nextCode(text, end) === COLON ? null : ""
  if (BINDING.has(before.word) && before.end === backOverSpace(text, start)) return typeAhead(scan, end)
  const style = STYLES[language] ?? NO_STYLE
  if (style.how === "type first")
    return isTyped(scan, before, start) && TYPED_END.has(nextCode(text, end)) ? `:${before.word}` : null
  return bindsBehind(scan, style, start, end) ? typeAhead(scan, end) : null
}

/** True if the sign that makes it a binding (`:`, `:=`, `=`) follows the name. */
function bindsBehind(
  { text, open }: UseScan,
  { isColonTyped, how }: Style,
  start: number,
  end: number,
): boolean {
  const next = nextCode(text, end)
  if (isColonTyped && open.at(-1)?.code === PAREN && (next === COLON || next === QUESTION))
    return PARAMETER.test(aheadOf(text, end))
  if (how === "walrus") return (next === COLON || next === COMMA) && WALRUS.test(aheadOf(text, end))
  if (how !== "row" || (next !== EQUALS && next !== COLON)) return false
  return isRowStart(text, start) && ASSIGNED.test(aheadOf(text, end))
}

const PARAMETER = /^\??\s*:(?!:)/
const WALRUS = /^(?:\s*,\s*\w+)*\s*:=/
const ASSIGNED = /^\s*(?::[^=\n]*)?=(?![=~>])/
/** `=`, `;`, `,`, `)`, `:` */
const TYPED_END: ReadonlySet<number> = new Set([61, 59, 44, 41, 58])

function aheadOf(text: string, end: number): string {
  return text.slice(end, end + MAX_LOOKAHEAD)
}

export function nextCode(text: string, end: number): number {
  let at = end
  while (text.charCodeAt(at) <= 32) at++
  return text.charCodeAt(at)
}

const TYPE_BEHIND = /^\??\s*:(?!=)\s*((?:<(?:[^<>]|<[^<>]*>)*>|[^=(){};,<>\n])+)/
const GO_TYPE = /^\s+\*?([\p{L}_][\p{L}\p{N}_.]*)/u
/**
 * Matches the text between a name (or the first of several) and the value that it is bound to or iterates over.
 */
const VALUE = /^(?:\s*,\s*\w+)*\s*(?::?=|of\b|in\b)\s*(?!=)/

function typeAhead({ text, language }: UseScan, end: number): ValuePath | "" {
  const ahead = aheadOf(text, end)
  const type = TYPE_BEHIND.exec(ahead)?.[1] ?? (language === "go" ? GO_TYPE.exec(ahead)?.[1] : undefined)
  if (type !== undefined) return pathOfType(type) ?? ""
  const value = VALUE.exec(ahead)?.[0]
  if (value === undefined) return ""
  const isEach = /\b(?:of|in)\s*$/.test(value)
  const made = /^(?:go|rust)$/.test(language)
    ? MADE.exec(text.slice(end + value.length, end + MAX_LOOKAHEAD))?.[1]
    : undefined
  if (made !== undefined) return `:${made}`
  const path = pathAhead(text, end + value.length)
  return (isEach ? extended(path, "[]") : path) ?? ""
}

/** `&store.Store{` */
const MADE = /^&?(?:\w+(?:\.|::))*(\w+)\s*\{/

/** `Store store =`, `const Store *store;`, `(Store store)`. */
function isTyped({ text, reserved }: UseScan, before: Before, start: number): boolean {
  if (before.word === "" || start - before.end > 4 || reserved.has(before.word)) return false
  const between = text.slice(before.end, start)
  if (/^\s+\$?$/.test(between)) return /^\p{Lu}|_t$/u.test(before.word)
  return /^(?:\s+[*&]{1,2}|[*&]{1,2}\s+)$/.test(between)
}

function isRowStart(text: string, start: number): boolean {
  let at = start - 1
  while (at >= 0 && (text[at] === " " || text[at] === "\t")) at--
  return at < 0 || text[at] === "\n"
}
