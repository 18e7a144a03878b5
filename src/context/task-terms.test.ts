import { expect, test } from "bun:test"
import { termsOfText } from "./pieces.ts"
import { TaskTerms } from "./task-terms.ts"

const rarity = { documents: 1000, estimate: () => 10 }

function found(task: string, text: string): number {
  return new TaskTerms(task, rarity).countedIn(termsOfText(text)).size
}

test("words beyond the 24th count, and identifiers count as a whole too", () => {
  const many = Array.from(
    { length: 60 },
    (_, i) => `word${String.fromCharCode(97 + (i % 26))}${"x".repeat(i)}`,
  )
  expect(found(many.join(" "), many.at(-1)!)).toBe(1)
  expect(found("getUserById fails", "function getUserById()")).toBe(4)
})

test("stop words and words that the project lacks are no terms", () => {
  expect(new TaskTerms("how is it that the", rarity).terms).toEqual([])
  expect(new TaskTerms("settle an invoice", { documents: 9, estimate: () => 0 }).terms).toEqual([])
})

test("a word of the title weighs more than one of the body, and that more than a log's", () => {
  const task =
    "Round the total of a cart\n\nIt is wrong for discounts.\n\n2024-01-02 12:00:00 INFO checkout started"
  const { terms } = new TaskTerms(task, rarity)
  expect(terms.filter(({ inTitle }) => inTitle).length).toBe(3)
  const weights = terms.map(({ weight }) => weight)
  expect(weights[0]).toBeGreaterThan(weights[3]!)
  expect(weights[3]).toBeGreaterThan(weights.at(-1)!)
})
