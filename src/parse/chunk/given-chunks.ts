import { charsOf, type TextLines } from "../text-lines.ts"
import {
  CHARS_PER_TOKEN,
  type ChunkRows,
  type ChunkSizes,
  chunkUnits,
  coarsen,
  commonScope,
  partChars,
  type RowRange,
  trimmed,
} from "./chunk.ts"
import { lineUnits } from "./line-units.ts"

/**
 * The chunks of a file whose boundaries were given by the user's chunker program. `given` are ascending ranges that do not
 * overlap; a range above the chunk size is split by lines. Rows that no range covers keep their chunks of `own`, which cover
 * every non-blank row; so does the result. A given chunk has the innermost scope that encloses it.
 */
export function withGivenChunks(
  given: readonly RowRange[],
  own: readonly ChunkRows[],
  lines: TextLines,
  sizes: ChunkSizes,
): readonly ChunkRows[] {
  const chunks: ChunkRows[] = []
  let row = 0
  let at = 0
  for (const range of given) {
    addOwnUpTo(range.startRow - 1)
    chunks.push(...pieces(range, scopeOf(range)))
    row = range.endRow + 1
  }
  addOwnUpTo(lines.count - 1)
  return coarsen(chunks)

  /** Adds the parts of our chunks from `row` to `endRow`. */
  function addOwnUpTo(endRow: number): void {
    skipOwnBefore(row)
    for (let next = at; next < own.length && own[next]!.startRow <= endRow; next++) {
      const { startRow, endRow: ownEnd, scope } = own[next]!
      const part = { startRow: Math.max(row, startRow), endRow: Math.min(endRow, ownEnd), scope }
      chunks.push(...notBlank(part))
    }
  }

  function skipOwnBefore(startRow: number): void {
    while (at < own.length && own[at]!.endRow < startRow) at++
  }

  function scopeOf({ startRow, endRow }: RowRange): string | null {
    skipOwnBefore(startRow)
    let last = at
    while (last < own.length && own[last]!.startRow <= endRow) last++
    const scopes = own.slice(at, last).map(({ scope }) => scope)
    return scopes.length === 0 ? null : scopes.reduce(commonScope)
  }

  function pieces(range: RowRange, scope: string | null): ChunkRows[] {
    if (charsOf(lines, range.startRow, range.endRow) <= sizes.chunkTokens * CHARS_PER_TOKEN)
      return notBlank({ ...range, scope })
    const units = lineUnits(lines, range, scope, partChars(sizes))
    return chunkUnits(units, lines, { ...sizes, mergeTokens: sizes.chunkTokens }).map((piece) => ({
      ...piece,
      scope,
    }))
  }

  function notBlank(chunk: ChunkRows): ChunkRows[] {
    const { startRow, endRow, scope } = trimmed(chunk, lines)
    return startRow > endRow ? [] : [{ startRow, endRow, scope }]
  }
}
