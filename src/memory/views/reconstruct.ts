/*
 * Everything that is known about a subject, within a token budget. `reconstruct`: 1. hits near the best one, and
 * entries of the subject's topics; 2. conflicts are settled; 3. repeats are merged; 4. the budget is spent; 5.
 * entries are grouped into sections, and missing sections and words are reported.
 */

import { compareTexts } from "../../base/index.ts"
import { charactersIn, contentWords, countTokens, stem, unicodeWords } from "../../text/index.ts"
import { excerpt } from "../conflicts/excerpt.ts"
import { type ConflictMark, type MarkedHit, settle } from "../conflicts/settle.ts"
import type { EntryHit } from "../conflicts/statement.ts"
import type { Entry, EntryKind } from "../entries/entry.ts"
import { looseName } from "../entries/labels.ts"
import { byNewest } from "./views.ts"

export type ReconstructedEntry = {
  readonly entry: Entry
  /** The part of the text that fits into the budget. */
  readonly text: string
  readonly isWhole: boolean
  readonly mark: ConflictMark
  /** Ids of older entries with the same content, which are not shown. */
  readonly repeats: readonly string[]
}

/** `now` is an ISO instant; `tokens` the max tokens of the result. */
type ReconstructOptions = { readonly now: string; readonly tokens: number }

/** Min score of a hit as a share of the best hit's score; hits below it are about another subject. */
const MIN_SCORE_SHARE = 0.25

/**
 * All entries about a subject within `tokens`: by section, newest first, repeats merged, conflicts marked. `hits` come
 * from a recall, best first; `entries` are all entries, for the topics that the query names: all entries of these are
 * part of the result. `gaps`: core sections without entries, and words of the query that no entry contains. `leftOff`:
 * entries found that did not fit.
 */
export function reconstruct(
  query: string,
  hits: readonly EntryHit[],
  entries: readonly Entry[],
  { now, tokens }: ReconstructOptions,
) {
  const topics = primaryTopics(query, entries)
  const isOwn = ({ topic }: Entry) => topics.has(looseName(topic))
  const minScore = (hits[0]?.score ?? 0) * MIN_SCORE_SHARE
  const near = hits.filter(({ entry, score }) => score >= minScore || isOwn(entry))
  const seen = new Set(near.map(({ entry }) => entry.id))
  const rest = entries.filter((entry) => isOwn(entry) && !seen.has(entry.id)).sort(byNewest)
  const found = [...near, ...rest.map((entry) => ({ entry, score: minScore }))]
  const settled = settle(query, found, { at: now, compared: 40 })
  const distinct = withoutRepeats(settled)
  const { shown, used } = spend(distinct, tokens)
  const entriesFound = found.map(({ entry }) => entry)
  const known = new Set(distinct.map(({ entry }) => sectionName(entry)))
  return {
    query,
    topics: [...topics.values()],
    sections: [...SECTIONS.keys()].flatMap((name) => {
      const own = shown.filter(({ entry }) => sectionName(entry) === name)
      own.sort((a, b) => byNewest(a.entry, b.entry))
      return own.length === 0 ? [] : [{ name, entries: own }]
    }),
    gaps: {
      sections: [...SECTIONS.keys()].filter((name) => CORE_SECTIONS.has(name) && !known.has(name)),
      words: missingWords(query, entriesFound),
    },
    leftOff: distinct.slice(shown.length).map(({ entry }) => entry),
    tokens: used,
  }
}

/** Topics whose words are all in the query, or that contain all its words; by loose name. */
function primaryTopics(query: string, entries: readonly Entry[]): Map<string, string> {
  const asked = new Set(contentStems(query))
  const found = new Map<string, string>()
  for (const { topic } of entries) {
    const key = looseName(topic)
    if (found.has(key)) continue
    const own = new Set(contentStems(topic))
    if (own.size > 0 && asked.size > 0 && (own.isSubsetOf(asked) || asked.isSubsetOf(own)))
      found.set(key, topic)
  }
  return found
}

/** Words of the query that no entry contains, in order, as typed. */
function missingWords(query: string, entries: readonly Entry[]): string[] {
  const texts = entries.map(({ text, topic, tags, entities }) =>
    [text, topic, ...tags, ...entities].join(" "),
  )
  const known = new Set(texts.flatMap(contentStems))
  const words = query.match(/[\p{L}\p{N}_-]+/gu) ?? []
  return words.filter((word) => {
    const stems = contentStems(word)
    return stems.length > 0 && stems.every((one) => !known.has(one))
  })
}

type DistinctEntry = Omit<ReconstructedEntry, "text" | "isWhole"> & { readonly window: EntryHit["window"] }

/** Tokens reserved for heading and remark of one entry. */
const TOKENS_EACH = 30
/** Tokens given to each entry before any entry gets more. */
const BASE_TOKENS = 60

/**
 * Selects as many entries as fit, at least one. The remaining tokens are then given to the entries in order, so that
 * more of their text is shown.
 */
function spend(items: readonly DistinctEntry[], budget: number) {
  const whole = items.map(({ entry }) => countTokens(entry.text))
  const given = whole.map((tokens) => Math.min(tokens, BASE_TOKENS))
  let count = 0
  let used = 0
  const fits = (tokens: number) => count === 0 || used + tokens <= budget
  while (count < items.length && fits(given[count]! + TOKENS_EACH)) used += given[count++]! + TOKENS_EACH
  const shown = items.slice(0, count).map((item, at): ReconstructedEntry => {
    const more = Math.max(0, Math.min(whole[at]! - given[at]!, budget - used))
    used += more
    const tokens = given[at]! + more
    const room = tokens === whole[at]! ? Number.POSITIVE_INFINITY : Math.floor(charactersIn(tokens))
    return { ...item, ...excerpt(item.entry.text, item.window ?? null, room) }
  })
  return { shown, used }
}

/** Jaccard index over words above which two entries are repeats. */
const ALIKE = 0.8

/**
 * Merges repeats: the newest entry takes the place of the first. Entries that differ in a number or a
 * negation are not repeats.
 */
function withoutRepeats(settled: readonly MarkedHit<EntryHit>[]): DistinctEntry[] {
  const kept: { words: ReadonlySet<string>; group: MarkedHit<EntryHit>[] }[] = []
  for (const found of settled) {
    const words = new Set(unicodeWords(found.hit.entry.text))
    const same = kept.find((other) => saysTheSame(words, other.words))
    if (same === undefined) kept.push({ words, group: [found] })
    else same.group.push(found)
  }
  return kept.map(({ group }) => {
    const byTime = (a: MarkedHit<EntryHit>, b: MarkedHit<EntryHit>) =>
      compareTexts(b.hit.entry.recordedAt, a.hit.entry.recordedAt)
    const [newest, ...older] = group.sort(byTime)
    const { hit, mark } = newest!
    return {
      entry: hit.entry,
      window: hit.window ?? null,
      mark,
      repeats: older.map((one) => one.hit.entry.id),
    }
  })
}

function saysTheSame(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  if (Math.min(a.size, b.size) < ALIKE * Math.max(a.size, b.size)) return false
  const shared = a.intersection(b).size
  if (shared < ALIKE * (a.size + b.size - shared)) return false
  return ![...a.symmetricDifference(b)].some((word) => /\p{N}/u.test(word) || DENIALS.has(word))
}

const DENIALS = new Set(
  "not no never none nor cannot without don doesn didn isn aren wasn won can enabled disabled".split(" "),
)

/** Sections of a reconstruction, in reading order, with the normalised tags of each. */
const SECTIONS: ReadonlyMap<string, string> = new Map([
  ["decisions", "decision adr rationale trade-off why"],
  ["architecture", "architecture design overview structure component module data-flow flow pattern"],
  ["invariants", "invariant constraint rule contract assumption requirement must"],
  ["interfaces", "api interface endpoint surface schema protocol cli"],
  ["data", "data data-format format file-format storage database db model migration"],
  ["how-to", "how-to howto procedure runbook recipe setup command workflow deploy deployment guide"],
  ["gotchas", "gotcha pitfall bug trap caveat warning issue limitation workaround known-issue incident"],
  ["performance", "performance perf benchmark latency speed memory profiling optimization"],
  ["facts", ""],
  ["events", ""],
])

const BY_TAG: ReadonlyMap<string, string> = new Map(
  [...SECTIONS].flatMap(([section, tags]) => tags.split(" ").map((tag) => [tag, section] as const)),
)

const BY_KIND: Readonly<Record<EntryKind, string>> = {
  decision: "decisions",
  procedural: "how-to",
  semantic: "facts",
  episodic: "events",
}

/** Sections reported as gaps when they have no entries. */
const CORE_SECTIONS: ReadonlySet<string> = new Set(
  "decisions architecture invariants how-to gotchas performance".split(" "),
)

/** The section of an entry, by its tags, else by its kind. */
function sectionName({ tags, kind }: Entry): string {
  const [ofTag] = tags.flatMap((tag) => BY_TAG.get(tag) ?? [])
  return ofTag ?? BY_KIND[kind]
}

/** Stems of the content words. */
function contentStems(text: string): string[] {
  return contentWords(text, Number.POSITIVE_INFINITY).map(stem)
}
