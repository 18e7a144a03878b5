import { expect, test } from "bun:test"
import { PLAIN_DOCUMENT } from "../../../test/recall-document.ts"
import type { EntryOutput } from "../../app/memory/requests.ts"
import { entryPage } from "./entry-page.ts"

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
