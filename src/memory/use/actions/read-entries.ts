/*
 * Actions that read entries: pages of them, their history, counts, and lists of entries to look after. Each takes the
 * entries that match its filter and shows a page of them, or rows computed from them (memory/views).
 */

import { compareTexts } from "../../../base/index.ts"
import { isConflict, settleRead } from "../../conflicts/settle.ts"
import type { Entry } from "../../entries/entry.ts"
import { jsonFields } from "../../entries/entry-fields.ts"
import type { EntryList } from "../../entries/list-entries.ts"
import type { EntryStep } from "../../log/derive.ts"
import { aboutSubject } from "../../views/reconstruct.ts"
import {
  around,
  byNewest,
  compact,
  headline,
  isValidAt,
  prune,
  recent,
  stats,
  tagCounts,
  topics,
  xref,
} from "../../views/views.ts"
import { storeFilterFor, visibleProjects } from "../entries/entry-names.ts"
import {
  checkedOutputs,
  entryCount,
  entryOutput,
  hitOutput,
  outputsWithCommits,
  plainEntry,
} from "../entries/entry-output.ts"
import type { Memory } from "../memory.ts"
import { newerHit, searchEntries, spendTokens } from "../recall.ts"
import type { EntryFilter, EntryOutput } from "../requests.ts"
import { checkSource, sourceNow } from "../sources.ts"
import { type KnowledgeAnswer, type PageOptions, paging, rowsAnswer } from "./answer.ts"

type TopicOption = { readonly topic?: string | undefined }
type Ids = { readonly ids: readonly string[] }

export const handlers = {
  get,
  list,
  entries: entriesOfTopic,
  recent: recentEntries,
  timeline,
  history,
  changes,
  sessions,
  reconstruct: reconstructed,
  topics: (memory: Memory, filter: EntryFilter) =>
    rowsAnswer(
      "topics",
      topics(matching(memory, filter), now()).map(({ headline, id, ...topic }) => jsonFields(topic)),
      ({ topic, entries, current, last_at }) =>
        `${topic} (${entryCount(entries)}${current < entries ? `, ${current} hold` : ""}, last ${last_at.slice(0, 10)})`,
    ),
  digest: (memory: Memory, filter: EntryFilter) =>
    rowsAnswer(
      "digest",
      topics(matching(memory, filter), now()).map(({ topic, entries, headline, id, lastAt }) =>
        jsonFields({ topic, entries, headline, id, lastAt }),
      ),
      ({ topic, entries, headline, last_at }) =>
        `${topic} (${entries}, ${last_at.slice(0, 10)}): ${headline}`,
    ),
  tags: (memory: Memory, filter: EntryFilter) =>
    rowsAnswer(
      "tags",
      tagCounts(matching(memory, filter)).map(jsonFields),
      ({ tag, entries }) => `#${tag} ${entries}`,
    ),
  stats: (memory: Memory, filter: EntryFilter): KnowledgeAnswer => {
    const totals = stats(matching(memory, filter), now())
    return { data: { stats: jsonFields(totals) }, text: statsText(totals), found: true }
  },
  xref: (memory: Memory, { topic }: { readonly topic: string }) => {
    const references = xref(matching(memory, {}), topic).map(({ topic, mentions }) => ({
      topic,
      mentions: mentions.map(({ entry: { id, text, recordedAt }, by, name }) => ({
        ...{ id, by, name, text: headline(text), recorded_at: recordedAt },
      })),
    }))
    return rowsAnswer(
      "references",
      references,
      ({ topic, mentions }) =>
        [
          `${topic} (${mentions.length})`,
          ...mentions.map(({ id, text, by, name }) => `  [${id}] ${text} (${by}: ${name})`),
        ].join("\n"),
      { empty: `no other topic mentions ${topic}`, more: { topic, total: references.length } },
    )
  },
  prune: pruned,
  compact: (memory: Memory, { topic }: TopicOption) => {
    const groups = compact(matching(memory, { topic }), now()).map(({ topic, overlap, entries }) => ({
      ...{ topic, overlap, entries: entries.map((entry) => entryOutput(entry, memory.project())) },
    }))
    return rowsAnswer(
      "groups",
      groups,
      ({ topic, overlap, entries }) =>
        [
          `${topic}: ${entries.length} nearly equal entries (${overlap.toFixed(2)})`,
          ...entries.map(({ id, text }) => `  [${id}] ${headline(text)}`),
        ].join("\n"),
      {
        empty: "nothing to compact",
        last: groups.length === 0 ? [] : ["nothing was changed; to merge entries, use merge-entries"],
        between: "\n\n",
      },
    )
  },
  conflicts,
  stale,
  refresh,
}

function now(): string {
  return new Date().toISOString()
}

/** All entries that match the filter, oldest first. */
function matching(memory: Memory, filter: EntryFilter): Entry[] {
  return memory.knowledge.list(storeFilterFor(memory, filter)).entries
}

const USUAL_PAGE = 20
const USUAL_LONG_PAGE = 50

async function get(memory: Memory, { ids }: Ids): Promise<KnowledgeAnswer> {
  const shown = await outputsWithCommits(memory, memory.knowledge.get(ids))
  const { notices } = memory
  return rowsAnswer("entries", shown, plainEntry, { more: { notices }, last: notices, between: "\n\n" })
}

/** `deleted`: only deleted entries. */
type ListCall = PageOptions &
  EntryFilter & { readonly known_at?: string | undefined; readonly deleted?: boolean | undefined }

/**
 * Entries that match the filter, newest first; with a session, in the order of the session. With `known_at`, the
 * entries as they were at that time; their sources are not checked.
 */
function list(memory: Memory, { limit = USUAL_PAGE, offset = 0, ...call }: ListCall) {
  const filter = { ...storeFilterFor(memory, call), ...(call.deleted === true && { deleted: true }) }
  const found = memory.knowledge.list(filter, {
    order: call.session === undefined ? "newest" : "session",
    ...{ limit, offset },
    ...(call.known_at !== undefined && { knownAt: call.known_at }),
  })
  return checkedPage(memory, found, { limit, offset }, call.known_at === undefined)
}

/** Entries of one topic, in order. */
function entriesOfTopic(
  memory: Memory,
  call: PageOptions & { readonly topic: string; readonly match?: string | undefined },
) {
  const { topic, match = "", limit = USUAL_PAGE, offset = 0 } = call
  const all = matching(memory, { topic }).filter(({ text }) =>
    text.toLowerCase().includes(match.toLowerCase()),
  )
  return pageOf(memory, all, { limit, offset })
}

type Page = { readonly limit: number; readonly offset: number }

/** A page of these entries, with their sources checked. */
function pageOf(memory: Memory, all: readonly Entry[], page: Page, empty?: string) {
  const entries = all.slice(page.offset, page.offset + page.limit)
  return checkedPage(memory, { entries, total: all.length }, page, true, empty)
}

async function checkedPage(
  memory: Memory,
  { entries, total }: EntryList,
  page: Page,
  isChecked: boolean,
  empty = `no entries (${total} in all)`,
) {
  const shown = isChecked ? await checkedOutputs(memory, entries) : entries.map(outputFor(memory))
  const { fields, rest } = paging(total, page)
  const { notices } = memory
  return rowsAnswer("entries", shown, plainEntry, {
    ...{ empty, more: { notices, ...fields }, last: shown.length === 0 ? notices : [...notices, ...rest] },
    between: "\n\n",
  })
}

function outputFor(memory: Memory): (entry: Entry) => EntryOutput {
  return (entry) => entryOutput(entry, memory.project())
}

const HOURS_PER_DAY = 24

function recentEntries(
  memory: Memory,
  call: PageOptions &
    EntryFilter & { readonly days?: number | undefined; readonly hours?: number | undefined },
) {
  const { limit = USUAL_LONG_PAGE, offset = 0, days = 7, hours } = call
  const all = recent(matching(memory, call), hours ?? days * HOURS_PER_DAY, now())
  const empty = `nothing in the last ${hours === undefined ? `${days} days` : `${hours} hours`}`
  return pageOf(memory, all, { limit, offset }, empty)
}

/** Entries by the day on which they were recorded, oldest first; or some before and after the entry `around`. */
function timeline(
  memory: Memory,
  call: PageOptions & EntryFilter & { readonly around?: string | undefined },
): KnowledgeAnswer {
  const { limit = USUAL_LONG_PAGE, offset = 0 } = call
  const all = matching(memory, call)
  const middle = call.around === undefined ? null : memory.knowledge.get([call.around])[0]!.id
  const chosen = middle === null ? all : around(all, middle, Math.max(1, Math.floor((limit - 1) / 2)))
  const inOrder = chosen.sort((a, b) => byNewest(b, a))
  const shown = inOrder.slice(offset, offset + limit).map(outputFor(memory))
  const days = [...Map.groupBy(shown, ({ recorded_at }) => recorded_at.slice(0, 10))].map(
    ([day, entries]) => ({ day, entries }),
  )
  const { fields, rest } = paging(inOrder.length, { limit, offset })
  return rowsAnswer("days", days, ({ day, entries }) => [day, ...entries.map(plainEntry)].join("\n"), {
    ...{ more: fields, last: rest, between: "\n\n" },
  })
}

function statsText(totals: ReturnType<typeof stats>): string {
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
  return [...lines, ...[totals.byKind, totals.byRole, totals.byAuthor].map(named)].filter(Boolean).join("\n")
}

function sessions(memory: Memory, { limit = USUAL_PAGE }: Pick<PageOptions, "limit">) {
  const projects = visibleProjects(memory)
  const all = memory.knowledge.sessions().filter(({ project }) => projects.includes(project))
  return rowsAnswer(
    "sessions",
    all.slice(0, limit).map(({ session, entries, first, last }) => ({ session, entries, first, last })),
    ({ session, entries, first, last }) => `${session}: ${entryCount(entries)}, ${first} to ${last}`,
    { more: { total: all.length } },
  )
}

function changes(
  memory: Memory,
  { since, limit = USUAL_LONG_PAGE }: Pick<PageOptions, "limit"> & { readonly since: string },
) {
  const projects = visibleProjects(memory)
  const all = memory.knowledge.changesSince(since).filter(({ before, after }) => {
    const entry = after ?? before
    return entry !== null && projects.includes(entry.project)
  })
  return rowsAnswer(
    "changes",
    all.slice(-limit).map(changeOf),
    ({ at, id, change, topic, text }) => `${at} ${change} ${id} (${topic}) ${text}`,
    { more: { since, total: all.length } },
  )
}

function changeOf({ event: { at, change }, before, after }: EntryStep) {
  const { id, topic, text } = (after ?? before)!
  const former = before === null || before.text === after?.text ? null : headline(before.text)
  return { at, id, change: change.type, topic, text: headline(text), before: former }
}

function history(memory: Memory, { id }: { readonly id: string }): KnowledgeAnswer {
  const forms = memory.knowledge.history(id).map(({ event: { id, at, change }, after }) => ({
    ...{ event: id, at, change: change.type, reason: "reason" in change ? (change.reason ?? null) : null },
    entry: after === null ? null : entryOutput(after, memory.project()),
  }))
  const text = forms.map((form, nth) => formText(form, forms[nth - 1]?.entry ?? null)).join("\n\n")
  return { data: { id, forms }, text, found: true }
}

/** One revision of an entry and the change that made it; its entry is null if it was purged. */
type HistoryStep = Readonly<Record<"at" | "change", string>> & {
  readonly reason: string | null
  readonly entry: EntryOutput | null
}

/** Fields of a revision that are compared with the previous one, apart from the text. */
const FIELDS = [
  ...(["topic", "kind", "tags", "key", "source", "author", "role", "session", "entities"] as const),
  ...(["valid_from", "valid_until", "superseded_by"] as const),
]

/** Text for a revision: time, change, changed fields, and the text if it changed. */
function formText({ at, change, reason, entry }: HistoryStep, before: EntryOutput | null): string {
  const changed =
    before === null || entry === null
      ? []
      : FIELDS.filter((field) => String(before[field] ?? "") !== String(entry[field] ?? "")).map(
          (field) => `${field.replace("_", " ")}: ${[entry[field] ?? []].flat().join(", ") || "none"}`,
        )
  const why = reason === null ? "" : `: ${reason}`
  const head = `${at} ${change}${changed.length === 0 ? "" : ` (${changed.join("; ")})`}${why}`
  if (entry === null) return `${head}\n  (gone)`
  return entry.text === before?.text ? head : `${head}\n${entry.text}`
}

/** Max hits of a reconstruction: more than of a recall, because a subject has many aspects. */
const MAX_HITS = 200
/** Tokens that each entry gets at least for its text, and for its heading and remarks. */
const TEXT_TOKENS = 60
const HEADING_TOKENS = 30
/** Entries of a reconstruction that are compared with each other. */
const COMPARED = 40

/** The sections of a reconstruction, and the kind of their entries. */
const SECTIONS = { decisions: "decision", "how-to": "procedural", facts: "semantic", events: "episodic" }

/** All entries about a subject, within `max_tokens`; the words of the query that no entry contains are the gaps. */
async function reconstructed(
  memory: Memory,
  { query, max_tokens = 2000 }: { readonly query: string; readonly max_tokens?: number | undefined },
): Promise<KnowledgeAnswer> {
  const searched = await searchEntries(memory, { query }, MAX_HITS)
  const { topics, hits, missing } = aboutSubject(query, searched.hits, searched.entries())
  const settled = settleRead(query, hits, {
    ...{ at: now(), readings: memory.knowledge.readings, compared: COMPARED },
    newerHit: (id) => newerHit(searched.entry(id), 1),
  })
  const count = Math.max(1, Math.floor(max_tokens / (TEXT_TOKENS + HEADING_TOKENS)))
  const outputs = settled.slice(0, count).map(({ hit: { entry, score, window }, mark }) => {
    const shown = window ?? { start: 0, end: entry.text.length }
    const hit = { entry, document: entry, score, chance: 1, cosine: 0, terms: [], window: shown }
    return hitOutput(memory, hit, mark, { explain: false })
  })
  const left = max_tokens - HEADING_TOKENS * outputs.length
  const shown = spendTokens(await Promise.all(outputs), "full", left)
  const sections = Object.entries(SECTIONS).flatMap(([name, kind]) => {
    const entries = shown.filter((entry) => entry.kind === kind)
    entries.sort((a, b) => compareTexts(b.recorded_at, a.recorded_at))
    return entries.length === 0 ? [] : [{ name, entries }]
  })
  const leftOff = settled.slice(count).map(({ hit: { entry } }) => entry)
  const parts = [
    ...sections.map(({ name, entries }) => [`## ${name}`, ...entries.map(plainEntry)]),
    missing.length === 0 ? [] : [`No entry mentions: ${missing.join(", ")}`],
    leftOff.length === 0
      ? []
      : [
          `${leftOff.length} more exceed the budget; use get, or raise max_tokens:`,
          ...leftOff.map(({ id, topic, text }) => `  [${id}] ${topic}: ${headline(text)}`).slice(0, 20),
        ],
  ]
  return {
    data: {
      ...{ query, topics, sections, gaps: { words: missing } },
      left_off: leftOff.map(({ id, topic, text }) => ({ id, topic, text: headline(text) })),
      max_tokens,
    },
    text: parts.flatMap((lines) => (lines.length === 0 ? [] : lines.join("\n"))).join("\n\n"),
    found: sections.length > 0,
  }
}

async function pruned(memory: Memory, { days = 180 }: { readonly days?: number | undefined }) {
  const entries = matching(memory, {})
  const gone = new Set<string>()
  for (const entry of entries)
    if ((await checkSource(memory, entry)).state?.freshness === "gone") gone.add(entry.id)
  const proposals = prune(entries, { now: now(), days, gone }).map(({ entry, reason, detail }) => ({
    ...{ id: entry.id, topic: entry.topic, text: headline(entry.text), reason, detail },
  }))
  return rowsAnswer(
    "proposals",
    proposals,
    ({ id, topic, text, reason, detail }) => `[${id}] ${topic}: ${text}\n  (${reason}: ${detail})`,
    {
      empty: "nothing to prune",
      more: { counts: countsBy(proposals, ({ reason }) => reason), days, total: proposals.length },
      last:
        proposals.length === 0 ? [] : ["nothing was deleted; to delete entries, pass their ids to delete"],
    },
  )
}

function countsBy<Row>(rows: readonly Row[], name: (row: Row) => string): Record<string, number> {
  return Object.fromEntries([...Map.groupBy(rows, name)].map(([key, own]) => [key, own.length]))
}

/** Pairs of entries that seem to contradict or replace each other, each pair once, the newest first. */
async function conflicts(
  memory: Memory,
  { topic, limit = USUAL_LONG_PAGE, offset = 0 }: PageOptions & TopicOption,
): Promise<KnowledgeAnswer> {
  const time = now()
  const living = matching(memory, { topic })
    .reverse()
    .filter((entry) => isValidAt(entry, time) && entry.session === null)
  const byId = new Map(living.map((entry) => [entry.id, entry]))
  const readings = memory.knowledge.readings.of([...byId.keys()])
  const pairs = readings.conflicts.flatMap(({ older, newer }) => {
    const [a, b] = [byId.get(older), byId.get(newer)]
    return a !== undefined && b !== undefined && isConflict(a, b, readings.odds) ? [[a, b] as const] : []
  })
  pairs.sort(([, a], [, b]) => compareTexts(b.recordedAt, a.recordedAt))
  const unreadIds = new Set(memory.knowledge.readings.unread())
  const unread = living.filter(({ id }) => unreadIds.has(id)).length
  const later = `${unread} of ${living.length} entries have not been compared yet (a server does it, or run: aman memory embed)`
  const isOff = memory.config.embeddings.encoder === "off"
  const notices = isOff ? ["notes are not compared: embeddings.encoder is off"] : unread > 0 ? [later] : []
  const shown = pairs.slice(offset, offset + limit).map(([older, newer]) => ({
    ...{ older: entryOutput(older, memory.project()), newer: entryOutput(newer, memory.project()) },
  }))
  const { fields, rest } = paging(pairs.length, { limit, offset })
  const { total, ...page } = fields
  return {
    ...rowsAnswer(
      "pairs",
      shown,
      ({ older, newer }) =>
        `[${newer.id}] ${headline(newer.text)}\n  conflicts with [${older.id}] ${headline(older.text)}`,
      {
        empty: total === 0 ? "no conflicts found" : "",
        more: { total, compared: living.length - unread, ...page, notices },
        last: [...rest, ...notices],
      },
    ),
    found: total > 0,
  }
}

const STALE: ReadonlySet<string> = new Set(["changed", "gone", "unknown"])

/** Lines of a difference that a list of stale entries shows; refresh shows all. */
const MAX_DIFF_LINES = 20

/** Entries whose code has changed. */
async function stale(memory: Memory, { topic }: TopicOption): Promise<KnowledgeAnswer> {
  const sourced = matching(memory, { topic, scope: "project" }).filter(
    ({ source, supersededAt }) => source !== null && supersededAt === null,
  )
  const checked: CheckedEntry[] = []
  for (const entry of sourced) checked.push(await checkedEntry(memory, entry))
  const counts = countsBy(checked, ({ freshness }) => freshness)
  const tally = Object.entries(counts).map(([name, count]) => `${count} ${name}`)
  const { notices } = memory
  return {
    ...rowsAnswer(
      "entries",
      checked.filter(({ freshness }) => STALE.has(freshness)),
      (entry) => staleText(entry, MAX_DIFF_LINES),
      {
        more: { checked: sourced.length, counts, notices },
        last: [
          `${entryCount(sourced.length)} about code${tally.length === 0 ? "" : `: ${tally.join(", ")}`}`,
          ...notices,
        ],
        between: "\n\n",
      },
    ),
    found: true,
  }
}

/**
 * Checks the source of entries again and records where moved lines are now; with `accept` the current lines are
 * confirmed.
 */
async function refresh(
  memory: Memory,
  { ids, accept = false }: Ids & { readonly accept?: boolean | undefined },
): Promise<KnowledgeAnswer> {
  const refreshed: CheckedEntry[] = []
  for (const entry of memory.knowledge.get(ids)) {
    const { state } = await checkSource(memory, entry)
    const isAccepted = accept && state?.freshness === "changed"
    const isFollowed = !memory.knowledge.readonly && state !== null
    const found = isAccepted ? state.anchored : isFollowed ? state.followed : null
    refreshed.push(
      await checkedEntry(memory, found === null ? entry : memory.knowledge.anchor(entry.id, found)),
    )
  }
  const answer = rowsAnswer("entries", refreshed, (entry) => staleText(entry), { more: {}, between: "\n\n" })
  return { ...answer, found: true }
}

type CheckedEntry = Awaited<ReturnType<typeof checkedEntry>>

/** An entry with its source's stored and current lines; `elsewhere`: where its symbol is defined now, as "path:line". */
async function checkedEntry(memory: Memory, stored: Entry) {
  const { entry, state } = await checkSource(memory, stored)
  const current = await sourceNow(entry, state)
  return {
    ...entryOutput(entry, memory.project(), state?.freshness),
    reason: state?.reason ?? null,
    source_then: entry.source?.text ?? null,
    source_now: current,
    elsewhere: current?.elsewhere ?? [],
  }
}

/**
 * The entry and the state of its source lines as text. A difference is cut to its first `maxLines` lines, and the
 * number of further lines is added.
 */
function staleText(entry: CheckedEntry, maxLines = Number.POSITIVE_INFINITY): string {
  const { reason, source_then, source_now, freshness } = entry
  const lines = [plainEntry(entry)]
  if (reason !== null) lines.push(`  ${reason}`)
  if (source_now?.diff) lines.push(head(source_now.diff))
  else if (freshness === "gone" && source_then !== null) lines.push(`then:\n${head(source_then)}`)
  else if (freshness === "changed" && source_then !== null)
    lines.push(
      `  the first ${source_then.split("\n").length} lines, the only ones stored, are unchanged; later lines differ`,
    )
  return lines.join("\n")

  function head(text: string): string {
    const all = text.split("\n")
    const more = all.length - maxLines
    return more > 0
      ? [...all.slice(0, maxLines), `… ${more} more lines: refresh ${entry.id}`].join("\n")
      : text
  }
}
