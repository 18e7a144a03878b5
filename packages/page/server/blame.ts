import type { ServedProject } from "../../../src/ask/index.ts"
import { AmanError } from "../../../src/base/index.ts"
import {
  committedText,
  findWorkTree,
  GIT_FAILURES,
  headCommit,
  historyRefusal,
  linesBefore,
  runGit,
} from "../../../src/tree/index.ts"

export type BlamedCommit = Readonly<Record<"id" | "date" | "author" | "subject", string>>
/** Lines that follow each other and were last changed by one commit; null: since the last commit. */
export type BlamedLines = {
  readonly start_line: number
  readonly end_line: number
  readonly commit: string | null
}
export type BlameAnswer = {
  readonly commits: readonly BlamedCommit[]
  readonly lines: readonly BlamedLines[]
  readonly notices: readonly string[]
}

const LIMITS = { timeoutMs: 6_000, maxBytes: 4 << 20 }

/**
 * Who changed each line of a part of a file last. Throws USAGE outside of git's work trees. git looks at the last commit
 * only, because for the file itself it would run the project's filters; lines of an edited file are found in it by a comparison.
 */
export async function blame(
  project: ServedProject,
  path: string,
  [first, last]: readonly [first: number, last: number],
): Promise<BlameAnswer> {
  const { root } = project
  const { text, total_lines } = await project.read({ path })
  const workTree = findWorkTree(root)
  const refusal = historyRefusal(root)
  const head = workTree === null ? null : headCommit(workTree)
  if (head === null || refusal !== null)
    throw new AmanError("USAGE", refusal ?? `${root} has no history: it is not a git work tree with commits`)
  const then = await committedText(root, head, path)
  if (then === null) return { commits: [], lines: [], notices: [`${path} is in no commit yet`] }
  const before = await linesBefore(then, text)
  const numbers = Array.from({ length: Math.min(last, total_lines) - first + 1 }, (_, nth) => first + nth)
  const old = numbers.map((line) => {
    const { range, isEdited } = before(line, line)
    return isEdited || range === null ? null : range[0]
  })
  const known = old.filter((line) => line !== null)
  if (known.length === 0) return { commits: [], lines: grouped(numbers, () => null), notices: [] }
  const args = [`-L${Math.min(...known)},${Math.max(...known)}`, head, "--", path]
  const output = await runGit([...BLAME, ...args], { cwd: root, ...LIMITS })
  if (!output.ok) {
    const notice = `who changed ${path} is not known: ${GIT_FAILURES[output.reason]}`
    return { commits: [], lines: [], notices: [notice] }
  }
  const { commits, commitAt } = parsed(output.stdout)
  return { commits, lines: grouped(numbers, (nth) => commitAt.get(old[nth] ?? 0) ?? null), notices: [] }
}

/** `--incremental` prints no lines of the file. Lists of commits to leave out and of names come from settings of the project. */
const BLAME = [
  ...["-c", "blame.ignoreRevsFile=", "-c", "mailmap.file=", "-c", "mailmap.blob="],
  ...["blame", "--incremental", "--no-textconv"],
]

function grouped(lines: readonly number[], commitOf: (nth: number) => string | null): BlamedLines[] {
  const groups: { start_line: number; end_line: number; commit: string | null }[] = []
  for (const [nth, line] of lines.entries()) {
    const commit = commitOf(nth)
    const group = groups.at(-1)
    if (group?.commit === commit) group.end_line = line
    else groups.push({ start_line: line, end_line: line, commit })
  }
  return groups
}

/** The commits in the output of git blame, and by line of the last commit the id of that which changed it. */
function parsed(output: string) {
  const commits = new Map<string, Record<string, string>>()
  const commitAt = new Map<number, string>()
  let current: Record<string, string> = {}
  for (const row of output.split("\n")) {
    const [, id, line, count] = /^([0-9a-f]{40,64}) \d+ (\d+) (\d+)$/.exec(row) ?? []
    if (id === undefined) {
      const space = row.indexOf(" ")
      current[row.slice(0, space)] = row.slice(space + 1)
      continue
    }
    for (let at = 0; at < Number(count); at++) commitAt.set(Number(line) + at, id)
    current = commits.get(id) ?? {}
    commits.set(id, current)
  }
  return {
    commits: [...commits].map(([id, { author = "", summary = "", ...fields }]): BlamedCommit => {
      return { id, author, subject: summary, date: dayOf(fields["author-time"], fields["author-tz"]) }
    }),
    commitAt,
  }
}

/** The day of a time of git, in seconds, in its own zone, as "+0530". */
function dayOf(time = "0", zone = "+0000"): string {
  const [, sign, hours, minutes] = /^([+-])(\d\d)(\d\d)$/.exec(zone) ?? []
  const shift = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * (sign === "-" ? -60 : 60)
  const day = new Date((Number(time) + shift) * 1000)
  return Number.isNaN(day.getTime()) ? "" : day.toISOString().slice(0, 10)
}
