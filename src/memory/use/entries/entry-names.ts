import { AmanError } from "../../../base/index.ts"
import type { EntryInput, NewEntry } from "../../entries/entry.ts"
import { ENTRY_FIELDS, jsonName } from "../../entries/entry-fields.ts"
import type { StoreFilter } from "../../entries/list-entries.ts"
import { canonicalId, isId } from "../../log/ids.ts"
import type { Memory } from "../memory.ts"
import type { EntryFilter, RememberRequest, Scope } from "../requests.ts"

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

/** Id of an entry given by id or key; this project's key comes first. An unknown name is returned unchanged. */
export function resolveEntryName(memory: Memory, name: string): string {
  if (isId(canonicalId(name))) return name
  return ownId(memory, name) ?? memory.knowledge.idOfKey(null, name) ?? name
}

/**
 * Like `resolveEntryName`, for actions that remove an entry: a key selects only an entry of this project.
 * Throws NOT_FOUND, with the id as a hint, when the key belongs only to an entry of all projects.
 */
export function resolveOwnEntryName(memory: Memory, name: string): string {
  if (isId(canonicalId(name))) return name
  const ownMatch = ownId(memory, name)
  const ofAll = memory.knowledge.idOfKey(null, name)
  if (ownMatch !== null || ofAll === null || memory.root === null) return ownMatch ?? ofAll ?? name
  throw new AmanError("NOT_FOUND", `no entry ${name} in this project`, {
    hint: `that key belongs to a global entry; to use it, write ${ofAll}`,
  })
}

function ownId(memory: Memory, key: string): string | null {
  const project = memory.project()
  return project === null ? null : memory.knowledge.idOfKey(project, key)
}

/** The store's filter for a request in this project. */
export function storeFilterFor(
  memory: Memory,
  { scope, valid, ...request }: EntryFilter,
  project = memory.project(),
): StoreFilter {
  const projects = request.projects ?? projectsOf(scope ?? "both", project) ?? undefined
  const { topic, kinds = [], tags = [], author, role, session, after, before, metadata } = request
  const as_of = request.as_of ?? (valid ? "now" : undefined)
  const some = <T>(list: readonly T[]) => (list.length > 0 ? list : undefined)
  const outdated = as_of === undefined ? request.outdated : undefined
  const lists = { projects, kinds: some(kinds), tags: some(tags) }
  return given({ ...lists, topic, author, role, session, after, before, as_of, outdated, metadata })
}

/** The object without absent fields. */
function given<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T
}

function projectsOf(scope: Scope, project: string | null): (string | null)[] | null {
  switch (scope) {
    case "all":
      return null
    case "global":
      return [null]
    case "project":
      // A folder without a project id matches nothing, rather than everything.
      return [project ?? ""]
    case "both":
      return project === null ? [null] : [project, null]
  }
}

/** This folder's project, if it has one, and null for the entries of all projects. */
export function visibleProjects(memory: Memory): (string | null)[] {
  const project = memory.project()
  return project === null ? [null] : [project, null]
}
