import { expect, test } from "bun:test"
import { queryTerms } from "../../text/terms/query-terms.ts"
import { createSegmentBuilder } from "../build/builder.ts"
import type { SymbolHit } from "../port.ts"
import { openKeywordIndex } from "./keyword-index.ts"

/** One file with a chunk for each group of names. */
function symbolsOf(groups: readonly (readonly string[])[], query: string): readonly SymbolHit[] {
  const builder = createSegmentBuilder()
  const chunks = groups.map((names, i) => ({
    start: i,
    end: i + 1,
    startLine: i + 1,
    endLine: i + 1,
    symbols: names.map((name) => ({ name })),
  }))
  const text = "\n".repeat(groups.length)
  const common = { lines: groups.length, flags: 0, comments: new Uint32Array() }
  builder.add({
    id: 1,
    path: "a.ts",
    text: "other",
    ...common,
    chunks: [{ ...chunks[0]!, end: 5, symbols: [] }],
  })
  builder.add({ id: 2, path: "b.ts", text, ...common, chunks })
  const index = openKeywordIndex([{ bytes: builder.finish(), dead: new Set() }])
  const answer = index.query({ terms: queryTerms(query), files: 9 })
  return answer.files.find(({ path }) => path === "b.ts")?.symbols ?? []
}

test("a definition is named by its chunk and its place there, best name first", () => {
  const found = symbolsOf([["open", "parseQueryText"], [], ["parse", "parseQuery"]], "parse query")
  expect(found).toEqual([
    { ordinal: 2, index: 1, terms: 0b11, extra: 0 },
    { ordinal: 0, index: 1, terms: 0b11, extra: 1 },
    { ordinal: 2, index: 0, terms: 0b01, extra: 0 },
  ])
})

test("the last part of a qualified name counts", () => {
  expect(symbolsOf([["Parser.prototype.readLine", "std::parser"]], "parser")).toEqual([
    { ordinal: 0, index: 1, terms: 1, extra: 0 },
  ])
})

test("a compound is all of a name, glued or apart", () => {
  expect(symbolsOf([["WebSocket"]], "websocket")).toEqual([{ ordinal: 0, index: 0, terms: 1, extra: 0 }])
  expect(symbolsOf([["websocket"]], "web socket")).toEqual([{ ordinal: 0, index: 0, terms: 0b11, extra: 0 }])
})

test("symbols without a word keep the places of the others", () => {
  expect(symbolsOf([["+", "add"]], "add")).toEqual([{ ordinal: 0, index: 1, terms: 1, extra: 0 }])
})

test("at most eight are told", () => {
  const names = Array.from({ length: 20 }, (_, i) => `read${String.fromCharCode(65 + i)}lpha`)
  expect(symbolsOf([names], "read").length).toBe(8)
})

test("the place of a definition among hundreds is known, and those before it count for nothing", () => {
  const names = Array.from({ length: 300 }, (_, i) => (i % 149 === 148 ? "readLine" : "other"))
  expect(symbolsOf([["other"], names], "read").map(({ ordinal, index }) => [ordinal, index])).toEqual([
    [1, 148],
    [1, 297],
  ])
})
