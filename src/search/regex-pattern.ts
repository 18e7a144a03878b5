import { RE2JS, RE2JSException } from "re2js"
import { AmanError } from "../base/errors.ts"
import { type PatternFault, patternError } from "./pattern-error.ts"
import type { PatternOptions, Span, TextPattern } from "./text-pattern.ts"
import { withCodePoints, withUnicodeClasses } from "./unicode-classes.ts"
import { AFTER_WORD, BEFORE_WORD, splitBoundaries } from "./word-boundaries.ts"

// Instructions of the compiled pattern; `\p{L}{1,900}` has 1,800.
const LARGEST_PROGRAM = 20_000
// Characters × instructions in one go. Measured at worst: 4·10⁸ a second, where the pattern's automaton overflows.
const MOST_STEPS = 2e8

/** A regular expression in time linear in the text, whatever the pattern: docs/decisions/0007-patterns.md. */
export function regexPattern({ pattern, ignoreCase, wholeWord }: Omit<PatternOptions, "mode">): TextPattern {
  const flags = RE2JS.MULTILINE | (ignoreCase ? RE2JS.CASE_INSENSITIVE : 0)
  const plain = withCodePoints(pattern)
  // Once as it was written, so that what is wrong is said in its own words.
  compile(pattern, plain, flags)
  const { before, body, after } = wholeWord
    ? { before: true, body: plain, after: true }
    : splitBoundaries(plain)
  const source = `${before ? BEFORE_WORD : ""}(${withUnicodeClasses(body)})${after ? AFTER_WORD : ""}`
  const program = compile(pattern, source, flags)
  if (program.programSize() > LARGEST_PROGRAM) {
    throw new AmanError("USAGE", "the regular expression is too large", {
      hint: "repeat less often, or search for its most telling part",
    })
  }
  return {
    mayMatch: isOfLines(pattern) ? (text) => program.test(text) : () => true,
    matches: (line) => program.test(line),
    spans: (line) => spansOf(program, line),
    longestLine: Math.floor(MOST_STEPS / program.programSize()),
  }
}

function compile(written: string, source: string, flags: number): RE2JS {
  try {
    return RE2JS.compile(source, flags)
  } catch (error) {
    if (error instanceof RE2JSException) throw patternError(written, faultOf(error))
    throw error
  }
}

function faultOf(error: RE2JSException): PatternFault {
  const { error: fault, input } = error as { error?: unknown; input?: unknown }
  return {
    error: typeof fault === "string" ? fault : error.message,
    input: typeof input === "string" ? input.replace(/^\(\?i?m\)/, "") : null,
  }
}

/** Where `^` and `$` are not the ends of lines, a line may match that does not match among others. */
function isOfLines(pattern: string): boolean {
  return !/\\[Az]|\(\?[a-z]*-/i.test(pattern)
}

/** The group is what was asked for; beside it may stand what parts it from other words. */
function spansOf(program: RE2JS, line: string): Span[] {
  const spans: Span[] = []
  const matcher = program.matcher(line)
  for (let from = 0; from <= line.length && matcher.find(from); ) {
    const [start, end] = [matcher.start(1), matcher.end(1)]
    if (end > start) spans.push([start, end])
    from = Math.max(end, from + 1)
  }
  return spans
}
