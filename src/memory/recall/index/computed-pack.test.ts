import { expect, test } from "bun:test"
import fc from "fast-check"
import { PLAIN_DOCUMENT } from "../../../../test/recall-document.ts"
import { trimPack } from "../../stored-computed.ts"
import { analyse, type RecallDocument } from "./analyse.ts"
import { type Computed, readPack, writePack } from "./computed-pack.ts"
import { Dictionary } from "./dictionary.ts"
import { prepare } from "./prepared.ts"

const SPACE = { provider: "static", model: "static768", dimensions: 4, version: 1 }

const documents = fc.array(
  fc.record({
    text: fc.string({ unit: "grapheme", maxLength: 300 }),
    topic: fc.string({ maxLength: 20 }),
    tags: fc.subarray(["red", "blue"]),
    author: fc.constantFrom(null, "Ann Lee"),
  }),
  { minLength: 1, maxLength: 8 },
)

/** Computed data of documents, with rows whose lengths are not multiples of four. */
function computedOf(fields: readonly Partial<RecallDocument>[]) {
  const dictionary = new Dictionary()
  const entries = fields.map((each, i): readonly [RecallDocument, Computed] => {
    const document = { ...PLAIN_DOCUMENT, id: String(i), text: "", ...each }
    const prepared = prepare(analyse(document), dictionary)
    return [document, { prepared, rows: new Int8Array(i).fill(-i), squares: Uint32Array.of(12_000_000, i) }]
  })
  return { terms: dictionary.terms, entries }
}

test("readPack returns the computed data of unchanged entries", () => {
  fc.assert(
    fc.property(documents, (fields) => {
      const { terms, entries } = computedOf(fields)
      const pack = readPack(writePack(terms, entries, SPACE), SPACE)!
      expect(pack.terms).toEqual(terms)
      for (const [document, { prepared }] of entries) {
        expect(pack.of({ ...document, id: "of another id", validUntil: "2030" })?.prepared).toEqual(prepared)
        expect(pack.of({ ...document, text: `${document.text}.` })).toBeUndefined()
        expect(pack.of({ ...document, tags: [...document.tags, "green"] })).toBeUndefined()
      }
    }),
  )
  const { terms, entries } = computedOf([{ text: "one" }, { text: "two" }, { text: "three" }])
  const pack = readPack(writePack(terms, entries, SPACE), SPACE)!
  for (const [document, { rows, squares }] of entries)
    expect(pack.of(document)).toMatchObject({ rows, squares })
})

test("a trimmed pack has the data of the remaining entries and no word of the others", () => {
  fc.assert(
    fc.property(documents, fc.infiniteStream(fc.boolean()), (fields, chosen) => {
      const { terms, entries } = computedOf(fields)
      const kept = entries.filter(() => chosen.next().value)
      const blob = trimPack(
        writePack(terms, entries, SPACE),
        kept.map(([document]) => document),
      )!
      const pack = readPack(blob, SPACE)!
      const alone = computedOf(kept.map(([document]) => document))
      expect([...pack.terms].sort()).toEqual([...alone.terms].sort())
      for (const [document, { rows, prepared }] of kept) {
        const found = pack.of(document)!
        expect(found.rows).toEqual(rows)
        expect(inWords(found.prepared, pack.terms)).toEqual(inWords(prepared, terms))
      }
      for (const [document] of entries)
        if (!kept.some(([other]) => isSame(other, document))) expect(pack.of(document)).toBeUndefined()
    }),
  )
  expect(trimPack(new Uint8Array(40), [])).toBeNull()
})

function isSame(a: RecallDocument, b: RecallDocument): boolean {
  return JSON.stringify({ ...a, id: "" }) === JSON.stringify({ ...b, id: "" })
}

/** The prepared entry with its term numbers replaced by the terms. */
function inWords(prepared: Computed["prepared"], terms: readonly string[]) {
  const { postings, tokens, topic, tags, flags, passages } = prepared
  const words = (list: Uint32Array) => Array.from(list, (term) => terms[term]!)
  const posted = Array.from(postings, (value, i) => (i % 2 === 0 ? terms[value]! : value))
  return {
    flags,
    passages,
    posted,
    tokens: words(tokens),
    terms: words(prepared.terms),
    topic: words(topic),
    tags: words(tags),
  }
}

test("returns null for a pack of another space, a truncated one or an altered one", () => {
  const { terms, entries } = computedOf([{ text: "The kettle leaks." }, { text: "It is copper." }])
  const blob = writePack(terms, entries, SPACE)
  expect(readPack(blob, { ...SPACE, version: 2 })).toBeNull()
  expect(readPack(blob, null)).toBeNull()
  for (let length = 0; length < blob.length; length++)
    expect(readPack(blob.slice(0, length), SPACE)).toBeNull()
  for (let at = 0; at < blob.length; at++) {
    const altered = blob.slice()
    altered[at]! ^= 1
    expect(readPack(altered, SPACE)).toBeNull()
  }
})

test("reads a pack at any offset of a buffer", () => {
  const { terms, entries } = computedOf([{ text: "kettle" }])
  const blob = writePack(terms, entries, SPACE)
  const shifted = new Uint8Array(blob.length + 1)
  shifted.set(blob, 1)
  expect(readPack(shifted.subarray(1), SPACE)?.terms).toContain("kettl")
})
