import { expect, test } from "bun:test"
import fc from "fast-check"
import { analyse } from "./analyse.ts"
import { decodeEntry, encodeEntry, spaceNumber } from "./entry-blob.ts"

const SPACE = spaceNumber({ provider: "static", model: "static768", dimensions: 4, version: 1 })

function analysed(text: string, topic: string) {
  return analyse({
    id: "a",
    project: null,
    topic,
    kind: "semantic",
    text,
    tags: ["red", "blue"],
    author: "Ann Lee",
    role: null,
    session: null,
    ordinal: null,
    entities: [],
    metadata: {},
    validFrom: null,
    validUntil: null,
    recordedAt: "2023-05-08",
    supersededAt: null,
  })
}

const plain = (list: ArrayLike<number>) => Array.from(list)

test("what was computed of an entry comes back as it was", () => {
  const text = fc.string({ unit: "grapheme", maxLength: 300 })
  fc.assert(
    fc.property(text, fc.string({ maxLength: 20 }), fc.int8Array({ maxLength: 9 }), (each, topic, rows) => {
      const before = analysed(each, topic)
      const after = decodeEntry(
        encodeEntry({ analysed: before, rows, squares: [5, 12_000_000] }, SPACE),
        SPACE,
      )!
      expect(Array.from(after.rows)).toEqual(Array.from(rows))
      expect(plain(after.squares)).toEqual([5, 12_000_000])
      expect(after.analysed.terms).toEqual(before.terms)
      expect(after.analysed.flags).toBe(before.flags)
      for (const list of ["appended", "topic", "tags"] as const) {
        expect(plain(after.analysed[list])).toEqual(plain(before[list]))
      }
      expect(
        after.analysed.passages.map((passage) => ({
          ...passage,
          inOrder: plain(passage.inOrder),
          besides: plain(passage.besides),
        })),
      ).toEqual(
        before.passages.map((passage) => ({
          ...passage,
          inOrder: plain(passage.inOrder),
          besides: plain(passage.besides),
        })),
      )
    }),
  )
})

test("what is of another space, cut short or altered is not believed", () => {
  const blob = encodeEntry(
    {
      analysed: analysed("The kettle leaks. It is copper.", "kitchen"),
      rows: new Int8Array(8),
      squares: [1, 2],
    },
    SPACE,
  )
  expect(decodeEntry(blob, SPACE + 1)).toBeNull()
  for (let length = 0; length < blob.length; length++)
    expect(decodeEntry(blob.slice(0, length), SPACE)).toBeNull()
})

test("a blob may lie anywhere in a buffer", () => {
  const blob = encodeEntry(
    { analysed: analysed("kettle", "kitchen"), rows: new Int8Array(3), squares: [] },
    SPACE,
  )
  const shifted = new Uint8Array(blob.length + 1)
  shifted.set(blob, 1)
  expect(decodeEntry(shifted.subarray(1), SPACE)?.analysed.terms).toContain("kitchen")
})
