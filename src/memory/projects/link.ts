import { existsSync } from "node:fs"
import { AmanError } from "../../base/errors.ts"
import type { MarkKind, ProjectMark, ProjectRow, ProjectsTable } from "../../store/memory/projects.ts"
import type { Entity } from "../entities/entity.ts"
import type { Entry } from "../entries/entry.ts"
import type { Knowledge } from "../knowledge.ts"
import type { Writer } from "../log/writer.ts"
import { folderId, folderMark, idInMark } from "./folder-id.ts"
import type { KnownProject } from "./match.ts"
import { remoteMark, repositoryOf, rootCommitMark } from "./repository.ts"

export type LinkResult = { readonly project: ProjectRow; readonly entries: number; readonly entities: number }

/** All projects with the folders and marks that identify them. */
export function listProjects({ projects }: Knowledge): KnownProject[] {
  return knownProjects(projects)
}

/** Other projects that share a remote and a first commit with this one: unlinked copies, or forks. */
export function similarProjects(projects: readonly KnownProject[], id: string): KnownProject[] {
  const own = projects.find((project) => project.id === id)
  if (own === undefined) return []
  const isShared = (of: "remotes" | "rootCommits", other: KnownProject) =>
    own[of].some((value) => other[of].includes(value))
  return projects.filter(
    (other) => other !== own && isShared("remotes", other) && isShared("rootCommits", other),
  )
}

/**
 * Links a folder to a known project, as a person decided: its path, remote and first commit are added to the
 * project's marks. Entries and marks of the folder's previous project (`from`, null: none) move to the new
 * one, unless the previous project still has other folders.
 */
export async function linkProject(
  knowledge: Knowledge,
  { root, from, to }: { root: string; from: string | null; to: string },
): Promise<LinkResult> {
  const repository = repositoryOf(root)
  const remote = repository && remoteMark(repository)
  const { mark: rootCommit } = repository === null ? { mark: null } : await rootCommitMark(repository)
  return knowledge.write((writer) => {
    const { projects } = knowledge
    const project = existing(projects, to)
    const isLeft = from !== null && from !== to && !hasOtherFolders(projects, from, root)
    const moved = isLeft ? moveAll(writer, from, to) : { entries: 0, entities: 0 }
    if (isLeft) moveMarks(projects, from, to)
    forgetFolder(projects, root)
    projects.mark({ project: to, kind: "path", value: root })
    const folder = folderId(root)
    if (folder !== null) projects.mark({ project: to, kind: "folder", value: folderMark(root, folder) })
    if (remote !== null) projects.mark({ project: to, kind: "remote", value: remote })
    if (rootCommit !== null) projects.mark({ project: to, kind: "root-commit", value: rootCommit })
    return { project, ...moved }
  })
}

/** Removes the folder's path and identity from all projects. */
function forgetFolder(projects: ProjectsTable, root: string): void {
  const folder = folderId(root)
  const isAbout = ({ kind, value }: ProjectMark) =>
    (kind === "path" && value === root) || (kind === "folder" && idInMark(value) === folder)
  for (const mark of projects.marks().filter(isAbout)) projects.unmark(mark)
}

function hasOtherFolders(projects: ProjectsTable, id: string, root: string): boolean {
  return projects.marks(id).some(({ kind, value }) => kind === "path" && value !== root && existsSync(value))
}

function existing(projects: ProjectsTable, id: string): ProjectRow {
  const project = projects.get(id)
  if (project !== null) return project
  throw new AmanError("NOT_FOUND", `no project ${id}`, { hint: "see: aman memory projects" })
}

/** Moves all entries and entities; deleted ones too, because they may be restored. Returns how many. */
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

/** All projects with the marks that identify them. */
export function knownProjects(projects: ProjectsTable): KnownProject[] {
  const marks = Map.groupBy(projects.marks(), ({ project }) => project)
  return projects.all().map((row) => knownProject(row, marks.get(row.id) ?? []))
}

function knownProject({ id, name }: ProjectRow, marks: readonly ProjectMark[]): KnownProject {
  const values = (kind: MarkKind) => marks.filter((mark) => mark.kind === kind).map(({ value }) => value)
  return {
    id,
    name,
    rootCommits: values("root-commit"),
    remotes: values("remote"),
    paths: values("path").map((path) => ({ path, isThere: existsSync(path) })),
  }
}
