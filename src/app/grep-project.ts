import { languageOf } from "../code/languages.ts"
import { languageId } from "../search/filter.ts"
import { type MatchingLines, matchingLines, type TextLine } from "../search/matching-lines.ts"
import { type PatternOptions, type TextPattern, textPattern } from "../search/text-pattern.ts"
import { readSource } from "../text/read-source.ts"
import { filesToGrep, type GrepScope, LARGEST_FILE_BYTES } from "./grep-files.ts"
import type { Project } from "./open-project.ts"

export type GrepRequest = PatternOptions &
  GrepScope & {
    readonly languages: readonly string[]
    /** The lines that do not match. */
    readonly invert: boolean
    readonly before: number
    readonly after: number
    /** At most so many lines of a file. */
    readonly maxCount: number
    /** Tell where in its lines the pattern stands. */
    readonly withSpans: boolean
    /** Stop after so long, with what is found. */
    readonly timeoutMs: number
  }

export type GrepFile = {
  readonly path: string
  readonly language: string
  /** Lines that match. */
  readonly count: number
  /** They and their context, in order; made when asked for. */
  readonly lines: () => readonly TextLine[]
}

/** What is known when all files have been looked into, or time is up. */
export type GrepSummary = {
  /** Files looked into, of how many. */
  readonly searched: number
  readonly total: number
  readonly left_out: Readonly<Record<string, number>>
  readonly notices: readonly string[]
}

// Other work of the process, signals above all, must not wait longer.
const YIELD_MS = 25

/** The lines of a project's files that match, file by file in the order of their paths, as they are on disk now. */
export async function* grepProject(
  project: Project,
  request: GrepRequest,
  signal?: AbortSignal,
): AsyncGenerator<GrepFile, GrepSummary> {
  const startedAt = performance.now()
  const isOver = () => performance.now() - startedAt > request.timeoutMs
  const pattern = await textPattern(request)
  const languages = new Set(request.languages.map(languageId))
  const { paths, leftOut } = filesToGrep(project, request)
  const tally: Tally = { searched: 0, tooLong: 0, isCut: false, leftOut: { ...leftOut } }
  let yieldedAt = startedAt
  for (const path of paths) {
    if (performance.now() - yieldedAt > YIELD_MS) {
      await new Promise(setImmediate)
      signal?.throwIfAborted()
      yieldedAt = performance.now()
    }
    if (isOver()) tally.isCut = true
    if (tally.isCut) break
    const found = grepFile(project, path, pattern, languages, { ...request, isOver }, tally)
    if (found !== null) yield found
  }
  return summary(tally, paths.length, request.timeoutMs)
}

/** The same for a text that belongs to no file. */
export async function grepText(text: string, request: GrepRequest): Promise<MatchingLines> {
  return matchingLines(text, await textPattern(request), { ...request, isOver: () => false })
}

type Tally = {
  searched: number
  tooLong: number
  isCut: boolean
  leftOut: Record<string, number>
}

function grepFile(
  project: Project,
  path: string,
  pattern: TextPattern,
  languages: ReadonlySet<string>,
  options: GrepRequest & { readonly isOver: () => boolean },
  tally: Tally,
): GrepFile | null {
  const source = readSource(project.root, path, LARGEST_FILE_BYTES)
  if ("reason" in source) {
    tally.leftOut[source.reason] = (tally.leftOut[source.reason] ?? 0) + 1
    return null
  }
  if (languages.size > 0 && !languages.has(languageOf(path, source.text).id)) return null
  const { count, lines, tooLong, isWhole } = matchingLines(source.text, pattern, options)
  tally.searched++
  tally.tooLong += tooLong
  tally.isCut ||= !isWhole
  return count === 0 ? null : { path, language: languageOf(path, source.text).id, count, lines }
}

function summary(
  { searched, tooLong, isCut, leftOut }: Tally,
  total: number,
  timeoutMs: number,
): GrepSummary {
  const notices: string[] = []
  const ignored = leftOut["ignored"] ?? 0
  if (total === 0) {
    const why = ignored > 0 ? `: ${ignored} ignored; name a path to search what git ignores` : ""
    notices.push(`no file was searched${why}`)
  }
  const large = leftOut["too large"] ?? 0
  if (large > 0) notices.push(`left out: ${many(large, "file")} larger than 32 MiB`)
  const over = leftOut["over the limit"] ?? 0
  if (over > 0) notices.push("left out: what is deepest, for there are more files than index.max_files")
  const unreadable = leftOut["unreadable"] ?? 0
  if (unreadable > 0) notices.push(`left out: ${many(unreadable, "file")} or folders that cannot be read`)
  if (tooLong > 0) notices.push(`left out: ${many(tooLong, "line")} too long for this regular expression`)
  if (isCut)
    notices.push(`stopped after ${timeoutMs / 1000} s, at ${searched} of ${total} files: name a path`)
  return { searched, total, left_out: leftOut, notices }
}

function many(count: number, what: string): string {
  return count === 1 ? `1 ${what}` : `${count} ${what}s`
}
