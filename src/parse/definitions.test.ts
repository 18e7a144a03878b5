import { expect, test } from "bun:test"
import { type Definition, nestDefinitions } from "./definitions.ts"

function definition(name: string, start: number, end: number): Definition {
  return { name, kind: "function", start, end, bodyStart: null, owner: null, isSpread: false }
}

test("links definitions to the one that encloses them", () => {
  const [outer, inner, last] = nestDefinitions([
    definition("b", 2, 5),
    definition("a", 0, 8),
    definition("c", 8, 9),
  ])
  expect([outer!.path, inner!.path, last!.path]).toEqual(["a", "a.b", "c"])
  expect([outer!.hasMembers, inner!.hasMembers]).toEqual([true, false])
})

test("nests deep definitions in time linear in their number", () => {
  const depth = 50_000
  const name = "x".repeat(100)
  const nested = nestDefinitions(
    Array.from({ length: depth }, (_, at) => definition(name, at, 2 * depth - at)),
  )
  expect(nested).toHaveLength(depth)
  expect(nested.at(-1)!.path!.length).toBeLessThan(4000)
})
