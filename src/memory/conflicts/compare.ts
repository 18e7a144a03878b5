/*
 * Compares two sentences without knowing their language: which words, names and numbers they share, where they differ in
 * order, and what stands in those places. A word equals another that differs only in its ending.
 */

import { isFunctionWord, stem } from "../../text/index.ts"
import { calendarName, UNSPACED_NAMES } from "./calendar.ts"
import { isCount, isCue } from "./cues.ts"

export type Token = {
  /** Normalised: lower case, stemmed. */
  readonly key: string
  /** name: capitalised inside a sentence; code: with digits, signs or inner capitals. */
  readonly kind: "word" | "name" | "code" | "number"
  /** How much the token tells, 0 to 1: function words and single characters of a word tell little. */
  readonly weight: number
}

const UNSPACED = "\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Hangul}ー"
const LETTER = `[[\\p{L}\\p{N}\\p{M}]--[${UNSPACED}]]`
const TOKENS = new RegExp(
  `${UNSPACED_NAMES}|\\p{sc=Han}|\\p{sc=Hiragana}|[\\p{sc=Katakana}ー]+|\\p{sc=Hangul}+|${LETTER}+(?:[._:\\/@#+'’\\-]${LETTER}+)*%?`,
  "gv",
)
/** Maximum tokens of a sentence that are compared. */
const MAX_TOKENS = 60

export function tokensOf(sentence: string): Token[] {
  const tokens: Token[] = []
  const text = sentence.normalize("NFKC").replace(/(?<=\d),(?=\d{3})/g, "")
  for (const match of text.matchAll(TOKENS)) {
    const isFirst = !/[\p{L}\p{N}]/u.test(text.slice(0, match.index))
    for (const part of match[0].split(/(?<=^\p{L}{1,2})['’]|['’](?=s$)/u)) tokens.push(tokenOf(part, isFirst))
    if (tokens.length >= MAX_TOKENS) break
  }
  return tokens
}

// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one flat list of cases
function tokenOf(word: string, isFirst: boolean): Token {
  const lower = word.toLowerCase()
  if (/^\p{N}/u.test(word)) return { key: lower, kind: "number", weight: 1 }
  // "may" in lower case is a doubt.
  const name = word === lower && isCue(lower) ? null : calendarName(lower)
  if (name !== null || isCount(lower)) return { key: name ?? lower.slice(0, 4), kind: "number", weight: 1 }
  if (/^\p{sc=Han}$/u.test(word)) return { key: word, kind: "word", weight: 0.5 }
  if (/^\p{sc=Hiragana}$/u.test(word)) return { key: word, kind: "word", weight: 0.1 }
  if (/^\p{sc=Hangul}/u.test(word))
    return { key: word, kind: "word", weight: [0.2, 0.8][word.length - 1] ?? 1 }
  if (/^\p{sc=Katakana}/u.test(word)) return { key: word, kind: "word", weight: word.length > 1 ? 1 : 0.2 }
  if (/[\p{N}_./@#:]|\p{Ll}\p{Lu}|^\p{Lu}{2,}$/u.test(word)) return { key: lower, kind: "code", weight: 1 }
  if (/^\p{Lu}$/u.test(word) && !isFirst && word !== "I") return { key: lower, kind: "code", weight: 1 }
  const isWeak = isFunctionWord(lower) || isCue(lower)
  const weight = isWeak ? 0.1 : ([0.1, 0.2, 0.4, 0.75][lower.length - 1] ?? 1)
  const isName = /^\p{Lu}\p{Ll}/u.test(word) && !isFirst && !isWeak
  return { key: stem(lower), kind: isName ? "name" : "word", weight: isName ? 1 : weight }
}

/** True for equal tokens, and for words that differ only in their ending. */
function isSame(a: Token, b: Token): boolean {
  const x = a.key
  const y = b.key
  if (x === y) return true
  // Most pairs end here, because a sentence has few words with one initial.
  if (x.charCodeAt(0) !== y.charCodeAt(0)) return false
  if (a.kind === "number" || b.kind === "number" || a.kind === "code" || b.kind === "code") return false
  const longest = Math.max(x.length, y.length)
  let same = 1
  while (same < x.length && x.charCodeAt(same) === y.charCodeAt(same)) same++
  // A syllable of Hangul is a whole consonant and vowel: the particle after a noun is one or two of them.
  if (HANGUL.test(x)) return same >= 2 && longest - same <= 2
  return same >= 3 && longest - same <= 4 && same >= 0.7 * longest
}

const HANGUL = /^\p{sc=Hangul}/u

/** True for two words of which one is the other after a short prefix: "active", "inactive"; "включён", "выключен". */
function isOpposite(a: Token, b: Token): boolean {
  if (a.kind !== "word" || b.kind !== "word" || a.key === b.key) return false
  const [x, y] = [a.key, b.key]
  let same = 0
  while (same < Math.min(x.length, y.length) && x.at(-1 - same) === y.at(-1 - same)) same++
  const [left, other] = [x.length - same, y.length - same]
  return same >= 4 && Math.min(left, other) <= 1 && left !== other && Math.max(left, other) <= 3
}

/** A place where two sentences differ between words that they share. */
type Gap = {
  readonly a: readonly Token[]
  readonly b: readonly Token[]
  readonly isFirst: boolean
}

/** Facts about two sentences, each 0 to 1 or a small number. */
export function compareTokens(a: readonly Token[], b: readonly Token[]) {
  const { same, all } = gapsBetween(a, b)
  const gaps = all.filter((gap) => isTelling(gap.a) || isTelling(gap.b))
  const both = gaps.filter((gap) => isTelling(gap.a) && isTelling(gap.b))
  const ownA = a.filter((_, i) => !same.subarray(i * b.length, (i + 1) * b.length).includes(1))
  const ownB = b.filter((_, j) => a.every((_, i) => same[i * b.length + j] === 0))
  const [sumA, sumB] = [weightOf(a), weightOf(b)]
  const [leftA, leftB] = [weightOf(ownA), weightOf(ownB)]
  const coveredA = 1 - leftA / Math.max(sumA, 0.1)
  const coveredB = 1 - leftB / Math.max(sumB, 0.1)
  const values = (tokens: readonly Token[]) => tokens.filter(({ kind }) => kind !== "word")
  const numbers = (tokens: readonly Token[]) => tokens.filter(({ kind }) => kind === "number")
  const first = both.find(({ isFirst }) => isFirst)
  const placed = both.filter(({ isFirst }) => !isFirst)
  return {
    coveredA,
    coveredB,
    less: Math.min(coveredA, coveredB),
    more: Math.max(coveredA, coveredB),
    shared: Math.min(sumA - leftA, 4),
    ownOld: Math.min(leftA, 6),
    ownNew: Math.min(leftB, 6),
    oneGap: Number(gaps.length === 1 && both.length === 1 && !first),
    gapsBoth: Math.min(both.length, 4),
    gapsOneSide: Math.min(gaps.length - both.length, 4),
    otherFirst: Number(first !== undefined && both.length > 1),
    sameUnit: Number(hasOtherAmount(a, b)),
    numberGap: Number(placed.some((gap) => numbers(gap.a).length > 0 && numbers(gap.b).length > 0)),
    nameGap: Number(
      placed.some(
        (gap) =>
          values(gap.a).length > 0 &&
          values(gap.b).length > 0 &&
          numbers(gap.a).length + numbers(gap.b).length === 0,
      ),
    ),
    otherNumbers: Number(numbers(ownA).length > 0 && numbers(ownB).length > 0),
    otherNames: Number(
      values(ownA).length > numbers(ownA).length && values(ownB).length > numbers(ownB).length,
    ),
    keptValue: Number(values(a).some((one) => !ownA.includes(one)) && values(ownB).length > 0),
    opposite: Number(ownA.some((one) => ownB.some((other) => isOpposite(one, other)))),
    sharedFirst: Number(sharesFirst(a, b)) + Number(sharesFirst(b, a)),
    // Letters as in "server A" tell two things apart.
    otherLetter: Number(
      [ownA, ownB].every((side) => side.some(({ key, kind }) => kind === "code" && key.length === 1)),
    ),
    sameValues: Number(values(a).length > 0 && values(ownA).length + values(ownB).length === 0),
  }
}

/** True when both count the same thing, differently: a number before the same word, or with the same unit. */
function hasOtherAmount(a: readonly Token[], b: readonly Token[]): boolean {
  const amounts = (tokens: readonly Token[]) =>
    tokens.flatMap(({ key, kind }, i) => {
      const [, value, unit = ""] = kind === "number" ? (/^([\d.]+)(\D*)$/.exec(key) ?? [key, key]) : []
      const next = tokens[i + 1]
      return value === undefined ? [] : [{ value, unit, next }]
    })
  const [x, y] = [amounts(a), amounts(b)]
  return x.some((one) =>
    y.some(
      (other) =>
        one.value !== other.value &&
        one.unit === other.unit &&
        (one.unit !== "" ||
          (one.next !== undefined && other.next !== undefined && isSame(one.next, other.next))) &&
        !y.some(({ value }) => value === one.value) &&
        !x.some(({ value }) => value === other.value),
    ),
  )
}

/** True when the first telling token of `a` is in `b`. */
function sharesFirst(a: readonly Token[], b: readonly Token[]): boolean {
  const first = a.find(({ weight }) => weight >= MIN_TELLING)
  return first !== undefined && b.some((other) => isSame(first, other))
}

/** Minimum weight of tokens that tell something. */
const MIN_TELLING = 0.4

function isTelling(tokens: readonly Token[]): boolean {
  return weightOf(tokens) >= MIN_TELLING && tokens.some(({ weight }) => weight >= MIN_TELLING)
}

function weightOf(tokens: readonly Token[]): number {
  return tokens.reduce((sum, { weight }) => sum + weight, 0)
}

/**
 * The differences of two token lists, in order, by their heaviest common subsequence. `same`: 1 for each two tokens that are
 * the same, one row after the other.
 */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one walk through one table
function gapsBetween(a: readonly Token[], b: readonly Token[]) {
  const width = b.length + 1
  const best = new Float64Array((a.length + 1) * width)
  const same = new Uint8Array(a.length * b.length)
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--) {
      const at = i * width + j
      const skip = Math.max(best[at + width]!, best[at + 1]!)
      const is = isSame(a[i]!, b[j]!)
      same[i * b.length + j] = Number(is)
      best[at] = is ? Math.max(skip, best[at + width + 1]! + a[i]!.weight) : skip
    }
  const gaps: Gap[] = []
  let [onlyA, onlyB]: [Token[], Token[]] = [[], []]
  let [i, j] = [0, 0]
  let hasShared = false
  const close = () => {
    if (onlyA.length + onlyB.length > 0) gaps.push({ a: onlyA, b: onlyB, isFirst: !hasShared })
    onlyA = []
    onlyB = []
  }
  while (i < a.length || j < b.length) {
    const at = i * width + j
    if (
      i < a.length &&
      j < b.length &&
      same[i * b.length + j] === 1 &&
      best[at] === best[at + width + 1]! + a[i]!.weight
    ) {
      // "Monday at 9" and "Friday at 11" differ in one place: a word that tells little does not part numbers.
      const isWithin =
        a[i]!.weight < MIN_TELLING && [onlyA, onlyB].every((side) => side.at(-1)?.kind === "number")
      if (!isWithin) close()
      hasShared ||= a[i]!.weight >= MIN_TELLING
      i++
      j++
    } else if (j >= b.length || (i < a.length && best[at + width]! >= best[at + 1]!)) onlyA.push(a[i++]!)
    else onlyB.push(b[j++]!)
  }
  close()
  return { same, all: gaps }
}

/** Share of the weight of `a` that `b` contains, 0 to 1. */
export function coverage(a: readonly Token[], b: readonly Token[]): number {
  const shared = a.filter((one) => b.some((other) => isSame(one, other)))
  return weightOf(shared) / Math.max(weightOf(a), 0.1)
}
