import { charsOf, isBlankRow, type TextLines } from "../text-lines.ts"

export type ChunkSizes = {
  /** Size above which a unit is split into its parts. A token counts as four characters. */
  readonly chunkTokens: number
  /** Size up to which neighbouring units are merged into one chunk; 0 merges none. */
  readonly mergeTokens: number
}

/** Rows of a text, 0-based, inclusive. */
export type RowRange = { readonly startRow: number; readonly endRow: number }

export type ChunkRows = RowRange & { readonly scope: string | null }

export const CHARS_PER_TOKEN = 4

/** Maximum number of chunks of a file. If there are more, neighbouring chunks are joined. */
export const MAX_CHUNKS = 4096

/**
 * A unit that is smaller than this and defines nothing is merged with its neighbour, because it would be a useless
 * search result.
 */
const CRUMB_CHARS = 32 * CHARS_PER_TOKEN

/** If the head of a class or function is smaller than this, it is merged with the first part of its body. */
const HEAD_CHARS = 64 * CHARS_PER_TOKEN

type OpenChunk = {
  startRow: number
  endRow: number
  scope: string | null
  /**
   * If the chunk ends with the head of a class or function, the scope of its body, whose first parts may be added to
   * this chunk; otherwise null.
   */
  takes: string | null
  defines: boolean
  isBareHead: boolean
}

type Packing = {
  readonly lines: TextLines
  readonly chunkChars: number
  readonly mergeChars: number
  readonly partChars: number
  readonly chunks: OpenChunk[]
  /** True if the next unit must start a new chunk. */
  isFresh: boolean
}

/**
 * Cuts units into chunks by the method cAST (Zhang et al. 2025): split at definitions, open units that are too large,
 * join small neighbours. The chunks cover every non-blank row of the units, in order and without overlap.
 */
export function chunkUnits(units: readonly Unit[], lines: TextLines, sizes: ChunkSizes): ChunkRows[] {
  const chunkChars = sizes.chunkTokens * CHARS_PER_TOKEN
  const mergeChars = sizes.mergeTokens * CHARS_PER_TOKEN
  const packing: Packing = {
    lines,
    chunkChars,
    mergeChars,
    partChars: partChars(sizes),
    chunks: [],
    isFresh: false,
  }
  for (const unit of units) pack(unit, null, packing, mergeChars)
  mergeSmallLast(packing)
  return coarsen(packing.chunks)
    .map((chunk) => trimmed(chunk, lines))
    .filter((chunk) => chunk.startRow <= chunk.endRow)
}

/** Size up to which the parts of an oversized unit are merged: a third of the chunk size, even if merging is off. */
export function partChars(sizes: ChunkSizes): number {
  return Math.max(sizes.mergeTokens, Math.ceil(sizes.chunkTokens / 3)) * CHARS_PER_TOKEN
}

function pack(unit: Unit, scope: string | null, packing: Packing, joinChars: number): void {
  const chars = charsOf(packing.lines, unit.startRow, unit.endRow)
  const isOversize = chars > packing.chunkChars
  const parts = isOversize || (unit.holds === "members" && chars > packing.mergeChars) ? unit.open() : []
  if (parts.length < 2) {
    appendUnit(unit, scope, packing, joinChars)
    return
  }
  const [head, ...rest] = parts as [Unit, ...Unit[]]
  const partJoin = isOversize && unit.holds === "statements" ? packing.partChars : joinChars
  // The first part of an opened unit starts a new chunk, unless the chunk before it contains only a preamble.
  const last = packing.chunks.at(-1)
  packing.isFresh = unit.defines && last?.defines === true
  pack(head, scope, packing, partJoin)
  markHead(packing, head, unit.innerScope)
  for (const part of rest) pack(part, unit.innerScope, packing, partJoin)
}

function markHead({ chunks, lines }: Packing, head: Unit, innerScope: string | null): void {
  const last = chunks.at(-1)
  if (last?.endRow !== head.endRow) return
  last.takes = innerScope
  last.isBareHead = charsOf(lines, head.startRow, head.endRow) < HEAD_CHARS
}

function appendUnit(unit: Unit, scope: string | null, packing: Packing, joinChars: number): void {
  const { chunks } = packing
  const { startRow, endRow, defines } = unit
  const next: OpenChunk = { startRow, endRow, scope, takes: scope, defines, isBareHead: false }
  const last = chunks.at(-1)
  const limit = last && (last.isBareHead || isCrumb(last, packing)) ? packing.chunkChars : joinChars
  const isFresh = packing.isFresh && !last?.isBareHead
  packing.isFresh = false
  if (last && !isFresh && joins(last, next, packing, limit)) return
  mergeSmallLast(packing)
  chunks.push(next)
}

/** Merges the last chunk with the one before it if the last one is small and its scope added no further parts to it. */
function mergeSmallLast(packing: Packing): void {
  const { chunks } = packing
  const [above, last] = [chunks.at(-2), chunks.at(-1)]
  if (above && last && isCrumb(last, packing) && joins(above, last, packing, packing.chunkChars)) chunks.pop()
}

function isCrumb({ startRow, endRow, defines }: OpenChunk, { lines }: Packing): boolean {
  return !defines && charsOf(lines, startRow, endRow) < CRUMB_CHARS
}

/** True if `next` may be added to `last`: the scope stays the same, and the size stays below the limit. */
function joins(last: OpenChunk, next: OpenChunk, { lines }: Packing, limitChars: number): boolean {
  if (next.scope !== last.scope && next.scope !== last.takes) return false
  if (charsOf(lines, last.startRow, next.endRow) >= limitChars) return false
  last.endRow = next.endRow
  last.defines ||= next.defines
  last.isBareHead &&= charsOf(lines, last.startRow, last.endRow) < HEAD_CHARS
  return true
}

/** Joins neighbouring chunks until there are at most MAX_CHUNKS. */
export function coarsen(chunks: readonly ChunkRows[]): readonly ChunkRows[] {
  if (chunks.length <= MAX_CHUNKS) return chunks
  const group = Math.ceil(chunks.length / MAX_CHUNKS)
  const joined: ChunkRows[] = []
  for (let at = 0; at < chunks.length; at += group) {
    const first = chunks[at]!
    const last = chunks[Math.min(at + group, chunks.length) - 1]!
    const scope = commonScope(first.scope, last.scope)
    joined.push({ startRow: first.startRow, endRow: last.endRow, scope })
  }
  return joined
}

/** The innermost scope that encloses both scopes; null at the top level. */
export function commonScope(one: string | null, other: string | null): string | null {
  if (one === other || one === null || other === null) return one === other ? one : null
  const others = other.split(".")
  const parts = one.split(".")
  const differs = parts.findIndex((part, index) => part !== others[index])
  return differs < 0 ? one : parts.slice(0, differs).join(".") || null
}

/** The chunk without the blank rows at its ends; its startRow is greater than its endRow if all rows are blank. */
export function trimmed({ startRow, endRow, scope }: ChunkRows, lines: TextLines): ChunkRows {
  let first = startRow
  let last = endRow
  while (first <= last && isBlankRow(lines, first)) first++
  while (last > first && isBlankRow(lines, last)) last--
  return { startRow: first, endRow: last, scope }
}

/**
 * Whole rows that the chunker either leaves together, joins with neighbours, or splits into the parts that `open`
 * returns. Rows are 0-based, inclusive.
 */
export type Unit = {
  readonly startRow: number
  readonly endRow: number
  /**
   * What the unit contains. A unit of "members" is split if it is larger than the merge size; a unit of "statements"
   * only if it is larger than the chunk size.
   */
  readonly holds: "members" | "statements"
  /** True if the unit defines something. A tiny unit that defines nothing is merged with a neighbour. */
  readonly defines: boolean
  /** Scope of all parts of the unit except the first part, which keeps the scope of the unit. */
  readonly innerScope: string | null
  /** Returns the parts of the unit, which cover the same rows in order; an empty list if the unit cannot be split. */
  readonly open: () => Unit[]
}
