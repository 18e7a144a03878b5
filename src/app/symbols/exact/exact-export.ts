/*
 * Writes the symbol graph as a SCIP index. 1. For each name, the definitions and the uses that are certain enough are
 * collected by file; 2. each definition gets a SCIP symbol; 3. files are written one by one, with columns taken from
 * their present text. Files that have changed since they were indexed are left out.
 */

import { closeSync } from "node:fs"
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { compareTexts } from "../../../base/compare-texts.ts"
import { AmanError } from "../../../base/errors.ts"
import { cannotWrite } from "../../../base/files/cannot-write.ts"
import { createFile } from "../../../base/files/create-file.ts"
import { writeAll } from "../../../base/files/files.ts"
import { version } from "../../../base/version.ts"
import { ROLE } from "../../../store/index/exact-places.ts"
import type { Store } from "../../../store/index/store.ts"
import { definitionKey, isCallable, isType, type SymbolDefinition } from "../../../symbols/definition.ts"
import {
  type ExportedOccurrence,
  symbolText,
  writeDocument,
  writeMetadata,
} from "../../../symbols/exact/write-scip.ts"
import { referencesTo } from "../../../symbols/references/references.ts"
import type { SymbolGraph } from "../../../symbols/symbol-graph.ts"
import { readSource } from "../../../text/files/read-source.ts"
import { snapshotFor } from "../../index/with-index-repair.ts"
import type { Project } from "../../project/open-project.ts"
import { graphIn } from "../answer-lines.ts"
import { ScipPackages } from "./scip-packages.ts"

/**
 * Uses below this confidence are left out, because SCIP has only certain references. It is also the limit of the word
 * "exact".
 */
const MIN_CONFIDENCE = 0.85
/** Lines after the first of a definition at which its name may stand, after annotations and the like. */
const MAX_HEAD_LINES = 60

export type ExportAnswer = {
  readonly file: string
  readonly documents: number
  readonly symbols: number
  readonly uses: number
  /** Uses that are not certain enough. */
  readonly left_out: number
  readonly notices: readonly string[]
}

/** Writes the definitions and the certain uses of the symbol graph as a SCIP index. Throws IO, INDEX_MISSING. */
export async function exportScip(
  project: Project,
  file: string,
  options: { readonly cwd: string; readonly signal?: AbortSignal },
): Promise<ExportAnswer> {
  const { reader, failure } = await snapshotFor(project, { refresh: true, signal: options.signal })
  if (!reader) throw new AmanError("INDEX_MISSING", "there is no index yet", { hint: "run: aman index" })
  const graph = graphIn(project, reader.store)
  const packages = new ScipPackages((path) => {
    const source = readSource(project.root, path, project.config.index.maxFileBytes)
    return "reason" in source ? null : source.text
  })
  const { byFile, symbols, uses, leftOut } = reader.store.consistently(() =>
    usesByFile(graph, packages, options.signal),
  )
  const path = resolve(options.cwd, file)
  const documents = writeDocuments(path, project, reader.store, byFile)
  const notices = failure === null ? [] : [failure]
  return { file: path, documents, symbols, uses, left_out: leftOut, notices }
}

type NamedDefinition = { readonly definition: SymbolDefinition; readonly symbol: string }
/** The places in one file at which symbols are defined or used. `line` is 1-based; `word` is the name as written there. */
type Occurrences = {
  readonly line: number
  readonly named: NamedDefinition
  readonly roles: number
  readonly word: string
}[]

type CollectedOccurrences = {
  readonly byFile: Map<string, Occurrences>
  symbols: number
  uses: number
  leftOut: number
}

function usesByFile(
  graph: SymbolGraph,
  packages: ScipPackages,
  signal: AbortSignal | undefined,
): CollectedOccurrences {
  const collected: CollectedOccurrences = { byFile: new Map(), symbols: 0, uses: 0, leftOut: 0 }
  for (const [name, all] of definitionsByName(graph)) {
    signal?.throwIfAborted()
    collectOccurrences(graph, name, scipSymbols(all, packages), collected)
  }
  return collected
}

/** Adds the definitions of a name and their uses. */
function collectOccurrences(
  graph: SymbolGraph,
  name: string,
  all: readonly NamedDefinition[],
  collected: CollectedOccurrences,
): void {
  const add = (path: string, line: Occurrences[number]) => {
    const lines = collected.byFile.get(path)
    if (lines) lines.push(line)
    else collected.byFile.set(path, [line])
  }
  const named = new Map(all.map((each) => [definitionKey(each.definition), each]))
  collected.symbols += named.size
  for (const each of named.values()) {
    const { symbol, file } = each.definition
    add(file.path, { line: symbol.startLine, named: each, roles: ROLE.definition, word: name })
  }
  for (const { file, line, kind, confidence, target, name: used } of referencesTo(
    graph,
    all.map(({ definition }) => definition),
  ).edges) {
    const each = target === null ? undefined : named.get(definitionKey(target))
    if (each === undefined || confidence < MIN_CONFIDENCE) {
      collected.leftOut++
      continue
    }
    collected.uses++
    add(file.path, { line, named: each, roles: kind === "import" ? ROLE.import : 0, word: used ?? name })
  }
}

function definitionsByName(graph: SymbolGraph): Map<string, SymbolDefinition[]> {
  const files = graph.files(graph.inOrder(graph.store.uses.ids(), []))
  return Map.groupBy(
    files.flatMap((file) =>
      file.symbols.filter(({ local }) => local === 0).map((symbol) => ({ symbol, file })),
    ),
    ({ symbol }) => symbol.name,
  )
}

/**
 * The symbols of the definitions; overloads and other definitions with the same owner and name in one file get numbers.
 */
function scipSymbols(all: readonly SymbolDefinition[], packages: ScipPackages): NamedDefinition[] {
  const countByName = new Map<string, number>()
  return all.map((definition) => {
    const { owner, name } = definition.symbol
    const key = `${definition.file.path} ${owner} ${isCallable(definition.symbol)} ${isType(definition.symbol)}`
    const before = countByName.get(key) ?? 0
    countByName.set(key, before + 1)
    let mark = isType(definition.symbol) ? "#" : "."
    if (isCallable(definition.symbol)) mark = before === 0 ? "()." : `(+${before}).`
    const unique = isCallable(definition.symbol) || before === 0 ? name : `${name}+${before}`
    const { path, within } = packages.of(definition.file.path)
    return { definition, symbol: symbolText(path, { owner, name: unique, mark }, within) }
  })
}

function writeDocuments(
  path: string,
  project: Project,
  store: Store,
  byFile: ReadonlyMap<string, Occurrences>,
): number {
  let descriptor: number
  try {
    descriptor = createFile(path)
  } catch (cause) {
    throw cannotWrite(path, cause, "choose another file")
  }
  try {
    writeAll(descriptor, writeMetadata({ version, root: pathToFileURL(project.root).href }))
    let documents = 0
    for (const [file, lines] of [...byFile].sort(([one], [other]) => compareTexts(one, other))) {
      const row = store.files.byPath(file)
      const source = readSource(project.root, file, project.config.index.maxFileBytes)
      // A file that has changed since it was indexed would get wrong columns.
      if ("reason" in source || source.hash !== row?.hash) continue
      documents++
      writeAll(descriptor, scipDocument(file, row.language, lines, source.text))
    }
    return documents
  } finally {
    closeSync(descriptor)
  }
}

function scipDocument(path: string, language: string, lines: Occurrences, text: string): Uint8Array {
  const rows = text.split(/\r\n|[\r\n]/)
  const occurrences = lines.flatMap(({ line, named, roles, word }) => {
    const end =
      roles === ROLE.definition ? Math.min(named.definition.symbol.endLine, line + MAX_HEAD_LINES) : line
    for (let at = line; at <= end; at++) {
      const columns = wordColumns(rows[at - 1] ?? "", word)
      const wanted = roles === ROLE.definition ? columns.slice(0, 1) : columns
      if (wanted.length > 0)
        return wanted.map((start) => ({
          symbol: named.symbol,
          roles,
          line: at - 1,
          start,
          end: start + word.length,
        }))
    }
    return []
  })
  const defined = lines.filter(({ roles }) => roles === ROLE.definition)
  return writeDocument({
    path,
    language,
    occurrences: occurrences.sort(byPlace),
    symbols: defined.map(({ named: { definition, symbol } }) => ({
      symbol,
      name: definition.symbol.name,
      signature: definition.symbol.signature,
    })),
  })
}

function byPlace(one: ExportedOccurrence, other: ExportedOccurrence): number {
  return one.line - other.line || one.start - other.start
}

/** Columns at which a word stands as a whole word. */
function wordColumns(line: string, word: string): number[] {
  const columns: number[] = []
  for (let at = line.indexOf(word); at >= 0; at = line.indexOf(word, at + word.length)) {
    const isWhole =
      !/[\p{L}\p{N}_$]$/u.test(line.slice(0, at)) && !/^[\p{L}\p{N}_$]/u.test(line.slice(at + word.length))
    if (isWhole) columns.push(at)
  }
  return columns
}
