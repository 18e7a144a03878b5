import type { KnowledgeEvent } from "../event.ts"
import type { Knowledge } from "../knowledge.ts"
import { moveProjects } from "./move-projects.ts"
import type { Exported, ExportedProject } from "./read-export.ts"

export type ImportedExport = {
  /** How many events were new. */
  readonly added: number
  readonly known: number
  /** Projects that bear another id on this machine. */
  readonly moved: readonly { readonly name: string; readonly from: string; readonly to: string }[]
  /** Projects that several on this machine could be; they are kept apart. */
  readonly ambiguous: readonly { readonly name: string; readonly candidates: readonly string[] }[]
}

/**
 * Takes in what another store, or this one before, wrote. A project is this machine's of the same id, else the one
 * that shares a remote or a root commit with it, else it is kept as it is. Twice is the same as once.
 */
export function importExport(
  knowledge: Knowledge,
  { projects, events }: Exported,
  { dryRun = false }: { dryRun?: boolean } = {},
): ImportedExport {
  const moved: ImportedExport["moved"][number][] = []
  const ambiguous: ImportedExport["ambiguous"][number][] = []
  const ids = new Map<string, string>()
  for (const project of projects) {
    const candidates = candidatesFor(knowledge, project)
    if (candidates.length > 1) ambiguous.push({ name: project.name, candidates })
    const id = candidates.length === 1 ? candidates[0]! : project.project
    ids.set(project.project, id)
    if (id !== project.project) moved.push({ name: project.name, from: project.project, to: id })
  }
  const here =
    moved.length === 0 ? events : moveProjects(events, (id) => (id === null ? null : (ids.get(id) ?? id)))
  if (dryRun) return { ...counted(events, newEvents(knowledge, here)), moved, ambiguous }
  const added = knowledge.write(() => {
    for (const project of projects) register(knowledge, project, ids.get(project.project)!)
    return knowledge.appendEvents(here)
  })
  return { ...counted(events, added), moved, ambiguous }
}

function counted(events: readonly unknown[], added: number): { added: number; known: number } {
  return { added, known: events.length - added }
}

function newEvents(knowledge: Knowledge, events: readonly KnowledgeEvent[]): number {
  const known = new Set(knowledge.events().map(({ id }) => id))
  return events.filter(({ id }) => !known.has(id)).length
}

/** A remote tells more than a root commit, which a fork and what is made of one template share. */
function candidatesFor({ projects }: Knowledge, { project, marks }: ExportedProject): readonly string[] {
  if (projects.get(project) !== null) return [project]
  for (const kind of ["remote", "root-commit"] as const) {
    const own = marks.filter((mark) => mark.kind === kind)
    const found = new Set(own.flatMap(({ value }) => projects.withMark(kind, value)))
    if (found.size > 0) return [...found]
  }
  return []
}

function register({ projects }: Knowledge, { name, created, marks }: ExportedProject, id: string): void {
  projects.add({ id, name, created })
  for (const { kind, value } of marks) projects.mark({ project: id, kind, value })
}
