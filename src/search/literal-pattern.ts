import type { PatternOptions, Span, TextPattern } from "./text-pattern.ts"
import { WORD_CHARACTER } from "./unicode-classes.ts"

/**
 * Plain text, found by the engine's own regular expressions: without any operator they search at memory speed and
 * cannot go wrong. Case is ignored as Unicode folds single characters.
 */
export function literalPattern({
  pattern,
  ignoreCase,
  wholeWord,
}: Omit<PatternOptions, "mode">): TextPattern {
  const text = pattern.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")
  const source = wholeWord ? `(?<!${WORD_CHARACTER})${text}(?!${WORD_CHARACTER})` : text
  const once = new RegExp(source, ignoreCase ? "iu" : "u")
  const all = new RegExp(source, ignoreCase ? "giu" : "gu")
  const matches = (line: string) => once.test(line)
  return {
    mayMatch: matches,
    matches,
    spans: (line) =>
      Array.from(line.matchAll(all), ({ 0: found, index }): Span => [index, index + found.length]).filter(
        ([start, end]) => end > start,
      ),
    longestLine: Number.POSITIVE_INFINITY,
  }
}
