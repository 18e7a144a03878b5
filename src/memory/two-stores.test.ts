import { expect, test } from "bun:test"
import fc from "fast-check"
import { passingKnowledge, reviseEntity, tablesOf } from "../../test/knowledge-history.ts"
import { AmanError } from "../base/errors.ts"
import { deleteEntity, makeEntity, mergeEntities, relate, unrelate } from "./entities/change-entities.ts"
import type { KnowledgeGraph } from "./entities/entities.ts"
import { GraphIndex } from "./entities/graph-index.ts"
import type { Entry } from "./entries/entry.ts"
import type { Knowledge } from "./knowledge.ts"

const names = fc.constantFrom("Ann", "ann", "Bob", "API", "Red Fox", "Fox", "ledger")

/** A step on one of two stores, or an exchange; its numbers select the entries it changes. */
const step = fc.record({
  what: fc.nat(15),
  isFirst: fc.boolean(),
  which: fc.nat(20),
  other: fc.nat(20),
  name: names,
  otherName: names,
  project: fc.constantFrom(null, "p"),
})
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

test("two stores that exchange events in any batches agree, and so does a copy that follows changedSince", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30, size: "max" }), (steps) => {
      using first = passingKnowledge()
      using second = passingKnowledge()
      const replicas = [new Replica(first), new Replica(second)]
      for (const step of steps) {
        const [here, there] = step.isFirst ? [first, second] : [second, first]
        if (step.what === 0) there.appendEvents(here.events().filter((_, i) => i % 3 !== step.which % 3))
        else if (step.what === 1) replicas[step.which % 2]!.update()
        else refusable(() => act(here, step))
      }
      first.appendEvents(second.events())
      second.appendEvents(first.events())
      expect(first.appendEvents(second.events())).toBe(0)
      expect(tablesOf(second)).toEqual(tablesOf(first))
      for (const knowledge of [first, second]) {
        expect(knowledge.rebuild().differing).toEqual([])
        expect(returned(knowledge)).toEqual([])
      }
      for (const replica of replicas) {
        replica.update()
        expect(replica.seen()).toEqual(new Replica(first).update().seen())
      }
      expect(faultsOf(replicas[0]!.graph.graph())).toEqual([])
    }),
    { numRuns: Number(process.env["AMAN_TEST_HISTORIES"] ?? 60) },
  )
})

/** Invalid steps must be refused with an AmanError and change nothing; any other error fails the test. */
function refusable(act: () => unknown): void {
  try {
    act()
  } catch (error) {
    if (!(error instanceof AmanError)) throw error
  }
}

function act(knowledge: Knowledge, { what, which, other, name, otherName, project }: Step): unknown {
  const { entries } = knowledge.changedSince(0)
  const id = entries[which % Math.max(1, entries.length)]?.id ?? ""
  const rival = entries[other % Math.max(1, entries.length)]?.id ?? ""
  switch (what) {
    case 2:
      return knowledge.revise(id, { text: `${name} left`, entities: [otherName], project })
    case 3:
      return knowledge.delete([id])
    case 4:
      return knowledge.restore([id])
    case 5:
      return knowledge.purge([id])
    case 6:
      return knowledge.merge([id, rival], { text: `${name} and all` })
    case 7:
      return knowledge.supersede(id, rival)
    case 8:
      return knowledge.write((writer) => makeEntity(writer, project, { name, aliases: [otherName] }))
    case 9:
      return knowledge.write((writer) =>
        reviseEntity(writer, project, name, { name: `${otherName} ${other % 2}` }),
      )
    case 10:
      return knowledge.write((writer) => deleteEntity(writer, project, name))
    case 11:
      return knowledge.write((writer) => mergeEntities(writer, project, name, otherName))
    case 12:
      return knowledge.write((writer) =>
        unrelate(writer, project, { from: name, to: otherName, type: "uses" }),
      )
    case 13:
      return knowledge.write((writer) =>
        relate(writer, project, { from: name, to: otherName, type: "uses", weight: (which % 5) / 4 }),
      )
    default: {
      const said = { text: `${name} asked ${otherName}`, entities: [name], key: other % 4 === 0 ? "k" : null }
      return knowledge.remember([
        { ...said, project, relations: [{ from: name, to: otherName, type: "Uses" }] },
      ])
    }
  }
}

/** A copy that is updated only through changedSince. */
class Replica {
  readonly graph = new GraphIndex()
  readonly #knowledge: Knowledge
  readonly #entries = new Map<string, Entry>()
  #seq = 0

  constructor(knowledge: Knowledge) {
    this.#knowledge = knowledge
  }

  update(): this {
    const changes = this.#knowledge.changedSince(this.#seq)
    for (const entry of changes.entries) this.#entries.set(entry.id, entry)
    for (const id of changes.purged) this.#entries.delete(id)
    this.graph.apply(changes)
    this.#seq = changes.seq
    return this
  }

  seen(): unknown {
    const { entities, relations, mentionedBy, entries } = this.graph.graph()
    return {
      entries: [...this.#entries.values()].sort((one, other) => (one.id < other.id ? -1 : 1)),
      entities,
      relations,
      mentions: mentionedBy.map((some) => some.map((entry) => entries[entry]!).sort()),
    }
  }
}

/** Purged subjects that are back in the log. */
function returned(knowledge: Knowledge): unknown[] {
  const events = knowledge.events()
  const purged = new Set(
    events.filter(({ change }) => change.type === "purged").map(({ subject }) => subject),
  )
  return events.filter(({ subject, change }) => purged.has(subject) && change.type !== "purged")
}

/** Relations that dangle, refer to themselves or occur twice; names used twice in one scope. */
function faultsOf({ entities, relations, numbers }: KnowledgeGraph): string[] {
  const ties = relations.map(({ from, to, relation }) => `${from} ${to} ${relation.toLowerCase()}`)
  const scoped = entities.map(({ project, name }) => `${project} ${name.toLowerCase()}`)
  return [
    ...relations.filter(({ from, to }) => !(numbers.has(from) && numbers.has(to))).map(() => "dangling"),
    ...relations.filter(({ from, to }) => from === to).map(() => "tied to itself"),
    ...relations.filter(({ weight }) => !(weight >= 0 && weight <= 1)).map(() => "out of weight"),
    ...ties.filter((tie, i) => ties.indexOf(tie) !== i),
    ...scoped.filter((name, i) => scoped.indexOf(name) !== i),
  ]
}
