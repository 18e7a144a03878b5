import { contentWords, stem } from "../../text/index.ts"
import type { EntryHit } from "../conflicts/settle.ts"
import type { Entry } from "../entries/entry.ts"
import { looseName } from "../entries/labels.ts"
import { byNewest } from "./views.ts"

/** Min score of a hit as a share of the best hit's score; hits below it are about another subject. */
const MIN_SCORE_SHARE = 0.25

/**
 * The entries about a subject: the hits near the best one, then the other entries of the topics that the query names,
 * newest first. `entries` are all entries, and `missing` the words of the query that none of those found contains.
 */
export function aboutSubject(query: string, hits: readonly EntryHit[], entries: readonly Entry[]) {
  const topics = namedTopics(query, entries)
  const isOwn = ({ topic }: Entry) => topics.has(looseName(topic))
  const minScore = (hits[0]?.score ?? 0) * MIN_SCORE_SHARE
  const near = hits.filter(({ entry, score }) => score >= minScore || isOwn(entry))
  const seen = new Set(near.map(({ entry }) => entry.id))
  const rest = entries.filter((entry) => isOwn(entry) && !seen.has(entry.id)).sort(byNewest)
  const found = [...near, ...rest.map((entry): EntryHit => ({ entry, score: minScore }))]
  return {
    topics: [...topics.values()],
    hits: found,
    missing: missingWords(
      query,
      found.map(({ entry }) => entry),
    ),
  }
}

/** Topics whose words are all in the query, or that contain all its words; by loose name. */
function namedTopics(query: string, entries: readonly Entry[]): Map<string, string> {
  const asked = new Set(contentStems(query))
  const named = entries.filter(({ topic }) => {
    const own = new Set(contentStems(topic))
    return own.size > 0 && asked.size > 0 && (own.isSubsetOf(asked) || asked.isSubsetOf(own))
  })
  return new Map(named.toReversed().map(({ topic }) => [looseName(topic), topic]))
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

/** Stems of the content words. */
function contentStems(text: string): string[] {
  return contentWords(text, Number.POSITIVE_INFINITY).map(stem)
}
