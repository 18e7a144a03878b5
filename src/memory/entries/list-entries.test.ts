import { expect, test } from "bun:test"
import fc from "fast-check"
import { histories, live, passingKnowledge } from "../../../test/knowledge-history.ts"
import { ENTRY_KINDS } from "./entry.ts"
import { entryMatcher } from "./entry-filter.ts"

test("a list has exactly the entries that match the filter, whichever table is used", () => {
  const filters = fc.record(
    {
      projects: fc.subarray(["p1", "p2", null]),
      topics: fc.subarray(["TOPIC 0", " topic  1", "none"], { minLength: 1 }),
      tags: fc.subarray(["Ones", "tag 1", "tag 5"]),
      keys: fc.subarray(["key 0", "key 1"]),
      kinds: fc.subarray([...ENTRY_KINDS]),
      superseded: fc.boolean(),
      deleted: fc.boolean(),
      asOf: fc.constantFrom("now", "2026-01-15", "2026-11-21T20:00:20Z"),
      recordedSince: fc.constantFrom("2025-05-05", "2026-11-21"),
      recordedBefore: fc.constantFrom("2025-05-06", "2026-11-21T20:00:10Z"),
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
        const wanted = { ...filter, asOf: filter.asOf === "now" ? now : filter.asOf }
        const expected = known.changedSince(0).entries.filter(entryMatcher(wanted, now))
        const { entries, total } = known.list(wanted)
        expect(new Set(entries.map(({ id }) => id))).toEqual(new Set(expected.map(({ id }) => id)))
        expect(total).toBe(expected.length)
      }
    }),
    { numRuns: 25 },
  )
})
