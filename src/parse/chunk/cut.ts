import { inPhase } from "../../base/index.ts"
import type { NestedDefinition } from "../definitions.ts"
import type { Captures } from "../file/captures.ts"
import { symbolsOf } from "../file/symbols.ts"
import type { CodeSymbol, ParseMethod } from "../parsed-file.ts"
import type { UseSource } from "../references/use-scan.ts"
import type { TextLines } from "../text-lines.ts"
import { type ChunkRows, type ChunkSizes, chunkUnits, type Unit } from "./chunk.ts"

/** The result of cutting a file: its chunks and what it defines. */
export type Cut = {
  readonly method: ParseMethod
  /** Why part of the file was cut by a fallback method; null if no part was. */
  readonly degraded?: string | null
  readonly chunks: readonly ChunkRows[]
  readonly symbols: readonly CodeSymbol[]
  readonly captures: Pick<Captures, "comments" | "docs" | "imports" | "package"> | null
  /** The ranges of the text in which uses of names are read; absent if there is no syntax tree. */
  readonly useSource?: UseSource
}

/** Units and definitions, each in file order. */
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
    chunks: inPhase("chunk", () => chunkUnits(units, lines, options)),
    symbols: symbolsOf(definitions, source),
    captures,
  }
}
