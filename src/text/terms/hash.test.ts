import { expect, test } from "bun:test"
import { hashTerm } from "./hash.ts"

test("keeps the hash of a term, which is stored in files", () => {
  expect(hashTerm("socket").toString(16)).toBe("a6ca2a471de720")
  expect(hashTerm("größe")).not.toBe(hashTerm("grosse"))
})

test("gives 250,000 short terms different, evenly spread hashes", () => {
  const hashes = new Set<bigint>()
  const buckets = new Uint32Array(1024)
  let terms = 0
  for (let a = 97; a < 123; a++) {
    for (let n = 0; n < 10_000; n++, terms++) {
      const hash = hashTerm(String.fromCharCode(a) + n.toString(36))
      hashes.add(hash)
      buckets[Number(hash & 1023n)]!++
      buckets[Number(hash >> 54n)]!++
    }
  }
  expect(hashes.size).toBe(terms)
  // Each bucket is expected to have 508 entries, with a standard deviation of 22; the limits are seven
  // deviations away.
  expect(Math.max(...buckets)).toBeLessThan(665)
  expect(Math.min(...buckets)).toBeGreaterThan(350)
})
