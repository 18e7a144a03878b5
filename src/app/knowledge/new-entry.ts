import type { EntryKind, Role } from "../../knowledge/entry.ts"
import type { NewEntry } from "../../knowledge/new-entry.ts"
import type { Memory } from "./memory.ts"
import type { RememberRequest } from "./requests.ts"

/** A new entry whose source is still as somebody typed it. */
export type AskedEntry = Omit<NewEntry, "source" | "project"> & {
  readonly source?: string | null
  /** Belongs to no project. */
  readonly global?: boolean
}

/** A request in the engine's words; what it does not say is absent. */
export function askedEntry<Request extends Partial<RememberRequest>>(
  request: Request,
): Request extends RememberRequest ? AskedEntry : Partial<AskedEntry> {
  const fields: { [K in keyof AskedEntry]: AskedEntry[K] | undefined } = {
    text: request.text,
    topic: request.topic,
    kind: request.kind as EntryKind | undefined,
    tags: request.tags,
    key: request.key,
    source: request.source,
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
    global: request.global,
  }
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Request extends RememberRequest ? AskedEntry : Partial<AskedEntry>
}

/** The same with its source looked at. */
export async function captured<Asked extends Partial<AskedEntry>>(
  memory: Memory,
  { source, global: isGlobal, ...fields }: Asked,
): Promise<{
  readonly fields: Omit<Asked, "source" | "global"> & Pick<NewEntry, "source">
  readonly notice: string | null
}> {
  if (source === undefined || source === null) {
    return { fields: { ...fields, ...(source === null && { source }) }, notice: null }
  }
  const found = await memory.sources.capture(source, isGlobal)
  return { fields: { ...fields, source: found.source }, notice: found.notice }
}
