import { codesEnd, DOLLARS, isClosing, isDigit, isNameCode, isOpening } from "./name-chars.ts"
import { mayBeName, reservedWords } from "./reserved-words.ts"
import { rowAt, type TextLines } from "./text-lines.ts"
import { baseOf } from "./use-bases.ts"
import { bindingOf, isKey, opensPattern } from "./use-binding.ts"
import { USE, type Use } from "./use-code.ts"
import { called, memberOf } from "./use-roles.ts"
import {
  type Before,
  type ImportSpan,
  PATTERN,
  type TagName,
  type UseScan,
  type UseSource,
} from "./use-scan.ts"

/** A generated table names more than anybody asks for. */
const MOST_USES = 20_000
const MOST_NAME_CHARS = 120

/**
 * Every identifier outside comments and strings that is neither reserved nor the name of a definition, in order. The
 * tree says where those are; that alone is a tenth of the cost of asking it for each identifier.
 */
export function usesOf(lines: TextLines, language: string, source: UseSource): Use[] {
  const { text } = lines
  const scan: UseScan = {
    text,
    lines,
    language,
    source,
    reserved: reservedWords(language),
    aliases: aliasesOf(text, source.imports),
    uses: [],
    open: [],
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
    if (!isNameStart(scan, at, code)) bracket(scan, code, at++)
    else if (isDigit(code)) at = codesEnd(text, at, false)
    else {
      const end = source.names.has(at) ? definedEnd(scan, at) : nameEnd(scan, at)
      readName(scan, at, end)
      at = end
      if (scan.uses.length >= MOST_USES) break
    }
  }
  return source.tags?.length ? withTags(scan.uses, source.tags, lines) : scan.uses
}

/** In the order of lines. */
function withTags(uses: readonly Use[], tags: readonly TagName[], lines: TextLines): Use[] {
  const named = tags.map(({ name, at, isCall }) => ({
    name,
    line: rowAt(lines, at) + 1,
    flags: isCall ? USE.call : 0,
    qualifier: null,
  }))
  return [...uses, ...named].sort((one, other) => one.line - other.line)
}

function readName(scan: UseScan, start: number, end: number): void {
  const word = scan.text.slice(start, end)
  const before = { word: scan.word, end: scan.wordEnd }
  scan.word = word
  scan.wordEnd = end
  if (isKeyword(scan, word, end) || scan.source.names.has(start) || end - start > MOST_NAME_CHARS) return
  const { flags, qualifier } = rolesOf(scan, start, end, before)
  if (word.length === 1 && flags === 0) return
  while (scan.row + 1 < scan.lines.count && scan.lines.starts[scan.row + 1]! <= start) scan.row++
  scan.uses.push({
    name: scan.aliases.get(word) ?? meantBy(word, scan.language),
    line: scan.row + 1,
    flags,
    qualifier,
  })
}

/** Svelte's `$cart` is what the store `cart` holds; runes are its own. */
function meantBy(word: string, language: string): string {
  return language === "svelte" && /^\$[\p{L}_]/u.test(word) && !RUNES.has(word) ? word.slice(1) : word
}

const RUNES: ReadonlySet<string> = new Set([
  "$state",
  "$derived",
  "$effect",
  "$props",
  "$bindable",
  "$inspect",
  "$host",
])

function isKeyword({ text, language, reserved }: UseScan, word: string, end: number): boolean {
  if (!reserved.has(word)) return false
  if (!mayBeName(language, word)) return true
  NAME_BEHIND.lastIndex = end
  return NAME_BEHIND.test(text)
}

const NAME_BEHIND = /[ \t]+[\p{L}_]/uy

function rolesOf(
  scan: UseScan,
  start: number,
  end: number,
  before: Before,
): Pick<Use, "flags" | "qualifier"> {
  const call = called(scan, start, end, before.word) ? USE.call : 0
  const module = moduleAt(scan.source.imports, start)
  if (module !== null) return { flags: call | USE.import, qualifier: module }
  const member = memberOf(scan, start, before)
  const base = baseOf(scan, start, end, before.word)
  if (member !== null)
    return base === null
      ? { flags: call | USE.member, qualifier: member }
      : { flags: call | USE.base | USE.member, qualifier: `${base} ${member}` }
  if (base !== null) return { flags: call | USE.base, qualifier: base }
  if (isKey(scan, start, end)) return { flags: call | USE.member, qualifier: null }
  const bound = bindingOf(scan, before, start, end)
  return bound === null
    ? { flags: call, qualifier: null }
    : { flags: call | USE.declares, qualifier: bound === "" ? null : bound }
}

/** A private member of JavaScript begins with "#". */
function isNameStart({ text, hasDollars }: UseScan, at: number, code: number): boolean {
  if (isNameCode(code, hasDollars)) return true
  if (code !== HASH || !hasDollars) return false
  const next = text.charCodeAt(at + 1)
  return isNameCode(next, true) && !isDigit(next)
}

const HASH = 35
/** Deeper ones say nothing more. */
const MOST_OPEN = 1000

function bracket(scan: UseScan, code: number, at: number): void {
  if (isClosing(code)) scan.open.pop()
  else if (isOpening(code) && scan.open.length < MOST_OPEN)
    scan.open.push(opensPattern(scan, code, at) ? PATTERN : code)
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

function silentUntil(scan: UseScan, at: number): number {
  const { silent } = scan.source
  while (scan.silentAt < silent.length && silent[scan.silentAt + 1]! <= at) scan.silentAt += 2
  const start = silent[scan.silentAt]
  return start !== undefined && start <= at ? silent[scan.silentAt + 1]! : at
}

/** Elixir's modules are defined by names with dots. */
function definedEnd(scan: UseScan, start: number): number {
  let end = nameEnd(scan, start)
  while (scan.language === "elixir" && scan.text[end] === ".") end = nameEnd(scan, end + 1)
  return end
}

function nameEnd({ text, language, hasDollars }: UseScan, start: number): number {
  const end = codesEnd(text, start, hasDollars)
  const next = text[end]
  const isRuby = language === "ruby" || language === "elixir"
  return isRuby && (next === "?" || next === "!") && text[end + 1] !== "=" ? end + 1 : end
}
