/*
 * The context for a task while the first index is being built: what the index finds, and the lines with the words of the
 * task in files that are not indexed yet (search/answer/first-answer.ts). Both share the token budget by their share of the
 * files.
 */

import type { SearchAnswer, SearchResult } from "../base/index.ts"
import { withNames } from "../search/index.ts"
import { type CountTokens, loadTokenizer } from "../text/index.ts"
import { assemble, bundleSummary, type LocateResult } from "./assemble.ts"
import {
  bundleTokens,
  CONTEXT_LIMITS,
  type ContextBundle,
  type ContextFile,
  type ContextRequest,
  fitBundle,
} from "./bundle.ts"
import type { MemoryHints } from "./memories.ts"
import { QueryWords } from "./task-terms.ts"

/**
 * The context for a task while the index is being built. `indexed` is the answer of the index; `early` the same completed by a search for words, whose results have the kind
 * "text".
 */
export async function assembleUnfinished(
  { indexed, early }: { readonly indexed: SearchAnswer; readonly early: SearchAnswer },
  places: LocateResult,
  request: ContextRequest,
  memories: MemoryHints | null,
): Promise<ContextBundle> {
  const paths = early.results.map(({ path }) => path)
  const scanned = early.results.filter(({ kind }) => kind === "text")
  if (scanned.length === 0) return assemble(indexed, places, request, memories)
  const results = indexed.nearest_only ? [] : indexed.results
  const share = early.partial?.share ?? 0
  const bundle = await assemble(
    { ...early, results: results.filter(({ path }) => paths.includes(path)) },
    places,
    { ...request, maxTokens: Math.max(CONTEXT_LIMITS.tokens.min, Math.floor(request.maxTokens * share)) },
    memories,
  )
  return withScanned(bundle, scanned, paths, request, await loadTokenizer())
}

/** Adds the files that only the search for words has found, as far as the budget lasts, and orders all files by `paths`. */
function withScanned(
  { files: found, hints, tokens: used }: ContextBundle,
  scanned: readonly SearchResult[],
  paths: readonly string[],
  { query, names, maxTokens, maxFiles = Number.POSITIVE_INFINITY }: ContextRequest,
  count: CountTokens,
): ContextBundle {
  const words = new QueryWords(withNames(query, names))
  const files = [...found]
  let left = maxTokens - used
  for (const result of scanned) {
    const file = scannedFile(result, words)
    left -= bundleTokens({ summary: "", files: [file], hints: [] }, count)
    if (left < 0) break
    files.push(file)
  }
  const at = (file: ContextFile) => paths.indexOf(file.path)
  const shown = files.sort((one, other) => at(one) - at(other)).slice(0, maxFiles)
  return fitBundle(
    { summary: bundleSummary(shown), files: shown, hints, tokens: maxTokens },
    maxTokens,
    count,
  )
}

function scannedFile({ path, text, start_line, end_line }: SearchResult, words: QueryWords): ContextFile {
  const why = `${words.why(text, null)}; not indexed yet`
  return { path, snippets: [{ text, lines: `${start_line}-${end_line}`, why }] }
}
