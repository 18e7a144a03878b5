import { existsSync } from "node:fs"
import type { Source } from "../../../ask/index.ts"
import { AmanError, type ResultCommit } from "../../../base/index.ts"
import { loadOpenProject } from "../../../index/index.ts"
import {
  type GrepFile,
  type GrepQuestion,
  type GrepRequest,
  type GrepResult,
  type GrepSummary,
  loadGrepProject,
  type TextLine,
} from "../../../search/index.ts"
import { type Command, EXIT, type Flag, type Input } from "../command.ts"
import { fromFolder, inProject, listFlag, numberFlag, otherRepository, standardInput } from "../flags.ts"
import { type CommandOutput, reportFailure } from "../output.ts"
import { printable, printableLine } from "../text.ts"
import { projectOptions, remarkNotices, withSource } from "../with-project.ts"

const MAX_LINES = 1_000_000

/** Flags of `aman grep`: those of ripgrep with the same meaning. */
export const GREP_FLAGS: readonly Flag[] = [
  {
    ...{ name: "regexp", short: "e", value: "PATTERN", multiple: true, takesDash: true },
    help: "A pattern; a line matches if any of them does",
  },
  { name: "ignore-case", short: "i", help: "Ignore case" },
  { name: "smart-case", short: "S", help: "Ignore case unless a pattern has a capital" },
  { name: "case-sensitive", short: "s", help: "Match upper and lower case exactly (default)" },
  { name: "fixed-strings", short: "F", help: "Treat PATTERN as plain text, not as a regular expression" },
  { name: "word-regexp", short: "w", help: "Match whole words only" },
  { name: "line-regexp", short: "x", help: "Match whole lines only" },
  { name: "invert-match", short: "v", help: "Print the lines that do not match" },
  { name: "files-with-matches", short: "l", help: "Print only the paths of files with a match" },
  { name: "files-without-match", help: "Print only the paths of files without a match" },
  { name: "count", short: "c", help: "Print only the number of matching lines of each file" },
  { name: "only-matching", short: "o", help: "Print only the matching parts, one per line" },
  {
    ...{ name: "replace", short: "r", value: "TEXT", takesDash: true },
    // `grep -rn` is typed out of habit, and would print "n" for each match.
    notJoined: /^[nilwcoxvsHIERS]+$/,
    help: "Print TEXT instead of each match; $1 or ${name} is a group, $0 the match (files are not changed). As in grep, -rn is -n",
  },
  { name: "max-count", short: "m", value: "N", help: "At most N matching lines of each file" },
  { name: "after-context", short: "A", value: "N", help: "Show N lines after each match" },
  { name: "before-context", short: "B", value: "N", help: "Show N lines before each match" },
  { name: "context", short: "C", value: "N", help: "Show N lines before and after each match" },
  { name: "line-number", short: "n", help: "Show line numbers (default, except for stdin)" },
  { name: "without-numbers", short: "N", help: "Hide line numbers" },
  { name: "with-filename", short: "H", help: "Show the path even if only one file is searched" },
  { name: "no-filename", short: "I", help: "Hide the path" },
  { name: "no-heading", help: "Show the path before each line, on a terminal too" },
  { name: "hidden", help: "Search hidden files (always done)" },
  { name: "recursive", short: "R", help: "Search folders (always done)" },
  { name: "extended-regexp", short: "E", help: "Patterns are extended regular expressions (always so)" },
  { name: "glob", short: "g", value: "GLOB", multiple: true, help: "Only files that match; !GLOB excludes" },
  { name: "lang", short: "t", value: "LANGUAGE", multiple: true, help: "Only files in this language" },
  { name: "type", value: "LANGUAGE", multiple: true, help: "The same as --lang" },
  { name: "repository", value: "NAME", help: "In other repositories whose name contains NAME; '*': all" },
  { name: "team", value: "NAME", help: "In the team's repositories whose name contains NAME; '*': all" },
]

/** Flags that have no effect on other repositories, of which each answers with the matching lines of a file. */
const HERE_ONLY =
  "invert-match files-without-match only-matching replace max-count glob after-context before-context"

const LINE_BY_LINE = "matching is line by line; search for one of the lines, with -C for those around it"
const NO_TIME_BOUND = "lookaround and backreferences have no time bound; patterns are RE2 syntax"
const IGNORED = "to search ignored files, give their path"
const FOLLOW = "links are not followed, because they may lead out of the project; give the path they lead to"
const TEXT = "binary files are not searched"
const ZIP = "compressed files are not searched"
const SORTED = "the output is always sorted by path"
const NO_PROGRAM = "no other program is run"
const NOT_TYPE = "exclude by ending: -g '!*.EXT'"

/** Flags that ripgrep has and `aman grep` does not. */
export const GREP_REFUSALS: Readonly<Record<string, string>> = {
  "-U": LINE_BY_LINE,
  "--multiline": LINE_BY_LINE,
  "--multiline-dotall": LINE_BY_LINE,
  "-P": NO_TIME_BOUND,
  "--pcre2": NO_TIME_BOUND,
  "--engine": NO_TIME_BOUND,
  "-u": IGNORED,
  "--unrestricted": IGNORED,
  "--no-ignore": IGNORED,
  "-L": FOLLOW,
  "--follow": FOLLOW,
  "-a": TEXT,
  "--text": TEXT,
  "--binary": TEXT,
  "-z": ZIP,
  "--search-zip": ZIP,
  "--pre": NO_PROGRAM,
  "-f": "give each pattern with -e",
  "--file": "give each pattern with -e",
  "-T": NOT_TYPE,
  "--type-not": NOT_TYPE,
  "--sort": SORTED,
  "--sortr": SORTED,
  "--files": "list indexed files with: aman map, or files that are not: aman status --skipped",
  "--color": "colours follow the terminal; NO_COLOR=1 or FORCE_COLOR=1 decides",
  "--column": "with --json each match has its place in the line",
  "--vimgrep": "with --json each match has its place in the line",
  "--encoding": "files are decoded as UTF-8, UTF-16 or Latin-1 by their bytes",
  "-d": "narrow by path or with -g",
  "--max-depth": "narrow by path or with -g",
  "--max-filesize": "narrow by path or with -g",
  "--stats": "with --json the answer says how many files were searched and left out",
  "-j": "one thread reads the files; searches of a server run in several",
  "--threads": "one thread reads the files; searches of a server run in several",
}

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
    { line: "aman grep --team '*' 'retry\\w+' -t go", note: "in all of the team's repositories" },
    { line: "git log -p | aman grep -n password -", note: "stdin" },
    { line: "aman grep -c -- '--dry-run'", note: "a pattern that starts with a dash" },
  ],
  async run(input) {
    try {
      return await grep(input)
    } catch (error) {
      if (input.signal.aborted) throw error
      const { flags, output } = input
      const asked = { json: flags.has("json"), verbose: flags.has("verbose") }
      const code = await reportFailure(error, asked, output)
      return code === EXIT.ok ? EXIT.ok : EXIT.usage
    }
  },
}

async function grep(input: Input): Promise<number> {
  const { patterns, paths } = patternsAndPaths(input)
  if (otherRepository(input) !== undefined) return grepOthers(input, patterns, paths)
  if (paths.length === 1 && paths[0] === "-") return grepStdin(input, patterns)
  const { openProject } = await loadOpenProject()
  const { grepProject, isOneFile } = await loadGrepProject()
  using project = openProject(projectOptions(input))
  const request = grepRequest(input, patterns, inProject(project, paths))
  const matches = grepProject(project, request, input.signal)
  return print(matches, input, request.pattern, {
    withPath: () => !isOneFile(project, request),
    nameOf: ({ path }) => fromFolder(project, path),
  })
}

function grepOthers(input: Input, patterns: readonly string[], paths: readonly string[]): Promise<number> {
  const refused = HERE_ONLY.split(" ").find((name) => input.flags.has(name))
  if (refused !== undefined)
    throw new AmanError("USAGE", `--${refused} cannot be combined with --team or --repository`, {
      hint: "with them, PATH may be a glob, and -C N shows context",
    })
  const request = grepRequest(input, patterns, paths)
  const { pattern: query, before: context, mode, ignoreCase, wholeWord, languages } = request
  return printFound(input, { query, mode, ignoreCase, wholeWord, languages, context, paths })
}

/** Files and tokens of one page of a text search: the most that a server answers at once. */
const PAGE = { limit: 1000, tokens: 100_000 } as const

type Question = Omit<GrepQuestion, keyof typeof PAGE | "offset">
type Pages = { readonly offset?: number | undefined; readonly limit?: number | undefined }

/** Prints the files with a line that matches, of the repositories that the flags name, or of the project. */
export async function printFound(input: Input, question: Question, pages: Pages = {}): Promise<number> {
  return await withSource(input, (source) => {
    const isBare = shownParts(input.flags) !== "lines" && !input.flags.has("json")
    const nameOf = ({ repository, path }: FoundFile) =>
      repository === undefined ? path : `${repository} ${path}`
    const found = foundIn(source, question, { ...pages, isBare })
    return print(found, input, question.query, { withPath: () => true, nameOf })
  })
}

/** The matching files of a source. A file of which a page of answers has not all lines begins the next page. */
async function* foundIn(
  source: Source,
  question: Question,
  { offset = 0, limit = Number.POSITIVE_INFINITY, isBare }: Pages & { readonly isBare: boolean },
): GrepStream {
  const { linesIn } = await loadGrepProject()
  const [commits, cuts] = [new Map<string, ResultCommit>(), [] as string[]]
  for (let count = 0; ; ) {
    const page = { ...PAGE, limit: Math.min(PAGE.limit, limit - count), offset: offset + count }
    const found = await source.grep({ ...question, ...page, isAll: true })
    const shown = isBare ? (found.results as readonly GrepResult[]) : fitting(found.results)
    for (const { text, matches, ...result } of shown) {
      const lines = linesIn(text)
      const missing = matches - lines.filter(({ match }) => match).length
      if (missing > 0 && !isBare) cuts.push(`${result.path}: ${missing} more lines match; narrow the pattern`)
      yield { ...result, flags: 0, count: matches, lines: () => lines }
    }
    count += shown.length
    found.commits?.map((each) => commits.set(each.repository, each))
    if (shown.length > 0 && found.complete && offset + count < found.files && count < limit) continue
    const { searched, complete } = found
    const notices = [...found.notices, ...cuts]
    return { searched, total: searched, complete, left_out: {}, notices, commits: [...commits.values()] }
  }
}

/** The results before one that is cut, at least the first. */
function fitting(results: readonly GrepResult[]): readonly GrepResult[] {
  const end = results.findIndex(({ cut }, at) => cut && at > 0)
  return end < 0 ? results : results.slice(0, end)
}

type FoundFile = GrepFile & { readonly repository?: string }
type GrepStream = AsyncGenerator<FoundFile, GrepSummary & { readonly commits?: readonly ResultCommit[] }>

type Shown = { readonly withPath: () => boolean; readonly nameOf: (file: FoundFile) => string }

// Output is written in pieces of this many characters, because each write is a system call.
const PIECE = 32_768

async function print(found: GrepStream, input: Input, pattern: string, shown: Shown): Promise<number> {
  if (input.flags.has("json")) return showJson(found, input, pattern)
  if (input.flags.has("quiet")) return (await found.next()).done ? EXIT.nothingFound : EXIT.ok
  const format = formatOf(input, shown.withPath())
  let text = ""
  let isFirst = true
  let step = await found.next()
  for (; !step.done; step = await found.next()) {
    const file = { ...countedFor(input, step.value), path: shown.nameOf(step.value) }
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

async function showJson(found: GrepStream, { output }: Input, pattern: string): Promise<number> {
  const files: object[] = []
  let step = await found.next()
  for (; !step.done; step = await found.next()) {
    const { repository, path, language, count, lines } = step.value
    files.push({ repository, path, language, count, lines: lines() })
  }
  await output.json({ pattern, files, ...step.value })
  return files.length > 0 ? EXIT.ok : EXIT.nothingFound
}

async function grepStdin(input: Input, patterns: readonly string[]): Promise<number> {
  const { grepText } = await loadGrepProject()
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

/** The patterns and the paths that were typed. */
export function patternsAndPaths({ flags, words }: Input): { patterns: string[]; paths: readonly string[] } {
  const patterns = [...flags.all("regexp")]
  if (patterns.length > 0) return { patterns, paths: words }
  const [pattern, ...paths] = words
  const replacement = flags.text("replace")
  // `grep -r PATTERN PATH` is typed out of habit, and would replace each match of the path.
  if (pattern !== undefined && paths.length === 0 && replacement !== undefined && existsSync(pattern)) {
    const without = `aman grep ${JSON.stringify(replacement)} ${pattern}`
    const hint = `folders are always searched: ${without}; or give the pattern with -e`
    const message = `-r replaces each match of "${pattern}" by "${replacement}", as in ripgrep`
    throw new AmanError("USAGE", message, { hint })
  }
  if (pattern !== undefined) return { patterns: [pattern], paths }
  throw new AmanError("USAGE", "no search query given", { hint: "for example: aman grep 'func \\w+Handler'" })
}

export function grepRequest(
  { flags, output }: Input,
  patterns: readonly string[],
  paths: readonly string[],
): GrepRequest {
  const context = numberFlag(flags, "context", 0, MAX_LINES) ?? 0
  const isOfFiles = ["files-with-matches", "files-without-match", "quiet"].some((name) => flags.has(name))
  const isBare = isOfFiles || flags.has("count")
  const replacement = flags.text("replace")
  return {
    ...joinPatterns(patterns, flags.has("fixed-strings"), flags.has("line-regexp")),
    ignoreCase: isCaseIgnored(flags, patterns),
    wholeWord: flags.has("word-regexp"),
    invert: flags.has("invert-match"),
    paths,
    globs: flags.all("glob"),
    languages: [...listFlag(flags, "lang"), ...listFlag(flags, "type")],
    before: isBare ? 0 : (numberFlag(flags, "before-context", 0, MAX_LINES) ?? context),
    after: isBare ? 0 : (numberFlag(flags, "after-context", 0, MAX_LINES) ?? context),
    maxCount: isOfFiles ? 1 : (numberFlag(flags, "max-count", 1, MAX_LINES) ?? MAX_LINES),
    withSpans:
      output.colors.isColorSupported ||
      replacement !== undefined ||
      flags.has("only-matching") ||
      flags.has("json"),
    replacement,
    withoutMatch: flags.has("files-without-match"),
    timeoutMs: Number.POSITIVE_INFINITY,
  }
}

/** One pattern that matches wherever any of the given patterns does. */
function joinPatterns(
  patterns: readonly string[],
  isFixed: boolean,
  isWholeLine: boolean,
): Pick<GrepRequest, "pattern" | "mode"> {
  if (patterns.length === 1 && !isWholeLine) {
    return { pattern: patterns[0]!, mode: isFixed ? "exact" : "regex" }
  }
  const bodies = isFixed ? patterns.map((text) => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")) : patterns
  const any = bodies.length === 1 ? bodies[0]! : bodies.map((body) => `(?:${body})`).join("|")
  return { pattern: isWholeLine ? `^(?:${any})$` : any, mode: "regex" }
}

function isCaseIgnored(flags: Input["flags"], patterns: readonly string[]): boolean {
  if (flags.has("ignore-case")) return true
  if (!flags.has("smart-case") || flags.has("case-sensitive")) return false
  // Letters of escapes such as \W and \p{Lu} are removed first, because they are not capital letters to search
  // for.
  return patterns.every((pattern) => !/\p{Lu}/u.test(pattern.replace(/\\[pP](?:\{[^}]*\}|.)|\\./gu, "")))
}

export type MatchFormat = {
  readonly show: "lines" | "matches" | "files" | "counts"
  /** Show the path: before each line, or on a terminal above all lines of a file. False for a single file. */
  readonly withPath: boolean
  /** On a terminal, show the path once above the lines of a file. */
  readonly isHeaded: boolean
  readonly withLineNumbers: boolean
  /** Separate groups of lines by "--". */
  readonly hasContext: boolean
}

/** Formats the matches of one file as ripgrep does. `isFirst`: no other file was printed before it. */
export function renderMatches(
  { path, count, lines }: Pick<GrepFile, "path" | "count" | "lines">,
  format: MatchFormat,
  isFirst: boolean,
  output: CommandOutput,
): string {
  const { colors: c, isTerminal } = output
  const name = c.magenta(isTerminal ? printableLine(path) : path)
  if (format.show === "files") return `${name}\n`
  if (format.show === "counts") return format.withPath ? `${name}:${count}\n` : `${count}\n`
  const isHeaded = isTerminal && format.withPath && format.isHeaded
  const before = format.withPath && !isHeaded ? name : null
  const rows = groupedRows(lines(), before, format, output)
  if (isHeaded) return `${isFirst ? "" : "\n"}${name}\n${rows}`
  return isFirst || !format.hasContext ? rows : `--\n${rows}`
}

function groupedRows(
  lines: readonly TextLine[],
  name: string | null,
  format: MatchFormat,
  output: CommandOutput,
): string {
  let text = ""
  let last: number | null = null
  for (const line of lines) {
    if (format.hasContext && last !== null && line.line > last + 1) text += "--\n"
    last = line.line
    const mark = line.match ? ":" : "-"
    const place = [
      ...(name === null ? [] : [name]),
      ...(format.withLineNumbers ? [output.colors.green(String(line.line))] : []),
    ]
    const start = place.map((part) => part + mark).join("")
    for (const content of lineContents(line, format, output)) text += `${start}${content}\n`
  }
  return text
}

/**
 * The texts to print for a line: the line itself, or each match if matches are shown. Control characters are replaced
 * only on a terminal.
 */
function lineContents(
  { text, match, spans = [], replacements }: TextLine,
  { show }: MatchFormat,
  { colors: c, isTerminal }: CommandOutput,
): string[] {
  const clean = isTerminal ? printable : (part: string) => part
  const shown = spans.map(([start, end], at) =>
    c.bold(c.red(clean(replacements?.[at] ?? text.slice(start, end)))),
  )
  if (show === "matches" && match) return shown
  let written = ""
  let at = 0
  for (const [index, [start, end]] of spans.entries()) {
    written += clean(text.slice(at, start)) + shown[index]
    at = end
  }
  return [written + clean(text.slice(at))]
}
