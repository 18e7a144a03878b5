import { compareTexts } from "../../base/compare-texts.ts"
import type { Entry } from "../entries/entry.ts"
import { firstMoment } from "../entries/times.ts"

/** Sorts newest first; entries of the same time by id, latest first. */
export function byNewest(a: Entry, b: Entry): number {
  return compareTexts(b.recordedAt, a.recordedAt) || compareTexts(b.id, a.id)
}

/** First line of a text, cut at a word when it is longer than `maxLength`. */
export function headline(text: string, maxLength = 100): string {
  const line = text.trimStart().split("\n", 1)[0]!.trim()
  if (line.length <= maxLength) return line
  const space = line.lastIndexOf(" ", maxLength - 1)
  const cut = line.slice(0, space > maxLength / 2 ? space : maxLength - 1)
  return `${cut.toWellFormed() === cut ? cut : cut.slice(0, -1)}…`
}

/** True when the entry is valid at the instant `at`: not deleted, superseded or expired. */
export function isValidAt({ supersededAt, validUntil, deletedAt }: Entry, at: string): boolean {
  return (
    deletedAt === null &&
    (supersededAt === null || supersededAt > at) &&
    (validUntil === null || firstMoment(validUntil) > at)
  )
}
