/*
 * Identifies the project of a folder. 1. The project recorded for the path, if its marks fit; 2. otherwise the same
 * folder after a move, or another work tree of the same repository; 3. otherwise a new project, with known projects
 * that resemble it as candidates. The decision is made again inside the transaction that records it.
 */

import type { GitFailure } from "../../git/run/run.ts"
import type { MarkKind, ProjectMark, ProjectRow, ProjectsTable } from "../../store/memory/projects.ts"
import { instant } from "../entries/times.ts"
import type { Knowledge } from "../knowledge.ts"
import { createIds } from "../log/ids.ts"
import { folderId, folderMark, folderMarksAt, folderState, idInMark } from "./folder-id.ts"
import { knownProjects } from "./link.ts"
import { candidatesFor, folderName, type ProjectCandidate } from "./match.ts"
import {
  isSameRepository,
  mainFolder,
  type Repository,
  remoteMark,
  repositoryOf,
  rootCommitMark,
} from "./repository.ts"

export type ProjectIdentity = {
  /** The project of the folder; null when the folder belongs to no known project and no project was to be created. */
  readonly project: { readonly id: string; readonly name: string } | null
  /** Projects that the folder resembles; a person decides with `linkProject`. */
  readonly candidates: readonly ProjectCandidate[]
  /**
   * Why git could not determine the repository's first commit. Set only when that commit alone decides whether the
   * folder is a known project; then no project was created. Null otherwise.
   */
  readonly failure: GitFailure | null
}

export type IdentifyOptions = {
  /** Milliseconds since 1970. */
  readonly now: number
  /** True: a project is created for a folder that belongs to no known project. */
  readonly make: boolean
}

/**
 * Identifies the project of a folder. An unconfirmed folder is a project of its own, because everything inside
 * a folder can be copied or forged, including its remote and first commit. A folder is confirmed by
 * (docs/decisions/08-sharing.md):
 * - its path, as long as the same folder is there, or one with the same remote and first commit;
 * - the folder itself, identified by inode and creation time, even if it was moved;
 * - a git work tree, if main repository and work tree name each other;
 * - a person who linked it (`linkProject`), which records the path.
 * The result is recorded, so that git is not needed the next time. `root` is absolute, links resolved.
 */
export async function identifyProject(
  knowledge: Knowledge,
  root: string,
  { now, make }: IdentifyOptions,
): Promise<ProjectIdentity> {
  const { projects } = knowledge
  const repository = repositoryOf(root)
  const remote = repository && remoteMark(repository)
  const byPath = projectAt(projects, root, repository)
  if (byPath !== null && hasAllMarks(projects, byPath.id, { root, remote, repository })) {
    return { project: byPath, candidates: [], failure: null }
  }
  const { mark, failure } =
    repository !== null && (make || knowsRootCommits(projects))
      ? await rootCommitMark(repository)
      : { mark: null, failure: null }
  const seen: FolderMarks = { root, remote, rootCommit: mark, repository }
  const plain = decideProject(projects, seen)
  const isWritten = plain.project === null ? !make : isMarked(projects, plain.project.id, seen)
  const isOpen = failure !== null && failure !== "missing" && wasHere(plain, root)
  const found =
    isWritten || isOpen || knowledge.readonly
      ? plain
      : knowledge.write(() => record(projects, seen, { now, make }))
  return { ...found, failure: isOpen ? failure : null }
}

/**
 * True when the path belongs to a known project with a first commit. That commit decides whether the folder is this
 * project, so while git fails no project may be created: it would take the path from the known one permanently.
 */
function wasHere({ project, candidates }: ProjectDecision, root: string): boolean {
  return (
    project === null &&
    candidates.some(
      ({ rootCommits, paths }) => rootCommits.length > 0 && paths.some(({ path }) => path === root),
    )
  )
}

/**
 * The recorded project of a folder; runs and writes nothing. Null when the folder replaced a recorded one; then
 * only `identifyProject` can decide.
 */
export function projectAt(
  projects: ProjectsTable,
  root: string,
  repository: Repository | null = repositoryOf(root),
): ProjectRow | null {
  for (const { id, path } of recordedAt(projects, root, repository))
    if (folderState(projects, id, path) !== "other") return projects.get(id)
  return null
}

type FolderMarks = {
  readonly root: string
  readonly remote: string | null
  readonly rootCommit: string | null
  readonly repository: Repository | null
}
type ProjectDecision = Pick<ProjectIdentity, "project" | "candidates">

/** Projects recorded for this path, then those for the same folder in the main work tree. */
function recordedAt(
  projects: ProjectsTable,
  root: string,
  repository: Repository | null,
): { readonly id: string; readonly path: string }[] {
  const main = repository && mainFolder(repository)
  const paths = main === null ? [root] : [root, main]
  return paths.flatMap((path) => projects.withMark("path", path).map((id) => ({ id, path })))
}

/** True when the project has all marks of the folder, so that git need not run and nothing is written. */
function hasAllMarks(
  projects: ProjectsTable,
  id: string,
  { root, remote, repository }: Omit<FolderMarks, "rootCommit">,
): boolean {
  const marks = projects.marks(id)
  const has = (kind: MarkKind) => marks.some((mark) => mark.kind === kind)
  if (!marks.some(({ kind, value }) => kind === "path" && value === root)) return false
  if (folderMarksAt(marks, root).length === 0 && folderId(root) !== null) return false
  if (repository === null) return !has("root-commit") || folderState(projects, id, root) === "same"
  return has("root-commit") && (remote === null || marks.some(({ value }) => value === remote))
}

function knowsRootCommits(projects: ProjectsTable): boolean {
  return projects.marks().some(({ kind }) => kind === "root-commit")
}

function isMarked(projects: ProjectsTable, id: string, seen: FolderMarks): boolean {
  const known = new Set(projects.marks(id).map(({ kind, value }) => `${kind} ${value}`))
  return marksOf(id, seen).every(({ kind, value }) => known.has(`${kind} ${value}`))
}

/** Decides again inside the transaction, because another process may have created the project meanwhile. */
function record(projects: ProjectsTable, seen: FolderMarks, { now, make }: IdentifyOptions): ProjectDecision {
  const { project, candidates } = decideProject(projects, seen)
  if (project !== null) {
    forgetFormer(projects, project.id, seen)
    for (const mark of marksOf(project.id, seen)) projects.mark(mark)
    return { project, candidates }
  }
  if (!make) return { project, candidates }
  const made = { id: createIds(() => now)(), name: folderName(seen.root), created: instant(now) }
  projects.add(made)
  forgetOthers(projects, made.id, seen.root)
  for (const mark of marksOf(made.id, seen)) projects.mark(mark)
  return { project: made, candidates }
}

function decideProject(projects: ProjectsTable, seen: FolderMarks): ProjectDecision {
  const here = recordedAt(projects, seen.root, seen.repository).find(
    ({ id, path }) => !isReplaced(projects, id, path, seen),
  )
  const id = here?.id ?? sameFolder(projects, seen) ?? otherWorkTree(projects, seen)
  if (id !== null) return { project: projects.get(id), candidates: [] }
  return { project: null, candidates: candidatesFor(seen, knownProjects(projects)) }
}

/** True when the folder at the path is not the project's folder any more, but another one. */
function isReplaced(projects: ProjectsTable, id: string, path: string, seen: FolderMarks): boolean {
  const marks = projects.marks(id)
  const known = (kind: MarkKind) => marks.filter((mark) => mark.kind === kind).map(({ value }) => value)
  const [remotes, rootCommits] = [known("remote"), known("root-commit")]
  const hasCommit = seen.rootCommit !== null && rootCommits.includes(seen.rootCommit)
  const hasRemote = seen.remote === null ? remotes.length === 0 : remotes.includes(seen.remote)
  switch (folderState(projects, id, path)) {
    case "other":
      return !(hasCommit && hasRemote)
    case "unknown":
      // The project had commits. If the folder is no repository now, another folder has taken its place.
      if (seen.repository === null) return rootCommits.length > 0
      break
    case "same":
  }
  const isOtherCommit = seen.rootCommit !== null && rootCommits.length > 0 && !hasCommit
  const isOtherRemote = seen.remote !== null && !remotes.includes(seen.remote)
  return isOtherCommit && (isOtherRemote || seen.remote === null)
}

/** The project for which this folder was recorded before it was moved; null when there is none or several. */
function sameFolder(projects: ProjectsTable, { root }: FolderMarks): string | null {
  const id = folderId(root)
  if (id === null) return null
  const marked = projects.marks().filter(({ kind, value }) => kind === "folder" && idInMark(value) === id)
  const found = new Set(marked.map(({ project }) => project))
  return found.size === 1 ? [...found][0]! : null
}

/** The project of another work tree of the same repository; null when there is none or several. */
function otherWorkTree(projects: ProjectsTable, { repository }: FolderMarks): string | null {
  if (repository === null) return null
  const found = new Set(
    projects
      .marks()
      .filter(
        ({ project, kind, value }) =>
          kind === "path" &&
          isSameRepository(repository, value) &&
          folderState(projects, project, value) !== "other",
      )
      .map(({ project }) => project),
  )
  return found.size === 1 ? [...found][0]! : null
}

function marksOf(project: string, { root, remote, rootCommit }: FolderMarks): ProjectMark[] {
  const folder = folderId(root)
  return [
    { project, kind: "path", value: root } as const,
    ...(folder === null ? [] : [{ project, kind: "folder", value: folderMark(root, folder) } as const]),
    ...(remote === null ? [] : [{ project, kind: "remote", value: remote } as const]),
    ...(rootCommit === null ? [] : [{ project, kind: "root-commit", value: rootCommit } as const]),
  ]
}

/**
 * Removes outdated paths: this one from other projects, and paths of this project that no longer exist after
 * it moved. Folder marks stay, because the folder they identify may reappear elsewhere.
 */
function forgetFormer(projects: ProjectsTable, project: string, { root }: FolderMarks): void {
  const isNew = !projects.withMark("path", root).includes(project)
  forgetOthers(projects, project, root)
  if (!isNew) return
  const { paths = [] } = knownProjects(projects).find(({ id }) => id === project) ?? {}
  for (const { path, isThere } of paths) if (!isThere) projects.unmark({ project, kind: "path", value: path })
}

function forgetOthers(projects: ProjectsTable, project: string, path: string): void {
  for (const other of projects.withMark("path", path))
    if (other !== project) projects.unmark({ project: other, kind: "path", value: path })
}
