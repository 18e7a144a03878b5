import { lstatSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"
import { AmanError } from "../base/errors.ts"
import { toPosix } from "../base/paths.ts"
import { isSecretPath } from "../base/secrets.ts"
import { filesNotCommitted, type SeenFile } from "./recent-files.ts"
import { isCommitId, runGit } from "./run/run.ts"
import { readTrackedFiles } from "./tracked-files.ts"
import { findWorkTree } from "./work-tree.ts"

export type ChangedFile = {
  readonly path: string
  /** Changed lines in the new text, 1-based and inclusive. For deleted lines, the line at which they were removed. */
  readonly lines: readonly (readonly [number, number])[]
  /** The old text of the file; null if the file is new. */
  readonly before: string | null
  /** The new text, if the end of the range is a commit; null if it is the work tree. */
  readonly after: string | null
}

/** A deleted file and its last content. */
export type DeletedFile = { readonly path: string; readonly before: string }

export type Changes = {
  readonly changed: ChangedFile[]
  readonly deleted: DeletedFile[]
  /** Number of deleted files that were not read, because there are more than the limit. */
  readonly unread: number
  /** True when the range ends at a commit other than HEAD. The files in the work tree may then differ from its end. */
  readonly isPast: boolean
}

const LIMITS = { timeoutMs: 10_000, maxBytes: 32 * 1024 * 1024 }
/** Maximum number of changed files. If there are more, the whole project counts as affected. */
const MAX_FILES = 500
const AT_ONCE = 4

/**
 * Finds the differences between `revision` and the work tree, or between the ends of `a..b`. `files` are the current
 * files of the project. Blobs are read through git and files directly, so that no filter of the repository is run.
 * Throws USAGE for an unknown revision.
 */
export async function changedLines(
  root: string,
  revision: string,
  files: readonly SeenFile[],
): Promise<Changes> {
  const [from, to] = revision.split(/\.\.\.?/)
  const old = await commitOf(root, from || "HEAD")
  const end = revision.includes("..") ? await commitOf(root, to || "HEAD") : null
  const listed = await namesBetween(root, old, end)
  const { gone, edited } = end === null ? inWorkTree(root, listed, files) : { gone: listed.gone, edited: [] }
  const existing = new Set(files.map(({ path }) => path))
  for (const path of gone) existing.delete(path)
  const present = [...new Set([...listed.all, ...edited])].filter((path) => existing.has(path)).sort()
  if (present.length > MAX_FILES)
    throw new AmanError("USAGE", `${present.length} files differ from ${revision}`, {
      hint: "choose a closer revision",
    })
  const changed = await fewAtOnce(present, (path) => changedIn(root, path, old, end))
  const deleted = await fewAtOnce([...gone].sort().slice(0, MAX_FILES), async (path) => {
    return { path, before: await committedText(root, old, path) }
  })
  return {
    changed: changed.filter(({ lines }) => lines.length > 0),
    deleted: deleted.flatMap(({ path, before }) => (before === null ? [] : [{ path, before }])),
    unread: Math.max(0, gone.size - MAX_FILES),
    isPast: end !== null && end !== (await commitOf(root, "HEAD")),
  }
}

/** The files that git lists as different between two ends, and those of them that do not exist at the later end. */
type ListedPaths = { readonly all: readonly string[]; readonly gone: ReadonlySet<string> }

/**
 * Corrects the list of files for the work tree: files that git considers deleted may exist untracked, and tracked files
 * may be missing.
 */
function inWorkTree(root: string, listed: ListedPaths, files: readonly SeenFile[]) {
  const untracked = [...listed.gone].filter((path) => !isThere(root, path))
  return {
    gone: new Set([...untracked, ...unlinkedFiles(root)].filter((path) => !isSecretPath(path))),
    edited: filesNotCommitted(root, files).map(({ path }) => path),
  }
}

async function fewAtOnce<T>(paths: readonly string[], read: (path: string) => Promise<T>): Promise<T[]> {
  const all: T[] = []
  for (let at = 0; at < paths.length; at += AT_ONCE)
    all.push(...(await Promise.all(paths.slice(at, at + AT_ONCE).map(read))))
  return all
}

async function commitOf(root: string, revision: string): Promise<string> {
  const output = await runGit(
    ["rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`],
    { cwd: root, ...LIMITS },
  )
  const id = output.ok ? output.stdout.trim() : ""
  if (isCommitId(id)) return id
  throw new AmanError(
    "USAGE",
    output.ok || output.reason === "failed"
      ? `git finds no commit ${JSON.stringify(revision)} here`
      : output.message,
    { hint: "give a commit, branch or tag, or two of them: main..HEAD" },
  )
}

/**
 * Files that differ between the commits `from` and `to`; if `to` is null, between `from` and git's index, which
 * includes staged files.
 */
async function namesBetween(root: string, from: string, to: string | null): Promise<ListedPaths> {
  if (from === to) return { all: [], gone: new Set() }
  const command = to === null ? ["diff-index", "--cached"] : ["diff-tree", "-r"]
  const output = await runGit(
    [
      ...[...command, "-z", "--name-status", "--relative", "--no-renames", "--no-ext-diff", from],
      ...(to === null ? [] : [to]),
    ],
    { cwd: root, ...LIMITS },
  )
  if (!output.ok) throw new AmanError("IO", `git cannot list the changes: ${output.message}`)
  const fields = output.stdout.split("\0")
  // Files that contain secrets are skipped in history, too.
  const entries = fields.flatMap((path, at) =>
    at % 2 === 1 && !isSecretPath(path) ? [{ path, status: fields[at - 1] }] : [],
  )
  const gone = entries.filter(({ status }) => status === "D").map(({ path }) => path)
  return { all: entries.map(({ path }) => path), gone: new Set(gone) }
}

async function changedIn(root: string, path: string, old: string, end: string | null): Promise<ChangedFile> {
  const before = await committedText(root, old, path)
  const after = end === null ? null : ((await committedText(root, end, path)) ?? "")
  const text = after ?? readFileSync(join(root, path), "utf8")
  const lines: ChangedFile["lines"] =
    before === null ? [[1, text.split("\n").length]] : await differences(before, text)
  return { path, lines, before, after }
}

/** Content of a file in a commit; null if git cannot give it, for example because the commit has no such file. */
export async function committedText(root: string, commit: string, path: string): Promise<string | null> {
  const output = await runGit(["cat-file", "blob", `${commit}:./${path}`], { cwd: root, ...LIMITS })
  return output.ok ? output.stdout : null
}

/**
 * True if a file differs from its text in a commit. Texts are compared only if size or time differ from git's index,
 * because a checkout or a touched file has new times and the same text.
 */
export async function isEditedSince(root: string, commit: string, file: SeenFile): Promise<boolean> {
  if (filesNotCommitted(root, [file]).length === 0) return false
  const then = await committedText(root, commit, file.path)
  if (then === null) return true
  const now = readFileSync(join(root, file.path), "utf8")
  return then.replaceAll("\r\n", "\n") !== now.replaceAll("\r\n", "\n")
}

async function differences(before: string, after: string): Promise<[number, number][]> {
  if (before === after) return []
  const { structuredPatch } = await import("diff")
  const patch = structuredPatch("", "", before, after, "", "", { context: 0, timeout: 2_000 })
  // The texts are too different to be compared within the time limit, so the whole file counts as changed.
  if (!patch) return [[1, after.split("\n").length]]
  return patch.hunks.map(({ newStart, newLines }) => [newStart, newStart + Math.max(1, newLines) - 1])
}

export type LinesBefore = {
  /** First and last line in the committed text; null if all lines are new. */
  readonly range: readonly [number, number] | null
  readonly isEdited: boolean
}

/**
 * Finds the lines of the committed text (`then`) from which the lines `first` to `last` of the current one (`now`)
 * come.
 */
export async function linesBefore(
  then: string,
  now: string,
  [first, last]: readonly [number, number],
): Promise<LinesBefore> {
  const same = { range: [first, last] as const, isEdited: false }
  const [before, current] = [then, now].map((text) => `${text.replaceAll("\r\n", "\n").trimEnd()}\n`)
  if (before === current) return same
  const { structuredPatch } = await import("diff")
  const patch = structuredPatch("", "", before!, current!, "", "", { context: 0, timeout: 2_000 })
  if (patch === undefined) return { ...same, isEdited: true }
  const isEdited = patch.hunks.some(
    ({ newStart, newLines }) => newStart <= last && newStart + Math.max(1, newLines) > first,
  )
  const range = [oldLine(patch.hunks, first, "first"), oldLine(patch.hunks, last, "last")] as const
  return { range: range[0] <= range[1] ? range : null, isEdited }
}

type Hunk = {
  readonly oldStart: number
  readonly oldLines: number
  readonly newStart: number
  readonly newLines: number
}

/**
 * The number of a line before the change. For a line inside a changed hunk, the number of the hunk's first or last old
 * line.
 */
function oldLine(hunks: readonly Hunk[], line: number, edge: "first" | "last"): number {
  let shift = 0
  for (const { oldStart, oldLines, newStart, newLines } of hunks) {
    if (line < newStart) break
    if (line < newStart + newLines) return edge === "first" ? oldStart : oldStart + oldLines - 1
    shift = oldStart + oldLines - (newStart + newLines)
  }
  return line + shift
}

/**
 * Tracked files below `root` that were deleted from the work tree. Files that a sparse checkout leaves out are not
 * included. Does not run git.
 */
export function unlinkedFiles(root: string): string[] {
  const workTree = findWorkTree(root)
  const tracked = workTree && readTrackedFiles(workTree)
  if (!workTree || !tracked) return []
  const way = toPosix(relative(workTree.top, root))
  const prefix = way === "" ? "" : `${way}/`
  const unlinked: string[] = []
  tracked.each((path, _size, _mtimeMs, isLeftOut) => {
    if (isLeftOut || !path.startsWith(prefix)) return
    const inRoot = path.slice(prefix.length)
    if (!isThere(root, inRoot)) unlinked.push(inRoot)
  })
  return unlinked
}

/** True if the path exists. A link counts as existing, whatever it points to. */
function isThere(root: string, path: string): boolean {
  try {
    return lstatSync(join(root, path), { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    // ENOTDIR means that a file has replaced a parent folder. After any other error the file may exist.
    return (error as NodeJS.ErrnoException).code !== "ENOTDIR"
  }
}
