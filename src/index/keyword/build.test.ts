import { expect, test } from "bun:test"
import { hashTerm } from "../../text/terms/hash.ts"
import { createTermBuffer } from "../../text/terms/term-buffer.ts"
import { tokenize } from "../../text/terms/tokenize.ts"
import { FIRST_UNIT, FREQUENCY_MASK, PostingLog, SECOND_UNIT, THIRD_UNIT } from "./build.ts"

const hiOf = (term: string) => Number(hashTerm(term) >> 32n)
const loOf = (term: string) => Number(hashTerm(term) & 0xffffffffn)

function count(log: PostingLog, term: string, unit: number, times = 1): void {
  log.reserve(1)
  for (let i = 0; i < times; i++) log.countTerm(hiOf(term), loOf(term), unit)
}

test("stops a count at its maximum without changing the next field", () => {
  const log = new PostingLog()
  count(log, "zero", FIRST_UNIT, 5000)
  count(log, "zero", SECOND_UNIT, 2)
  log.endDocument(0)
  expect([...log.postings.values.view()]).toEqual([FREQUENCY_MASK + 2 * SECOND_UNIT])
})

test("keeps counts when the table grows in the middle of a document", () => {
  const log = new PostingLog()
  count(log, "kept", FIRST_UNIT, 3)
  for (let i = 0; i < 40_000; i++) count(log, `filler${i}`, SECOND_UNIT)
  count(log, "kept", FIRST_UNIT)
  log.endDocument(7)
  const { terms, documents, values } = log.postings
  const at = values.view().indexOf(4 * FIRST_UNIT)
  expect(documents.values[at]).toBe(7)
  expect(log.termHi.values[terms.values[at]!]).toBe(hiOf("kept"))
  expect(log.postings.length).toBe(40_001)
})

test("starts empty after clear", () => {
  const log = new PostingLog()
  count(log, "old", FIRST_UNIT, 9)
  log.endDocument(0)
  log.clear()
  count(log, "old", FIRST_UNIT)
  log.endDocument(0)
  expect([...log.postings.values.view()]).toEqual([1])
  expect(log.termHi.length).toBe(1)
})

test("logs each word and the compound of a name once, if the document counts them as names", () => {
  const log = new PostingLog()
  const named = (name: string, symbol: number, isCounted: boolean) => {
    const terms = createTermBuffer()
    tokenize(name, 0, name.length, terms)
    log.countTerms(terms, isCounted ? THIRD_UNIT : FIRST_UNIT)
    return log.countName(terms, 5, symbol)
  }
  expect([named("readDisk", 0, true), named("disk_s", 1, true), named("other", 2, false)]).toEqual([2, 2, 0])
  const { terms, documents, values } = log.names
  const rows = Array.from(terms.view(), (term, i) => [log.termHi.values[term], values.values[i]])
  expect(rows).toEqual([
    [hiOf("read"), 0],
    [hiOf("disk"), 0],
    [hiOf("readdisk"), 1],
    [hiOf("disk"), 3],
    [hiOf("s"), 2],
  ])
  expect([...documents.view()]).toEqual([5, 5, 5, 5, 5])
})
