/*
 * `aman search`. Parses queries and flags, then searches the project, other repositories or a team's server. Prints
 * results for people, as JSON, or in the interactive picker; `--why-not` explains why a file is missing.
 */

import { join } from "node:path"
import type { ShjLanguageData, ShjToken } from "@speed-highlight/core/tokenize"
import { earlySource, projectSource, type Source, searchAll } from "../../../ask/index.ts"
import {
  AmanError,
  type Explanation,
  findProgram,
  isCompiled,
  type ResultPlace,
  type SearchAnswer,
  type SearchRequest,
  type SearchResult,
} from "../../../base/index.ts"
import { loadWithIndexRepair, openIndexFolder, type Project } from "../../../index/index.ts"
import { loadWhyNot, parseOperators, withNames, withoutSyntax } from "../../../search/index.ts"
import { LeaderLock } from "../../../store/index.ts"
import { SEARCH, searchRequest, textSearch } from "../../verbs/code.ts"
import { type Command, EXIT, type Flag, type Input } from "../command.ts"
import { asFilters, flagsOf, fromFlags, otherRepository, standardInput } from "../flags.ts"
import type { Colors, CommandOutput } from "../output.ts"
import { duration, percent, plural, printable, printableLine } from "../text.ts"
import {
  forTypedPaths,
  INDEX_FLAGS,
  remarkNotices,
  sourceIn,
  withProject,
  withSource,
} from "../with-project.ts"
import { printFound } from "./grep.ts"

/** With one of these flags the answer is not brief: results are printed with their whole text. */
const FULL = ["full", "json", "explain", "max-tokens"]

function isBrief({ flags }: Input): boolean {
  return !FULL.some((flag) => flags.has(flag))
}

const SEARCH_FLAGS: readonly Flag[] = [
  ...flagsOf(SEARCH),
  { name: "interactive", short: "i", help: "Type, see results and open one in $VISUAL or $EDITOR" },
  { name: "full", help: "Show the whole lines of each result, and further places in its file" },
  ...INDEX_FLAGS,
]

export const searchCommand: Command = {
  usage: "[flags] QUERY...",
  details: `QUERY is a name, some words or a question. The index is built or updated first; in a pipe, a large project's first
index is built in the background, and the answer says that it is partial. Everything after -- belongs to the query; - reads the query
from stdin. Exits with 1 if nothing is found. Operators in a query:
file:src/app lang:go kind:class sym:parseConfig "exact phrase" restrict the search, -word and -file:test exclude.
Text that looks pasted is searched as plain words: in a query of several lines or of more than 24 words no operator
applies, and "exact phrase" and -word do not apply in a sentence or in more than 12 words. With -e all apply in any query
of one line. An operator that leaves no result is ignored, and a note says so; flags such as --path always apply.`,
  flags: SEARCH_FLAGS,
  examples: [
    { line: "aman search useEffect cleanup", note: "words" },
    {
      line: 'aman search --names "maxRetries backoff" where are retries limited',
      note: "a question, and names that the code may use",
    },
    { line: "aman search Parser --kind class,struct --path src --path 'lib/**/*.ts'", note: "a definition" },
    { line: `aman search 'retry file:net -file:test "back off"'`, note: "operators" },
    { line: "aman search -e 'retry limits' -e 'where is back-off computed'", note: "two queries" },
    { line: "aman search -i retry", note: "type, look and open a result in the editor" },
    { line: "aman search --like src/net/retry.ts:40", note: "code similar to a line" },
    { line: "aman search --why-not src/net/retry.ts back off", note: "why a file is not found" },
    { line: "aman search --root ~/work/shop --json --limit 5 -- --dry-run", note: "for a program" },
    { line: "aman search --repository '*' --ext go retry back-off", note: "all other repositories" },
    { line: "aman search --team '*' retry back-off", note: "all of the team's repositories" },
    { line: "git log -1 --format=%s | aman search -", note: "the query from stdin" },
  ],
  async run(input) {
    const { mode, why_not: missingPath, max_tokens: maxTokens } = fromFlags(SEARCH, input.flags)
    if (mode === "exact" || mode === "regex") return printLines(input, mode)
    if (input.flags.has("interactive")) return interactive(input)
    const requests = await searchRequests(input)
    if (missingPath !== undefined) return explainAbsence(input, requests, missingPath)
    const answersOf = (source: Source) => searchAll(source, requests, maxTokens)
    const { answers, hasEarly } =
      otherRepository(input) === undefined
        ? await withProject(input, (project) => searchHere(input, project, requests, answersOf))
        : { answers: await answersOfOthers(input, answersOf), hasEarly: false }
    if (hasEarly) await input.output.write(`${input.output.colors.bold("# from the index")}\n\n`)
    if (input.flags.has("json")) await input.output.json(requests.length === 1 ? answers[0]! : { answers })
    else await print(answers, input, isBrief(input))
    return answers.some(({ results }) => results.length > 0) ? EXIT.ok : EXIT.nothingFound
  },
}

/** Flags that have no effect on a search for text. */
const RANKED_ONLY = "interactive why-not like names kind content explain rank-all max-tokens query"

/** Prints every line that matches a query of the mode exact or regex. */
async function printLines(input: Input, mode: "exact" | "regex"): Promise<number> {
  const asked = fromFlags(SEARCH, input.flags)
  const refused = RANKED_ONLY.split(" ").find((name) => input.flags.has(name))
  if (refused !== undefined)
    throw new AmanError("USAGE", `--${refused} cannot be combined with --mode ${mode}`)
  const [{ query } = { query: "" }] = await queries(input)
  return await printFound(input, { query, mode, ...textSearch(asked) }, asked)
}

const PICKER_LIMIT = 30

/** Lets a person choose a result and opens it in the editor; without an editor prints its place. */
async function interactive(input: Input): Promise<number> {
  const { flags, output, words, signal } = input
  if (process.stdin.isTTY !== true || !output.isTerminal || process.env["TERM"] === "dumb")
    throw new AmanError("USAGE", "--interactive needs a terminal", {
      hint: "leave it out in scripts and pipes",
    })
  const refused = ["json", "repository", "why-not", "like", "query"].find((flag) => flags.has(flag))
  if (refused !== undefined)
    throw new AmanError("USAGE", `--interactive cannot be combined with --${refused}`)
  const { editorCommand, firstShownLine, pickResult } = await import("./search-picker.ts")
  const { snapshotFor } = await loadWithIndexRepair()
  return withProject(input, async (project, progress) => {
    const base = searchRequest(fromFlags(SEARCH, flags))
    // The index is updated first, so that its progress bar has disappeared before the picker uses the screen.
    await snapshotFor(project, { refresh: true, signal })
    progress.done()
    const source = forTypedPaths(project, projectSource(project, { refresh: false, signal }))
    const limited = { ...base, limit: base.limit ?? PICKER_LIMIT }
    const search = async (query: string) => {
      const { results, took_ms } = await source.search({ ...limited, query, brief: true })
      return { results, status: `${plural(results.length, "file")}, ${duration(took_ms)}` }
    }
    const picked = await pickResult(words.join(" "), search, signal)
    if (picked === null) return INTERRUPTED
    if (picked === "none") return EXIT.nothingFound
    const path = join(project.root, picked.path)
    const command = editorCommand(process.env, path, firstShownLine(picked))
    if (command === null) {
      await output.write(`${printableLine(picked.path)}:${firstShownLine(picked)}\n`)
      return EXIT.ok
    }
    const program = findProgram(command[0]!)
    if (program === null) {
      throw new AmanError("NOT_FOUND", `the editor ${command[0]} is not on PATH outside of the project`, {
        hint: "set VISUAL or EDITOR to its absolute path",
      })
    }
    const child = Bun.spawn([program, ...command.slice(1)], {
      cwd: project.root,
      stdio: ["inherit", "inherit", "inherit"],
    })
    return (await child.exited) === 0 ? EXIT.ok : EXIT.failure
  })
}

/** Exit code that shells use for a program ended by Ctrl-C (128 + SIGINT). */
const INTERRUPTED = 130

/** Reports why a file is not in the answer to the query. */
async function explainAbsence(
  input: Input,
  requests: readonly SearchRequest[],
  path: string,
): Promise<number> {
  const [request, ...others] = requests
  if (request === undefined || others.length > 0 || otherRepository(input) !== undefined) {
    throw new AmanError("USAGE", "--why-not explains one query in this project", {
      hint: "leave out --repository, --team and all queries but one",
    })
  }
  const { whyNot, whyNotLines } = await loadWhyNot()
  const explained = await withProject(input, (project) => {
    const filtered = { ...request, paths: asFilters(project, request.paths) }
    const [wanted = path] = asFilters(project, [path])
    return whyNot(project, filtered, wanted, { refresh: true, signal: input.signal })
  })
  if (input.flags.has("json")) await input.output.json(explained)
  else await input.output.write(`${whyNotLines(explained).map(printableLine).join("\n")}\n`)
  return EXIT.ok
}

type AnswersOf = (source: Source) => Promise<SearchAnswer[]>

/**
 * The answers of the project. While its first index, which takes seconds, is to be built, a person sees what is found until
 * then, and a program gets it as the answer, which another process then makes the index for.
 */
async function searchHere(
  input: Input,
  project: Project,
  requests: readonly SearchRequest[],
  answersOf: AnswersOf,
): Promise<{ readonly answers: readonly SearchAnswer[]; readonly hasEarly: boolean }> {
  const { output, flags, signal } = input
  const [first, ...others] = requests
  const isShownEarly =
    output.isTerminal && first!.brief === true && others.length === 0 && !flags.has("quiet")
  const mayBeEarly = isShownEarly || !(output.isTerminal || fromFlags(SEARCH, flags).wait)
  const found = mayBeEarly ? await earlySource(project, signal) : null
  const early = found && forTypedPaths(project, found)
  const hasEarly = early !== null && isShownEarly && (await printEarly(output, early, first!))
  const soFar = early === null || isShownEarly ? null : await whileIndexing(project, () => answersOf(early))
  return { answers: soFar ?? (await answersOf(sourceIn(project, input))), hasEarly }
}

/** Time in ms between two questions to repositories that are being indexed, and without progress until --wait gives up. */
const [ASK_AGAIN_MS, STUCK_MS] = [1000, 60_000]

/** The answers of other repositories. With --wait those are waited for that are not indexed yet; progress is shown. */
async function answersOfOthers(input: Input, answersOf: AnswersOf): Promise<readonly SearchAnswer[]> {
  const ask = () => withSource(input, answersOf)
  if (!fromFlags(SEARCH, input.flags).wait) return await ask()
  for (let shown = "", since = performance.now(); ; await Bun.sleep(ASK_AGAIN_MS)) {
    input.signal.throwIfAborted()
    const answers = await ask().catch((error: unknown) => {
      if (error instanceof AmanError && error.code === "INDEX_MISSING") return error
      throw error
    })
    const isMissing = answers instanceof AmanError
    if (!isMissing && answers.every(({ partial }) => partial === null)) return answers
    const notices = isMissing ? [answers.message] : answers.flatMap((answer) => answer.notices)
    const state = [...new Set(notices)].filter((notice) => notice.includes("not indexed yet"))
    if (shown !== `${state}`) {
      remarkNotices(input, state)
      ;[shown, since] = [`${state}`, performance.now()]
    } else if (performance.now() - since > STUCK_MS) {
      if (isMissing) throw answers
      return answers
    }
  }
}

/** Prints what is found so far; false if that is nothing. */
async function printEarly(output: CommandOutput, source: Source, request: SearchRequest): Promise<boolean> {
  const answer = await source.search(request)
  if (answer.results.length === 0) return false
  const title = "# first answer, by words only, while the index is built (Ctrl-C to stop here)"
  await output.write(`${output.colors.bold(title)}\n\n${await renderResults(answer, output, true)}\n`)
  return true
}

/** Time in ms in which a process that cannot index the project usually ends. */
const FAILS_WITHIN_MS = 300

/** The result of `ask`, during which another process begins to index the project; null if that cannot be done. */
async function whileIndexing<T>(project: Project, ask: () => Promise<T>): Promise<T | null> {
  const indexing = indexBehind(project)
  const answers = await ask()
  const code = await Promise.race([indexing, Bun.sleep(FAILS_WITHIN_MS)])
  return code === undefined || code === EXIT.ok ? answers : null
}

/**
 * Starts `aman index` as a process that outlives this one, unless some process is indexing the project. Its exit code;
 * never, if none is started.
 */
function indexBehind({ root, indexPlace }: Project): Promise<number> {
  const isStarted = isCompiled() && LeaderLock.isHeld(() => openIndexFolder(indexPlace)) !== true
  if (!isStarted) return new Promise(() => {})
  const child = Bun.spawn([process.execPath, "index", "--quiet", "--root", root], {
    stdio: ["ignore", "ignore", "ignore"],
    detached: true,
    windowsHide: true,
  })
  child.unref()
  return child.exited
}

async function print(answers: readonly SearchAnswer[], input: Input, isBrief: boolean): Promise<void> {
  const { output } = input
  for (const answer of answers) {
    if (answers.length > 1)
      await output.write(`${output.colors.bold(`# ${printableLine(answer.query)}`)}\n\n`)
    await output.write(await renderResults(answer, output, isBrief))
    const { partial } = answer
    const parts = answer.repositories === undefined ? "files" : "repositories"
    const unfinished = partial
      ? [
          `the index is not whole yet: ${percent(partial.share)} of the ${parts}${parts === "files" ? "; it is being built, and --wait waits for it" : ""}`,
        ]
      : []
    remarkNotices(input, [...answer.notices, ...unfinished])
  }
}

async function searchRequests(input: Input): Promise<SearchRequest[]> {
  const request = { ...searchRequest(fromFlags(SEARCH, input.flags)), brief: isBrief(input) }
  return (await queries(input)).map((query) => ({ ...request, ...query }))
}

type Query = Pick<SearchRequest, "query" | "isTyped">

/** Queries from the words, then from -e; from stdin if both are missing. */
async function queries({ words, flags, signal }: Input): Promise<Query[]> {
  const given = flags.all("query").map((text) => text.trim())
  const isGiven = given.length > 0 || flags.has("like") || flags.has("names")
  const isPiped = words.length === 0 && !isGiven && process.stdin.isTTY !== true
  const typed = words.join(" ") === "-" || isPiped ? await standardInput(signal) : words.join(" ")
  const all = [
    { query: typed.trim(), isTyped: false },
    ...given.map((query) => ({ query, isTyped: true })),
  ].filter(({ query }) => query !== "")
  if (all.length > 0) return all
  if (flags.has("like") || flags.has("names")) return [{ query: "" }]
  throw new AmanError("USAGE", "no search query given", {
    hint: "for example: aman search where are retries limited",
  })
}

/**
 * Max lines of each result in a brief answer, so that five results fit on a screen. Up to three of them are the first lines of
 * other definitions in the file.
 */
const BRIEF_LINES = 6
/** Max characters of a line in a brief answer that is not on a terminal. */
const BRIEF_CHARACTERS = 300
// A tab is shown as spaces, because after a line number the tab stops of a terminal would indent unevenly.
const TAB = "    "

/**
 * Formats results for people: place and symbol, then the lines that match. If not brief, all lines of each
 * result and the further places in its file.
 */
export async function renderResults(
  answer: SearchAnswer,
  output: CommandOutput,
  isBrief: boolean,
): Promise<string> {
  const { colors: c } = output
  if (answer.results.length === 0) return output.isTerminal ? `${c.dim("Nothing found.")}\n` : ""
  const words = queryWords(answer)
  const blocks = await Promise.all(
    answer.results.map((result) => resultBlock(result, words, { output, isBrief })),
  )
  if (output.isTerminal) {
    const many = answer.results.length === 1 ? "1 file" : `${answer.results.length} files`
    const next = nextPageHint(answer, isBrief)
    blocks.push(c.dim(`${many}, ${answer.class} query, ${duration(answer.took_ms)}${next}\n`))
  }
  return blocks.join("\n")
}

/** How to get further results; "" after the last page. */
function nextPageHint({ next_offset }: SearchAnswer, isBrief: boolean): string {
  if (next_offset === null) return ""
  return isBrief ? "; more: -n 10, --full" : `; more: --offset ${next_offset}`
}

type RenderOptions = { readonly output: CommandOutput; readonly isBrief: boolean }

async function resultBlock(
  result: SearchResult,
  words: readonly string[],
  view: RenderOptions,
): Promise<string> {
  const { output, isBrief } = view
  const { colors: c } = output
  if (result.shown_for !== undefined) {
    return `${heading(result, c, { isBrief, firstLine: result.start_line })} ${c.dim(`shown for ${printableLine(result.shown_for)}`)}\n`
  }
  const text = printable(result.text)
  const safe = { ...result, text: output.isTerminal ? text.replaceAll("\t", TAB) : text }
  const { shown, further } = isBrief
    ? briefExcerpt(safe, words)
    : { shown: excerpt(safe, words, Number.POSITIVE_INFINITY), further: [] }
  const firstLine = shown[0]?.number ?? safe.start_line
  const lines = [heading(safe, c, { isBrief, firstLine }), ...(await codeRows(safe, shown, words, view))]
  for (const { text: line, start_line: number } of further) {
    const place = { ...safe, text: printable(line), start_line: number }
    lines.push(...(await codeRows(place, [{ number, text: line }], words, view)))
  }
  if (safe.cut) lines.push(c.dim(`cut to the token budget; use aman read for lines up to ${safe.end_line}`))
  if (safe.also.length > 0 && !isBrief)
    lines.push(`${c.dim("also")} ${safe.also.map((place) => shortPlace(place, c)).join(c.dim(", "))}`)
  if (safe.variants) lines.push(`${c.dim("variants")} ${safe.variants.map(printableLine).join(c.dim(", "))}`)
  if (safe.explanation) lines.push(explanationTable(safe.score, safe.explanation, c))
  return `${lines.join("\n")}\n`
}

/**
 * Heading of a result: its place and symbol. A brief answer names a single line, so that a terminal can open it: the
 * line of the definition, otherwise the first line shown.
 */
function heading(
  result: SearchResult,
  c: Colors,
  { isBrief, firstLine }: { readonly isBrief: boolean; readonly firstLine: number },
): string {
  const { repository, path, start_line, end_line, symbol, kind } = result
  const where = repository === undefined ? "" : `${c.cyan(printableLine(repository))} `
  const lines = isBrief ? `${result.line ?? firstLine}` : `${start_line}-${end_line}`
  const place = `${where}${c.magenta(printableLine(path))}${c.dim(":")}${c.green(lines)}`
  return symbol
    ? `${place}  ${c.bold(printableLine(symbol))} ${c.dim(`(${kind})`)}`
    : `${place}  ${c.dim(`(${kind})`)}`
}

async function codeRows(
  result: SearchResult,
  shown: readonly NumberedLine[],
  words: readonly string[],
  { output, isBrief }: RenderOptions,
): Promise<string[]> {
  const { colors: c } = output
  const coloured = await highlight(result, words, c)
  const width = String(result.end_line).length
  return shown.map(({ number }) => {
    const line = coloured[number - result.start_line] ?? ""
    return `${c.dim(`${String(number).padStart(width)} │`)} ${fitLine(line, width + " │ ".length, output, isBrief)}`
  })
}

/**
 * Cuts a line to the terminal's width, because the rest would wrap to the column of line numbers. Piped output is whole,
 * but for the lines of a brief answer.
 */
function fitLine(
  line: string,
  before: number,
  { isTerminal, columns }: CommandOutput,
  isBrief: boolean,
): string {
  if (!isTerminal && !isBrief) return line
  return Bun.sliceAnsi(line, 0, isTerminal ? Math.max(20, columns - before) : BRIEF_CHARACTERS, "…")
}

function shortPlace({ start_line, end_line, symbol }: ResultPlace, c: Colors): string {
  const lines = c.green(`${start_line}-${end_line}`)
  return symbol ? `${lines} ${printableLine(symbol)}` : lines
}

const DIGITS = 3

/** Table of ranks per channel and of every feature's contribution to the score. */
export function explanationTable(score: number, { channels, features, sum }: Explanation, c: Colors): string {
  const channelRanks = Object.entries(channels).map(([name, rank]) => `${name} #${rank}`)
  const cells = features.map(({ name, value, weight, contribution }) => [
    printableLine(name),
    value.toFixed(DIGITS),
    weight.toFixed(DIGITS),
    signedNumber(contribution),
  ])
  const rows = [["feature", "value", "weight", "share"], ...cells]
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]!.length)))
  const lines = rows.map(
    (row) => `  ${row.map((cell, column) => pad(cell, widths[column]!, column)).join("  ")}`,
  )
  const total = widths.reduce((all, width) => all + width, 3 * 2)
  return [
    `  ${c.dim("found by")} ${channelRanks.join(", ") || "no channel"}`,
    c.dim(lines[0]!),
    ...lines.slice(1),
    `  ${c.bold(`sum ${signedNumber(sum).padStart(total - 4)}`)}  ${c.dim(`score ${score.toFixed(DIGITS)}`)}`,
  ].join("\n")
}

function pad(cell: string, width: number, column: number): string {
  return column === 0 ? cell.padEnd(width) : cell.padStart(width)
}

function signedNumber(value: number): string {
  return `${value < 0 ? "-" : "+"}${Math.abs(value).toFixed(DIGITS)}`
}

type NumberedLine = { readonly number: number; readonly text: string }

// Value of an excerpt that contains the line which defines the symbol, in matching words. It is higher if that line is
// among the first TOP_LINES, because the body of the definition follows.
const SYMBOL_WEIGHT = 1.5
const SYMBOL_ON_TOP_WEIGHT = 2.5
const TOP_LINES = 4

/** What a brief answer shows of a result: an excerpt of its text, and the first lines of further definitions. */
export function briefExcerpt(result: SearchResult, words: readonly string[]) {
  const { passages: further = [] } = result
  return { shown: excerpt(result, words, BRIEF_LINES - further.length), further }
}

/** The `max` adjoining lines of a result that match most of the query; all if there are no more. */
export function excerpt(
  result: { readonly text: string; readonly start_line: number; readonly symbol: string | null },
  words: readonly string[],
  max: number,
): readonly NumberedLine[] {
  const lines = result.text.split("\n").map((text, index) => ({ number: result.start_line + index, text }))
  while (lines.length > 1 && lines.at(-1)!.text.trim() === "") lines.pop()
  if (lines.length <= max) return lines
  const start = bestStart(lines, words, result.symbol, max)
  return lines.slice(start, start + max)
}

function bestStart(
  lines: readonly NumberedLine[],
  words: readonly string[],
  symbol: string | null,
  max: number,
): number {
  const lower = lines.map(({ text }) => text.toLowerCase())
  const name = symbolPattern(symbol)
  const value = (start: number): number => {
    const window = lower.slice(start, start + max)
    // Counts distinct words, so that one repeated word does not hide the others.
    const matchingWords = words.filter((word) => window.some((line) => line.includes(word))).length
    const at = name ? window.findIndex((line) => name.test(line)) : -1
    const symbolWeight = at < TOP_LINES ? SYMBOL_ON_TOP_WEIGHT : SYMBOL_WEIGHT
    const symbolValue = at < 0 ? 0 : symbolWeight
    return matchingWords + symbolValue - (window[0]!.trim() === "" ? 0.5 : 0)
  }
  let best = 0
  for (let start = 1; start + max <= lines.length; start++) if (value(start) > value(best)) best = start
  return best
}

/** Pattern for the symbol's last name as a whole word: "rank" does not match "ranked". */
function symbolPattern(symbol: string | null): RegExp | null {
  const name = symbol
    ?.split(/[.:#]+/)
    .at(-1)
    ?.match(/[\p{L}\p{N}_$]+/u)?.[0]
    .toLowerCase()
  return name
    ? new RegExp(`(?<![\\p{L}\\p{N}_$])${name.replaceAll("$", "\\$")}(?![\\p{L}\\p{N}_$])`, "u")
    : null
}

/** Words of a query and of its guessed names to highlight, in lower case. */
export function queryWords({ query, names }: Pick<SearchAnswer, "query" | "names">): string[] {
  const text = withNames(withoutSyntax(parseOperators(query).text), names)
  const words = text.toLowerCase().match(/[\p{L}\p{N}_$]{2,}/gu) ?? []
  return [...new Set(words)].filter((word) => !COMMON.has(word))
}

const COMMON: ReadonlySet<string> = new Set(
  "an and are as at be by can do does for from get has have how if in into is it its not of on or that the their then there this to use used was what when where which who why will with".split(
    " ",
  ),
)

type CodeExcerpt = { readonly text: string; readonly language: string; readonly symbol: string | null }
type Style = (text: string) => string

/** The lines of a result, with syntax colours, its symbol and the query's words highlighted. */
export async function highlight(result: CodeExcerpt, words: readonly string[], c: Colors): Promise<string[]> {
  if (!c.isColorSupported) return result.text.split("\n")
  const { tokenizeWith } = await import("@speed-highlight/core/tokenize")
  const grammar = await highlightGrammar(result.language)
  const lines = new HighlightedLines(highlightPattern(result, words), c)
  if (grammar) tokenizeWith(result.text, grammar, (text, token) => lines.add(text, token))
  else lines.add(result.text)
  return lines.all
}

/** Collects coloured lines; a token that spans lines is split, because each line needs its own colours. */
class HighlightedLines {
  readonly all: string[] = [""]
  readonly #pattern: RegExp | null
  readonly #colors: Colors

  constructor(pattern: RegExp | null, colors: Colors) {
    this.#pattern = pattern
    this.#colors = colors
  }

  add(text: string, token?: ShjToken): void {
    const style = styleOf(token, this.#colors)
    text.split("\n").forEach((part, index) => {
      if (index > 0) this.all.push("")
      if (part !== "") this.all[this.all.length - 1] += this.#emphasised(part, style)
    })
  }

  #emphasised(text: string, style: Style): string {
    if (!this.#pattern) return style(text)
    const { bold, underline } = this.#colors
    return style(text.replace(this.#pattern, (word) => bold(underline(word))))
  }
}

function styleOf(token: ShjToken | undefined, c: Colors): Style {
  switch (token) {
    case "kwd":
      return c.magenta
    case "str":
    case "insert":
      return c.green
    case "cmnt":
      return c.gray
    case "num":
    case "bool":
    case "esc":
      return c.yellow
    case "func":
    case "section":
      return c.blue
    case "class":
    case "type":
      return c.cyan
    case "deleted":
    case "err":
      return c.red
    default:
      return (text) => text
  }
}

/** Pattern for the words of a query and the symbol of a result; null if there are none. */
export function highlightPattern(
  { symbol }: Pick<SearchResult, "symbol">,
  words: readonly string[],
): RegExp | null {
  const name = symbol?.split(/[.:#]+/).at(-1)
  // The longest words come first, otherwise "use" would match before "useEffect".
  const all = [...words, ...(name ? [name] : [])].sort((a, b) => b.length - a.length)
  return all.length === 0 ? null : new RegExp(all.map(escapePattern).join("|"), "giu")
}

function escapePattern(word: string): string {
  return word.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")
}

// The package types its exports as plain objects, wider than its own grammar type.
type LoadGrammar = () => Promise<{ readonly default: unknown }>

const C: LoadGrammar = () => import("@speed-highlight/core/languages/c.js")
const JAVA: LoadGrammar = () => import("@speed-highlight/core/languages/java.js")
const SCRIPT: LoadGrammar = () => import("@speed-highlight/core/languages/js.js")
const TYPED: LoadGrammar = () => import("@speed-highlight/core/languages/ts.js")
const PYTHON: LoadGrammar = () => import("@speed-highlight/core/languages/py.js")
const SHELL: LoadGrammar = () => import("@speed-highlight/core/languages/bash.js")
const MARKUP: LoadGrammar = () => import("@speed-highlight/core/languages/html.js")

// Languages without a grammar of their own use that of a related language, which highlights comments, strings, calls
// and most keywords correctly.
const GRAMMARS: ReadonlyMap<string, LoadGrammar> = new Map<string, LoadGrammar>([
  ["bash", SHELL],
  ["fish", SHELL],
  ["c", C],
  ["cpp", C],
  ["objective-c", C],
  ["shader", C],
  ["csharp", JAVA],
  ["dart", JAVA],
  ["groovy", JAVA],
  ["java", JAVA],
  ["kotlin", JAVA],
  ["scala", JAVA],
  ["solidity", TYPED],
  ["swift", TYPED],
  ["typescript", TYPED],
  ["tsx", TYPED],
  ["javascript", SCRIPT],
  ["php", SCRIPT],
  ["python", PYTHON],
  ["ruby", PYTHON],
  ["elixir", PYTHON],
  ["julia", PYTHON],
  ["nim", PYTHON],
  ["zig", () => import("@speed-highlight/core/languages/rs.js")],
  ["rust", () => import("@speed-highlight/core/languages/rs.js")],
  ["go", () => import("@speed-highlight/core/languages/go.js")],
  ["lua", () => import("@speed-highlight/core/languages/lua.js")],
  ["perl", () => import("@speed-highlight/core/languages/pl.js")],
  ["sql", () => import("@speed-highlight/core/languages/sql.js")],
  ["css", () => import("@speed-highlight/core/languages/css.js")],
  ["scss", () => import("@speed-highlight/core/languages/css.js")],
  ["html", MARKUP],
  ["vue", MARKUP],
  ["svelte", MARKUP],
  ["astro", MARKUP],
  ["xml", () => import("@speed-highlight/core/languages/xml.js")],
  ["markdown", () => import("@speed-highlight/core/languages/md.js")],
  ["json", () => import("@speed-highlight/core/languages/json.js")],
  ["yaml", () => import("@speed-highlight/core/languages/yaml.js")],
  ["toml", () => import("@speed-highlight/core/languages/toml.js")],
  ["ini", () => import("@speed-highlight/core/languages/ini.js")],
  ["diff", () => import("@speed-highlight/core/languages/diff.js")],
  ["dockerfile", () => import("@speed-highlight/core/languages/docker.js")],
  ["makefile", () => import("@speed-highlight/core/languages/make.js")],
  ["assembly", () => import("@speed-highlight/core/languages/asm.js")],
])

/** The highlighter's grammar for a language id; undefined if it is shown without syntax colours. */
export async function highlightGrammar(language: string): Promise<ShjLanguageData | undefined> {
  return (await GRAMMARS.get(language)?.())?.default as ShjLanguageData | undefined
}
