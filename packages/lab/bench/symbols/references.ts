import { readFileSync } from "node:fs"
import { join } from "node:path"
import { indexProject, openProject } from "../../../../src/index/index.ts"
import {
  type Edge,
  qualifiedName,
  referencesTo,
  type SymbolDefinition,
  SymbolGraph,
} from "../../../../src/symbols/index.ts"
import { LanguageServer, type Position } from "./language-server.ts"

/**
 * Number of places that both programs know, and that only one knows; `unresolved`: missing ones that aman
 * reports as unresolved.
 */
export type Compared = {
  readonly kind: string
  symbols: number
  both: number
  onlyOurs: number
  onlyTheirs: number
  unresolved: number
}

export type Difference = { readonly what: string; readonly place: string; readonly isOurs: boolean }

/** Max symbols of a project, spread evenly over its definitions. */
const MAX_SYMBOLS = 400
const KINDS = ["function", "method", "class", "interface", "type", "constant", "property", "field"]

/**
 * Compares the references of a sample of symbols with those of the TypeScript language service, place by place.
 */
export async function compareReferences(
  root: string,
): Promise<{ readonly compared: readonly Compared[]; readonly differences: readonly Difference[] }> {
  using project = openProject({ root, cwd: root })
  await indexProject(project)
  const graph = new SymbolGraph(project.reader()!.store)
  using server = await LanguageServer.start(root)
  const byKind = new Map<string, Compared>()
  const differences: Difference[] = []
  for (const definition of sampleOf(graph)) {
    const truth = await serverReferences(server, root, definition, graph)
    if (truth === null) continue
    const { edges, unresolved } = referencesTo(graph, definition)
    const ours = placesOf(edges)
    const onlyOurs = [...ours.difference(truth)]
    const onlyTheirs = truth.difference(ours)
    const told = onlyTheirs.intersection(placesOf(unresolved)).size
    for (const kind of [definition.symbol.kind, "all"]) {
      const sum = byKind.get(kind) ?? { kind, symbols: 0, both: 0, onlyOurs: 0, onlyTheirs: 0, unresolved: 0 }
      byKind.set(kind, sum)
      sum.symbols++
      sum.both += ours.size - onlyOurs.length
      sum.onlyOurs += onlyOurs.length
      sum.onlyTheirs += onlyTheirs.size
      sum.unresolved += told
    }
    const what = `${definition.symbol.kind} ${qualifiedName(definition)} (${definition.file.path})`
    differences.push(...onlyOurs.map((place) => ({ what, place, isOurs: true })))
    differences.push(...Array.from(onlyTheirs, (place) => ({ what, place, isOurs: false })))
  }
  return { compared: [...byKind.values()], differences }
}

function placesOf(edges: readonly Edge[]): Set<string> {
  return new Set(edges.map(({ file, line }) => `${file.path}:${line}`))
}

function sampleOf(graph: SymbolGraph): SymbolDefinition[] {
  const all = graph
    .files(graph.inOrder(graph.store.uses.ids(), []))
    .flatMap((file) =>
      file.symbols
        .filter(({ kind, name, local }) => KINDS.includes(kind) && local === 0 && /^[\w$]+$/.test(name))
        .map((symbol) => ({ symbol, file })),
    )
  const step = Math.max(1, all.length / MAX_SYMBOLS)
  return all.filter((_, at) => Math.floor(at / step) !== Math.floor((at - 1) / step))
}

/**
 * References according to the language service; null if the name is not found in the text. Declarations of the
 * same member in other types are left out, because they are no uses of this one.
 */
async function serverReferences(
  server: LanguageServer,
  root: string,
  { symbol, file }: SymbolDefinition,
  graph: SymbolGraph,
): Promise<Set<string> | null> {
  const text = readFileSync(join(root, file.path), "utf8")
  const position = positionOf(text, symbol.name, symbol.startLine, symbol.endLine)
  if (position === null) return null
  const places = new Set(await server.references(file.path, text, position))
  places.delete(`${file.path}:${position.line + 1}`)
  for (const other of graph.definitionsOf(symbol.name))
    places.delete(`${other.file.path}:${other.symbol.startLine}`)
  return places
}

function positionOf(text: string, name: string, from: number, to: number): Position | null {
  const word = new RegExp(`(?<![\\w$])${RegExp.escape(name)}(?![\\w$])`)
  const lines = text.split("\n").slice(from - 1, to)
  for (const [at, line] of lines.entries()) {
    const character = /^\s*(?:\*|\/\/|\/\*)/.test(line) ? -1 : line.search(word)
    if (character >= 0) return { line: from - 1 + at, character }
  }
  return null
}
