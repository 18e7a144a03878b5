import type { EntryKind, Role } from "../../knowledge/entry.ts"
import type { NewEntry } from "../../knowledge/new-entry.ts"
import type { Memory } from "./memory.ts"
import type { RememberRequest } from "./requests.ts"

export type Fields = { readonly fields: Partial<NewEntry>; readonly notices: readonly string[] }

/** What a request says of an entry, in the engine's words; what it does not say is absent. The source is looked at. */
export async function toFields(memory: Memory, request: Partial<RememberRequest>): Promise<Fields> {
  const { source, notices } = await memory.capture(request.source)
  const fields = {
    text: request.text,
    topic: request.topic,
    kind: request.kind as EntryKind | undefined,
    tags: request.tags,
    key: request.key,
    source,
    author: request.author,
    role: request.role as Role | undefined,
    session: request.session,
    ordinal: request.ordinal,
    entities: request.entities,
    relations: request.relations?.map(({ weight, ...relation }) =>
      weight === undefined ? relation : { ...relation, weight },
    ),
    metadata: request.metadata,
    validFrom: request.valid_from,
    validUntil: request.valid_until,
    recordedAt: request.recorded_at,
    supersedes: request.supersedes,
  }
  const given = Object.entries(fields).filter(([, value]) => value !== undefined)
  return { fields: Object.fromEntries(given) as Partial<NewEntry>, notices }
}
