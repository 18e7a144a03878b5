import type { Entry } from "../../../memory/entries/entry.ts"
import { jsonFields } from "../../../memory/entries/entry-fields.ts"
import { headline } from "../../../memory/views/order.ts"
import { type Stats, stats } from "../../../memory/views/stats.ts"
import { around, recent, timeline } from "../../../memory/views/timeline.ts"
import { tagCounts, topicDigest, topics } from "../../../memory/views/topics.ts"
import { xref } from "../../../memory/views/xref.ts"
import { entryOutput } from "../entries/entry-output.ts"
import { storeFilterFor } from "../entries/entry-scope.ts"
import { plainEntry } from "../entries/entry-text.ts"
import type { Memory } from "../memory.ts"
import type { EntryFilter } from "../requests.ts"
import type { KnowledgeAnswer, PageOptions } from "./answer.ts"

const USUAL_PAGE = 50
const USUAL_DAYS = 7
const HOURS_PER_DAY = 24

/** Overviews of the stored entries. */
export const handlers = {
  topics: (memory: Memory, filter: EntryFilter) =>
    topicsAnswer(matchingEntries(memory, filter), currentTime()),
  tags: (memory: Memory, filter: EntryFilter) => tagsAnswer(matchingEntries(memory, filter)),
  digest: (memory: Memory, filter: EntryFilter) =>
    digestAnswer(matchingEntries(memory, filter), currentTime()),
  stats: (memory: Memory, filter: EntryFilter) => statsAnswer(matchingEntries(memory, filter), currentTime()),
  xref: (memory: Memory, { topic }: { readonly topic: string }) =>
    xrefAnswer(matchingEntries(memory, {}), topic),
  timeline: timelineAnswer,
  recent: recentAnswer,
}

function currentTime(): string {
  return new Date().toISOString()
}

function matchingEntries(memory: Memory, filter: EntryFilter): Entry[] {
  return memory.knowledge.list(storeFilterFor(memory, filter)).entries
}

function topicsAnswer(entries: readonly Entry[], now: string): KnowledgeAnswer {
  const topicCounts = topics(entries, now)
  const counted = (all: number, current: number) =>
    `${all} ${all === 1 ? "entry" : "entries"}${current < all ? `, ${current} hold` : ""}`
  return {
    data: {
      topics: topicCounts.map(jsonFields),
      total: topicCounts.length,
    },
    text: topicCounts
      .map(
        ({ topic, entries: all, current, lastAt }) =>
          `${topic} (${counted(all, current)}, last ${lastAt.slice(0, 10)})`,
      )
      .join("\n"),
    found: topicCounts.length > 0,
  }
}

function tagsAnswer(entries: readonly Entry[]): KnowledgeAnswer {
  const counts = tagCounts(entries)
  return {
    data: { tags: counts.map(jsonFields), total: counts.length },
    text: counts.map(({ tag, entries: count }) => `#${tag} ${count}`).join("\n"),
    found: counts.length > 0,
  }
}

function digestAnswer(entries: readonly Entry[], now: string): KnowledgeAnswer {
  const digest = topicDigest(entries, now)
  return {
    data: {
      digest: digest.map(jsonFields),
      total: digest.length,
    },
    text: digest
      .map((each) => `${each.topic} (${each.entries}, ${each.lastAt.slice(0, 10)}): ${each.headline}`)
      .join("\n"),
    found: digest.length > 0,
  }
}

function statsAnswer(entries: readonly Entry[], now: string): KnowledgeAnswer {
  const totals = stats(entries, now)
  return { data: { stats: jsonFields(totals) }, text: statsText(totals), found: true }
}

function statsText(totals: Stats): string {
  const named = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts)
      .map(([name, count]) => `${name} ${count}`)
      .join(", ")
  const lines = [
    `${totals.entries} entries: ${totals.current} valid, ${totals.superseded} superseded, ${totals.ended} ended; ${totals.revised} were revised`,
    `${totals.topics} topics, ${totals.tags} tags, ${totals.sessions} sessions; ${totals.withSource} entries are about code`,
    `about ${totals.tokens} tokens`,
  ]
  if (totals.oldest !== null && totals.newest !== null)
    lines.push(`from ${totals.oldest.slice(0, 10)} to ${totals.newest.slice(0, 10)}`)
  for (const counts of [totals.byKind, totals.byRole, totals.byAuthor])
    if (named(counts) !== "") lines.push(named(counts))
  return lines.join("\n")
}

function xrefAnswer(entries: readonly Entry[], topic: string): KnowledgeAnswer {
  const references = xref(entries, topic)
  return {
    data: {
      topic,
      references: references.map((each) => ({
        topic: each.topic,
        mentions: each.mentions.map(({ entry, by, name }) => ({
          ...{ id: entry.id, by, name, text: headline(entry.text), recorded_at: entry.recordedAt },
        })),
      })),
      total: references.length,
    },
    text:
      references
        .map((each) =>
          [
            `${each.topic} (${each.mentions.length})`,
            ...each.mentions.map(
              ({ entry, by, name }) => `  [${entry.id}] ${headline(entry.text)} (${by}: ${name})`,
            ),
          ].join("\n"),
        )
        .join("\n") || `no other topic mentions ${topic}`,
    found: references.length > 0,
  }
}

function timelineAnswer(
  memory: Memory,
  call: PageOptions & EntryFilter & { readonly around?: string | undefined },
): KnowledgeAnswer {
  const { limit = USUAL_PAGE } = call
  const entries = matchingEntries(memory, call)
  if (call.around !== undefined) {
    const [middle] = memory.knowledge.get([call.around])
    return daysAnswer(memory, around(entries, middle!.id, Math.max(1, Math.floor((limit - 1) / 2))), call)
  }
  return daysAnswer(memory, entries, call)
}

function daysAnswer(
  memory: Memory,
  entries: readonly Entry[],
  { limit = USUAL_PAGE, offset = 0 }: PageOptions,
): KnowledgeAnswer {
  const inOrder = timeline(entries).flatMap((day) => day.entries)
  const days = timeline(inOrder.slice(offset, offset + limit)).map(({ day, entries: ofDay }) => ({
    day,
    entries: ofDay.map((entry) => entryOutput(entry, memory.project())),
  }))
  const next = offset + limit < inOrder.length ? offset + limit : null
  const rest = next === null ? [] : [`${inOrder.length - next} more: offset ${next}`]
  return {
    data: { days, total: inOrder.length, limit, offset, next_offset: next },
    text: [...days.map((day) => [day.day, ...day.entries.map(plainEntry)].join("\n")), ...rest].join("\n\n"),
    found: days.length > 0,
  }
}

function recentAnswer(
  memory: Memory,
  call: PageOptions &
    EntryFilter & { readonly days?: number | undefined; readonly hours?: number | undefined },
): KnowledgeAnswer {
  const { limit = USUAL_PAGE, offset = 0, days, hours } = call
  const span = hours ?? (days ?? USUAL_DAYS) * HOURS_PER_DAY
  const recentEntries = recent(matchingEntries(memory, call), span, currentTime())
  const shown = recentEntries
    .slice(offset, offset + limit)
    .map((entry) => entryOutput(entry, memory.project()))
  const next = offset + limit < recentEntries.length ? offset + limit : null
  return {
    data: { entries: shown, total: recentEntries.length, limit, offset, next_offset: next },
    text:
      shown.map(plainEntry).join("\n\n") ||
      `nothing in the last ${hours === undefined ? `${span / HOURS_PER_DAY} days` : `${hours} hours`}`,
    found: shown.length > 0,
  }
}
