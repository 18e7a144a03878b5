import type { ChunkHit, FileHit, KeywordAnswer, QueryTerm } from "../../keyword/port.ts"
import type { KeywordIndex } from "../../keyword/query/keyword-index.ts"
import { words as splitWords } from "../../text/terms/identifiers.ts"
import { queryTerms } from "../../text/terms/query-terms.ts"
import { isFunctionWord, isSmallTalk } from "../../text/terms/stop-words.ts"

export type CodeMatch = {
  readonly fileId: number
  readonly path: string
  readonly chunk: Pick<ChunkHit, "ordinal" | "startLine" | "endLine">
}

export type CodeMatches = {
  /** Best first. */
  readonly files: readonly CodeMatch[]
  /** 1: as much as a text in fifty that is about something else has in common with some file. */
  readonly strength: number
}

/**
 * Files that share words with a text, and how likely that makes it that the text is about them: by the keyword index
 * alone, a tenth of the time of a search. `least`: a strength below which the caller does not want to know more.
 */
export function matchFiles(keyword: Matched, text: string, limit: number, least: number): CodeMatches {
  const asked = text.slice(0, MAX_CHARACTERS)
  const words = queryTerms(asked).filter(({ word }) => !isFunctionWord(word))
  const { isEnough, isLittle } = tellingOf(words, asked)
  if (words.length < MIN_WORDS || !isEnough(ALL_WORDS)) return NOTHING
  const terms = words.map(({ variants }) => ({ variants }))
  const scale = isLittle ? LITTLE : 1
  if (strengthAtMost(keyword, terms) / scale < least * (1 - SLACK)) return NOTHING
  const answer = keyword.query({ terms, files: CANDIDATES })
  const places = answer.files.map((file) => bestPlace(file, answer.chunkIdf, isEnough))
  const best = Math.max(0, ...places)
  const files = answer.files.flatMap(({ id, path, chunks }, i): CodeMatch[] =>
    chunks[0] === undefined || places[i]! < best / 2 ? [] : [{ fileId: id, path, chunk: chunks[0] }],
  )
  const strength = strengthOf(answer, best, keyword) / scale
  return { files: files.slice(0, limit), strength }
}

const NOTHING: CodeMatches = { files: [], strength: 0 }
const MAX_CHARACTERS = 2000
const MIN_WORDS = 2
const ALL_WORDS = -1
/** «why is the build failing» is about any project: two words have to say more than many do. */
const LITTLE = 1.6
/** Looking closely at more files takes longer than finding them. */
const CANDIDATES = 6

/** Estimates err by little; of 8,600 texts against 21 projects one was above the bound, by a thousandth. */
const SLACK = 0.1
/** A word in more chunks than this counts as being in every file: who holds it takes longer to find than to ask. */
const MAX_RARE = 200

/**
 * As if one place had all the words that its file has, were named after them, and had every word that is not rare:
 * known without looking at any.
 */
function strengthAtMost({ chunks, estimate, someHolders }: Matched, terms: readonly QueryTerm[]): number {
  const idf = (holders: number) => Math.log(1 + (chunks - holders + 0.5) / (holders + 0.5))
  let sum = 0
  let common = 0
  const rare = new Map<number, number>()
  for (const { variants } of terms) {
    const counts = variants.map(({ hash }) => estimate(Number(hash >> 32n), Number(hash & 0xffff_ffffn)))
    const most = Math.max(0, ...counts)
    // Files are counted with chunks: about as many.
    const mass = idf(Math.min(chunks, most / 2))
    sum += mass
    if (most > MAX_RARE) common += mass
    else for (const file of holdersOf(variants, someHolders)) rare.set(file, (rare.get(file) ?? 0) + mass)
  }
  const known = common + Math.max(0, ...rare.values())
  const share = known / sum
  return (share * share * (known / idf(0))) / thresholdOf(chunks)
}

function holdersOf(
  variants: QueryTerm["variants"],
  someHolders: Matched["someHolders"],
): ReadonlySet<number> {
  return new Set(variants.flatMap(({ hash }) => someHolders(hash, Number.POSITIVE_INFINITY)))
}

function strengthOf(answer: KeywordAnswer, best: number, { chunks, files }: Matched): number {
  const place = totalsOf(answer.chunkIdf, chunks)
  const names = totalsOf(answer.fileIdf, files)
  if (place.sum === 0 || names.sum === 0) return 0
  const named = answer.files.map(({ masks }) => massOf(masks.names | masks.stem, answer.fileIdf))
  // How much of the text one place has, which share of it that is, and which share some file is named after.
  const measured = (best / place.sum) * (best / place.rarest) * (Math.max(0, ...named) / names.sum)
  return measured / thresholdOf(chunks)
}

type Matched = Pick<KeywordIndex, "query" | "chunks" | "files" | "estimate" | "someHolders">

/**
 * Large projects share some words with any text. Fitted on the labelled queries of 21 repositories, those of the
 * others and general requests, so that one in fifty texts about something else passes: .36 at 150 chunks, .53 at 700,
 * .67 at 4,000 (docs/hooks.md).
 */
function thresholdOf(chunks: number): number {
  return Math.max(MIN_THRESHOLD, 0.095 * Math.log(Math.max(1, chunks)) - 0.115)
}

const MIN_THRESHOLD = 0.25

type Telling = {
  /** Whether words say what a text is about: any two, as one is shared by chance; one that is written as code. */
  readonly isEnough: (mask: number) => boolean
  /** Two words and nothing more. */
  readonly isLittle: boolean
}

function tellingOf(words: readonly { readonly word: string }[], text: string): Telling {
  const code = new Set((text.match(WRITTEN_AS_CODE) ?? []).flatMap(splitWords))
  const maskOf = (counts: (word: string) => boolean) =>
    words.reduce((mask, { word }, term) => (counts(word) ? mask | (1 << term) : mask), 0)
  const named = maskOf((word) => code.has(word))
  const told = maskOf((word) => !isSmallTalk(word))
  return {
    isEnough: (mask) => hasTwo(mask & told) || (mask & named) !== 0,
    isLittle: named === 0 && !hasTwo(told & (told - 1)),
  }
}

/** Whether two bits at least are set. */
function hasTwo(mask: number): boolean {
  return (mask & (mask - 1)) !== 0
}

/** `name` in backticks, call(), snake_case, camelCase, a.b, HTML5. */
const WRITTEN_AS_CODE =
  /`[^`]+`|[\p{L}_][\p{L}\p{N}_]*(?=\()|[\p{L}\p{N}]+[_.]+[\p{L}\p{N}]+|\p{Ll}+\p{Lu}[\p{L}\p{N}]*|\p{L}+\p{N}+/gu

function bestPlace(
  { chunks, masks }: FileHit,
  idf: Float64Array,
  isEnough: (mask: number) => boolean,
): number {
  return chunks.reduce((most, { body, doc, names }) => {
    const mask = body | doc | names | masks.stem
    return isEnough(mask) ? Math.max(most, massOf(mask, idf)) : most
  }, 0)
}

function massOf(mask: number, idf: Float64Array): number {
  let sum = 0
  for (let term = 0; term < idf.length; term++) if ((mask >>> term) & 1) sum += idf[term]!
  return sum
}

/** Of all terms together, and of a term that nothing holds. */
function totalsOf(idf: Float64Array, population: number): { readonly sum: number; readonly rarest: number } {
  return { sum: idf.reduce((sum, each) => sum + each, 0), rarest: Math.log(1 + (population + 0.5) / 0.5) }
}
