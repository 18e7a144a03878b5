import { expect, test } from "bun:test"
import fc from "fast-check"
import { editDistance, nearest } from "./nearest.ts"

const COMMANDS = ["index", "search", "read", "status", "serve", "version"]

test.each([
  ["serach", "search"],
  ["idnex", "index"],
  ["stat", "status"],
  ["server", "serve"],
  ["raed", "read"],
  ["versoin", "version"],
])("%s means %s", (typed, meant) => {
  expect(nearest(typed, COMMANDS)).toBe(meant)
})

test.each(["useEffect", "x", "configuration", ""])("finds no similar choice for %p", (typed) => {
  expect(nearest(typed, COMMANDS)).toBeUndefined()
})

test("counts two swapped neighbours as one edit", () => {
  expect(editDistance("abcd", "abdc")).toBe(1)
  expect(editDistance("kitten", "sitting")).toBe(3)
  expect(editDistance("", "abc")).toBe(3)
})

/** The definition, by recursion over prefixes. */
function byDefinition(a: string, b: string): number {
  const known = new Map<string, number>()
  const of = (i: number, j: number): number => {
    if (i === 0 || j === 0) return i + j
    const key = `${i} ${j}`
    let distance = known.get(key)
    if (distance !== undefined) return distance
    const cost = a[i - 1] === b[j - 1] ? 0 : 1
    distance = Math.min(of(i - 1, j) + 1, of(i, j - 1) + 1, of(i - 1, j - 1) + cost)
    if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
      distance = Math.min(distance, of(i - 2, j - 2) + 1)
    known.set(key, distance)
    return distance
  }
  return of(a.length, b.length)
}

test("returns the distance by definition, or Infinity above the maximum", () => {
  const text = fc.string({ unit: fc.constantFrom(..."abcé_"), maxLength: 80 })
  fc.assert(
    fc.property(text, text, fc.nat(20), (a, b, max) => {
      const distance = byDefinition(a, b)
      expect(editDistance(a, b)).toBe(distance)
      expect(editDistance(a, b, max)).toBe(distance > max ? Number.POSITIVE_INFINITY : distance)
    }),
    { numRuns: 300 },
  )
})
