import type { KnowledgeAnswer } from "../../app/memory/actions/answer.ts"
import { plainEntry } from "../../app/memory/entries/entry-output.ts"
import type { EntryOutput } from "../../app/memory/requests.ts"
import { AmanError } from "../../base/errors.ts"
import { charactersIn } from "../../text/token-count.ts"

/** Min characters per page, so that paging makes progress. */
const MIN_CHARACTERS = 200

/**
 * A page of an entry that is longer than the answer may be: as much text from `offset` as fits, and the next
 * offset. Null for several entries, or if the whole entry fits.
 */
export function entryPage(
  { data }: KnowledgeAnswer,
  offset: number,
  tokens: number,
): Pick<KnowledgeAnswer, "data" | "text"> | null {
  const { entries } = data as { readonly entries: readonly EntryOutput[] }
  const [entry] = entries
  const room = charactersIn(tokens)
  if (entry === undefined || entries.length > 1) return null
  if (offset === 0 && jsonLength({ entries }) <= room) return null
  const total = entry.text.length
  if (offset > total)
    throw new AmanError("USAGE", `the entry has ${total} characters`, { hint: "start at offset 0" })
  const overhead = jsonLength({ entries: [{ ...entry, text: "" }], total, offset, next_offset: total })
  const text = pieceOf(entry.text, offset, Math.max(MIN_CHARACTERS, room - overhead))
  const end = offset + text.length
  const shown = { ...entry, text }
  const next = end < total ? end : null
  const rest = next === null ? "" : `; continue with offset ${next}`
  return {
    data: { entries: [shown], total, offset, next_offset: next },
    text: `${plainEntry(shown)}\n\n… characters ${offset} to ${end} of ${total}${rest}`,
  }
}

/** Part of the text that takes at most `room` characters as JSON and does not split a surrogate pair. */
function pieceOf(whole: string, from: number, room: number): string {
  let piece = whole.slice(from, from + room)
  while (jsonLength(piece) - 2 > room) piece = piece.slice(0, Math.floor(piece.length * 0.9))
  const isCut = from + piece.length < whole.length
  return isCut && (piece.charCodeAt(piece.length - 1) & 0xfc00) === 0xd800 ? piece.slice(0, -1) : piece
}

function jsonLength(value: unknown): number {
  return JSON.stringify(value).length
}
