import { compareTexts } from "../../base/compare-texts.ts"
import { dayOf } from "../conflicts/calendar.ts"
import type { Entry } from "../entries/entry.ts"
import { byNewest } from "./order.ts"

export type TimelineDay = { readonly day: string; readonly entries: readonly Entry[] }

/** Entries by the UTC day on which they were recorded, oldest first, also within a day. */
export function timeline(entries: readonly Entry[]): TimelineDay[] {
  const inOrder = [...entries].sort((a, b) => byNewest(b, a))
  return [...Map.groupBy(inOrder, ({ recordedAt }) => dayOf(recordedAt))].map(([day, own]) => ({
    day,
    entries: own,
  }))
}

/**
 * The entry with `count` entries before and after it, of the same session if it has one; [] when the id is
 * unknown.
 */
export function around(entries: readonly Entry[], id: string, count: number): Entry[] {
  const middle = entries.find((entry) => entry.id === id)
  if (middle === undefined) return []
  const inOrder = entries
    .filter(({ session }) => middle.session === null || session === middle.session)
    .sort((a, b) => inSession(a, b) || byNewest(b, a))
  const at = inOrder.indexOf(middle)
  return inOrder.slice(Math.max(0, at - count), at + count + 1)
}

function inSession(a: Entry, b: Entry): number {
  return a.session !== null && a.session === b.session ? (a.ordinal ?? 0) - (b.ordinal ?? 0) : 0
}

/** Entries stored or revised in the last `hours` hours, latest first. */
export function recent(entries: readonly Entry[], hours: number, now: string): Entry[] {
  const since = new Date(Date.parse(now) - hours * 3_600_000).toISOString()
  return entries
    .filter(({ revisedAt }) => revisedAt >= since)
    .sort((a, b) => compareTexts(b.revisedAt, a.revisedAt) || byNewest(a, b))
}
