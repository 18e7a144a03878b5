import type { Entry } from "../../../knowledge/entry.ts"
import type { KnowledgeEvent } from "../../../knowledge/event.ts"
import type { Form } from "../../../knowledge/knowledge.ts"
import { firstMoment, parseTime } from "../../../knowledge/times.ts"
import type { KnowledgeAnswer, KnowledgeCall } from "../calls.ts"
import { plainEntry } from "../entry-text.ts"
import type { Memory } from "../memory.ts"
import { shownEntry } from "../shown-entry.ts"
import { wantedEntries } from "../wanted-entries.ts"

type Call = Extract<KnowledgeCall, { action: "get" | "list" | "entries" | "history" | "changes" }>

const USUAL_PAGE = 20
const USUAL_CHANGES = 50

/** Looks entries up by id, by filter or by topic, and how they came to be what they are. */
export function readEntries(memory: Memory, call: Call): KnowledgeAnswer {
  switch (call.action) {
    case "get":
      return entriesAnswer(memory, memory.knowledge.get(call.ids))
    case "list":
      return page(memory, memory.knowledge.list(wantedEntries(memory, call)).entries.reverse(), call)
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
  }
}

function entriesAnswer(memory: Memory, entries: readonly Entry[]): KnowledgeAnswer {
  const shown = entries.map((entry) => shownEntry(entry, memory.project()))
  return {
    data: { entries: shown },
    text: shown.map(plainEntry).join("\n\n"),
    found: shown.length > 0,
  }
}

function page(
  memory: Memory,
  entries: readonly Entry[],
  {
    limit = USUAL_PAGE,
    offset = 0,
  }: { readonly limit?: number | undefined; readonly offset?: number | undefined },
): KnowledgeAnswer {
  const { data, text, found } = entriesAnswer(memory, entries.slice(offset, offset + limit))
  const total = entries.length
  const next = offset + limit < total ? offset + limit : null
  const rest = next === null ? "" : `\n\n${total - next} more: offset ${next}`
  return {
    data: { ...data, total, limit, offset, next_offset: next },
    text: found ? `${text}${rest}` : `no entries (${total} in all)`,
    found,
  }
}

function history(memory: Memory, id: string): KnowledgeAnswer {
  const forms = memory.knowledge.history(id).map((form) => ({
    event: form.event.id,
    at: form.event.at,
    change: form.event.change.type,
    reason: reasonOf(form.event),
    entry: form.entry === null ? null : shownEntry(form.entry, memory.project()),
  }))
  return {
    data: { id, forms },
    text: forms
      .map(({ at, change, reason, entry }) => {
        const why = reason === null ? "" : `: ${reason}`
        return `${at} ${change}${why}\n${entry === null ? "  (gone)" : entry.text}`
      })
      .join("\n\n"),
    found: true,
  }
}

function reasonOf({ change }: Form["event"]): string | null {
  return "reason" in change ? (change.reason ?? null) : null
}

function changes(memory: Memory, call: Extract<Call, { action: "changes" }>): KnowledgeAnswer {
  const since = firstMoment(parseTime(call.since, "since"))
  const limit = call.limit ?? USUAL_CHANGES
  const seen = new Map(memory.knowledge.list({}).entries.map((entry) => [entry.id, entry]))
  const all = memory.knowledge.events().filter(({ at, subject }) => at >= since && seen.has(subject))
  const shown = all.slice(-limit).map((event) => changeOf(event, seen.get(event.subject)!))
  return {
    data: { since, changes: shown, total: all.length },
    text: shown
      .map(({ at, id, change, topic, text }) => `${at} ${change} ${id} (${topic}) ${text}`)
      .join("\n"),
    found: shown.length > 0,
  }
}

function changeOf({ at, change }: KnowledgeEvent, entry: Entry) {
  const { id, topic, text } = entry
  const first = text.split("\n", 1)[0]!
  return { at, id, change: change.type, topic, text: first.length > 100 ? `${first.slice(0, 100)}…` : first }
}
