import type { EntityNames } from "./entity-names.ts"
import { tidyName } from "./name-key.ts"
import { byId, scopedKey } from "./settle-entities.ts"
import type { Entity } from "./settled-graph.ts"

/** What an entry says expressly that it speaks of. */
export type Mention = { readonly entry: string; readonly project: string | null; readonly name: string }

/**
 * Entities that nobody made, but entries mention: each in the scope of its entries, unless all share one of that name.
 * They are there as long as an entry mentions them.
 */
export function impliedEntities(mentions: readonly Mention[], made: EntityNames): Entity[] {
  const implied = new Map<string, Mention>()
  // What belongs to all comes first: a project's entries may mean it.
  for (const mention of mentions.filter(({ project }) => project === null)) imply(implied, mention, made)
  for (const mention of mentions.filter(({ project }) => project !== null)) {
    if (!implied.has(scopedKey(null, mention.name))) imply(implied, mention, made)
  }
  return [...implied].map(([key, mention]) => impliedEntity(key, mention)).sort(byId)
}

function imply(implied: Map<string, Mention>, mention: Mention, made: EntityNames): void {
  const key = scopedKey(mention.project, mention.name)
  if (key.endsWith("\n") || made.find(mention.name, mention.project) !== null) return
  const known = implied.get(key)
  // As the first entry wrote it.
  if (known === undefined || mention.entry < known.entry) implied.set(key, mention)
}

function impliedEntity(key: string, { project, name }: Mention): Entity {
  const id = `implied:${key.replace("\n", ":")}`
  const nothing = { type: "", description: "", aliases: [], metadata: {} }
  return { id, ids: [id], isImplied: true, project, name: tidyName(name), ...nothing }
}
