import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import type { ShortText, ShortTextIndex } from "../../src/keyword/short-texts.ts"

/** What every index of short texts promises. */
export function shortTextContract(name: string, create: () => ShortTextIndex): void {
  describe(name, () => {
    test("returns only texts with every word if there are any", async () => {
      const index = await filled(create, ["the gate opens at seven", "the gate is green", "seven doors"])
      expect(await idsFor(index, "when does the gate open, at seven?")).toEqual(["0"])
    })

    test("returns texts with any word if none has every word", async () => {
      const index = await filled(create, ["the gate is green", "seven doors", "a window"])
      expect((await idsFor(index, "gate of seven bells")).toSorted()).toEqual(["0", "1"])
    })

    test("the rarer word counts for more, and the shorter text", async () => {
      const index = await filled(create, [
        "the report on bees",
        "the report on ants",
        "a report",
        "bees and many other things that fly, sting and buzz about in the gardens",
      ])
      expect(await idsFor(index, "bees zebras")).toEqual(["0", "3"])
      expect((await idsFor(index, "report bees elephant"))[0]).toBe("0")
    })

    test("a word in the topic or a tag counts for more than one in the text", async () => {
      const index = create()
      await index.put([
        { id: "text", text: "the harbour wall", topic: "general", tags: [] },
        { id: "topic", text: "the eastern wall", topic: "harbour", tags: [] },
        { id: "tag", text: "the northern wall", topic: "general", tags: ["harbour"] },
      ])
      expect((await idsFor(index, "harbour")).at(-1)).toBe("text")
    })

    test("corrects one typing error", async () => {
      const index = await filled(create, ["the invoice is paid", "a door"])
      expect(await idsFor(index, "invoce")).toEqual(["0"])
    })

    test("identifiers are found by their parts, and texts without spaces by theirs", async () => {
      const index = await filled(create, ["call openWebSocket first", "我的上司是银行的行长", "nothing"])
      expect(await idsFor(index, "web socket")).toEqual(["0"])
      expect(await idsFor(index, "银行")).toEqual(["1"])
    })

    test("a filter leaves the limit to what it lets through", async () => {
      const index = await filled(create, ["red ball", "red box", "red bag"])
      expect(await index.search("red", 1, (id) => id === "2")).toMatchObject([{ id: "2" }])
    })

    test("put replaces, remove removes, neither minds a repetition", async () => {
      const index = await filled(create, ["old words"])
      await index.put([textOf("0", "new words")])
      expect(await idsFor(index, "old")).toEqual([])
      expect(await idsFor(index, "new")).toEqual(["0"])
      await index.remove(["0", "0", "9"])
      expect(await idsFor(index, "new words")).toEqual([])
      expect(index.size).toBe(0)
    })

    test("no question fails, and none finds what is not there", async () => {
      const index = await filled(create, ["the gate", "größe 银行", "a_b-c"])
      const question = fc.string({ unit: "grapheme", maxLength: 30 })
      await fc.assert(
        fc.asyncProperty(question, async (text) => {
          const hits = await index.search(text, 2)
          expect(hits.length).toBeLessThanOrEqual(2)
          for (const { score } of hits) expect(score).toBeGreaterThan(0)
        }),
      )
    })
  })
}

async function filled(create: () => ShortTextIndex, texts: readonly string[]): Promise<ShortTextIndex> {
  const index = create()
  await index.put(texts.map((text, i) => textOf(String(i), text)))
  return index
}

function textOf(id: string, text: string): ShortText {
  return { id, text, topic: "general", tags: [] }
}

async function idsFor(index: ShortTextIndex, question: string): Promise<string[]> {
  return (await index.search(question, 10)).map(({ id }) => id)
}
