/*
 * Identifies the project of a folder. 1. The project recorded for the path, if its marks fit; 2. otherwise the same
 * folder after a move, or another work tree of the same repository; 3. otherwise a new project, with known projects
 * that resemble it as candidates. The decision is made again inside the transaction that records it.
 */

import { existsSync, statSync } from "node:fs"
import { basename, dirname, join, relative } from "node:path"
import { AmanError, resolvedOr, sha256, toPosix } from "../../base/index.ts"
import type { MarkKind, ProjectMark, ProjectRow, ProjectsTable } from "../../store/index.ts"
import {
  findWorkTree,
  type GitFailure,
  isOwnedWorkTree,
  remoteOf,
  rootCommit,
  type WorkTree,
} from "../../tree/index.ts"
import type { Entity } from "../entities/entities.ts"
import type { Entry } from "../entries/entry.ts"
import { instant } from "../entries/times.ts"
import type { Knowledge } from "../knowledge.ts"
import { createIds } from "../log/ids.ts"
import type { Writer } from "../log/writer.ts"

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

type IdentifyOptions = {
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
  const cheap: FolderMarks = { root, remote, rootCommit: null, repository }
  if (byPath !== null && hasAllMarks(projects, byPath.id, cheap)) {
    return { project: byPath, candidates: [], failure: null }
  }
  const { mark, failure } =
    repository !== null && (make || projects.marks().some(({ kind }) => kind === "root-commit"))
      ? await rootCommitMark(repository)
      : { mark: null, failure: null }
  const seen: FolderMarks = { ...cheap, rootCommit: mark }
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
  // Only in a linked work tree the folder may be recorded under another path.
  repository: Repository | null = findWorkTree(root)?.kind === "linked" ? repositoryOf(root) : null,
): ProjectRow | null {
  for (const { id, path } of recordedAt(projects, root, repository))
    if (folderState(projects, id, path) !== "other") return projects.get(id)
  return null
}

/** A folder whose project is to be identified, and its marks. */
type SeenFolder = {
  /** Absolute, links resolved. */
  readonly root: string
  readonly remote: string | null
  readonly rootCommit: string | null
}
type FolderMarks = SeenFolder & { readonly repository: Repository | null }
type ProjectDecision = Pick<ProjectIdentity, "project" | "candidates">

/** Projects recorded for this path, then those for the same folder in the main work tree. */
function recordedAt(projects: ProjectsTable, root: string, repository: Repository | null) {
  const main = repository && mainFolder(repository)
  const paths = main === null ? [root] : [root, main]
  return paths.flatMap((path) => projects.withMark("path", path).map((id) => ({ id, path })))
}

/**
 * True when the project has the marks that are found without git, and a first commit if the folder has a repository, so
 * that git need not run and nothing is written.
 */
function hasAllMarks(projects: ProjectsTable, id: string, seen: FolderMarks): boolean {
  if (!isMarked(projects, id, seen)) return false
  const hasCommit = projects.marks(id).some(({ kind }) => kind === "root-commit")
  if (seen.repository !== null) return hasCommit
  return !hasCommit || folderState(projects, id, seen.root) === "same"
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
  return only(marked)
}

/** The project of the marks; null when there is none or several. */
function only(marks: readonly ProjectMark[]): string | null {
  const found = new Set(marks.map(({ project }) => project))
  return found.size === 1 ? [...found][0]! : null
}

/** The project of another work tree of the same repository; null when there is none or several. */
function otherWorkTree(projects: ProjectsTable, { repository }: FolderMarks): string | null {
  if (repository === null) return null
  const isOther = ({ project, kind, value }: ProjectMark) =>
    kind === "path" &&
    isSameRepository(repository, value) &&
    folderState(projects, project, value) !== "other"
  return only(projects.marks().filter(isOther))
}

function marksOf(project: string, { root, remote, rootCommit }: SeenFolder): ProjectMark[] {
  const folder = folderId(root)
  return [
    { project, kind: "path", value: root } as const,
    // The path is hashed, because marks are exported and compared.
    ...(folder === null ? [] : [{ project, kind: "folder", value: `${folder}:${pathHash(root)}` } as const]),
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
  const isGone = ({ kind, value }: ProjectMark) => kind === "path" && !existsSync(value)
  if (isNew) for (const mark of projects.marks(project).filter(isGone)) projects.unmark(mark)
}

function forgetOthers(projects: ProjectsTable, project: string, path: string): void {
  for (const other of projects.withMark("path", path))
    if (other !== project) projects.unmark({ project: other, kind: "path", value: path })
}

export type KnownProject = {
  readonly id: string
  readonly name: string
  readonly rootCommits: readonly string[]
  readonly remotes: readonly string[]
  readonly paths: readonly KnownPath[]
}

type KnownPath = { readonly path: string; readonly isThere: boolean }

/** A known project that a folder resembles, and their common marks. A person decides whether they are the same. */
export type ProjectCandidate = KnownProject & { readonly alike: Likeness }

/**
 * Known projects that a folder resembles, most similar first. A resemblance proves nothing: a remote is a
 * line of text in `.git/config`, and anyone who can fetch a repository has its first commit.
 */
function candidatesFor(seen: SeenFolder, known: readonly KnownProject[]): ProjectCandidate[] {
  const rated = Map.groupBy(known, (project) => likenessOf(seen, project))
  return ALIKE.flatMap((alike) => (rated.get(alike) ?? []).map((project) => ({ ...project, alike })))
}

const ALIKE = [
  "the same remote and first commit",
  "the same path, where another folder was before",
  "the same first commit",
  "the same remote",
  "the same name, and its folder was deleted",
] as const
type Likeness = (typeof ALIKE)[number]

function likenessOf(seen: SeenFolder, known: KnownProject): Likeness | null {
  const { root, remote, rootCommit } = seen
  const hasCommit = rootCommit !== null && known.rootCommits.includes(rootCommit)
  const hasRemote = remote !== null && known.remotes.includes(remote)
  if (hasCommit && hasRemote) return "the same remote and first commit"
  if (known.paths.some(({ path }) => path === root)) return "the same path, where another folder was before"
  if (hasCommit) return "the same first commit"
  // When the first commits differ, an equal remote does not mean a common history.
  if (hasRemote && (rootCommit === null || known.rootCommits.length === 0)) return "the same remote"
  return isNamesake(seen, known) ? "the same name, and its folder was deleted" : null
}

/** True when only the names match: a folder without git that was copied to another disk has no other mark. */
function isNamesake({ root, remote, rootCommit }: SeenFolder, known: KnownProject): boolean {
  const { name, remotes, rootCommits, paths } = known
  return (
    folderName(root) === name &&
    remote === null &&
    rootCommit === null &&
    remotes.length + rootCommits.length === 0 &&
    paths.length > 0 &&
    paths.every(({ isThere }) => !isThere)
  )
}

function folderName(root: string): string {
  return root.split(/[\\/]/).filter(Boolean).at(-1) ?? root
}

/**
 * Links a folder to a known project, as a person decided: its path, remote and first commit are added to the
 * project's marks. Entries and marks of the folder's previous project (`from`, null: none) move to the new
 * one, unless the previous project still has other folders.
 */
export async function linkProject(
  knowledge: Knowledge,
  { root, from, to }: { root: string; from: string | null; to: string },
): Promise<{ readonly project: ProjectRow; readonly entries: number; readonly entities: number }> {
  const repository = repositoryOf(root)
  const remote = repository && remoteMark(repository)
  const { mark: rootCommit } = repository === null ? { mark: null } : await rootCommitMark(repository)
  return knowledge.write((writer) => {
    const { projects } = knowledge
    const project = projects.get(to)
    if (project === null)
      throw new AmanError("NOT_FOUND", `no project ${to}`, { hint: "see: aman memory projects" })
    const isLeft = from !== null && from !== to && !hasOtherFolders(projects, from, root)
    const moved = isLeft ? moveAll(writer, from, to) : { entries: 0, entities: 0 }
    if (isLeft) {
      for (const { kind, value } of projects.marks(from)) projects.mark({ project: to, kind, value })
      projects.remove(from)
    }
    forgetFolder(projects, root)
    for (const mark of marksOf(to, { root, remote, rootCommit })) projects.mark(mark)
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

/** Moves all entries and entities; deleted ones too, because they may be restored. Returns how many. */
function moveAll(writer: Writer, from: string, to: string): { entries: number; entities: number } {
  const owned = (bodies: readonly string[]): readonly { readonly id: string }[] =>
    bodies.map((body): Entry | Entity => JSON.parse(body)).filter(({ project }) => project === from)
  const [entries, entities] = [owned(writer.store.entries.after(0)), owned(writer.store.entities.after(0))]
  const reason = "its folder was linked to this project"
  for (const { id } of entries) writer.write(id, { type: "revised", fields: { project: to }, reason })
  for (const { id } of entities) writer.write(id, { type: "entity-revised", fields: { project: to } })
  return { entries: entries.length, entities: entities.length }
}

/** All projects with the folders and marks that identify them. */
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

/**
 * Identity of a folder in the file system: inode number and creation time in ns. Both stay when the folder is
 * renamed or moved within a file system, and unpacking an archive cannot set them. Null when the folder is
 * missing or the file system has no creation times.
 */
export function folderId(path: string): string | null {
  try {
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
    return stat === undefined || stat.birthtimeNs <= 0n ? null : `${stat.ino}:${stat.birthtimeNs}`
  } catch {
    return null
  }
}

/** The folder id in a "folder" mark. */
function idInMark(mark: string): string {
  return mark.slice(0, mark.lastIndexOf(":"))
}

/**
 * Compares the folder at a project's path with the folder recorded for it: "same"; "other" when another folder has
 * taken its place; "unknown" when nothing was recorded or the file system cannot tell.
 */
function folderState(projects: ProjectsTable, project: string, path: string): "same" | "other" | "unknown" {
  const recorded = folderMarksAt(projects.marks(project), path)
  const id = recorded.length === 0 ? null : folderId(path)
  if (id === null) return "unknown"
  return recorded.some(({ value }) => idInMark(value) === id) ? "same" : "other"
}

/** The "folder" marks recorded for this path. */
function folderMarksAt(marks: readonly ProjectMark[], path: string): ProjectMark[] {
  const end = `:${pathHash(path)}`
  return marks.filter(({ kind, value }) => kind === "folder" && value.endsWith(end))
}

function pathHash(path: string): string {
  return sha256(path).slice(0, 16)
}

/** The repository that contains a project's folder, and the folder's place in it. */
type Repository = {
  readonly workTree: WorkTree
  /** Path from the top of the work tree to the folder, with "/"; "" for the top. Each such folder is a project. */
  readonly way: string
}

/** The repository of a folder; null outside of repositories, or when the one named in `.git` does not confirm it. */
export function repositoryOf(root: string): Repository | null {
  const workTree = findWorkTree(root)
  if (workTree === null || !isOwnedWorkTree(workTree)) return null
  return { workTree, way: toPosix(relative(workTree.top, root)) }
}

function remoteMark({ workTree, way }: Repository): string | null {
  const remote = remoteOf(workTree)
  return remote && withWay(remote, way)
}

/** The mark for the repository's first commit. When git fails, the mark is null and `failure` says why. Runs git. */
async function rootCommitMark({
  workTree,
  way,
}: Repository): Promise<{ mark: string | null; failure: GitFailure | null }> {
  const { commit, failure } = await rootCommit(workTree)
  return { mark: commit && withWay(commit, way), failure }
}

/** Path of the same folder in the main work tree; null when this is the main work tree or it is unknown. */
function mainFolder({ workTree, way }: Repository): string | null {
  const { kind, commonDir } = workTree
  if (kind !== "linked" || basename(commonDir) !== ".git") return null
  return join(resolvedOr(dirname(commonDir)), way)
}

/** True when a folder is the same subfolder of another work tree of the same repository. */
function isSameRepository(one: Repository | null, folder: string): boolean {
  const other = one && repositoryOf(folder)
  return (
    other !== null &&
    one?.way === other.way &&
    resolvedOr(one.workTree.commonDir) === resolvedOr(other.workTree.commonDir)
  )
}

function withWay(mark: string, way: string): string {
  return way === "" ? mark : `${mark}//${way}`
}
