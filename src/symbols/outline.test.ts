import { expect, test } from "bun:test"
import type { OutlineRow } from "../store/index/symbols.ts"
import { AROUND, Outline } from "./file-view.ts"

const NOTHING_MORE = { symbolOf: () => null, signatureOf: () => null }

const rows: OutlineRow[] = [
  row("inner", "function", 4, 6),
  row("Store", "class", 1, 20),
  row("open", "method", 3, 8, "Store"),
  row("LIMIT", "macro", 10, 10),
  row("size", "field", 12, 12, "Store"),
  row("size", "variable", 2, 2),
  row("shop", "module", 22, 30),
]

test("returns the innermost symbol of a group around a line, whatever the order of chunks", () => {
  const outline = new Outline([...rows], NOTHING_MORE)
  const around = (line: number, group: number, until?: number) => {
    const at = outline.innermost(line, group, until)
    return at < 0 ? null : outline.at(at).name
  }
  expect(around(5, AROUND.holder)).toBe("inner")
  expect(around(5, AROUND.typeOrMember)).toBe("open")
  expect(around(7, AROUND.function)).toBe("open")
  expect(around(10, AROUND.callable)).toBe("LIMIT")
  expect(around(10, AROUND.function)).toBeNull()
  expect(around(12, AROUND.holder)).toBe("Store")
  expect(around(21, AROUND.holder)).toBeNull()
  expect(around(25, AROUND.holder)).toBeNull()
  expect(around(25, AROUND.typeOrMember)).toBe("shop")
  // For a function of lines 4 to 6, the enclosing symbol begins before line 4 and ends at line 6 or later.
  expect(around(3, AROUND.callable, 6)).toBe("open")
})

test("finds that nothing encloses a line without checking every symbol before it", () => {
  let looks = 0
  const watched = Array.from({ length: 1000 }, (_, at) => ({
    ...row(`step${at}`, "function", 10 * at + 1, 0),
    get endLine() {
      looks++
      return 10 * at + 5
    },
  }))
  const outline = new Outline(watched, NOTHING_MORE)
  looks = 0
  expect(outline.innermost(9_998, AROUND.holder)).toBe(-1)
  expect(looks).toBeLessThan(5)
  expect(outline.innermost(9_994, AROUND.holder)).toBe(999)
})

test("reads a signature once", () => {
  const read: string[] = []
  const outline = new Outline([...rows], {
    symbolOf: () => null,
    signatureOf: ({ name }) => {
      read.push(name)
      return name === "open" ? "open(): void" : null
    },
  })
  const [open, inner] = [
    outline.at(outline.innermost(7, AROUND.function)),
    outline.at(outline.innermost(5, AROUND.function)),
  ]
  expect([open, inner, open, inner].map((each) => outline.signatureOf(each))).toEqual([
    "open(): void",
    null,
    "open(): void",
    null,
  ])
  expect(read).toEqual(["open", "inner"])
})

test("returns the first of two fields with one name", () => {
  const outline = new Outline([...rows], NOTHING_MORE)
  expect(outline.fieldNamed("size")?.kind).toBe("variable")
  expect(outline.fieldNamed("open")).toBeNull()
})

function row(name: string, kind: string, startLine: number, endLine: number, owner?: string): OutlineRow {
  return { ordinal: 0, index: 0, name, kind, owner: owner ?? null, startLine, endLine }
}
