import { expect, test } from "bun:test"
import fc from "fast-check"
import { TreeCount } from "./clone-limits.ts"

const ID = "0".repeat(40)
const file = (path: string, size: number) => `100644 blob ${ID} ${String(size).padStart(7)}\t${path}\0`
const folder = (path: string) => `040000 tree ${ID}       -\t${path}\0`
const LIMITS = { maxFiles: 3, maxBytes: 100, maxMs: 1000, maxMemoryBytes: 2 ** 30 }

function excessOf(listing: string, cuts: readonly number[] = []): string | null {
  const count = new TreeCount(LIMITS, "/clones/a", "linux")
  const bytes = Buffer.from(listing)
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  let start = 0
  for (const end of ends) {
    const excess = count.add(bytes.subarray(start, end))
    if (excess !== null) return excess.message
    start = end
  }
  return null
}

test.each([
  ["as many files as are allowed", file("a", 1) + file("b/c", 1) + file("d\te", 98), null],
  ["one file more", "abcd".replace(/./g, (name) => file(name, 1)), "it has more than 3 files"],
  ["one folder more", "abcd".replace(/./g, folder), "it has more than 3 folders"],
  ["one byte more", file("a", 60) + file("b", 41), "its files have more than 100 bytes"],
  ["a submodule", `160000 commit ${ID}       -\tmodule\0`, null],
  [
    "a name that no system takes",
    file("a".repeat(256), 1),
    "it contains a path that is too long for this system",
  ],
  [
    "a path that is too deep",
    file("a/".repeat(2000), 1),
    "it contains a path that is too long for this system",
  ],
  [
    "a path that does not end",
    `100644 blob ${ID} 1\t${"a/".repeat(5000)}`,
    "it contains a path that is too long for this system",
  ],
])("%s", (_, listing, expected) => expect(excessOf(listing)).toBe(expected))

test("finds the same wherever the listing is cut into parts", () => {
  const entry = fc.oneof(
    fc
      .tuple(fc.string({ minLength: 1 }), fc.nat(60))
      .map(([name, size]) => file(name.replaceAll("\0", ""), size)),
    fc.string().map((name) => folder(name.replaceAll("\0", ""))),
  )
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 6 }), fc.array(fc.nat()), (entries, cuts) => {
      expect(excessOf(entries.join(""), cuts)).toBe(excessOf(entries.join("")))
    }),
  )
})
