import { clearTerms, createTermBuffer } from "../../../text/terms/term-buffer.ts"
import { tokenize } from "../../../text/terms/tokenize.ts"
import type { Piece } from "./pieces.ts"

/** The terms and other properties of a piece that do not depend on the task. */
export type PieceWords = {
  readonly body: Terms
  /** The terms of the name that the piece defines; null if it defines none. */
  readonly name: Terms | null
  /** Number of words of that name, at least 1. */
  readonly nameWords: number
  /** The terms of the names of the symbols around the piece, and of its symbol's owner. */
  readonly around: Terms
  /** Characters without indents. */
  readonly length: number
  /** Number of lines that are comments; `imports`: number of lines that are imports. */
  readonly comments: number
  readonly imports: number
  /** True inside a test module in the tested file, as is usual in Rust. */
  readonly isTestModule: boolean
}

/** The terms of a text, in order: the range `from` to `to` of arrays that several texts share. */
export type Terms = TermHashes & { readonly from: number; readonly to: number }

/** The upper and lower halves of the hashes of terms. */
type TermHashes = { readonly hi: Uint32Array; readonly lo: Uint32Array }

const IMPORT =
  /^\s*(?:import\b|package\b|from\s+\S+\s+import\b|using\s+[\w.]+;|(?:pub )?use\s+[\w:\\{}, ]+;|(?:const|let|var)\s.*=\s*require\(|#\s*include\b|export \* from)/
const COMMENT = /^\s*(?:\/\/|\/\*|\*|#(?!\s*(?:include|define|if|else|endif|pragma|!\[|\[))|--|;;)/

const buffer = createTermBuffer()

/** The terms and other properties of each piece of a file. */
export function wordsOfPieces(lines: readonly string[], pieces: readonly Piece[]): PieceWords[] {
  clearTerms(buffer)
  const read = pieces.map((piece) => {
    const pieceLines = lines.slice(piece.startLine - 1, piece.endLine)
    const { symbol, around } = piece
    const names = [...around.map(({ name }) => name), symbol?.owner ?? ""]
    return {
      body: appendTerms(pieceLines),
      name: symbol === null ? null : appendTerms([symbol.name]),
      nameWords: symbol === null ? 1 : wordCount(symbol.name),
      around: appendTerms([names.join(" ")]),
      ...shapeOf(pieceLines),
      isTestModule: [symbol, ...around].some((each) => each !== null && /^tests?$/i.test(each.name)),
    }
  })
  const hashes = addedHashes()
  return read.map((each) => ({
    ...each,
    body: { ...hashes, ...each.body },
    name: each.name === null ? null : { ...hashes, ...each.name },
    around: { ...hashes, ...each.around },
  }))
}

/** The terms of one text. */
export function termsOfText(text: string): Terms {
  clearTerms(buffer)
  const range = appendTerms([text])
  return { ...addedHashes(), ...range }
}

/**
 * Appends the terms of some lines to the buffer. Lines are read one by one, so that the last word of a line
 * forms no compound with the first of the next.
 */
function appendTerms(lines: readonly string[]): { readonly from: number; readonly to: number } {
  const from = buffer.count
  for (const line of lines) tokenize(line, 0, line.length, buffer)
  return { from, to: buffer.count }
}

/** A copy of the hashes in the buffer. */
function addedHashes(): TermHashes {
  return { hi: buffer.hi.slice(0, buffer.count), lo: buffer.lo.slice(0, buffer.count) }
}

function shapeOf(lines: readonly string[]) {
  let [length, imports, comments] = [0, 0, 0]
  for (const line of lines) {
    length += line.trim().length
    if (IMPORT.test(line)) imports++
    if (COMMENT.test(line)) comments++
  }
  return { length, imports, comments }
}

function wordCount(name: string): number {
  return Math.max(1, name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g)?.length ?? 1)
}
