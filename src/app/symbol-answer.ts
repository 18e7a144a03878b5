import type { SearchAnswer } from "./answers.ts"

/** What one can ask about a symbol. */
export const RELATIONS = [
  "definition",
  "references",
  "callers",
  "callees",
  "implementations",
  "outline",
  "impact",
  "unused",
  "central",
] as const

export type Relation = (typeof RELATIONS)[number]

export type SymbolRequest = {
  /** `name` or `Owner.name`; not for outline, unused, central, and an impact of `diff`. */
  readonly name?: string | undefined
  readonly relation: Relation
  /** Of definitions of one name, those in this file or below this folder; the file of an outline. */
  readonly path?: string | undefined
  /** Steps along calls, 1 to 5. */
  readonly depth?: number | undefined
  /** Of an impact: all that changed since this revision, or within `a..b`. */
  readonly diff?: string | undefined
  readonly limit: number
  readonly offset: number
}

export type SymbolPlace = {
  readonly name: string
  readonly kind: string
  readonly path: string
  readonly start_line: number
  readonly end_line: number
}

export type DefinitionAnswer = SymbolPlace & {
  readonly signature: string
  readonly doc: string | null
  readonly language: string
  /** PageRank of its file, over files that use each other's names; 1 is the average file. */
  readonly centrality: number
}

export type ReferenceAnswer = {
  readonly path: string
  readonly line: number
  readonly kind: "call" | "import" | "inherits" | "mention"
  /** The function or type that it stands in. */
  readonly within: string | null
  readonly confidence: number
  /** The line itself; empty where the file has changed meanwhile. */
  readonly text: string
}

/**
 * A step of the graph: a caller, what is called, what implements, what is affected, what nothing uses, what is central.
 */
export type RelatedAnswer = SymbolPlace & {
  readonly depth: number
  readonly confidence: number
  /** Lines of the calls: the caller's own, or, of what is called, those of whoever calls it. */
  readonly lines: readonly number[]
  /** Of what is central: how much is drawn to it by its name, in shares of the average file. */
  readonly centrality?: number
}

export type OutlineEntry = SymbolPlace & { readonly signature: string; readonly level: number }

export type SymbolAnswer = {
  readonly name: string | null
  readonly relation: Relation
  readonly definitions: readonly DefinitionAnswer[]
  readonly references: readonly ReferenceAnswer[]
  readonly related: readonly RelatedAnswer[]
  readonly outline: readonly OutlineEntry[]
  /** Of an impact. */
  readonly tests: readonly string[]
  readonly files: readonly string[]
  /** How many there are of what was asked for; with `unseen_files`, so far. */
  readonly total: number
  /**
   * Files that use the name and were not looked at yet, of callees definitions of it that were not gone through: a page
   * was full, or enough was spent on it.
   */
  readonly unseen_files: number
  /** Where the next page begins; null: there is none. */
  readonly next_offset: number | null
  /** Places that use the name and could not be tied to any definition; the first of them. */
  readonly unresolved: { readonly total: number; readonly places: readonly ReferenceAnswer[] }
  readonly partial: SearchAnswer["partial"]
  readonly took_ms: number
  readonly notices: readonly string[]
}

/** What `unseen_files` counts, in words; none where all was looked at. */
export function unseenNotes({ relation, unseen_files: unseen }: SymbolAnswer): string[] {
  if (unseen === 0) return []
  if (relation !== "callees")
    return [
      unseen === 1
        ? "1 more file uses the name and was not looked at yet"
        : `${unseen} more files use the name and were not looked at yet`,
    ]
  return [
    unseen === 1
      ? "what 1 more definition of the name calls was not looked at yet"
      : `what ${unseen} more definitions of the name call was not looked at yet`,
  ]
}
