import { USE, type Use } from "../code/use-code.ts"
import type { SymbolRow } from "../store/symbols.ts"
import { type Definition, isSame } from "./definition.ts"
import type { FileView } from "./file-view.ts"
import { DOUBTFUL, likeliest, meaningsOf } from "./resolve.ts"
import type { SymbolGraph } from "./symbol-graph.ts"

export type EdgeKind = "call" | "import" | "inherits" | "mention"

/** A use that means a definition. */
export type Edge = {
  readonly file: FileView
  readonly line: number
  readonly kind: EdgeKind
  readonly confidence: number
  /** What is used, where it was not tied to a definition. */
  readonly name?: string
  /** The function or type that the use stands in; null at the top of a file. */
  readonly within: SymbolRow | null
}

export type References = {
  /** Surest first within a file; by path. */
  readonly edges: readonly Edge[]
  /** Uses of the name that nothing ties to any definition: they may or may not be meant. */
  readonly unresolved: readonly Edge[]
}

/** Where a definition is used. What of its name cannot be tied to any definition is told apart, never dropped. */
export function referencesTo(graph: SymbolGraph, target: Definition): References {
  const { name } = target.symbol
  const candidates = graph.definitionsOf(name)
  const edges: Edge[] = []
  const unresolved: Edge[] = []
  const bases = (type: string) => graph.basesOf(type)
  for (const file of graph.filesUsing(name)) {
    if (file.family !== target.file.family) continue
    for (const use of file.usesOf(name)) {
      const meanings = meaningsOf(use, file, candidates, bases)
      const best = likeliest(meanings)
      const mine = meanings.find(({ definition }) => isSame(definition, target))
      const sure = best[0]?.confidence ?? 0
      if (mine && mine.confidence >= DOUBTFUL && best.includes(mine))
        edges.push(edgeOf(use, file, mine.confidence))
      else if (sure < DOUBTFUL && mightMean(use, target))
        unresolved.push(edgeOf(use, file, mine?.confidence ?? 0))
    }
  }
  return { edges: inOrder(edges), unresolved: inOrder(unresolved) }
}

export function edgeOf(use: Use, file: FileView, confidence: number): Edge {
  return {
    file,
    line: use.line,
    kind: kindOf(use),
    confidence: Math.round(confidence * 100) / 100,
    within: file.enclosing(use.line),
  }
}

/** A member, or a key of what is written out, for what belongs to something; a bare name for what does not. */
function mightMean({ flags }: Use, { symbol }: Definition): boolean {
  const isMember = (flags & USE.member) !== 0
  return symbol.owner === null ? !isMember : isMember || flags === 0
}

function kindOf({ flags }: Use): EdgeKind {
  if ((flags & USE.import) !== 0) return "import"
  if ((flags & USE.base) !== 0) return "inherits"
  return (flags & USE.call) !== 0 ? "call" : "mention"
}

function inOrder(edges: Edge[]): Edge[] {
  return edges.sort(
    (one, other) =>
      (one.file.path < other.file.path ? -1 : one.file.path > other.file.path ? 1 : 0) ||
      one.line - other.line,
  )
}
