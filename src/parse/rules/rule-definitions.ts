import { type ChunkSizes, partChars } from "../chunk/chunk.ts"
import { type Cut, cutUnits } from "../chunk/cut.ts"
import { definitionUnits } from "../chunk/definition-units.ts"
import {
  type Definition,
  isTypeLike,
  listedNames,
  type NestedDefinition,
  nestDefinitions,
} from "../definitions.ts"
import { type CodeCaptures, NO_CODE } from "../file/islands.ts"
import { MAX_IMPORTS } from "../parsed-file.ts"
import { mergeSpans } from "../spans.ts"
import { indentOf, isSpace, type TextLines } from "../text-lines.ts"
import type { DefinitionRule, DelimitedSpan, RuleSet } from "./rule.ts"
import { rulesOf } from "./table.ts"

/**
 * Cuts a file by the rules of its language and by what the code inside it defines; null if there are no rules, or if
 * nothing is defined.
 */
export function cutByRules(
  languageId: string,
  lines: TextLines,
  options: ChunkSizes,
  inside: CodeCaptures = NO_CODE,
): Cut | null {
  const rules = rulesOf(languageId)
  if (!rules) return null
  const found = ruleDefinitions(lines, rules)
  const all = [...found.definitions, ...inside.definitions]
  if (all.length === 0) return null
  const { code } = found
  const comments =
    inside.comments.length === 0 ? found.comments : mergeSpans([...found.comments, ...inside.comments])
  const definitions = nestDefinitions(listedNames(all)).filter(isInPlace)
  const rows = { startRow: 0, endRow: lines.count - 1 }
  const units = definitionUnits({ lines, definitions, comments, runChars: partChars(options) }, rows)
  const captures = {
    comments,
    docs: inside.docs,
    imports: [...importsOf(lines.text, code, rules.imports), ...inside.imports],
    package: rules.package?.exec(lines.text)?.[1] ?? null,
  }
  return cutUnits("rules", { units, definitions }, captures, lines, options)
}

/**
 * True for a definition that should be listed. False for a field outside of a type, because in GraphQL such a field is
 * part of a query and not of a schema.
 */
function isInPlace({ kind, owner, parent }: NestedDefinition): boolean {
  return kind !== "field" || owner !== null || isTypeLike(parent?.kind ?? null)
}

function importsOf(text: string, code: string, pattern: RegExp | undefined): string[] {
  const found = new Set<string>()
  if (!pattern) return []
  for (const { index, 0: row, 1: name } of text.matchAll(pattern)) {
    const isCode = code.startsWith(row.trimStart()[0] ?? "", index + row.length - row.trimStart().length)
    if (isCode && name && found.add(name).size === MAX_IMPORTS) break
  }
  return [...found]
}

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
  const seen = new Set<string>()
  const definitions = candidates.flatMap((candidate, at) => {
    if (candidate.start < opaqueUntil) return []
    if (candidate.rule.isFirstOnly && seen.size === seen.add(candidate.name).size) return []
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
      rule.extent satisfies RegExp | "indent" | "section"
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

/** A row that matches a rule and so may begin a definition. */
type CandidateDefinition = {
  readonly rule: DefinitionRule
  readonly name: string
  readonly owner: string | null
  readonly row: number
  readonly start: number
  /** Offset of the end of the match. The text after it decides where the definition ends. */
  readonly from: number
  readonly indent: number
  readonly depth: number
}

/**
 * Maximum number of characters that a pattern is matched against. It is enough for a declaration, and it bounds the
 * time.
 */
const WINDOW_CHARS = 500

/** Maximum number of open brackets. Code that is nested more deeply is generated or hostile. */
const MAX_DEPTH = 40

/** Finds the lines that begin a definition. If several rules match a line, the first one in the list applies. */
function findCandidates(
  lines: TextLines,
  code: string,
  brackets: Brackets,
  rules: readonly DefinitionRule[],
): CandidateDefinition[] {
  const candidates: CandidateDefinition[] = []
  for (let row = 0; row < lines.count; row++) {
    const indent = indentOf(lines, row)
    const depth = brackets.depths[row]!
    const rowStart = lines.starts[row]!
    // Skips a row that begins inside a comment or string.
    if (indent < 0 || depth > MAX_DEPTH || code[rowStart + indent] !== lines.text[rowStart + indent]) continue
    const window = lines.text.slice(rowStart, rowStart + WINDOW_CHARS)
    const found = firstMatch(rules, window, depth)
    if (!found) continue
    const [rule, match] = found
    candidates.push({
      rule,
      name: cleaned(match.groups!["name"]!),
      owner: match.groups!["owner"] ?? null,
      row,
      start: rowStart + indent,
      from: rowStart + match[0].length,
      indent,
      depth,
    })
  }
  return candidates
}

function firstMatch(
  rules: readonly DefinitionRule[],
  window: string,
  depth: number,
): [DefinitionRule, RegExpExecArray] | null {
  for (const rule of rules) {
    if (depth > (rule.maxDepth ?? MAX_DEPTH) || depth < (rule.minDepth ?? 0)) continue
    const match = rule.pattern.exec(window)
    if (match?.groups?.["name"]) return [rule, match]
  }
  return null
}

/** The name without the quotes of SQL, R and Nix, and with white space collapsed. */
function cleaned(name: string): string {
  return name
    .replace(/["'`[\]]/g, "")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, 120)
}

type Blanked = {
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
function blankOut(text: string, spans: readonly DelimitedSpan[]): Blanked {
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

/** The brackets of a text, as offsets. */
type Brackets = {
  /** Offset of the closing bracket by that of the opening one. An opening bracket that is not closed is absent. */
  readonly closeOf: ReadonlyMap<number, number>
  /** Number of brackets that are open at the start of each row. */
  readonly depths: Uint16Array
}

const PARTNER: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" }
const MAX_STORED_DEPTH = 0xffff

/**
 * Matches brackets. A closing brace also closes all brackets that are open inside its block. Any other closing bracket
 * closes the innermost open bracket if that is of the same kind, and otherwise none.
 */
function matchBrackets(code: string, { starts, count }: TextLines): Brackets {
  const closeOf = new Map<number, number>()
  const depths = new Uint16Array(count)
  const open: OpenBrackets = { at: [], braces: 0 }
  let row = 0
  for (const { index, 0: bracket } of code.matchAll(/[()[\]{}]/g)) {
    while (row < count && starts[row]! <= index) depths[row++] = Math.min(open.at.length, MAX_STORED_DEPTH)
    const opened = matchBracket(bracket, index, open, code)
    if (opened !== undefined) closeOf.set(opened, index)
  }
  while (row < count) depths[row++] = Math.min(open.at.length, MAX_STORED_DEPTH)
  return { closeOf, depths }
}

type OpenBrackets = { readonly at: number[]; braces: number }

/** Offset of the opening bracket that this bracket closes; undefined if it closes none. */
function matchBracket(bracket: string, index: number, open: OpenBrackets, code: string): number | undefined {
  const partner = PARTNER[bracket]
  if (partner === undefined) {
    open.at.push(index)
    if (bracket === "{") open.braces++
    return undefined
  }
  if (bracket === "}" && open.braces > 0) {
    while (code[open.at.at(-1)!] !== "{") open.at.pop()
    open.braces--
  }
  return code[open.at.at(-1) ?? -1] === partner ? open.at.pop() : undefined
}
