import { describe, expect, test } from "bun:test"
import { PLAIN_DOCUMENT } from "../../../test/recall-document.ts"
import { prepareEntry, type RecallDocument } from "./index/analyse.ts"
import { Corpus } from "./index/corpus.ts"
import { bestByKeywords, keywordChannels } from "./keyword-channels.ts"
import { readQuestion } from "./question.ts"

describe("the keyword channel", () => {
  test("returns only entries with every word if there are any", () => {
    const texts = ["the gate opens at seven", "the gate is green", "seven doors"]
    expect(found(texts, "when does the gate open, at seven?")).toEqual(["0"])
  })

  test("returns entries with any word if none has every word", () => {
    expect(found(["the gate is green", "seven doors", "a window"], "gate of seven bells").toSorted()).toEqual(
      ["0", "1"],
    )
  })

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

  test("ranks a word in the topic or a tag above one in the text", () => {
    const entries = [
      { text: "the harbour wall" },
      { text: "the eastern wall", topic: "harbour" },
      { text: "the northern wall", tags: ["harbour"] },
    ]
    expect(foundIn(entries, "harbour").at(-1)).toBe("0")
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

function found(texts: readonly string[], question: string, accepts?: (id: string) => boolean): string[] {
  return foundIn(
    texts.map((text) => ({ text })),
    question,
    accepts,
  )
}

/** Ids of the entries found, best first. An entry's id is its position in `entries`. */
function foundIn(
  entries: readonly (Partial<RecallDocument> & { readonly text: string })[],
  question: string,
  accepts: (id: string) => boolean = () => true,
): string[] {
  const corpus = new Corpus()
  for (const [at, entry] of entries.entries()) {
    const document = { ...PLAIN_DOCUMENT, id: String(at), ...entry }
    corpus.add(document, prepareEntry(document, corpus.dictionary))
  }
  const idOf = (slot: number) => corpus.at(slot)!.document.id
  const asked = readQuestion(question, corpus)
  const { words } = keywordChannels(corpus, asked, (slot) => accepts(idOf(slot)))
  return bestByKeywords(words, asked.terms.length, 10, idOf).map(idOf)
}
