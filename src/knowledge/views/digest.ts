import type { Entry } from "../entry.ts"
import { comparable } from "../labels.ts"
import { headline } from "./headline.ts"
import { holds } from "./holds.ts"
import { byNewest } from "./order.ts"
import { topics } from "./topics.ts"

export type DigestLine = {
  readonly topic: string
  readonly entries: number
  readonly lastAt: string
  /** Beginning of the newest entry that holds; of the newest of all where none does. */
  readonly headline: string
  readonly id: string
}

/** One line a topic, the last changed first. */
export function digest(entries: readonly Entry[], now: string): DigestLine[] {
  const groups = Map.groupBy([...entries].sort(byNewest), ({ topic }) => comparable(topic))
  return topics(entries, now).map(({ topic, entries: count, lastAt }) => {
    const own = groups.get(comparable(topic))!
    const newest = own.find((entry) => holds(entry, now)) ?? own[0]!
    return { topic, entries: count, lastAt, headline: headline(newest.text), id: newest.id }
  })
}
