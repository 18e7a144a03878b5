import { expect, test } from "bun:test"
import fc from "fast-check"
import { pathGlobs } from "./glob.ts"

test.each<[string, string, boolean]>([
  ["*.ts", "a/b.ts", true],
  ["*.ts", "a/b.tsx", false],
  ["*.{ts,tsx}", "a/b.tsx", true],
  ["src", "src/x/y.c", true],
  ["src/", "lib/src/y.c", true],
  ["/src", "lib/src/y.c", false],
  ["src/*.c", "src/a/x.c", false],
  ["src/**/x.c", "src/x.c", true],
  ["src/**", "src/a/b", true],
  ["**/test/**", "a/test/b", true],
  ["{a,b}/*.c", "b/q.c", true],
  ["a{b", "a{b", true],
  ["a}b{", "a}b{", true],
  ["[!a]x", "bx", true],
  ["[!a]x", "ax", false],
  ["[z-a]", "[z-a]", true],
  ["\\*", "*", true],
  ["\\*", "a", false],
  ["?.c", "é.c", true],
  ["./a.c", "a.c", true],
  ["!*.md", "x.md", false],
  ["!*.md", "x.ts", true],
])("%s and %s", (glob, path, expected) => expect(pathGlobs([glob])(path)).toBe(expected))

test("a path must match any glob without ! and none with it", () => {
  const isWanted = pathGlobs(["*.c", "*.h", "!vendor"])
  expect(["a.c", "x/b.h", "a.md", "vendor/a.c", "x/vendor/y/a.c"].filter(isWanted)).toEqual(["a.c", "x/b.h"])
})

test("any glob is compiled or refused, in bounded time", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(..."*?[]{}!,\\/ab-^.()|+$")), (pieces) => {
      expect(typeof pathGlobs([pieces.join("")])("a/b")).toBe("boolean")
    }),
  )
  expect(pathGlobs(["*a".repeat(50)])(`${"a".repeat(4000)}b`)).toBe(false)
})
