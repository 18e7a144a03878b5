import type { ServedProject } from "../../../src/ask/index.ts"
import { AmanError } from "../../../src/base/index.ts"
import { maskCredentials } from "../../../src/text/index.ts"
import {
  committedText,
  findWorkTree,
  GIT_FAILURES,
  headCommit,
  historyRefusal,
  linesBefore,
  runGit,
} from "../../../src/tree/index.ts"
import { type BlameAnswer, grouped, parsed } from "./blamed-lines.ts"

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
  const { commits: found, commitAt } = parsed(output.stdout)
  const commits = found.map(({ author, subject, ...commit }) => {
    return { ...commit, author: maskCredentials(author), subject: maskCredentials(subject) }
  })
  return { commits, lines: grouped(numbers, (nth) => commitAt.get(old[nth] ?? 0) ?? null), notices: [] }
}

/** `--incremental` prints no lines of the file. Lists of commits to leave out and of names come from settings of the project. */
const BLAME = [
  ...["-c", "blame.ignoreRevsFile=", "-c", "mailmap.file=", "-c", "mailmap.blob="],
  ...["blame", "--incremental", "--no-textconv", "--encoding=UTF-8"],
]
