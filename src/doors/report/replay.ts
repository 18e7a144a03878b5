import { projectSource } from "../../ask/index.ts"
import { type Project, recentCommits } from "../../index/index.ts"
import { loadGrepProject } from "../../search/index.ts"
import { contentWords, countTokens } from "../../text/index.ts"
import { pageTokens, searchText } from "../mcp/tools/search.ts"

/** A past commit, and what two ways print until every file that it changed is named. */
type ReplayedCommit = { subject: string; files: readonly string[]; aman: Cost; ripgrep: Cost }

/** What one call prints, and the files that it names. */
export type Step = { readonly text: string; readonly paths: readonly string[] }
type Way = AsyncIterable<Step> | readonly Step[]

/** Calls, and tokens that they print, until the last file is named or the way ends; number of the files that are named. */
export type Cost = { readonly calls: number; readonly tokens: number; readonly named: number }

/** `left_out`: number of commits that were not replayed, because the time was over. */
export type Replay = { readonly commits: readonly ReplayedCommit[]; readonly left_out: number }

type Task = { project: Project; query: string; files: readonly string[]; signal: AbortSignal }

const COMMITS = 20
/** A way ends after this many tokens: no model reads more to find its files. */
const MAX_TOKENS = 20_000

/**
 * Replays the last commits on today's files: the subject of the commit is the question. The past commits that the index
 * knows do not count, because the one that is replayed is among them. None begins after `endsAt`.
 */
export async function replayCommits(project: Project, endsAt: number, signal: AbortSignal): Promise<Replay> {
  const wanted = (await recentCommits(project.root, project.reader()!.store, 10 * COMMITS))
    .filter(({ subject }) => contentWords(subject, 1).length > 0)
    .slice(0, COMMITS)
  const commits: ReplayedCommit[] = []
  for (const { subject, paths: files } of wanted) {
    signal.throwIfAborted()
    if (performance.now() > endsAt) break
    const task = { project, query: subject, files, signal }
    const aman = await costOf(amanPages(task), files)
    commits.push({ subject, files, aman, ripgrep: await ripgrepCost(task) })
  }
  return { commits, left_out: wanted.length - commits.length }
}

/** Follows a way to the files until it has named all of them, ends, or has printed MAX_TOKENS; the last call counts as a whole. */
export async function costOf(way: Way, files: readonly string[]): Promise<Cost> {
  const left = new Set(files)
  let [calls, tokens] = [0, 0]
  for await (const { text, paths } of way) {
    calls++
    tokens += countTokens(text)
    for (const path of paths) left.delete(path)
    if (left.size === 0 || tokens >= MAX_TOKENS) break
  }
  return { calls, tokens, named: files.length - left.size }
}

/** The pages of the tool `search` as an agent gets them. */
async function* amanPages({ project, query, signal }: Task): AsyncGenerator<Step> {
  const source = projectSource(project, { refresh: false, signal })
  for (let offset: number | null = 0; offset !== null; ) {
    const answer = await source.search({
      ...{ query, isPlain: true, limit: 10, offset, passageTokens: pageTokens(offset), ignoresCommits: true },
      ...{ mode: "hybrid", content: "all", paths: [], languages: [], kinds: [], explain: false },
    })
    yield { text: searchText(answer), paths: answer.results.map(({ path }) => path) }
    offset = answer.next_offset
  }
}

/**
 * What `rg -n -i` prints for the words of the question, cut to a few short lines of each file, and with the files that have
 * the most different words first. Both are better than ripgrep does, whose order is that of paths.
 */
export async function ripgrepCost({ project, query, files, signal }: Task): Promise<Cost> {
  const { grepProject } = await loadGrepProject()
  const words = contentWords(query, 12)
  const found: (Step & { words: number; count: number })[] = []
  const request = {
    ...{ pattern: words.map((word) => RegExp.escape(word)).join("|"), mode: "regex" as const },
    ...{ ignoreCase: true, wholeWord: false, invert: false, withSpans: false, before: 0, after: 0 },
    ...{ paths: [], globs: [], languages: [], maxCount: 200, timeoutMs: 10_000 },
  }
  if (words.length > 0)
    for await (const { path, count, lines } of grepProject(project, request, signal)) {
      const all = lines()
      const text = all.map((line) => line.text.toLowerCase()).join("\n")
      const shown = all.slice(0, 5).map((line) => `${line.line}:${line.text.slice(0, 200)}`)
      const matched = words.filter((word) => text.includes(word)).length
      found.push({ paths: [path], count, words: matched, text: [path, ...shown].join("\n") })
    }
  return costOf(
    found.sort((a, b) => b.words - a.words || b.count - a.count),
    files,
  )
}
