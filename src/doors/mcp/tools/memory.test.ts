import { expect, test } from "bun:test"
import { PLAIN_DOCUMENT } from "../../../../test/recall-document.ts"
import type { EntryOutput } from "../../../memory/use/requests.ts"
import { entryPage, fitAnswer } from "./memory.ts"

function answerOf(...texts: readonly string[]) {
  const entries = texts.map((text, i) => ({
    id: `e${i}`,
    topic: "long",
    kind: "semantic",
    tags: PLAIN_DOCUMENT.tags,
    recorded_at: "2026-01-01",
    author: null,
    role: null,
    session: null,
    scope: "global",
    source: null,
    valid_from: null,
    valid_until: null,
    invalid_reason: null,
    superseded_by: null,
    deleted_at: null,
    text,
  })) as unknown as EntryOutput[]
  return { data: { entries }, text: "", found: true }
}

test.each([
  ["letters", "abcdefghij".repeat(5000)],
  ["line breaks and quotes, which JSON makes longer", '"\n\t'.repeat(9000)],
  ["characters of two halves", "🫖".repeat(9000)],
])("page by page a long entry is read whole: %s", (_, long) => {
  const pieces: string[] = []
  let offset: number | null = 0
  while (offset !== null) {
    const page = entryPage(answerOf(long), offset, 2000)!
    expect(JSON.stringify(page.data).length).toBeLessThanOrEqual(2000 * 4)
    const { entries, next_offset } = page.data as { entries: EntryOutput[]; next_offset: number | null }
    expect(entries[0]!.text.isWellFormed()).toBe(true)
    pieces.push(entries[0]!.text)
    offset = next_offset
  }
  expect(pieces.join("")).toBe(long)
  expect(pieces.length).toBeLessThan(20)
})

test("makes no pages of an entry that fits or of several entries, and none past the end", () => {
  expect(entryPage(answerOf("short"), 0, 2000)).toBeNull()
  expect(entryPage(answerOf("a".repeat(9000), "b"), 0, 2000)).toBeNull()
  expect(() => entryPage(answerOf("short"), 6, 2000)).toThrow("the entry has 5 characters")
})

const entries = (count: number, characters: number) =>
  Array.from({ length: count }, (_, n) => ({ id: `e${n}`, text: "x".repeat(characters) }))

test("returns an answer that fits unchanged", () => {
  const answer = { data: { entries: entries(20, 100), total: 20, next_offset: null }, text: "short" }
  expect(fitAnswer(answer, 1000)).toEqual(answer)
})

test("divides the budget among long texts and keeps the id of each entry", () => {
  const { data } = fitAnswer({ data: { entries: entries(20, 1_000_000), total: 20 }, text: "" }, 8000)
  const kept = (data as { entries: { id: string; text: string }[] }).entries
  expect(kept.map(({ id }) => id)).toEqual(entries(20, 0).map(({ id }) => id))
  expect(kept.every(({ text }) => text.endsWith("…") && text.length > 1000)).toBe(true)
  expect(JSON.stringify(data).length).toBeLessThan(8000 * 4 * 1.5)
})

test("keeps the first of too many entries and starts the next page after them", () => {
  const asked = { entries: entries(1000, 300), total: 5000, offset: 40, next_offset: 1040 }
  const { data } = fitAnswer({ data: asked, text: "" }, 2000)
  const page = data as typeof asked
  expect(page.entries.length).toBeWithin(10, 40)
  expect(page.next_offset).toBe(40 + page.entries.length)
  expect(page.total).toBe(5000)
})

test("cuts at the end of a line and says so", () => {
  const { text } = fitAnswer({ data: {}, text: "a line of ten\n".repeat(10_000) }, 100)
  expect(text).toMatch(/^(?:a line of ten\n)+… cut: \d+ of 140000 characters\./)
  expect(text.length).toBeLessThan(600)
})
