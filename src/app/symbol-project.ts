import { AmanError } from "../base/errors.ts"
import { changedLines } from "../git/changed-lines.ts"
import { type Calls, calleesOf, callersOf } from "../graph/callers.ts"
import { type Definition, keyOf } from "../graph/definition.ts"
import { isCallable, isType } from "../graph/file-view.ts"
import { findDefinitions } from "../graph/find.ts"
import { impactOf } from "../graph/impact.ts"
import { implementationsOf } from "../graph/implementations.ts"
import { type Edge, type References, referencesTo } from "../graph/references.ts"
import { SymbolGraph } from "../graph/symbol-graph.ts"
import { unusedSymbols } from "../graph/unused.ts"
import type { Store } from "../store/store.ts"
import { centralIn, centralityOf } from "./central-project.ts"
import { leadOrWait } from "./lead-or-wait.ts"
import { partialOf } from "./notices.ts"
import type { Project } from "./open-project.ts"
import type { SymbolAnswer, SymbolRequest } from "./symbol-answer.ts"
import { definitionAnswer, Lines, outlineOf, relatedAnswer } from "./symbol-places.ts"

export type SymbolOptions = {
  /** Bring the index up to date first, unless another process does so. */
  readonly refresh: boolean
  readonly signal?: AbortSignal | undefined
}

/** What a question found, before it is cut to its page. */
type Found = Partial<Pick<SymbolAnswer, "outline" | "tests" | "files" | "notices">> & {
  readonly definitions: readonly Definition[]
  readonly edges?: readonly Edge[]
  readonly related?: readonly Related[]
  readonly unresolved?: readonly Edge[]
}

type Related = {
  readonly definition: Definition
  readonly confidence: number
  readonly depth?: number
  readonly edges?: readonly Edge[]
  readonly centrality?: number
}

const graphs = new WeakMap<Store, SymbolGraph>()
const MOST_UNRESOLVED = 10
const MOST_CENTRAL = 1000

/** Where a symbol is defined and used, and what hangs together with it. Throws NOT_FOUND for what nothing defines. */
export async function symbolOf(
  project: Project,
  request: SymbolRequest,
  { refresh, signal }: SymbolOptions,
): Promise<SymbolAnswer> {
  const started = performance.now()
  if (refresh) {
    using indexer = await leadOrWait(project, signal)
    await indexer?.run({ signal })
  }
  const store = project.reader()?.store
  if (!store) throw new AmanError("INDEX_MISSING", "there is no index yet", { hint: "run: aman index" })
  let graph = graphs.get(store)
  if (!graph) {
    graph = new SymbolGraph(store)
    graphs.set(store, graph)
  }
  const found = await ask(graph, project, request)
  return { ...shown(graph, found, project, request), partial: partialOf(store), took_ms: elapsed(started) }
}

async function ask(graph: SymbolGraph, project: Project, request: SymbolRequest): Promise<Found> {
  switch (request.relation) {
    case "outline":
      return outline(graph, request)
    case "unused":
      return { definitions: [], related: unusedSymbols(graph, below(request.path)), notices: UNUSED_NOTES }
    case "central":
      return { definitions: [], related: central(graph, request) }
    case "impact":
      return request.diff === undefined
        ? impact(graph, named(graph, request))
        : diff(graph, project, request.diff)
    default:
      return related(graph, named(graph, request), request)
  }
}

const UNUSED_NOTES = [
  "nothing in the project's code uses these names; strings, templates, configuration and other projects may",
]

/** At least one; those of the same name, where several are. */
function named(graph: SymbolGraph, { name, path }: SymbolRequest): readonly Definition[] {
  if (!name?.trim())
    throw new AmanError("USAGE", "no symbol named", { hint: "for example: aman symbol parseConfig" })
  const found = findDefinitions(graph, name.trim(), below(path))
  if (found.length > 0) return found
  const last = name.trim().replace(/^.*(?:\.|::|#|->)(?=.)/, "")
  const users = graph.filesUsing(last)
  const where = users
    .slice(0, 3)
    .map((file) => file.path)
    .join(", ")
  throw new AmanError("NOT_FOUND", `nothing here defines ${JSON.stringify(name)}`, {
    hint:
      users.length === 0
        ? "look for it by: aman search"
        : `${users.length} ${users.length === 1 ? "file uses" : "files use"} that name (${where}${users.length > 3 ? ", …" : ""}): it comes from elsewhere`,
  })
}

function below(path: string | undefined): (path: string) => boolean {
  if (path === undefined || path === "" || path === ".") return () => true
  const bare = path.replace(/^\.\//, "").replace(/\/$/, "")
  return (other) => other === bare || other.startsWith(`${bare}/`)
}

function related(graph: SymbolGraph, definitions: readonly Definition[], request: SymbolRequest): Found {
  const depth = request.depth ?? 1
  if (request.relation === "references")
    return references(
      definitions.map((each) => referencesTo(graph, each)),
      definitions,
    )
  if (request.relation === "callers")
    return calls(
      definitions.map((each) => callersOf(graph, each, depth)),
      definitions,
    )
  if (request.relation === "callees")
    return calls(
      definitions.map((each) => calleesOf(graph, each, depth)),
      definitions,
    )
  if (request.relation === "implementations")
    return { definitions, related: distinct(definitions.flatMap((each) => implementationsOf(graph, each))) }
  return { definitions }
}

function references(found: readonly References[], definitions: readonly Definition[]): Found {
  return {
    definitions,
    edges: distinctEdges(found.flatMap(({ edges }) => edges)),
    unresolved: distinctEdges(found.flatMap(({ unresolved }) => unresolved)),
  }
}

function calls(found: readonly Calls[], definitions: readonly Definition[]): Found {
  return {
    definitions,
    related: distinct(found.flatMap((each) => each.calls)),
    edges: distinctEdges(found.flatMap(({ topLevel }) => topLevel)),
    unresolved: distinctEdges(found.flatMap(({ unresolved }) => unresolved)),
    notices: found.some(({ isCut }) => isCut)
      ? ["there are more than were followed; ask with less depth"]
      : [],
  }
}

function impact(graph: SymbolGraph, definitions: readonly Definition[]): Found {
  const { affected, tests, files, unresolved, isCut } = impactOf(graph, definitions)
  return {
    definitions,
    related: affected,
    tests,
    files,
    unresolved: distinctEdges(unresolved),
    notices: isCut ? ["so much is affected that not all of it was followed"] : [],
  }
}

async function diff(graph: SymbolGraph, project: Project, revision: string): Promise<Found> {
  const files = graph.store.files.known().map(([path, , size, mtimeMs]) => ({ path, size, mtimeMs }))
  const { changed, deleted } = await changedLines(project.root, revision, files)
  const definitions = changed.flatMap(({ path, lines }) => {
    const file = graph.file(path)
    const symbols = new Set(
      lines.flatMap(([start, end]) =>
        file === null
          ? []
          : file.symbols.filter((symbol) => symbol.startLine <= end && symbol.endLine >= start),
      ),
    )
    // The innermost is what changed; what encloses it did not change as a whole.
    const inner = [...symbols].filter(
      (symbol) =>
        (isCallable(symbol) || isType(symbol) || symbol.owner === null) &&
        ![...symbols].some(
          (other) => other !== symbol && isInside(other, symbol) && (isCallable(other) || isType(other)),
        ),
    )
    return file === null ? [] : inner.map((symbol) => ({ symbol, file }))
  })
  const found = impact(graph, definitions)
  const gone = deleted.length === 0 ? [] : [`deleted, so not followed: ${deleted.slice(0, 5).join(", ")}`]
  return { ...found, notices: [...(found.notices ?? []), ...gone] }
}

function isInside(
  inner: { startLine: number; endLine: number },
  outer: { startLine: number; endLine: number },
): boolean {
  return inner.startLine >= outer.startLine && inner.endLine <= outer.endLine
}

function central(graph: SymbolGraph, { path }: SymbolRequest): Related[] {
  const isWanted = below(path)
  const { symbols } = centralIn(graph.store, MOST_CENTRAL)
  const wanted = symbols.filter((each) => isWanted(each.path))
  const files = new Map(graph.files(wanted.map(({ symbol }) => symbol.fileId)).map((file) => [file.id, file]))
  return wanted.flatMap(({ symbol, centrality }) => {
    const file = files.get(symbol.fileId)
    return file ? [{ definition: { symbol, file }, confidence: 1, centrality }] : []
  })
}

function outline(graph: SymbolGraph, { path, name }: SymbolRequest): Found {
  const wanted = (path ?? name ?? "").replace(/^\.\//, "")
  const row = graph.store.files.byPath(wanted)
  if (row === null)
    throw new AmanError("NOT_FOUND", `${JSON.stringify(wanted)} is not in the index`, {
      hint: "paths are relative to the project root",
    })
  return { definitions: [], outline: outlineOf(path ?? wanted, graph.store.symbols.ofFile(row.id)) }
}

function shown(
  graph: SymbolGraph,
  found: Found,
  project: Project,
  { relation, name, limit, offset }: SymbolRequest,
): Omit<SymbolAnswer, "partial" | "took_ms"> {
  const lines = new Lines(project)
  const { edges = [], related = [], outline = [], unresolved = [], tests = [], files = [] } = found
  const definitions = found.definitions.slice(0, limit)
  const ranks = graph.store.centrality.of(definitions.map(({ file }) => file.id))
  const total = edges.length + related.length + outline.length
  const page = <T>(list: readonly T[], before: number): readonly T[] =>
    list.slice(Math.max(0, offset - before), Math.max(0, offset + limit - before))
  return {
    name: name ?? null,
    relation,
    definitions: definitions.map((each) =>
      definitionAnswer(each, centralityOf(ranks.get(each.file.id) ?? 0)),
    ),
    related: page(related, 0).map((each) => relatedAnswer(each)),
    references: page(edges, related.length).map((edge) => lines.answer(edge, name)),
    outline: page(outline, related.length + edges.length),
    tests,
    files,
    total,
    next_offset: offset + limit < total ? offset + limit : null,
    unresolved: {
      total: unresolved.length,
      places: unresolved.slice(0, MOST_UNRESOLVED).map((edge) => lines.answer(edge, name)),
    },
    notices: found.notices ?? [],
  }
}

/** Each once, at its nearest and surest. */
function distinct(all: readonly Related[]): Related[] {
  const known = new Map<string, Related>()
  for (const each of all) {
    const other = known.get(keyOf(each.definition))
    if (!other || (each.depth ?? 1) < (other.depth ?? 1)) known.set(keyOf(each.definition), each)
  }
  return [...known.values()]
}

function distinctEdges(edges: readonly Edge[]): Edge[] {
  const known = new Map<string, Edge>()
  for (const edge of edges) {
    const key = `${edge.file.id}:${edge.line}:${edge.kind}:${edge.name ?? ""}`
    if ((known.get(key)?.confidence ?? -1) < edge.confidence) known.set(key, edge)
  }
  return [...known.values()]
}

function elapsed(started: number): number {
  return Math.round((performance.now() - started) * 100) / 100
}
