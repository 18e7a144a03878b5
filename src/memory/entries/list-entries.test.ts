import { expect, test } from "bun:test"
import fc from "fast-check"
import { histories, live, passingKnowledge } from "../../../test/knowledge-history.ts"
import { ENTRY_KINDS } from "./entry.ts"
import { entryMatcher } from "./list-entries.ts"

test("a list has exactly the entries that match the filter, whichever table is used", () => {
  const filters = fc.record(
    {
      projects: fc.subarray(["p1", "p2", null]),
      topic: fc.constantFrom("TOPIC 0", " topic  1", "none"),
      tags: fc.subarray(["Ones", "tag 1", "tag 5"]),
      key: fc.constantFrom("key 0", "key 1"),
      kinds: fc.subarray([...ENTRY_KINDS]),
      superseded: fc.boolean(),
      deleted: fc.boolean(),
      as_of: fc.constantFrom("now", "2026-01-15", "2026-11-21T20:00:20Z"),
      after: fc.constantFrom("2025-05-05", "2026-11-21"),
      before: fc.constantFrom("2025-05-06", "2026-11-21T20:00:10Z"),
      metadata: fc.record({ which: fc.nat({ max: 30 }) }, { requiredKeys: [] }),
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(histories(), fc.array(filters, { minLength: 1, maxLength: 8 }), (steps, all) => {
      using known = passingKnowledge()
      live(known, steps)
      const now = "2027-01-01T00:00:00.000Z"
      for (const filter of all) {
        const wanted = { ...filter, as_of: filter.as_of === "now" ? now : filter.as_of }
        const expected = known.changedSince(0).entries.filter(entryMatcher(wanted, now))
        const { entries, total } = known.list(wanted)
        expect(new Set(entries.map(({ id }) => id))).toEqual(new Set(expected.map(({ id }) => id)))
        expect(total).toBe(expected.length)
      }
    }),
    { numRuns: 25 },
  )
})

test("a page of a large store is that part of the whole list, in either order, with any filter", () => {
  using known = passingKnowledge()
  const day = (n: number) => `2026-0${1 + (n % 9)}-11`
  const ids = known
    .remember(
      Array.from({ length: 2100 }, (_, n) => ({
        text: `note ${n}`,
        topic: `topic ${n % 4}`,
        project: [null, "p1", "p2"][n % 3]!,
        kind: ENTRY_KINDS[n % ENTRY_KINDS.length]!,
        recordedAt: `${day(n * 7)}T00:00:${String(n % 50).padStart(2, "0")}.000Z`,
        ...(n % 5 === 0 && { validFrom: day(n) }),
        ...(n % 7 === 0 && { validUntil: "2026-10-11" }),
      })),
    )
    .map(({ id }) => id)
  known.delete(ids.slice(100, 130))
  for (const id of ids.slice(500, 520)) known.supersede(id, ids[700]!)
  const now = "2027-01-01T00:00:00.000Z"
  const all = known.changedSince(0).entries
  const filters = [
    {},
    { deleted: true },
    { projects: ["p1", null] },
    { projects: [null] },
    { projects: [] },
    { kinds: [ENTRY_KINDS[0]!], as_of: "2026-05-11" },
    { as_of: "2026-10-11", after: "2026-02-11", before: "2026-07-11T00:00:20Z" },
    { topic: "Topic 2" },
  ]
  for (const filter of filters) {
    for (const order of ["recorded", "newest"] as const) {
      const matching = all
        .filter(entryMatcher(filter, now))
        .sort((a, b) => (a.recordedAt + a.id < b.recordedAt + b.id ? -1 : 1))
      if (order === "newest") matching.reverse()
      for (const [limit, offset] of [
        [1, 0],
        [20, 13],
        [0, 0],
        [5000, 3],
      ] as const) {
        const { entries, total } = known.list(filter, { limit, offset, order })
        expect(entries).toEqual(matching.slice(offset, offset + limit))
        expect(total).toBe(matching.length)
      }
    }
  }
})
