import { expect, test } from "bun:test"
import fc from "fast-check"
import { RunMerger } from "./merge.ts"

test("sorts any runs by key with their values, also when reused", () => {
  const merger = new RunMerger()
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(10_000), { maxLength: 3000, size: "max" }), (keys) => {
      merger.clear()
      merger.reserve(keys.length)
      for (const key of keys) merger.push(key, key * 2)
      merger.merge()
      const sorted = keys.toSorted((a, b) => a - b)
      expect([...merger.keys.subarray(0, merger.length)]).toEqual(sorted)
      expect([...merger.values.subarray(0, merger.length)]).toEqual(sorted.map((key) => key * 2))
    }),
    { numRuns: 30 },
  )
})
