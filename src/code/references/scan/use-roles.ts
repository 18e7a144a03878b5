import { backOverSpace } from "../name-chars.ts"
import type { PrecedingWord, UseScan } from "./use-scan.ts"

export const SELF: ReadonlySet<string> = new Set([
  "this",
  "self",
  "Self",
  "cls",
  "super",
  "static",
  "parent",
  "base",
])

/**
 * The word by which a language names the members of the base types. In languages that are not listed, it is "super".
 */
const SUPER_WORDS: Readonly<Record<string, string>> = { php: "parent", csharp: "base" }

/** The word before the dot at `at`: a name, "this", "super", or "?" for an expression. Null if there is no dot. */
export function memberOf(scan: UseScan, at: number, before: PrecedingWord): string | null {
  if (at < 0) return null
  const superWord = SUPER_WORDS[scan.language] ?? "super"
  if (before.end !== at)
    return before.word === superWord && scan.text.slice(before.end, at) === "()" ? "super" : "?"
  if (before.word === superWord) return "super"
  if (SELF.has(before.word)) return "this"
  if (before.word === "crate") return null
  return scan.reserved.has(before.word) ? "?" : (scan.aliases.get(before.word) ?? before.word)
}

/** Offset of the end of the value before a dot; -1 if there is no dot. */
export function endOfValue(scan: UseScan, start: number): number {
  const { text, language } = scan
  let at = backOverSpace(text, start)
  const end = text.charCodeAt(at - 1)
  if (end !== DOT && end !== GREATER && end !== COLON) return -1
  // The dot may be the last character of a comment; comments are skipped.
  at = backOverSilence(scan, at)
  const last = text.charCodeAt(at - 1)
  const second = text.charCodeAt(at - 2)
  if (last === COLON && second === COLON) {
    at -= 2
    // In C++, `::name` without a qualifier is a name in the global namespace.
    if (language === "cpp" && !VALUE_END.test(text[at - 1] ?? "")) return -1
  } else if (last === GREATER && second === MINUS && ARROWS.has(language)) at -= 2
  else if (last === DOT && second !== DOT && language !== "php") at -= 1
  else return -1
  at = backOverSilence(scan, backOverSpace(text, at))
  if (text[at - 1] === "?" || text[at - 1] === "!") at = backOverSpace(text, at - 1)
  return at
}

/** Offset before the comments, and the spaces before them, that end at `at`; `at` itself if there are none. */
function backOverSilence({ text, source: { silent }, silentAt }: UseScan, at: number): number {
  for (let range = silentAt - 2; range >= 0; range -= 2) {
    const [start, end] = [silent[range]!, silent[range + 1]!]
    if (end < at || start >= at || QUOTE.test(text[end - 1]!)) return at
    at = backOverSpace(text, start)
  }
  return at
}

const VALUE_END = /[\p{L}\p{N}_$>)\]]/u
const QUOTE = /["'`]/

/** True if the name that ends at `end` is the qualifier of the next name. */
export function qualifies(text: string, end: number): boolean {
  return text[end] === "." || text[end] === "\\" || text.startsWith("::", end)
}

/**
 * Languages in which `->` takes a member. In other languages it comes before a result type or the body of a function.
 */
const ARROWS: ReadonlySet<string> = new Set(["c", "cpp", "objective-c", "php"])

const DOT = 46
const MINUS = 45
const COLON = 58
const GREATER = 62

/** True if the name is called or instantiated, or if it is a decorator, tag or macro. */
export function isCallLike(
  { text, language, reserved }: UseScan,
  start: number,
  end: number,
  wordBefore: string,
): boolean {
  let at = end
  while (text[at] === " ") at++
  const next = text[at]
  if (next === "(" || (wordBefore === "new" && text[start - 1] === " " && reserved.has("new"))) return true
  if (next === "!" && language === "rust") return /^!\s*[([{]/.test(text.slice(at, at + 4))
  if (next === "`" && at === end) return true
  const previous = text[start - 1]
  if (previous === "@") return true
  if (previous === "<" && isTag(text, language, start)) return true
  return genericEnd(text, at) >= 0
}

/** True for a name that comes after `<` in markup. */
export function isTag(text: string, language: string, start: number): boolean {
  if (text[start - 1] !== "<" || !MARKUP.has(language)) return false
  const before = text[start - 2]
  return before === undefined || /[\s(>{?:&|]/.test(before)
}

const MARKUP: ReadonlySet<string> = new Set(["tsx", "javascript", "vue", "svelte"])

const GENERIC = /(?:::)?<(?:[^<>(){};]|<(?:[^<>(){};]|<[^<>(){};]*>)*>)*>\s?\(/y
const MAX_GENERIC_CHARS = 160

/** Offset after the opening bracket of a call whose type arguments begin at `at`; -1 if it is no such call. */
export function genericEnd(text: string, at: number): number {
  const next = text[at]
  if (next !== "<" && (next !== ":" || !text.startsWith("::<", at))) return -1
  GENERIC.lastIndex = 0
  return GENERIC.test(text.slice(at, at + MAX_GENERIC_CHARS)) ? at + GENERIC.lastIndex : -1
}
