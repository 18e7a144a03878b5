/*
 * `aman search`. Parses queries and flags, then searches the project, other repositories or a team's server. Prints
 * results for people, as JSON, or in the interactive picker; `--why-not` explains why a file is missing.
 */

import { join } from "node:path"
import type { SearchAnswer, SearchRequest } from "../../../app/answers.ts"
import type { Project } from "../../../app/project/open-project.ts"
import { cutAllToBudget } from "../../../app/search/token-budget.ts"
import { withoutRepeats } from "../../../app/search/why-empty.ts"
import { BRIEF_LIMIT, projectSource, type Source } from "../../../app/source.ts"
import { AmanError } from "../../../base/errors.ts"
import { findProgram } from "../../../base/process/programs.ts"
import { SEARCH, searchRequest } from "../../../verbs/code.ts"
import { type Command, EXIT, type Flag, type Input } from "../../command.ts"
import { flagsOf, fromFlags } from "../../flags/flags.ts"
import { otherRepository } from "../../flags/other-repository.ts"
import { asFilters } from "../../flags/project-paths.ts"
import { standardInput } from "../../flags/standard-input.ts"
import { duration, percent, plural } from "../../render/numbers.ts"
import { printableLine } from "../../render/printable.ts"
import { INDEX_FLAGS, remarkNotices, sourceIn, withProject, withSource } from "../../with-project.ts"

/** With one of these flags the answer is not brief: results are printed with their whole text. */
const FULL = ["full", "json", "explain", "max-tokens"]

const FLAGS: readonly Flag[] = [
  ...flagsOf(SEARCH),
  { name: "interactive", short: "i", help: "Type, see results and open one in $VISUAL or $EDITOR" },
  { name: "full", help: "Show the whole lines of each result, and further places in its file" },
  ...INDEX_FLAGS,
]

export const searchCommand: Command = {
  usage: "[flags] QUERY...",
  details: `QUERY is a name, some words or a question. The index is built or updated first. Everything after -- belongs
to the query; - reads the query from stdin. Exits with 1 if nothing is found. Operators in a query:
file:src/app lang:go kind:class sym:parseConfig "exact phrase" restrict the search, -word and -file:test exclude.
Text that looks pasted is searched as plain words: in a query of several lines or of more than 24 words no operator
applies, and "exact phrase" and -word do not apply in a sentence or in more than 12 words. With -e all apply in any query
of one line. An operator that leaves no result is ignored, and a note says so; flags such as --path always apply.`,
  flags: FLAGS,
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
    if (input.flags.has("interactive")) return interactive(input)
    const requests = await searchRequests(input)
    await checkLanguages(requests[0]!)
    const { why_not: missingPath, max_tokens: maxTokens } = fromFlags(SEARCH, input.flags)
    if (missingPath !== undefined) return explainAbsence(input, requests, missingPath)
    const isBrief = !FULL.some((flag) => input.flags.has(flag))
    const asked = requests.map((request) => ({ ...request, brief: isBrief }))
    let hasEarly = false
    const searched =
      otherRepository(input) === undefined
        ? await withProject(input, async (project) => {
            hasEarly = isBrief && (await printEarly(input, project, requests))
            return searchAll(sourceIn(project, input), asked)
          })
        : await withSource(input, (source) => searchAll(source, asked))
    const distinct = requests.length === 1 ? searched : withoutRepeats(searched)
    const answers = maxTokens === undefined ? distinct : cutAllToBudget(distinct, maxTokens)
    if (hasEarly) await input.output.write(`${input.output.colors.bold("# from the index")}\n\n`)
    if (input.flags.has("json")) await input.output.json(requests.length === 1 ? answers[0]! : { answers })
    else await print(answers, input, isBrief)
    return answers.some(({ results }) => results.length > 0) ? EXIT.ok : EXIT.nothingFound
  },
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
  const { editorCommand, firstShownLine, pickResult } = await import("../../search-picker.ts")
  const { snapshotFor } = await import("../../../app/index/with-index-repair.ts")
  return withProject(input, async (project, progress) => {
    const base = searchRequest(fromFlags(SEARCH, flags))
    // The index is updated first, so that its progress bar has disappeared before the picker uses the screen.
    await snapshotFor(project, { refresh: true, signal })
    progress.done()
    const source = projectSource(project, { refresh: false, signal })
    const limited = { ...base, limit: base.limit ?? PICKER_LIMIT, paths: asFilters(project, base.paths) }
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
  if (
    request === undefined ||
    others.length > 0 ||
    input.flags.has("repository") ||
    input.flags.has("team")
  ) {
    throw new AmanError("USAGE", "--why-not explains one query in this project", {
      hint: "leave out --repository, --team and all queries but one",
    })
  }
  const { whyNot, whyNotLines } = await import("../../../app/search/why-not.ts")
  const explained = await withProject(input, (project) => {
    const filtered = { ...request, paths: asFilters(project, request.paths) }
    const [wanted = path] = asFilters(project, [path])
    return whyNot(project, filtered, wanted, { refresh: true, signal: input.signal })
  })
  if (input.flags.has("json")) await input.output.json(explained)
  else await input.output.write(`${whyNotLines(explained).map(printableLine).join("\n")}\n`)
  return EXIT.ok
}

/**
 * On a terminal, prints what a word search finds while the first index of a large project is still to be built; returns
 * false if there is nothing to print. Programs that read the output wait for the index.
 */
async function printEarly(
  input: Input,
  project: Project,
  [request, ...others]: readonly SearchRequest[],
): Promise<boolean> {
  const { output, signal } = input
  if (!output.isTerminal || request === undefined || others.length > 0 || input.flags.has("quiet"))
    return false
  const { earlyAnswer } = await import("../../../app/search/first-answer.ts")
  const limit = request.limit ?? Math.min(BRIEF_LIMIT, project.config.search.limit)
  const answer = await earlyAnswer(
    project,
    { ...request, limit, paths: asFilters(project, request.paths) },
    signal,
  )
  if (answer === null) return false
  const { renderResults } = await import("../../render/render-results.ts")
  await output.write(
    `${output.colors.bold("# first answer, by words only, while the index is built (Ctrl-C to stop here)")}\n\n`,
  )
  await output.write(`${await renderResults(answer, output, true)}\n`)
  return true
}

/** Answers all queries, one after the other. */
async function searchAll(source: Source, requests: readonly SearchRequest[]): Promise<SearchAnswer[]> {
  const answers: SearchAnswer[] = []
  for (const request of requests) answers.push(await source.search(request))
  return answers
}

async function print(answers: readonly SearchAnswer[], input: Input, isBrief: boolean): Promise<void> {
  const { renderResults } = await import("../../render/render-results.ts")
  const { output } = input
  for (const answer of answers) {
    if (answers.length > 1)
      await output.write(`${output.colors.bold(`# ${printableLine(answer.query)}`)}\n\n`)
    await output.write(await renderResults(answer, output, isBrief))
    const { partial } = answer
    const parts = answer.repositories === undefined ? "files" : "repositories"
    const unfinished = partial
      ? [`the index is not whole yet: ${percent(partial.share)} of the ${parts}`]
      : []
    remarkNotices(input, [...answer.notices, ...unfinished])
  }
}

async function searchRequests(input: Input): Promise<SearchRequest[]> {
  const request = searchRequest(fromFlags(SEARCH, input.flags))
  return (await queries(input)).map((query) => ({ ...request, ...query }))
}

/** Throws USAGE for an unknown language, before an index is built. */
async function checkLanguages({ languages }: SearchRequest): Promise<void> {
  if (languages.length === 0) return
  const { refreshGrammarPacks } = await import("../../../code/languages/languages.ts")
  const { languageId } = await import("../../../search/query/filter.ts")
  refreshGrammarPacks()
  for (const name of languages) languageId(name)
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
