import type { Entry } from "../../../memory/entries/entry.ts"
import type { EntryList } from "../../../memory/entries/list-entries.ts"
import type { EntryStep } from "../../../memory/log/changed-since.ts"
import type { KnowledgeEvent } from "../../../memory/log/event.ts"
import type { EntryOutput } from "../answers.ts"
import { entryOutput } from "../entries/entry-output.ts"
import { storeFilterFor, visibleProjects } from "../entries/entry-scope.ts"
import { entryCount, plainEntry } from "../entries/entry-text.ts"
import type { Memory } from "../memory.ts"
import type { EntryFilter } from "../requests.ts"
import { checkSource } from "../sources/freshness.ts"
import type { KnowledgeAnswer, PageOptions } from "./answer.ts"

const USUAL_PAGE = 20
const USUAL_CHANGES = 50

/** Finds entries by id, filter or topic, and shows their history. */
export const handlers = {
  async get(memory: Memory, { ids }: { readonly ids: readonly string[] }): Promise<KnowledgeAnswer> {
    return entriesAnswer(await shownNow(memory, memory.knowledge.get(ids)), memory.notices)
  },
  list(memory: Memory, args: EntriesCall): Promise<KnowledgeAnswer> {
    const { limit = USUAL_PAGE, offset = 0 } = args
    return page(memory, selectEntries(memory, args, { limit, offset }), { ...args, limit, offset })
  },
  /** Entries of one topic, in order. */
  entries(
    memory: Memory,
    {
      topic,
      match = "",
      ...paging
    }: PageOptions & { readonly topic: string; readonly match?: string | undefined },
  ): Promise<KnowledgeAnswer> {
    const { entries } = memory.knowledge.list(storeFilterFor(memory, { topic }))
    const part = match.toLowerCase()
    const { limit = USUAL_PAGE, offset = 0 } = paging
    const matching = entries.filter(({ text }) => text.toLowerCase().includes(part))
    const found = { entries: matching.slice(offset, offset + limit), total: matching.length }
    return page(memory, found, { limit, offset })
  },
  history,
  changes,
  sessions,
}

type Paging = { readonly limit: number; readonly offset: number }

type EntriesCall = PageOptions &
  EntryFilter & {
    readonly known_at?: string | undefined
    /** True: only deleted entries. */
    readonly deleted?: boolean | undefined
  }

/** Entries that match the filter, newest first; with a session, in the order of the session. */
function selectEntries(memory: Memory, call: EntriesCall, paging: Paging): EntryList {
  const wanted = { ...storeFilterFor(memory, call), ...(call.deleted === true && { deleted: true }) }
  return memory.knowledge.list(wanted, {
    order: call.session === undefined ? "newest" : "session",
    ...paging,
    ...(call.known_at !== undefined && { knownAt: call.known_at }),
  })
}

/** Entries with their sources checked, except deleted ones; one after the other, because each may run git. */
async function shownNow(memory: Memory, entries: readonly Entry[]): Promise<EntryOutput[]> {
  const project = memory.project()
  const shown: EntryOutput[] = []
  for (const stored of entries) {
    const { entry, state } =
      stored.deletedAt === null ? await checkSource(memory, stored) : { entry: stored, state: null }
    shown.push(entryOutput(entry, project, state?.freshness))
  }
  return shown
}

function entriesAnswer(shown: readonly EntryOutput[], notices: readonly string[]) {
  return {
    data: { entries: shown, notices },
    text: [...shown.map(plainEntry), ...notices].join("\n\n"),
    found: shown.length > 0,
  }
}

/**
 * A page of entries with their sources checked. With `known_at`, the entries as they were at that time; their sources
 * are not checked.
 */
async function page(
  memory: Memory,
  { entries: wanted, total }: EntryList,
  { limit, offset, known_at }: Paging & { readonly known_at?: string | undefined },
): Promise<KnowledgeAnswer> {
  const project = memory.project()
  const shown =
    known_at === undefined
      ? await shownNow(memory, wanted)
      : wanted.map((entry) => entryOutput(entry, project))
  const { notices } = memory
  const { data, text, found } = entriesAnswer(shown, notices)
  const next = offset + limit < total ? offset + limit : null
  const rest = next === null ? "" : `\n\n${total - next} more: offset ${next}`
  return {
    data: { ...data, total, limit, offset, next_offset: next },
    text: found ? `${text}${rest}` : [`no entries (${total} in all)`, ...notices].join("\n\n"),
    found,
  }
}

function history(memory: Memory, { id }: { readonly id: string }): KnowledgeAnswer {
  const forms = memory.knowledge.history(id).map((form) => ({
    event: form.event.id,
    at: form.event.at,
    change: form.event.change.type,
    reason: changeReason(form.event),
    entry: form.after === null ? null : entryOutput(form.after, memory.project()),
  }))
  return {
    data: { id, forms },
    text: forms.map((form, nth) => formText(form, forms[nth - 1]?.entry ?? null)).join("\n\n"),
    found: true,
  }
}

function changeReason({ change }: KnowledgeEvent): string | null {
  return "reason" in change ? (change.reason ?? null) : null
}

function changes(
  memory: Memory,
  { since, limit = USUAL_CHANGES }: Pick<PageOptions, "limit"> & { readonly since: string },
): KnowledgeAnswer {
  const projects = visibleProjects(memory)
  const all = memory.knowledge.changesSince(since).filter(({ before, after }) => {
    const entry = after ?? before
    return entry !== null && projects.includes(entry.project)
  })
  const shown = all.slice(-limit).map(changeOf)
  return {
    data: { since, changes: shown, total: all.length },
    text: shown
      .map(({ at, id, change, topic, text }) => `${at} ${change} ${id} (${topic}) ${text}`)
      .join("\n"),
    found: shown.length > 0,
  }
}

function changeOf({ event, before, after }: EntryStep) {
  const entry = (after ?? before)!
  const summary = (text: string | undefined) => (text === undefined ? null : firstLine(text))
  return {
    at: event.at,
    id: entry.id,
    change: event.change.type,
    topic: entry.topic,
    text: firstLine(entry.text),
    before: before?.text === after?.text ? null : summary(before?.text),
  }
}

function firstLine(text: string): string {
  const first = text.split("\n", 1)[0]!
  return first.length > 100 ? `${first.slice(0, 100)}…` : first
}

function sessions(memory: Memory, { limit = USUAL_PAGE }: Pick<PageOptions, "limit">): KnowledgeAnswer {
  const projects = visibleProjects(memory)
  const all = memory.knowledge.sessions().filter(({ project }) => projects.includes(project))
  const shown = all
    .slice(0, limit)
    .map(({ session, entries, first, last }) => ({ session, entries, first, last }))
  return {
    data: { sessions: shown, total: all.length },
    text: shown
      .map(({ session, entries, first, last }) => `${session}: ${entryCount(entries)}, ${first} to ${last}`)
      .join("\n"),
    found: shown.length > 0,
  }
}

/** One revision of an entry and the change that made it. */
type HistoryStep = {
  readonly at: string
  readonly change: string
  readonly reason: string | null
  /** The entry after this change; null if it was purged. */
  readonly entry: EntryOutput | null
}

/** Fields of a revision that are compared with the previous one, apart from the text. */
const FIELDS = [
  ...(["topic", "kind", "tags", "key", "source", "author", "role", "session", "entities"] as const),
  ...(["valid_from", "valid_until", "superseded_by"] as const),
]

/** Text for a revision: time, change, changed fields, and the text if it changed. */
function formText({ at, change, reason, entry }: HistoryStep, before: EntryOutput | null): string {
  const why = reason === null ? "" : `: ${reason}`
  const changed = before === null || entry === null ? [] : changedFields(before, entry)
  const head = `${at} ${change}${changed.length === 0 ? "" : ` (${changed.join("; ")})`}${why}`
  if (entry === null) return `${head}\n  (gone)`
  return entry.text === before?.text ? head : `${head}\n${entry.text}`
}

function changedFields(before: EntryOutput, after: EntryOutput): string[] {
  return FIELDS.filter((field) => fieldText(before, field) !== fieldText(after, field)).map(
    (field) => `${field.replace("_", " ")}: ${fieldText(after, field) || "none"}`,
  )
}

function fieldText(entry: EntryOutput, field: (typeof FIELDS)[number]): string {
  const value = entry[field]
  return typeof value === "string" ? value : (value?.join(", ") ?? "")
}
