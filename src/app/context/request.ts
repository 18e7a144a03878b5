/** What an agent is about to do, and how much it can read for that. */
export type ContextRequest = {
  /** The task in plain words, names and all; empty: the project as a whole. */
  readonly query: string
  /** Of the whole answer. */
  readonly maxTokens: number
  /** Strictly so many; absent: as many with code as the budget allows, and others by name. */
  readonly maxFiles?: number | undefined
  /** Path prefixes or globs, any of which must match; none: everything. */
  readonly paths: readonly string[]
  /** Signatures of what calls the code and of what it calls, and its latest commits. */
  readonly related: boolean
  readonly tests: boolean
  readonly memories: boolean
}

export const CONTEXT_LIMITS = {
  tokens: { least: 500, most: 100_000, usual: 8000 },
  files: { most: 50, usual: 5 },
} as const

/** Lines of one file that belong together, or signatures of what hangs together with them. */
export type ContextSnippet = {
  readonly text: string
  /** "10-40", 1-based and inclusive: what the text is of, or what it is about. */
  readonly lines: string
  /** Why it is there. */
  readonly why: string
}

export type ContextFile = {
  /** The other repository that the file is of; absent for the project's own. */
  readonly repository?: string
  readonly path: string
  readonly snippets: readonly ContextSnippet[]
}

export type ContextBundle = {
  readonly summary: string
  /** Best first. */
  readonly files: readonly ContextFile[]
  /** What was remembered, what was left out and how to get it, what is not as it should be. */
  readonly hints: readonly string[]
  /** Of the larger of its two forms: the page and the JSON. Never above the budget. */
  readonly tokens: number
}
