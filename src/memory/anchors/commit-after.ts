import { maskCredentials, oneLine } from "../../text/index.ts"
import { findWorkTree, headCommit, runGit } from "../../tree/index.ts"
import type { EntrySource } from "../entries/entry.ts"

/** Time after a note in which the work that it is about is committed; a later commit belongs to other work. */
const SESSION_SECONDS = 3 * 24 * 3_600

const LIMITS = { timeoutMs: 1_000, maxBytes: 8 * 1024 * 1024 }
const OPTIONS = [
  ...["--reverse", "--no-merges", "--patch", "--unified=0", "--inter-hunk-context=0", "--relative"],
  ...["--no-prefix", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color", "--no-notes"],
  ...["--no-mailmap", "--no-show-signature", "--encoding=UTF-8", "--format=%x00%H%x00%at%x00%ae%x00%s%x00"],
]

type Noted = { readonly id: string; readonly source: EntrySource | null; readonly recordedAt: string }

/**
 * For entries by id: the first commit of HEAD's history that the person who uses this checkout wrote within
 * SESSION_SECONDS after the entry, and that changed the entry's lines or, without lines, its file: short id and subject.
 * An amended commit keeps its date, so that it does not follow an entry made between. Empty if git does not know.
 */
export async function commitsAfter(root: string, entries: readonly Noted[]): Promise<Map<string, string>> {
  const workTree = findWorkTree(root)
  const head = workTree && headCommit(workTree)
  const noted = entries.flatMap(({ id, source, recordedAt }) => {
    const isOlder = source !== null && source.commit !== null && source.commit !== head
    return isOlder ? [{ id, source, at: Math.floor(Date.parse(recordedAt) / 1000) }] : []
  })
  if (head === null || noted.length === 0) return new Map()
  const git = (...args: string[]) => runGit(["log", ...args], { cwd: root, ...LIMITS })
  const since = Math.min(...noted.map(({ at }) => at))
  const paths = new Set(noted.map(({ source }) => source.path))
  const [own, later] = await Promise.all([
    git("--walk-reflogs", "--max-count=1", "--format=%ge", "HEAD", "--"),
    git(...OPTIONS, `--since=${since}`, head, "--", ...paths),
  ])
  if (!own.ok || !later.ok) return new Map()
  // Every line of a patch begins with another character than NUL.
  const commits = `\n${later.stdout}`
    .split("\n\0")
    .slice(1)
    .map((text) => {
      const [id = "", seconds, author, subject = ""] = text.split("\0", 4)
      const files = author === own.stdout.trim() ? text.split("\ndiff --git ").slice(1) : []
      const line = oneLine(`${id.slice(0, 10)} ${maskCredentials(subject)}`, 100)
      return { id, line, at: Number(seconds), files }
    })
  const led = noted.map(async ({ id, source, at }) => {
    for (const commit of commits) {
      const isTime = commit.at >= at && commit.at <= at + SESSION_SECONDS
      if (!isTime || !commit.files.some((patch) => touches(patch, source))) continue
      // Within the second of the entry, only the history tells which was first.
      const order = ["merge-base", "--is-ancestor", commit.id, source.commit!]
      const isEarlier = commit.at === at && (await runGit(order, { cwd: root, ...LIMITS })).ok
      if (!isEarlier) return [[id, commit.line] as const]
    }
    return []
  })
  return new Map((await Promise.all(led)).flat())
}

/** True if the patch of a file, without context, changes the lines of a source, numbered as before or after it. */
function touches(patch: string, { path, startLine, endLine }: EntrySource): boolean {
  if (!patch.startsWith(`${path} ${path}\n`)) return false
  if (startLine === null) return true
  return [...patch.matchAll(/\n@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/g)].some(
    ([, before, removed = 1, after, added = 1]) =>
      [[before, removed] as const, [after, added] as const].some(
        ([start, count]) =>
          Number(start) <= (endLine ?? startLine) && Number(start) + Number(count) > startLine,
      ),
  )
}
