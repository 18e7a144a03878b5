/** A part of a text without blanks at its start and end. Offsets count UTF-16 units; `end` is exclusive. */
export type TextSpan = { readonly start: number; readonly end: number }

/**
 * The sentences of a text in order. A line break ends a sentence only if it ends a paragraph, a list item or a heading.
 * Dots in versions, decimal numbers, file names and common abbreviations do not end a sentence.
 */
export function sentenceSpans(text: string): TextSpan[] {
  const spans: TextSpan[] = []
  let start = 0
  for (const match of text.matchAll(BOUNDARY)) {
    const end = match.index + match[0].length
    if (isStop(match[0]) && endsShortForm(text, start, match.index)) continue
    push(spans, text, start, end)
    start = end
  }
  push(spans, text, start, text.length)
  return spans
}

// There are three alternatives: one or more stops, with closing quotes, brackets or emphasis, before a blank; stops of
// scripts without blanks; and line breaks that end a paragraph, a list item or a heading.
const BOUNDARY =
  /(?<![.!?…])[.!?…]+["'”’»)\]*_`]*(?=\s)|[。！？｡।؟]+["”’»」』）]*|\n[ \t]*\n\s*|\n(?=[ \t]*(?:[-*+•#>|]|\d+[.)])[ \t])/gu

const SHORT_FORMS = new Set(
  "e.g i.e etc vs cf approx no nr fig eq sec ch vol pp mr mrs ms dr prof st jr sr inc ltd co dept est ca al a.m p.m".split(
    " ",
  ),
)

function isStop(boundary: string): boolean {
  return boundary.startsWith(".") && !boundary.startsWith("..")
}

/** True if the dot at offset `dot` belongs to an abbreviation, to an initial ("J.") or to the number of a list item. */
function endsShortForm(text: string, start: number, dot: number): boolean {
  const word = /[\p{L}\p{N}.]+$/u.exec(text.slice(Math.max(start, dot - 12), dot))?.[0] ?? ""
  if (/^\p{Lu}$/u.test(word)) return word !== "I"
  // A number at the start of a sentence is the number of a list item.
  if (/^\d{1,3}$/.test(word)) return text.slice(start, dot).trim() === word
  if (!SHORT_FORMS.has(word.toLowerCase())) return false
  return (
    !/^(?:etc|al|a\.m|p\.m|inc|ltd|co|no)$/i.test(word) || !/^\.\s+\p{Lu}/u.test(text.slice(dot, dot + 4))
  )
}

function push(spans: TextSpan[], text: string, from: number, to: number): void {
  let [start, end] = [from, to]
  while (start < end && isBlank(text.charCodeAt(start))) start++
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--
  if (end > start) spans.push({ start, end })
}

function isBlank(code: number): boolean {
  return code <= 32 || code === 0xa0 || code === 0x3000 || code === 0x2028 || code === 0x2029
}
