import { AmanError, type ReadAnswer } from "../../base/index.ts"
import { charactersIn, cutAt } from "../../text/index.ts"

/** A file or a part of it, cut to a number of tokens. */
export type ReadPiece = ReadAnswer & {
  /** Where the text begins in its first line, from 1, in UTF-16 code units; absent at its beginning. */
  readonly start_column?: number
  /** True if the text ends before the requested line. */
  readonly cut: boolean
  /** Where the rest begins; absent if nothing is cut. */
  readonly next?: { readonly start_line: number; readonly start_column?: number }
}

type PieceOptions = { readonly startColumn?: number | undefined; readonly maxTokens: number }

/**
 * The beginning of an answer, in whole lines if at least one fits; otherwise the first line is cut, and the next piece
 * begins within it. The texts of all pieces together are that of the answer.
 */
export function pieceOf(answer: ReadAnswer, { startColumn = 1, maxTokens }: PieceOptions): ReadPiece {
  const { path, start_line } = answer
  const firstLength = answer.text.split("\n", 1)[0]!.length
  if (startColumn > Math.max(1, firstLength))
    throw new AmanError("USAGE", `line ${start_line} of ${path} has ${firstLength} characters`, {
      hint: "columns start at 1",
    })
  const begun = startColumn === 1 ? answer : { ...answer, start_column: startColumn }
  const text = answer.text.slice(startColumn - 1)
  const maxLength = Math.floor(charactersIn(maxTokens))
  if (text.length <= maxLength) return { ...begun, text, cut: false }
  const end = text.lastIndexOf("\n", maxLength - 1)
  const kept = end < 0 ? cutAt(text, maxLength) : text.slice(0, end + 1)
  const lines = kept.split("\n").length - 1
  const next =
    lines === 0 ? { start_line, start_column: startColumn + kept.length } : { start_line: start_line + lines }
  return { ...begun, text: kept, end_line: start_line + Math.max(0, lines - 1), cut: true, next }
}
