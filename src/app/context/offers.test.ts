import { expect, test } from "bun:test"
import type { SymbolRow } from "../../store/index/symbols.ts"
import type { Found } from "./found.ts"
import { isPreamble } from "./offers.ts"

function found(text: string, more: Partial<Found> = {}): Found {
  const body = text.split("\n").map((line, i) => ({ number: i + 1, text: line }))
  const place = { symbol: null, name: null, startLine: 1, endLine: body.length, isPart: false }
  return { ...place, body, chunk: body, text, ...more }
}

test("a licence is a preamble, imports after it or not", () => {
  expect(
    isPreamble(found("/*\n * Licensed to you.\n * As it is.\n */\npackage shop\n\nimport shop.Cart")),
  ).toBe(true)
  expect(isPreamble(found("# Copyright\n# All rights\n\nimport json"))).toBe(true)
  expect(isPreamble(found("import a\nfrom shop import cart\nimport json"))).toBe(false)
})

test("what does something, is defined or stands elsewhere is none", () => {
  expect(isPreamble(found("// Licensed\nimport shop.Cart\n\nregister(Cart)"))).toBe(false)
  expect(isPreamble(found("#[derive(Debug)]"))).toBe(false)
  expect(isPreamble(found("// Totals\nimport a", { symbol: { name: "a" } as SymbolRow }))).toBe(false)
  expect(isPreamble(found("// why totals are cents", { startLine: 40 }))).toBe(false)
})
