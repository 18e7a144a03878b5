import { backOverSpace } from "./name-chars.ts"
import { type Before, PATTERN, type UseScan } from "./use-scan.ts"

const BINDING: ReadonlySet<string> = new Set(["const", "let", "var", "val", "mut"])
const [BRACE, PAREN, COLON, COMMA, EQUALS, QUESTION] = [123, 40, 58, 44, 61, 63]
const MOST_AHEAD = 120

/** How a language binds names, besides `const` and the like. */
type Style = {
  /** What is written out has its names before a colon. */
  readonly isKeyed?: true
  /** A parameter has its type behind a colon. */
  readonly isColonTyped?: true
  /** `a := b`; `a = b` at the beginning of a row; `Type a`. */
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

/** `{ name: value }`: a member of what is written out, though nothing stands before it. */
export function isKey({ text, language, open }: UseScan, start: number, end: number): boolean {
  if (open.at(-1) !== BRACE || text.charCodeAt(end) !== COLON) return false
  if (!STYLES[language]?.isKeyed || text.charCodeAt(end + 1) === COLON) return false
  const last = text.charCodeAt(backOverSpace(text, start) - 1)
  return last === BRACE || last === COMMA
}

/** Whether a bracket is that of `const { a, b } =`. */
export function opensPattern({ text, word, wordEnd, open }: UseScan, code: number, at: number): boolean {
  if (code === PAREN) return false
  if (BINDING.has(word) && wordEnd === backOverSpace(text, at)) return true
  return open.at(-1) === PATTERN
}

/**
 * Null where a name is not bound here. Else what says its type: a type, a function with a bracket behind it whose
 * result it is, or "" where nothing does.
 */
export function bindingOf(scan: UseScan, before: Before, start: number, end: number): string | null {
  const { text, language, open } = scan
  if (open.length > 0 && open[open.length - 1] === PATTERN) return nextCode(text, end) === COLON ? null : ""
  if (BINDING.has(before.word) && before.end === backOverSpace(text, start)) return typeAhead(scan, end)
  const style = STYLES[language] ?? NO_STYLE
  if (style.how === "type first")
    return isTyped(scan, before, start) && TYPED_END.has(nextCode(text, end)) ? before.word : null
  return bindsBehind(scan, style, start, end) ? typeAhead(scan, end) : null
}

/** Where what binds stands behind the name. */
function bindsBehind(
  { text, open }: UseScan,
  { isColonTyped, how }: Style,
  start: number,
  end: number,
): boolean {
  const next = nextCode(text, end)
  if (isColonTyped && open.at(-1) === PAREN && (next === COLON || next === QUESTION))
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
  return text.slice(end, end + MOST_AHEAD)
}

function nextCode(text: string, end: number): number {
  let at = end
  while (text.charCodeAt(at) <= 32) at++
  return text.charCodeAt(at)
}

const TYPE_BEHIND = /^\??\s*:\s*(?:&\s*)?(?:mut\s+|readonly\s+)?([\p{L}_][\p{L}\p{N}_.]*)/u
const GO_TYPE = /^\s+\*?([\p{L}_][\p{L}\p{N}_.]*)/u
const VALUE =
  /^(?:\s*,\s*\w+)*\s*:?=\s*(?:await\s+)?(new\s+|&)?([\p{L}_$][\p{L}\p{N}_$.:#]*)(?:<[^<>()]*>)?\s*([({])/u

function typeAhead({ text, language }: UseScan, end: number): string {
  const ahead = aheadOf(text, end)
  const behind = TYPE_BEHIND.exec(ahead)?.[1] ?? (language === "go" ? GO_TYPE.exec(ahead)?.[1] : undefined)
  if (behind !== undefined) return lastOf(behind)
  const [, made, path, bracket] = VALUE.exec(ahead) ?? []
  if (path === undefined) return ""
  const name = lastOf(path)
  if (made?.startsWith("new") || (bracket === "{" && /^(?:go|rust)$/.test(language))) return name
  if (bracket !== "(") return ""
  // `Store::new(…)` gives a Store, and so does `Store(…)` where a call makes one.
  const owner = /([\p{Lu}][\p{L}\p{N}_]*)::\w+$/u.exec(path)?.[1]
  if (owner !== undefined) return owner
  return /^\p{Lu}/u.test(name) && language !== "go" ? name : `${name}(`
}

function lastOf(path: string): string {
  return path.replace(/^.*(?:\.|::)(?=.)/, "")
}

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
