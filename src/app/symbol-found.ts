import type { Definition } from "../graph/definition.ts"
import type { Edge } from "../graph/edge.ts"
import type { SymbolAnswer } from "./symbol-answer.ts"

/** What a question found, before it is cut to its page. */
export type Found = Partial<Pick<SymbolAnswer, "outline" | "tests" | "files" | "notices">> & {
  readonly definitions: readonly Definition[]
  readonly edges?: readonly Edge[]
  readonly related?: readonly Related[]
  readonly unresolved?: readonly Edge[]
  /** Files that use the name and were not looked at yet. */
  readonly unseen?: number
}

export type Related = {
  readonly definition: Definition
  readonly confidence: number
  readonly depth?: number
  readonly edges?: readonly Edge[]
  readonly centrality?: number
}
