import type { Definition } from "../definitions.ts"
import { indentOf, isSpace, type TextLines } from "../text-lines.ts"
import { type Blanked, blankOut } from "./blank-out.ts"
import { type Brackets, matchBrackets } from "./brackets.ts"
import { type CandidateDefinition, findCandidates } from "./candidates.ts"
import type { RuleSet } from "./rule.ts"

/**
 * Finds definitions and comments by rules, in time linear in the length of the text, whatever the text. Steps: replace
 * comments and strings by blanks, match brackets, find the rows that begin a definition (candidates), and find the end
 * of each. A candidate without an end is no definition.
 */
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
    const end = findEnd(candidate, { limit: siblings[at]!, byRow: ends[at]!, code, brackets })
    if (end && candidate.rule.isOpaque) opaqueUntil = end.end
    return end ? [definitionOf(candidate, end, code)] : []
  })
  return { definitions, comments, code }
}

type DefinitionEnd = { readonly end: number; readonly bodyStart: number | null }

function definitionOf(
  candidate: CandidateDefinition,
  { end, bodyStart }: DefinitionEnd,
  code: string,
): Definition {
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

/**
 * For each candidate, the offset of the next candidate that is not nested more deeply. The search for the end of the
 * definition stops there.
 */
function nextSiblings(candidates: readonly CandidateDefinition[], length: number): number[] {
  const next = new Array<number>(candidates.length).fill(length)
  const waiting: number[] = []
  for (const [at, { depth, start }] of candidates.entries()) {
    while (waiting.length > 0 && candidates[waiting.at(-1)!]!.depth >= depth) next[waiting.pop()!] = start
    waiting.push(at)
  }
  return next
}

type ExtentContext = {
  /** Offset before which the definition must end. */
  readonly limit: number
  /** End of the definition, if rows determine it (see `rowwiseEnds`); otherwise -1. */
  readonly byRow: number
  readonly code: string
  readonly brackets: Brackets
}

function findEnd(candidate: CandidateDefinition, place: ExtentContext): DefinitionEnd | null {
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

/** Matches text that may follow, on the next row, between a signature and its block. */
const CONTINUES = /\s*(?:[{:]|throws\b|where\b|requires\b)/y

/** Offset of the brace that opens the block of a definition; -1 if the definition has no block. */
function blockAfter(
  { rule, from }: CandidateDefinition,
  { limit, code, brackets: { closeOf } }: ExtentContext,
): number {
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

function bracketEnd({ start, from }: CandidateDefinition, { limit, code, brackets }: ExtentContext): number {
  let at = code[start] === "(" ? start : from
  while (at < limit && code[at] !== "(") at++
  const close = brackets.closeOf.get(at)
  return close === undefined ? rowEnd(code, from) : close + 1
}

function statementEnd(from: number, { limit, code, brackets: { closeOf } }: ExtentContext): number {
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

/** End of the row. If the row ends with a backslash, the next row is included, and so on. */
function continuedRowEnd(from: number, limit: number, code: string): number {
  let end = rowEnd(code, from)
  while (end + 1 < limit && code[end - 1] === "\\") end = rowEnd(code, end + 1)
  return end
}

/** Removes comments at the end of the definition (they are blanks here), because they belong to the next definition. */
function trimmedEnd(code: string, from: number, end: number): number {
  let at = Math.min(end, code.length)
  while (at > from && isSpace(code.charCodeAt(at - 1))) at--
  return at
}

/** Matches rows that close or continue a block that began with the same indentation. */
const CLOSES = /^(?:[)\]}]|end\b|fi\b|done\b|esac\b)/i
const GOES_ON =
  /^(?:[{(]|begin\b|is\b|as\b|do\b|then\b|else|elsif\b|elif\b|rescue\b|ensure\b|catch\b|finally\b|except\b)/i

/** Maximum number of definitions that are open at once. Deeper nesting is hostile. */
const MAX_OPEN = 40

/**
 * For definitions whose extent is found row by row (indent, section, RegExp), the offset of their end. -1 for all other
 * definitions, and for those that no row ends.
 */
function rowwiseEnds(candidates: readonly CandidateDefinition[], lines: TextLines, code: string): Int32Array {
  const ends = new Int32Array(candidates.length).fill(-1)
  const open: number[] = []
  let next = 0
  let lastEnd = 0
  for (let row = 0; row < lines.count; row++) {
    const indent = codeIndent(row, lines, code)
    if (indent < 0) continue
    const here = candidates[next]?.row === row ? next++ : null
    const end = lines.starts[row + 1]!
    closeOpen(
      { candidates, open, here, indent, row: rowText(row, indent, lines, code) },
      { end, lastEnd, ends },
    )
    if (here !== null && endsByRow(candidates[here]!) && open.length < MAX_OPEN) open.push(here)
    lastEnd = end
  }
  // No row ended these definitions, so each ends at its limit.
  const atEnd = open.filter((at) => !(candidates[at]!.rule.extent instanceof RegExp))
  for (const at of atEnd) ends[at] = lastEnd
  return ends
}

function closeOpen(
  state: NestingState,
  { end, lastEnd, ends }: { end: number; lastEnd: number; ends: Int32Array },
): void {
  const closed = firstClosed(state)
  if (!closed) return
  for (const at of state.open.splice(closed.from)) ends[at] = closed.isInclusive ? end : lastEnd
}

function rowText(row: number, indent: number, { starts }: TextLines, code: string): string {
  const start = starts[row]! + indent
  return code.slice(start, Math.min(starts[row + 1]!, start + MAX_ROW_CHARS))
}

/** Maximum number of characters of a row that are examined. */
const MAX_ROW_CHARS = 200

/** Indentation of a row in characters; -1 if the row is blank, or begins with or inside a comment or string. */
function codeIndent(row: number, lines: TextLines, code: string): number {
  const indent = indentOf(lines, row)
  const at = lines.starts[row]! + indent
  return indent >= 0 && code[at] === lines.text[at] ? indent : -1
}

type NestingState = {
  readonly candidates: readonly CandidateDefinition[]
  readonly open: number[]
  /** The candidate that begins on this row; null if there is none. */
  readonly here: number | null
  readonly indent: number
  readonly row: string
}

function endsByRow({ rule: { extent } }: CandidateDefinition): boolean {
  return extent === "indent" || extent === "block" || extent === "section" || extent instanceof RegExp
}

/** The outermost open definition that this row ends; null if the row ends none. */
function firstClosed(state: NestingState): { from: number; isInclusive: boolean } | null {
  for (const [from, at] of state.open.entries()) {
    const isInclusive = endsDefinition(state.candidates[at]!, state, !hasBlock(state, from + 1))
    if (isInclusive !== null) return { from, isInclusive }
  }
  return null
}

/** True if an inner definition is still waiting for the row that ends it. */
function hasBlock({ open, candidates }: NestingState, from: number): boolean {
  return open.slice(from).some((at) => candidates[at]!.rule.extent instanceof RegExp)
}

/**
 * True if the row ends the definition and belongs to it; false if it ends it and does not; null if it does not end it.
 */
function endsDefinition(
  { rule, indent }: CandidateDefinition,
  state: NestingState,
  isInnermost: boolean,
): boolean | null {
  if (rule.extent === "section") return isNextSection(rule.level, state) ? false : null
  if (rule.extent instanceof RegExp) {
    return isInnermost && state.indent <= indent && rule.extent.test(state.row) ? true : null
  }
  if (state.indent > indent) return null
  if (state.indent < indent) return false
  if (CLOSES.test(state.row)) return true
  return GOES_ON.test(state.row) ? null : false
}

function isNextSection(level: number | undefined, { here, candidates }: NestingState): boolean {
  const next = here === null ? null : candidates[here]!.rule
  return next?.extent === "section" && (next.level ?? 1) <= (level ?? 1)
}
