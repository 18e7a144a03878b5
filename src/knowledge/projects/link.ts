import { existsSync } from "node:fs"
import { AmanError } from "../../base/errors.ts"
import type { ProjectRow, ProjectsTable } from "../../store/knowledge/projects.ts"
import type { Entity } from "../entity.ts"
import type { Entry } from "../entry.ts"
import type { Knowledge } from "../knowledge.ts"
import type { Writer } from "../writer.ts"
import { knownProjects } from "./known-projects.ts"
import type { KnownProject } from "./match.ts"
import { remoteMark, repositoryOf } from "./repository.ts"

export type Linked = { readonly project: ProjectRow; readonly entries: number; readonly entities: number }

/** All projects, with the folders and marks by which they are known again. */
export function listProjects({ projects }: Knowledge): KnownProject[] {
  return knownProjects(projects, null)
}

/**
 * Says that a folder is a project which is known already: from now on by its path and its remote, too. What was
 * remembered under the id that the folder had (`from`, null: none) goes with it, and so do that one's marks, unless
 * that project has other folders, which keep them.
 */
export function linkProject(
  knowledge: Knowledge,
  { root, from, to }: { root: string; from: string | null; to: string },
): Linked {
  return knowledge.write((writer) => {
    const { projects } = knowledge
    const project = existing(projects, to)
    const isLeft = from !== null && from !== to && !hasOtherFolders(projects, from, root)
    const moved = isLeft ? moveAll(writer, from, to) : { entries: 0, entities: 0 }
    if (isLeft) moveMarks(projects, from, to)
    for (const other of projects.withMark("path", root))
      projects.unmark({ project: other, kind: "path", value: root })
    projects.mark({ project: to, kind: "path", value: root })
    const repository = repositoryOf(root)
    const remote = repository && remoteMark(repository)
    if (remote !== null) projects.mark({ project: to, kind: "remote", value: remote })
    return { project, ...moved }
  })
}

function hasOtherFolders(projects: ProjectsTable, id: string, root: string): boolean {
  return projects.marks(id).some(({ kind, value }) => kind === "path" && value !== root && existsSync(value))
}

function existing(projects: ProjectsTable, id: string): ProjectRow {
  const project = projects.get(id)
  if (project !== null) return project
  throw new AmanError("NOT_FOUND", `no project ${id}`, { hint: "aman memory projects lists them" })
}

/** Deleted ones, too: they may be restored. */
function moveAll(writer: Writer, from: string, to: string): { entries: number; entities: number } {
  const { entries, entities } = writer.store
  const ownEntries = entries
    .after(0)
    .map((body) => JSON.parse(body) as Entry)
    .filter(({ project }) => project === from)
  const reason = "its folder was linked to this project"
  for (const { id } of ownEntries) writer.write(id, { type: "revised", fields: { project: to }, reason })
  const ownEntities = entities
    .after(0)
    .map((body) => JSON.parse(body) as Entity)
    .filter(({ project }) => project === from)
  for (const { id } of ownEntities) writer.write(id, { type: "entity-revised", fields: { project: to } })
  return { entries: ownEntries.length, entities: ownEntities.length }
}

function moveMarks(projects: ProjectsTable, from: string, to: string): void {
  for (const { kind, value } of projects.marks(from)) projects.mark({ project: to, kind, value })
  projects.remove(from)
}
