import type { Definition } from "./definitions.ts"
import { reservedWords } from "./reserved-words.ts"
import type { TextLines } from "./text-lines.ts"
import { USE, type Use } from "./use-code.ts"

/** What of a file's tree its uses are told by; pairs and offsets are UTF-16, sorted. */
export type UseSource = {
  /** Comments and what stands in strings: names nothing. */
  readonly silent: Uint32Array
  /** Where the names of definitions stand. */
  readonly names: ReadonlySet<number>
  readonly imports: readonly ImportSpan[]
  /** Types with what they extend, and containers such as Rust's impl. */
  readonly types: readonly Pick<Definition, "name" | "kind" | "owner" | "start" | "end" | "bodyStart">[]
}

export type ImportSpan = { readonly start: number; readonly end: number; readonly module: string }

/** A generated table names more than anybody asks for. */
const MOST_USES = 20_000
const MOST_NAME_CHARS = 120

const SELF: ReadonlySet<string> = new Set([
  "this",
  "self",
  "Self",
  "cls",
  "super",
  "static",
  "parent",
  "base",
])
const BINDING: ReadonlySet<string> = new Set(["const", "let", "var", "val", "mut"])
const INCLUDING: Readonly<Record<string, ReadonlySet<string>>> = {
  ruby: new Set(["include", "extend", "prepend"]),
  php: new Set(["use"]),
}

type Scan = {
  readonly text: string
  readonly lines: TextLines
  readonly language: string
  readonly source: UseSource
  readonly reserved: ReadonlySet<string>
  readonly aliases: ReadonlyMap<string, string>
  readonly uses: Use[]
  /** The identifier before, and where it ends. */
  word: string
  wordEnd: number
  row: number
  silentAt: number
  /** Types that begin before here. */
  types: number
  readonly hasDollars: boolean
}

/**
 * Every identifier outside comments and strings that is neither reserved nor the name of a definition, in order. The
 * tree says where those are; that alone is a tenth of the cost of asking it for each identifier.
 */
export function usesOf(lines: TextLines, language: string, source: UseSource): Use[] {
  const { text } = lines
  const scan: Scan = {
    text,
    lines,
    language,
    source,
    reserved: reservedWords(language),
    aliases: aliasesOf(text, source.imports),
    uses: [],
    word: "",
    wordEnd: -1,
    row: 0,
    silentAt: 0,
    types: 0,
    hasDollars: DOLLARS.has(language),
  }
  for (let at = 0; at < text.length; ) {
    const silentEnd = silentUntil(scan, at)
    if (silentEnd > at) {
      at = silentEnd
      continue
    }
    const code = text.charCodeAt(at)
    if (!isNameCode(code, scan.hasDollars)) at++
    else if (isDigit(code)) at = codesEnd(text, at, false)
    else {
      const end = nameEnd(scan, at)
      readName(scan, at, end)
      at = end
      if (scan.uses.length >= MOST_USES) break
    }
  }
  return scan.uses
}

function readName(scan: Scan, start: number, end: number): void {
  const word = scan.text.slice(start, end)
  const before = { word: scan.word, end: scan.wordEnd }
  scan.word = word
  scan.wordEnd = end
  if (scan.reserved.has(word) || scan.source.names.has(start) || end - start > MOST_NAME_CHARS) return
  const member = memberOf(scan, start, before)
  const isCall = called(scan, start, end, before.word)
  const module = moduleAt(scan.source.imports, start)
  const base = member === null ? baseOf(scan, start, before.word) : null
  let flags = isCall ? USE.call : 0
  if (module !== null) flags |= USE.import
  else if (base !== null) flags |= USE.base
  else if (member !== null) flags |= USE.member
  else if (binds(scan, before, start, end)) flags |= USE.declares
  if (word.length === 1 && flags === 0) return
  while (scan.row + 1 < scan.lines.count && scan.lines.starts[scan.row + 1]! <= start) scan.row++
  scan.uses.push({
    name: scan.aliases.get(word) ?? word,
    line: scan.row + 1,
    flags,
    qualifier: module ?? base ?? member,
  })
}

type Before = { readonly word: string; readonly end: number }

/** What stands before the dot, "this", or "?" for an expression; null where there is no dot. */
function memberOf({ text, language, reserved }: Scan, start: number, before: Before): string | null {
  let at = backOverSpace(text, start)
  const last = text.charCodeAt(at - 1)
  const second = text.charCodeAt(at - 2)
  if ((last === GREATER && second === MINUS) || (last === COLON && second === COLON)) at -= 2
  else if (last === DOT && second !== DOT && language !== "php") at -= 1
  else return null
  at = backOverSpace(text, at)
  if (text[at - 1] === "?" || text[at - 1] === "!") at = backOverSpace(text, at - 1)
  if (before.end !== at) return "?"
  if (SELF.has(before.word)) return "this"
  return before.word === "crate" ? null : reserved.has(before.word) ? "?" : before.word
}

const DOT = 46
const MINUS = 45
const COLON = 58
const GREATER = 62

function called({ text, language }: Scan, start: number, end: number, wordBefore: string): boolean {
  let at = end
  while (text[at] === " ") at++
  const next = text[at]
  if (next === "(" || (wordBefore === "new" && text[start - 1] === " ")) return true
  if (next === "!" && language === "rust") return /^!\s*[([{]/.test(text.slice(at, at + 4))
  if (next === "`" && at === end) return true
  const previous = text[start - 1]
  if (previous === "@") return true
  if (
    previous === "<" &&
    MARKUP.has(language) &&
    (text[start - 2] === undefined || /[\s(>{?:&|]/.test(text[start - 2]!))
  )
    return true
  if (next === "<" || (next === ":" && text.startsWith("::<", at))) return isGenericCall(text, at)
  return false
}

const MARKUP: ReadonlySet<string> = new Set(["tsx", "javascript", "vue", "svelte"])

const GENERIC = /(?:::)?<(?:[^<>(){};]|<(?:[^<>(){};]|<[^<>(){};]*>)*>)*>\s?\(/y
const MOST_GENERIC_CHARS = 160

function isGenericCall(text: string, at: number): boolean {
  GENERIC.lastIndex = 0
  return GENERIC.test(text.slice(at, at + MOST_GENERIC_CHARS))
}

function binds({ text, language }: Scan, before: Before, start: number, end: number): boolean {
  if (BINDING.has(before.word) && before.end === backOverSpace(text, start)) return true
  let at = end
  while (text[at] === " ") at++
  if (language === "go") return text.startsWith(":=", at)
  if (language !== "python" && language !== "ruby") return false
  return text[at] === "=" && !/[=~>]/.test(text[at + 1] ?? "") && isRowStart(text, start)
}

function isRowStart(text: string, start: number): boolean {
  let at = start - 1
  while (at >= 0 && (text[at] === " " || text[at] === "\t")) at--
  return at < 0 || text[at] === "\n"
}

/** The type whose base is named here: between its name and its body, not among type arguments. */
function baseOf(scan: Scan, start: number, wordBefore: string): string | null {
  const { text, language, source } = scan
  if (INCLUDING[language]?.has(wordBefore)) return innermostType(source.types, start)
  while (scan.types < source.types.length && source.types[scan.types]!.start <= start) scan.types++
  const { name, kind, owner, start: from, end, bodyStart } = source.types[scan.types - 1] ?? NO_TYPE
  if (start >= (bodyStart ?? end)) return null
  if (kind === null)
    return language === "rust" && owner !== null && isTraitOf(text, from, start) ? owner : null
  if (name === null || kind === "module" || kind === "type") return null
  const head = text.slice(from, start)
  const named = head.lastIndexOf(name)
  return named >= 0 && isBaseHead(head.slice(named + name.length), language) ? name : null
}

const NO_TYPE = { name: null, kind: null, owner: null, start: 0, end: 0, bodyStart: 0 }

/** `impl<T> Trait<U> for Type {`: Trait. */
function isTraitOf(text: string, from: number, start: number): boolean {
  const rest = text.slice(start, start + 300)
  return /^(?:unsafe\s+)?impl\b[^{]*$/.test(text.slice(from, start)) && /^\w+(?:<[^{]*?>)?\s+for\s/.test(rest)
}

function isBaseHead(head: string, language: string): boolean {
  if (language === "ruby") return /^\s*<\s*(?:\w+::)*$/.test(head)
  if (language === "python") return /^\s*(?:\[.*\])?\([^()=]*$/.test(head) && !/\[[^\]]*$/.test(head)
  const plain = head.replace(/<[^<>]*>/g, "").replace(/<[^<>]*>/g, "")
  if (/[<({[=]/.test(plain.replace(/^\s*\([^()]*\)/, ""))) return false
  return /\b(?:extends|implements)\b/.test(plain) || /^[^:]*:[^:]/.test(`${plain} `)
}

function innermostType(types: UseSource["types"], at: number): string | null {
  let found: string | null = null
  for (const { name, kind, start, end } of types) {
    if (start > at) break
    if (at < end && kind !== null) found = name
  }
  return found
}

function moduleAt(imports: readonly ImportSpan[], at: number): string | null {
  if (at >= (imports.at(-1)?.end ?? 0)) return null
  for (const { start, end, module } of imports) {
    if (start > at) return null
    if (at < end) return module
  }
  return null
}

const ALIAS = /([\p{L}_$][\p{L}\p{N}_$]*)\s+as\s+([\p{L}_$][\p{L}\p{N}_$]*)/gu

/** `import { a as b }`: each b is an a. */
function aliasesOf(text: string, imports: readonly ImportSpan[]): Map<string, string> {
  const aliases = new Map<string, string>()
  for (const { start, end } of imports)
    for (const [, name, alias] of text.slice(start, end).matchAll(ALIAS)) aliases.set(alias!, name!)
  return aliases
}

function silentUntil(scan: Scan, at: number): number {
  const { silent } = scan.source
  while (scan.silentAt < silent.length && silent[scan.silentAt + 1]! <= at) scan.silentAt += 2
  const start = silent[scan.silentAt]
  return start !== undefined && start <= at ? silent[scan.silentAt + 1]! : at
}

function nameEnd({ text, language, hasDollars }: Scan, start: number): number {
  const end = codesEnd(text, start, hasDollars)
  const next = text[end]
  const isRuby = language === "ruby" || language === "elixir"
  return isRuby && (next === "?" || next === "!") && text[end + 1] !== "=" ? end + 1 : end
}

function codesEnd(text: string, start: number, hasDollars: boolean): number {
  let end = start + 1
  while (end < text.length && isNameCode(text.charCodeAt(end), hasDollars)) end++
  return end
}

/** Where "$" is a letter. */
const DOLLARS: ReadonlySet<string> = new Set(["javascript", "typescript", "tsx", "vue", "svelte", "html"])

/** Letters, digits, "_" and all beyond ASCII. */
function isNameCode(code: number, hasDollars: boolean): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    code === 95 ||
    isDigit(code) ||
    code > 127 ||
    (hasDollars && code === 36)
  )
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}

function backOverSpace(text: string, from: number): number {
  let at = from
  while (at > 0 && text.charCodeAt(at - 1) <= 32) at--
  return at
}
