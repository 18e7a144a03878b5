import { coverageText, displayPath, plural, type ResultCommit, type SearchAnswer } from "../../base/index.ts"
import type { Certainty } from "../certainty.ts"
import type { Edge, SymbolDefinition } from "../definition.ts"
import type { FileView } from "../file-view.ts"
import type { Graph } from "./drawing.ts"
import type { SymbolSite } from "./symbol-sites.ts"

/** Questions about a symbol. */
export const RELATIONS = [
  "definition",
  "references",
  "callers",
  "callees",
  "implementations",
  "outline",
  "impact",
  "tests",
  "unused",
  "central",
] as const

export type Relation = (typeof RELATIONS)[number]

export type SymbolRequest = {
  /** `name` or `Owner.name`. Absent for outline, unused, central, and for an impact with `diff`. */
  readonly name?: string | undefined
  readonly relation: Relation
  /** Only definitions in this file or below this folder; for an outline, its file. */
  readonly path?: string | undefined
  /** The place that `name`, or `path` with `name`, addresses; read from them where the index is. */
  readonly site?: SymbolSite | undefined
  /** Steps along calls, 1 to 5. */
  readonly depth?: number | undefined
  /** For an impact of a change: everything that changed since this revision, or within `a..b`. */
  readonly diff?: string | undefined
  /** For "unused": also list symbols that something outside of the code may call. */
  readonly all?: boolean | undefined
  /** For references: ask a language server, too. */
  readonly exact?: boolean | undefined
  /** True: the answer has `graph`. */
  readonly graph?: boolean | undefined
  readonly limit: number
  readonly offset: number
  /** Name of a repository that a question about several leaves out; the caller asks it. */
  readonly without?: string | undefined
  /** True if the caller has found a definition: several repositories then answer with uses alone, too. */
  readonly isDefined?: boolean | undefined
}

export type SymbolPlace = {
  /** Name of the repository in an answer about other repositories. */
  readonly repository?: string
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
  /** Id of the repository; absent for the project itself. */
  readonly repository?: string
  readonly path: string
  readonly line: number
  readonly kind: "call" | "import" | "inherits" | "mention"
  /** The function or type around the place; null at the top of a file. */
  readonly within: string | null
  readonly certainty: Certainty
  /** The line itself; empty where the file has changed meanwhile. */
  readonly text: string
  /** If the answer has several definitions: which are meant, by name, or by place where two have one name. */
  readonly targets?: readonly string[]
}

/** A symbol of the graph: a caller, callee, implementation, affected, unused or central symbol. */
export type RelatedAnswer = SymbolPlace & {
  readonly depth: number
  readonly certainty: Certainty
  /** Lines of the calls. For a caller they are in its own file; for a callee they are in the caller's file. */
  readonly lines: readonly number[]
  /** As for references. */
  readonly targets?: readonly string[]
  /**
   * For central symbols: the part of the file's centrality that comes from uses of the name; 1 is the centrality of
   * an average file.
   */
  readonly centrality?: number
  /** For an unused symbol: why something outside of the code may call it. */
  readonly reason?: string
  /** For a test: the names of the definitions through which it reaches the symbol, in the order of the calls. */
  readonly through?: readonly string[]
  /** For an implementation: the place that names the base, such as Rust's `impl Trait for Type`. */
  readonly declared_at?: { readonly path: string; readonly line: number }
}

export type OutlineEntry = SymbolPlace & { readonly signature: string; readonly level: number }

export type SymbolAnswer = {
  readonly name: string | null
  readonly relation: Relation
  readonly definitions: readonly DefinitionAnswer[]
  readonly references: readonly ReferenceAnswer[]
  readonly related: readonly RelatedAnswer[]
  readonly outline: readonly OutlineEntry[]
  /** For an impact: paths of tests, then of other files. */
  readonly tests: readonly string[]
  readonly files: readonly string[]
  /** For tests: the commands that run those of this page, where the project shows how. */
  readonly commands?: readonly string[]
  /** Number of results; while `unseen_files` is above 0, the number found so far. */
  readonly total: number
  /**
   * Files that use the name and were not read yet (for callees: definitions not followed), because a page was
   * full or the budget was spent.
   */
  readonly unseen_files: number
  /** Offset of the next page; null when there is none. */
  readonly next_offset: number | null
  /** Uses of the name that could not be resolved to any definition: their number and the first of them. */
  readonly unresolved: { readonly total: number; readonly places: readonly ReferenceAnswer[] }
  /**
   * Number of uses of the name (for callers: of calls) that refer to something else: another definition, a local, a
   * member of another type. Counts the files read so far.
   */
  readonly other_uses: number
  /** The definitions, the related symbols of this page and the uses that connect them; present if asked for. */
  readonly graph?: Graph
  readonly partial: SearchAnswer["partial"]
  readonly took_ms: number
  readonly notices: readonly string[]
  /** Other repositories with results; absent for the project's own symbols. */
  readonly commits?: readonly ResultCommit[]
}

/** A notice with the number in `unseen_files`; empty when it is 0. */
export function unseenNotes({ relation, unseen_files: unseen }: SymbolAnswer): string[] {
  if (unseen === 0) return []
  if (relation === "callees") return [`callees of ${plural(unseen, "more definition")} were not checked yet`]
  const rest = unseen === 1 ? "uses the name and was" : "use the name and were"
  return [`${plural(unseen, "more file")} ${rest} not checked yet`]
}

/** A notice while the index is incomplete; empty once it is complete. */
export function partialNotes({ relation, partial }: SymbolAnswer): string[] {
  if (partial === null) return []
  const effect = relation === "unused" ? "files that are not indexed yet may use them" : "there may be more"
  return [`the index is ${coverageText(partial)}: ${effect}`]
}

/**
 * Where an implementation names its base, if that is not its first line: the line, after the path if it is another file.
 * Null if there is nothing to add.
 */
export function declaredElsewhere({ path, start_line, declared_at }: RelatedAnswer): string | null {
  if (declared_at === undefined) return null
  const { path: file, line } = declared_at
  if (file !== path) return `${displayPath(file)}:${line}`
  return line === start_line ? null : `line ${line}`
}

/** A notice about `other_uses`; empty if there are none. */
export function otherUsesNotes({ relation, other_uses: others }: SymbolAnswer): string[] {
  if (others === 0) return []
  const what = relation === "callers" ? "call" : "use"
  return [`${plural(others, what)} of the name ${others === 1 ? "means" : "mean"} something else`]
}

/** The results of a question, before they are cut to a page. */
export type SymbolResults = Partial<Pick<SymbolAnswer, "outline" | "tests" | "files" | "notices">> & {
  readonly definitions: readonly SymbolDefinition[]
  readonly edges?: readonly Edge[]
  readonly related?: readonly RelatedDefinition[]
  readonly unresolved?: readonly Edge[]
  readonly others?: number
  readonly links?: readonly Link[]
  /** Definitions of an earlier state that no longer exist and are used. */
  readonly gone?: readonly SymbolDefinition[]
  /** Files that use the name and were not read yet. */
  readonly unseen?: number
  /** The commands that run these tests, which are some of `related`, and the files of tests without a command. */
  readonly commandsFor?: (page: readonly RelatedDefinition[]) => TestCommands
}

export type TestCommands = { readonly commands: readonly string[]; readonly unknown: readonly string[] }

/** A use of a definition by another definition, or by a file in code outside of all its definitions. */
export type Link = {
  readonly user: SymbolDefinition | FileView
  readonly used: SymbolDefinition
  readonly certainty: Certainty
}

export type RelatedDefinition = {
  readonly definition: SymbolDefinition
  readonly certainty: Certainty
  readonly depth?: number
  readonly edges?: readonly Edge[]
  readonly centrality?: number
  readonly reason?: string
  readonly declaredAt?: Edge
  readonly through?: readonly string[]
}
