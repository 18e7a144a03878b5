import type { Entry } from "../entry.ts"
import { comparable } from "../labels.ts"
import { type Mark, settle } from "../truth/settle.ts"
import type { Hit } from "../truth/statement.ts"
import { foldRepeats } from "./fold-repeats.ts"
import { byNewest } from "./order.ts"
import { CORE_SECTIONS, SECTIONS, type SectionName, sectionOf } from "./sections.ts"
import { type Spent, spend } from "./spend.ts"
import { missingWords, primaryTopics } from "./subject.ts"

export type Reconstruction = {
  readonly query: string
  /** Topics that are the subject: everything of them belongs to it. */
  readonly topics: readonly string[]
  readonly sections: readonly { readonly name: SectionName; readonly entries: readonly Reconstructed[] }[]
  readonly gaps: {
    /** Of what one would want to know of any subject, nothing was found. */
    readonly sections: readonly SectionName[]
    /** Words of the query that no entry has. */
    readonly words: readonly string[]
  }
  /** Found, but beyond the budget. */
  readonly leftOff: readonly Entry[]
  readonly tokens: number
}

export type Reconstructed = {
  readonly entry: Entry
  /** As much of it as there was room for. */
  readonly text: string
  readonly isWhole: boolean
  readonly mark: Mark
  /** Ids of older entries that say the same and are not shown. */
  readonly repeats: readonly string[]
}

export type ReconstructOptions = {
  /** ISO instant. */
  readonly now: string
  /** The most that a model should have to read. */
  readonly tokens: number
  readonly rarity?: (word: string) => number
}

/** Of the best hit's score: what has less speaks of something else. */
const RELEVANT = 0.25
/** Competing statements are looked for among so many. */
const COMPARED = 40

/**
 * Everything known of a subject within so many tokens: by section, newest first, repeats folded, what competes marked,
 * gaps named. `hits` are a recall's, best first; `entries` all there are, for the topics that the query names.
 */
export function reconstruct(
  query: string,
  hits: readonly Hit[],
  entries: readonly Entry[],
  { now, tokens, rarity }: ReconstructOptions,
): Reconstruction {
  const topics = primaryTopics(query, entries)
  const found = relevant(hits, entries, topics)
  const settled = settle(query, found, { at: now, compared: COMPARED, ...(rarity && { rarity }) })
  const folded = foldRepeats(settled)
  const spent = spend(folded, tokens)
  const known = new Set(folded.map(({ entry }) => sectionOf(entry)))
  return {
    query,
    topics: [...topics.values()],
    sections: inSections(spent),
    gaps: {
      sections: CORE_SECTIONS.filter((name) => !known.has(name)),
      words: missingWords(
        query,
        found.map(({ entry }) => entry),
      ),
    },
    leftOff: spent.leftOff.map(({ entry }) => entry),
    tokens: spent.tokens,
  }
}

/** Hits near the best one, then everything else of the subject's own topics. */
function relevant(
  hits: readonly Hit[],
  entries: readonly Entry[],
  topics: ReadonlyMap<string, string>,
): Hit[] {
  const isOwn = ({ topic }: Entry) => topics.has(comparable(topic))
  const least = (hits[0]?.score ?? 0) * RELEVANT
  const near = hits.filter(({ entry, score }) => score >= least || isOwn(entry))
  const seen = new Set(near.map(({ entry }) => entry.id))
  const rest = entries.filter((entry) => isOwn(entry) && !seen.has(entry.id)).sort(byNewest)
  return [...near, ...rest.map((entry) => ({ entry, score: least }))]
}

function inSections({ shown }: Spent): Reconstruction["sections"] {
  return SECTIONS.flatMap((name) => {
    const own = shown.filter(({ entry }) => sectionOf(entry) === name)
    own.sort((a, b) => byNewest(a.entry, b.entry))
    return own.length === 0 ? [] : [{ name, entries: own }]
  })
}
