import { html } from "htm/preact"
import { runAction } from "../api.ts"
import { Failure, useLoaded } from "../parts.ts"
import type { MemoryEntry } from "./entry-dialog.ts"
import { Entries, type Filter, type Navigate } from "./entry-list.ts"

type Span = { readonly start: number; readonly end: number }
const DAY_MS = 86_400_000

type Props = { filter: Filter; chosen: string; version: string; go: Navigate }

/**
 * Entries with both of their times: a bar from the beginning of validity to its end, and a dot at the time of
 * recording. The user can list the entries that were valid on a day, or those that the memory contained on that day.
 */
export function Timeline({ filter, chosen, version, go }: Props) {
  const { data, error } = useLoaded(
    () => runAction<{ stats: { oldest: string | null } }>({ action: "stats" }),
    [version],
  )
  if (error !== null) return html`<${Failure} error=${error} />`
  if (data === null) return html`<p class="state" role="status">Loading…</p>`
  const today = Date.now()
  const oldest = data.stats.oldest === null ? today : Date.parse(data.stats.oldest)
  const span = { start: Math.min(oldest, today - DAY_MS), end: today }
  const render = (entry: MemoryEntry) =>
    html`<${Lane} entry=${entry} span=${span} isChosen=${entry.id === chosen} choose=${() => go({ id: entry.id })} />`
  return html`<${Entries} filter=${filter} version=${version} render=${render} head=${html`<${Axis} span=${span} />`} />`
}

function Axis({ span }: { span: Span }) {
  const marks = [0, 0.25, 0.5, 0.75, 1].map((share) => new Date(span.start + share * (span.end - span.start)))
  return html`<div class="legend"><span><i class="key-bar"></i>holds</span><span><i class="key-bar ended"></i>ended</span><span><i class="key-dot"></i>recorded</span></div>
    <div class="lane axis" aria-hidden="true"><span></span><span class="ticks">${marks.map((date) => html`<span>${dateText(date, span)}</span>`)}</span></div>`
}

/** A date; with the time of day if the axis is short. */
function dateText(date: Date, { start, end }: Span): string {
  const text = date.toISOString()
  return end - start < 3 * DAY_MS ? text.slice(5, 16).replace("T", " ") : text.slice(0, 10)
}

type LaneProps = { entry: MemoryEntry; span: Span; isChosen: boolean; choose: () => void }

function Lane({ entry, span, isChosen, choose }: LaneProps) {
  const { text, topic, recorded_at, valid_from, valid_until } = entry
  const at = (time: string) => {
    const share = (Date.parse(time) - span.start) / (span.end - span.start)
    return Math.min(1, Math.max(0, share)) * 100
  }
  const from = at(valid_from ?? recorded_at)
  const until = valid_until === null ? 100 : Math.max(from, at(valid_until))
  const facts = [
    topic,
    `recorded ${recorded_at.slice(0, 10)}`,
    valid_from !== null && `holds from ${valid_from.slice(0, 10)}`,
    valid_until !== null && `until ${valid_until.slice(0, 10)}`,
  ]
  return html`<button class="entry lane" aria-current=${isChosen ? "true" : undefined} onClick=${choose}>
    <span><span class="headline">${text.split("\n", 1)[0]}</span><span class="facts">${facts.filter(Boolean).join(" · ")}</span></span>
    <span class="time" aria-hidden="true"><i class=${valid_until === null ? "span" : "span ended"} style=${{ left: `${from}%`, width: `${until - from}%` }}></i>
      <i class="dot" style=${{ left: `${at(recorded_at)}%` }}></i></span></button>`
}
