import type { Captures } from "./captures.ts"
import { type ChunkRows, type ChunkSizes, chunkUnits } from "./chunk.ts"
import type { NestedDefinition } from "./definitions.ts"
import type { CodeSymbol, ParseMethod } from "./parsed-file.ts"
import { symbolsOf } from "./symbols.ts"
import type { TextLines } from "./text-lines.ts"
import type { Unit } from "./unit.ts"
import type { UseSource } from "./use-scan.ts"

/** A file cut into chunks, and what it defines. */
export type Cut = {
  readonly method: ParseMethod
  /** Why a part of it was cut by a lesser method. */
  readonly degraded?: string | null
  readonly chunks: readonly ChunkRows[]
  readonly symbols: readonly CodeSymbol[]
  readonly captures: Pick<Captures, "comments" | "docs" | "imports" | "package"> | null
  /** Where to look for uses of names; absent where no tree says it. */
  readonly useSource?: UseSource
}

/** Both in order of place. */
export type Parts = { readonly units: readonly Unit[]; readonly definitions: readonly NestedDefinition[] }

export function cutUnits(
  method: ParseMethod,
  { units, definitions }: Parts,
  captures: Cut["captures"],
  lines: TextLines,
  options: ChunkSizes,
): Cut {
  const nothing = new Uint32Array(0)
  const source = { lines, comments: captures?.comments ?? nothing, docs: captures?.docs ?? nothing }
  return {
    method,
    chunks: chunkUnits(units, lines, options),
    symbols: symbolsOf(definitions, source),
    captures,
  }
}
