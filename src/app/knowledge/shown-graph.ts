import type { KnowledgeGraph } from "../../knowledge/graph/knowledge-graph.ts"
import type { GraphEntity, GraphRelation } from "../../knowledge/graph/settled-graph.ts"

type ShownEntity = ReturnType<typeof shownEntity>

export function shownEntity({ id, name, type, description, aliases, project, metadata }: GraphEntity) {
  return { id, name, type, description, aliases, metadata, scope: project === null ? "global" : "project" }
}

export function entityLine({ name, type, description, aliases }: ShownEntity): string {
  const kind = type === "" ? "" : ` (${type})`
  const also = aliases.length === 0 ? "" : `, also ${aliases.join(", ")}`
  return `${name}${kind}${also}${description === "" ? "" : `: ${description}`}`
}

type ShownRelation = ReturnType<typeof shownRelation>

export function shownRelation(graph: KnowledgeGraph, { from, to, relation, weight }: GraphRelation) {
  const name = (id: string) => graph.entities[graph.numbers.get(id)!]!.name
  return { from: name(from), type: relation, to: name(to), weight }
}

export function relationLine({ from, type, to, weight }: ShownRelation): string {
  return `${from} – ${type} → ${to}${weight === 1 ? "" : ` (${weight})`}`
}
