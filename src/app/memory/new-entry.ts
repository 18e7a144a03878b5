import type { EntryKind, Role } from "../../memory/entries/entry.ts"
import type { NewEntry } from "../../memory/entries/new-entry.ts"
import type { Memory } from "./memory.ts"
import type { RememberRequest } from "./requests.ts"

/** A new entry whose source is still the text the user typed. */
export type EntryInput = Omit<NewEntry, "source" | "project"> & {
  readonly source?: string | null
  /** True: the entry belongs to all projects. */
  readonly global?: boolean
}

/** The request with the field names of `NewEntry`; fields it does not have are absent. */
export function toEntryInput<Request extends Partial<RememberRequest>>(
  request: Request,
): Request extends RememberRequest ? EntryInput : Partial<EntryInput> {
  const fields: { [K in keyof EntryInput]: EntryInput[K] | undefined } = {
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
  ) as Request extends RememberRequest ? EntryInput : Partial<EntryInput>
}

/** The entry with its source resolved to lines of the project. */
export async function captured<Asked extends Partial<EntryInput>>(
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
