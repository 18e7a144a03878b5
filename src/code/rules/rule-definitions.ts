import type { Definition } from "../definitions.ts"
import { isSpace, type TextLines } from "../text-lines.ts"
import { type Blanked, blankOut } from "./blank-out.ts"
import { type Brackets, matchBrackets } from "./brackets.ts"
import { type Candidate, findCandidates } from "./candidates.ts"
import { rowwiseEnds } from "./rowwise-ends.ts"
import type { RuleSet } from "./rule.ts"

/** Definitions and comments by rules; linear in the length of the text, whatever it holds. */
export function ruleDefinitions(
  lines: TextLines,
  { spans, rules }: RuleSet,
): { definitions: Definition[] } & Blanked {
  const { code, comments } = blankOut(lines.text, spans)
  const brackets = matchBrackets(code, lines)
  const candidates = findCandidates(lines, code, brackets, rules)
  const siblings = nextSiblings(candidates, code.length)
  const ends = rowwiseEnds(candidates, lines, code)
  let opaqueUntil = 0
  const definitions = candidates.flatMap((candidate, at) => {
    if (candidate.start < opaqueUntil) return []
    const end = endOf(candidate, { limit: siblings[at]!, byRow: ends[at]!, code, brackets })
    if (end && candidate.rule.isOpaque) opaqueUntil = end.end
    return end ? [definitionOf(candidate, end, code)] : []
  })
  return { definitions, comments, code }
}

type End = { readonly end: number; readonly bodyStart: number | null }

function definitionOf(candidate: Candidate, { end, bodyStart }: End, code: string): Definition {
  const { rule, name, owner, start, from } = candidate
  return {
    name,
    kind: rule.kind,
    start,
    end: trimmedEnd(code, from, end),
    bodyStart: rule.isSignatureWhole ? null : (bodyStart ?? rowEnd(code, rule.level ? start : from)),
    owner,
    isSpread: false,
  }
}

/** Where the next candidate begins that is nested no deeper; it bounds every search for an end. */
function nextSiblings(candidates: readonly Candidate[], length: number): number[] {
  const next = new Array<number>(candidates.length).fill(length)
  const waiting: number[] = []
  for (const [at, { depth, start }] of candidates.entries()) {
    while (waiting.length > 0 && candidates[waiting.at(-1)!]!.depth >= depth) next[waiting.pop()!] = start
    waiting.push(at)
  }
  return next
}

type Place = {
  /** Where it must have ended. */
  readonly limit: number
  /** Its end as the rows tell it; -1 where they do not. */
  readonly byRow: number
  readonly code: string
  readonly brackets: Brackets
}

function endOf(candidate: Candidate, place: Place): End | null {
  const { rule, from } = candidate
  const { limit, byRow, code } = place
  switch (rule.extent) {
    case "braces":
    case "block": {
      const block = blockAfter(candidate, place)
      if (block >= 0) return { end: (place.brackets.closeOf.get(block) ?? limit - 1) + 1, bodyStart: block }
      if (rule.needsBlock) return null
      return { end: rule.extent === "block" ? byRow : rowEnd(code, from), bodyStart: null }
    }
    case "statement":
      return { end: statementEnd(from, place), bodyStart: null }
    case "parens":
      return { end: bracketEnd(candidate, place), bodyStart: null }
    case "row":
      return { end: continuedRowEnd(from, limit, code), bodyStart: null }
    default:
      return { end: byRow < 0 ? limit : byRow, bodyStart: null }
  }
}

/** What may follow on the row below a signature, before its block. */
const CONTINUES = /\s*(?:[{:]|throws\b|where\b|requires\b)/y

/** Offset of the brace that opens the block of a definition; -1 where it has none. */
function blockAfter({ rule, from }: Candidate, { limit, code, brackets: { closeOf } }: Place): number {
  for (let at = from; at < limit; at++) {
    const character = code[at]!
    if (character === "{") return at
    if (character === ";" || character === "}") return -1
    if (character === "(" || character === "[") at = closeOf.get(at) ?? at
    CONTINUES.lastIndex = at
    if (character === "\n" && rule.needsBlock && !CONTINUES.test(code)) return -1
  }
  return -1
}

function bracketEnd({ start, from }: Candidate, { limit, code, brackets }: Place): number {
  let at = code[start] === "(" ? start : from
  while (at < limit && code[at] !== "(") at++
  const close = brackets.closeOf.get(at)
  return close === undefined ? rowEnd(code, from) : close + 1
}

function statementEnd(from: number, { limit, code, brackets: { closeOf } }: Place): number {
  for (let at = from; at < limit; at++) {
    const character = code[at]!
    if (character === ";") return at + 1
    if (character === "}") return at
    if (character === "(" || character === "[" || character === "{") at = closeOf.get(at) ?? at
  }
  return limit
}

function rowEnd(code: string, from: number): number {
  const newline = code.indexOf("\n", from)
  return newline < 0 ? code.length : newline
}

/** A backslash goes on below. */
function continuedRowEnd(from: number, limit: number, code: string): number {
  let end = rowEnd(code, from)
  while (end + 1 < limit && code[end - 1] === "\\") end = rowEnd(code, end + 1)
  return end
}

/** Comments are spaces here: those of the next definition are no part of this one. */
function trimmedEnd(code: string, from: number, end: number): number {
  let at = Math.min(end, code.length)
  while (at > from && isSpace(code.charCodeAt(at - 1))) at--
  return at
}
