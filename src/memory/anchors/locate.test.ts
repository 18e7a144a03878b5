import { expect, test } from "bun:test"
import fc from "fast-check"
import { anchoredAt, anchorOf, type LineRange, normalizedLines } from "./anchor.ts"
import { findEdited, findExact } from "./find-lines.ts"

const SOURCE = { path: "a.ts", symbol: null, commit: null }

function anchorIn(text: string, startLine: number, endLine = startLine) {
  return anchorOf(anchoredAt(SOURCE, normalizedLines(text), { startLine, endLine }, null))!
}

/** Anchors lines of `old`, and returns the lines at which they are found in `now`: unedited (`exact`) and edited. */
function follow(old: string, [startLine, endLine]: readonly [number, number], now: string) {
  const anchor = anchorIn(old, startLine, endLine)
  const shown = (range: LineRange | null) => range && [range.startLine, range.endLine]
  return {
    exact: shown(findExact(normalizedLines(now), anchor)),
    edited: shown(findEdited(normalizedLines(now), anchor)?.range ?? null),
  }
}

const FILE = `import { open } from "./open.ts"

/** Opens what is there. */
export function first(path: string): number {
  const file = open(path)
  if (file === null) return 0
  return file.size
}

export function second(path: string): number {
  const file = open(path)
  if (file === null) return 1
  return file.lines
}
`
const rows = FILE.split("\n")
const edited = (line: number, ...now: string[]) => rows.with(line - 1, now.join("\n")).join("\n")
const without = (from: number, to: number) => [...rows.slice(0, from - 1), ...rows.slice(to)].join("\n")

test("finds lines at their old place, and lines that were shifted", () => {
  expect(follow(FILE, [6, 7], FILE).exact).toEqual([6, 7])
  expect(follow(FILE, [6, 7], `// one\n// two\n${FILE}`).exact).toEqual([8, 9])
  expect(follow(FILE, [6, 7], without(1, 3)).exact).toEqual([3, 4])
})

test("ignores white space and blank lines", () => {
  const spaced = FILE.replaceAll("  ", "\t\t")
    .replaceAll("\n", "  \n")
    .replace("return file.size", "\n  return  file.size")
  expect(follow(FILE, [4, 8], spaced).exact).toEqual([4, 9])
})

test("finds a bracket by the lines around it", () => {
  expect(follow(FILE, [8, 8], FILE).exact).toEqual([8, 8])
  expect(follow(FILE, [14, 14], `\n// x\n${FILE}`).exact).toEqual([16, 16])
  // At the bracket's old place there is another bracket now.
  expect(follow(FILE, [14, 14], `${"//\n".repeat(6)}${FILE}`).exact).toEqual([20, 20])
})

test("of equal lines, prefers those with the same neighbours, then the nearest", () => {
  expect(follow(FILE, [11, 11], `// x\n${FILE}`).exact).toEqual([12, 12])
  const same = "begin\nsame line of text\nend\n"
  expect(follow(same.repeat(5), [8, 8], `x\n${same.repeat(5)}`).exact).toEqual([9, 9])
})

test("an edit next to a line does not move it to a similar line", () => {
  const now = edited(5, "  const file = openFile(path, 1)")
  expect(follow(FILE, [6, 6], now).exact).toEqual([6, 6])
})

test("finds an edited line at its place, also when the file was shifted", () => {
  const now = edited(6, "  if (file === null) return -1")
  expect(follow(FILE, [6, 6], now)).toEqual({ exact: null, edited: [6, 6] })
  expect(follow(FILE, [6, 6], `// a\n// b\n${now}`)).toEqual({ exact: null, edited: [8, 8] })
  expect(follow(FILE, [4, 8], `// a\n${now}`)).toEqual({ exact: null, edited: [5, 9] })
})

test("finds a line that became several; a completely different line is at its old place", () => {
  const several = edited(6, "  if (file === null) {", "    warn()", "    return 0", "  }")
  expect(follow(FILE, [6, 6], several).edited).toEqual([6, 6])
  expect(follow(FILE, [5, 7], several).edited).toEqual([5, 10])
  expect(follow(FILE, [6, 6], edited(6, "  assert(file)")).edited).toEqual([6, 6])
})

test("lines that were removed are gone", () => {
  expect(follow(FILE, [6, 6], without(6, 6))).toEqual({ exact: null, edited: null })
  expect(follow(FILE, [10, 14], without(10, 14)).exact).toBe(null)
  expect(follow(FILE, [7, 7], "nothing\nof the\nkind\n")).toEqual({ exact: null, edited: null })
  expect(follow(FILE, [7, 7], "")).toEqual({ exact: null, edited: null })
})

test("finds a range longer than the stored lines by its hash and length", () => {
  const long = Array.from({ length: 300 }, (_, i) => `line number ${i}`).join("\n")
  expect(follow(long, [11, 250], `x\n${long}`).exact).toEqual([12, 251])
  const now = long.replace("line number 200\n", "another\n")
  expect(follow(long, [11, 250], `x\n${now}`)).toEqual({ exact: null, edited: [12, 251] })
})

test("finds a line of one megabyte", () => {
  const huge = `a\n${"x1 = y; ".repeat(131_072)}\nb\n`
  expect(anchorIn(huge, 2).lines[0]!.length).toBeLessThan(500)
  expect(follow(huge, [2, 2], `new\n${huge}`).exact).toEqual([3, 3])
  expect(follow(huge, [2, 2], huge.replace("; \nb", ";! \nb"))).toEqual({ exact: null, edited: [2, 2] })
})

const text = fc.array(fc.constantFrom("}", "", "  return x", "if (a) {", "a = 1", "b()", "// note"), {
  minLength: 3,
  maxLength: 40,
})

test("lines inserted or removed elsewhere move the anchor", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.stringMatching(/^[a-z]{6,12} [a-z]{3,9}$/), { minLength: 8, maxLength: 40 }),
      fc.nat(), fc.nat({ max: 4 }), text, fc.nat({ max: 5 }), fc.boolean(),
      (lines, at, more, added, removed, isAbove) => {
        const start = at % lines.length
        const end = Math.min(lines.length - 1, start + more)
        const [above, own, below] = [lines.slice(0, start), lines.slice(start, end + 1), lines.slice(end + 1)]
        const now = isAbove
          ? [...above.slice(removed), ...added, ...own, ...below]
          : [...above, ...own, ...added, ...below.slice(removed)]
        const first = now.indexOf(own[0]!) + 1
        expect(follow(lines.join("\n"), [start + 1, end + 1], now.join("\n")).exact).toEqual([first, first + own.length - 1])
      },
    ),
    { numRuns: 500, seed: 7 },
  ) // biome-ignore format: arguments of one property
})

test("in a file with repeated lines, the lines found equal the anchored ones", () => {
  let count = 0
  let tried = 0
  fc.assert(
    fc.property(text, text, fc.nat(), fc.nat({ max: 4 }), fc.nat(), (old, added, at, more, where) => {
      tried++
      const solid = old.map((line, i) => (line === "" ? `x${i}` : line))
      const start = at % solid.length
      const end = Math.min(solid.length - 1, start + more)
      // The lines are inserted at a place outside of the anchored lines.
      const cut = where % 2 === 0 ? where % (start + 1) : end + 1 + (where % (solid.length - end))
      const now = [...solid.slice(0, cut), ...added, ...solid.slice(cut)]
      const found = findExact(normalizedLines(now.join("\n")), anchorIn(solid.join("\n"), start + 1, end + 1))
      // A lone bracket is not found if none of its neighbours is left.
      if (found === null) return
      count++
      const shown = now.slice(found.startLine - 1, found.endLine).filter(Boolean)
      expect(shown.map((line) => line.trim())).toEqual(solid.slice(start, end + 1).map((line) => line.trim()))
    }),
    { numRuns: 1000, seed: 8 },
  )
  expect(count / tried).toBeGreaterThan(0.9)
})

test("after any change of a file, the result is lines of it or none", () => {
  fc.assert(
    fc.property(text, text, fc.nat(), fc.nat({ max: 9 }), (old, now, at, more) => {
      const file = normalizedLines(now.join("\n"))
      const solid = old.map((line, i) => (line === "" ? `x${i}` : line))
      const start = at % solid.length
      const anchor = anchorIn(solid.join("\n"), start + 1, Math.min(solid.length, start + 1 + more))
      for (const range of [findExact(file, anchor), findEdited(file, anchor)?.range ?? null]) {
        if (range === null) continue
        expect(file.numbers).toContain(range.startLine)
        expect(file.numbers).toContain(range.endLine)
        expect(range.endLine).toBeGreaterThanOrEqual(range.startLine)
      }
    }),
    { numRuns: 1000, seed: 9 },
  )
})
