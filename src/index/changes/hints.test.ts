import { expect, test } from "bun:test"
import { GatheredHints } from "../watch/watch.ts"

test("returns a path once that was named twice, and only at the first take", () => {
  const hints = new GatheredHints()
  for (const path of ["a", "b", "a"]) hints.add(path)
  expect(hints.size).toBe(2)
  expect(hints.take()).toEqual(new Set(["a", "b"]))
  expect(hints.take()).toEqual(new Set())
})

test('returns "everything" above the limit of paths, until taken', () => {
  const hints = new GatheredHints()
  for (let i = 0; i < 10_000; i++) hints.add(`folder/file${i}`)
  hints.add("one more")
  expect(hints.size).toBeNull()
  expect(hints.take()).toBe("everything")
  expect(hints.size).toBe(0)
})
