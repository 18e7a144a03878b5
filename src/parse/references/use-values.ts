import { familyOf } from "../languages/family.ts"
import type { PrecedingWord, TuplePattern, UseScan } from "./use-scan.ts"
import { extended, pathAhead, pathOf, pathOfType, type ValuePath } from "./value-path.ts"
import {
  AND,
  BRACE,
  BRACKET,
  backOverSpace,
  COLON,
  COMMA,
  DOT,
  EQUALS,
  isClosing,
  isOpening,
  PAREN,
  PIPE,
  QUESTION,
  reservedWords,
  STAR,
} from "./words.ts"
import { listOf, readType } from "./written-type.ts"

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
    const type = typeBefore(scan, start)
    if (type !== null) return type
    if (isTyped(scan, before, start)) return `:${withModules(scan, before)}`
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
  return BORROWED.test(before) && !REFERENCE_PATTERN.test(before)
}

const BORROWED = /(?:[&*]|&\s*'\w+)\s*$/
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
  if (how === "typed" && !beginsEntry(scan.text, start)) return null
  if (how === "typed") return GO_LIST_TYPE.test(aheadOf(scan.text, end)) ? typeAhead(scan, start, end) : null
  if (next === COLON) return typeAhead(scan, start, end)
  if (path === "") return ""
  return how === "whole" ? path : (extended(path, `,${at}`) ?? "")
}

/** True for a name that begins an entry of a Go list; other names are part of a type: `P` in `(g *P, n int)`. */
function beginsEntry(text: string, start: number): boolean {
  let at = start
  while (text[at - 1] === " " || text[at - 1] === "\t") at--
  return /[(,;\n]/.test(text[at - 1] ?? "\n")
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
  if (how !== undefined && (next === COLON || next === COMMA) && WALRUS.test(aheadOf(text, end)))
    return how !== "type first"
  if (how === "walrus") return isListed(text, start) && GO_NAMES.test(aheadOf(text, end))
  if ((how !== "row" && isRow !== true) || (next !== EQUALS && next !== COLON && next !== COMMA)) return false
  const frame = open.at(-1)?.code
  if (frame === PAREN || frame === BRACKET) return false
  return isListStart(text, start) && ASSIGNED.test(aheadOf(text, end))
}

/** True for a name of Go's `var a, b` that is not the first one. */
function isListed(text: string, start: number): boolean {
  return (
    text[backOverSpace(text, start) - 1] === "," && VAR_LIST.test(text.slice(Math.max(0, start - 80), start))
  )
}

const VAR_LIST = /\bvar\s+(?:\w+\s*,\s*)+$/

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

const COLON_BEHIND = /^[?!]?\s*:(?!=)\s*/
/** Matches, after a Go name, the rest of a list of names and the space before their type. */
const GO_NAMES = /^(?:\s*,\s*\w+)*[ \t]+(?=[\p{L}_*[(]|<-|\.{3})/u
/** Matches what comes before the type in Swift's `case let x as Store`. */
const AS_BEHIND = /^\s+as[?!]?\s+(?=\p{Lu})/u
/** Words of Python whose type argument may be left out; the value then tells the type. */
const INFERRED: ReadonlySet<string> = new Set(["Final", "ClassVar"])

/** The path of a name's type or value, read from the text after the name; "" if it is unknown. */
function typeAhead(scan: UseScan, start: number, end: number): ValuePath | "" {
  const { text, language } = scan
  const ahead = aheadOf(text, end)
  const sign = COLON_VALUES.has(language)
    ? null
    : (COLON_BEHIND.exec(ahead) ?? (language === "go" ? GO_NAMES : AS_BEHIND).exec(ahead))
  if (sign === null) return valueBehind(scan, start, end) ?? ""
  const { type, end: typeEnd } = readType(text, end + sign[0].length, familyOf(language))
  if (type.args.length === 0 && INFERRED.has(type.name)) return valueBehind(scan, start, typeEnd) ?? ""
  const many =
    language === "python" ? text.charCodeAt(start - 1) === STAR : VARIABLE.test(text.slice(start - 8, start))
  return pathOf(many ? listOf(type) : type) ?? ""
}

/** Matches the word before a parameter of Kotlin that takes any number of arguments. */
const VARIABLE = /\bvararg\s+$/

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

/** The name of a type with the modules written before it, as in the canonical text of a type. */
function withModules({ text }: UseScan, { word, end }: PrecedingWord): string {
  const start = end - word.length
  const before = MODULES.exec(text.slice(Math.max(0, start - MAX_LOOKAHEAD), start))?.[0] ?? ""
  return before.replace(/::|\./g, "/") + word
}

const MODULES = /(?:[\p{L}_$][\p{L}\p{N}_$]*(?:\.|::))+$/u

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

/**
 * Finds the value that a name is bound to, from the text around the name: after `=`, in a loop, in a destructuring
 * pattern, in an arm of a `switch` or `match`, or by a type test. The result is a ValuePath; nothing is resolved here.
 */

const MAX_PATTERN_CHARS = 240

/** Matches the text between a name (or the first of several names) and the value that it is bound to or iterates over. */
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
function valueBehind(scan: UseScan, start: number, end: number): ValuePath | "" | null {
  const { text, language } = scan
  const ahead = text.slice(end, end + MAX_LOOKAHEAD)
  const sign = (COLON_LANGUAGES.has(language) ? COLON_EACH.exec(ahead) : null) ?? VALUE.exec(ahead)
  if (sign === null) return null
  const isEach = EACH.test(sign[0])
  const from = end + sign[0].length
  const at = LISTS.has(language) ? positionInList(text, start, ahead) : null
  // In Go's `for key, value := range all`, the second name is an element of `all`; a channel has only one.
  if (language === "go" && text.startsWith("range ", from))
    return extended(pathOfValue(scan, from + 6), at === 1 ? "[]" : "[],0") ?? ""
  if (isEach) return partPath(extended(pathOfValue(scan, from), "[]"), at) ?? ""
  return (at === null ? pathOfValue(scan, from) : pathInList(scan, from, at)) ?? ""
}

/**
 * The path of the value of the nth name in a list: in `a, b = x, y` it is the nth value, in `a, b = pair()` the nth
 * part of the only value.
 */
function pathInList(scan: UseScan, from: number, at: number): ValuePath | null {
  const values = valuesFrom(scan.text, from)
  if (values.length === 1) {
    const path = pathOfValue(scan, from)
    // In Go's `value, ok := all[key]`, the element itself is the first value.
    return scan.language === "go" && at === 0 && path?.endsWith("[]") === true ? path : partPath(path, at)
  }
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
  go: /&?(\w+(?:\.\w+)*(?:\[[^\]\n]*\])?)\{|(?:new|make)\(\s*([^\n]+)|&?((?:\[\w*\]|map\[)[^\n{]+)\{/y,
  rust: /&?((?:\w+::)*[A-Z]\w*)\s*\{/y,
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
    if (made !== null) return pathOfType(made[1] ?? made[2] ?? made[3] ?? "", familyOf(language))
  }
  if (language === "go" && text.startsWith("<-", from)) return extended(pathOfValue(scan, from + 2), "[]")
  const type = statedType(text, language, from)
  if (type !== undefined) return pathOfType(type, familyOf(language))
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
  kotlin: new Set(["val", "var", "for"]),
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
  let previous = backOverSpace(text, at)
  // Kotlin's `for ((key, value) in all)`
  if (language === "kotlin" && word === "for" && text[previous - 1] === "(")
    previous = backOverSpace(text, previous - 1)
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
  const path = type === undefined ? null : pathOfType(type.replaceAll(",", "|"), familyOf(language))
  return path === null ? null : { name, path }
}

const TESTED = /^\s+(?:instanceof|is)\s+(?:not\s+)?([\p{Lu}\\][\w.\\]*)/u
const IS_INSTANCE = /^\s*,\s*\(?([\w.]+(?:\s*[,|]\s*[\w.]+)*)/

/**
 * The path of the type that a test states for the name: `x instanceof Store`, `isinstance(x, Store)`; null if there is
 * no test.
 */
export function testedType({ text, language }: UseScan, end: number, wordBefore: string): ValuePath | null {
  if (language === "python") {
    if (wordBefore !== "isinstance") return null
    const types = IS_INSTANCE.exec(text.slice(end, end + MAX_LOOKAHEAD))?.[1]
    return types === undefined ? null : pathOfType(types.replaceAll(",", "|"), "python")
  }
  if (text.charCodeAt(end) !== 32 || text.charCodeAt(end + 1) !== 105) return null
  const type = TESTED.exec(text.slice(end, end + MAX_LOOKAHEAD))?.[1]
  return type === undefined ? null : pathOfType(type, familyOf(language))
}

const FULL_TYPE =
  /(?:^|[^\w.>])((?:\w+(?:::|\.))*[A-Za-z_]\w*(?:<(?:[^<>;(){}=]|<(?:[^<>;(){}=]|<[^<>;(){}=]*>)*>)*>)?(?:\[\s*\]|\?|\.{3})*)[\s*&]+(?:\.{3})?$/
/** Matches the type before a name of PHP: `?Store $a`, `Store|null $b`, `\Shop\Store $c`, `Store ...$d`. */
const PHP_TYPE = /(?:^|[\s(,])(\??\\?[A-Za-z_][\w\\]*(?:[|&]\\?[A-Za-z_][\w\\]*)*)\s+&?(\.{3})?\$$/

/**
 * The path of the type written directly before a name, if the type has arguments, brackets or `?`: `List<Store> all`;
 * otherwise null.
 */
function typeBefore({ text, language }: UseScan, start: number): ValuePath | null {
  const before = text.slice(Math.max(0, start - MAX_LOOKAHEAD), start)
  if (language === "php") {
    const [, written, many] = PHP_TYPE.exec(before) ?? []
    if (written === undefined || reservedWords("php").has(written)) return null
    const { type } = readType(written, 0, "php")
    return pathOf(many === undefined ? type : listOf(type))
  }
  const last = text.charCodeAt(backOverSpace(text, start) - 1)
  // The last character of such a type: `>`, `]`, `?`, `*`, `&`, `.`
  if (!TYPE_ENDS.has(last)) return null
  if (text.charCodeAt(start - 1) > 32 && last !== STAR && last !== AND) return null
  // If there is a line end between them, the `?` may end a comment, and the name is not declared here.
  if (text.slice(backOverSpace(text, start), start).includes("\n")) return null
  const type = FULL_TYPE.exec(before)?.[1]
  return type === undefined || !/[<[?.]/.test(type) ? null : pathOfType(type, familyOf(language))
}

const TYPE_ENDS: ReadonlySet<number> = new Set([62, 93, QUESTION, STAR, AND, DOT])
