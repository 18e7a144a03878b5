import { FILE_FLAG } from "../base/file-flag.ts"
import { changedLines } from "../git/changed-lines.ts"
import { type Bounds, Budget } from "../graph/budget.ts"
import { type Definition, keyOf, qualifiedName } from "../graph/definition.ts"
import type { Edge } from "../graph/edge.ts"
import type { SymbolGraph } from "../graph/symbol-graph.ts"
import { usesOfGone } from "../graph/uses-of-gone.ts"
import type { Project } from "./open-project.ts"
import type { Found } from "./symbol-found.ts"
import { impactIn } from "./symbol-related.ts"
import { kindAndName, symbolsChanged } from "./symbols-changed.ts"
import { symbolsGone } from "./symbols-gone.ts"

/** The impact of all that differs from a revision, or within a range of them; what is gone breaks its users. */
export async function impactOfDiff(
  graph: SymbolGraph,
  project: Project,
  revision: string,
  bounds: Bounds,
): Promise<Found> {
  const files = graph.store.files.known().map(([path, , size, mtimeMs]) => ({ path, size, mtimeMs }))
  const { changed, deleted, unread, isPast } = await changedLines(project.root, revision, files)
  const { definitions, declared, lost, unread: unsorted } = await symbolsChanged(graph, changed)
  const edited = changed.flatMap(({ path, before, after }) =>
    before === null ? [] : [{ path, before, after }],
  )
  const emptied = deleted.map((file) => ({ ...file, after: "" }))
  const { gone, unread: unparsed } = await symbolsGone(graph, inTurn(edited, emptied))
  const found = impactIn(graph, definitions, bounds)
  const broken = gone.length === 0 ? null : impactOfGone(graph, gone, bounds)
  const notices = [
    ...(definitions.length + gone.length === 0 ? [unchanged(revision, changed.length + deleted.length)] : []),
    ...(broken === null ? [] : goneNotes(broken, declared)),
    ...(deleted.length === 0 ? [] : [`deleted: ${listed(deleted.map(({ path }) => path))}`]),
    ...unreadNotes(unread + unparsed),
    ...pastNotes(isPast && definitions.length + gone.length > 0, lost, unsorted),
  ]
  const all = broken === null ? found : both(found, broken.found)
  return { ...all, notices: [...(all.notices ?? []), ...notices] }
}

/** Where not all can be looked at, neither pushes out the other. */
function inTurn<T>(one: readonly T[], other: readonly T[]): T[] {
  const longest = Math.max(one.length, other.length)
  return Array.from({ length: longest }, (_, at) => [
    ...one.slice(at, at + 1),
    ...other.slice(at, at + 1),
  ]).flat()
}

function unchanged(revision: string, files: number): string {
  if (files === 0) return `nothing differs from ${revision}`
  return `no symbol differs from ${revision}: ${files === 1 ? "1 file does" : `${files} files do`}, outside of any`
}

/** What is declared elsewhere by the same change was moved there. */
function goneNotes({ used, unused, unseen }: Gone, declared: ReadonlySet<string>): string[] {
  const note = (what: string, which: readonly Definition[]) =>
    which.length === 0 ? [] : [`${what}: ${listed(which.map(qualifiedName))}`]
  return [
    ...note("no longer defined, so what uses it breaks", used),
    ...note(
      "moved, and no use of it is found where it was",
      unused.filter((each) => declared.has(kindAndName(each.symbol))),
    ),
    ...note(
      "removed, and no use of it is found",
      unused.filter((each) => !declared.has(kindAndName(each.symbol))),
    ),
    ...note("partial: no longer defined, and its uses were not looked for in time", unseen),
  ]
}

function unreadNotes(files: number): string[] {
  if (files === 0) return []
  const which = files === 1 ? "1 file that differs" : `${files} files that differ`
  return [
    `partial: of ${which} the text before was not looked at: what is no longer defined there is not known`,
  ]
}

/** What uses something is known of the files as they are, whenever it changed. */
function pastNotes(isPast: boolean, lost: readonly string[], unread: number): string[] {
  const which = unread === 1 ? "1 file that has" : `${unread} files that have`
  return [
    ...(isPast ? ["what uses it is looked for in the files as they are now, not as they were then"] : []),
    ...(lost.length === 0 ? [] : [`changed then, and not defined any more: ${listed(lost)}`]),
    ...(unread === 0 ? [] : [`partial: of ${which} changed since the symbols were not looked for`]),
  ]
}

const MOST_LISTED = 5

function listed(all: readonly string[]): string {
  const names = [...new Set(all)]
  return `${names.slice(0, MOST_LISTED).join(", ")}${names.length > MOST_LISTED ? ", …" : ""}`
}

/** What is no longer defined, by whether anything uses it, and the impact of what is used. */
type Gone = {
  readonly used: readonly Definition[]
  readonly unused: readonly Definition[]
  /** Looked for when there was no more time. */
  readonly unseen: readonly Definition[]
  readonly found: Found
}

/** What uses what is gone, and what uses that. */
function impactOfGone(graph: SymbolGraph, gone: readonly Definition[], bounds: Bounds): Gone {
  const budget = new Budget(bounds)
  const edges: Edge[] = []
  const sorted = Map.groupBy(gone, (each) => {
    const uses = usesOfGone(graph, each, budget)
    for (const edge of uses) edges.push(edge)
    if (uses.length > 0) return "used"
    return budget.isSpent ? "unseen" : "unused"
  })
  const [used = [], unused = [], unseen = []] = (["used", "unused", "unseen"] as const).map((how) =>
    sorted.get(how),
  )
  return { used, unused, unseen, found: impactOfEdges(graph, edges, bounds) }
}

function impactOfEdges(graph: SymbolGraph, edges: readonly Edge[], bounds: Bounds): Found {
  const byHolder = new Map<string, { definition: Definition; confidence: number; edges: Edge[] }>()
  for (const edge of edges) {
    if (edge.within === null) continue
    const definition = { symbol: edge.within, file: edge.file }
    const known = byHolder.get(keyOf(definition))
    if (known) {
      known.edges.push(edge)
      known.confidence = Math.max(known.confidence, edge.confidence)
    } else byHolder.set(keyOf(definition), { definition, confidence: edge.confidence, edges: [edge] })
  }
  const broken = [...byHolder.values()]
  const definitions = broken.map(({ definition }) => definition)
  const further = impactIn(graph, definitions, bounds)
  const deeper = (further.related ?? []).map((each) => ({ ...each, depth: (each.depth ?? 1) + 1 }))
  const files = [...new Set(edges.map(({ file }) => file))]
  const paths = (isTest: boolean) =>
    files.flatMap(({ path, flags }) => (((flags & FILE_FLAG.test) !== 0) === isTest ? [path] : []))
  const direct = { definitions: [], related: broken, tests: paths(true), files: paths(false) }
  return both(direct, { ...further, definitions: [], related: deeper, unresolved: [] })
}

function both(one: Found, other: Found): Found {
  const united = (key: "tests" | "files") => [...new Set([...(one[key] ?? []), ...(other[key] ?? [])])].sort()
  const related = [...(one.related ?? []), ...(other.related ?? [])]
  return {
    definitions: [...one.definitions, ...other.definitions],
    related: related.sort((a, b) => (a.depth ?? 1) - (b.depth ?? 1) || b.confidence - a.confidence),
    unresolved: [...(one.unresolved ?? []), ...(other.unresolved ?? [])],
    tests: united("tests"),
    files: united("files"),
    notices: [...(one.notices ?? []), ...(other.notices ?? [])],
  }
}
