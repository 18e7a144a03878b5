import { expect, test } from "bun:test"
import { queryTerms } from "../../text/terms/query-terms.ts"
import { createSegmentBuilder } from "./build.ts"
import { openKeywordIndex } from "./keyword-index.ts"
import type { SymbolHit } from "./port.ts"

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

test("returns definitions by chunk and position, best name first", () => {
  const found = symbolsOf([["open", "parseQueryText"], [], ["parse", "parseQuery"]], "parse query")
  expect(found).toEqual([
    { ordinal: 2, index: 1, terms: 0b11, extra: 0 },
    { ordinal: 0, index: 1, terms: 0b11, extra: 1 },
    { ordinal: 2, index: 0, terms: 0b01, extra: 0 },
  ])
})

test("compares the last part of a qualified name", () => {
  expect(symbolsOf([["Parser.prototype.readLine", "std::parser"]], "parser")).toEqual([
    { ordinal: 0, index: 1, terms: 1, extra: 0 },
  ])
})

test("matches a compound with a name written together or apart", () => {
  expect(symbolsOf([["WebSocket"]], "websocket")).toEqual([{ ordinal: 0, index: 0, terms: 1, extra: 0 }])
  expect(symbolsOf([["websocket"]], "web socket")).toEqual([{ ordinal: 0, index: 0, terms: 0b11, extra: 0 }])
})

test("keeps positions when other symbols have no words", () => {
  expect(symbolsOf([["+", "add"]], "add")).toEqual([{ ordinal: 0, index: 1, terms: 1, extra: 0 }])
})

test("returns at most eight definitions", () => {
  const names = Array.from({ length: 20 }, (_, i) => `read${String.fromCharCode(65 + i)}lpha`)
  expect(symbolsOf([names], "read").length).toBe(8)
})

test("finds a definition among hundreds that do not match", () => {
  const names = Array.from({ length: 300 }, (_, i) => (i % 149 === 148 ? "readLine" : "other"))
  expect(symbolsOf([["other"], names], "read").map(({ ordinal, index }) => [ordinal, index])).toEqual([
    [1, 148],
    [1, 297],
  ])
})
