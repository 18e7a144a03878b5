import { type GitFailure, runGit } from "../git/run/run.ts"

/** A commit of the past: the first line of its message, and the files in the project that it changed. */
export type PastCommit = {
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
export async function readCommits(root: string, head: string): Promise<PastCommit[] | GitFailure> {
  const commits = await log(root, head, MAX_COMMITS)
  return commits === "timeout" || commits === "too large" ? log(root, head, MAX_COMMITS / FEWER) : commits
}

async function log(root: string, head: string, limit: number): Promise<PastCommit[] | GitFailure> {
  const output = await runGit(
    [
      ...["-c", "log.showRoot=false", "log", `--max-count=${limit}`, "--no-merges", `--format=${FORMAT}`],
      ...["--name-only", "-z", "--relative", "--no-renames", "--no-ext-diff", "--no-textconv"],
      ...["--no-color", "--no-notes", "--no-mailmap", "--no-show-signature", "--encoding=UTF-8", head, "--"],
    ],
    { cwd: root, ...LIMITS },
  )
  return output.ok ? [...commitsIn(output.stdout)] : output.reason
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
