/*
 * Finds symbols that no code uses. `unusedIn`: 1. the symbol graph lists definitions without uses; 2. each is checked
 * for callers outside of the code: published API, frameworks, names in strings, templates and files whose uses are
 * not read; 3. a symbol with such a possible caller gets a reason and a low confidence; 4. the rest is listed, most
 * certain first.
 */

import { FILE_FLAG } from "../../../base/files/file-flag.ts"
import { TEMPLATE_LANGUAGES } from "../../../code/references/embedded-names.ts"
import type { FileAmount } from "../../../store/index/file-rows.ts"
import { isType, type SymbolDefinition } from "../../../symbols/definition.ts"
import { headOf, type OutsideCaller, outsideCaller } from "../../../symbols/references/outside-callers.ts"
import { type Unused, unusedSymbols } from "../../../symbols/references/unused.ts"
import type { SymbolGraph } from "../../../symbols/symbol-graph.ts"
import { readSource } from "../../../text/files/read-source.ts"
import type { Project } from "../../project/open-project.ts"
import type { RelatedDefinition, SymbolResults } from "../symbol-answer.ts"
import { unreadLanguagesNote, unreadNotices } from "../unread-notices.ts"
import { PublishedApi } from "./published-api.ts"

/** Maximum number of characters of all files that are searched for the names. */
const MAX_TEXT_CHARS = 64_000_000
/** Maximum confidence that a symbol is unused, if something outside of the code may call it. */
const MAYBE_CALLED = 0.2

const BESIDE = FILE_FLAG.example | FILE_FLAG.bench | FILE_FLAG.docs | FILE_FLAG.compat

/**
 * Symbols that no code uses, most certain first. Those that something outside of the code may call are counted by
 * reason; `isAll` lists them too.
 */
export function unusedIn(
  graph: SymbolGraph,
  project: Project,
  isWanted: (path: string) => boolean,
  isAll: boolean,
): SymbolResults {
  const all = unusedSymbols(graph, isWanted)
  const files = graph.store.files.amounts()
  const texts = new FileTexts(project)
  const mentioned = mentionsOf(all, files, graph, texts)
  const api = new PublishedApi(graph, files, (path) => texts.read(path))
  graph.prepareCandidates(all.map(({ definition }) => definition.symbol.name))
  const isSibling = siblingsAmong(all)
  const weighed = all.map((each): RelatedDefinition => {
    const reason = isSibling(each.definition)
      ? "found by a framework through its name or place"
      : outsideReason(each.definition, { graph, api, texts, mentioned })
    return reason === null ? each : { ...each, reason, confidence: Math.min(each.confidence, MAYBE_CALLED) }
  })
  const listed = weighed.filter(({ reason }) => isAll || reason === undefined)
  return {
    definitions: [],
    related: listed.sort((one, other) => other.confidence - one.confidence),
    notices: [
      ...leftOutNotes(weighed, isAll),
      ...(mentioned.isComplete
        ? []
        : ["the project is too large: not every string was searched for the names"]),
      ...unreadNotices(graph.store, []),
      ...unreadLanguagesNote(graph.store, []),
    ],
  }
}

/** If a folder has at least this many types with the same base, a program may find them by searching the folder. */
const MIN_SIBLINGS = 3

function siblingsAmong(all: readonly Unused[]): (definition: SymbolDefinition) => boolean {
  const keysOf = ({ symbol, file }: SymbolDefinition) =>
    isType(symbol) ? Array.from(file.basesOf(symbol.name), (base) => `${file.folder} ${base}`) : []
  const counts = new Map<string, number>()
  for (const { definition } of all)
    for (const key of keysOf(definition)) counts.set(key, (counts.get(key) ?? 0) + 1)
  return (definition) => keysOf(definition).some((key) => counts.get(key)! >= MIN_SIBLINGS)
}

function leftOutNotes(all: readonly RelatedDefinition[], isAll: boolean): string[] {
  const counts = new Map<string, number>()
  for (const { reason } of all) if (reason !== undefined) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  if (counts.size === 0) return []
  const total = [...counts.values()].reduce((sum, each) => sum + each, 0)
  const why = [...counts]
    .sort(([one, a], [other, b]) => b - a || (one < other ? -1 : 1))
    .map(([reason, count]) => `${count} ${reason}`)
    .join(", ")
  return [
    isAll
      ? `${total} of them may be called from outside of the code: ${why}`
      : `${total} more may be called from outside of the code (--all lists them): ${why}`,
  ]
}

type UsageReader = {
  readonly graph: SymbolGraph
  readonly api: PublishedApi
  readonly texts: FileTexts
  readonly mentioned: Mentions
}

function outsideReason(
  definition: SymbolDefinition,
  { graph, api, texts, mentioned }: UsageReader,
): OutsideCaller | null {
  if ((definition.file.flags & BESIDE) !== 0) return "in an example, a benchmark or a test"
  const lines = texts.lines(definition.file.path)
  const reason = outsideCaller(definition, lines, graph)
  if (reason !== null) return reason
  if (mentioned.has(definition)) return "named in a string, a template or a configuration file"
  return api.has(definition, headOf(definition, lines)) ? "public API of a library" : null
}

/** Reads files of a project. Only the text of the last file is cached. */
class FileTexts {
  readonly #project: Project
  #path = ""
  #text: string | null = null
  #lines: readonly string[] | null = null

  constructor(project: Project) {
    this.#project = project
  }

  read(path: string): string | null {
    if (this.#path === path) return this.#text
    const { root, config } = this.#project
    const source = readSource(root, path, config.index.maxFileBytes)
    this.#path = path
    this.#text = "reason" in source ? null : source.text
    this.#lines = null
    return this.#text
  }

  lines(path: string): readonly string[] {
    const text = this.read(path)
    this.#lines ??= (text ?? "").split("\n")
    return this.#lines
  }
}

type Mentions = { readonly has: (definition: SymbolDefinition) => boolean; readonly isComplete: boolean }

/**
 * Finds the names that occur as text: anywhere in files whose uses are not read, in strings of the other files, and
 * as parts of names that a macro or reflection puts together.
 */
function mentionsOf(
  all: readonly Unused[],
  files: readonly FileAmount[],
  graph: SymbolGraph,
  texts: FileTexts,
): Mentions {
  const words = new WordFinder(all.map(({ definition }) => comparedName(definition)))
  const read = new Set(graph.store.uses.ids())
  const found = new Set<string>()
  const parts: NameParts = { starts: new Set(), ends: new Set() }
  let left = all.length === 0 ? 0 : MAX_TEXT_CHARS
  let isComplete = true
  for (const { id, path, content, language } of files) {
    const isCode = read.has(id) && !TEMPLATE_LANGUAGES.has(language)
    if (content === "docs" && !read.has(id)) continue
    if (left <= 0) {
      isComplete = all.length === 0
      break
    }
    const text = texts.read(path)
    if (text === null) continue
    left -= text.length
    words.each(text, (word, start) => {
      if (!found.has(word) && (!isCode || isInString(text, start, start + word.length))) found.add(word)
    })
    if (isCode) noteParts(text, parts)
  }
  const has = (definition: SymbolDefinition) => {
    const name = comparedName(definition)
    return found.has(name) || isComposed(name, parts)
  }
  return { has, isComplete }
}

function comparedName({ symbol }: SymbolDefinition): string {
  return symbol.name.replace(/^(?:r#|[#~])|[!?=]$/g, "")
}

/**
 * Finds words of a set in texts. Most other words are excluded by a key of their length, first and last letter,
 * without being copied from the text.
 */
class WordFinder {
  readonly #words: ReadonlySet<string>
  readonly #keys: ReadonlySet<number>

  constructor(words: readonly string[]) {
    this.#words = new Set(words)
    this.#keys = new Set(words.map((word) => wordKey(word, 0, word.length)))
  }

  each(text: string, found: (word: string, start: number) => void): void {
    let start = -1
    for (let at = 0; at <= text.length; at++) {
      const isWord = at < text.length && isWordCode(text.charCodeAt(at))
      if (isWord && start < 0) start = at
      if (isWord || start < 0) continue
      if (this.#holds(text, start, at)) found(text.slice(start, at), start)
      start = -1
    }
  }

  #holds(text: string, start: number, end: number): boolean {
    return this.#keys.has(wordKey(text, start, end)) && this.#words.has(text.slice(start, end))
  }
}

function wordKey(text: string, start: number, end: number): number {
  return (
    (((end - start) & 0xff) << 16) |
    ((text.charCodeAt(start) & 0xff) << 8) |
    (text.charCodeAt(end - 1) & 0xff)
  )
}

function isWordCode(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 48 && code <= 57) ||
    code === 95 ||
    code > 127
  )
}

const MAX_LINE_CHARS = 500
const OPEN_QUOTE = /["'`][^"'`]*$/
const COMMENT = /(?:^|\s)(?:\/\/|#(?!\[)|\/\*|--|;;)|^\s*\*/

/** True for a word in quotes, unless a comment begins before it on its line. */
function isInString(text: string, start: number, end: number): boolean {
  const from = Math.max(text.lastIndexOf("\n", start) + 1, start - MAX_LINE_CHARS)
  const newline = text.indexOf("\n", end)
  const to = Math.min(newline < 0 ? text.length : newline, end + MAX_LINE_CHARS)
  const before = text.slice(from, start)
  return OPEN_QUOTE.test(before) && /["'`]/.test(text.slice(end, to)) && !COMMENT.test(before)
}

/** Beginnings and ends of names that macros or reflection put together, in lower case without underscores. */
type NameParts = { readonly starts: Set<string>; readonly ends: Set<string> }

const REFLECTIVE =
  /\b(?:getattr|hasattr|public_send|__send__|send|call_user_func\w*|method_exists|is_callable|respond_to\?|getMethod|GetMethod|MethodByName|globals|camel|studly|ucfirst|constantize|const_get|define_method|instance_method|performSelector|NSSelectorFromString)\b|\[`|\$this->[${]/
const PART = /["'`]([A-Za-z_]\w{2,40})(?=_["'`]|[#$%{]|["'`]\s*[+.])/g
const PASTED = /\b([A-Za-z]\w{2,40})##|##\s*([A-Za-z_]\w{2,40})/g
const MAX_PARTS = 1_000

function noteParts(text: string, { starts, ends }: NameParts): void {
  if (starts.size + ends.size > MAX_PARTS) return
  if (text.includes("##"))
    for (const [, start, end] of text.matchAll(PASTED))
      if (start !== undefined) starts.add(foldName(start))
      else ends.add(foldName(end!))
  if (!REFLECTIVE.test(text)) return
  for (const line of text.split("\n", 20_000)) {
    if (line.length > MAX_LINE_CHARS || !REFLECTIVE.test(line)) continue
    for (const [, start] of line.matchAll(PART)) starts.add(foldName(start!))
  }
}

function foldName(name: string): string {
  return name.replaceAll("_", "").toLowerCase()
}

function isComposed(name: string, { starts, ends }: NameParts): boolean {
  const plain = foldName(name)
  for (const start of starts)
    if (start.length > 2 && plain.length > start.length && plain.startsWith(start)) return true
  for (const end of ends) if (end.length > 2 && plain.length > end.length && plain.endsWith(end)) return true
  return false
}
