import { ENTRY_FIELDS, jsonName } from "../../../memory/entries/entry-fields.ts"
import type { EntryInput, NewEntry } from "../../../memory/entries/new-entry.ts"
import type { Memory } from "../memory.ts"
import type { RememberRequest } from "../requests.ts"

/** The request with the field names of `EntryInput`; its other fields are left out. */
export function toEntryInput<Request extends Partial<RememberRequest>>(
  request: Request,
): Request extends RememberRequest ? EntryInput : Partial<EntryInput> {
  const given: Readonly<Record<string, unknown>> = request
  const fields = [...Object.keys(ENTRY_FIELDS), "global"].map((name) => [name, given[jsonName(name)]])
  return Object.fromEntries(
    fields.filter(([, value]) => value !== undefined),
  ) as Request extends RememberRequest ? EntryInput : Partial<EntryInput>
}

/** The entry with its source resolved to lines of the project. */
export async function withCapturedSource<Fields extends Partial<EntryInput>>(
  memory: Memory,
  { source, global: isGlobal, ...fields }: Fields,
): Promise<{
  readonly fields: Omit<Fields, "source" | "global"> & Pick<NewEntry, "source">
  readonly notice: string | null
}> {
  if (source === undefined || source === null) {
    return { fields: { ...fields, ...(source === null && { source }) }, notice: null }
  }
  const captured = await memory.sources.capture(source, isGlobal)
  return { fields: { ...fields, source: captured.source }, notice: captured.notice }
}
