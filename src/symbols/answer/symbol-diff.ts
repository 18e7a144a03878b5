/*
 * The impact of a diff. `impactOfDiff`: 1. the changed lines of each file (git); 2. the symbols on these lines, from
 * the index or by parsing the text of that time; 3. symbols that the diff deleted or renamed; 4. what depends on the
 * changed symbols, and which uses of deleted ones are broken; 5. notices about everything that could not be read.
 */

import { FILE_FLAG } from "../../base/index.ts"
import type { Project } from "../../index/index.ts"
import { type CodeSymbol, languageOf, loadParse, localsAmong } from "../../parse/index.ts"
import type { SymbolRow } from "../../store/index.ts"
import { contentHash } from "../../text/index.ts"
import { type ChangedFile, changedLines } from "../../tree/index.ts"
import type { AlsoUsedBy } from "../calls.ts"
import { byCertainty, type Certainty } from "../certainty.ts"
import {
  type Bounds,
  Budget,
  byPathAndPlace,
  definitionKey,
  type Edge,
  isCallable,
  isType,
  isWithin,
  NAMELESS,
  qualifiedName,
  type SymbolDefinition,
} from "../definition.ts"
import { FileView } from "../file-view.ts"
import { usesOfDeleted } from "../references.ts"
import type { SymbolGraph } from "../symbol-graph.ts"
import type { Link, SymbolResults } from "./symbol-answer.ts"
import { impactIn } from "./symbol-related.ts"

/**
 * The impact of everything that differs from a revision, or within a range of revisions. Uses of deleted
 * definitions count as broken.
 */
export async function impactOfDiff(
  graph: SymbolGraph,
  project: Project,
  revision: string,
  bounds: Bounds,
  alsoUsedBy: AlsoUsedBy,
): Promise<SymbolResults> {
  const files = graph.store.files.known().map(([path, , size, mtimeMs]) => ({ path, size, mtimeMs }))
  const { changed, deleted, unread, isPast } = await changedLines(project.root, revision, files)
  const { definitions, declared, lost, unread: unsorted } = await symbolsChanged(graph, changed)
  const edited = changed.flatMap(({ path, before, after }) =>
    before === null ? [] : [{ path, before, after }],
  )
  const emptied = deleted.map((file) => ({ ...file, after: "" }))
  const { gone, unread: unparsed } = await deletedSymbols(graph, alternating(edited, emptied))
  const impact = impactIn(graph, definitions, bounds, alsoUsedBy)
  const changedKeys = new Set(definitions.map(definitionKey))
  // Of the changed definitions, none is listed as affected by another one: all of them are being looked at.
  const related =
    impact.related?.filter(({ definition }) => !changedKeys.has(definitionKey(definition))) ?? []
  const changedImpact = { ...impact, related }
  const deletedImpact = gone.length === 0 ? null : impactOfDeleted(graph, gone, bounds, alsoUsedBy)
  const notices = [
    ...(definitions.length + gone.length === 0 ? [unchanged(revision, changed.length + deleted.length)] : []),
    ...(deletedImpact === null ? [] : deletedNotes(deletedImpact, declared)),
    ...(deleted.length === 0 ? [] : [`deleted: ${nameList(deleted.map(({ path }) => path))}`]),
    ...unreadNotes(unread + unparsed),
    ...pastNotes(isPast && definitions.length + gone.length > 0, lost, unsorted),
  ]
  const all = deletedImpact === null ? changedImpact : mergeResults(changedImpact, deletedImpact.found)
  return { ...all, gone: deletedImpact?.used ?? [], notices: [...(all.notices ?? []), ...notices] }
}

/** The items of both lists, alternating, so that a limit on their number cuts neither list completely. */
function alternating<T>(one: readonly T[], other: readonly T[]): T[] {
  const longest = Math.max(one.length, other.length)
  return Array.from({ length: longest }, (_, at) => [
    ...one.slice(at, at + 1),
    ...other.slice(at, at + 1),
  ]).flat()
}

function unchanged(revision: string, files: number): string {
  if (files === 0) return `no differences from ${revision}`
  return `no symbol differs from ${revision}: ${files === 1 ? "1 file does" : `${files} files do`}, outside of any`
}

/**
 * Notices about definitions that no longer exist. One that the same change declares elsewhere was moved
 * there.
 */
function deletedNotes({ used, unused, unseen }: DeletedDefinitions, declared: ReadonlySet<string>): string[] {
  const note = (what: string, which: readonly SymbolDefinition[]) =>
    which.length === 0 ? [] : [`${what}: ${nameList(which.map(qualifiedName))}`]
  return [
    ...note("no longer defined, so its uses break", used),
    ...note(
      "moved; no uses of the old place found",
      unused.filter((each) => declared.has(kindAndName(each.symbol))),
    ),
    ...note(
      "removed; no uses found",
      unused.filter((each) => !declared.has(kindAndName(each.symbol))),
    ),
    ...note("partial: no longer defined; the search for its uses ran out of time", unseen),
  ]
}

function unreadNotes(files: number): string[] {
  if (files === 0) return []
  const which = files === 1 ? "1 file that differs" : `${files} files that differ`
  return [`partial: the earlier text of ${which} was not checked, so removed definitions there are unknown`]
}

/** Notices about past changes: uses are known only for the files as they are now. */
function pastNotes(isPast: boolean, lost: readonly string[], unread: number): string[] {
  const which = unread === 1 ? "1 file that has" : `${unread} files that have`
  return [
    ...(isPast ? ["uses are searched in the current files, not in those of that time"] : []),
    ...(lost.length === 0 ? [] : [`changed in that range and no longer defined: ${nameList(lost)}`]),
    ...(unread === 0 ? [] : [`partial: symbols of ${which} changed since were not checked`]),
  ]
}

const MAX_LISTED = 5

function nameList(all: readonly string[]): string {
  const names = [...new Set(all)]
  return `${names.slice(0, MAX_LISTED).join(", ")}${names.length > MAX_LISTED ? ", …" : ""}`
}

/** Definitions that no longer exist, grouped by whether anything uses them, and the impact of the used ones. */
type DeletedDefinitions = {
  readonly used: readonly SymbolDefinition[]
  readonly unused: readonly SymbolDefinition[]
  /** Definitions whose uses were not searched because time was up. */
  readonly unseen: readonly SymbolDefinition[]
  readonly found: SymbolResults
}

/** Finds the uses of deleted definitions, and what depends on them. */
function impactOfDeleted(
  graph: SymbolGraph,
  gone: readonly SymbolDefinition[],
  bounds: Bounds,
  alsoUsedBy: AlsoUsedBy,
): DeletedDefinitions {
  const budget = new Budget(bounds)
  const types = graph.typesWith(gone)
  const edges: Edge[] = []
  const sorted = Map.groupBy(gone, (each) => {
    const uses = usesOfDeleted(graph, types, each, budget)
    for (const edge of uses) edges.push(edge)
    if (uses.length > 0) return "used"
    return budget.isSpent ? "unseen" : "unused"
  })
  const [used = [], unused = [], unseen = []] = (["used", "unused", "unseen"] as const).map((how) =>
    sorted.get(how),
  )
  return { used, unused, unseen, found: impactOfEdges(graph, edges, bounds, alsoUsedBy) }
}

function impactOfEdges(
  graph: SymbolGraph,
  edges: readonly Edge[],
  bounds: Bounds,
  alsoUsedBy: AlsoUsedBy,
): SymbolResults {
  const byHolder = new Map<string, { definition: SymbolDefinition; certainty: Certainty; edges: Edge[] }>()
  for (const edge of edges) {
    if (edge.within === null) continue
    const definition = { symbol: edge.within, file: edge.file }
    const holder = byHolder.get(definitionKey(definition))
    if (holder) {
      holder.edges.push(edge)
      if (byCertainty(edge, holder) < 0) holder.certainty = edge.certainty
    } else byHolder.set(definitionKey(definition), { definition, certainty: edge.certainty, edges: [edge] })
  }
  const broken = [...byHolder.values()]
  const definitions = broken.map(({ definition }) => definition)
  const further = impactIn(graph, definitions, bounds, alsoUsedBy)
  const deeper = (further.related ?? []).map((each) => ({ ...each, depth: (each.depth ?? 1) + 1 }))
  const files = [...new Set(edges.map(({ file }) => file))]
  const paths = (isTest: boolean) =>
    files.flatMap(({ path, flags }) => (((flags & FILE_FLAG.test) !== 0) === isTest ? [path] : []))
  const links = edges.flatMap(({ within, file, target, certainty }): Link[] =>
    target === null
      ? []
      : [{ user: within === null ? file : { symbol: within, file }, used: target, certainty }],
  )
  const direct = { definitions: [], related: broken, tests: paths(true), files: paths(false), links }
  return mergeResults(direct, { ...further, definitions: [], related: deeper, unresolved: [] })
}

function mergeResults(one: SymbolResults, other: SymbolResults): SymbolResults {
  const united = (key: "tests" | "files") => [...new Set([...(one[key] ?? []), ...(other[key] ?? [])])].sort()
  const related = [...(one.related ?? []), ...(other.related ?? [])]
  return {
    definitions: [...one.definitions, ...other.definitions],
    related: related.sort(
      (a, b) =>
        (a.depth ?? 1) - (b.depth ?? 1) || byCertainty(a, b) || byPathAndPlace(a.definition, b.definition),
    ),
    unresolved: [...(one.unresolved ?? []), ...(other.unresolved ?? [])],
    links: [...(one.links ?? []), ...(other.links ?? [])],
    tests: united("tests"),
    files: united("files"),
    notices: [...(one.notices ?? []), ...(other.notices ?? [])],
  }
}

/** What a change wrote, read from its files as they were right after it. */
type ChangedContent = {
  /** The changed definitions as they are in the index now. */
  readonly definitions: readonly SymbolDefinition[]
  /** Kind and name of every symbol whose first line is among the changed lines. */
  readonly declared: ReadonlySet<string>
  /** Names of changed symbols that their file no longer defines. */
  readonly lost: readonly string[]
  /**
   * Number of files that have changed since and whose text of that time could not be parsed, because there were too
   * many such files or they were too large.
   */
  readonly unread: number
}

/** The symbols on the changed lines. For a file that has changed since, the text of that time is parsed. */
async function symbolsChanged(graph: SymbolGraph, changed: readonly ChangedFile[]): Promise<ChangedContent> {
  const { files, unread } = await filesAtChange(graph, changed)
  const declared = files.flatMap(({ symbols, lines }) =>
    symbols.filter((symbol) => isDeclaredIn(symbol, lines)).map(kindAndName),
  )
  const perFile = files.map(currentSymbols)
  const definitions = perFile.flatMap((each) => each.definitions)
  return {
    definitions: [...new Map(definitions.map((each) => [each.symbol, each])).values()],
    declared: new Set(declared),
    lost: perFile.flatMap((each) => each.lost),
    unread,
  }
}

type FileAtChange = {
  readonly file: FileView
  readonly lines: ChangedLines
  readonly symbols: readonly SymbolRange[]
}

/**
 * The symbols of each changed file at that time: from the index if the file is still the same, else by
 * parsing.
 */
async function filesAtChange(
  graph: SymbolGraph,
  changed: readonly ChangedFile[],
): Promise<{ readonly files: FileAtChange[]; readonly unread: number }> {
  const files: FileAtChange[] = []
  let parsed = 0
  let unread = 0
  for (const { path, lines, after } of changed) {
    const file = graph.file(path)
    if (file === null) continue
    const isSame = after === null || graph.store.files.byPath(path)?.hash === contentHash(after)
    if (isSame) files.push({ file, lines, symbols: file.symbols })
    else if (after.length > MAX_PARSED_CHARS || ++parsed > MAX_PARSED_FILES) unread++
    else files.push({ file, lines, symbols: await parseSymbols(path, after) })
  }
  return { files, unread }
}

/**
 * The symbols that the change wrote. `definitions`: the symbols as they are in the file now; `lost`: names of symbols
 * that the file does not contain any more.
 */
function currentSymbols({
  file,
  lines,
  symbols,
}: FileAtChange): Pick<ChangedContent, "definitions" | "lost"> {
  const written = innermost(symbols, lines)
  if (symbols === file.symbols)
    return { definitions: (written as SymbolRow[]).map((symbol) => ({ symbol, file })), lost: [] }
  const now = Map.groupBy(file.symbols, kindAndName)
  return {
    definitions: written.flatMap((symbol) =>
      (now.get(kindAndName(symbol)) ?? []).map((found) => ({ symbol: found, file })),
    ),
    lost: written
      .filter((symbol) => !now.has(kindAndName(symbol)))
      .map((symbol) => qualifiedName({ symbol })),
  }
}

function kindAndName(symbol: Pick<SymbolRow, "kind" | "name" | "owner">): string {
  return `${symbol.kind} ${qualifiedName({ symbol })}`
}

type SymbolRange = Pick<SymbolRow, "kind" | "name" | "owner" | "startLine" | "endLine">
type ChangedLines = ChangedFile["lines"]

function isDeclaredIn({ startLine }: SymbolRange, lines: ChangedLines): boolean {
  return lines.some(([start, end]) => start <= startLine && startLine <= end)
}

/**
 * The innermost symbols on the lines. The symbols around them are left out, because only a part of them
 * changed.
 */
function innermost(symbols: readonly SymbolRange[], lines: ChangedLines): readonly SymbolRange[] {
  const touched = symbols.filter((symbol) =>
    lines.some(([start, end]) => symbol.startLine <= end && symbol.endLine >= start),
  )
  const isWhole = (symbol: SymbolRange) => isCallable(symbol) || isType(symbol)
  return touched
    .filter((symbol) => isWhole(symbol) || symbol.owner === null)
    .filter(
      (symbol) => !touched.some((other) => other !== symbol && isWhole(other) && isWithin(other, symbol)),
    )
}

/** Maximum number of earlier texts to parse; each takes about 10 ms. */
export const MAX_PARSED_FILES = 200
export const MAX_PARSED_CHARS = 500_000
const TIMEOUT_MS = 1000

/** A file's text before and after a change; `after` is null when the index has that text. */
export type FileChange = { readonly path: string; readonly before: string; readonly after: string | null }

/**
 * Symbols that these files defined and no longer define: renamed, moved or removed. `unread` counts files
 * beyond the limit, or too large.
 */
export async function deletedSymbols(
  graph: SymbolGraph,
  files: readonly FileChange[],
): Promise<{ readonly gone: SymbolDefinition[]; readonly unread: number }> {
  const gone: SymbolDefinition[] = []
  const code = files.flatMap(({ path, before, after }) => {
    const { kind, id } = languageOf(path, before)
    return kind === "code" && !before.includes("\0") ? [{ path, before, after, language: id }] : []
  })
  const small = code.filter(
    ({ before, after }) => Math.max(before.length, after?.length ?? 0) <= MAX_PARSED_CHARS,
  )
  const read = small.slice(0, MAX_PARSED_FILES)
  for (const [at, { path, before, after, language }] of read.entries()) {
    const file = graph.file(path) ?? viewOf(graph, path, { id: -1 - at, language })
    const now = after === null ? file.symbols : await parseSymbols(path, after)
    const left = new Set(now.map(ownerAndName))
    const missing = (await definedIn(path, before)).filter((symbol) => !left.has(ownerAndName(symbol)))
    gone.push(
      ...missing.map((symbol, index): SymbolDefinition => {
        // A position that no existing symbol has, so that the deleted one is not taken for any of them.
        const place = { fileId: file.id, ordinal: -1, index, local: 0 as const }
        return { symbol: { ...symbol, ...place }, file }
      }),
    )
  }
  return { gone, unread: code.length - read.length }
}

/** A view of a file that is no longer in the index. */
function viewOf(
  { store }: SymbolGraph,
  path: string,
  { id, language }: { readonly id: number; readonly language: string },
): FileView {
  return new FileView(store, { id, path, language, flags: 0, package: null, imports: null })
}

function ownerAndName({ name, owner }: Pick<CodeSymbol, "name" | "owner">): string {
  return `${owner ?? ""} ${name}`
}

async function definedIn(path: string, text: string): Promise<CodeSymbol[]> {
  const symbols = await parseSymbols(path, text)
  const locals = localsAmong(symbols)
  return symbols.filter((symbol) => !locals.has(symbol) && !NAMELESS.has(symbol.kind))
}

export async function parseSymbols(path: string, text: string): Promise<CodeSymbol[]> {
  if (text === "") return []
  const { DEFAULT_PARSE_OPTIONS, parseFile } = await loadParse()
  const { chunks } = await parseFile(path, text, { ...DEFAULT_PARSE_OPTIONS, timeoutMs: TIMEOUT_MS })
  return chunks.flatMap((chunk) => chunk.symbols)
}
