import { expect } from "bun:test"
import type { Chunk, ParsedFile } from "../src/parse/parsed-file.ts"

/**
 * Expects that the chunks contain every non-blank line once, in order, and that their offsets and symbols are
 * consistent.
 */
export function expectCovered(file: ParsedFile, text: string): void {
  const lines = text.split("\n")
  let lastLine = 0
  for (const chunk of file.chunks) {
    expect(chunk.startLine).toBeGreaterThan(lastLine)
    expect(chunk.endLine).toBeGreaterThanOrEqual(chunk.startLine)
    expect(
      lines
        .slice(lastLine, chunk.startLine - 1)
        .join("")
        .trim(),
    ).toBe("")
    expectOffsets(chunk, lines, text)
    expectSymbols(chunk)
    lastLine = chunk.endLine
  }
  expect(lines.slice(lastLine).join("").trim()).toBe("")
  expect(file.chunks.length).toBeLessThanOrEqual(4096)
  expectSorted(file.comments, text.length)
}

function expectOffsets({ start, end, startLine, endLine }: Chunk, lines: string[], text: string): void {
  const shown = lines.slice(startLine - 1, endLine).join("\n")
  expect(text.slice(start, end)).toBe(end === text.length && !text.endsWith("\n") ? shown : `${shown}\n`)
}

function expectSymbols({ symbols, startLine, endLine, kind }: Chunk): void {
  for (const symbol of symbols) {
    expect(symbol.startLine).toBeGreaterThanOrEqual(startLine)
    expect(symbol.startLine).toBeLessThanOrEqual(endLine)
    expect(symbol.signature.length).toBeLessThanOrEqual(300)
    expect(symbol.doc?.length ?? 0).toBeLessThanOrEqual(300)
  }
  expect(kind).toBe(symbols[0]?.kind ?? "block")
}

function expectSorted(ranges: Uint32Array, length: number): void {
  for (let at = 1; at < ranges.length; at++) expect(ranges[at]).toBeGreaterThanOrEqual(ranges[at - 1]!)
  expect(ranges.at(-1) ?? 0).toBeLessThanOrEqual(length)
}
