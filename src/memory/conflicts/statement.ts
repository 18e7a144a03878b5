/*
 * Turns a hit into a statement about the question: the sentence of its text that shares most with the question. Analyses
 * are cached by entry.
 */

import { glossOf, sentenceSpans, type TextSpan } from "../../text/index.ts"
import type { Entry } from "../entries/entry.ts"
import { comparable } from "../entries/labels.ts"
import { coverage, type Token, tokensOf } from "./compare.ts"
import { cuesOf } from "./cues.ts"
import type { ReadSentence } from "./odds.ts"

/** A found entry, as the ranking returns it. */
export type EntryHit = {
  readonly entry: Entry
  readonly score: number
  /** The part of a long text that matched; absent: the whole text. */
  readonly window?: TextSpan | null
}

/** The sentence of a hit that is about the question. */
export type Statement = ReadSentence & {
  readonly entry: Entry
  readonly score: number
  readonly rank: number
  /** Time in ms since 1970 from which the entry is valid, if it states one; else when it was recorded or, with a key, revised. */
  readonly at: number
  /** Tags and entities of the entry, normalised. */
  readonly labels: ReadonlySet<string>
}

export function readStatement(
  { entry, score, window }: EntryHit,
  rank: number,
  asked: readonly Token[],
): Statement {
  const { sentences, labels } = readEntry(entry, window ?? null)
  const shares = sentences.map(({ tokens }) => (sentences.length < 2 ? 0 : coverage(asked, tokens)))
  const best = sentences[shares.indexOf(Math.max(...shares))] ?? NOTHING
  const at = Date.parse(entry.validFrom ?? (entry.key === null ? entry.recordedAt : entry.revisedAt))
  return { ...best, entry, score, rank, at, labels }
}

const NOTHING: ReadSentence = { tokens: [], cues: cuesOf("") }

type TextAnalysis = { readonly sentences: readonly ReadSentence[]; readonly labels: ReadonlySet<string> }

/** Maximum characters read of a text; of a longer text, they begin `BEFORE` characters before the window. */
const MAX_CHARACTERS = 2_000
const BEFORE = 200
const FENCED = /^[ \t]*(```|~~~)[\s\S]*?(?:^[ \t]*\1|$(?![\s\S]))/gm

/** Cache by entry object, because the same entries are returned often; a changed entry is a new object. */
const analyses = new WeakMap<Entry, TextAnalysis>()

/** Reads an entry; a long one only in and around the window. Blocks of code state nothing. */
function readEntry(entry: Entry, window: TextSpan | null): TextAnalysis {
  const isLong = entry.text.length > MAX_CHARACTERS
  const found = isLong ? undefined : analyses.get(entry)
  if (found !== undefined) return found
  const from = isLong ? Math.max(0, (window?.start ?? 0) - BEFORE) : 0
  const prose = entry.text.replace(FENCED, (code) => `\n\n${" ".repeat(Math.max(0, code.length - 2))}`)
  const text = prose.slice(from, from + MAX_CHARACTERS)
  const reading = {
    sentences: sentenceSpans(text).map(({ start, end }) => readSentence(text.slice(start, end))),
    labels: new Set([...entry.tags, ...entry.entities].map(comparable)),
  }
  if (!isLong) analyses.set(entry, reading)
  return reading
}

export function readSentence(text: string): ReadSentence {
  return { tokens: tokensOf(text), cues: cuesOf(text) }
}

/**
 * True for a question about the past, or one that compares two moments: the order of old and new entries is not changed.
 * "before deploying" asks about an order; "before" asks about the past at the end of a question, or in front of a time
 * or a change.
 */
export function isAboutPast(question: string): boolean {
  const asked = glossOf(question)
  const isAsked = ASKS_PAST.test(asked) || BEFORE_SOMEBODY.test(asked) || COMPARES_MOMENTS.test(asked)
  return isAsked || OTHER_PAST.test(question)
}

/** Words for the past that have several English words, so that the gloss lacks them or has one that asks nothing. */
const OTHER_PAST =
  /(?<!\p{L})(?:früher|damals|ehemals|zuvor|(?:war|hatte|galt|lautete) .*?(?<!\p{L})(?:vorher|alte[nrs]?))(?!\p{L})|以前|かつて|もともと|元々|原来|曾经|^之前/iu

const ASKS_PAST =
  /\b(?:used to|formerly|previous(?:ly)?|originally|initially|at first|in the past|back then|back in|as of|historical(?:ly)?|history|old(?:er)? (?:\w+ )?(?:one|version|value|name|address|job|city|port|setting|limit|default|way)|no longer|anymore|earlier|former|before (?:the|that|this|we|i|he|she|they|it|\w+day|v?\d|(?:january|february|march|april|may|june|july|august|september|october|november|december))|(?:first|started out|begin|began) (?:with|as|using)|in (?:\w+ )?(?:19|20)\d\d|last (?:year|month|week)|(?:years?|months?|weeks?) ago|replaced|superseded|how (?:has|have|did) .* chang\w+|what changed|changes? (?:over|since)|compared (?:to|with)|evol\w+)\b|\bbefore\s*[?.!]*\s*$|\bsince when\b|\b(?:was|were|did)\b.*\b(?:old|use to)\b/i

const BEFORE_SOMEBODY = /\bbefore (?:the )?\p{Lu}/u

// "How much did it improve?", "how many days between the two?": the older entry is half of the answer.
const COMPARES_MOMENTS =
  /\bbetween\b.{1,200}\band\b|\bhow (?:much|far|many|has|have|did)\b.{1,200}(?<!\bto )\b(?:improv|increas|decreas|grow|grew|drop|fell|progress|rais|reduc|rise|rose)\w*\b|\bfrom\b.{1,80}\bto (?:[a-z]+ )?(?:\d|january|february|march|april|may|june|july|august|september|october|november|december)/i
