import { spawnSync } from "node:child_process"

export type Commit = {
  readonly id: string
  readonly parents: readonly string[]
  readonly author: string
  readonly time: number
  readonly message: string
}

export type FileChange = {
  /** One letter of git's --raw: M, A, D, R, T. */
  readonly status: string
  readonly path: string
  /** Id of the file's content before the change. */
  readonly oldBlob: string
  readonly hunks: readonly DiffHunk[]
}

/** Line numbers as in a unified diff: where `oldCount` is 0, the new lines come after line `oldStart`. */
export type DiffHunk = {
  readonly oldStart: number
  readonly oldCount: number
  readonly newStart: number
  readonly newCount: number
  /** Removed and added lines without their sign. */
  readonly lines: readonly string[]
}

const MAX_BYTES = 1 << 30
/** Max characters of a change's diff; a larger change is not about one thing. */
const MAX_CHANGE_CHARS = 400_000

/** Commits in `range`, newest first; `firstParent`: only those of the main line. */
export function listCommits(gitDir: string, range: string, firstParent: boolean): Commit[] {
  const format = "--format=%H%x00%P%x00%an <%ae>%x00%ct%x00%B%x00"
  const args = ["log", "--topo-order", format, ...(firstParent ? ["--first-parent"] : []), range]
  const fields = git(gitDir, args).split("\0")
  return Array.from({ length: Math.floor(fields.length / 5) }, (_, i) => {
    const [id = "", parents = "", author = "", time = "", message = ""] = fields.slice(5 * i, 5 * i + 5)
    return {
      id: id.trim(),
      parents: parents.split(" ").filter(Boolean),
      author,
      time: Number(time),
      message: message.trim(),
    }
  })
}

/** Changes of each commit against its first parent; a commit whose files the mirror lacks has no entry. */
export function changesOf(gitDir: string, ids: readonly string[]): Map<string, FileChange[]> {
  try {
    return readChanges(gitDir, ids)
  } catch (error) {
    if (!(error instanceof GitError)) throw error
    if (ids.length <= 1) return new Map()
    const middle = ids.length >> 1
    return new Map([...changesOf(gitDir, ids.slice(0, middle)), ...changesOf(gitDir, ids.slice(middle))])
  }
}

function readChanges(gitDir: string, ids: readonly string[]): Map<string, FileChange[]> {
  const args = [
    "log",
    "--no-walk=unsorted",
    "--stdin",
    "--diff-merges=first-parent",
    "--raw",
    "-p",
    "-U0",
    "--find-renames",
    "--full-index",
    "--abbrev=40",
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    "--format=%x00%H",
  ]
  const changes = new Map<string, FileChange[]>()
  for (const record of git(gitDir, args, ids.join("\n")).split("\0").slice(1)) {
    const end = record.indexOf("\n")
    changes.set(
      record.slice(0, 40),
      record.length > MAX_CHANGE_CHARS ? [] : readChange(record.slice(end + 1)),
    )
  }
  return changes
}

function readChange(text: string): FileChange[] {
  const raw = [...text.matchAll(/^:\d+ \d+ ([0-9a-f]+) [0-9a-f]+ ([A-Z])\d*\t(?:[^\t\n]+\t)?([^\t\n]+)$/gmu)]
  const patches = text.split(/^diff --git /mu).slice(1)
  return raw.map(([, oldBlob = "", status = "", path = ""], i) => ({
    status,
    path,
    oldBlob,
    hunks: readHunks(patches[i] ?? ""),
  }))
}

function readHunks(patch: string): DiffHunk[] {
  return patch
    .split(/^(?=@@ -)/mu)
    .slice(1)
    .flatMap((hunk) => {
      const [head = "", ...rest] = hunk.split("\n")
      const at = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/u.exec(head)
      if (at === null) return []
      const lines = rest.filter((line) => /^[+-]/u.test(line)).map((line) => line.slice(1))
      const count = (text: string | undefined) => (text === undefined ? 1 : Number(text))
      return [
        {
          oldStart: Number(at[1]),
          oldCount: count(at[2]),
          newStart: Number(at[3]),
          newCount: count(at[4]),
          lines,
        },
      ]
    })
}

/** The hunks between two contents of a file. */
export function diffBlobs(gitDir: string, from: string, to: string): DiffHunk[] {
  return readHunks(git(gitDir, ["diff", "-U0", "--no-color", "--no-ext-diff", "--no-textconv", from, to]))
}

/** Ids of the commits in `range`. */
export function commitIds(gitDir: string, range: string): string[] {
  return git(gitDir, ["rev-list", "--no-merges", range]).split("\n").filter(Boolean)
}

function git(gitDir: string, args: readonly string[], input?: string): string {
  const { stdout, stderr, status } = spawnSync(
    "git",
    ["--git-dir", gitDir, "-c", "core.quotePath=false", ...args],
    {
      maxBuffer: MAX_BYTES,
      env: { ...process.env, GIT_NO_LAZY_FETCH: "1" },
      ...(input === undefined ? {} : { input }),
    },
  )
  if (status !== 0) throw new GitError(`git ${args[0]} in ${gitDir}: ${stderr?.toString("utf8").trim()}`)
  return stdout.toString("utf8")
}

/** An error of git, for example because a partial mirror lacks an object. */
class GitError extends Error {}
