/*
 * The five questions about code. A project answers them (`projectSource`, and `ServedProject` in a server), several
 * repositories or roots together (repositories/several.ts), and a team's server (team/team-source.ts), whose node
 * serves them. A door holds a source and does not know which one it is.
 */

import type { ReadAnswer, SearchAnswer, SearchRequest } from "../base/index.ts"
import {
  type ContextBundle,
  type ContextRequest,
  loadContextProject,
  loadPassages,
  type MemoryHints,
} from "../context/index.ts"
import { type AnswerOptions, loadReadFile, type Project, type ReadRequest } from "../index/index.ts"
import {
  type GrepAnswer,
  type GrepCaller,
  type GrepQuestion,
  loadFirstAnswer,
  loadGrepThreads,
  shortened,
} from "../search/index.ts"
import { loadSymbolProject, type SymbolAnswer, type SymbolRequest } from "../symbols/index.ts"

/** Request and answer of each question. */
type Questions = {
  readonly search: readonly [SearchRequest, SearchAnswer]
  readonly context: readonly [ContextRequest, ContextBundle]
  readonly grep: readonly [GrepQuestion, GrepAnswer]
  readonly symbol: readonly [SymbolRequest, SymbolAnswer]
  readonly read: readonly [ReadRequest, ReadAnswer]
}

export type Verb = keyof Questions
export type RequestOf<V extends Verb> = Questions[V][0]
export type AnswerOf<V extends Verb> = Questions[V][1]

/** What a caller gives with a question, and what does not leave this process. */
export type Call = {
  readonly signal?: AbortSignal | undefined
  /** Collects memories for the context of a task; absent or null: none. */
  readonly memories?: MemoryHints | null | undefined
  /** Divides the time of one call among its text searches; absent: each has its own. */
  readonly caller?: GrepCaller | undefined
}

export type Source = {
  readonly [V in Verb]: (request: RequestOf<V>, call?: Call) => Promise<AnswerOf<V>>
}

/** Answers any of the questions. */
export type AskVerb = <V extends Verb>(verb: V, request: RequestOf<V>, call: Call) => Promise<AnswerOf<V>>

/** The source whose questions are all answered by one function. */
export function sourceOf(ask: AskVerb): Source {
  return {
    search: (request, call = {}) => ask("search", request, call),
    context: (request, call = {}) => ask("context", request, call),
    grep: (question, call = {}) => ask("grep", question, call),
    symbol: (request, call = {}) => ask("symbol", request, call),
    read: (request, call = {}) => ask("read", request, call),
  }
}

export type ProjectSourceOptions = AnswerOptions & {
  /** True for a person at a terminal, who waits for all results; an agent asks for the next page instead. */
  readonly isPatient?: boolean
  /** Notices for the hints of a context, such as why the index is not being updated. */
  readonly notices?: readonly string[]
  /** True: a word search over the files completes the answer of an unfinished index. */
  readonly completesIndex?: boolean
}

/** The questions asked of an open project. */
export function projectSource(project: Project, options: ProjectSourceOptions): Source {
  const { reindex, isPatient, notices, completesIndex = false } = options
  let { refresh } = options
  const answered = ({ signal = options.signal }: Call): AnswerOptions => ({
    ...{ refresh, signal },
    ...(reindex && { reindex }),
  })
  return {
    search: async (request, call = {}) => {
      const { searchInForm } = await loadPassages()
      const answer = await searchInForm(project, request, answered(call))
      // Several queries of one command are answered from one state of the index.
      refresh = false
      if (!completesIndex || answer.partial === null) return answer
      const { withWordSearch } = await loadFirstAnswer()
      return await withWordSearch(project, request, answer, answered(call).signal)
    },
    context: async (request, call = {}) => {
      const { contextOf } = await loadContextProject()
      const { memories = null } = call
      return await contextOf(project, request, { ...answered(call), memories, ...(notices && { notices }) })
    },
    grep: async (question, { signal = options.signal, caller } = {}) => {
      const { grepCaller, grepForServer } = await loadGrepThreads()
      return await grepForServer(project, question, caller ?? grepCaller(project, signal))
    },
    symbol: async (request, call = {}) => {
      const { symbolOf } = await loadSymbolProject()
      return await symbolOf(project, request, { ...answered(call), ...(isPatient && { isPatient }) })
    },
    read: async (request) => {
      const { readFile } = await loadReadFile()
      return await readFile(project, request)
    },
  }
}

/**
 * A source that answers from what is indexed and a search for words, for a project whose first index takes seconds; null
 * if the index is whole or soon built.
 */
export async function earlySource(project: Project, signal: AbortSignal): Promise<Source | null> {
  const { isIndexSlow } = await loadFirstAnswer()
  return isIndexSlow(project)
    ? projectSource(project, { refresh: false, signal, completesIndex: true })
    : null
}

/**
 * The answers to several queries, one after the other. What an earlier answer shows is named instead of shown again, and
 * the texts are cut to a budget of tokens, if there is one.
 */
export async function searchAll(
  source: Source,
  requests: readonly SearchRequest[],
  maxTokens: number | undefined,
  signal?: AbortSignal,
): Promise<SearchAnswer[]> {
  const answers: SearchAnswer[] = []
  for (const request of requests) {
    // Lets other clients' calls run in between: each query may take some hundred milliseconds.
    if (answers.length > 0) await new Promise(setImmediate)
    signal?.throwIfAborted()
    answers.push(await source.search(request, { signal }))
  }
  return shortened(answers, maxTokens)
}

/** The answer with further notices after its own; those of a context are hints. */
export function withNotices<T extends AnswerOf<Verb>>(answer: T, further: readonly string[]): T {
  if (further.length === 0) return answer
  if ("hints" in answer) return { ...answer, hints: [...answer.hints, ...further] }
  return { ...answer, notices: [...(answer.notices ?? []), ...further] }
}
