import { expect, test } from "bun:test"
import { GatheredHints } from "./hints.ts"

test("a path that is named twice is one hint, and taken once", () => {
  const hints = new GatheredHints()
  for (const path of ["a", "b", "a"]) hints.add(path)
  expect(hints.size).toBe(2)
  expect(hints.take()).toEqual(new Set(["a", "b"]))
  expect(hints.take()).toEqual(new Set())
})

test("so many paths mean everywhere, until they are taken", () => {
  const hints = new GatheredHints()
  for (let i = 0; i < 10_000; i++) hints.add(`folder/file${i}`)
  hints.add("one more")
  expect(hints.size).toBeNull()
  expect(hints.take()).toBe("everything")
  expect(hints.size).toBe(0)
})
