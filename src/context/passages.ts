import type { Passage, SearchAnswer, SearchRequest, SearchResult } from "../base/index.ts"
import { type AnswerOptions, type Project, withIndexRepair } from "../index/index.ts"
import { searchProject, withNames, withoutSyntax } from "../search/index.ts"
import { qualifiedName } from "../symbols/index.ts"
import { countTokens, oneLine } from "../text/index.ts"
import { type LocateResult, rarityIn, sourceFiles } from "./assemble.ts"
import { placesIn } from "./context-project.ts"
import { expectedGains } from "./gain.ts"
import { choiceOrder, likelyPieces, Pack, type ScoredPiece } from "./pack.ts"
import type { SourceFile } from "./pieces.ts"
import { lineWithMost } from "./snippets.ts"
import { QueryWords, TaskTerms } from "./task-terms.ts"

/**
 * Factor for the token budget, because packing also counts reasons, which are not printed. Answers to a budget of 1,500
 * tokens had 1,623 at the median with 1.25 (64 tasks of 9 projects).
 */
const PACKING = 1.15
/** Max share of the tokens that is reserved for results of which only one line is shown. */
const NAMES_SHARE = 0.3

const NAME_TOKENS = 30

/** Searches a project; the results have the form that the request asks for. */
export function searchInForm(
  project: Project,
  request: SearchRequest,
  options: AnswerOptions,
): Promise<SearchAnswer> {
  return withIndexRepair(project, options, async () =>
    inForm(await searchProject(project, request, options), request, placesIn(project)),
  )
}

/** The answer in the form that the request asks for: at the best pieces, with passages, or as it is. */
export function inForm(
  answer: SearchAnswer,
  { brief = false, passageTokens }: SearchRequest,
  places: LocateResult,
): SearchAnswer {
  const whole = brief ? atBestPieces(answer, places) : answer
  return passageTokens === undefined ? whole : withPassages(whole, places, passageTokens)
}

/**
 * The answer with passages for each result: the pieces that most likely answer the query, whole and within
 * about `tokens` for all results together. A result without such a piece gets the line to start reading at.
 */
function withPassages(answer: SearchAnswer, places: LocateResult, tokens: number): SearchAnswer {
  if (answer.nearest_only === true) return answer
  const { query, files, task } = filesOf(answer, places)
  const gains = expectedGains(files, task, query, false)
  const names = Math.min(tokens * NAMES_SHARE, files.length * NAME_TOKENS)
  const pack = new Pack((tokens - names) * PACKING, query, countTokens)
  pack.fill(choiceOrder(gains))
  const byResult = new Map(files.map((file) => [file.result, file]))
  const results = answer.results.map((result) => {
    const file = byResult.get(result)
    if (file === undefined) return result
    const match = matchWithin(result, file.named?.startLine)
    return { ...result, passages: match === null ? resultPassages(file, pack, query) : [match] }
  })
  return { ...answer, results }
}

/**
 * The answer with each result moved to the one piece of its file that most likely answers the query, whole, with
 * the line of its definition. A result without such a piece stays where the search found it.
 */
export function atBestPieces(answer: SearchAnswer, places: LocateResult): SearchAnswer {
  if (answer.nearest_only === true) return answer
  const { files, task, query } = filesOf(answer, places)
  const pieces = likelyPieces(files, task, query, answer.query)
  const best = new Map([...pieces].map(([file, likely]) => [file.result, likely]))
  const named = new Map(files.map((file) => [file.result, file.named?.startLine]))
  const results = answer.results.map((result) => {
    const [candidate, ...others] = best.get(result) ?? []
    const match = matchWithin(result, named.get(result))
    if (match !== null) return { ...result, ...match, line: result.match! }
    if (candidate !== undefined) return { ...movedTo(result, candidate), ...furtherLines(others) }
    const line = named.get(result)
    return line === undefined ? result : { ...result, line }
  })
  return { ...answer, results }
}

/** Lines shown before and after the line that matches a pattern. */
const BEFORE_MATCH = 1
const AFTER_MATCH = 4

/** The lines around the match of a pattern; null if there is none, or it is the definition that is shown anyway. */
function matchWithin({ match, text, start_line }: SearchResult, named: number | undefined): Passage | null {
  if (match === undefined || match === named) return null
  const lines = text.split("\n")
  const from = Math.max(0, match - start_line - BEFORE_MATCH)
  const shown = lines.slice(from, match - start_line + AFTER_MATCH + 1)
  return {
    start_line: start_line + from,
    end_line: start_line + from + shown.length - 1,
    text: shown.join("\n"),
  }
}

/** The line that defines the symbol of each piece, once; absent for pieces without one. */
function furtherLines(pieces: readonly ScoredPiece[]): Pick<SearchResult, "passages"> {
  const passages = new Map<number, Passage>()
  for (const { file, piece } of pieces) {
    if (piece.symbol === null) continue
    const { name, startLine, endLine } = piece.symbol
    const last = name.split(/[.:#]+/).at(-1)!
    const lines = file.between(startLine, Math.min(endLine, startLine + MAX_BEFORE_NAME))
    const at = Math.max(
      0,
      lines.findIndex((each) => each.includes(last)),
    )
    const line = startLine + at
    if (lines[at] !== undefined) passages.set(line, { start_line: line, end_line: line, text: lines[at] })
  }
  return passages.size === 0 ? {} : { passages: [...passages.values()] }
}

/** Maximum number of lines, such as decorators, that a definition has before the line with its name. */
const MAX_BEFORE_NAME = 6

/** The files of an answer, and the words by which their pieces are compared. */
function filesOf(answer: SearchAnswer, places: LocateResult) {
  const text = withNames(withoutSyntax(answer.query), answer.names)
  const files = sourceFiles(answer, places)
  return { files, query: new QueryWords(text), task: new TaskTerms(text, rarityIn(files)) }
}

function movedTo(result: SearchResult, { file, piece }: ScoredPiece): SearchResult {
  const { named } = file
  // If search found a definition, the definition is shown and not the section or type around it.
  const isInner =
    named !== null &&
    named.startLine > (piece.symbol?.startLine ?? piece.startLine) &&
    named.endLine <= piece.endLine
  const { startLine, endLine } = isInner ? named : piece
  const symbol = isInner ? named : piece.symbol
  const at = { start_line: startLine, end_line: endLine, text: file.between(startLine, endLine).join("\n") }
  if (symbol === null) return { ...result, ...at, symbol: null, kind: "block" }
  return { ...result, ...at, symbol: qualifiedName({ symbol }), kind: symbol.kind, line: symbol.startLine }
}

function resultPassages(file: SourceFile, pack: Pack, query: QueryWords): Passage[] {
  const chosen = pack.snippets(file).map(({ text, lines }) => {
    const [start, end] = lines.split("-").map(Number)
    return { start_line: start!, end_line: end!, text }
  })
  return chosen.length > 0 ? chosen : [firstLine(file, query)]
}

/** Signature of the definition that search found; without a definition, the line with most words of the query. */
function firstLine({ result, named }: SourceFile, query: QueryWords): Passage {
  const { startLine: line, signature } = named ?? signaturePassage(result, query)
  return { start_line: line, end_line: line, text: oneLine(signature, 100) }
}

function signaturePassage({ text, start_line }: SearchResult, query: QueryWords) {
  const { at, text: signature } = lineWithMost(text.split("\n"), query)
  return { startLine: start_line + at, signature }
}
