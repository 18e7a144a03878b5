/*
 * Finds text or a regular expression in the files of a project as they are on disk. Files are searched one by one;
 * between files other work of the process gets its turn. The summary says what was left out and why the search
 * stopped early.
 */

import { plural } from "../../base/plural.ts"
import { fileFlags } from "../../code/languages/file-flags.ts"
import { languageOf } from "../../code/languages/languages.ts"
import { type MatchingLines, matchingLines, type TextLine } from "../../search/patterns/matching-lines.ts"
import { type PatternOptions, type TextPattern, textPattern } from "../../search/patterns/text-pattern.ts"
import { languageId } from "../../search/query/filter.ts"
import { isDocument } from "../../text/documents/document-text.ts"
import { isSvg } from "../../text/documents/svg-file.ts"
import { readAsWritten } from "../../text/files/read-source.ts"
import type { ProjectPlace } from "../project/project-path.ts"
import { filesToGrep, type GrepScope, MAX_FILE_BYTES } from "./grep-files.ts"

export type GrepRequest = PatternOptions &
  GrepScope & {
    readonly languages: readonly string[]
    /** Return the lines that do not match. */
    readonly invert: boolean
    readonly before: number
    readonly after: number
    /** Maximum matching lines of a file. */
    readonly maxCount: number
    /** Report where in each line the pattern matches: `maxSpans` places at most, all if absent. */
    readonly withSpans: boolean
    readonly maxSpans?: number
    /** Report the text by which this template would replace each match; see TextPattern. */
    readonly replacement?: string | undefined
    /** Return the files without a match instead, with no lines. */
    readonly withoutMatch?: boolean
    /** Stop after this time, with the results so far. */
    readonly timeoutMs: number
    /** Called often; true stops at once, as if time were up. */
    readonly isCancelled?: () => boolean
    /** Called before each file with the number of files searched. */
    readonly onSearched?: (files: number) => void
  }

export type GrepFile = {
  readonly path: string
  readonly language: string
  /** FILE_FLAG bits, from its path and text. */
  readonly flags: number
  /** Number of matching lines. */
  readonly count: number
  /** The matching lines and their context, in order; must be called before the next file is requested. */
  readonly lines: () => readonly TextLine[]
}

/** Summary when all files are searched or time is up. */
export type GrepSummary = {
  /** Files searched, and the total. */
  readonly searched: number
  readonly total: number
  /** False when time was up, or the request was cancelled, before the last line of the last file. */
  readonly complete: boolean
  readonly left_out: Readonly<Record<string, number>>
  readonly notices: readonly string[]
}

// Maximum time without yielding to other work of the process, such as signals.
const YIELD_MS = 25

/**
 * Finds the matching lines of a project's files as they are on disk now, file by file in the order of paths.
 */
export async function* grepProject(
  project: ProjectPlace,
  request: GrepRequest,
  signal?: AbortSignal,
): AsyncGenerator<GrepFile, GrepSummary> {
  const startedAt = performance.now()
  const { timeoutMs, isCancelled = () => false } = request
  const isOver = () => performance.now() - startedAt > timeoutMs || isCancelled()
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
    request.onSearched?.(tally.searched)
    if (isOver()) tally.isCut = true
    if (tally.isCut) break
    const matches = grepFile(project, path, pattern, languages, { ...request, isOver }, tally)
    if (matches !== null) yield matches
  }
  return grepSummary(tally, paths.length, timeoutMs)
}

/** Finds the matching lines of a text that belongs to no file. */
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
  project: ProjectPlace,
  path: string,
  pattern: TextPattern,
  languages: ReadonlySet<string>,
  options: GrepRequest & { readonly isOver: () => boolean },
  tally: Tally,
): GrepFile | null {
  // Text search looks at the bytes of the file itself, and a document's bytes are an archive.
  const source =
    isDocument(path) && !isSvg(path)
      ? ({ reason: "binary" } as const)
      : readAsWritten(project.root, path, MAX_FILE_BYTES)
  if ("reason" in source) {
    tally.leftOut[source.reason] = (tally.leftOut[source.reason] ?? 0) + 1
    return null
  }
  if (languages.size > 0 && !languages.has(languageOf(path, source.text).id)) return null
  const { count, lines, tooLong, isWhole } = matchingLines(source.text, pattern, options)
  tally.searched++
  tally.tooLong += tooLong
  tally.isCut ||= !isWhole
  if (options.withoutMatch) {
    const isWithout = count === 0 && isWhole && tooLong === 0
    return isWithout ? { ...described(path, source.text), count, lines } : null
  }
  if (count === 0) return null
  // The lines are collected only when they are needed. If time runs out meanwhile, the search counts as cut.
  const linesUnlessCut = () => {
    const collected = lines()
    tally.isCut ||= options.isOver() && collected.reduce((sum, { match }) => sum + Number(match), 0) < count
    return collected
  }
  return { ...described(path, source.text), count, lines: linesUnlessCut }
}

function described(path: string, text: string): Pick<GrepFile, "path" | "language" | "flags"> {
  return { path, language: languageOf(path, text).id, flags: fileFlags(path, text) }
}

function grepSummary(
  { searched, tooLong, isCut, leftOut }: Tally,
  total: number,
  timeoutMs: number,
): GrepSummary {
  const notices: string[] = []
  const ignored = leftOut["ignored"] ?? 0
  if (total === 0) {
    const why = ignored > 0 ? `: ${ignored} ignored; to search ignored files, give their path` : ""
    notices.push(`no file was searched${why}`)
  }
  const large = leftOut["too large"] ?? 0
  if (large > 0) notices.push(`not searched: ${plural(large, "file")} larger than 32 MiB`)
  const overLimit = leftOut["over the limit"] ?? 0
  if (overLimit > 0)
    notices.push("not searched: the deepest files, because there are more than index.max_files")
  const unmatched = leftOut["too many patterns"] ?? 0
  if (unmatched > 0)
    notices.push(
      `not searched: ${plural(unmatched, "file")} or folders, because matching ignore patterns took too long`,
    )
  const unreadable = leftOut["unreadable"] ?? 0
  if (unreadable > 0)
    notices.push(`not searched: ${plural(unreadable, "file")} or folders that cannot be read`)
  if (tooLong > 0)
    notices.push(`not searched: ${plural(tooLong, "line")} too long for this regular expression`)
  if (isCut) notices.push(stoppedNotice(timeoutMs, searched, total))
  return { searched, total, complete: !isCut, left_out: leftOut, notices }
}

/** Why an answer is not complete. */
export function stoppedNotice(timeoutMs: number, searched: number, total: number | null): string {
  const of = total === null ? "" : ` of ${total}`
  const seconds = Math.round(timeoutMs / 100) / 10
  return `stopped after ${seconds} s, at ${searched}${of} files; give a path to narrow the search`
}
