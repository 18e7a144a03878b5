import fc from "fast-check"
import type { Entity, Relation } from "../src/memory/entities/entities.ts"
import { settledEntities } from "../src/memory/entities/entities.ts"
import { findEntity } from "../src/memory/entities/graph-questions.ts"
import type { Entry } from "../src/memory/entries/entry.ts"
import { comparable } from "../src/memory/entries/labels.ts"
import { Knowledge } from "../src/memory/knowledge.ts"
import type { EntityFields, KnowledgeEvent } from "../src/memory/log/event.ts"
import type { Writer } from "../src/memory/log/writer.ts"
import type { ProjectMark, ProjectRow } from "../src/store/memory/tables.ts"

const START = Date.parse("2026-11-21T20:00:00.000Z")

/** A store in memory whose clock advances by one second at each reading. */
export function passingKnowledge(start = START): Knowledge {
  let clock = start
  return new Knowledge({
    path: ":memory:",
    now: () => {
      clock += 1000
      return clock
    },
  })
}

type Step = {
  readonly what: number
  readonly which: number
  readonly text: string
  readonly project: string | null
}

const TEXTS = fc.oneof(
  fc.string({ minLength: 1, unit: "binary", maxLength: 40 }),
  fc.constantFrom(
    "plain words",
    "# Heading\n```\nfence\n",
    "ä\u0000\ud800\r\n日本語",
    "<!-- aman -->",
    "--->",
  ),
)

/** Generator of the steps of a history in these projects; they lead to events of every kind. */
export function histories(projects: readonly (string | null)[] = ["p1", "p2", null]): fc.Arbitrary<Step[]> {
  const step = fc.record({
    what: fc.nat({ max: 11 }),
    which: fc.nat({ max: 1000 }),
    text: TEXTS.filter((text) => text.trim() !== "" && !/<\s*\/?\s*private/i.test(text)),
    project: fc.constantFrom(...projects),
  })
  return fc.array(step, { maxLength: 25 })
}

/** Carries out the steps; a step that needs an entry and finds none stores one. */
export function live(knowledge: Knowledge, steps: readonly Step[]): void {
  for (const step of steps) {
    const entries = entriesOf(knowledge)
    const entry = entries[step.which % Math.max(1, entries.length)]
    if (entry === undefined || step.what < 4) store(knowledge, step)
    else change(knowledge, step, entry, entries)
  }
}

function store(knowledge: Knowledge, { what, which, text, project }: Step): void {
  knowledge.remember([
    {
      text,
      project,
      topic: `topic ${which % 3}`,
      tags: what === 1 ? ["one", `tag ${which}`] : [],
      key: what === 2 ? `key ${which % 2}` : null,
      entities: what === 3 ? ["Ann", `Thing ${which % 4}`] : [],
      relations: what === 3 ? [{ from: "Ann", to: `Thing ${which % 4}`, type: "uses" }] : [],
      validFrom: what === 0 ? "2026-01-01" : null,
      metadata: { which, nested: { list: [null, text] } },
      ...(what === 1 && { recordedAt: "2025-05-05" }),
    },
  ])
}

function change(
  knowledge: Knowledge,
  { what, text, project }: Step,
  entry: Entry,
  entries: readonly Entry[],
): void {
  const other = entries.find(({ id, deletedAt }) => id !== entry.id && deletedAt === null)
  if (entry.deletedAt !== null) knowledge.restore([entry.id])
  else if (what === 4) knowledge.revise(entry.id, { text }, { reason: text })
  else if (what === 5) knowledge.append(entry.id, text)
  else if (what === 6) knowledge.tag([entry.id], { add: [text], remove: ["one"] })
  else if (what === 7) knowledge.invalidate(entry.id, { reason: text, validUntil: "2026-06-01" })
  else if (what === 8) knowledge.delete([entry.id], text)
  else if (what === 9 && other) knowledge.supersede(entry.id, other.id)
  else if (what === 10) knowledge.revise(entry.id, { project })
  else knowledge.anchor(entry.id, { ...NOWHERE, path: "src/a.ts", startLine: 3, endLine: 4, text })
}

const NOWHERE = { startLine: null, endLine: null, symbol: null, hash: null, text: null, commit: null }

export type Tables = {
  readonly entries: readonly Entry[]
  readonly entities: readonly Entity[]
  readonly relations: readonly Relation[]
  readonly events: readonly KnowledgeEvent[]
  readonly projects: readonly ProjectRow[]
  readonly marks: readonly ProjectMark[]
}

/** Everything that a store contains, in an order that does not depend on how it got there. */
export function tablesOf(knowledge: Knowledge): Tables {
  const { entries, entities, relations } = knowledge.changedSince(0)
  const byId = <T extends { readonly id: string }>(rows: readonly T[]) =>
    [...rows].sort((a, b) => (a.id < b.id ? -1 : 1))
  return {
    entries: byId(entries),
    entities: byId(entities),
    relations: byId(relations),
    events: byId(knowledge.events()),
    projects: byId(knowledge.projects.all()),
    marks: knowledge.projects.marks(),
  }
}

export function entriesOf(knowledge: Knowledge): readonly Entry[] {
  return knowledge.changedSince(0).entries
}

/**
 * Gives an entity another name or other fields, as stores of earlier versions may have done: events of this kind come from
 * them, and from a project that is recognised anew. What has the same name is merged into it, as then.
 */
export function reviseEntity(
  writer: Writer,
  project: string | null,
  wanted: string,
  fields: Partial<Pick<EntityFields, "name" | "description">>,
): void {
  const { entities, relations } = writer.store
  const known = settledEntities(
    entities.after(0).map((body) => JSON.parse(body)),
    relations.after(0).map((body) => JSON.parse(body)),
  )
  const { id, ids, name, aliases } = known.entities[findEntity(known, wanted, project)]!
  for (const each of ids) if (each !== id) writer.write(each, { type: "entity-merged", into: id })
  const former = fields.name === undefined || comparable(fields.name) === comparable(name) ? [] : [name]
  writer.write(id, { type: "entity-revised", fields: { ...fields, aliases: [...aliases, ...former] } })
}
