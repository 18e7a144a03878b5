/*
 * Finds symbols that no code uses. `unusedIn`: 1. the symbol graph lists definitions without uses; 2. each is checked
 * for callers outside of the code: published API, frameworks, names in strings, templates and files whose uses are
 * not read; 3. a symbol with such a possible caller gets a reason and a low confidence; 4. the rest is listed, most
 * certain first.
 */

import { compareTexts } from "../../../base/compare-texts.ts"
import { FILE_FLAG } from "../../../base/files/file-flag.ts"
import { isType, type SymbolDefinition } from "../../../symbols/definition.ts"
import { headOf, type OutsideCaller, outsideCaller } from "../../../symbols/references/outside-callers.ts"
import { type Unused, unusedSymbols } from "../../../symbols/references/unused.ts"
import type { SymbolGraph } from "../../../symbols/symbol-graph.ts"
import { readSource } from "../../../text/files/read-source.ts"
import type { Project } from "../../project/open-project.ts"
import type { RelatedDefinition, SymbolResults } from "../symbol-answer.ts"
import { unreadLanguagesNote, unreadNotices } from "../unread-notices.ts"
import { type Mentions, mentionsOf } from "./mentions.ts"
import { PublishedApi } from "./published-api.ts"

/** Maximum confidence that a symbol is unused, if something outside of the code may call it. */
const MAYBE_CALLED = 0.2

const BESIDE = FILE_FLAG.example | FILE_FLAG.bench | FILE_FLAG.docs | FILE_FLAG.compat
/** Matches a first line that says no more than which program wrote the file. */
const GENERATED = /^\s*(?:\/\/|\/\*|#|--|;)\W*generated (?:by|from|with)\b/i
/** Matches a folder that has "test" as one word of its name, such as "test cases" or "app-integration-tests". */
const TEST_FOLDER = /(?:^|\/)(?:[^/]*[^a-z/])?tests?(?![a-z])[^/]*\//i

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
  graph.prepareCandidates(all.map(({ definition }) => definition.symbol.name))
  const read = (path: string) => texts.read(path)
  const mentions = mentionsOf(
    all.map(({ definition }) => definition),
    files,
    graph,
    read,
  )
  const api = new PublishedApi(graph, files, read)
  const isSibling = siblingsAmong(all)
  const isOfUnusedType = unusedMethodSets(all)
  const isNumbered = numberedAmong(all)
  const weighed = all.map((each): RelatedDefinition => {
    const { definition } = each
    let reason: OutsideCaller | null
    if (isSibling(definition)) reason = "found by a framework through its name or place"
    else if (isOfUnusedType(definition)) reason = "required by an interface"
    else if (isNumbered(definition)) reason = "in a file that calls by computed names"
    else reason = outsideReason(definition, { graph, api, texts, mentions })
    return reason === null ? each : { ...each, reason, confidence: Math.min(each.confidence, MAYBE_CALLED) }
  })
  const listed = weighed.filter(({ reason }) => isAll || reason === undefined)
  return {
    definitions: [],
    related: listed.sort((one, other) => other.confidence - one.confidence),
    notices: [
      ...leftOutNotes(weighed, isAll),
      ...(mentions.isComplete
        ? []
        : ["the project is too large: not every string was searched for the names"]),
      ...unreadNotices(graph.store, []),
      ...unreadLanguagesNote(graph.store, []),
    ],
  }
}

/** If a folder has at least this many types with the same base, a program may find them by searching the folder. */
const MIN_SIBLINGS = 3

/** Tells types that have the same base as others: several in one folder, or others in other folders, such as plugins. */
function siblingsAmong(all: readonly Unused[]): (definition: SymbolDefinition) => boolean {
  const basesOf = ({ symbol, file }: SymbolDefinition) =>
    isType(symbol) ? [...file.basesOf(symbol.name)] : []
  const folders = new Map<string, Map<string, number>>()
  for (const { definition } of all)
    for (const base of basesOf(definition)) {
      const counts = folders.get(base) ?? new Map<string, number>()
      const { folder } = definition.file
      folders.set(base, counts.set(folder, (counts.get(folder) ?? 0) + 1))
    }
  return (definition) =>
    basesOf(definition).some((base) => {
      const counts = folders.get(base)!
      return counts.size > 1 || counts.get(definition.file.folder)! >= MIN_SIBLINGS
    })
}

/** If a file has at least this many unused functions that differ by a number only, a program may compute their names. */
const MIN_NUMBERED = 5

function numberedAmong(all: readonly Unused[]): (definition: SymbolDefinition) => boolean {
  const keyOf = ({ symbol, file }: SymbolDefinition) => `${file.path} ${symbol.name.replace(/\d+/g, "0")}`
  const counts = new Map<string, number>()
  for (const { definition } of all) {
    const key = keyOf(definition)
    if (/\d/.test(definition.symbol.name)) counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return (definition) => (counts.get(keyOf(definition)) ?? 0) >= MIN_NUMBERED
}

/** If no method of a Go type is used, and it has at least this many, an interface of a library may require them. */
const MIN_METHODS = 3

/** Tells methods of Go types whose exported methods are all unused. */
function unusedMethodSets(all: readonly Unused[]): (definition: SymbolDefinition) => boolean {
  const isExported = ({ symbol, file }: SymbolDefinition) =>
    file.family === "go" && symbol.kind === "method" && symbol.owner !== null && /^\p{Lu}/u.test(symbol.name)
  const unused = Map.groupBy(
    all.map(({ definition }) => definition).filter(isExported),
    ({ symbol, file }) => `${file.path} ${symbol.owner}`,
  )
  return (definition) => {
    const { symbol, file } = definition
    if (!isExported(definition)) return false
    const count = unused.get(`${file.path} ${symbol.owner}`)!.length
    const methods = file.symbols.filter(
      (each) => each.owner === symbol.owner && isExported({ symbol: each, file }),
    )
    return count >= MIN_METHODS && count === methods.length
  }
}

function leftOutNotes(all: readonly RelatedDefinition[], isAll: boolean): string[] {
  const counts = new Map<string, number>()
  for (const { reason } of all) if (reason !== undefined) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  if (counts.size === 0) return []
  const total = [...counts.values()].reduce((sum, each) => sum + each, 0)
  const why = [...counts]
    .sort(([one, a], [other, b]) => b - a || compareTexts(one, other))
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
  readonly mentions: Mentions
}

function outsideReason(
  definition: SymbolDefinition,
  { graph, api, texts, mentions }: UsageReader,
): OutsideCaller | null {
  const { path, flags } = definition.file
  if ((flags & BESIDE) !== 0 || TEST_FOLDER.test(path)) return "in an example, a benchmark or a test"
  const lines = texts.lines(path)
  if (GENERATED.test(lines[0] ?? "")) return "in generated code"
  const reason = outsideCaller(definition, lines, graph)
  if (reason !== null) return reason
  const mention = mentions.reasonFor(definition)
  if (mention !== null) return mention
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
