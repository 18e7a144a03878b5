import type { EntryStep } from "../../../knowledge/changes-since.ts"
import type { Entry } from "../../../knowledge/entry.ts"
import type { KnowledgeEvent } from "../../../knowledge/event.ts"
import type { ShownEntry } from "../answers.ts"
import type { KnowledgeAnswer, KnowledgeCall } from "../calls.ts"
import { entryCount } from "../counted.ts"
import { plainEntry } from "../entry-text.ts"
import { formText } from "../form-text.ts"
import { lookAtSource } from "../freshness.ts"
import type { Memory } from "../memory.ts"
import { shownEntry } from "../shown-entry.ts"
import { scopesOf, wantedEntries } from "../wanted-entries.ts"

type Call = Extract<
  KnowledgeCall,
  { action: "get" | "list" | "entries" | "history" | "changes" | "sessions" }
>

const USUAL_PAGE = 20
const USUAL_CHANGES = 50

/** Looks entries up by id, by filter or by topic, and how they came to be what they are. */
export async function readEntries(memory: Memory, call: Call): Promise<KnowledgeAnswer> {
  switch (call.action) {
    case "get":
      return entriesAnswer(await shownNow(memory, memory.knowledge.get(call.ids)), memory.notices)
    case "list":
      return page(memory, listed(memory, call), call)
    case "entries": {
      const { entries } = memory.knowledge.list(wantedEntries(memory, { topic: call.topic }))
      const part = call.match?.toLowerCase() ?? ""
      return page(
        memory,
        entries.filter(({ text }) => text.toLowerCase().includes(part)),
        call,
      )
    }
    case "history":
      return history(memory, call.id)
    case "changes":
      return changes(memory, call)
    case "sessions":
      return sessions(memory, call.limit)
  }
}

/** Newest first; a session in the order of what was said. */
function listed(memory: Memory, call: Extract<Call, { action: "list" }>): Entry[] {
  const wanted = { ...wantedEntries(memory, call), ...(call.deleted === true && { deleted: true }) }
  return memory.knowledge.list(wanted, {
    order: call.session === undefined ? "newest" : "session",
    ...(call.known_at !== undefined && { knownAt: call.known_at }),
  }).entries
}

/** Their sources looked at, but of what is deleted; one after the other, since each may ask git. */
async function shownNow(memory: Memory, entries: readonly Entry[]): Promise<ShownEntry[]> {
  const project = memory.project()
  const shown: ShownEntry[] = []
  for (const found of entries) {
    const { entry, state } =
      found.deletedAt === null ? await lookAtSource(memory, found) : { entry: found, state: null }
    shown.push(shownEntry(entry, project, state?.freshness))
  }
  return shown
}

function entriesAnswer(shown: readonly ShownEntry[], notices: readonly string[]) {
  return {
    data: { entries: shown, notices },
    text: [...shown.map(plainEntry), ...notices].join("\n\n"),
    found: shown.length > 0,
  }
}

/** `known_at`: in the words of then, which say nothing of the code as it is now. */
async function page(
  memory: Memory,
  entries: readonly Entry[],
  { limit = USUAL_PAGE, offset = 0, known_at }: PageChoice,
): Promise<KnowledgeAnswer> {
  const wanted = entries.slice(offset, offset + limit)
  const project = memory.project()
  const shown =
    known_at === undefined
      ? await shownNow(memory, wanted)
      : wanted.map((entry) => shownEntry(entry, project))
  const { notices } = memory
  const { data, text, found } = entriesAnswer(shown, notices)
  const total = entries.length
  const next = offset + limit < total ? offset + limit : null
  const rest = next === null ? "" : `\n\n${total - next} more: offset ${next}`
  return {
    data: { ...data, total, limit, offset, next_offset: next },
    text: found ? `${text}${rest}` : [`no entries (${total} in all)`, ...notices].join("\n\n"),
    found,
  }
}

type PageChoice = {
  readonly limit?: number | undefined
  readonly offset?: number | undefined
  readonly known_at?: string | undefined
}

function history(memory: Memory, id: string): KnowledgeAnswer {
  const forms = memory.knowledge.history(id).map((form) => ({
    event: form.event.id,
    at: form.event.at,
    change: form.event.change.type,
    reason: reasonOf(form.event),
    entry: form.after === null ? null : shownEntry(form.after, memory.project()),
  }))
  return {
    data: { id, forms },
    text: forms.map((form, nth) => formText(form, forms[nth - 1]?.entry ?? null)).join("\n\n"),
    found: true,
  }
}

function reasonOf({ change }: KnowledgeEvent): string | null {
  return "reason" in change ? (change.reason ?? null) : null
}

function changes(memory: Memory, { since, limit = USUAL_CHANGES }: Extract<Call, { action: "changes" }>) {
  const projects = scopesOf(memory)
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

function sessions(memory: Memory, limit = USUAL_PAGE): KnowledgeAnswer {
  const projects = scopesOf(memory)
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
