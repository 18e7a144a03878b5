/**
 * Finds the uses of names in a file in one pass over its text. Comments, strings and names of definitions are known
 * from the syntax tree and skipped. For every other identifier, the state of the scan says what is before it and
 * which brackets are open. From that follow its role (use-scan.ts), what it is a member of and whether it is a parameter
 * or in a pattern (use-frames.ts), and which value it is bound to (use-values.ts).
 */

import { familyOf, nameRules } from "../languages/family.ts"
import { rowAt, type TextLines } from "../text-lines.ts"
import { countedCall, statedArity } from "./arity.ts"
import { defaultUses, renamedUses } from "./exports.ts"
import { importRecords } from "./import-list.ts"
import { markLocals, scopesIn } from "./local-uses.ts"
import { importAlias, literalMethod, USE, type Use } from "./use-code.ts"
import {
  arrowParameter,
  attributeOf,
  closeFrame,
  labelledValue,
  noteName,
  openFrame,
  outermost,
  passCall,
  passKey,
  passName,
  pathBefore,
  setPath,
  shorthandOf,
} from "./use-frames.ts"
import type { ImportSpan, PrecedingWord, TagName, UseScan, UseSource } from "./use-scan.ts"
import { baseOf, endOfValue, genericEnd, isCallLike, mayBind, memberOf, SELF } from "./use-scan.ts"
import {
  bindingOf,
  hasContexts,
  isKey,
  isTakenOut,
  narrowedSubject,
  nextCode,
  noteSubject,
  opensPattern,
  testedType,
} from "./use-values.ts"
import {
  BRACE,
  backOverSpace,
  COLON,
  COMMA,
  codesEnd,
  DOLLARS,
  HASH,
  HYPHENS,
  isClosing,
  isDigit,
  isNameCode,
  isOpening,
  mayBeName,
  reservedWords,
} from "./words.ts"

/** Maximum number of uses read from a file. Only generated tables have more, and their names are rarely searched for. */
export const MAX_USES = 300_000
/** Maximum number of aliases of imports that are recorded in a file. */
const MAX_ALIASES = 200

/**
 * Reads the uses of a file: every identifier outside comments and strings that is neither reserved nor the name of a
 * definition, in order. The text is scanned once, and the syntax tree provides only the ranges of comments, strings and
 * definitions. This takes a tenth of the time of asking the tree about each identifier.
 */
export function usesOf(lines: TextLines, language: string, source: UseSource): Use[] {
  const { text } = lines
  const aliases = aliasesOf(text, language, source)
  const scan: UseScan = {
    text,
    lines,
    language,
    source,
    scopes: scopesIn(text, source),
    reserved: reservedWords(language),
    aliases,
    uses: [],
    places: [],
    letters: new Set(),
    open: [outermost()],
    word: "",
    wordEnd: -1,
    row: 0,
    silentAt: 0,
    importAt: 0,
    types: 0,
    hasDollars: DOLLARS.has(language),
    hasContexts: hasContexts(language),
    path: null,
    pathStart: -1,
    pathEnd: -1,
    generic: null,
    beforeAs: null,
    subject: null,
    arrow: null,
    counted: null,
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
      if (scan.uses.length - scan.letters.size >= MAX_USES) break
    }
  }
  markLocals(scan)
  return withDefaults(scan, withDocs(withTags(withoutLetters(scan), source.tags ?? [], lines), source))
}

/** Adds the uses in JSDoc comments. They come last on a line, so that a type they declare counts before the value. */
function withDocs(uses: Use[], { jsdoc }: UseSource): Use[] {
  const added = jsdoc?.uses ?? []
  return added.length === 0 ? uses : [...uses, ...added].sort((one, other) => one.line - other.line)
}

function withDefaults({ text, lines, language, source, aliases }: UseScan, uses: Use[]): Use[] {
  const aliased = Array.from(aliases, ([alias, name]): Use => {
    return { name: importAlias(alias), line: 1, flags: USE.import, qualifier: name }
  })
  const records = importRecords(language, text, lines, source.imports)
  const renamed = renamedUses(language, records, (alias) => !aliases.has(alias))
  const defaults = familyOf(language) === "js" ? defaultUses(text, lines, records, source.imports) : []
  return [...uses, ...aliased.slice(0, MAX_ALIASES), ...defaults, ...renamed, ...records]
}

/**
 * Removes uses of one-letter names for which no binding was found. When a binding is found, the use is replaced in
 * `uses` by another object, which is not in `letters`.
 */
function withoutLetters({ uses, letters }: UseScan): Use[] {
  return letters.size === 0 ? uses : uses.filter((use) => !letters.has(use))
}

/** Adds a use whose name begins at `start`. */
function push({ uses, places }: UseScan, use: Use, start: number): void {
  uses.push(use)
  places.push(start)
}

/** Adds the uses of tags to the list, which stays ordered by line. */
function withTags(uses: Use[], tags: readonly TagName[], lines: TextLines): Use[] {
  if (tags.length === 0) return uses
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
  const isKeyword = isReserved(scan, word, end)
  if (isKeyword || scan.source.names.has(start) || end - start > 120) {
    if (isKeyword) readKeyword(scan, start, end)
    else {
      keepAssigned(scan, start, before)
      setPath(scan, null, start, end)
      keepDefined(scan, start, end)
      keepLiteralMethod(scan, start)
    }
    return
  }
  const valueEnd = endOfValue(scan, start)
  const use = useAt(scan, start, end, before, valueEnd)
  passName(scan, word, start, end, before, valueEnd)
  if ((use.flags & USE.call) !== 0) passCall(scan, start, end)
  if (word.length > 1 || use.flags !== 0) keep(scan, use, start, end)
  else if (scan.hasContexts) keepLetter(scan, use, start, end)
}

function readKeyword(scan: UseScan, start: number, end: number): void {
  passKeyword(scan, start, end)
  setPath(scan, SELF.has(scan.word) ? "this" : scan.word === "crate" ? "crate" : null, start, end)
  if (scan.text.charCodeAt(end) === COLON) passKey(scan)
}

/**
 * Records what a keyword says about a value: which value a `switch` tests, which type it has in an arm, or which value
 * `as` gives a name to.
 */
function passKeyword(scan: UseScan, start: number, end: number): void {
  if (!TELLING_WORDS.has(scan.word)) return
  if (scan.word === "as") scan.beforeAs = scan.pathEnd === backOverSpace(scan.text, start) ? scan.path : null
  noteSubject(scan, end)
  const narrowed = narrowedSubject(scan, end)
  if (narrowed === null) return
  const { name, path } = narrowed
  push(scan, { name, line: lineAt(scan, start), flags: USE.declares | USE.narrows, qualifier: path }, start)
}

const TELLING_WORDS: ReadonlySet<string> = new Set(["as", "switch", "when", "match", "case", "is"])

/**
 * Keeps the use of a one-letter name only if the text after its bracket shows that the name is bound: `(i) =>
 * i.save()`.
 */
function keepLetter(scan: UseScan, use: Use, start: number, end: number): void {
  if (!noteName(scan, start, nextCode(scan.text, end), use)) return
  scan.letters.add(use)
  push(scan, use, start)
}

/** Adds a use for the name that `const { name } = value` defines, because the name is also a member of the value. */
function keepDefined(scan: UseScan, start: number, end: number): void {
  if (!scan.hasContexts || !scan.open.at(-1)?.isPattern || moduleAt(scan, start) !== null) return
  const use = { name: scan.word, line: lineAt(scan, start), flags: USE.member, qualifier: null }
  noteName(scan, start, nextCode(scan.text, end), use, "key")
  push(scan, use, start)
}

/**
 * Adds a use for the method `save() {}` of an object literal, because the type that the context expects for the object
 * has a member of that name. Without such a type, the use is removed in the end.
 */
function keepLiteralMethod(scan: UseScan, start: number): void {
  const frame = scan.open.at(-1)
  if (!scan.hasDollars || frame?.code !== BRACE || frame.isPattern) return
  if (!BEFORE_METHOD.test(scan.text.slice(Math.max(0, start - 80), start))) return
  const name = literalMethod(scan.word)
  const use = { name, line: lineAt(scan, start), flags: USE.member, qualifier: null }
  if (frame.expected !== null) push(scan, { ...use, path: frame.expected }, start)
  else if (noteName(scan, start, COLON, use, "key")) {
    scan.letters.add(use)
    push(scan, use, start)
  }
}

const BEFORE_METHOD = /[{,]\s*(?:async\s+|get\s+|set\s+|\*\s*)*$/

/**
 * Adds a use for the member that `shop.open = () => …` defines anew: the value before the dot may have a member of that
 * name.
 */
function keepAssigned(scan: UseScan, start: number, before: PrecedingWord): void {
  if (!scan.hasDollars) return
  const valueEnd = endOfValue(scan, start)
  const qualifier = valueEnd < 0 ? null : memberOf(scan, valueEnd, before)
  if (qualifier === null || DEFINING_VALUES.has(qualifier)) return
  const path = pathBefore(scan, valueEnd, qualifier)
  push(scan, { name: scan.word, line: lineAt(scan, start), flags: USE.member, qualifier, path }, start)
}

/** Values whose members are the definitions of a file or a class. */
const DEFINING_VALUES: ReadonlySet<string> = new Set(["this", "?", "exports", "module", "prototype"])

function lineAt(scan: UseScan, at: number): number {
  while (scan.row + 1 < scan.lines.count && scan.lines.starts[scan.row + 1]! <= at) scan.row++
  return scan.row + 1
}

function keep(scan: UseScan, named: Use, start: number, end: number): void {
  const args = statedArity(scan, end)
  const stated = scan.language === "elixir" ? USE.call : 0
  const use = args === undefined ? named : { ...named, flags: named.flags | stated, args }
  if (args === undefined && (use.flags & USE.call) !== 0)
    scan.counted = countedCall(scan, end, genericEnd(scan.text, end))
  const next = nextCode(scan.text, end)
  if (!scan.hasContexts) {
    push(scan, use, start)
    return
  }
  const expected = shorthandOf(scan, use, start, next)
  noteName(scan, start, next, use)
  const isBound = expected !== null && scan.language === "rust" && endsPattern(scan.text, end)
  push(scan, isBound ? { ...use, flags: USE.declares } : use, start)
  if (expected !== null) push(scan, { ...use, flags: USE.member, qualifier: null, path: expected }, start)
}

/**
 * True if the braces of Rust around a name destructure a value: `let Options { name, .. } = options`, and the arm
 * `Options { name } =>`.
 */
function endsPattern(text: string, from: number): boolean {
  let depth = 1
  for (let at = from; at < Math.min(text.length, from + 300); at++) {
    const code = text.charCodeAt(at)
    if (isOpening(code)) depth++
    else if (isClosing(code) && --depth === 0) return PATTERN_BEHIND.test(text.slice(at + 1, at + 40))
  }
  return false
}

const PATTERN_BEHIND = /^[\s)\]}]*(?:=(?![=>])|=>|\|(?!\|)|if\b)/

/**
 * The name that a word refers to. In Svelte, `$cart` is the value of the store `cart`, but the names of runes, Svelte's
 * built-in functions such as `$state`, begin with the sign.
 */
function meantBy(word: string, language: string): string {
  return language === "svelte" && /^\$[\p{L}_]/u.test(word) && !RUNES.has(word) ? word.slice(1) : word
}

const RUNES: ReadonlySet<string> = new Set(
  "$state $derived $effect $props $bindable $inspect $host".split(" "),
)

function isReserved({ text, language, reserved }: UseScan, word: string, end: number): boolean {
  // In Clojure, the word before a slash names a namespace.
  if (!reserved.has(word)) return language === "clojure" && text[end] === "/"
  // `super::u64(x)` calls a function that has the name of a built-in type.
  if (language === "rust" && text[end] === "(" && text.startsWith("::", end - word.length - 2)) return false
  if (!mayBeName(language, word)) return true
  NAME_BEHIND.lastIndex = end
  return NAME_BEHIND.test(text)
}

const NAME_BEHIND = /[ \t]+[\p{L}_]/uy

function useAt(scan: UseScan, start: number, end: number, before: PrecedingWord, valueEnd: number): Use {
  const name = scan.aliases.get(scan.word) ?? meantBy(scan.word, scan.language)
  const line = lineAt(scan, start)
  const call = callFlag(scan, start, end, before.word)
  const module = moduleAt(scan, start)
  if (module !== null) return { name, line, flags: call | USE.import, qualifier: module }
  if (!scan.hasDollars && scan.source.labels?.has(start))
    return { name, line, flags: USE.member, qualifier: null, path: labelledValue(scan) }
  const member = memberOf(scan, valueEnd, before)
  const base = baseOf(scan, start, end, before.word)
  if (member !== null) {
    const path = pathBefore(scan, valueEnd, member)
    return base === null
      ? { name, line, flags: call | USE.member, qualifier: member, path }
      : { name, line, flags: call | USE.base | USE.member, qualifier: `${base} ${path ?? member}` }
  }
  if (base !== null) return { name, line, flags: call | USE.base, qualifier: base }
  if (scan.language === "cpp" && scan.text.startsWith("::", start - 2))
    return { name, line, flags: call | USE.global, qualifier: null }
  const plain = keyOrBinding(scan, { name, line, flags: call, qualifier: null }, before, start, end)
  if (plain !== null) return plain
  const tested = testedType(scan, end, before.word)
  return { name, line, flags: tested === null ? call : call | USE.narrows, qualifier: tested }
}

/**
 * The use of a name that is a key, a property in markup, or bound to a value here; `use` is the same without that. Null for
 * another name.
 */
function keyOrBinding(
  scan: UseScan,
  use: Use,
  before: PrecedingWord,
  start: number,
  end: number,
): Use | null {
  if (!scan.source.values?.has(start) && isKey(scan, start, end))
    return { ...use, flags: use.flags | USE.member, path: passKey(scan) }
  // `Item = Row` in `Iterator<Item = Row>` names an associated type.
  const isBound = scan.language === "rust" && /^ ?=(?![=>])/.test(scan.text.slice(end, end + 3))
  if (isBound && /[<,]\s*$/.test(scan.text.slice(Math.max(0, start - 20), start)))
    return { ...use, flags: use.flags | USE.member }
  const component = attributeOf(scan, end)
  if (component !== null) return { ...use, flags: USE.member, path: component }
  if (isTakenOut(scan, start, end)) return { ...use, flags: use.flags | USE.declares | USE.member }
  if (!mayBind(scan, start)) return null
  const bound = arrowParameter(scan, start, end) ?? bindingOf(scan, before, start, end)
  if (bound === null) return null
  return { ...use, flags: use.flags | USE.declares, qualifier: bound === "" ? null : bound }
}

function callFlag(scan: UseScan, start: number, end: number, wordBefore: string): number {
  return isCallLike(scan, start, end, wordBefore) ? USE.call : 0
}

/** True if a name begins at `at`. In JavaScript, the name of a private member begins with "#". */
function isNameStart({ text, hasDollars }: UseScan, at: number, code: number): boolean {
  if (isNameCode(code, hasDollars)) return true
  if (code !== HASH || !hasDollars) return false
  const next = text.charCodeAt(at + 1)
  return isNameCode(next, true) && !isDigit(next)
}

/** Maximum number of nested brackets; deeper ones are not tracked. */
const MAX_OPEN = 1000

function bracket(scan: UseScan, code: number, at: number): void {
  if (code === COMMA) {
    const frame = scan.open.at(-1)
    if (frame) frame.commas++
  } else if (isClosing(code)) {
    const frame = scan.open.length > 1 ? scan.open.pop() : null
    if (frame) closeFrame(scan, frame, at)
  } else if (isOpening(code) && scan.open.length < MAX_OPEN)
    scan.open.push(openFrame(scan, code, at, opensPattern(scan, code, at)))
}

/**
 * The module of the import statement that contains the offset; null if there is none. Offsets only increase, so imports
 * that have ended are skipped for good.
 */
function moduleAt(scan: UseScan, at: number): string | null {
  const { imports } = scan.source
  while (scan.importAt < imports.length && imports[scan.importAt]!.end <= at) scan.importAt++
  for (let next = scan.importAt; next < imports.length && imports[next]!.start <= at; next++)
    if (at < imports[next]!.end)
      return scan.language === "rust" ? pathInTree(scan, imports[next]!, at) : imports[next]!.module
  return null
}

/**
 * The whole path of the name at an offset in a Rust import: `crate::shop::Cart` for `Cart` in `crate::{shop::{Cart},
 * menu}`.
 */
function pathInTree({ text, word, aliases }: UseScan, { start, module }: ImportSpan, at: number): string {
  if (!module.includes("{")) return module.replace(RENAMED, "")
  if (module.length > MAX_TREE_CHARS) return module
  const groups: string[] = []
  let path = ""
  const before = text.slice(start, at).replace(/\/\/.*/g, "")
  for (const part of before.replace(USE_WORD, "").match(TREE_PARTS) ?? []) {
    if (part === "{") groups.push(path)
    else if (part === "}") groups.pop()
    path = part === "{" || part === "}" || part === "," ? "" : path + part
  }
  if (groups.length === 0) return module
  return groups.join("") + path.replace(RENAMING, "") + (aliases.get(word) ?? word)
}

/** A longer import is not taken apart, because that takes time that grows with the square of its length. */
const MAX_TREE_CHARS = 5_000
const RENAMED = /\s+as\s+\w+$/
const USE_WORD = /^[^{}]*?\buse\s+/

const TREE_PARTS = /[{},]|[^{},\s]+\s*/g
const RENAMING = /\w+\s+as\s+$/

const ALIAS = /([\p{L}_$][\p{L}\p{N}_$]*)\s+as\s+([\p{L}_$][\p{L}\p{N}_$]*)/gu

/**
 * Maps each alias to the name it was imported under: b to a for `import { a as b }`. An alias keeps its own name if the
 * other one has, or may have, another meaning in the file: the file defines it, imports it a second time, or imports all
 * names of a module. All keep it in languages whose packages share names, because another file may define the other name.
 */
function aliasesOf(text: string, language: string, { imports, names }: UseSource): Map<string, string> {
  if (nameRules(familyOf(language)).scope === "package") return new Map()
  const found: [alias: string, name: string][] = []
  let plain = ""
  for (const { start, end } of imports) {
    const written = text.slice(start, end)
    for (const { 1: name, 2: alias, index } of written.matchAll(ALIAS))
      if (name !== "default" && name !== "self" && written[index - 1] !== ".") found.push([alias!, name!])
    plain += `${written.replace(ALIAS, "")} `
  }
  if (found.length === 0 || (plain.includes("*") && familyOf(language) !== "js")) return new Map()
  const others = new Set([
    ...Array.from(names, (at) => text.slice(at, codesEnd(text, at, true))),
    ...(plain.match(WORD) ?? []),
  ])
  const times = Map.groupBy(found, ([, name]) => name)
  return new Map(found.filter(([, name]) => !others.has(name) && isOnce(times.get(name)!)))
}

const WORD = /[\p{L}_$][\p{L}\p{N}_$]*/gu

/** True when the pairs give one alias. */
function isOnce(pairs: readonly (readonly [alias: string, name: string])[]): boolean {
  return pairs.every(([alias]) => alias === pairs[0]![0])
}

function silentUntil(scan: UseScan, at: number): number {
  const { silent } = scan.source
  while (scan.silentAt < silent.length && silent[scan.silentAt + 1]! <= at) scan.silentAt += 2
  const start = silent[scan.silentAt]
  return start !== undefined && start <= at ? silent[scan.silentAt + 1]! : at
}

const DOTTED_NAMES: ReadonlySet<string> = new Set(["elixir", "fsharp", "fsharp-signature"])

/** Offset of the end of a defined name. In some languages, names of modules contain dots. */
function definedEnd(scan: UseScan, start: number): number {
  let end = nameEnd(scan, start)
  while (DOTTED_NAMES.has(scan.language) && scan.text[end] === ".") end = nameEnd(scan, end + 1)
  return end
}

function isLetter(code: number): boolean {
  return isNameCode(code, false) && !isDigit(code)
}

function nameEnd({ text, language, hasDollars }: UseScan, start: number): number {
  let end = codesEnd(text, start, hasDollars)
  while (HYPHENS.has(language) && text[end] === "-" && isLetter(text.charCodeAt(end + 1)))
    end = codesEnd(text, end + 1, hasDollars)
  const next = text[end]
  const isRuby = language === "ruby" || language === "elixir"
  return isRuby && (next === "?" || next === "!") && text[end + 1] !== "=" ? end + 1 : end
}
