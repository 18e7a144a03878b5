import { expect, test } from "bun:test"
import fc from "fast-check"
import { compileGlob, pathGlobs } from "./glob.ts"

test.each<[string, string, boolean]>([
  ["src/*.ts", "src/a.ts", true],
  ["src/*.ts", "src/a/b.ts", false],
  ["src/**", "src/a/b.ts", true],
  ["**/b.ts", "b.ts", true],
  ["a/**/b", "a/b", true],
  ["a/**/b", "a/x/y/b", true],
  ["a**b", "axb", true],
  ["a**b", "a/b", false],
  ["[!a]x", "bx", true],
  ["[^a]x", "ax", false],
  ["[[:digit:]]", "7", true],
  ["[z-a]", "[z-a]", true],
  ["[a", "[a", true],
  ["\\*", "a", false],
  ["?", "é", true],
  ["?", "😀", true],
  ["*.{c,h}", "a.h", true],
  ["{a,{b,c}}{d,e}", "ce", true],
  ["v{1..12}", "v11", true],
  ["{a..c}", "b", true],
  ["{id}/*", "{id}/x", true],
  ["{id}/*", "id/x", true],
  ["a{b", "a{b", true],
  ["\\{a,b\\}", "{a,b}", true],
])("%s and %s: %p", (glob, path, expected) => {
  expect(compileGlob(glob)(path)).toBe(expected)
  expect(compileGlob(glob, { groups: true })(path)).toBe(expected)
})

test.each<[string, string, boolean]>([
  ["*.!(js)", "a.ts", true],
  ["*.!(js)", "a.js", false],
  ["!(a|b)/**", "c/x", true],
  ["!(a|b)/**", "b/x", false],
  ["!(*.test).ts", "a.ts", true],
  ["!(*.test).ts", "a.test.ts", false],
  ["!(a)", "a/b", false],
  ["@(a|b).c", "b.c", true],
  ["?(a)b", "b", true],
  ["+(ab)c", "ababc", true],
  ["+(ab)c", "c", false],
  ["*(a|b)c", "c", true],
  ["+(a/)b", "a/a/b", true],
  ["(a|b)/x", "b/x", true],
  ["app/(group)/*", "app/(group)/x", true],
  ["app/(group)/*", "app/group/x", true],
  ["+(a(", "+(a(", true],
])("with groups, %s and %s: %p", (glob, path, expected) =>
  expect(compileGlob(glob, { groups: true })(path)).toBe(expected),
)

const pieces = fc.array(fc.constantFrom("*", "**/", "/", "a", "b", "?", "[ab]", "[!a]", "{a,b}", "."), {
  maxLength: 7,
})
const path = fc.array(fc.constantFrom("a", "b", "/", "."), { maxLength: 8 })

test("a glob matches the same paths directly and as an automaton", () => {
  fc.assert(
    fc.property(pieces, path, (glob, text) => {
      const written = glob.join("")
      // Two stars at the end cross folders only if nothing follows them.
      fc.pre(!written.endsWith("**"))
      const direct = compileGlob(written, { groups: true })(text.join(""))
      // `+()` repeats the empty text, so it changes nothing except that the glob is matched by the automaton.
      expect(compileGlob(`${written}+()`, { groups: true })(text.join(""))).toBe(direct)
    }),
    { numRuns: 500 },
  )
})

test("any glob is compiled or refused", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(..."*?[]{}!,\\/ab-^.()|+@$:"), { maxLength: 30 }), (signs) => {
      for (const syntax of [{}, { groups: true }, { crossesAnywhere: true }]) {
        try {
          expect(typeof compileGlob(signs.join(""), syntax)("a/b")).toBe("boolean")
        } catch (error) {
          expect(error).toMatchObject({ code: "USAGE" })
        }
      }
    }),
    { numRuns: 2000 },
  )
})

test.each([
  ["stars", "*a".repeat(500), "a".repeat(1000)],
  ["folders", `${"**/".repeat(500)}b`, `${"a/".repeat(1000)}c`],
  ["nested groups", `${"+(".repeat(40)}a|b${")".repeat(40)}*q`, "ab".repeat(200)],
  ["groups", `${"*(a|b)".repeat(100)}q`, "ab".repeat(200)],
  ["negated groups", `${"!(a)".repeat(30)}q`, "ab".repeat(100)],
  ["brackets", "[[:".repeat(1300), "["],
  ["braces", `${"{a,b}".repeat(9)}*q`, "ab".repeat(500)],
])("a glob of many %s ends", (_, glob, text) =>
  expect(compileGlob(glob, { groups: true })(`${text}.`)).toBe(false),
)

test.each([
  ["a long glob", "a".repeat(5000), "too long"],
  ["many braces", "{a,b}".repeat(20), "more than 1000 patterns"],
  ["a long range", "{1..100000}", "more than 1000 patterns"],
  ["long alternatives", `${"{a,b}".repeat(8)}${"a".repeat(200)}`, "16384 characters"],
  ["deep groups", "(".repeat(60) + ")".repeat(60), "nested too deeply"],
  ["a negated group in another", "!(!(a))", "nested too deeply"],
])("%s is refused", (_, glob, why) => expect(() => compileGlob(glob, { groups: true })).toThrow(why))

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
