import { expect, test } from "bun:test"
import fc from "fast-check"
import { entriesOf, histories, live, passingKnowledge, tablesOf } from "../../test/knowledge-history.ts"
import type { KnowledgeEvent } from "./event.ts"
import type { Knowledge } from "./knowledge.ts"

/** Puts events into a store in this order, so many at a time. */
function arrive(events: readonly KnowledgeEvent[], size: number): Knowledge {
  const knowledge = passingKnowledge()
  for (let i = 0; i < events.length; i += size) knowledge.appendEvents(events.slice(i, i + size))
  return knowledge
}

function shuffled<T>(items: readonly T[]): fc.Arbitrary<T[]> {
  return fc.shuffledSubarray([...items], { minLength: items.length, maxLength: items.length })
}

test("the same events give the same tables, in whatever order and portions they arrive", () => {
  const apart = fc.record({ here: histories(), there: histories(), size: fc.integer({ min: 1, max: 9 }) })
  fc.assert(
    fc.property(apart, fc.gen(), ({ here, there, size }, gen) => {
      using first = passingKnowledge()
      live(first, here)
      // The other knows the beginning of it and goes on by itself, at about the same time.
      using second = passingKnowledge()
      second.appendEvents(first.events().slice(0, size))
      live(second, there)
      const purged = entriesOf(second)[0]
      if (purged !== undefined && size === 1) second.purge([purged.id])
      const events = [...first.events(), ...second.events()]
      using one = arrive(events, size)
      using other = arrive(gen(shuffled, events), 1 + (size % 4))
      first.appendEvents(second.events())
      const tables = tablesOf(one)
      for (const knowledge of [other, first]) expect(tablesOf(knowledge)).toEqual(tables)
      for (const knowledge of [one, other, first, second]) expect(knowledge.rebuild().differing).toEqual([])
    }),
    { numRuns: 60 },
  )
})

test("of the entries of one key at most one stands, wherever they met", () => {
  fc.assert(
    fc.property(histories([null]), histories([null]), (here, there) => {
      using first = passingKnowledge()
      live(first, here)
      using second = passingKnowledge()
      live(second, there)
      first.appendEvents(second.events())
      const standing = first.list({ superseded: false }).entries.filter(({ key }) => key !== null)
      expect(new Set(standing.map(({ key }) => key)).size).toBe(standing.length)
    }),
    { numRuns: 40 },
  )
})
