import { expect, test } from "bun:test"
import { termOf } from "../../text/terms/abbreviations.ts"
import { hashTerm } from "../../text/terms/hash.ts"
import { correctSpelling, type Dictionary } from "./spelling.ts"

/** A dictionary in which each word occurs in the given number of documents. */
function holding(words: Readonly<Record<string, number>>): Dictionary {
  const known = new Map(
    Object.entries(words).map(([word, count]) => [hashTerm(termOf(word)), { word, count }]),
  )
  return {
    documents: (hi, lo) => known.get((BigInt(hi) << 32n) | BigInt(lo))?.count ?? 0,
    examples: (hash) => [`// ${known.get(hash)?.word}(x), and a word of another file`],
  }
}

const shop = holding({
  search: 9,
  refund: 5,
  transfers: 2,
  payment: 7,
  websocket: 3,
  file: 1,
  attack: 8,
  get: 50,
  built: 7,
  perch: 20,
  подключение: 2,
  größe: 1,
})

test.each([
  ["a letter is missing", "serch", "search"],
  ["a letter is too many", "searrch", "search"],
  ["a letter is wrong", "refond", "refund"],
  ["two are swapped", "refudn", "refund"],
  ["two of four are swapped", "fiel", "file"],
  ["it is a part of a name", "RefnudPayment", "RefundPayment"],
  ["it is in capitals", "REFNUD_PAYMENT", "REFUND_PAYMENT"],
  ["a text has it with the ending it was typed with", "how transfres work", "how transfers work"],
  ["it is in another script", "подкючение", "подключение"],
])("%s", (_, typed, text) => {
  expect(correctSpelling(typed, shop).text).toBe(text)
})

test.each([
  ["known", "search payments"],
  ["known as a compound", "webs ocket"],
  ["one edit from the stem of another word, and not from that word", "attachments gated building"],
  ["at two edits", "saerrch"],
  ["short", "ref pay"],
  ["short, and not with two letters swapped", "perc erch"],
  ["a number", "12345"],
  ["in quotation marks", 'payment "serch"'],
  ["without spaces", "数据库连接"],
  ["common", "how is the it"],
  ["nothing", ""],
])("a word is left as it is where it is %s", (_, typed) => {
  expect(correctSpelling(typed, shop)).toEqual({ text: typed, changes: [] })
})

test("a wrong first letter is less likely than another mistake, even for a more common word", () => {
  expect(correctSpelling("serch", shop).changes).toEqual([["serch", "search"]])
  expect(correctSpelling("merch", holding({ perch: 20 })).changes).toEqual([["merch", "perch"]])
  expect(correctSpelling("serch", holding({ perch: 20 })).changes).toEqual([["serch", "perch"]])
})
