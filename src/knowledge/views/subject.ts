import type { Entry } from "../entry.ts"
import { comparable } from "../labels.ts"
import { contentStems } from "../truth/content-stems.ts"

/** Topics that the query names, or that name the query, by their comparable form. */
export function primaryTopics(query: string, entries: readonly Entry[]): Map<string, string> {
  const asked = new Set(contentStems(query))
  const found = new Map<string, string>()
  for (const { topic } of entries) {
    const key = comparable(topic)
    if (found.has(key)) continue
    const own = new Set(contentStems(topic))
    if (own.size > 0 && asked.size > 0 && (own.isSubsetOf(asked) || asked.isSubsetOf(own)))
      found.set(key, topic)
  }
  return found
}

/** Words of the query that none of the entries has, in its order, as typed. */
export function missingWords(query: string, entries: readonly Entry[]): string[] {
  const known = new Set(
    entries.flatMap(({ text, topic, tags, entities }) =>
      contentStems([text, topic, ...tags, ...entities].join(" ")),
    ),
  )
  const words = query.match(/[\p{L}\p{N}_-]+/gu) ?? []
  return words.filter((word) => {
    const stems = contentStems(word)
    return stems.length > 0 && stems.every((one) => !known.has(one))
  })
}
