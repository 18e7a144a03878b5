import { plural } from "../../../base/plural.ts"
import {
  deleteEntity,
  makeEntity,
  mergeEntities,
  unrelate,
} from "../../../memory/entities/change-entities.ts"
import { communities } from "../../../memory/entities/graph/communities.ts"
import { paths } from "../../../memory/entities/graph/paths.ts"
import { findEntity, listEntities } from "../../../memory/entities/list-entities.ts"
import { relate } from "../../../memory/entities/write-graph.ts"
import { checkRelation } from "../../../memory/entries/check-entry.ts"
import type { NewRelation } from "../../../memory/entries/new-entry.ts"
import { entityLine, entityOutput, relationLine, relationOutput } from "../entries/entry-output.ts"
import { visibleProjects } from "../entries/entry-scope.ts"
import { entryCount } from "../entries/entry-text.ts"
import type { Memory } from "../memory.ts"
import { forceOf } from "../requests.ts"
import type { ForceOption, KnowledgeAnswer, PageOptions } from "./answer.ts"

const USUAL_PAGE = 20

/** Lists and changes entities and relations. */
export const handlers = {
  entities,
  entity,
  "merge-entities": mergeEntity,
  "delete-entity": removeEntity,
  relate: addRelation,
  unrelate: removeRelation,
  path: pathBetween,
  communities: communitiesOf,
}

async function entities(
  memory: Memory,
  { match, type, limit = USUAL_PAGE, offset = 0 }: PageOptions & Partial<Record<"match" | "type", string>>,
): Promise<KnowledgeAnswer> {
  const { graph } = await memory.loaded()
  const listed = listEntities(graph.graph(), {
    projects: visibleProjects(memory),
    ...(match !== undefined && { text: match }),
    ...(type !== undefined && { type }),
    limit,
    offset,
  })
  const shown = listed.entities.map(({ entity, entries, relations }) => ({
    ...entityOutput(entity),
    entry_count: entries,
    relation_count: relations,
  }))
  const next = offset + limit < listed.total ? offset + limit : null
  return {
    data: { entities: shown, total: listed.total, limit, offset, next_offset: next },
    text: shown
      .map(
        (each) =>
          `${entityLine(each)} (${entryCount(each.entry_count)}, ${plural(each.relation_count, "relation")})`,
      )
      .join("\n"),
    found: shown.length > 0,
  }
}

type EntityArgs = ForceOption & {
  readonly name: string
  readonly type?: string | undefined
  readonly description?: string | undefined
  readonly aliases?: readonly string[] | undefined
  readonly global?: boolean | undefined
}

async function entity(memory: Memory, call: EntityArgs): Promise<KnowledgeAnswer> {
  const { name, type, description, aliases, global } = call
  const project = global ? null : await memory.ownProject()
  const id = memory.knowledge.write((writer) =>
    makeEntity(
      writer,
      project,
      {
        name,
        ...(type !== undefined && { type }),
        ...(description !== undefined && { description }),
        ...(aliases !== undefined && { aliases }),
      },
      forceOf(call),
    ),
  )
  const graph = (await memory.loaded()).graph.graph()
  const made = entityOutput(graph.entities[findEntity(graph, id, project)]!)
  return { data: { ...made }, text: entityLine(made), found: true }
}

function mergeEntity(
  memory: Memory,
  { from, into }: { readonly from: string; readonly into: string },
): KnowledgeAnswer {
  const merged = memory.knowledge.write((writer) => mergeEntities(writer, memory.project(), from, into))
  return { data: entityOutput(merged), text: `${from} was merged into ${merged.name}`, found: true }
}

function removeEntity(memory: Memory, { name }: { readonly name: string }): KnowledgeAnswer {
  const relations = memory.knowledge.write((writer) => deleteEntity(writer, memory.project(), name))
  return {
    data: { deleted: name, relations },
    text: `deleted ${name} and ${plural(relations, "relation")}; entries that mention it are kept`,
    found: true,
  }
}

async function addRelation(memory: Memory, call: ForceOption & NewRelation): Promise<KnowledgeAnswer> {
  const { weight: given = 1, ...ends } = call
  const relation = checkRelation({ ...ends, weight: given }, forceOf(call))
  const { from, to, type, weight } = relation
  const project = await memory.ownProject()
  memory.knowledge.write((writer) => relate(writer, project, relation))
  return { data: { from, to, type, weight }, text: `${from} – ${type} → ${to}`, found: true }
}

function removeRelation(memory: Memory, { from, to, type }: NewRelation): KnowledgeAnswer {
  const removed = memory.knowledge.write((writer) => unrelate(writer, memory.project(), { from, to, type }))
  return { data: { removed }, text: `removed ${plural(removed, "relation")}`, found: true }
}

async function pathBetween(
  memory: Memory,
  call: { readonly from: string; readonly to: string },
): Promise<KnowledgeAnswer> {
  const graph = (await memory.loaded()).graph.graph()
  const project = memory.project()
  const foundPaths = paths(
    graph,
    findEntity(graph, call.from, project),
    findEntity(graph, call.to, project),
    {
      projects: visibleProjects(memory),
    },
  ).map(({ entities, relations }) => ({
    entities: entities.map(entityOutput),
    relations: relations.map((relation) => relationOutput(graph, relation)),
  }))
  return {
    data: { paths: foundPaths },
    text:
      foundPaths.map(({ relations }) => relations.map(relationLine).join("; ")).join("\n") ||
      `no path leads from ${call.from} to ${call.to}`,
    found: foundPaths.length > 0,
  }
}

async function communitiesOf(memory: Memory, _args: object): Promise<KnowledgeAnswer> {
  const graph = (await memory.loaded()).graph.graph()
  const detected = await communities(graph, { projects: visibleProjects(memory) })
  const groups = detected.communities.map((group) => group.map(entityOutput))
  return {
    data: { communities: groups, modularity: detected.modularity, alone: detected.alone },
    text: groups.map((group) => group.map(({ name }) => name).join(", ")).join("\n"),
    found: groups.length > 0,
  }
}
