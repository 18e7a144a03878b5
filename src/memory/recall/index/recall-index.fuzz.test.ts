import { expect, test } from "bun:test"
import fc from "fast-check"
import type { RecallDocument } from "./analyse.ts"
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

/** So many entries that `fill` returns a pack to store. */
const OTHERS = Array.from({ length: 50 }, (_, i) => ({
  ...fc.sample(document, { numRuns: 1, seed: i })[0]!,
  id: `other${i}`,
}))

async function packOf(documents: readonly RecallDocument[]): Promise<Uint8Array> {
  const pack = await new RecallIndex().fill(documents, null)
  if (pack === null) throw new Error("nothing is kept")
  return pack
}

test("an index equals a new one of the remaining entries after any additions, removals and reads of stored data", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), text, async (steps, question) => {
      const index = new RecallIndex()
      const left = new Map<string, RecallDocument>()
      for (const each of steps) {
        if (typeof each === "string") {
          index.remove([each])
          left.delete(each)
        } else {
          await index.upsert([each])
          left.set(each.id, each)
        }
      }
      const fresh = new RecallIndex()
      await fresh.upsert([...left.values()])
      const [some, ...others] = [...left.values()].toReversed()
      const kept = some === undefined ? null : await packOf([some, ...OTHERS])
      const read = new RecallIndex()
      await read.fill(some === undefined ? [] : [...others, some], kept)
      const expected = await answers(fresh, question)
      expect(index.size).toBe(left.size)
      expectSame(await answers(index, question), expected)
      expectSame(await answers(read, question), expected)
    }),
    { numRuns: 150 },
  )
})

test("an index filled from stored data answers the same and returns nothing new to store", async () => {
  const kept = await packOf(OTHERS)
  const read = new RecallIndex()
  expect(await read.fill(OTHERS.toReversed(), kept)).toBeNull()
  const fresh = new RecallIndex()
  await fresh.upsert(OTHERS)
  for (const question of WORDS) expectSame(await answers(read, question), await answers(fresh, question))
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
