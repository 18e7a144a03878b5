import { bitCount, FILE_FLAG, SUPPORTING_FLAGS } from "../../base/index.ts"
import {
  type FileFeatures,
  type FileHit,
  isRecordStem,
  type PathTerm,
  RECORD_WORDS,
  type SymbolHit,
} from "../../index/index.ts"
import { termOf } from "../../text/index.ts"
import type { NamedFile } from "../channels/named-places.ts"
import type { ConfiguredSimilarity } from "../channels/near-chunks.ts"
import { coverage, EPSILON, type Scale } from "../query/query.ts"

/** The inputs from which a candidate file's features are computed. Cosines are 0 when no vector channel answered. */
export type CandidateFile = {
  readonly hit: FileHit
  readonly facts: FileFeatures
  /**
   * Share of the query's identifiers that the file defines. `exact`: spelled exactly; `folded`: compared by letters and
   * digits alone.
   */
  readonly exact: number
  readonly folded: number
  readonly cosine: FileCosines
  /** The file's value in the reciprocal rank fusion of the channels, divided by the best file's value. */
  readonly fusion: number
  /** Mean keyword score of the other candidates in the file's folder, divided by the best score of the query. */
  readonly siblings: number
  /**
   * The file's cosine in the configured space; null or absent when that space gave no result. It is no feature: rank.ts
   * adds its share.
   */
  readonly meaning?: ConfiguredSimilarity | null
  /**
   * The square of the share of the query that the file contains word for word. It is squared, because containing half
   * of a message is weak evidence. It is no feature: rank.ts adds its share.
   */
  readonly verbatim?: number
  /**
   * True if the file is in a version folder (v3/), another candidate is in a newer version's folder beside it, and the
   * query has no digit. Absent counts as false.
   */
  readonly isOlderVersion?: boolean
  /** BM25 of the query's words as typed in its best lines; absent if its text was not read for it, as for a task. */
  readonly exactWords?: number
  /**
   * For a task, how much the past commits that are most similar to it changed the file, 0 to 1
   * (`sharesInSimilarCommits`). Absent counts as 0.
   */
  readonly similarCommits?: number
  /**
   * With guessed names: the file's sum for the question, minus that of the best file; at most 0. A file that the question
   * has not found has the lowest sum of those that it has found. Absent counts as 0.
   */
  readonly asked?: number
  /**
   * How much the file is what a question in the user's words means, 0 to 1 (`NearMeanings`). Absent counts as 0. It is no
   * feature: rank.ts adds its share.
   */
  readonly meant?: number
  /** How clearly a task names the file; null or absent if it does not name it or the query is not a task. */
  readonly named?: NamedFile | null
}

export type FileCosines = {
  readonly best: number
  readonly topThree: number
  readonly file: number
  readonly names: number
  readonly path: number
}

type Feature = { readonly name: string; readonly of: (c: CandidateFile, s: Scale) => number }

const GENERIC_STEMS = new Set(
  "index main mod lib init __init__ root all package core base common util utils types helpers internal".split(
    " ",
  ),
)

// Query terms that ask for tests and for supporting files, which otherwise rank below the main code.
const TEST_TERMS = termsOf("test spec fixture mock stub assertion e2e")
const SUPPORTING: readonly { readonly flags: number; readonly terms: ReadonlySet<string> }[] = [
  { flags: FILE_FLAG.example, terms: termsOf("example sample demo tutorial playground showcase") },
  { flags: FILE_FLAG.bench, terms: termsOf("benchmark bench") },
  { flags: FILE_FLAG.docs, terms: termsOf("docs documentation website example") },
  { flags: FILE_FLAG.vendored, terms: termsOf("vendor vendored external extern bundled deps thirdparty") },
  { flags: FILE_FLAG.declaration, terms: termsOf("declaration typings stub") },
  { flags: FILE_FLAG.compat, terms: termsOf("compat compatibility legacy deprecated shim polyfill") },
  { flags: FILE_FLAG.scripts, terms: termsOf("script tool ci workflow stub template migration hack github") },
  { flags: FILE_FLAG.output, terms: termsOf("dist") },
]

const RECORD_TERMS = termsOf(RECORD_WORDS)
const DOC_TERMS = termsOf("documentation docs guide readme tutorial manual handbook faq")
const CATALOG_TERMS = termsOf("translation translate locale language i18n l10n wording")
const STYLE_TERMS = termsOf(
  "css scss sass less style stylesheet theme color colour layout font margin padding align width height dark responsive overflow icon border hover rtl scrollbar",
)
const PAGE_TERMS = termsOf("html page markup template view form button link")
const SEED_TERMS = termsOf("seed seeder demo sample initial default")
const STORY_TERMS = termsOf("story stories storybook example demo")
const GENERATED_TERMS = termsOf("generated protobuf proto pb codegen")

/**
 * Kinds of files that repeat the words of the source, how much they do so, and the query terms that ask for them. A style
 * sheet names each part of a page but decides nothing about it.
 */
const REPEATING: readonly {
  readonly is: (facts: FileFeatures) => boolean
  readonly value: number
  readonly terms: ReadonlySet<string>
}[] = [
  { is: ({ language }) => language === "css" || language === "scss", value: 1, terms: STYLE_TERMS },
  { is: ({ language }) => language === "html", value: 0.5, terms: PAGE_TERMS },
  { is: ({ isCatalog }) => isCatalog, value: 0.5, terms: CATALOG_TERMS },
  { is: ({ isSeed }) => isSeed, value: 0.6, terms: SEED_TERMS },
  { is: ({ stem }) => stem.endsWith(".stories"), value: 0.7, terms: STORY_TERMS },
  { is: ({ flags }) => (flags & FILE_FLAG.generated) !== 0, value: 0.5, terms: GENERATED_TERMS },
]

// One row per feature. FEATURE_NAMES, and the values of a file, have the same order.
const FEATURES: readonly Feature[] = [
  { name: "file_bm25", of: (c, s) => c.hit.score / (s.answer.maxScore + EPSILON) },
  { name: "file_bm25_idf", of: (c, s) => c.hit.score / s.idfSum },
  { name: "chunk_bm25", of: (c, s) => c.hit.bestChunk / (s.answer.maxChunk + EPSILON) },
  { name: "chunk_bm25_idf", of: (c, s) => c.hit.bestChunk / s.chunkIdfSum },
  { name: "top_chunks_bm25", of: (c, s) => c.hit.topChunks / (s.answer.maxTopChunks + EPSILON) },
  { name: "top_chunks_bm25_idf", of: (c, s) => c.hit.topChunks / s.chunkIdfSum / 2 },
  { name: "names_chunk", of: (c, s) => bestChunkCoverage(c, s, namesOf) },
  { name: "names_file", of: (c, s) => coverage(c.hit.masks.names, s) },
  {
    name: "body_chunk",
    of: (c, s) => bestChunkCoverage(c, s, allOf),
  },
  { name: "body_file", of: (c, s) => coverage(anywhere(c.hit), s) },
  { name: "doc_chunk", of: (c, s) => bestChunkCoverage(c, s, docOf) },
  { name: "stem", of: (c, s) => coverage(c.hit.masks.stem, s) },
  { name: "stem_share", of: (c) => stemShare(c.hit) },
  { name: "stem_times_share", of: (c, s) => coverage(c.hit.masks.stem, s) * stemShare(c.hit) },
  { name: "dirs", of: (c, s) => coverage(c.hit.masks.dirs, s) },
  { name: "stem_idf_share", of: (c, s) => idfShare(c.facts.stemTerms, "stemIdf", s) },
  { name: "path_idf_share", of: (c, s) => idfShare(c.facts.pathTerms, "pathIdf", s) },
  { name: "folder_share", of: (c, s) => folderShare(c, s) },
  { name: "stem_times_depth", of: (c, s) => coverage(c.hit.masks.stem, s) * c.facts.depth },
  { name: "named_as_project", of: (c) => (c.facts.isNamedAsProject ? 1 : 0) },
  { name: "stem_prefix", of: (c, s) => stemPrefix(c, s) },
  { name: "name_f1", of: (c, s) => bestNameF1(c, s) },
  { name: "defines_exact", of: (c) => c.exact },
  { name: "defines_folded", of: (c) => c.folded },
  { name: "mentions", of: (c, s) => mentions(c, s) },
  { name: "stem_is_name", of: (c, s) => stemIsName(c, s) },
  { name: "head", of: (c, s) => coverage(c.hit.masks.head, s) },
  { name: "test", of: (c, s) => (asksForTests(s) ? 0 : flag(c, FILE_FLAG.test)) },
  { name: "example", of: supporting },
  { name: "depth", of: (c) => c.facts.depth },
  { name: "log_lines", of: (c) => Math.log1p(c.hit.lines) },
  { name: "stem_references", of: (c) => c.facts.stemReferences },
  { name: "name_references", of: (c) => c.facts.nameReferences },
  { name: "centrality", of: (c) => c.facts.centrality },
  { name: "generic_stem", of: (c) => (GENERIC_STEMS.has(c.facts.stem) ? 1 : 0) },
  { name: "definition_density", of: (c) => c.hit.nameCount / (c.hit.lines + 1) },
  { name: "fusion", of: (c) => c.fusion },
  { name: "siblings", of: (c) => c.siblings },
  { name: "cosine_best", of: (c) => c.cosine.best },
  { name: "cosine_top_three", of: (c) => c.cosine.topThree },
  { name: "cosine_file", of: (c) => c.cosine.file },
  { name: "cosine_names", of: (c) => c.cosine.names },
  { name: "cosine_path", of: (c) => c.cosine.path },
  { name: "docs", of: (c, s) => (c.facts.content === "docs" && !asksFor(DOC_TERMS, s) ? 1 : 0) },
  { name: "catalog", of: (c, s) => (c.facts.isCatalog && !asksFor(CATALOG_TERMS, s) ? 1 : 0) },
  { name: "translation", of: (c, s) => (c.facts.isTranslation && !asksFor(CATALOG_TERMS, s) ? 1 : 0) },
  { name: "data", of: (c) => (c.facts.content === "data" ? 1 : 0) },
  { name: "declaration", of: (c) => flag(c, FILE_FLAG.declaration) },
  { name: "generated", of: (c, s) => (asksFor(GENERATED_TERMS, s) ? 0 : flag(c, FILE_FLAG.generated)) },
  { name: "older_version", of: (c) => (c.isOlderVersion ? 1 : 0) },
  { name: "exact_words", of: (c, s) => (c.exactWords ?? 0) / ((s.maxExactWords ?? 0) + EPSILON) },
  { name: "repeating", of: repeating },
  { name: "carries_words", of: carriesWords },
  { name: "record", of: (c, s) => (isRecord(c) && !asksFor(RECORD_TERMS, s) ? 1 : 0) },
]

/** Share of the weight of tests that remains in a task that mentions tests, because such a task may change the code. */
const ASKED_SHARE = 0.3

/** Features that are 0 unless the query is a task. */
const TASK_FEATURES: readonly Feature[] = [
  { name: "task:test", of: (c, s) => flag(c, FILE_FLAG.test) * (asksForTests(s) ? ASKED_SHARE : 1) },
  { name: "task:aside", of: (c) => flag(c, asideOf(c)) },
  { name: "task:named", of: (c) => c.named?.name ?? 0 },
  { name: "task:named_path", of: (c) => c.named?.path ?? 0 },
  { name: "task:similar_commits", of: (c) => c.similarCommits ?? 0 },
]

/** Features that are 0 unless the query consists of guessed names. */
const NAMES_FEATURES: readonly Feature[] = [{ name: "names:asked", of: (c) => c.asked ?? 0 }]

type FoundFile = Pick<CandidateFile, "hit" | "facts">
type ChunkMasks = { readonly body: number; readonly doc: number; readonly names: number }

// Defined here once, because an inline function would be created anew for every file.
const namesOf = (chunk: ChunkMasks) => chunk.names
const docOf = (chunk: ChunkMasks) => chunk.doc
const allOf = (chunk: ChunkMasks) => chunk.body | chunk.doc | chunk.names

function bestChunkCoverage({ hit }: FoundFile, s: Scale, mask: (chunk: ChunkMasks) => number): number {
  let best = 0
  for (const chunk of hit.chunks) best = Math.max(best, coverage(mask(chunk), s))
  return best
}

/** The words of the query that a file contains in any field, as a mask. */
export function anywhere(hit: FileHit): number {
  const { body, doc, names, stem, dirs } = hit.masks
  return body | doc | names | stem | dirs
}

function stemShare(hit: FileHit): number {
  return Math.min(1, bitCount(hit.masks.stem) / Math.max(1, hit.stemWords))
}

/**
 * How far the words of a question or task are from the words that the project uses, from 0 (all match) to 1. It is 1
 * minus the mean of two shares: the IDF share of a path's words that are in the query, and the IDF share of the query's
 * words that are in the doc comment of one chunk; of each, the maximum among the candidates. If it is high, the ranker
 * trusts names less: in a large application, "page" and "user" are in a hundred paths.
 */
export function strangenessOf(found: readonly FoundFile[], s: Scale): number {
  if (s.query.looksLikeSymbol || found.length === 0) return 0
  const most = (of: (c: FoundFile) => number) => found.reduce((best, c) => Math.max(best, of(c)), 0)
  const path = most((c) => idfShare(c.facts.pathTerms, "pathIdf", s))
  const comment = most((c) => bestChunkCoverage(c, s, docOf))
  return 1 - (path + comment) / 2
}

/** True if the query asks for tests. */
export function asksForTests(s: Scale): boolean {
  return asksFor(TEST_TERMS, s)
}

function asksFor(terms: ReadonlySet<string>, s: Scale): boolean {
  for (const stem of s.query.asking) if (terms.has(stem)) return true
  return false
}

/**
 * 1 for a supporting file, 0 if the query asks for its kind; in between if a definition in it carries words of the query.
 */
function supporting(c: CandidateFile, s: Scale): number {
  const { flags } = c.facts
  if (flag(c, asideOf(c)) === 0) return 0
  const isAsked = SUPPORTING.some((kind) => (flags & kind.flags) !== 0 && asksFor(kind.terms, s))
  return isAsked ? 0 : 1 - carriesWords(c, s)
}

function termsOf(words: string): ReadonlySet<string> {
  return new Set(words.split(" ").map(termOf))
}

/** Share of a path's words that are in the query, weighted by IDF. */
function idfShare(terms: readonly PathTerm[], idf: "stemIdf" | "pathIdf", s: Scale): number {
  let named = 0
  let total = EPSILON
  for (const term of terms) {
    total += term[idf]
    if (s.query.forms.has(term.term)) named += term[idf]
  }
  return named / total
}

function folderShare(c: CandidateFile, s: Scale): number {
  const { folderTerms } = c.facts
  let named = 0
  for (const term of folderTerms) if (s.query.stems.includes(term)) named++
  return named / Math.max(1, folderTerms.length)
}

/**
 * IDF share of the rarest query word of which a word of the file name is a prefix, or which is a prefix of such a word.
 * The prefix has at least three letters.
 */
function stemPrefix(c: CandidateFile, s: Scale): number {
  let best = 0
  for (const part of c.facts.stemWords) {
    for (let term = 0; term < s.query.scored; term++) {
      const word = s.query.words[term]!
      if (part === word || part.length < 3 || word.length < 3) continue
      if (!part.startsWith(word) && !word.startsWith(part)) continue
      if (isAmong(c.facts.stemTerms, s.query.stems[term]!)) continue
      best = Math.max(best, s.answer.fileIdf[term]!)
    }
  }
  return best / s.idfSum
}

function isAmong(terms: readonly PathTerm[], term: string): boolean {
  for (const known of terms) if (known.term === term) return true
  return false
}

/** IDF-weighted F1 of the query's words against the words of one defined name, 0 to 1. */
export function nameF1(symbol: SymbolHit, s: Scale): number {
  const meanIdf = s.idfSum / Math.max(1, s.query.scored)
  const matched = coverage(symbol.terms, s) * s.idfSum
  return (2 * matched) / (matched + symbol.extra * meanIdf + s.idfSum)
}

function bestNameF1(c: CandidateFile, s: Scale): number {
  let best = 0
  for (const symbol of c.hit.symbols) best = Math.max(best, nameF1(symbol, s))
  return best
}

/** Share of the query's identifiers that the file contains as whole identifiers. */
function mentions(c: CandidateFile, s: Scale): number {
  const { names, scored } = s.query
  if (names.length === 0) return 0
  const mask = anywhere(c.hit) >>> scored
  return bitCount(mask) / names.length
}

function stemIsName(c: CandidateFile, s: Scale): number {
  for (const name of s.query.names) if (name.folded === c.facts.foldedStem) return 1
  return 0
}

/**
 * Flags which mark a file as supporting material. For a document, being in a documentation folder is no such flag; code
 * in such a folder is an example.
 */
function asideOf(c: CandidateFile): number {
  return c.facts.content === "docs" ? SUPPORTING_FLAGS & ~FILE_FLAG.docs : SUPPORTING_FLAGS
}

/**
 * How completely the name of one definition carries the words of the query, 0 to 1; 0 if it has fewer than three of them
 * or less than CARRIED of their weight. The verb with which a query begins need not be in the name ("convert luv to xyz",
 * `luv_to_xyz`), which may have another one (`get_random_secret_key`).
 */
function carriesWords({ hit }: CandidateFile, s: Scale): number {
  const { scored, looksLikeSymbol, stems } = s.query
  if (scored < MIN_CARRIED || looksLikeSymbol) return 0
  const all = (1 << scored) - 1
  const rest = VERBS.has(stems[0]!) ? all & ~1 : all
  let best = 0
  for (const symbol of hit.symbols) {
    const { terms, extra } = symbol
    if (rest !== all && (terms & rest) === rest) {
      const others = Math.max(0, terms & 1 ? extra : extra - 1) / scored
      best = Math.max(best, (2 * coverage(rest, s)) / (2 * coverage(rest, s) + others))
    }
    if (bitCount(terms & all) >= MIN_CARRIED && coverage(terms, s) >= CARRIED)
      best = Math.max(best, nameF1(symbol, s))
  }
  return best
}

const MIN_CARRIED = 3
const CARRIED = 0.7
/** Verbs that say what nearly any function does, so that names have another one or none. */
const VERBS = termsOf(
  "add append apply assign build calculate call change check clean clear close collect combine compare compute convert copy count create decode delete deliver detect determine disable display draw drop enable encode end ensure execute extract fetch fill filter find fix format generate get handle hide import export initialize insert launch list load look make merge move normalize obtain open parse print process produce read refresh register remove rename render replace reset resolve retrieve return run save search select send set show sort split start stop store turn update use validate verify write",
)

/** How much a file only repeats the words of the source, 0 to 1; 0 for a name, and if the query asks for its kind. */
function repeating({ facts }: CandidateFile, s: Scale): number {
  if (s.query.looksLikeSymbol) return 0
  const kind = REPEATING.find(({ is }) => is(facts))
  return kind === undefined || asksFor(kind.terms, s) ? 0 : kind.value
}

function isRecord(c: CandidateFile): boolean {
  return c.facts.content === "docs" && isRecordStem(c.facts.stem)
}

function flag(c: CandidateFile, bits: number): number {
  return (c.facts.flags & bits) === 0 ? 0 : 1
}

// Names of the features that get a second weight when the query looks like the name of a symbol.
const GATED: ReadonlySet<string> = new Set([
  "file_bm25",
  "top_chunks_bm25",
  "defines_exact",
  "defines_folded",
  "stem_is_name",
  "mentions",
  "name_f1",
  "stem_times_share",
  "names_file",
  "test",
  "stem_references",
  "log_lines",
  "depth",
])
const GATES = FEATURES.map((feature, index) => ({ feature, index })).filter(({ feature }) =>
  GATED.has(feature.name),
)

/**
 * Index of the deferred feature. Computing it takes longer than all others together, and it matters only when files are
 * nearly equal. It has no second weight.
 */
export const LATE_FEATURE = FEATURES.findIndex(({ name }) => name === "name_references")

/**
 * Features that have a second weight, which is multiplied by the strangeness of the query: how far its words are from
 * the words that the project uses, 0 to 1 (`strangenessOf`).
 */
const STRANGE = FEATURES.map((feature, index) => ({ feature, index })).filter(
  ({ index }) => index !== LATE_FEATURE,
)

export const FEATURE_NAMES: readonly string[] = [
  ...FEATURES.map((feature) => feature.name),
  ...GATES.map(({ feature }) => `symbol_query:${feature.name}`),
  ...TASK_FEATURES.map(({ name }) => name),
  ...STRANGE.map(({ feature }) => `strange:${feature.name}`),
  ...NAMES_FEATURES.map(({ name }) => name),
]

const FIRST_OF_TASKS = FEATURES.length + GATES.length
const FIRST_OF_STRANGE = FIRST_OF_TASKS + TASK_FEATURES.length
const FIRST_OF_NAMES = FIRST_OF_STRANGE + STRANGE.length

/** The unscaled features of a candidate, in the order of FEATURE_NAMES. */
export function featuresOf(candidate: CandidateFile, scale: Scale): Float64Array {
  const row = earlyFeaturesOf(candidate, scale)
  addLateFeature(row, candidate, scale)
  return row
}

export function addLateFeature(row: Float64Array, candidate: CandidateFile, scale: Scale): void {
  row[LATE_FEATURE] = FEATURES[LATE_FEATURE]!.of(candidate, scale)
}

/** Like `featuresOf`, with the deferred feature set to 0. */
export function earlyFeaturesOf(candidate: CandidateFile, scale: Scale): Float64Array {
  const row = new Float64Array(FEATURE_NAMES.length)
  for (let index = 0; index < FEATURES.length; index++) {
    if (index !== LATE_FEATURE) row[index] = FEATURES[index]!.of(candidate, scale)
  }
  if (scale.query.looksLikeSymbol) {
    for (let gate = 0; gate < GATES.length; gate++) row[FEATURES.length + gate] = row[GATES[gate]!.index]!
  }
  if (scale.query.kind === "task") {
    for (let index = 0; index < TASK_FEATURES.length; index++)
      row[FIRST_OF_TASKS + index] = TASK_FEATURES[index]!.of(candidate, scale)
  }
  const { strangeness = 0 } = scale
  STRANGE.forEach(({ index }, at) => {
    row[FIRST_OF_STRANGE + at] = row[index]! * strangeness
  })
  if (scale.query.isGuessed) {
    for (let index = 0; index < NAMES_FEATURES.length; index++)
      row[FIRST_OF_NAMES + index] = NAMES_FEATURES[index]!.of(candidate, scale)
  }
  return row
}
