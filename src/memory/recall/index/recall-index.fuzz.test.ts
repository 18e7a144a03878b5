import { expect, test } from "bun:test"
import fc from "fast-check"
import { PLAIN_DOCUMENT } from "../../../../test/recall-document.ts"
import type { RecallDocument } from "./analyse.ts"
import type { ImageParts } from "./frozen.ts"
import { RecallIndex } from "./recall-index.ts"

const WORDS =
  "kettle copper leaks Ann Bob when seven yesterday 数据 größe web-socket openDoor ? . I it".split(" ")
const text = fc.array(fc.constantFrom(...WORDS), { maxLength: 12 }).map((words) => words.join(" "))

const document = fc
  .record({
    id: fc.constantFrom(..."abcdefgh"),
    text,
    topic: fc.constantFrom("kitchen", "garden"),
    tags: fc.subarray(["red", "blue"]),
    author: fc.constantFrom(null, "Ann", "Bob"),
    role: fc.constantFrom(null, "person", "agent"),
    session: fc.constantFrom(null, "s", "t"),
    ordinal: fc.constantFrom(null, 1, 2, 3),
    recordedAt: fc.constantFrom("2023-05-08", "2024-01-31T10:00:00.000Z"),
  })
  .map(
    (fields): RecallDocument => ({
      project: null,
      kind: "semantic",
      key: null,
      source: null,
      entities: [],
      metadata: {},
      validFrom: null,
      validUntil: null,
      supersededAt: null,
      ...fields,
    }),
  )

const step = fc.oneof({ weight: 3, arbitrary: document }, fc.constantFrom(..."abcdefgh"))

async function answers(index: RecallIndex, question: string) {
  const { hits, confidence } = await index.search(question, {
    limit: 8,
    near: (hits) => new Map(hits.slice(1)),
  })
  const found = hits.map(({ document: { id }, window, terms }) => ({
    id,
    window,
    names: terms.map(({ name }) => name),
  }))
  const numbers = [
    confidence,
    ...hits.flatMap(({ score, terms }) => [score, ...terms.map(({ value }) => value)]),
  ]
  return { found, numbers }
}

type Answers = Awaited<ReturnType<typeof answers>>

/** Numbers are compared approximately, because sums in another order differ in their last bits. */
function expectSame({ found, numbers }: Answers, expected: Answers): void {
  expect(found).toEqual(expected.found)
  for (const [i, number] of numbers.entries()) expect(number).toBeCloseTo(expected.numbers[i]!, 9)
}

/** Opens an image of the index in a new one. */
function reopened(index: RecallIndex, left: ReadonlyMap<string, RecallDocument>): RecallIndex {
  const read = new RecallIndex()
  // Copied as a database returns it: the parts at any offset of a buffer.
  const parts = Array.from(index.freeze(7), ([name, bytes]) => {
    const shifted = new Uint8Array(bytes.length + 1)
    shifted.set(bytes, 1)
    return [name, shifted.subarray(1)] as const
  })
  expect(read.open(new Map(parts), (id) => left.get(id)!.text)).toBe(7)
  return read
}

test("an index equals a new one of the remaining entries after any additions, removals and readings of its image", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), fc.nat(20), text, async (steps, stored, question) => {
      let index = new RecallIndex()
      const left = new Map<string, RecallDocument>()
      for (const [i, each] of steps.entries()) {
        if (i === stored) index = reopened(index, left)
        if (typeof each === "string") {
          index.remove([each])
          left.delete(each)
        } else {
          await index.upsert([each])
          left.set(each.id, each)
        }
      }
      const fresh = new RecallIndex()
      await fresh.upsert([...left.values()].toReversed())
      const expected = await answers(fresh, question)
      expect(index.size).toBe(left.size)
      expectSame(await answers(index, question), expected)
      expectSame(await answers(reopened(index, left), question), expected)
    }),
    { numRuns: 150 },
  )
})

test("every field of an entry is the same after its image was read", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(document, { minLength: 1, maxLength: 5 }), async (documents) => {
      const left = new Map(documents.map((each) => [each.id, each]))
      const index = new RecallIndex()
      await index.upsert([...left.values()])
      const { hits } = await reopened(index, left).search("", { limit: 10 })
      for (const { document: found } of hits) {
        const expected = left.get(found.id)!
        for (const field of Object.keys(expected) as (keyof RecallDocument)[])
          expect(found[field]).toEqual(expected[field])
      }
      expect(hits).toHaveLength(left.size)
    }),
    { numRuns: 50 },
  )
})

test("an image has no word of a removed entry, and is refused when altered, truncated or of another space", async () => {
  const kettle = { ...PLAIN_DOCUMENT, id: "k", text: "The kettle leaks.", tags: ["copper"] }
  const index = new RecallIndex()
  await index.upsert([kettle, { ...kettle, id: "z", text: "A zeppelin of Ann.", author: "Ann" }])
  const hasWord = (parts: ImageParts, word: string) =>
    [...parts.values()].some((bytes) => Buffer.from(bytes).includes(Buffer.from(word, "utf16le")))
  expect(hasWord(index.freeze(1), "zeppelin")).toBe(true)
  index.remove(["z"])
  const image = index.freeze(1)
  expect(["kettl", "copper", "zeppelin", "Ann"].map((word) => hasWord(image, word))).toEqual([
    true,
    true,
    false,
    false,
  ])
  const opened = (parts: ImageParts) => new RecallIndex().open(parts, () => "")
  expect(opened(image)).toBe(1)
  expect(new RecallIndex(null).open(image, () => "")).toBeNull()
  for (const [name, bytes] of image) {
    for (const at of [0, bytes.length >> 1, bytes.length - 1]) {
      if (bytes.length === 0) continue
      const altered = bytes.slice()
      altered[at]! ^= 1
      expect(opened(new Map([...image, [name, altered]]))).toBeNull()
    }
    if (bytes.length > 0) expect(opened(new Map([...image, [name, bytes.slice(0, -1)]]))).toBeNull()
    expect(opened(new Map([...image].filter(([other]) => other !== name)))).toBeNull()
  }
})

test("every question returns scores from 0 to 1 in descending order", async () => {
  const index = new RecallIndex()
  await index.upsert(
    ["kettle", "größe 银行", "", "?", "a_b-c 2023", "x".repeat(3000), "数据库".repeat(300)].map(
      (each, i) => ({
        ...fc.sample(document, { numRuns: 1, seed: i })[0]!,
        id: String(i),
        text: each,
      }),
    ),
  )
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "grapheme", maxLength: 60 }), async (question) => {
      const { hits, confidence } = await index.search(question, { limit: 5 })
      const scores = hits.map(({ score }) => score)
      expect(scores).toEqual(scores.toSorted((a, b) => b - a))
      expect([0, ...scores, confidence, 1].every((value) => value >= 0 && value <= 1 + 1e-9)).toBe(true)
      for (const {
        window,
        document: { text: whole },
      } of hits)
        expect(window.end).toBeLessThanOrEqual(whole.length)
    }),
  )
})
