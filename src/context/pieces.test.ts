import { expect, test } from "bun:test"
import fc from "fast-check"
import type { SymbolRow } from "../store/index/symbols.ts"
import { piecesOf } from "./pieces.ts"

function symbol(name: string, kind: string, startLine: number, endLine: number): SymbolRow {
  const at = { fileId: 1, ordinal: 0, index: startLine, signature: name, owner: null, local: 0 as const }
  return { ...at, name, kind, startLine, endLine }
}

const ranges = (lines: readonly string[], symbols: readonly SymbolRow[]) =>
  piecesOf(lines, symbols).map(
    ({ startLine, endLine, symbol, isWhole }) =>
      `${startLine}-${endLine} ${symbol?.name ?? "top"}${isWhole ? "" : " part"}`,
  )

test("a function with its comment is a piece, and so are the lines between functions", () => {
  const lines = ["import a", "", "// Adds.", "function add() {", "  return 1", "}", "", "add()"]
  expect(ranges(lines, [symbol("add", "function", 4, 6)])).toEqual([
    "1-1 top part",
    "3-6 add",
    "8-8 top part",
  ])
})

test("a long type is cut into its head and its members", () => {
  const lines = ["class Cart {", "  items = []", ...Array(40).fill("  step()"), "}"]
  const symbols = [symbol("Cart", "class", 1, 43), symbol("total", "method", 5, 42)]
  expect(ranges(lines, symbols)).toEqual(["1-4 Cart part", "5-42 total"])
})

test("a long function is cut at blank lines", () => {
  const lines = Array.from({ length: 80 }, (_, i) => (i % 20 === 19 ? "" : "  step()"))
  expect(ranges(lines, [symbol("run", "function", 1, 80)])).toEqual([
    "1-19 run part",
    "21-39 run part",
    "41-59 run part",
    "61-79 run part",
  ])
})

test("pieces never overlap and contain every line with a letter or a digit, for any symbols", () => {
  const line = fc.constantFrom("", "}", "// note", "  call(x)", "class A {", "@tag")
  const rows = fc.tuple(fc.constantFrom("function", "class", "field", "section"), fc.nat(150), fc.nat(150))
  fc.assert(
    fc.property(fc.array(line, { maxLength: 140 }), fc.array(rows, { maxLength: 12 }), (lines, all) => {
      const symbols = all.map(([kind, start, size], i) => symbol(`s${i}`, kind, start, start + size))
      const seen = new Set<number>()
      for (const { startLine, endLine } of piecesOf(lines, symbols)) {
        expect(startLine).toBeLessThanOrEqual(endLine)
        for (let at = startLine; at <= endLine; at++) {
          expect(seen.has(at)).toBe(false)
          seen.add(at)
        }
      }
      const missing = lines.flatMap((text, i) => (/\w/.test(text) && !seen.has(i + 1) ? [i + 1] : []))
      expect(missing).toEqual([])
    }),
  )
})
