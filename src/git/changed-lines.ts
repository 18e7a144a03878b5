import { readFileSync } from "node:fs"
import { join } from "node:path"
import { AmanError } from "../base/errors.ts"
import { filesNotCommitted, type SeenFile } from "./lately.ts"
import { isCommitId, runGit } from "./run.ts"
import { isThere, unlinkedFiles } from "./unlinked.ts"

export type ChangedFile = {
  readonly path: string
  /** Of the file as it is after those that a change wrote, or stands at where it removed some; 1-based, inclusive. */
  readonly lines: readonly (readonly [number, number])[]
  /** Its text before; null: there was none. */
  readonly before: string | null
  /** Its text at the end of a range; null: what is in the work tree. */
  readonly after: string | null
}

/** One that is there no more, and what stood in it. */
export type DeletedFile = { readonly path: string; readonly before: string }

export type Changes = {
  readonly changed: ChangedFile[]
  readonly deleted: DeletedFile[]
  /** Deleted files that were too many to read. */
  readonly unread: number
  /** It ends at another commit than HEAD: much may have become of it since. */
  readonly isPast: boolean
}

const LIMITS = { timeoutMs: 10_000, maxBytes: 32 * 1024 * 1024 }
/** More is a move of the whole project: all of it is affected. */
const MOST_FILES = 500
const AT_ONCE = 4

/**
 * What differs between `revision` and the work tree, or between the ends of `a..b`. `files` are those of the project as
 * they are now. Reads blobs by git and files by itself, so that no filter of the repository runs. Throws USAGE for what
 * git does not know.
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
  const known = new Set(files.map(({ path }) => path))
  for (const path of gone) known.delete(path)
  const present = [...new Set([...listed.all, ...edited])].filter((path) => known.has(path)).sort()
  if (present.length > MOST_FILES)
    throw new AmanError("USAGE", `${present.length} files differ from ${revision}`, {
      hint: "name a revision that is nearer",
    })
  const changed = await fewAtOnce(present, (path) => changedIn(root, path, old, end))
  const deleted = await fewAtOnce([...gone].sort().slice(0, MOST_FILES), async (path) => {
    return { path, before: await blob(root, old, path) }
  })
  return {
    changed: changed.filter(({ lines }) => lines.length > 0),
    deleted: deleted.flatMap(({ path, before }) => (before === null ? [] : [{ path, before }])),
    unread: Math.max(0, gone.size - MOST_FILES),
    isPast: end !== null && end !== (await commitOf(root, "HEAD")),
  }
}

/** What git lists between two ends, and what the later of them has not. */
type Listed = { readonly all: readonly string[]; readonly gone: ReadonlySet<string> }

/** What git does not track may be there all the same, and what it tracks may not. */
function inWorkTree(root: string, listed: Listed, files: readonly SeenFile[]) {
  const untracked = [...listed.gone].filter((path) => !isThere(root, path))
  return {
    gone: new Set([...untracked, ...unlinkedFiles(root)]),
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
  const found = await runGit(
    ["rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`],
    { cwd: root, ...LIMITS },
  )
  const id = found.ok ? found.stdout.trim() : ""
  if (isCommitId(id)) return id
  throw new AmanError(
    "USAGE",
    found.ok || found.reason === "failed"
      ? `git knows no commit ${JSON.stringify(revision)} here`
      : found.message,
    { hint: "name a commit, branch or tag, or two of them: main..HEAD" },
  )
}

/** Between two commits; without a second one, to git's index: that knows what is staged, too. */
async function namesBetween(root: string, from: string, to: string | null): Promise<Listed> {
  if (from === to) return { all: [], gone: new Set() }
  const command = to === null ? ["diff-index", "--cached"] : ["diff-tree", "-r"]
  const found = await runGit(
    [
      ...[...command, "-z", "--name-status", "--relative", "--no-renames", "--no-ext-diff", from],
      ...(to === null ? [] : [to]),
    ],
    { cwd: root, ...LIMITS },
  )
  if (!found.ok) throw new AmanError("IO", `git cannot say what changed: ${found.message}`)
  const fields = found.stdout.split("\0")
  const all = fields.filter((_, at) => at % 2 === 1)
  return { all, gone: new Set(all.filter((_, at) => fields[at * 2] === "D")) }
}

async function changedIn(root: string, path: string, old: string, end: string | null): Promise<ChangedFile> {
  const before = await blob(root, old, path)
  const after = end === null ? null : ((await blob(root, end, path)) ?? "")
  const text = after ?? readFileSync(join(root, path), "utf8")
  const lines: ChangedFile["lines"] =
    before === null ? [[1, text.split("\n").length]] : await differences(before, text)
  return { path, lines, before, after }
}

/** Null where the commit has no such file. */
async function blob(root: string, commit: string, path: string): Promise<string | null> {
  const found = await runGit(["cat-file", "blob", `${commit}:./${path}`], { cwd: root, ...LIMITS })
  return found.ok ? found.stdout : null
}

async function differences(before: string, after: string): Promise<[number, number][]> {
  if (before === after) return []
  const { structuredPatch } = await import("diff")
  const patch = structuredPatch("", "", before, after, "", "", { context: 0, timeout: 2_000 })
  // Too different to compare in time: all of it.
  if (!patch) return [[1, after.split("\n").length]]
  return patch.hunks.map(({ newStart, newLines }) => [newStart, newStart + Math.max(1, newLines) - 1])
}
