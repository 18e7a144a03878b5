import type { ResultCommit } from "../answers.ts"

/** A task and the number of tokens that the answer may have. */
export type ContextRequest = {
  /** The task in plain words, with names; empty: an overview of the project. */
  readonly query: string
  /** See SearchRequest. */
  readonly names?: readonly string[] | undefined
  /** Token budget of the whole answer. */
  readonly maxTokens: number
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
  /** Token count of the larger of the two forms, Markdown and JSON; never above the budget. */
  readonly tokens: number
}
