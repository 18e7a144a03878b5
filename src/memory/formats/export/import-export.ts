import type { MarkKind } from "../../../store/memory/tables.ts"
import type { Knowledge } from "../../knowledge.ts"
import type { KnowledgeEvent } from "../../log/event.ts"
import { moveProjects } from "./move-projects.ts"
import type { ExportContent, ExportedProject } from "./read-export.ts"

type ImportedExport = {
  /** Numbers of new events and of events that the store already had. */
  readonly added: number
  readonly known: number
  /** Exported projects that have another id on this machine. */
  readonly moved: readonly { readonly name: string; readonly from: string; readonly to: string }[]
  /**
   * Projects that have only one mark in common with a project of this machine, or that match several; they stay
   * separate.
   */
  readonly ambiguous: readonly { readonly name: string; readonly candidates: readonly string[] }[]
}

/**
 * Imports an export of this or another store; importing it again changes nothing. An exported project is mapped to the
 * project here with the same id, else to the one that shares a remote and a root commit with it, else it is added.
 */
export function importExport(
  knowledge: Knowledge,
  { projects, events }: ExportContent,
  { dryRun = false }: { dryRun?: boolean } = {},
): ImportedExport {
  const moved: ImportedExport["moved"][number][] = []
  const ambiguous: ImportedExport["ambiguous"][number][] = []
  const ids = new Map<string, string>()
  for (const project of projects) {
    const { id, candidates } = projectHere(knowledge, project)
    if (candidates.length > 0) ambiguous.push({ name: project.name, candidates })
    ids.set(project.project, id)
    if (id !== project.project) moved.push({ name: project.name, from: project.project, to: id })
  }
  const here =
    moved.length === 0 ? events : moveProjects(events, (id) => (id === null ? null : (ids.get(id) ?? id)))
  if (dryRun) return { ...importCounts(events, newEvents(knowledge, here)), moved, ambiguous }
  const added = knowledge.write(() => {
    for (const project of projects) register(knowledge, project, ids.get(project.project)!)
    return knowledge.appendEvents(here)
  })
  return { ...importCounts(events, added), moved, ambiguous }
}

function importCounts(events: readonly unknown[], added: number): { added: number; known: number } {
  return { added, known: events.length - added }
}

function newEvents(knowledge: Knowledge, events: readonly KnowledgeEvent[]): number {
  const known = new Set(knowledge.events().map(({ id }) => id))
  return events.filter(({ id }) => !known.has(id)).length
}

/**
 * The project in this store to which an exported project corresponds. Unless the ids are equal, remote and root
 * commit must both be equal, because anyone can write any remote into a configuration, and a fork has the root commit
 * of the original.
 */
function projectHere(
  { projects }: Knowledge,
  { project, marks }: ExportedProject,
): { readonly id: string; readonly candidates: readonly string[] } {
  if (projects.get(project) !== null) return { id: project, candidates: [] }
  const having = (wanted: MarkKind) =>
    new Set(marks.flatMap(({ kind, value }) => (kind === wanted ? projects.withMark(kind, value) : [])))
  const [remotes, rootCommits] = [having("remote"), having("root-commit")]
  const both = [...remotes].filter((id) => rootCommits.has(id))
  if (both.length === 1) return { id: both[0]!, candidates: [] }
  return { id: project, candidates: both.length > 1 ? both : [...remotes.union(rootCommits)] }
}

/** Adds the project and its marks. A path that belongs to another project in this store stays with that project. */
function register({ projects }: Knowledge, { name, created, marks }: ExportedProject, id: string): void {
  projects.add({ id, name, created })
  for (const { kind, value } of marks)
    if (kind !== "path" || projects.withMark(kind, value).length === 0)
      projects.mark({ project: id, kind, value })
}
