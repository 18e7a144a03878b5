import { isCommitId, runGit } from "./run/run.ts"

export type LineChange = {
  /** Abbreviated to ten digits. */
  readonly commit: string
  /** Author date, YYYY-MM-DD. */
  readonly date: string
  readonly subject: string
}

export type LineRange = { readonly path: string; readonly startLine: number; readonly endLine: number }

// Max number of commits that are searched: older ones are not recent changes, and each one takes time.
const MAX_COMMITS = 300
const LIMITS = { timeoutMs: 2_000, maxBytes: 256 * 1024 }
const SEPARATOR = "\u001f"

/**
 * The oldest commit that counts as recent, seen from `head`; null if all commits do; undefined if git fails, so
 * that none does. Never throws.
 */
export async function recentSince(root: string, head: string): Promise<string | null | undefined> {
  const found = await runGit(["rev-list", "--max-count=1", `--skip=${MAX_COMMITS}`, head, "--"], {
    cwd: root,
    ...LIMITS,
  }).catch(() => null)
  if (!found?.ok) return undefined
  const id = found.stdout.trim()
  return isCommitId(id) ? id : null
}

/**
 * The last commits between `since` and `head` that changed these lines, numbered as in `head`; newest first.
 */
export async function lineHistory(
  root: string,
  { path, startLine, endLine }: LineRange,
  { head, since, limit }: { readonly head: string; readonly since: string | null; readonly limit: number },
): Promise<LineChange[]> {
  const range = since === null ? head : `${since}..${head}`
  const format = ["%H", "%ad", "%s"].join("%x1f")
  const found = await runGit(
    [
      ...["log", `--max-count=${limit}`, "--no-patch", `--format=${format}`, "--date=short"],
      ...["--no-ext-diff", "--no-textconv", `-L${startLine},${endLine}:./${path}`, range, "--"],
    ],
    { cwd: root, ...LIMITS },
  ).catch(() => null)
  if (!found?.ok) return []
  return found.stdout.split("\n").flatMap((line) => {
    const [id, date, ...subject] = line.split(SEPARATOR)
    if (id === undefined || date === undefined || !isCommitId(id)) return []
    return [{ commit: id.slice(0, 10), date, subject: subject.join(" ") }]
  })
}
