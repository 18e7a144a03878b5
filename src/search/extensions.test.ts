import { expect, test } from "bun:test"
import { endsIn } from "./extensions.ts"

test.each([
  ["go", "a/b.go", true],
  [".GO", "a/b.go", true],
  ["*.go", "B.Go", true],
  ["d.ts", "x.d.ts", true],
  ["ts", "x.tsx", false],
  ["go", "go", false],
  ["go", "cargo", false],
])("%s and %s: %p", (extension, path, isMeant) => {
  expect(endsIn([extension])!(path)).toBe(isMeant)
  expect(endsIn(["zig", extension])!(path)).toBe(isMeant)
})

test("nothing asked is everything", () => {
  expect(endsIn([])).toBeNull()
  expect(endsIn(["", " ", "."])).toBeNull()
})
