import { Database } from "bun:sqlite"
import { expect, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import { entriesOf, histories, live, passingKnowledge, tablesOf } from "../../../test/knowledge-history.ts"
import { Knowledge } from "../knowledge.ts"
import type { KnowledgeEvent } from "./event.ts"

/** Adds events to a store in this order, in batches of this size. */
function arrive(events: readonly KnowledgeEvent[], size: number): Knowledge {
  const knowledge = passingKnowledge()
  for (let i = 0; i < events.length; i += size) knowledge.appendEvents(events.slice(i, i + size))
  return knowledge
}

function shuffled<T>(items: readonly T[]): fc.Arbitrary<T[]> {
  return fc.shuffledSubarray([...items], { minLength: items.length, maxLength: items.length })
}

test("the same events give the same tables for any order and batches", () => {
  const apart = fc.record({ here: histories(), there: histories(), size: fc.integer({ min: 1, max: 9 }) })
  fc.assert(
    fc.property(apart, fc.gen(), ({ here, there, size }, gen) => {
      using first = passingKnowledge()
      live(first, here)
      // The second store has the first events of the other and then adds its own, with times that overlap.
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
    { numRuns: 40 },
  )
})

test("at most one entry of a key is current, in any store", () => {
  fc.assert(
    fc.property(histories([null]), histories([null]), (here, there) => {
      using first = passingKnowledge()
      live(first, here)
      using second = passingKnowledge()
      live(second, there)
      first.appendEvents(second.events())
      const standing = first
        .list()
        .entries.filter(({ key, supersededAt }) => key !== null && supersededAt === null)
      expect(new Set(standing.map(({ key }) => key)).size).toBe(standing.length)
    }),
    { numRuns: 40 },
  )
})

test("a rebuild reports and repairs tables that differ from the log", () => {
  const folder = mkdtempSync(join(tmpdir(), "aman-rebuild-"))
  const path = join(folder, "knowledge.db")
  {
    using knowledge = new Knowledge({ path, now: () => 0 })
    const [a, b, c] = knowledge.remember([{ text: "a", tags: ["x"] }, { text: "b" }, { text: "c" }])
    const db = new Database(path)
    db.run("DELETE FROM entry_tags")
    db.run("UPDATE entries SET body = json_set(body, '$.text', 'z') WHERE id = ?", [b!.id])
    db.run("DELETE FROM entries WHERE id = ?", [c!.id])
    db.close()
    expect(knowledge.rebuild().differing).toEqual(expect.arrayContaining([a!.id, b!.id, c!.id]))
    expect(knowledge.get([a!.id, b!.id, c!.id]).map(({ text }) => text)).toEqual(["a", "b", "c"])
    expect(knowledge.list({ tags: ["x"] }).total).toBe(1)
    expect(knowledge.rebuild().differing).toEqual([])
  }
  rmSync(folder, { recursive: true })
})
