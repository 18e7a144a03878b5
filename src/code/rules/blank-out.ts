import type { DelimitedSpan } from "./rule.ts"

export type Blanked = {
  /**
   * The text with comments and strings, including their delimiters, replaced by blanks. Length and rows are the same.
   */
  readonly code: string
  /** Comments as sorted pairs of offsets. */
  readonly comments: Uint32Array
}

/**
 * Limit for searching missing closing delimiters, as a multiple of the length of the text. It bounds the cost of
 * unclosed quotes.
 */
const MAX_LOST_SHARE = 4

type BlankingState = {
  readonly text: string
  readonly openers: ReadonlyMap<string, readonly DelimitedSpan[]>
  /** Number of characters that may still be searched in vain. */
  budget: number
  /** End of the row that was searched last, stored so that a long row is searched only once. */
  rowEnd: number
}

/** Replaces comments and strings by blanks, in one pass over the text. */
export function blankOut(text: string, spans: readonly DelimitedSpan[]): Blanked {
  const state = { text, openers: byFirst(spans), budget: MAX_LOST_SHARE * text.length + 1000, rowEnd: -1 }
  const pieces: string[] = []
  const comments: number[] = []
  const starts = new RegExp(`[${[...state.openers.keys()].map(inClass).join("")}]`, "g")
  let done = 0
  while (true) {
    const found = state.openers.size > 0 && starts.exec(text)
    if (!found) break
    const at = found.index
    const span = spanAt(at, state)
    if (!span) continue
    if (span.holds === "comment") comments.push(at, span.end)
    pieces.push(text.slice(done, at), text.slice(at, span.end).replace(/[^\r\n]/g, " "))
    done = span.end
    starts.lastIndex = done
  }
  pieces.push(text.slice(done))
  return { code: pieces.join(""), comments: new Uint32Array(comments) }
}

function byFirst(spans: readonly DelimitedSpan[]): Map<string, DelimitedSpan[]> {
  const openers = new Map<string, DelimitedSpan[]>()
  for (const span of spans) {
    for (const first of span.first) openers.set(first, [...(openers.get(first) ?? []), span])
  }
  return openers
}

function inClass(character: string): string {
  return /\w/.test(character) ? character : `\\${character}`
}

function spanAt(at: number, state: BlankingState): { holds: DelimitedSpan["holds"]; end: number } | null {
  for (const span of state.openers.get(state.text[at]!)!) {
    span.open.lastIndex = at
    const opened = span.open.exec(state.text)
    const end = opened ? spanEnd(span, opened, state) : -1
    if (end >= 0) return { holds: span.holds, end }
  }
  return null
}

/** Offset of the end of a span; -1 if it is not closed. A comment that is not closed ends at the end of the text. */
function spanEnd(span: DelimitedSpan, opened: RegExpExecArray, state: BlankingState): number {
  const { text } = state
  const from = opened.index + opened[0].length
  if (span.close === null || span.isOneRow) {
    if (from > state.rowEnd) {
      const newline = text.indexOf("\n", from)
      state.rowEnd = newline < 0 ? text.length : newline
    }
    return span.close === null ? state.rowEnd : closeWithin(span, opened, from, state.rowEnd, state)
  }
  const end = closeWithin(span, opened, from, text.length, state)
  return end < 0 && span.holds === "comment" ? text.length : end
}

function closeWithin(
  span: DelimitedSpan,
  opened: RegExpExecArray,
  from: number,
  limit: number,
  state: BlankingState,
): number {
  if (state.budget < 0) return -1
  const close = typeof span.close === "function" ? span.close(opened) : span.close!
  const end =
    limit === state.text.length && span.escape === undefined
      ? state.text.indexOf(close, from)
      : unescaped(state.text, close, span.escape, from, limit)
  if (end >= 0) return end + close.length
  state.budget -= limit - from
  return -1
}

/** Offset of the next delimiter that is not escaped, searching only up to `limit`; -1 if there is none. */
function unescaped(
  text: string,
  close: string,
  escapeChar: string | undefined,
  from: number,
  limit: number,
): number {
  for (let at = from; at + close.length <= limit; at++) {
    if (text[at] === escapeChar) at++
    else if (text[at] === close[0] && text.startsWith(close, at)) return at
  }
  return -1
}
