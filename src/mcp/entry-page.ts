import type { ShownEntry } from "../app/knowledge/answers.ts"
import type { KnowledgeAnswer } from "../app/knowledge/calls.ts"
import { plainEntry } from "../app/knowledge/entry-text.ts"
import { AmanError } from "../base/errors.ts"
import { CHARACTERS_PER_TOKEN } from "../text/token-count.ts"

/** At least so much of a text, or it would never end. */
const LEAST_CHARACTERS = 200

/**
 * Of an entry that is longer than the answer may be: its text from so many characters on, as much as fits, and where to
 * go on. Null where there are several entries, or all of the one fits.
 */
export function entryPage(
  { data }: KnowledgeAnswer,
  offset: number,
  tokens: number,
): Pick<KnowledgeAnswer, "data" | "text"> | null {
  const { entries } = data as { readonly entries: readonly ShownEntry[] }
  const [entry] = entries
  const room = tokens * CHARACTERS_PER_TOKEN
  if (entry === undefined || entries.length > 1) return null
  if (offset === 0 && sizeOf({ entries }) <= room) return null
  const total = entry.text.length
  if (offset > total)
    throw new AmanError("USAGE", `the entry has ${total} characters`, { hint: "begin with offset 0" })
  const beside = sizeOf({ entries: [{ ...entry, text: "" }], total, offset, next_offset: total })
  const text = pieceOf(entry.text, offset, Math.max(LEAST_CHARACTERS, room - beside))
  const end = offset + text.length
  const shown = { ...entry, text }
  const next = end < total ? end : null
  const rest = next === null ? "" : `; go on with offset ${next}`
  return {
    data: { entries: [shown], total, offset, next_offset: next },
    text: `${plainEntry(shown)}\n\n… characters ${offset} to ${end} of ${total}${rest}`,
  }
}

/** So long as JSON, and never half a character at its end. */
function pieceOf(whole: string, from: number, room: number): string {
  let piece = whole.slice(from, from + room)
  while (sizeOf(piece) - 2 > room) piece = piece.slice(0, Math.floor(piece.length * 0.9))
  const isCut = from + piece.length < whole.length
  return isCut && (piece.charCodeAt(piece.length - 1) & 0xfc00) === 0xd800 ? piece.slice(0, -1) : piece
}

function sizeOf(value: unknown): number {
  return JSON.stringify(value).length
}
