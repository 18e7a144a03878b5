import { CHARACTERS_PER_TOKEN } from "../../text/token-count.ts"
import { type GrepAnswer, type GrepQuestion, type GrepResult, grepAnswer } from "../grep-answer.ts"
import { chooseRepositories } from "./choose.ts"
import type { Configured } from "./configured.ts"
import type { OpenClone } from "./search.ts"

/** Text or a regular expression in the files of other repositories as they are, one repository after the other. */
export async function grepRepositories(
  configured: Configured,
  wanted: string,
  question: GrepQuestion,
  open: OpenClone,
  signal?: AbortSignal,
): Promise<GrepAnswer> {
  const started = performance.now()
  const results: GrepResult[] = []
  const notices: string[] = [...configured.problems]
  const sums = { files: 0, matches: 0, searched: 0 }
  let tokens = question.tokens
  for (const repository of chooseRepositories(configured, wanted)) {
    const project = open(repository)
    if (project === null) {
      notices.push(`${repository.name} has not been cloned yet; run: aman repos sync`)
      continue
    }
    // What was shown and passed over so far counts; with no room left it still counts what there is.
    const offset = Math.max(0, question.offset - sums.files)
    const limit = question.limit - results.length
    const answer = await grepAnswer(
      project,
      { ...question, offset, limit, tokens: Math.max(0, tokens) },
      signal,
    )
    const found: readonly GrepResult[] = answer.results
    results.push(...found.map((result) => ({ repository: repository.name, ...result })))
    notices.push(...answer.notices.map((notice) => `${repository.name}: ${notice}`))
    for (const name of ["files", "matches", "searched"] as const) sums[name] += answer[name]
    tokens -= answer.results.reduce((sum, { text }) => sum + text.length, 0) / CHARACTERS_PER_TOKEN
  }
  const { query, mode, offset } = question
  const next = offset + results.length
  return {
    ...{ query, class: mode, results, ...sums, offset },
    next_offset: next < sums.files && results.length > 0 ? next : null,
    partial: null,
    took_ms: Math.round((performance.now() - started) * 100) / 100,
    notices,
  }
}
