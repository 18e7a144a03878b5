import type { EntryKind, Role } from "../../../memory/entries/entry.ts"
import type { EntryFilter as StoreFilter } from "../../../memory/entries/entry-filter.ts"
import type { Memory } from "../memory.ts"
import type { EntryFilter } from "../requests.ts"

/** The store's filter for a request in this project. */
export function storeFilterFor(
  memory: Memory,
  request: EntryFilter,
  project = memory.project(),
): StoreFilter {
  const { topic, kinds = [], tags = [], author, role, session, after, before, as_of, metadata } = request
  const projects = request.projects ?? projectsOf(request, project)
  return {
    ...(projects !== null && { projects }),
    ...(topic !== undefined && { topics: [topic] }),
    ...(kinds.length > 0 && { kinds: kinds as readonly EntryKind[] }),
    ...(tags.length > 0 && { tags }),
    ...(author !== undefined && { authors: [author] }),
    ...(role !== undefined && { roles: [role as Role] }),
    ...(session !== undefined && { sessions: [session] }),
    ...(after !== undefined && { recordedSince: after }),
    ...(before !== undefined && { recordedBefore: before }),
    ...(as_of !== undefined ? { asOf: as_of } : request.valid && { asOf: "now" }),
    ...(metadata !== undefined && { metadata }),
  }
}

function projectsOf({ scope = "both" }: EntryFilter, project: string | null): (string | null)[] | null {
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
