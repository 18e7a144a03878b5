import { expect, test } from "bun:test"
import { TARGETS, targetNamed } from "./targets.ts"

test("a target is found by its own name and by Bun's", () => {
  for (const target of TARGETS) {
    expect(targetNamed(target.name)).toBe(target)
    expect(targetNamed(target.bun)).toBe(target)
  }
  expect(() => targetNamed("amiga")).toThrow("there are linux-x64, linux-arm64,")
})
