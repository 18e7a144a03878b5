import type { Project } from "../../../app/project/open-project.ts"
import type { GrepFile, GrepRequest, GrepSummary } from "../../../app/search/grep-project.ts"
import { type Command, EXIT, type Input } from "../../command.ts"
import { reportFailure } from "../../failure.ts"
import { fromFolder, inProject } from "../../flags/project-paths.ts"
import { standardInput } from "../../flags/standard-input.ts"
import { type MatchFormat, renderMatches } from "../../render/render-matches.ts"
import { projectOptions, remarkNotices } from "../../with-project.ts"
import { GREP_FLAGS, GREP_REFUSALS, grepRequest, patternsAndPaths } from "./grep-flags.ts"

export const grepCommand: Command = {
  usage: "[flags] (PATTERN | -e PATTERN...) [PATH...]",
  details: `Searches the current text of the files, without an index: every file that git does not ignore, including
hidden ones, but no binaries and no files that may hold keys or passwords. An ignored file is searched if PATH
names it; PATH - is stdin. PATTERN is a regular expression in RE2 syntax, matched line by line in linear time. Flags
and output are those of ripgrep; with -q nothing is printed. Exits like ripgrep: with 0 after a match, 1 without one,
2 after an error, such as an unknown PATH.`,
  flags: GREP_FLAGS,
  refusals: GREP_REFUSALS,
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
  const { patterns, paths } = patternsAndPaths(input)
  if (paths.length === 1 && paths[0] === "-") return grepStdin(input, patterns)
  const { openProject } = await import("../../../app/project/open-project.ts")
  const { grepProject } = await import("../../../app/search/grep-project.ts")
  using project = openProject(projectOptions(input))
  const request = grepRequest(input, patterns, inProject(project, paths))
  const matches = grepProject(project, request, input.signal)
  if (input.flags.has("json")) return showJson(matches, input, request)
  if (input.flags.has("quiet")) return (await matches.next()).done ? EXIT.nothingFound : EXIT.ok
  return printMatches(matches, input, project, request)
}

type GrepStream = AsyncGenerator<GrepFile, GrepSummary>

// Output is written in pieces of this many characters, because each write is a system call.
const PIECE = 32_768

async function printMatches(
  matches: GrepStream,
  input: Input,
  project: Project,
  request: GrepRequest,
): Promise<number> {
  const { isOneFile } = await import("../../../app/search/grep-files.ts")
  const format = formatOf(input, !isOneFile(project, request))
  let text = ""
  let isFirst = true
  let step = await matches.next()
  for (; !step.done; step = await matches.next()) {
    const file = { ...countedFor(input, step.value), path: fromFolder(project, step.value.path) }
    text += renderMatches(file, format, isFirst, input.output)
    isFirst = false
    if (text.length < PIECE) continue
    await input.output.write(text)
    text = ""
  }
  if (text !== "") await input.output.write(text)
  remarkNotices(input, grepNotices(step.value))
  return isFirst ? EXIT.nothingFound : EXIT.ok
}

/**
 * Prints a file's number of matches instead of its lines if --count and --only-matching are given together, as
 * ripgrep does.
 */
function countedFor<File extends Pick<GrepFile, "count" | "lines">>({ flags }: Input, file: File): File {
  if (!(flags.has("count") && flags.has("only-matching"))) return file
  const count = file.lines().reduce((sum, { spans = [] }) => sum + spans.length, 0)
  return { ...file, count }
}

async function showJson(found: GrepStream, { output }: Input, request: GrepRequest): Promise<number> {
  const files: object[] = []
  let step = await found.next()
  for (; !step.done; step = await found.next()) {
    const { path, language, count, lines } = step.value
    files.push({ path, language, count, lines: lines() })
  }
  await output.json({ pattern: request.pattern, files, ...step.value })
  return files.length > 0 ? EXIT.ok : EXIT.nothingFound
}

async function grepStdin(input: Input, patterns: readonly string[]): Promise<number> {
  const { grepText } = await import("../../../app/search/grep-project.ts")
  const text = await standardInput(input.signal)
  const request = grepRequest(input, patterns, [])
  const matching = await grepText(text, request)
  if ((matching.count === 0) !== (request.withoutMatch ?? false)) return EXIT.nothingFound
  const file = { path: "<stdin>", language: "text", count: matching.count, lines: matching.lines }
  if (input.flags.has("json")) {
    await input.output.json({ pattern: request.pattern, files: [{ ...file, lines: matching.lines() }] })
    return EXIT.ok
  }
  if (input.flags.has("quiet")) return EXIT.ok
  const format = formatOf(input, false)
  const withLineNumbers =
    input.flags.has("line-number") || (input.output.isTerminal && format.withLineNumbers)
  const shown = renderMatches(countedFor(input, file), { ...format, withLineNumbers }, true, input.output)
  await input.output.write(shown)
  return EXIT.ok
}

function formatOf({ flags }: Input, withPath: boolean): MatchFormat {
  const hasContext = ["context", "before-context", "after-context"].some((name) => flags.has(name))
  return {
    show: shownParts(flags),
    withPath: flags.has("no-filename") ? false : withPath || flags.has("with-filename"),
    isHeaded: !flags.has("no-heading"),
    withLineNumbers: !flags.has("without-numbers"),
    hasContext,
  }
}

function shownParts(flags: Input["flags"]): MatchFormat["show"] {
  if (flags.has("files-with-matches") || flags.has("files-without-match")) return "files"
  if (flags.has("count")) return "counts"
  return flags.has("only-matching") ? "matches" : "lines"
}

/**
 * The notices of a search, and one with the number of files that were not searched because they may contain keys or
 * passwords.
 */
function grepNotices({ notices, left_out }: GrepSummary): string[] {
  const secret = left_out["secret"] ?? 0
  if (secret === 0) return [...notices]
  return [
    ...notices,
    `not searched: ${secret} ${secret === 1 ? "file" : "files"} that may hold keys or passwords`,
  ]
}
