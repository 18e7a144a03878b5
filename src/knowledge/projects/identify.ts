import type { GitFailure } from "../../git/run.ts"
import type { MarkKind, ProjectMark, ProjectRow, ProjectsTable } from "../../store/knowledge/projects.ts"
import { createIds } from "../ids.ts"
import type { Knowledge } from "../knowledge.ts"
import { instant } from "../times.ts"
import { knownProjects } from "./known-projects.ts"
import { type KnownProject, matchProject, nameOf } from "./match.ts"
import { mainFolder, type Repository, remoteMark, repositoryOf, rootCommitMark } from "./repository.ts"

export type Identified = {
  /** Null where the folder is no known project and none was to be made. */
  readonly project: { readonly id: string; readonly name: string } | null
  /** What it could be as well: a person decides, see `linkProject`. */
  readonly candidates: readonly KnownProject[]
  /** Why git could not say where the repository begins. */
  readonly failure: GitFailure | null
}

export type IdentifyOptions = {
  /** Milliseconds since 1970. */
  readonly now: number
  /** A folder that is no known project becomes one. */
  readonly make: boolean
}

/**
 * Which project a folder is: by its path, which needs no git; else by its remote and its first commit. What is found
 * out is recorded, so that the path is known from then on. `root` is absolute, links resolved.
 */
export async function identifyProject(
  knowledge: Knowledge,
  root: string,
  { now, make }: IdentifyOptions,
): Promise<Identified> {
  const repository = repositoryOf(root)
  const remote = repository && remoteMark(repository)
  const byPath = projectAt(knowledge.projects, root, repository)
  if (byPath !== null && isAsKnown(knowledge.projects, byPath.id, repository, remote)) {
    return { project: byPath, candidates: [], failure: null }
  }
  const { mark, failure } =
    repository !== null && (make || knowsRootCommits(knowledge.projects))
      ? await rootCommitMark(repository)
      : { mark: null, failure: null }
  const seen: Seen = { root, remote, rootCommit: mark }
  const plain = decide(knowledge.projects, seen, repository)
  const isWritten = plain.project === null ? !make : isMarked(knowledge.projects, plain.project.id, seen)
  const found =
    isWritten || knowledge.readonly
      ? plain
      : knowledge.write(() => record(knowledge.projects, seen, repository, { now, make }))
  return { ...found, failure }
}

/** Of a known path; nothing is run and nothing written. */
export function projectAt(
  projects: ProjectsTable,
  root: string,
  repository: Repository | null = repositoryOf(root),
): ProjectRow | null {
  const main = repository && mainFolder(repository)
  const [id] = [root, ...(main === null ? [] : [main])].flatMap((path) => projects.withMark("path", path))
  return id === undefined ? null : projects.get(id)
}

type Seen = { readonly root: string; readonly remote: string | null; readonly rootCommit: string | null }
type Decided = Pick<Identified, "project" | "candidates">

/** Whether the folder bears no mark that the project lacks: then git need not be asked. */
function isAsKnown(
  projects: ProjectsTable,
  id: string,
  repository: Repository | null,
  remote: string | null,
): boolean {
  if (repository === null) return true
  const marks = projects.marks(id)
  const has = (kind: MarkKind) => marks.some((mark) => mark.kind === kind)
  return has("root-commit") && (remote === null || marks.some(({ value }) => value === remote))
}

function knowsRootCommits(projects: ProjectsTable): boolean {
  return projects.marks().some(({ kind }) => kind === "root-commit")
}

function isMarked(projects: ProjectsTable, id: string, seen: Seen): boolean {
  const known = new Set(projects.marks(id).map(({ kind, value }) => `${kind} ${value}`))
  return marksOf(id, seen).every(({ kind, value }) => known.has(`${kind} ${value}`))
}

/** Inside one transaction: another process may just have made it. */
function record(
  projects: ProjectsTable,
  seen: Seen,
  repository: Repository | null,
  { now, make }: IdentifyOptions,
): Decided {
  const { project, candidates } = decide(projects, seen, repository)
  if (project !== null) {
    forgetGone(projects, project.id, seen, repository)
    for (const mark of marksOf(project.id, seen)) projects.mark(mark)
    return { project, candidates }
  }
  if (!make) return { project, candidates }
  const made = { id: createIds(() => now)(), name: nameOf(seen.root), created: instant(now) }
  projects.add(made)
  for (const id of projects.withMark("path", seen.root))
    projects.unmark({ project: id, kind: "path", value: seen.root })
  for (const mark of marksOf(made.id, seen)) projects.mark(mark)
  return { project: made, candidates }
}

function decide(projects: ProjectsTable, seen: Seen, repository: Repository | null): Decided {
  const byPath = projectAt(projects, seen.root, repository)
  if (byPath !== null && !isReplaced(projects, byPath.id, seen)) return { project: byPath, candidates: [] }
  const others = knownProjects(projects, repository).filter(({ id }) => id !== byPath?.id)
  return matchProject(seen, others)
}

/** Another repository was put in the place of the one that was known: neither remote nor first commit is the same. */
function isReplaced(projects: ProjectsTable, id: string, { remote, rootCommit }: Seen): boolean {
  const marks = projects.marks(id)
  const isOther = (kind: MarkKind, value: string | null) => {
    const known = marks.filter((mark) => mark.kind === kind)
    return value !== null && known.length > 0 && known.every((mark) => mark.value !== value)
  }
  const hasRemotes = remote !== null && marks.some(({ kind }) => kind === "remote")
  return isOther("root-commit", rootCommit) && (isOther("remote", remote) || !hasRemotes)
}

function marksOf(project: string, { root, remote, rootCommit }: Seen): ProjectMark[] {
  return [
    { project, kind: "path", value: root } as const,
    ...(remote === null ? [] : [{ project, kind: "remote", value: remote } as const]),
    ...(rootCommit === null ? [] : [{ project, kind: "root-commit", value: rootCommit } as const]),
  ]
}

/** Of a project that was moved the old place may become another's. */
function forgetGone(
  projects: ProjectsTable,
  project: string,
  { root }: Seen,
  repository: Repository | null,
): void {
  if (projects.withMark("path", root).includes(project)) return
  const known = knownProjects(projects, repository).find(({ id }) => id === project)
  for (const { path, isThere } of known?.paths ?? [])
    if (!isThere) projects.unmark({ project, kind: "path", value: path })
}
