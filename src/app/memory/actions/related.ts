import type { Direction } from "../../../memory/entities/graph/edge-choice.ts"
import { type RelatedGraph, related as relatedIn } from "../../../memory/entities/graph/related.ts"
import { findEntity } from "../../../memory/entities/list-entities.ts"
import { codeLinks, entriesNaming } from "../../../memory/entities/names/code-links.ts"
import type { Entry } from "../../../memory/entries/entry.ts"
import {
  entityLine,
  entityOutput,
  entryOutput,
  relationLine,
  relationOutput,
} from "../entries/entry-output.ts"
import { visibleProjects } from "../entries/entry-scope.ts"
import { plainEntry } from "../entries/entry-text.ts"
import type { Memory } from "../memory.ts"
import type { LoadedMemory } from "../recall-source.ts"
import type { CodeSymbol } from "../sources/freshness.ts"
import type { KnowledgeAnswer } from "./answer.ts"

type RelatedCall = {
  readonly entity: string
  readonly depth?: number | undefined
  readonly direction?: Direction | undefined
  readonly types?: readonly string[] | undefined
}

const USUAL_ENTRIES = 10
const MAX_SYMBOLS = 20

export const handlers = { related }

/** Relations and entries of an entity; for a symbol of the code, the entries that mention it. */
async function related(memory: Memory, call: RelatedCall): Promise<KnowledgeAnswer> {
  const loaded = await memory.loaded()
  const graph = loaded.graph.graph()
  const visible = new Set(visibleProjects(memory))
  const isVisible = (id: string): boolean => visible.has(loaded.entries.get(id)?.project ?? null)
  const start = entityOrSymbol(memory, loaded, call.entity)
  const neighbours: RelatedGraph =
    start === null
      ? { ...NOTHING, entries: entriesWithSymbol(loaded, call.entity, isVisible) }
      : relatedIn(graph, start, { ...choice(call), projects: [...visible], accepts: isVisible })
  const linked = neighbours.entries.slice(0, USUAL_ENTRIES).map((id) => loaded.entries.get(id)!)
  const symbols = mentionedSymbols(memory, linked)
  const entities = neighbours.entities.map(({ entity, distance, entries }) => ({
    ...entityOutput(entity),
    distance,
    entry_count: entries,
  }))
  const relations = neighbours.relations.map((relation) => relationOutput(graph, relation))
  const entries = linked.map((entry) => entryOutput(entry, memory.project()))
  return {
    data: {
      ...{ entities, relations, symbols, entries },
      entity_count: entities.length,
      relation_count: relations.length,
      entry_count: neighbours.entries.length,
      truncated: neighbours.truncated,
    },
    text: [
      ...entities.map((each) => `${"  ".repeat(each.distance)}${entityLine(each)}`),
      ...relations.map(relationLine),
      ...symbols.map(({ name, kind, path, line }) => `${kind} ${name} ${path}:${line}`),
      ...entries.map((entry) => `\n${plainEntry(entry)}`),
    ].join("\n"),
    found: entities.length + entries.length > 0,
  }
}

const NOTHING: RelatedGraph = { entities: [], relations: [], entries: [], truncated: false }

/** Number of the entity with this name; null if there is none but the code has a symbol of this name. */
function entityOrSymbol(memory: Memory, { graph }: LoadedMemory, wanted: string): number | null {
  try {
    return findEntity(graph.graph(), wanted, memory.project())
  } catch (error) {
    if (memory.sources.symbols(wanted).length > 0) return null
    throw error
  }
}

function entriesWithSymbol(
  { entries }: LoadedMemory,
  symbol: string,
  isVisible: (id: string) => boolean,
): string[] {
  return [...entriesNaming(entries.values(), [symbol]).keys()].filter(isVisible)
}

function choice({ depth, direction, types }: RelatedCall) {
  return {
    ...(depth !== undefined && { depth }),
    ...(direction !== undefined && { direction }),
    ...(types !== undefined && { types }),
  }
}

/** Symbols of the code that the entries mention. */
function mentionedSymbols(memory: Memory, entries: readonly Entry[]): CodeSymbol[] {
  const ownProject = memory.project()
  const symbols = entries
    .filter(({ project }) => project !== null && project === ownProject)
    .flatMap((entry) => codeLinks(entry, (name) => memory.sources.symbols(name)))
    .flatMap(({ symbols }) => symbols)
  const byPlace = new Map(symbols.map((symbol) => [`${symbol.path}:${symbol.line}`, symbol]))
  return [...byPlace.values()].slice(0, MAX_SYMBOLS)
}
