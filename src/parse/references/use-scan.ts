import type { Definition } from "../definitions.ts"
import type { TextLines } from "../text-lines.ts"
import type { CountedCall } from "./arity.ts"
import type { Jsdoc } from "./jsdoc.ts"
import type { Scopes } from "./scopes.ts"
import type { Use } from "./use-code.ts"
import type { ValuePath } from "./value-path.ts"
import { BACKSLASH, backOverSpace } from "./words.ts"

/** Data from a file's syntax tree that is needed to find its uses. Offsets count UTF-16 units and are sorted. */
export type UseSource = {
  /** Ranges of comments and strings, as pairs of offsets. No uses are searched in them. */
  readonly silent: Uint32Array
  /** Offsets of the names of definitions, and of names that a template binds. */
  readonly names: ReadonlySet<number>
  readonly imports: readonly ImportSpan[]
  /** Scopes and the names bound in them; see `Captures.scoping`. Empty if the grammar's query has none. */
  readonly scoping?: readonly number[]
  /** Functions and methods of a language whose query captures no scopes. */
  readonly functions?: readonly Pick<Definition, "start" | "end">[]
  /** Offsets of the names of members before their values, as in a named argument. */
  readonly labels?: ReadonlySet<number>
  /** Offsets of names before a colon that are values and no members. */
  readonly values?: ReadonlySet<number>
  /** Names that tags and directives of a template use, in the spelling of its script. */
  readonly tags?: readonly TagName[]
  /** What the comments say about types; null or absent if there are no JSDoc comments. */
  readonly jsdoc?: Jsdoc | null
  /** Types, and containers such as Rust's impl, with the offsets of their heads. */
  readonly types: readonly Pick<Definition, "name" | "kind" | "owner" | "start" | "end" | "bodyStart">[]
}

/** `at` is a UTF-16 offset. */
export type TagName = { readonly name: string; readonly at: number; readonly isCall: boolean }

export type ImportSpan = { readonly start: number; readonly end: number; readonly module: string }

/** The state while the uses of one file are read. */
export type UseScan = {
  readonly text: string
  readonly lines: TextLines
  readonly language: string
  readonly source: UseSource
  /** Null if the grammar's query captures no scopes. */
  readonly scopes: Scopes | null
  readonly reserved: ReadonlySet<string>
  readonly aliases: ReadonlyMap<string, string>
  readonly uses: Use[]
  /** Offsets of the names of `uses`. */
  readonly places: number[]
  /** Uses that are left out in the end: of one letter, as long as nothing has bound them, and of local variables. */
  readonly letters: Set<Use>
  /** The brackets that are open, outermost first. */
  readonly open: OpenBracket[]
  /** The previous identifier. `wordEnd` is the offset of its end. */
  word: string
  wordEnd: number
  row: number
  silentAt: number
  /** Number of imports, counted from the first, that end before the current offset. */
  importAt: number
  /** Number of types that begin before the current offset. */
  types: number
  readonly hasDollars: boolean
  /** True if an object literal of the language gets its type from its context. */
  readonly hasContexts: boolean
  /** Path of the value that was read last, and the offsets of its start and end. */
  path: ValuePath | null
  pathStart: number
  pathEnd: number
  /**
   * The latest call with type arguments: the path of the called function, the offset of its start, and the offset of
   * its opening bracket.
   */
  generic: { readonly path: ValuePath | null; readonly start: number; readonly at: number } | null
  /**
   * Path of the value before the latest `as`, in languages where `as` is followed by a name that is bound to the value.
   */
  beforeAs: ValuePath | null
  /** The value that a `switch`, `when` or `match` tests, and the offset where its body begins. */
  subject: { readonly name: string | null; readonly path: ValuePath | null; readonly at: number } | null
  /** The result that the context expects of the arrow function whose parameters were read last. */
  arrow: ValuePath | null
  /** The latest call of a language with overloads: the index of its use, and the offset where its bracket opens. */
  counted: CountedCall | null
}

/** A bracket that is open at the current offset. */
export type OpenBracket = {
  readonly code: number
  /** Offset of the bracket; if the bracket calls or indexes a value, offset of that value. */
  readonly at: number
  /** True if the bracket is a pattern that binds the names in it: `const { a, b } =`. */
  readonly isPattern: boolean
  /** Path of the value that the bracket calls or indexes; null if there is none. */
  readonly path: ValuePath | null
  /** Path of the value that the context expects for the bracket, for example because of a declared type. */
  readonly expected: ValuePath | null
  /** Path of the value that `return` returns inside the bracket. */
  readonly result: ValuePath | null
  /**
   * The values that a pattern such as `(a, b)` in `let (a, b) = pair()` destructures; null if the bracket is no such
   * pattern.
   */
  readonly tuple: TuplePattern | null
  /** The value that the arms in the bracket test; null if there is none. */
  readonly subject: UseScan["subject"]
  /** The call that the bracket holds the arguments of, if they are counted. */
  readonly call: CountedCall | null
  /** Number of commas read in the bracket so far. */
  commas: number
  /** Path of the properties of the markup element that began last. */
  tag: ValuePath | null
  /** The key before the last colon. */
  key: string | null
  /** Names that the bracket may bind; whether it does is known after it closes. */
  named: PatternName[] | null
}

/**
 * How a bracket binds names: "parts": to the parts of the value of `path`; "whole": to that value itself; "typed": by
 * the type after each name (Go's `var (…)` and parameters). An empty path means that the value is unknown.
 */
export type TuplePattern = { readonly how: "parts" | "whole" | "typed"; readonly path: ValuePath | "" }

/**
 * A name that a bracket may bind. `use`: index of its use. `as`: "key" if it is a member of the bound value, "local" if
 * it is a local variable, "both" if it is both.
 */
export type PatternName = {
  readonly use: number
  readonly name: string
  readonly as: "key" | "local" | "both"
  /**
   * The step of the path that leads from the bound value to another value: to the one that the name is a member of
   * ("key", "both"), or to the one that the name refers to ("local").
   */
  readonly member: string
}

/** True if a name may be bound at `at`. The query of a page captures no bindings in the expressions of its template. */
export function mayBind({ scopes, language }: UseScan, at: number): boolean {
  return scopes === null || scopes.isBound(at) || PAGES.has(language)
}

const PAGES: ReadonlySet<string> = new Set(["vue", "svelte", "html"])

export type PrecedingWord = { readonly word: string; readonly end: number }

export const SELF: ReadonlySet<string> = new Set("this self Self cls super static parent base".split(" "))

/** The word by which a language names the members of the base types. In languages that are not listed, it is "super". */
const SUPER_WORDS: Readonly<Record<string, string>> = { php: "parent", csharp: "base" }

/** The word before the dot at `at`: a name, "this", "super", or "?" for an expression. Null if there is no dot. */
export function memberOf(scan: UseScan, at: number, before: PrecedingWord): string | null {
  if (at < 0) return null
  const superWord = SUPER_WORDS[scan.language] ?? "super"
  if (before.end !== at)
    return before.word === superWord && scan.text.slice(before.end, at) === "()" ? "super" : "?"
  if (before.word === superWord) return "super"
  if (SELF.has(before.word)) return "this"
  if (before.word === "crate") return before.word
  return scan.reserved.has(before.word) ? "?" : (scan.aliases.get(before.word) ?? before.word)
}

/** Length of the sign between a value and its member that ends at an offset; 0 if there is none. */
function signLength({ text, language }: UseScan, end: number): number {
  const last = text.charCodeAt(end - 1)
  const second = text.charCodeAt(end - 2)
  if (last === COLON) return second === COLON ? 2 : Number(language === "lua")
  if (last === GREATER) return second === MINUS && ARROWS.has(language) ? 2 : 0
  if (language !== "php") return last === DOT && second !== DOT ? 1 : 0
  return last === BACKSLASH && VALUE_END.test(text[end - 2] ?? "") ? 1 : 0
}

/** Offset of the end of the value before a dot; -1 if there is no dot. */
export function endOfValue(scan: UseScan, start: number): number {
  const { text, language } = scan
  let at = backOverSpace(text, start)
  const end = text.charCodeAt(at - 1)
  if (end !== DOT && end !== GREATER && end !== COLON && end !== BACKSLASH) return -1
  // The dot may be the last character of a comment; comments are skipped.
  at = backOverSilence(scan, at)
  const length = signLength(scan, at)
  if (length === 0) return -1
  at -= length
  // In C++, `::name` without a qualifier is a name in the global namespace.
  if (end === COLON && language === "cpp" && !VALUE_END.test(text[at - 1] ?? "")) return -1
  at = backOverSilence(scan, backOverSpace(text, at))
  while (text[at - 1] === "?" || text[at - 1] === "!") at = backOverSpace(text, at - 1)
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
function qualifies(text: string, end: number): boolean {
  return text[end] === "." || text[end] === "\\" || text.startsWith("::", end)
}

/** Languages in which `->` takes a member. In other languages it comes before a result type or the body of a function. */
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
  if (language === "clojure") return CLOJURE_CALL.test(text.slice(Math.max(0, start - 80), start))
  if (next === "!" && language === "rust") return /^!\s*[([{]/.test(text.slice(at, at + 4))
  if (next === "`" && at === end) return true
  const previous = text[start - 1]
  if (previous === "@" && language !== "ruby") return true
  if (previous === "<" && isTag(text, language, start)) return true
  return genericEnd(text, at) >= 0
}

const CLOJURE_CALL = /(?<!')\((?:[^\s()[\]{}"]+\/)?$/

/** True for a name that comes after `<` in markup. */
export function isTag(text: string, language: string, start: number): boolean {
  if (text[start - 1] !== "<" || !MARKUP.has(language)) return false
  const before = text[start - 2]
  return before === undefined || /[\s(>{?:&|]/.test(before)
}

const MARKUP: ReadonlySet<string> = new Set(["tsx", "javascript", "vue", "svelte"])

const GENERIC = /(?:::)?<(?:[^<>(){};]|<(?:[^<>(){};]|<[^<>(){};]*>)*>)*>\s?\(/y

/** Offset after the opening bracket of a call whose type arguments begin at `at`; -1 if it is no such call. */
export function genericEnd(text: string, at: number): number {
  const next = text[at]
  if (next !== "<" && (next !== ":" || !text.startsWith("::<", at))) return -1
  GENERIC.lastIndex = 0
  return GENERIC.test(text.slice(at, at + 160)) ? at + GENERIC.lastIndex : -1
}

const INCLUDING: Readonly<Record<string, ReadonlySet<string>>> = {
  ruby: new Set(["include", "extend", "prepend"]),
  php: new Set(["use"]),
}

/**
 * The type that extends or implements the name at `start`; null if the name is not a base type. A base is written
 * between the name of the type and its body, outside of type arguments.
 */
export function baseOf(scan: UseScan, start: number, end: number, wordBefore: string): string | null {
  const { text, source } = scan
  // In `nn.Module` the base is Module, not nn.
  if (qualifies(text, end)) return null
  if (isIncluded(scan, start, wordBefore)) return innermostType(source.types, start)
  while (scan.types < source.types.length && source.types[scan.types]!.start <= start) scan.types++
  return baseIn(scan, source.types[scan.types - 1] ?? NO_TYPE, start, end)
}

/** Like `baseOf`, but considers only the last type that begins before the name. */
function baseIn(
  scan: UseScan,
  { name, kind, owner, start: from, end: to, bodyStart }: UseSource["types"][number],
  start: number,
  end: number,
): string | null {
  const { text, language } = scan
  if (language === "go") return start < to && isEmbedded(scan, start, end) ? name : null
  if (start >= (bodyStart ?? to)) return null
  if (kind === null)
    return language === "rust" && owner !== null && isTraitOf(text, from, start) ? owner : null
  // In Python, `metaclass=Meta` is a keyword argument and no base.
  if (name === null || NO_HEIRS.has(kind) || (language === "python" && text[end] === "=")) return null
  return isBehind(name, text.slice(from, start), language) ? name : null
}

const ALONE_BEFORE = /(?:^|[\n;{])[ \t]*\*?(?:\w+\.)?$/
const ALONE_BEHIND = /^(?:\[[^\]\n]*\])?[ \t]*(?:`[^`\n]*`|"[^"\n]*")?[ \t]*(?:\/\/|\r?\n|;|\}|$)/

/** True for a name alone on its row in the body of a Go struct or interface (embedding): `*Store`, `io.Reader`. */
function isEmbedded({ text, open }: UseScan, start: number, end: number): boolean {
  if (open.at(-1)?.code !== BRACE) return false
  return (
    ALONE_BEHIND.test(text.slice(end, end + 80)) &&
    ALONE_BEFORE.test(text.slice(Math.max(0, start - 80), start))
  )
}

const BRACE = 123

const NO_HEIRS: ReadonlySet<string> = new Set(["module", "type"])

function isBehind(name: string, head: string, language: string): boolean {
  const named = head.lastIndexOf(name)
  return named >= 0 && isBaseHead(head.slice(named + name.length), language)
}

const QUALIFIED: Readonly<Record<string, RegExp>> = {
  ruby: /(?:^|[\n;])\s*(?:include|extend|prepend)\s+(?:\w+::)+$/,
  php: /\buse\s+\\?(?:\w+\\)+$/,
}

/** True for the name of a Ruby module that is included: Shared in `include Shared` and `include Admin::Shared`. */
function isIncluded({ text, language }: UseScan, start: number, wordBefore: string): boolean {
  if (INCLUDING[language]?.has(wordBefore)) return true
  const previous = text[start - 1]
  if (previous !== ":" && previous !== "\\") return false
  return QUALIFIED[language]?.test(text.slice(Math.max(0, start - 120), start)) ?? false
}

const NO_TYPE = { name: null, kind: null, owner: null, start: 0, end: 0, bodyStart: 0 }

/** True for the trait in a Rust impl: Trait in `impl<T> Trait<U> for Type {`. */
function isTraitOf(text: string, from: number, start: number): boolean {
  const rest = text.slice(start, start + 300)
  return /^(?:unsafe\s+)?impl\b[^{]*$/.test(text.slice(from, start)) && /^\w+(?:<[^{]*?>)?\s+for\s/.test(rest)
}

function isBaseHead(head: string, language: string): boolean {
  if (language === "ruby") return /^\s*<\s*(?:\w+::)*$/.test(head)
  if (language === "python") return /^\s*(?:\[.*\])?\([^()=]*$/.test(head) && !/\[[^\]]*$/.test(head)
  const plain = head.replace(INNER, "").replace(INNER, "")
  if (/[<({[=]|\bwhere\b/.test(plain)) return false
  return /\b(?:extends|implements)\b/.test(plain) || /^[^:]*:[^:]/.test(`${plain} `)
}

/** Matches type arguments, and the parameters or arguments of a constructor. */
const INNER = /<[^<>]*>|\([^()]*\)/g

function innermostType(types: UseSource["types"], at: number): string | null {
  let found: string | null = null
  for (const { name, kind, start, end } of types) {
    if (start > at) break
    if (at < end && kind !== null) found = name
  }
  return found
}
