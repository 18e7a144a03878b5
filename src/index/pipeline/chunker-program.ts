import { AmanError } from "../../base/errors.ts"
import { MAX_CHUNKS, type RowRange } from "../../code/chunk/chunk.ts"
import type { Config } from "../../config/load.ts"
import { lineProgram, programName } from "../../embed/line-program.ts"

/** A file to divide; `path` is relative to the root, `lines` the number of its lines. */
export type WholeFile = {
  readonly path: string
  readonly language: string
  readonly text: string
  readonly lines: number
}

/** The chunks of a file by the program; null if it leaves the file to aman; or why its answer cannot be used. */
export type DividedFile = readonly RowRange[] | null | { readonly failure: string }

/**
 * Asks the user's chunker program to divide files, and returns one answer for each. Throws EMBEDDER if the program does not
 * answer for these files. `isRetry`: the file was part of a request that failed.
 */
export async function askChunker(
  { program, timeoutMs, programMemoryBytes }: Config["chunker"],
  root: string,
  files: readonly WholeFile[],
  isRetry = false,
): Promise<DividedFile[]> {
  const limits = { timeoutMs, maxMemoryBytes: programMemoryBytes, isRetry }
  const sent = files.map(({ path, language, text }) => ({ path, language, text }))
  const { chunks } = await lineProgram(program).ask({ op: "chunk", root, files: sent }, limits)
  const name = `the program ${programName(program)}`
  if (Array.isArray(chunks) && chunks.length === files.length)
    return files.map(({ lines }, at) => divided(chunks[at], lines, name))
  throw new AmanError("EMBEDDER", `${name} gave no list of chunks for each file`, {
    hint: "docs/programs.md describes the answer",
  })
}

/** Converts pairs of line numbers, 1-based and inclusive, to rows. */
function divided(pairs: unknown, lines: number, name: string): DividedFile {
  if (pairs === null) return null
  if (!Array.isArray(pairs)) return { failure: `${name} gave no list of chunks for a file` }
  if (pairs.length > MAX_CHUNKS) return { failure: `${name} gave more than ${MAX_CHUNKS} chunks for a file` }
  const ranges: RowRange[] = []
  let lastLine = 0
  for (const pair of pairs as readonly unknown[]) {
    const [first, last] = Array.isArray(pair) && pair.length === 2 ? (pair as unknown[]) : []
    if (!isLine(first) || !isLine(last))
      return { failure: `${name} gave a chunk that is no pair of line numbers` }
    if (first <= lastLine || last < first)
      return { failure: `${name} gave chunks that overlap or are not in order` }
    if (last > lines) return { failure: `${name} gave a chunk beyond the last line of a file` }
    ranges.push({ startRow: first - 1, endRow: last - 1 })
    lastLine = last
  }
  return ranges
}

function isLine(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) > 0
}
