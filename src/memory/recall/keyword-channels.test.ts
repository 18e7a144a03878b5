import { describe, expect, test } from "bun:test"
import { PLAIN_DOCUMENT } from "../../../test/recall-document.ts"
import { prepareEntry } from "./index/analyse.ts"
import { Corpus } from "./index/corpus.ts"
import { keywordChannels } from "./keyword-channels.ts"
import { readQuestion } from "./question.ts"

describe("the scores of passages", () => {
  test("ranks the rarer word and the shorter text higher", () => {
    const texts = [
      "the report on bees",
      "the report on ants",
      "a report",
      "bees and many other things that fly, sting and buzz about in the gardens",
    ]
    expect(found(texts, "bees zebras")).toEqual(["0", "3"])
    expect(found(texts, "report bees elephant")[0]).toBe("0")
  })

  test("corrects one typing error", () => {
    expect(found(["the invoice is paid", "a door"], "invoce")).toEqual(["0"])
  })

  test("finds identifiers by their parts, and scripts without spaces", () => {
    const texts = ["call openWebSocket first", "我的上司是银行的行长", "nothing"]
    expect(found(texts, "web socket")).toEqual(["0"])
    expect(found(texts, "银行")).toEqual(["1"])
  })

  test("scores only accepted entries", () => {
    expect(found(["red ball", "red box", "red bag"], "red", (id) => id === "2")).toEqual(["2"])
  })
})

/** Ids of the entries found, best first. An entry's id is its position in `texts`. */
function found(
  texts: readonly string[],
  question: string,
  accepts: (id: string) => boolean = () => true,
): string[] {
  const corpus = new Corpus()
  for (const [at, text] of texts.entries()) {
    const document = { ...PLAIN_DOCUMENT, id: String(at), text }
    corpus.add(document, prepareEntry(document, corpus.dictionary))
  }
  const idOf = (slot: number) => corpus.at(slot)!.document.id
  const asked = readQuestion(question, corpus)
  const { words } = keywordChannels(corpus, asked, (slot) => accepts(idOf(slot)))
  const slots = [...words.slots.slice(0, words.count)].filter((slot) => words.passage[slot]! > 0)
  return slots.sort((a, b) => words.passage[b]! - words.passage[a]!).map(idOf)
}
