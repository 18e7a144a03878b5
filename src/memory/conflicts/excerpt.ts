import { sentenceSpans, type TextSpan } from "../../text/index.ts"

/** Maximum characters: brief is a line in a list, medium a paragraph, full the whole text. */
export const EXCERPT_BUDGETS = { brief: 160, medium: 600, full: Number.POSITIVE_INFINITY } as const

/** `text` is the excerpt, with … where text was left out. */
type Excerpt = TextSpan & { readonly text: string; readonly isWhole: boolean }

/**
 * Whole sentences of a text up to the budget: first those the window touches, then the following ones, then the
 * preceding ones. If a single sentence is too long, the excerpt starts at the window and ends at the end of a word.
 */
export function excerpt(text: string, window: TextSpan | null, budget: number): Excerpt {
  const trimmed = text.trimEnd()
  if (trimmed.length <= budget) return { text: trimmed, start: 0, end: trimmed.length, isWhole: true }
  const spans = sentenceSpans(text)
  const { start, end } = grow(spans, window ?? { start: 0, end: 0 }, budget)
  const room = budget - MARKS
  const shown =
    end - start > room ? cutAtWord(text, Math.max(start, window?.start ?? start), room) : { start, end }
  const before = shown.start > (spans[0]?.start ?? 0) ? "…" : ""
  const after = shown.end < (spans.at(-1)?.end ?? 0) ? "…" : ""
  return { ...shown, text: before + text.slice(shown.start, shown.end) + after, isWhole: false }
}

/** Characters reserved for the ellipses at both ends. */
const MARKS = 2

/**
 * Extends an excerpt by whole sentences, first forwards, then backwards, from the first sentence that the
 * window touches, as long as it fits.
 */
function grow(spans: readonly TextSpan[], window: TextSpan, budget: number): TextSpan {
  const touched = spans.findIndex(({ end }) => end > window.start)
  let first = touched < 0 ? Math.max(0, spans.length - 1) : touched
  let last = first
  const fits = (from: number, to: number) => spans[to]!.end - spans[from]!.start + MARKS <= budget
  while (last + 1 < spans.length && fits(first, last + 1)) last++
  while (first > 0 && fits(first - 1, last)) first--
  return { start: spans[first]?.start ?? 0, end: spans[last]?.end ?? 0 }
}

function cutAtWord(text: string, from: number, room: number): TextSpan {
  const start = betweenCharacters(text, from)
  let end = Math.min(text.length, start + Math.max(1, room))
  const space = text.lastIndexOf(" ", end)
  if (space > start + room / 2) end = space
  return { start, end: Math.max(betweenCharacters(text, end), start + 1) }
}

/** Moves an offset out of a surrogate pair. */
function betweenCharacters(text: string, at: number): number {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00 && at > 0 ? at - 1 : at
}
