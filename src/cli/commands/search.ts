import type { ContentKind, SearchMode, SearchRequest } from "../../app/answers.ts"
import { AmanError } from "../../base/errors.ts"
import { type Command, EXIT, type Flag, type Input } from "../command.ts"
import { percent } from "../numbers.ts"
import { choiceFlag, listFlag, numberFlag } from "../values.ts"
import { INDEX_FLAGS, remarkNotices, withProject } from "../with-project.ts"

const MODES: readonly SearchMode[] = ["hybrid", "keyword", "semantic"]
const CONTENTS: readonly ContentKind[] = ["code", "docs", "all"]
const DEFAULT_LIMIT = 10
const MOST_RESULTS = 1000

const FLAGS: readonly Flag[] = [
  { name: "limit", short: "n", value: "N", help: `At most this many files (default: ${DEFAULT_LIMIT})` },
  { name: "mode", value: "MODE", help: "hybrid, keyword or semantic (default: hybrid)" },
  { name: "lang", value: "LANGUAGE", multiple: true, help: "Only files of this language" },
  { name: "path", value: "PATH", multiple: true, help: "Only below this folder, or matching this glob" },
  { name: "kind", value: "KIND", multiple: true, help: "Only chunks that define a function, class, type, …" },
  { name: "content", value: "WHAT", help: "code, docs or all (default: all)" },
  { name: "explain", help: "Show how each score came about" },
  ...INDEX_FLAGS,
]

export const searchCommand: Command = {
  usage: "[flags] QUERY...",
  details: `A name, some words or a question. The index is made or refreshed first. Words after -- are the query
whatever they look like; - reads it from stdin. Exits with 1 where nothing was found. Inside a query
file:src/app lang:go kind:class sym:parseConfig "exact phrase" narrow down, -word and -file:test leave out.`,
  flags: FLAGS,
  examples: [
    { line: "aman search useEffect cleanup", note: "words" },
    { line: 'aman search "where are retries limited?" --content code', note: "a question" },
    { line: "aman search Parser --kind class,struct --path src --path 'lib/**/*.ts'", note: "a definition" },
    { line: `aman search 'retry file:net -file:test "back off"'`, note: "operators" },
    { line: "aman search --root ~/work/shop --json --limit 5 -- --dry-run", note: "for a program" },
    { line: "git log -1 --format=%s | aman search -", note: "the query from stdin" },
  ],
  async run(input) {
    const request = await toRequest(input)
    const { searchProject } = await import("../../app/search-project.ts")
    const options = { refresh: true, wait: true, signal: input.signal }
    const answer = await withProject(input, (project) => searchProject(project, request, options))
    if (input.flags.has("json")) {
      await input.output.json(answer)
    } else {
      const { renderResults } = await import("../render-results.ts")
      await input.output.write(await renderResults(answer, input.output))
      const { partial } = answer
      const unfinished = partial ? [`the index is not whole yet: ${percent(partial.share)} of the files`] : []
      remarkNotices(input, [...answer.notices, ...unfinished])
    }
    return answer.results.length > 0 ? EXIT.ok : EXIT.nothingFound
  },
}

async function toRequest(input: Input): Promise<SearchRequest> {
  const { flags } = input
  return {
    limit: numberFlag(flags, "limit", 1, MOST_RESULTS) ?? DEFAULT_LIMIT,
    mode: choiceFlag(flags, "mode", MODES) ?? "hybrid",
    content: choiceFlag(flags, "content", CONTENTS) ?? "all",
    paths: flags.all("path"),
    languages: listFlag(flags, "lang"),
    kinds: listFlag(flags, "kind"),
    explain: flags.has("explain"),
    query: await query(input),
  }
}

async function query({ words, signal }: Input): Promise<string> {
  const isPiped = words.length === 0 && process.stdin.isTTY !== true
  const text = words.join(" ") === "-" || isPiped ? await standardInput(signal) : words.join(" ")
  if (text.trim() !== "") return text.trim()
  throw new AmanError("USAGE", "nothing to search for", {
    hint: "for example: aman search where are retries limited",
  })
}

/** All of stdin; a person who typed - by mistake need not wait for its end. */
function standardInput(signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason))
    Bun.stdin.text().then(resolve, reject)
  })
}
