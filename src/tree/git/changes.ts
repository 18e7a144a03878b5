import { isUtf8 } from "node:buffer"
import { existsSync, lstatSync, readFileSync } from "node:fs"
import { isAbsolute, join, relative, resolve } from "node:path"
import { AmanError, toPosix } from "../../base/index.ts"
import { isSecretPath } from "../../text/index.ts"
import { parseGitConfig, readSmallFile } from "./config-file.ts"
import { type GitFailure, isCommitId, runGit } from "./run/run.ts"
import { readTrackedFiles } from "./tracked-files.ts"
import { findWorkTree, type WorkTree } from "./work-tree.ts"

export type ChangedFile = {
  readonly path: string
  /** Changed lines in the new text, 1-based and inclusive. For deleted lines, the line at which they were removed. */
  readonly lines: readonly (readonly [number, number])[]
  /** Numbers of lines. */
  readonly added: number
  readonly removed: number
  /** The old text of the file; null if the file is new. */
  readonly before: string | null
  /** The new text, if the end of the range is a commit; null if it is the work tree. */
  readonly after: string | null
}

/** A deleted file and its last content. */
type DeletedFile = { readonly path: string; readonly before: string }

type Changes = {
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
  if (!output.ok && output.reason !== "failed") throw new AmanError("USAGE", output.message)
  throw new AmanError("USAGE", `git finds no commit ${JSON.stringify(revision)} here`, {
    hint: "give a commit, branch or tag, or two of them: main..HEAD",
  })
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
  const text = after ?? fileText(readFileSync(join(root, path)))
  return { path, ...(await differences(before, text)), before, after }
}

/** Content of a file in a commit; null if git cannot give it, for example because the commit has no such file. */
export async function committedText(root: string, commit: string, path: string): Promise<string | null> {
  const options = { cwd: root, decode: fileText, ...LIMITS }
  const output = await runGit(["cat-file", "blob", `${commit}:./${path}`], options)
  return output.ok ? output.stdout : null
}

/** The text of a file; if it is not UTF-8, a character for each byte, so that no change of an older encoding is lost. */
function fileText(bytes: Uint8Array): string {
  return new TextDecoder(isUtf8(bytes) ? "utf-8" : "latin1").decode(bytes)
}

/**
 * True if a file differs from its text in a commit. Texts are compared only if size or time differ from git's index,
 * because a checkout or a touched file has new times and the same text.
 */
export async function isEditedSince(root: string, commit: string, file: SeenFile): Promise<boolean> {
  if (filesNotCommitted(root, [file]).length === 0) return false
  const then = await committedText(root, commit, file.path)
  const now = fileText(readFileSync(join(root, file.path)))
  return then?.replaceAll("\r\n", "\n") !== now.replaceAll("\r\n", "\n")
}

async function differences(
  before: string | null,
  after: string,
): Promise<Pick<ChangedFile, "lines" | "added" | "removed">> {
  if (before === after) return { lines: [], added: 0, removed: 0 }
  const { structuredPatch } = await import("diff")
  const patch = before && structuredPatch("", "", before, after, "", "", { context: 0, timeout: 2_000 })
  const [old, count] = [before ?? "", after].map((text) => text.replace(/\n$/, "").split("\n").length)
  // The file is new, or too different to be compared within the time limit, so the whole of it counts as changed.
  if (!patch) return { lines: [[1, after.split("\n").length]], added: count!, removed: before ? old! : 0 }
  return {
    lines: patch.hunks.map(({ newStart, newLines }) => [newStart, newStart + Math.max(1, newLines) - 1]),
    added: patch.hunks.reduce((sum, { newLines }) => sum + newLines, 0),
    removed: patch.hunks.reduce((sum, { oldLines }) => sum + oldLines, 0),
  }
}

export type LinesBefore = {
  /** First and last line in the committed text; null if all lines are new. */
  readonly range: readonly [number, number] | null
  readonly isEdited: boolean
}

/**
 * Returns a function that finds the lines of the committed text (`then`) from which the lines `first` to `last` of the
 * current one (`now`) come.
 */
export async function linesBefore(
  then: string,
  now: string,
): Promise<(first: number, last: number) => LinesBefore> {
  const [before, current] = [then, now].map((text) => `${text.replaceAll("\r\n", "\n").trimEnd()}\n`)
  if (before === current) return (first, last) => ({ range: [first, last], isEdited: false })
  const { structuredPatch } = await import("diff")
  const patch = structuredPatch("", "", before!, current!, "", "", { context: 0, timeout: 2_000 })
  if (patch === undefined) return (first, last) => ({ range: [first, last], isEdited: true })
  return (first, last) => {
    const isEdited = patch.hunks.some(
      ({ newStart, newLines }) => newStart <= last && newStart + Math.max(1, newLines) > first,
    )
    const range = [oldLine(patch.hunks, first, "first"), oldLine(patch.hunks, last, "last")] as const
    return { range: range[0] <= range[1] ? range : null, isEdited }
  }
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

export type Commit = {
  readonly id: string
  /** Author date of the commit, YYYY-MM-DD. */
  readonly date: string
  readonly author: string
  readonly subject: string
  /** The commit message without its subject, trimmed; "" if there is nothing else. */
  readonly body: string
}

export type LineRange = { readonly path: string; readonly startLine: number; readonly endLine: number }

// Maximum number of commits that are searched. Older commits do not count as recent, and each commit takes time.
const MAX_COMMITS = 300
const LINE_LIMITS = { timeoutMs: 2_000, maxBytes: 4 * 1024 * 1024 }

/**
 * The newest commit in the history of `head` that no longer counts as recent. Null if all commits are recent; undefined
 * if git fails, so that none counts as recent. Never throws.
 */
export async function recentSince(
  root: string,
  head: string,
  commits = MAX_COMMITS,
): Promise<string | null | undefined> {
  const output = await runGit(["rev-list", "--max-count=1", `--skip=${commits}`, head, "--"], {
    cwd: root,
    ...LINE_LIMITS,
  }).catch(() => null)
  if (!output?.ok) return undefined
  const id = output.stdout.trim()
  return isCommitId(id) ? id : null
}

type HistoryRange = {
  readonly head: string
  /** The commit after which the history begins; null to begin with the first commit. */
  readonly since: string | null
  readonly limit: number
  readonly timeoutMs?: number
}

/**
 * Finds the commits after `since`, up to `head`, that changed these lines (numbered as in `head`) or, without lines,
 * the whole file; newest first. Renames of the file are followed. If git failed, the result says why; never throws.
 */
export async function historyOf(
  root: string,
  place: LineRange | { readonly path: string },
  { head, since, limit, timeoutMs = LINE_LIMITS.timeoutMs }: HistoryRange,
): Promise<Commit[] | GitFailure> {
  const range = since === null ? head : `${since}..${head}`
  const what =
    "startLine" in place
      ? [`-L${place.startLine},${place.endLine}:./${place.path}`, range, "--"]
      : ["--follow", range, "--", place.path]
  const output = await runGit(
    [
      ...["log", `--max-count=${limit}`, "--no-patch", `--format=${FORMAT}`, "--date=short"],
      ...["--no-ext-diff", "--no-textconv", "--no-notes", "--no-mailmap", "--no-show-signature"],
      ...what,
    ],
    { cwd: root, ...LINE_LIMITS, timeoutMs },
  ).catch(() => null)
  return output?.ok ? commitsIn(output.stdout) : (output?.reason ?? "failed")
}

/**
 * The format of the output. Fields are separated by NUL, which a commit message cannot contain, so that no message can
 * imitate another field.
 */
const FORMAT = ["%H", "%ad", "%an", "%s", "%b", ""].join("%x00")
const FIELDS = 5

function commitsIn(output: string): Commit[] {
  const fields = output.split("\0")
  const commits: Commit[] = []
  for (let at = 0; at + FIELDS < fields.length; at += FIELDS) {
    const [id = "", date = "", author = "", subject = "", body = ""] = fields.slice(at, at + FIELDS)
    if (isCommitId(id.trim())) commits.push({ id: id.trim(), date, author, subject, body: body.trim() })
  }
  return commits
}

type Rename = {
  /** Current path of the file, relative to the top of the work tree; null if git finds no rename. */
  readonly path: string | null
  /** Why git failed; null if it did not. */
  readonly failure: GitFailure | null
}

const RENAME_LIMITS = { timeoutMs: 2000, maxBytes: 8 * 1024 * 1024 }
// If more files than this were deleted and added, git pairs only files with equal content or the same name.
const RENAME_LIMIT = "-l1000"
const DIFF_TREE = [
  ...["diff-tree", "-r", "-m", "-z", "-M", RENAME_LIMIT, "--no-ext-diff", "--no-textconv"],
  ...["--no-commit-id", "--name-status", "--diff-filter=R"],
]

/**
 * Finds the current path of a file that no longer exists at its path in `commit`, from the commits since then. If that
 * commit does not exist, or is no ancestor of HEAD, it follows the commits in which the path was deleted.
 */
export async function renamedTo(
  top: string,
  path: string,
  commit: string | null,
  exists: (path: string) => boolean,
): Promise<Rename> {
  const since = commit !== null && isCommitId(commit) ? commit : null
  const atOnce = since === null ? null : await renamesBetween(top, [since, "HEAD"])
  if (typeof atOnce === "string" && atOnce !== "failed") return { path: null, failure: atOnce }
  const target = atOnce instanceof Map ? atOnce.get(path) : undefined
  return target !== undefined && exists(target)
    ? { path: target, failure: null }
    : stepByStep(top, path, exists)
}

async function stepByStep(top: string, path: string, exists: (path: string) => boolean): Promise<Rename> {
  let at = path
  for (let step = 0; step < 20; step++) {
    const last = await runGit(["rev-list", "--max-count=1", "HEAD", "--", at], { cwd: top, ...RENAME_LIMITS })
    if (!last.ok) return { path: null, failure: last.reason }
    const commit = last.stdout.trim()
    if (!isCommitId(commit)) return { path: null, failure: null }
    const renames = await renamesBetween(top, [commit])
    if (typeof renames === "string") return { path: null, failure: renames }
    const next = renames.get(at)
    if (next === undefined) return { path: null, failure: null }
    if (exists(next)) return { path: next, failure: null }
    at = next
  }
  return { path: null, failure: null }
}

/** Maps old paths to new ones, for renames between two commits or in one commit. */
async function renamesBetween(
  top: string,
  commits: readonly string[],
): Promise<Map<string, string> | GitFailure> {
  const output = await runGit([...DIFF_TREE, ...commits, "--"], { cwd: top, ...RENAME_LIMITS })
  if (!output.ok) return output.reason
  const fields = output.stdout.split("\0")
  const renames = new Map<string, string>()
  for (let at = 0; at + 2 < fields.length; at += 3) renames.set(fields[at + 1]!, fields[at + 2]!)
  return renames
}

type SeenFile = { readonly path: string; readonly size: number; readonly mtimeMs: number }

/** Those of the given files (relative to `root`) that are new or differ from git's index. Does not run git. */
export function filesNotCommitted<T extends SeenFile>(root: string, files: readonly T[]): T[] {
  const workTree = findWorkTree(root)
  const tracked = workTree && readTrackedFiles(workTree)
  if (!workTree || !tracked) return []
  const way = toPosix(relative(workTree.top, root))
  const prefix = way === "" ? "" : `${way}/`
  const uncommitted = new Map(files.map((file) => [prefix + file.path, file]))
  tracked.each((path, size, mtimeMs) => {
    const file = uncommitted.get(path)
    // git's index has 32 bits for a size.
    if (file && file.size % 2 ** 32 === size && isSameTime(file.mtimeMs, mtimeMs)) uncommitted.delete(path)
  })
  return [...uncommitted.values()]
}

/** True if a file's time is the one in git's index. Fractions of a second are ignored if git has not stored them. */
function isSameTime(mtimeMs: number, indexedMs: number): boolean {
  if (Math.abs(mtimeMs - indexedMs) < 1) return true
  return indexedMs % 1000 === 0 && Math.floor(mtimeMs / 1000) * 1000 === indexedMs
}

const COMMITS = 50
// Limits for one call of git. A commit with more output than this says nothing about what a person is working on.
const RECENT_LIMITS = { timeoutMs: 2_000, maxBytes: 1024 * 1024 }

/** Paths that the latest commits changed, relative to `root`, newest commit first; empty if git fails. */
export async function recentlyCommitted(root: string): Promise<string[]> {
  if (findWorkTree(root) === null) return []
  // A failure of git is ignored, because the paths only affect the order in which files are read.
  const log = await runGit(
    [
      // The first commit, and the oldest commit of a shallow clone, are left out, because they touch every file.
      ...["-c", "log.showRoot=false", "log", `--max-count=${COMMITS}`, "--no-merges", "--format="],
      ...[
        "--name-only",
        "-z",
        "--relative",
        "--no-renames",
        "--no-ext-diff",
        "--no-textconv",
        "--diff-filter=d",
      ],
    ],
    { cwd: root, ...RECENT_LIMITS },
  ).catch(() => null)
  return log?.ok ? [...new Set(log.stdout.split("\0").filter(Boolean))] : []
}

/** Maximum length of a chain of symbolic references; a longer chain must be a cycle. */
const MAX_STEPS = 5

/**
 * The commit that is checked out, read without running git. Null before the first commit, and for a repository that
 * stores references in a format which is not supported (reftable).
 */
export function headCommit(workTree: WorkTree): string | null {
  let text = readSmallFile(join(workTree.gitDir, "HEAD"))
  for (let step = 0; text !== null && step < MAX_STEPS; step++) {
    const name = /^ref: (refs\/[^\0]+?)\s*$/.exec(text)?.[1]
    if (name === undefined) return asCommit(text)
    if (name.split("/").includes("..")) return null
    text = readSmallFile(join(workTree.gitDir, name)) ?? readSmallFile(join(workTree.commonDir, name))
    if (text === null) return packedCommit(workTree, name)
  }
  return null
}

function packedCommit({ commonDir }: WorkTree, name: string): string | null {
  const packed = readSmallFile(join(commonDir, "packed-refs")) ?? ""
  const line = packed.split("\n").find((line) => line.trimEnd().endsWith(` ${name}`))
  return line === undefined ? null : asCommit(line.split(" ", 1)[0]!)
}

function asCommit(text: string): string | null {
  const id = text.trim()
  return isCommitId(id) ? id : null
}

/** The oldest commit on the checked-out branch, along first parents. Merging another history does not change it. */
type RootCommit = { readonly commit: string | null; readonly failure: GitFailure | null }

const IDENTITY_LIMITS = { timeoutMs: 2000, maxBytes: 64 * 1024 }

/**
 * Finds the oldest commit. `commit` is null if there is no commit yet, and in a shallow clone, whose history is cut
 * off.
 */
export async function rootCommit(workTree: WorkTree): Promise<RootCommit> {
  const { top, commonDir } = workTree
  if (existsSync(join(commonDir, "shallow"))) return { commit: null, failure: null }
  const output = await runGit(["rev-list", "--first-parent", "--max-parents=0", "HEAD", "--"], {
    cwd: top,
    ...IDENTITY_LIMITS,
  })
  // git fails if there is no commit yet. This is not reported as a failure.
  const isEmpty = !output.ok && output.reason === "failed" && headCommit(workTree) === null
  if (!output.ok) return { commit: null, failure: isEmpty ? null : output.reason }
  const commit = output.stdout.trim()
  return { commit: isCommitId(commit) ? commit : null, failure: null }
}

/**
 * The normalized address of the repository: that of its remote "origin", else of its only remote; null if there is
 * none.
 */
export function remoteOf({ commonDir, top }: WorkTree): string | null {
  const urls = new Map<string, string>()
  for (const [name, value] of parseGitConfig(readSmallFile(join(commonDir, "config")) ?? "")) {
    const remote = /^remote\.(.+)\.url$/s.exec(name)?.[1]
    if (remote !== undefined && !urls.has(remote)) urls.set(remote, value)
  }
  const url = urls.get("origin") ?? (urls.size === 1 ? [...urls.values()][0]! : null)
  return url === null ? null : normalRemote(url, top)
}

/**
 * The normalized address of a repository, such as "github.com/owner/name": without scheme, user, password, default port
 * and ".git". The address of a folder on this machine is "file:" and its path.
 */
export function normalRemote(url: string, folder: string): string | null {
  const text = url.trim()
  if (text === "") return null
  const address = asUrl(text) ?? asScp(text)
  return address ?? `file:${withoutEnd(toPosix(isAbsolute(text) ? text : resolve(folder, text)))}`
}

function asUrl(text: string): string | null {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text) || !URL.canParse(text)) return null
  const { protocol, hostname, port, pathname } = new URL(text)
  if (protocol === "file:") return `file:${withoutEnd(decodePath(pathname))}`
  const isUsual = port === "" || USUAL_PORTS.has(`${protocol}${port}`)
  return `${hostname.toLowerCase()}${isUsual ? "" : `:${port}`}/${withoutStart(withoutEnd(decodePath(pathname)))}`
}

const USUAL_PORTS: ReadonlySet<string> = new Set(["ssh:22", "git:9418", "http:80", "https:443"])

/**
 * Converts "git@host:owner/name" to a URL. A colon after a slash, or after the letter of a Windows drive, is part of a
 * path; then null.
 */
function asScp(text: string): string | null {
  const [, host, path] = /^(?:[^@/\\:]+@)?(\[[^\]]+\]|[^/\\:]{2,}):(?!\/\/)(.+)$/s.exec(text) ?? []
  return host === undefined || path === undefined
    ? null
    : `${host.toLowerCase()}/${withoutStart(withoutEnd(path))}`
}

function withoutEnd(path: string): string {
  return path.replace(/[\\/]+$/, "").replace(/(?<=[^\\/])\.git$/i, "")
}

function withoutStart(path: string): string {
  return path.replace(/^\/+/, "")
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
