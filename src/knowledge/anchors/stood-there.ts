import { isCommitId, runGit } from "../../git/run.ts"
import type { EntrySource } from "../entry.ts"
import { type Lines, linesOf } from "./lines.ts"
import type { Place } from "./place.ts"
import { scoreOf } from "./score-of.ts"

const LIMITS = { timeoutMs: 2000, maxBytes: 8 * 1024 * 1024 }

/**
 * Whether a file held the lines of a source already when they were taken down: then they did not go there. Null where
 * git does not know the source as it was then.
 */
export async function stoodThere(place: Place, source: EntrySource, path: string): Promise<boolean | null> {
  const own = await linesThen(place, source, source.path)
  if (own === null || scoreOf(source, own) === null) return null
  const other = await linesThen(place, source, path)
  return other !== null && scoreOf(source, other) !== null
}

async function linesThen({ root }: Place, { commit }: EntrySource, path: string): Promise<Lines | null> {
  if (commit === null || !isCommitId(commit)) return null
  const found = await runGit(["cat-file", "blob", `${commit}:./${path}`], { cwd: root, ...LIMITS })
  return found.ok ? linesOf(found.stdout) : null
}
