import { projectSource } from "../../ask/index.ts"
import { type Project, recentCommits } from "../../index/index.ts"
import { loadGrepProject } from "../../search/index.ts"
import { contentWords, countTokens } from "../../text/index.ts"
import { DEFAULT_TOKENS, searchText } from "../mcp/tools/search.ts"

/** A past commit, and what two ways print until every file that it changed is named. */
type ReplayedCommit = { subject: string; files: readonly string[]; aman: Cost; ripgrep: Cost }

/** Tokens that are printed until the last file is named, or until the way ends; number of the files that are named. */
export type Cost = { readonly tokens: number; readonly named: number }

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
    commits.push({ subject, files, aman: await amanCost(task), ripgrep: await ripgrepCost(task) })
  }
  return { commits, left_out: wanted.length - commits.length }
}

/** The pages of the tool `search` as an agent gets them; the last page counts as a whole. */
async function amanCost({ project, query, files, signal }: Task): Promise<Cost> {
  const source = projectSource(project, { refresh: false, signal })
  const left = new Set(files)
  let tokens = 0
  for (let offset: number | null = 0; offset !== null && left.size > 0 && tokens < MAX_TOKENS; ) {
    const answer = await source.search({
      ...{ query, isPlain: true, limit: 10, offset, passageTokens: DEFAULT_TOKENS, ignoresCommits: true },
      ...{ mode: "hybrid", content: "all", paths: [], languages: [], kinds: [], explain: false },
    })
    tokens += countTokens(searchText(answer))
    for (const { path } of answer.results) left.delete(path)
    offset = answer.next_offset
  }
  return { tokens, named: files.length - left.size }
}

/**
 * What `rg -n -i` prints for the words of the question, cut to a few short lines of each file, and with the files that have
 * the most different words first. Both are better than ripgrep does, whose order is that of paths.
 */
export async function ripgrepCost({ project, query, files, signal }: Task): Promise<Cost> {
  const { grepProject } = await loadGrepProject()
  const words = contentWords(query, 12)
  const found: { path: string; words: number; count: number; text: string }[] = []
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
      found.push({ path, count, words: matched, text: [path, ...shown].join("\n") })
    }
  const left = new Set(files)
  let tokens = 0
  for (const { path, text } of found.sort((a, b) => b.words - a.words || b.count - a.count)) {
    if (left.size === 0 || tokens > MAX_TOKENS) break
    tokens += countTokens(text)
    left.delete(path)
  }
  return { tokens, named: files.length - left.size }
}
