import { plural } from "../../../base/index.ts"
import { deleteEntity, makeEntity, mergeEntities, relate, unrelate } from "../../entities/change-entities.ts"
import { codeLinks, entriesNaming } from "../../entities/code-links.ts"
import {
  findEntity,
  listEntities,
  type RelatedGraph,
  type RelatedOptions,
  related,
  shortestPath,
} from "../../entities/graph-questions.ts"
import { checkRelation } from "../../entries/check-entry.ts"
import type { Entry, NewRelation } from "../../entries/entry.ts"
import type { Given } from "../../entries/entry-fields.ts"
import { visibleProjects } from "../entries/entry-names.ts"
import {
  entityLine,
  entityOutput,
  entryCount,
  entryOutput,
  plainEntry,
  relationLine,
  relationOutput,
} from "../entries/entry-output.ts"
import type { Memory } from "../memory.ts"
import type { LoadedMemory } from "../recall.ts"
import { forceOf } from "../requests.ts"
import { type ForceOption, type KnowledgeAnswer, type PageOptions, paging, rowsAnswer } from "./answer.ts"

/** Lists and changes entities and relations. */
export const handlers = {
  entities,
  entity,
  "merge-entities": (memory: Memory, { from, into }: Record<"from" | "into", string>): KnowledgeAnswer => {
    const merged = memory.knowledge.write((writer) => mergeEntities(writer, memory.project(), from, into))
    return { data: entityOutput(merged), text: `${from} was merged into ${merged.name}`, found: true }
  },
  "delete-entity": (memory: Memory, { name }: { readonly name: string }): KnowledgeAnswer => {
    const relations = memory.knowledge.write((writer) => deleteEntity(writer, memory.project(), name))
    const text = `deleted ${name} and ${plural(relations, "relation")}; entries that mention it are kept`
    return { data: { deleted: name, relations }, text, found: true }
  },
  relate: async (memory: Memory, call: ForceOption & NewRelation): Promise<KnowledgeAnswer> => {
    const relation = checkRelation({ ...call, weight: call.weight ?? 1 }, forceOf(call))
    const { from, to, type, weight } = relation
    const project = await memory.ownProject()
    memory.knowledge.write((writer) => relate(writer, project, relation))
    return { data: { from, to, type, weight }, text: `${from} – ${type} → ${to}`, found: true }
  },
  unrelate: (memory: Memory, { from, to, type }: NewRelation): KnowledgeAnswer => {
    const removed = memory.knowledge.write((writer) => unrelate(writer, memory.project(), { from, to, type }))
    return { data: { removed }, text: `removed ${plural(removed, "relation")}`, found: true }
  },
  related: relatedTo,
  path,
}

async function entities(
  memory: Memory,
  { match, type, limit = 20, offset = 0 }: PageOptions & Partial<Record<"match" | "type", string>>,
): Promise<KnowledgeAnswer> {
  const { graph } = await memory.loaded()
  const listed = listEntities(graph.graph(), {
    projects: visibleProjects(memory),
    ...(match !== undefined && { text: match }),
    ...(type !== undefined && { type }),
    limit,
    offset,
  })
  return rowsAnswer(
    "entities",
    listed.entities.map(({ entity, entries, relations }) => ({
      ...{ ...entityOutput(entity), entry_count: entries, relation_count: relations },
    })),
    (each) =>
      `${entityLine(each)} (${entryCount(each.entry_count)}, ${plural(each.relation_count, "relation")})`,
    { more: paging(listed.total, { limit, offset }).fields },
  )
}

type EntityCall = ForceOption & { readonly name: string } & Given<
    Record<"type" | "description", string> & { aliases: readonly string[]; global: boolean }
  >

async function entity(memory: Memory, call: EntityCall): Promise<KnowledgeAnswer> {
  const { name, type, description, aliases } = call
  const project = call.global ? null : await memory.ownProject()
  const given = Object.entries({ type, description, aliases }).filter(([, value]) => value !== undefined)
  const id = memory.knowledge.write((writer) =>
    makeEntity(writer, project, { name, ...Object.fromEntries(given) }, forceOf(call)),
  )
  const graph = (await memory.loaded()).graph.graph()
  const made = entityOutput(graph.entities[findEntity(graph, id, project)]!)
  return { data: { ...made }, text: entityLine(made), found: true }
}

async function path(memory: Memory, { from, to }: Record<"from" | "to", string>): Promise<KnowledgeAnswer> {
  const graph = (await memory.loaded()).graph.graph()
  const [start, end] = [from, to].map((name) => findEntity(graph, name, memory.project()))
  const found = shortestPath(graph, start!, end!, { projects: visibleProjects(memory) })
  return rowsAnswer(
    "paths",
    (found === null ? [] : [found]).map(({ entities, relations }) => ({
      entities: entities.map(entityOutput),
      relations: relations.map((relation) => relationOutput(graph, relation)),
    })),
    ({ relations }) => relations.map(relationLine).join("; "),
    { empty: `no path leads from ${from} to ${to}`, more: {} },
  )
}

type RelatedCall = { readonly entity: string } & Given<Pick<RelatedOptions, "depth" | "direction" | "types">>

/** Relations and entries of an entity; for a symbol of the code, the entries that mention it. */
async function relatedTo(memory: Memory, { entity, depth, direction, types }: RelatedCall) {
  const loaded = await memory.loaded()
  const graph = loaded.graph.graph()
  const visible = new Set(visibleProjects(memory))
  const isVisible = (id: string): boolean => visible.has(loaded.entries.get(id)?.project ?? null)
  const start = entityOrSymbol(memory, loaded, entity)
  const choice = Object.fromEntries(Object.entries({ depth, direction, types }).filter(([, value]) => value))
  const neighbours: RelatedGraph =
    start === null
      ? {
          ...{ entities: [], relations: [], truncated: false },
          entries: [...entriesNaming(loaded.entries.values(), [entity]).keys()].filter(isVisible),
        }
      : related(graph, start, { ...choice, projects: [...visible], accepts: isVisible })
  const linked = neighbours.entries.slice(0, 10).map((id) => loaded.entries.get(id)!)
  const symbols = mentionedSymbols(memory, linked)
  const entities = neighbours.entities.map(({ entity, distance, entries }) => ({
    ...{ ...entityOutput(entity), distance, entry_count: entries },
  }))
  const relations = neighbours.relations.map((relation) => relationOutput(graph, relation))
  const entries = linked.map((entry) => entryOutput(entry, memory.project()))
  return {
    data: {
      ...{ entities, relations, symbols, entries, entity_count: entities.length },
      ...{ relation_count: relations.length, entry_count: neighbours.entries.length },
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

/** Number of the entity with this name; null if there is none but the code has a symbol of this name. */
function entityOrSymbol(memory: Memory, { graph }: LoadedMemory, wanted: string): number | null {
  try {
    return findEntity(graph.graph(), wanted, memory.project())
  } catch (error) {
    if (memory.sources.symbols(wanted).length > 0) return null
    throw error
  }
}

/** Symbols of the code that the entries mention. */
function mentionedSymbols(memory: Memory, entries: readonly Entry[]) {
  const ownProject = memory.project()
  const symbols = entries
    .filter(({ project }) => project !== null && project === ownProject)
    .flatMap((entry) => codeLinks(entry, (name) => memory.sources.symbols(name)))
    .flatMap(({ symbols }) => symbols)
    .map(({ name, kind, path, startLine: line }) => ({ name, kind, path, line }))
  const byPlace = new Map(symbols.map((symbol) => [`${symbol.path}:${symbol.line}`, symbol]))
  return [...byPlace.values()].slice(0, 20)
}
