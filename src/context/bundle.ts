import type { ResultCommit } from "../base/index.ts"
import { type CountTokens, DATA_NOTICE, fenced, inline, loadTokenizer } from "../text/index.ts"

/** A task and the number of tokens that the answer may have. */
export type ContextRequest = {
  /** The task in plain words, with names; empty: an overview of the project. */
  readonly query: string
  /** See SearchRequest. */
  readonly names?: readonly string[] | undefined
  /** Token budget of the whole answer. */
  readonly maxTokens: number
  /** True: in a small project, the answer ends where further code is unlikely to be changed. Absent: it is filled. */
  readonly endsEarly?: boolean | undefined
  /** Max files; absent: as many with code as the budget allows, and further ones by name. */
  readonly maxFiles?: number | undefined
  /** Path prefixes or globs, one of which must match; empty: everything. */
  readonly paths: readonly string[]
  /** Include callers, callees and latest commits of the code. */
  readonly related: boolean
  readonly tests: boolean
  readonly memories: boolean
}

/** `usual` tokens: of the questions about applications, more tokens name no further right file; docs/benchmarks.md. */
export const CONTEXT_LIMITS = {
  tokens: { min: 500, max: 100_000, usual: 3000 },
  files: { max: 50, usual: 5 },
} as const

/** Adjacent lines of one file, or lines about a definition: its callers, callees, tests and commits. */
export type ContextSnippet = {
  readonly text: string
  /** "10-40", 1-based and inclusive: the lines of the text, or of the definition that it is about. */
  readonly lines: string
  /** Why the snippet is shown. */
  readonly why: string
}

export type ContextFile = {
  /** Name of the other repository with this file; absent for the project's own files. */
  readonly repository?: string
  readonly path: string
  readonly snippets: readonly ContextSnippet[]
}

export type ContextBundle = {
  readonly summary: string
  /** Best first. */
  readonly files: readonly ContextFile[]
  /** Other repositories with these files, and their indexed commits; absent for the project's own files. */
  readonly commits?: readonly ResultCommit[]
  /** Memories, notices about omitted content and how to get it, and other notices. */
  readonly hints: readonly string[]
  /** Token count of what is printed, the text that agents get or JSON; never above the budget. */
  readonly tokens: number
}

/** Number of characters of a commit id in the text; JSON has all. */
const SHORT_COMMIT = 12

/** The answer as Markdown text for a model. */
export function contextText({ summary, files, commits = [], hints }: Omit<ContextBundle, "tokens">): string {
  const named = files.filter(({ snippets }) => snippets.length === 0).map(fileName)
  const parts = [
    `${summary} ${DATA_NOTICE}`,
    ...files.filter(({ snippets }) => snippets.length > 0).map(fileText),
    ...(named.length === 0 ? [] : [`Other files: ${named.join(", ")}`]),
    ...(commits.length === 0 ? [] : [`Commits: ${commits.map(commitText).join(", ")}`]),
    ...(hints.length === 0 ? [] : [hints.map((hint) => `- ${inline(hint)}`).join("\n")]),
  ]
  return `${parts.join("\n\n")}\n`
}

/** Token count of the answer as text. */
export function bundleTokens(bundle: Omit<ContextBundle, "tokens">, count: CountTokens): number {
  return count(contextText(bundle))
}

/** Number of tokens that a snippet adds to the answer. */
export function snippetTokens(snippet: ContextSnippet, count: CountTokens): number {
  return count(`\n${snippetText(snippet)}`) + 1
}

/** Number of tokens that a file adds before its first snippet, or as a name. */
export function fileTokens(file: Omit<ContextFile, "snippets">, count: CountTokens): number {
  return count(`, ${fileName(file)}`) + 1
}

/** The bundle with the tokens of what is printed; above the budget, hints are dropped from the end, then pieces. */
export function fitBundle(
  bundle: ContextBundle,
  max: number,
  count: CountTokens,
  print: (bundle: ContextBundle) => string = contextText,
): ContextBundle {
  const tokens = count(print(bundle))
  if (tokens <= max) return { ...bundle, tokens }
  const { hints, files } = bundle
  if (hints.length > 0) return fitBundle({ ...bundle, hints: hints.slice(0, -1) }, max, count, print)
  const last = files.at(-1)
  if (last === undefined) return { ...bundle, tokens }
  const snippets = last.snippets.slice(0, -1)
  const lastFile = snippets.length === 0 ? [] : [{ ...last, snippets }]
  return fitBundle({ ...bundle, files: [...files.slice(0, -1), ...lastFile] }, max, count, print)
}

/**
 * The answer whose printed form, such as JSON, is within the budget. Asked once more for less if the first has more tokens.
 */
export async function printedWithin(
  request: ContextRequest,
  ask: (request: ContextRequest) => Promise<ContextBundle>,
  print: (bundle: ContextBundle) => string,
): Promise<ContextBundle> {
  const { maxTokens } = request
  const [count, whole] = await Promise.all([loadTokenizer(), ask(request)])
  const over = count(print(whole)) / maxTokens
  const smaller = Math.max(CONTEXT_LIMITS.tokens.min, Math.floor(whole.tokens / over))
  const bundle = over > 1 ? await ask({ ...request, maxTokens: smaller }) : whole
  const fitting = fitBundle({ ...bundle, tokens: maxTokens }, maxTokens, count, print)
  return { ...fitting, tokens: count(print(fitting)) }
}

function fileText(file: ContextFile): string {
  return [`## ${fileName(file)}`, ...file.snippets.map(snippetText)].join("\n")
}

function commitText({ repository, commit }: ResultCommit): string {
  return `${inline(repository)} ${commit?.slice(0, SHORT_COMMIT) ?? "unknown"}`
}

export function fileName({ repository, path }: Omit<ContextFile, "snippets">): string {
  return repository === undefined ? inline(path) : `${inline(repository)} ${inline(path)}`
}

function snippetText({ text, lines, why }: ContextSnippet): string {
  if (!text.includes("\n")) return `${lines} ${inline(text)} (${inline(why)})`
  return `${lines} ${inline(why)}\n${fenced(text, "")}`
}
