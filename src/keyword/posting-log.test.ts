import { expect, test } from "bun:test"
import { hashTerm } from "../text/hash.ts"
import { FIRST_UNIT, FREQUENCY_MASK, PostingLog, SECOND_UNIT, THIRD_UNIT } from "./posting-log.ts"

const hiOf = (term: string) => Number(hashTerm(term) >> 32n)
const loOf = (term: string) => Number(hashTerm(term) & 0xffffffffn)

function count(log: PostingLog, term: string, unit: number, times = 1): void {
  log.reserve(1)
  for (let i = 0; i < times; i++) log.countTerm(hiOf(term), loOf(term), unit)
}

test("a count that fills its field stops there and leaves the next field alone", () => {
  const log = new PostingLog()
  count(log, "zero", FIRST_UNIT, 5000)
  count(log, "zero", SECOND_UNIT, 2)
  expect(log.endDocument(0, THIRD_UNIT)).toBe(0)
  expect([...log.frequencies.view()]).toEqual([FREQUENCY_MASK + 2 * SECOND_UNIT])
})

test("counts survive the table's growth in the middle of a document", () => {
  const log = new PostingLog()
  count(log, "kept", FIRST_UNIT, 3)
  for (let i = 0; i < 40_000; i++) count(log, `filler${i}`, SECOND_UNIT)
  count(log, "kept", FIRST_UNIT)
  expect(log.endDocument(7, FIRST_UNIT)).toBe(1)
  const at = log.frequencies.view().indexOf(4 * FIRST_UNIT)
  expect(log.documents.values[at]).toBe(7)
  expect(log.termHi.values[log.terms.values[at]!]).toBe(hiOf("kept"))
  expect(log.terms.length).toBe(40_001)
})

test("a cleared log begins anew", () => {
  const log = new PostingLog()
  count(log, "old", FIRST_UNIT, 9)
  log.endDocument(0, FIRST_UNIT)
  log.clear()
  count(log, "old", FIRST_UNIT)
  log.endDocument(0, FIRST_UNIT)
  expect([...log.frequencies.view()]).toEqual([1])
  expect(log.termHi.length).toBe(1)
})
