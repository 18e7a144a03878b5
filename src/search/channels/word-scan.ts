/*
 * Ranks texts by the words of a query without an index, for answers while the first index is being built. `add` notes
 * the matching lines of a text; `best` scores all texts with BM25 over what has been added, and chooses the lines of
 * each with the rarest words. Words are split and stemmed as in the index; meaning, syntax trees and links between
 * files are not considered.
 */

import { bm25, compareTexts, inverseDocumentFrequency } from "../../base/index.ts"
import { pathFlags } from "../../parse/index.ts"
import { pathWords, type QueryWord, queryTerms, termOf, words } from "../../text/index.ts"

/** A text that has words of the query. `score` is above 0. Lines are 1-based. */
export type ScannedText = {
  readonly path: string
  readonly score: number
  readonly startLine: number
  readonly endLine: number
}

/** `words` has bit i set if the line has word i of the query. */
type MatchingLine = { readonly line: number; readonly words: number; readonly isDefinition: boolean }

type Candidate = {
  readonly path: string
  readonly characters: number
  /** Weighted number of occurrences of each word of the query. */
  readonly counts: Float64Array
  readonly lines: readonly MatchingLine[]
}

// Occurrences that one in a definition's line, in the file's name and in its folder count as. Estimates, not fitted.
const DEFINITION_COUNT = 3
const STEM_COUNT = 4
const FOLDER_COUNT = 1
// Factor for tests, examples, vendored code and documents, which the index ranks lower, too. An estimate.
const ASIDE_FACTOR = 0.7
/** Matching lines of one text that are noted; more do not change its score much. */
const MAX_LINES = 500
/** Number of lines shown of a text. */
const SHOWN_LINES = 8

/** Matches the beginning of a line that defines something, up to the name. */
export const DEFINITION =
  /^[ \t]*(?:(?:export|default|abstract|public|private|protected|internal|static|final|pub(?:\([\w ]+\))?|async|override)[ \t]+){0,5}(?:class|struct|interface|trait|enum|module|defmodule|namespace|type|func|fun|fn|function\*?|def|defp|object|record|const|#define)[ \t]/

export class WordScan {
  readonly #words: readonly QueryWord[]
  /** Position of the query's word that a term counts as. */
  readonly #wordOf = new Map<string, number>()
  /** Position by word as it occurs in texts, so that each is stemmed once; -1 for words that are not in the query. */
  readonly #known = new Map<string, number>()
  readonly #pattern: RegExp
  readonly #candidates: Candidate[] = []
  #texts = 0
  #characters = 0

  constructor(query: string) {
    this.#words = queryTerms(query)
    for (const [at, { forms }] of this.#words.entries())
      for (const form of forms) if (!this.#wordOf.has(form)) this.#wordOf.set(form, at)
    const beginnings = this.#words.flatMap(({ word, forms }) => forms.map((form) => sharedStart(word, form)))
    const escaped = [...new Set(beginnings)].map((start) => start.replace(/[^\p{L}\p{M}\p{N}]/gu, "\\$&"))
    this.#pattern = new RegExp(escaped.join("|"), "giu")
  }

  /** True if the query has no word to search for. */
  get isEmpty(): boolean {
    return this.#words.length === 0
  }

  /** True if the text has a word of the query. */
  isIn(text: string): boolean {
    return this.#matchingLines(text, new Float64Array(this.#words.length)).length > 0
  }

  add(path: string, text: string): void {
    this.#texts++
    this.#characters += text.length
    const counts = new Float64Array(this.#words.length)
    const { stem, folder } = pathWords(path)
    for (const term of folder) this.#count(counts, this.#wordOf.get(term), FOLDER_COUNT)
    for (const term of stem) this.#count(counts, this.#wordOf.get(term), STEM_COUNT)
    const lines = this.#matchingLines(text, counts)
    if (counts.some((count) => count > 0))
      this.#candidates.push({ path, characters: text.length, counts, lines })
  }

  /** The texts with the highest scores, best first; equal scores in the order of their paths. */
  best(limit: number): ScannedText[] {
    const rarity = this.#words.map(({ weight }, at) => {
      const having = this.#candidates.reduce((sum, { counts }) => sum + Number(counts[at]! > 0), 0)
      return weight * inverseDocumentFrequency(this.#texts, having)
    })
    const mean = Math.max(1, this.#characters / Math.max(1, this.#texts))
    return this.#candidates
      .map((candidate) => ({ candidate, score: scoreOf(candidate, rarity, mean) }))
      .sort((a, b) => b.score - a.score || compareTexts(a.candidate.path, b.candidate.path))
      .slice(0, limit)
      .map(({ candidate, score }) => ({ path: candidate.path, score, ...shownLines(candidate, rarity) }))
  }

  #matchingLines(text: string, counts: Float64Array): MatchingLine[] {
    const lines: MatchingLine[] = []
    const pattern = this.#pattern
    let line = 1
    let lineStart = 0
    pattern.lastIndex = 0
    for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
      let next = text.indexOf("\n", lineStart)
      for (; next >= 0 && next < found.index; next = text.indexOf("\n", lineStart)) {
        line++
        lineStart = next + 1
      }
      const row = text.slice(lineStart, next < 0 ? text.length : next)
      const isDefinition = DEFINITION.test(row)
      const held = this.#countLine(row, counts, isDefinition ? DEFINITION_COUNT : 1)
      if (held !== 0) lines.push({ line, words: held, isDefinition })
      if (next < 0 || lines.length === MAX_LINES) break
      pattern.lastIndex = next + 1
    }
    return lines
  }

  /** Adds the words of a line to the counts; returns the bits of the query's words that it has. */
  #countLine(row: string, counts: Float64Array, count: number): number {
    let held = 0
    for (const word of words(row)) {
      let at = this.#known.get(word)
      if (at === undefined) {
        at = this.#wordOf.get(termOf(word)) ?? -1
        this.#known.set(word, at)
      }
      if (at < 0) continue
      held |= 1 << at
      this.#count(counts, at, count)
    }
    return held
  }

  #count(counts: Float64Array, at: number | undefined, count: number): void {
    if (at !== undefined) counts[at]! += count
  }
}

/** The beginning that a word shares with its stem or compound, by which lines are found before their words are compared. */
function sharedStart(word: string, form: string): string {
  let length = 0
  while (length < word.length && word[length] === form[length]) length++
  return length >= Math.min(3, word.length) ? word.slice(0, length) : form
}

function scoreOf({ path, counts, characters }: Candidate, rarity: readonly number[], mean: number): number {
  const sum = rarity.reduce((total, rare, at) => total + rare * bm25(counts[at]!, characters / mean), 0)
  return pathFlags(path) === 0 ? sum : sum * ASIDE_FACTOR
}

/** The lines with the rarest words; among equal ones those of a definition, then the first. */
function shownLines(
  { lines }: Candidate,
  rarity: readonly number[],
): Pick<ScannedText, "startLine" | "endLine"> {
  let best = 0
  let startLine = 1
  for (const [at, { line, isDefinition }] of lines.entries()) {
    let held = 0
    for (let to = at; to < lines.length && lines[to]!.line < line + SHOWN_LINES; to++)
      held |= lines[to]!.words
    let value = rarity.reduce((sum, rare, word) => sum + (((held >>> word) & 1) === 1 ? rare : 0), 0)
    if (isDefinition) value *= 1.25
    if (value <= best) continue
    best = value
    startLine = line
  }
  return { startLine, endLine: startLine + SHOWN_LINES - 1 }
}
