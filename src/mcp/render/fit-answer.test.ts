import { expect, test } from "bun:test"
import { fitAnswer } from "./fit-answer.ts"

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
