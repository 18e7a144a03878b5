import type { Change, EntityFields, EntryFields, KnowledgeEvent } from "../log/event.ts"

/**
 * The events of one subject, in their order, without texts that later events replaced. Folding them gives the
 * same entry or entity, with the same event ids, but without its previous revisions, so that an export of the
 * current state does not reveal text that was corrected or removed.
 */
export function withoutFormerForms(events: readonly KnowledgeEvent[]): KnowledgeEvent[] {
  const last = lastSetters(events)
  return events.map((event, at) => ({ ...event, change: currentPart(event.change, at, last) }))
}

type Setter = { readonly at: number; readonly value: unknown }

/**
 * Fields with free text, of which only the newest value is exported. Earlier values of all other fields are exported
 * too, because they contain nothing confidential, and some of them depend on the order of events.
 */
const WORDS: ReadonlySet<string> = new Set<keyof EntryFields | keyof EntityFields>([
  ...(["text", "topic", "tags", "key", "source", "author", "session", "entities", "metadata"] as const),
  ...(["description", "aliases", "type"] as const),
])

/** For each field with free text, the index of the last event that set it, and the value. */
function lastSetters(events: readonly KnowledgeEvent[]): ReadonlyMap<string, Setter> {
  const last = new Map<string, Setter>()
  for (const [at, { change }] of events.entries()) {
    const fields =
      change.type === "anchored" ? { source: change.source } : "fields" in change ? change.fields : {}
    for (const [name, value] of Object.entries(fields)) if (WORDS.has(name)) last.set(name, { at, value })
  }
  return last
}

function currentPart(change: Change, at: number, last: ReadonlyMap<string, Setter>): Change {
  const isFormer = (name: string) => WORDS.has(name) && last.get(name)!.at !== at
  switch (change.type) {
    case "stored":
    case "entity": {
      // An event of this type must have all its fields, so a value that was replaced later is not removed but
      // substituted by the last value.
      const fields = Object.entries(change.fields).map(([name, value]) => [
        name,
        isFormer(name) ? last.get(name)!.value : value,
      ])
      return { ...change, fields: Object.fromEntries(fields) } as Change
    }
    case "revised":
    case "entity-revised": {
      const fields = Object.entries(change.fields).filter(([name]) => !isFormer(name))
      return { type: change.type, fields: Object.fromEntries(fields) } as Change
    }
    case "appended":
      return (last.get("text")?.at ?? -1) > at ? { type: "revised", fields: {} } : change
    case "anchored":
      return { ...change, source: last.get("source")!.value as EntryFields["source"] }
    default:
      return change
  }
}
