import type { Project } from "../../app/project/open-project.ts"
import type { GrepFile, GrepRequest, GrepSummary } from "../../app/search/grep-project.ts"
import { AmanError } from "../../base/errors.ts"
import { type Command, EXIT, type Flag, type Input } from "../command.ts"
import { reportFailure } from "../failure.ts"
import { fromFolder, inProject } from "../flags/project-paths.ts"
import { standardInput } from "../flags/standard-input.ts"
import { listFlag, numberFlag } from "../flags/values.ts"
import { type MatchFormat, renderMatches } from "../render/render-matches.ts"
import { projectOptions, remarkNotices } from "../with-project.ts"

const MAX_LINES = 1_000_000

const FLAGS: readonly Flag[] = [
  { name: "ignore-case", short: "i", help: "Ignore case" },
  { name: "fixed-strings", short: "F", help: "Treat PATTERN as plain text, not as a regular expression" },
  { name: "word-regexp", short: "w", help: "Match whole words only" },
  { name: "invert-match", short: "v", help: "Print the lines that do not match" },
  { name: "files-with-matches", short: "l", help: "Print only the paths of files with a match" },
  { name: "count", short: "c", help: "Print only the number of matching lines of each file" },
  { name: "only-matching", short: "o", help: "Print only the matching parts, one a line" },
  { name: "max-count", short: "m", value: "N", help: "At most N matching lines of each file" },
  { name: "after-context", short: "A", value: "N", help: "Show N lines after each match" },
  { name: "before-context", short: "B", value: "N", help: "Show N lines before each match" },
  { name: "context", short: "C", value: "N", help: "Show N lines before and after each match" },
  { name: "line-number", short: "n", help: "Show line numbers (default, except for stdin)" },
  { name: "without-numbers", short: "N", help: "Hide line numbers" },
  {
    name: "glob",
    short: "g",
    value: "GLOB",
    multiple: true,
    help: "Only files that match GLOB; !GLOB excludes them",
  },
  { name: "lang", short: "t", value: "LANGUAGE", multiple: true, help: "Only files in this language" },
]

export const grepCommand: Command = {
  usage: "[flags] PATTERN [PATH...]",
  details: `Searches the current text of the files, without an index: every file that git does not ignore, including
hidden ones, but no binaries and no files that may hold keys or passwords. An ignored file is searched if PATH
names it; PATH - is stdin. PATTERN is a regular expression in RE2 syntax, matched line by line in linear time. The
output is that of ripgrep; exits with 0 after a match, 1 without one, 2 after an error.`,
  flags: FLAGS,
  examples: [
    {
      line: "aman grep 'func \\w+Handler'",
      note: "a regular expression, in all files below the working directory",
    },
    { line: "aman grep -Fi 'todo(' src -g '!*.test.ts'", note: "plain text, ignoring case, not in tests" },
    { line: "aman grep -w -C 2 limitAttempts", note: "a whole word, with two lines of context" },
    { line: "aman grep -l 'import .*react' -t ts,tsx", note: "only file names" },
    { line: "git log -p | aman grep -n password -", note: "stdin" },
    { line: "aman grep -c -- '--dry-run'", note: "a pattern that starts with a dash" },
  ],
  async run(input) {
    try {
      return await grep(input)
    } catch (error) {
      if (input.signal.aborted) throw error
      const { flags, output } = input
      const code = await reportFailure(
        error,
        { json: flags.has("json"), verbose: flags.has("verbose") },
        output,
      )
      return code === EXIT.ok ? EXIT.ok : EXIT.usage
    }
  },
}

async function grep(input: Input): Promise<number> {
  const [pattern, ...paths] = input.words
  if (pattern === undefined) {
    throw new AmanError("USAGE", "no search query given", {
      hint: "for example: aman grep 'func \\w+Handler'",
    })
  }
  if (paths.length === 1 && paths[0] === "-") return grepStdin(input, pattern)
  const { openProject } = await import("../../app/project/open-project.ts")
  const { grepProject } = await import("../../app/search/grep-project.ts")
  using project = openProject(projectOptions(input))
  const request = toRequest(input, pattern, inProject(project, paths))
  const found = grepProject(project, request, input.signal)
  return input.flags.has("json")
    ? await showJson(found, input, request)
    : await show(found, input, project, request)
}

type Found = AsyncGenerator<GrepFile, GrepSummary>

// Output is written in pieces of this many characters, because each write is a system call.
const PIECE = 32_768

async function show(found: Found, input: Input, project: Project, request: GrepRequest): Promise<number> {
  const { isOneFile } = await import("../../app/search/grep-files.ts")
  const format = formatOf(input, !isOneFile(project, request))
  let text = ""
  let isFirst = true
  let step = await found.next()
  for (; !step.done; step = await found.next()) {
    const file = { ...countedFor(input, step.value), path: fromFolder(project, step.value.path) }
    text += renderMatches(file, format, isFirst, input.output)
    isFirst = false
    if (text.length < PIECE) continue
    await input.output.write(text)
    text = ""
  }
  if (text !== "") await input.output.write(text)
  remarkNotices(input, noticesOf(step.value, !isFirst))
  return isFirst ? EXIT.nothingFound : EXIT.ok
}

/** With -o, counts matches instead of lines. */
function countedFor({ flags }: Input, file: GrepFile): GrepFile {
  if (!(flags.has("count") && flags.has("only-matching"))) return file
  const count = file.lines().reduce((sum, { spans = [] }) => sum + spans.length, 0)
  return { ...file, count }
}

async function showJson(found: Found, { output }: Input, request: GrepRequest): Promise<number> {
  const files: object[] = []
  let step = await found.next()
  for (; !step.done; step = await found.next()) {
    const { path, language, count, lines } = step.value
    files.push({ path, language, count, lines: lines() })
  }
  await output.json({ pattern: request.pattern, files, ...step.value })
  return files.length > 0 ? EXIT.ok : EXIT.nothingFound
}

async function grepStdin(input: Input, pattern: string): Promise<number> {
  const { grepText } = await import("../../app/search/grep-project.ts")
  const text = await standardInput(input.signal)
  const found = await grepText(text, toRequest(input, pattern, []))
  if (found.count === 0) return EXIT.nothingFound
  const file = { path: "<stdin>", language: "text", count: found.count, lines: found.lines }
  if (input.flags.has("json")) {
    await input.output.json({ pattern, files: [{ ...file, lines: found.lines() }] })
    return EXIT.ok
  }
  const format = formatOf(input, false)
  const withLineNumbers =
    input.flags.has("line-number") || (input.output.isTerminal && format.withLineNumbers)
  const shown = renderMatches(countedFor(input, file), { ...format, withLineNumbers }, true, input.output)
  await input.output.write(shown)
  return EXIT.ok
}

function toRequest({ flags, output }: Input, pattern: string, paths: readonly string[]): GrepRequest {
  const context = numberFlag(flags, "context", 0, MAX_LINES) ?? 0
  const isBare = flags.has("files-with-matches") || flags.has("count")
  return {
    pattern,
    mode: flags.has("fixed-strings") ? "exact" : "regex",
    ignoreCase: flags.has("ignore-case"),
    wholeWord: flags.has("word-regexp"),
    invert: flags.has("invert-match"),
    paths,
    globs: flags.all("glob"),
    languages: listFlag(flags, "lang"),
    before: isBare ? 0 : (numberFlag(flags, "before-context", 0, MAX_LINES) ?? context),
    after: isBare ? 0 : (numberFlag(flags, "after-context", 0, MAX_LINES) ?? context),
    maxCount: flags.has("files-with-matches")
      ? 1
      : (numberFlag(flags, "max-count", 1, MAX_LINES) ?? MAX_LINES),
    withSpans: output.colors.isColorSupported || flags.has("only-matching") || flags.has("json"),
    timeoutMs: Number.POSITIVE_INFINITY,
  }
}

function formatOf({ flags }: Input, withPath: boolean): MatchFormat {
  const show = flags.has("files-with-matches")
    ? "files"
    : flags.has("count")
      ? "counts"
      : flags.has("only-matching")
        ? "matches"
        : "lines"
  const hasContext = ["context", "before-context", "after-context"].some((name) => flags.has(name))
  return {
    show,
    withPath,
    withLineNumbers: !flags.has("without-numbers"),
    hasContext,
  }
}

/** Adds the number of files not searched if nothing was found. */
function noticesOf({ notices, left_out }: GrepSummary, isFound: boolean): string[] {
  const secret = left_out["secret"] ?? 0
  if (isFound || secret === 0) return [...notices]
  return [...notices, `not searched: ${secret} that may hold keys or passwords`]
}
