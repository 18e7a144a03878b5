import { type GitFailure, isCommitId, runGit } from "./run/run.ts"

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
const LIMITS = { timeoutMs: 2_000, maxBytes: 4 * 1024 * 1024 }

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
    ...LIMITS,
  }).catch(() => null)
  if (!output?.ok) return undefined
  const id = output.stdout.trim()
  return isCommitId(id) ? id : null
}

export type HistoryRange = {
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
  { head, since, limit, timeoutMs = LIMITS.timeoutMs }: HistoryRange,
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
    { cwd: root, ...LIMITS, timeoutMs },
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
