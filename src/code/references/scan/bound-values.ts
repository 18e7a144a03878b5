/**
 * Finds the value that a name is bound to, from the text around the name: after `=`, in a loop, in a destructuring
 * pattern, in an arm of a `switch` or `match`, or by a type test. The result is a ValuePath; nothing is resolved here.
 */

import { backOverSpace, isClosing, isOpening } from "../name-chars.ts"
import { extended, pathAhead, pathOfType, type ValuePath } from "../value-path.ts"
import type { TuplePattern, UseScan } from "./use-scan.ts"

/** Maximum number of characters that are read before or after a name. */
const MAX_LOOKAHEAD = 120
const MAX_PATTERN_CHARS = 240
const [PAREN, BRACKET, COMMA] = [40, 91, 44]

/**
 * Matches the text between a name (or the first of several names) and the value that it is bound to or iterates over.
 */
const VALUE = /^(?:\s*,\s*[$@]?\w+)*\s*(?::?=|of\b|in\b|<-)\s*(?!=)/
const COLON_EACH = /^\s*:(?!:)\s*/
const EACH = /(?:\b(?:of|in)|<-|:)\s*$/

/** Languages in which `for (Type name : all)` iterates over a collection. */
const COLON_LANGUAGES: ReadonlySet<string> = new Set(["java", "cpp", "c"])
/** Languages in which one statement can bind several names: `a, b = f()`. */
const LISTS: ReadonlySet<string> = new Set(["go", "python", "ruby", "lua", "julia"])
/** Languages in which a value may be followed directly by the body of a block: `if let x = f() {`, `for x in all:`. */
const BLOCKS: ReadonlySet<string> = new Set(["go", "rust", "swift", "python", "scala", "kotlin", "ruby"])

/**
 * The path of the value that a name is bound to, read from the text after the name: `= value`, `:= value`, `in all`,
 * `of all`. `start` and `end` are the offsets of the name. "" if a value follows but its path is unknown; null if no
 * value follows.
 */
export function valueBehind(scan: UseScan, start: number, end: number): ValuePath | "" | null {
  const { text, language } = scan
  const ahead = text.slice(end, end + MAX_LOOKAHEAD)
  const sign = (COLON_LANGUAGES.has(language) ? COLON_EACH.exec(ahead) : null) ?? VALUE.exec(ahead)
  if (sign === null) return null
  const isEach = EACH.test(sign[0])
  const from = end + sign[0].length
  const at = LISTS.has(language) ? positionInList(text, start, ahead) : null
  // In Go's `for key, value := range all`, only the second name is an element of `all`.
  if (language === "go" && text.startsWith("range ", from))
    return at === 1 ? (extended(pathOfValue(scan, from + 6), "[]") ?? "") : ""
  if (isEach) return partPath(extended(pathOfValue(scan, from), "[]"), at) ?? ""
  return (at === null ? pathOfValue(scan, from) : pathInList(scan, from, at)) ?? ""
}

/**
 * The path of the value of the nth name in a list: in `a, b = x, y` it is the nth value, in `a, b = pair()` the nth
 * part of the only value.
 */
function pathInList(scan: UseScan, from: number, at: number): ValuePath | null {
  const values = valuesFrom(scan.text, from)
  if (values.length === 1) return partPath(pathOfValue(scan, from), at)
  const value = values[at]
  return value === undefined ? null : pathOfValue(scan, value)
}

/** The path of the nth part of a value; the path itself if `at` is null; null if there is no value. */
function partPath(path: ValuePath | null, at: number | null): ValuePath | null {
  return at === null ? path : extended(path, `,${at}`)
}

const LIST_BEFORE = /(?:^|[\s;{(])((?:[$@]?\w+\s*,\s*)+)[$@]?$/

/** Index of a name among the names that a statement binds; null if the statement binds only one name. */
function positionInList(text: string, start: number, ahead: string): number | null {
  const before = text.charCodeAt(backOverSpace(text, start) - 1)
  if (before !== COMMA) return /^\s*,/.test(ahead) ? 0 : null
  const list = LIST_BEFORE.exec(text.slice(Math.max(0, start - MAX_LOOKAHEAD), start))?.[1]
  return list === undefined ? null : list.split(",").length - 1
}

/** Offsets of the values in a statement, which are separated by commas outside of brackets. */
function valuesFrom(text: string, from: number): number[] {
  const values = [from]
  let depth = 0
  for (let at = from; at < Math.min(text.length, from + MAX_PATTERN_CHARS); at++) {
    const code = text.charCodeAt(at)
    if (isOpening(code)) depth++
    else if (isClosing(code) && --depth < 0) break
    else if (depth === 0 && (code === 10 || code === 59)) break
    else if (depth === 0 && code === COMMA) values.push(at + 1)
  }
  return values
}

const CASTS: Readonly<Record<string, RegExp>> = {
  go: /(?:&?(?:\w+\.)*(\w+)(?:\[[^\]\n]*\])?\{|new\(\s*([\w.]+)|(?:make\()?((?:\[\w*\]|map\[[\w.*]+\])[\w.*[\]]+))/y,
  rust: /&?(?:\w+::)*([A-Z]\w*)\s*\{/y,
  cpp: /(?:std::)?(?:(?:dynamic|static|const|reinterpret)_(?:pointer_)?cast|make_(?:shared|unique))<\s*([^<>()]+)>/y,
  java: /\(\s*([A-Z][\w.<>]*)\s*\)\s*[\w(]/y,
  csharp: /\(\s*([A-Z][\w.<>]*)\s*\)\s*[\w(]/y,
}
/** Matches a cast: `value as Store`, `value as? Store`. */
const AS = /[^;\n=]{1,80}?\s+as[?!]?\s+([A-Z][\w.]*(?:<[^;=\n]*>)?\??)\s*(?:$|[\n;,){]|\?:|else\b)/y

/** Matches a type assertion in Go: `value.(*Store)`. */
const ASSERTED = /[\w.()[\]]+?\.\(\s*(\*?[\w.]+)\s*\)/y
const AS_LANGUAGES = /^(?:typescript|tsx|vue|svelte|kotlin|swift|csharp|rust|dart)$/

/**
 * The type that a value is cast to; undefined if there is no cast. The text is first searched for ` as` or `.(`,
 * because that is faster than the regular expressions.
 */
function statedType(text: string, language: string, from: number): string | undefined {
  const pattern = language === "go" ? ASSERTED : AS_LANGUAGES.test(language) ? AS : null
  if (pattern === null) return undefined
  const sign = pattern === AS ? " as" : ".("
  if (!text.slice(from, from + MAX_LOOKAHEAD).includes(sign)) return undefined
  pattern.lastIndex = from
  return pattern.exec(text)?.[1]
}

/**
 * The path of the expression at an offset, in the syntax of the file's language; null if the path cannot be determined.
 */
function pathOfValue(scan: UseScan, from: number): ValuePath | null {
  const { text, language } = scan
  const cast = CASTS[language]
  if (cast !== undefined) {
    cast.lastIndex = from
    const made = cast.exec(text)
    if (made !== null) return pathOfType(made[1] ?? made[2] ?? made[3] ?? "")
  }
  const type = statedType(text, language, from)
  if (type !== undefined) return pathOfType(type)
  return importedPath(scan, pathAhead(text, from, BLOCKS.has(language)))
}

/** The path, with an alias replaced by the name it was imported under, and without the `$` of PHP's variables. */
function importedPath({ aliases, language }: UseScan, path: ValuePath | null): ValuePath | null {
  if (path === null) return null
  const plain = language === "php" ? path.replace(/^\$/, "") : path
  const head = /^[^.(@[,]+/.exec(plain)?.[0] ?? ""
  const meant = head === "" ? undefined : aliases.get(head)
  return meant === undefined ? plain : meant + plain.slice(head.length)
}

const GO_LISTS: ReadonlySet<string> = new Set(["var", "const", "func"])
/** Words after which brackets contain names to bind. */
const TUPLE_WORDS: Readonly<Record<string, ReadonlySet<string>>> = {
  rust: new Set(["let", "for", "mut"]),
  swift: new Set(["let", "var", "for"]),
  kotlin: new Set(["val", "var"]),
  scala: new Set(["val", "var", "for"]),
  csharp: new Set(["var"]),
  dart: new Set(["var", "final"]),
  cpp: new Set(["auto"]),
  php: new Set(["list"]),
  go: GO_LISTS,
  python: new Set(["for"]),
}
const WHOLE: ReadonlySet<string> = new Set(["Some", "Ok"])
const LET_BEFORE = /\b(?:let|case)\s+(?:\w+::)*\w+$/
const ARM_BEHIND = /^\s*(?:=>|\||if\b)/
const VALUE_BEHIND = /^\s*(?:=(?![=>])|in\b|of\b|<-|:(?!:))\s*/

/**
 * The value that the bracket at `at` destructures, if the bracket follows a word that binds names and so is a pattern;
 * otherwise null.
 */
export function opensTuple(scan: UseScan, code: number, at: number): TuplePattern | null {
  const { language } = scan
  const words = code === PAREN || code === BRACKET ? TUPLE_WORDS[language] : undefined
  if (words === undefined) return null
  if (language === "go") return code === PAREN && isGoList(scan, at) ? TYPED : null
  return tupleBehind(scan, words, code === BRACKET, at)
}

/** The value that a bracket destructures which may follow one of the words. */
function tupleBehind(
  scan: UseScan,
  words: ReadonlySet<string>,
  isSquare: boolean,
  at: number,
): TuplePattern | null {
  const { text, language, word } = scan
  if (language === "php" && isSquare) return isAssigned(text, at) ? partsBehind(scan, at) : null
  if (isSquare !== (language === "cpp")) return null
  const previous = backOverSpace(text, at)
  const isBehindWord = scan.wordEnd === previous || (isSquare && REFERENCE.test(text.slice(scan.wordEnd, at)))
  if (!isBehindWord) return null
  if (words.has(word)) return partsBehind(scan, at)
  return language === "rust" ? variantOf(scan, at, previous) : null
}

/**
 * True if the bracket holds names with their types in Go: after `var`, `const` or `func`, and the parameters or the
 * results of a function, which are outside of all brackets.
 */
function isGoList({ text, word, wordEnd, open }: UseScan, at: number): boolean {
  const end = backOverSpace(text, at)
  if (wordEnd === end && GO_LISTS.has(word)) return true
  if (open.length > 1) return false
  return text[end - 1] === ")" || GO_FUNCTION.test(text.slice(Math.max(0, end - MAX_LOOKAHEAD), end))
}

const GO_FUNCTION = /\bfunc\s+(?:\([^()]*\)\s*)?\w+(?:\[[^\]]*\])?$/

const TYPED: TuplePattern = { how: "typed", path: "" }
/** Matches the reference signs in C++ `auto &[a, b]`. */
const REFERENCE = /^\s*&{1,2}\s*$/

/** True for a list on the left of an assignment in PHP: `[$a, $b] = pair()`. */
function isAssigned(text: string, at: number): boolean {
  const end = afterClosing(text, at)
  return end > 0 && /^\s*=(?![=>])/.test(text.slice(end, end + 8)) && /[;{}\s]/.test(text[at - 1] ?? "\n")
}

function partsBehind(scan: UseScan, at: number): TuplePattern | null {
  const end = afterClosing(scan.text, at)
  const sign = end < 0 ? null : VALUE_BEHIND.exec(scan.text.slice(end, end + 40))
  if (sign === null) return null
  const path = pathOfValue(scan, end + sign[0].length)
  return { how: "parts", path: (EACH.test(sign[0]) ? extended(path, "[]") : path) ?? "" }
}

/**
 * The value that is destructured by a variant: the value in Rust's `if let Some(x) = value`, or the subject of the
 * match in its arm `Some(x) =>`.
 */
function variantOf(scan: UseScan, at: number, previous: number): TuplePattern | null {
  const { text, word, open } = scan
  if (!/^\p{Lu}/u.test(word)) return null
  const end = afterClosing(text, at)
  if (end < 0) return null
  const how = WHOLE.has(word) ? "whole" : "parts"
  const unknown: TuplePattern = { how, path: "" }
  if (LET_BEFORE.test(text.slice(Math.max(0, previous - 60), previous))) {
    const sign = VALUE_BEHIND.exec(text.slice(end, end + 40))
    const path = sign === null || how === "parts" ? null : pathOfValue(scan, end + sign[0].length)
    return path === null ? unknown : { how, path }
  }
  const subject = open.at(-1)?.subject ?? null
  if (subject === null || !ARM_BEHIND.test(text.slice(end, end + 8))) return null
  return how === "whole" && subject.path !== null ? { how, path: subject.path } : unknown
}

/** Offset after the bracket that closes the one at `at`; -1 if it is too far away. */
function afterClosing(text: string, from: number): number {
  let depth = 0
  for (let at = from; at < Math.min(text.length, from + MAX_PATTERN_CHARS); at++) {
    const code = text.charCodeAt(at)
    if (isOpening(code)) depth++
    else if (isClosing(code) && --depth === 0) return at + 1
  }
  return -1
}

const TYPE_SWITCH = /\s+(?:[^{};\n]*;\s*)?(\w+)\s*:=\s*[^{}\n]*\.\(type\)\s*\{/y
const WHEN = /\s*\(\s*(?:val\s+)?(\w+)(?:\s*=[^{}\n]*)?\)\s*\{/y

/** Records the value that is tested by the `switch`, `when` or `match` whose keyword ends at `end`. */
export function noteSubject(scan: UseScan, end: number): void {
  const { text, language, word } = scan
  if (language === "rust" && word === "match") {
    const at = text.indexOf("{", end)
    if (at > 0 && at - end < MAX_LOOKAHEAD)
      scan.subject = { name: null, path: pathOfValue(scan, end + 1), at }
    return
  }
  let pattern: RegExp
  if (language === "go" && word === "switch") pattern = TYPE_SWITCH
  else if (language === "kotlin" && word === "when") pattern = WHEN
  else return
  pattern.lastIndex = end
  const name = pattern.exec(text)?.[1]
  if (name !== undefined) scan.subject = { name, path: null, at: pattern.lastIndex - 1 }
}

const CASE_TYPES = /\s+([^:\n{}]+):/y
const IS_TYPE = /\s+([\w.]+)/y

/**
 * The tested name, and the path of the type that this arm states: for Go's `case *Store:` and Kotlin's `is Store ->`;
 * null for other arms.
 */
export function narrowedSubject(
  { text, language, word, open }: UseScan,
  end: number,
): { name: string; path: ValuePath } | null {
  const name = open.at(-1)?.subject?.name ?? null
  if (name === null) return null
  let pattern: RegExp
  if (language === "go" && word === "case") pattern = CASE_TYPES
  else if (language === "kotlin" && word === "is") pattern = IS_TYPE
  else return null
  pattern.lastIndex = end
  const type = pattern.exec(text)?.[1]
  const path = type === undefined ? null : pathOfType(type)
  return path === null ? null : { name, path }
}

const TESTED = /^\s+(?:instanceof|is)\s+(?:not\s+)?([\p{Lu}][\w.]*)/u
const IS_INSTANCE = /^\s*,\s*\(?([\w.]+(?:\s*[,|]\s*[\w.]+)*)/

/**
 * The path of the type that a test states for the name: `x instanceof Store`, `isinstance(x, Store)`; null if there is
 * no test.
 */
export function testedType({ text, language }: UseScan, end: number, wordBefore: string): ValuePath | null {
  if (language === "python") {
    if (wordBefore !== "isinstance") return null
    const types = IS_INSTANCE.exec(text.slice(end, end + MAX_LOOKAHEAD))?.[1]
    return types === undefined ? null : pathOfType(types)
  }
  if (text.charCodeAt(end) !== 32 || text.charCodeAt(end + 1) !== 105) return null
  const type = TESTED.exec(text.slice(end, end + MAX_LOOKAHEAD))?.[1]
  return type === undefined ? null : pathOfType(type)
}

const NAMESPACE = /\b\w+(?:\.|::)(?=\w)/g
const FULL_TYPE = /(?:^|[^\w.>])((?:\w+(?:::|\.))*[A-Za-z_]\w*(?:<[^;(){}=]*>)?(?:\[\]|\?)*)[\s*&]+$/

/**
 * The path of the type written directly before a name, if the type has arguments, brackets or `?`: `List<Store> all`;
 * otherwise null.
 */
export function typeBefore({ text }: UseScan, start: number): ValuePath | null {
  const last = text.charCodeAt(backOverSpace(text, start) - 1)
  // The last character of such a type: `>`, `]`, `?`, `*`, `&`
  if (last !== 62 && last !== 93 && last !== 63 && last !== 42 && last !== 38) return null
  if (text.charCodeAt(start - 1) > 32 && last !== 42 && last !== 38) return null
  // If there is a line end between them, the `?` may end a comment, and the name is not declared here.
  if (text.slice(backOverSpace(text, start), start).includes("\n")) return null
  const type = FULL_TYPE.exec(text.slice(Math.max(0, start - MAX_LOOKAHEAD), start))?.[1]
  return type === undefined || !/[<[?]/.test(type) ? null : pathOfType(type.replace(NAMESPACE, ""))
}
