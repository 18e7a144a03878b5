import { relative } from "node:path"
import { log, toPosix } from "../../base/index.ts"
import { displayText, readableText } from "../../parse/index.ts"
import type { FileRow, Store } from "../../store/index.ts"
import {
  clearTerms,
  createTermBuffer,
  hashTerm,
  maskCredentials,
  type TermBuffer,
  tokenize,
} from "../../text/index.ts"
import {
  committedText,
  filesNotCommitted,
  findWorkTree,
  GIT_FAILURES,
  type GitFailure,
  headCommit,
  historyOf,
  historyRefusal,
  type LinesBefore,
  linesBefore,
  recentSince,
  runGit,
} from "../../tree/index.ts"

/**
 * Past commits in the form that the index stores, as 32-bit hashes. The words of commit `i` are terms[termEnds[i - 1]]
 * up to terms[termEnds[i]], its files likewise.
 */
export type PackedCommits = {
  /** One element for each commit. */
  readonly termEnds: Uint32Array
  readonly fileEnds: Uint32Array
  /** Words of the subjects; a word that a subject repeats is repeated here. */
  readonly terms: Uint32Array
  /** Paths of the files that the commits changed. */
  readonly files: Uint32Array
}

/** Packs commits as: their number, the number of terms, `termEnds`, `fileEnds`, `terms`, `files`. */
function packCommits(commits: readonly PastCommit[]): Uint8Array {
  const termEnds: number[] = []
  const fileEnds: number[] = []
  const terms: number[] = []
  const files: number[] = []
  const buffer = createTermBuffer()
  for (const { subject, paths } of commits) {
    for (const term of wordsOf(subject, buffer)) terms.push(term)
    for (const path of paths) files.push(shortHash(path))
    termEnds.push(terms.length)
    fileEnds.push(files.length)
  }
  const packed = Uint32Array.from([
    commits.length,
    terms.length,
    ...[termEnds, fileEnds, terms, files].flat(),
  ])
  return new Uint8Array(packed.buffer)
}

function* wordsOf(subject: string, buffer: TermBuffer): Generator<number> {
  clearTerms(buffer)
  tokenize(subject, 0, Math.min(subject.length, 400), buffer)
  for (let at = 0; at < buffer.count; at++) if (buffer.parts[at] === 1) yield buffer.lo[at]!
}

/** The hash of a stemmed word or of a path, as it is in packed commits. */
export function shortHash(text: string): number {
  return Number(hashTerm(text) & 0xffff_ffffn)
}

/** The commits in `bytes`; null if these are not packed commits. */
export function unpackCommits(bytes: Uint8Array): PackedCommits | null {
  if (bytes.length % 4 !== 0) return null
  // The copy begins at an address at which 32-bit numbers can be read.
  const words = new Uint32Array(bytes.slice().buffer)
  const [commits = 0, terms = 0] = words
  const [termsAt, filesAt] = [2 + 2 * commits, 2 + 2 * commits + terms]
  if (filesAt > words.length) return null
  const packed = {
    termEnds: words.subarray(2, 2 + commits),
    fileEnds: words.subarray(2 + commits, termsAt),
    terms: words.subarray(termsAt, filesAt),
    files: words.subarray(filesAt),
  }
  return areEnds(packed.termEnds, packed.terms) && areEnds(packed.fileEnds, packed.files) ? packed : null
}

/** True if each end is at least the previous one and at most the number of values. */
function areEnds(ends: Uint32Array, { length }: Uint32Array): boolean {
  return ends.every((end, at) => end <= length && end >= (ends[at - 1] ?? 0))
}

/** A commit of the past: the first line of its message, and the files in the project that it changed. */
type PastCommit = {
  readonly subject: string
  /** Paths relative to the project's root, at most MAX_FILES. */
  readonly paths: readonly string[]
}

/** Number of commits that are read, newest first. Three times as many gain nothing: docs/decisions/figures.md. */
const MAX_COMMITS = 2_000
/** A commit that changed more files than this says little about each of them: a release, a rename, a reformatting. */
const MAX_FILES = 20
/** If git is too slow, or prints too much, for one number of commits, it is asked for this part of them, once. */
const FEWER = 10

const LIMITS = { timeoutMs: 5_000, maxBytes: 8 * 1024 * 1024 }

/**
 * Reads the newest commits up to `head` that changed 1 to MAX_FILES files inside `root`, newest first. Merges are left
 * out, and so is the oldest commit of a shallow clone, which seems to add every file.
 */
async function readCommits(root: string, head: string): Promise<PastCommit[] | GitFailure> {
  const commits = await logOf(root, head, MAX_COMMITS)
  return commits === "timeout" || commits === "too large" ? logOf(root, head, MAX_COMMITS / FEWER) : commits
}

/**
 * The newest commits of the checked-out one, as `readCommits`, with those of their files that are in the index; of `limit`
 * commits those that have one. None if they cannot be read.
 */
export async function recentCommits(root: string, store: Store, limit: number): Promise<PastCommit[]> {
  const head = checkedOut(root)
  const commits = head === null || head.refusal !== null ? [] : await logOf(root, head.commit, limit)
  const known = (path: string) => store.files.byPath(path) !== null
  return (typeof commits === "string" ? [] : commits)
    .map(({ subject, paths }) => ({ subject, paths: paths.filter(known) }))
    .filter(({ paths }) => paths.length > 0)
}

async function logOf(root: string, head: string, limit: number): Promise<PastCommit[] | GitFailure> {
  const output = await gitLog(root, head, limit, [`--format=${FORMAT}`])
  return output.ok ? [...commitsIn(output.stdout)] : output.reason
}

function gitLog(root: string, head: string, limit: number, options: readonly string[]) {
  return runGit(
    [
      ...["-c", "log.showRoot=false", "log", `--max-count=${limit}`, "--no-merges", ...options],
      ...["--name-only", "-z", "--relative", "--no-renames", "--no-ext-diff", "--no-textconv"],
      ...["--no-color", "--no-notes", "--no-mailmap", "--no-show-signature", "--encoding=UTF-8", head, "--"],
    ],
    { cwd: root, ...LIMITS },
  )
}

/**
 * Begins each commit in git's output. Fields end with NUL, which neither a message nor a path can contain, and no path is
 * "//".
 */
const MARK = "\0//\0"
const FORMAT = "%x00//%x00%s%x00"
/** Fields of a commit that are read: its subject, an empty one, and one path more than a commit may have. */
const MAX_FIELDS = MAX_FILES + 3

function* commitsIn(output: string): Generator<PastCommit> {
  for (const commit of output.split(MARK).slice(1)) {
    const [subject = "", ...rest] = commit.split("\0", MAX_FIELDS)
    // git prints a line break before the first path.
    const paths = rest.map((path) => path.replace(/^\n/, "")).filter((path) => path !== "")
    if (paths.length > 0 && paths.length <= MAX_FILES) yield { subject, paths }
  }
}

/**
 * Stores the past commits of the checked-out one, unless the index has them already; removes them outside of a work
 * tree. If git fails, the index has no commits, and tasks are ranked without them. `check` is called before the index is
 * changed and throws if it may not be.
 */
export async function refreshHistory(root: string, store: Store, check: () => void): Promise<void> {
  const head = checkedOut(root)
  if ((head?.source ?? null) === store.history.source()) return
  const commits = head === null ? [] : await readCommits(root, head.commit)
  check()
  if (head === null) return store.transaction(() => store.history.clear())
  const failure = head.refusal ?? (typeof commits === "string" ? GIT_FAILURES[commits] : null)
  const read = typeof commits === "string" ? [] : commits
  log.debug("read the history", { commits: read.length, failure })
  store.transaction(() => store.history.set({ source: head.source, commits: packCommits(read), failure }))
}

/**
 * The commit that is checked out. `source` also has the project's folder in the work tree, and why the repository may
 * not be read (`historyRefusal`); null if there is no commit.
 */
function checkedOut(root: string) {
  const workTree = findWorkTree(root)
  const refusal = historyRefusal(root)
  const commit = workTree && (headCommit(workTree) ?? (refusal && ""))
  if (commit === null) return null
  const source = `${commit}:${toPosix(relative(workTree!.top, root))}${refusal ?? ""}`
  return { commit, source, refusal }
}

/** The commits of `historyOf` in the form in which they may be shown: with `***` for credentials in their messages. */
export async function shownHistoryOf(...asked: Parameters<typeof historyOf>): ReturnType<typeof historyOf> {
  const commits = await historyOf(...asked)
  if (typeof commits === "string") return commits
  const reverted = revertedIn(commits)
  return commits.map(({ author, subject, body, ...commit }) => ({
    ...commit,
    author: maskCredentials(author),
    subject: maskCredentials(subject) + (reverted.has(commit.id) ? " (reverted)" : ""),
    body: maskCredentials(body),
  }))
}

/**
 * Ids of those of these commits, newest first, that another one took back. A revert that was taken back itself does not
 * count.
 */
function revertedIn(commits: readonly { readonly id: string; readonly body: string }[]): Set<string> {
  const reverted = new Set<string>()
  for (const { id, body } of commits) {
    const of = reverted.has(id) ? undefined : REVERTS.exec(body)?.[1]
    const target = of && commits.find((one) => one.id.startsWith(of))
    if (target) reverted.add(target.id)
  }
  return reverted
}

/** What git writes into the message of a revert, with the id of the other commit. */
const REVERTS = /This reverts commit ([0-9a-f]{7,64})/
/** Lines of such a message that git and forges write. */
const BOILERPLATE = /^(?:This reverts commit|changes made to [0-9a-f]+\.$|Reverts |[\w-]+-by:|\s*$)/i
const REVERT_OPTIONS = [
  ...["^This reverts commit", '^Revert "', "^Reverts "].map((pattern) => `--grep=${pattern}`),
  ...["--basic-regexp", "--date=short", "--format=%x00//%x00%H%x00%ad%x00%s%x00%b%x00"],
]
const MAX_REVERTS = 200
/** Characters that are read of a subject and of a body, because a message may have millions. */
const MAX_READ = 1000

/**
 * The changes that one of the last thousand commits took back, newest first, each with the files of that commit and one line
 * that says so; without those that came back later. Empty if git does not know.
 */
export async function revertedChanges(root: string) {
  const head = checkedOut(root)
  if (head === null || head.refusal !== null) return []
  const since = await recentSince(root, head.commit, 1_000)
  const range = since ? `${since}..${head.commit}` : head.commit
  const output = since === undefined ? null : await gitLog(root, range, MAX_REVERTS, REVERT_OPTIONS)
  const reverts = output?.ok ? output.stdout.split(MARK).slice(1).map(revertIn) : []
  const gone = revertedIn(reverts)
  const isOfRevert = (of: string | undefined) => of && reverts.some(({ id }) => id.startsWith(of))
  return reverts.filter(({ id, of }) => !gone.has(id) && !isOfRevert(of))
}

function revertIn(text: string) {
  const [id = "", date = "", title = "", whole = "", ...rest] = text.split("\0")
  const body = whole.slice(0, MAX_READ)
  const of = REVERTS.exec(body)?.[1]
  const subject = maskCredentials((/^Revert "(.*)"/.exec(title)?.[1] ?? title).slice(0, MAX_READ))
  const reason = maskCredentials(
    body
      .split("\n")
      .filter((line) => !BOILERPLATE.test(line))
      .join(" "),
  )
  const paths = rest.map((path) => path.replace(/^\n/, "")).filter((path) => path !== "")
  const line = `tried and reverted (${date}, ${id.slice(0, 10)}, ${paths[0]}): ${subject}${reason && ` (${reason})`}`
  return { id, of, body, subject, paths, line }
}

/** Maximum number of edited files that are compared with the last commit, because git is run for each. */
const MAX_EDITED = 12

type EditedFile = {
  readonly row: FileRow
  readonly lines: readonly string[]
  committed: (first: number, last: number) => LinesBefore
}

/** Sets `committed` of the files that differ from the last commit: it finds lines of the file there. */
export async function readEdits(root: string, files: readonly EditedFile[]): Promise<void> {
  const head = checkedOut(root)
  if (head === null || head.refusal !== null) return
  const rows = files.map(({ row }) => row)
  const edited = new Set(filesNotCommitted(root, rows))
  for (const file of files.filter(({ row }) => edited.has(row)).slice(0, MAX_EDITED)) {
    const { path } = file.row
    const then = await committedText(root, head.commit, path)
    const shown = then && displayText(readableText(path, then))
    file.committed =
      shown === null
        ? () => ({ range: null, isEdited: true })
        : await linesBefore(shown, file.lines.join("\n"))
  }
}
