import { expect, test } from "bun:test"
import fc from "fast-check"
import golden from "../../../test/golden/static768.json"
import { embedStatic768, Fnv, pairBucket, pairBuckets, STATIC768_DIMENSIONS } from "./static768.ts"

test("reproduces the reference vectors to the last digit", () => {
  for (const { text, nonzero } of golden) {
    const found = [...embed(text).entries()].filter(([, value]) => value !== 0)
    expect(found.map(([index]) => index)).toEqual(nonzero.map((pair) => pair[0]!))
    for (const [i, [, value]] of found.entries()) expect(value).toBeCloseTo(nonzero[i]![1]!, 6)
  }
})

test("reproduces the reference buckets of single words", () => {
  const words = { search: 501, get: 35, user: 356, by: 94, id: 550, hello: 455, world: 271 }
  for (const [word, bucket] of Object.entries(words)) expect(bucketOf(word)).toBe(bucket)
  for (const [trigram, bucket] of Object.entries({ sea: 626, ear: 751, arc: 27, rch: 276 }))
    expect(trigramBucket(trigram)).toBe(bucket)
})

test("the hash equals FNV-1 in 64-bit arithmetic", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      let exact = 14695981039346656037n
      const hash = new Fnv()
      for (const byte of bytes) {
        exact = ((exact * 1099511628211n) & 0xffff_ffff_ffff_ffffn) ^ BigInt(byte)
        hash.add(byte)
      }
      const [high, low] = [hash.high, hash.low].map((half) => BigInt.asUintN(32, BigInt(half)))
      expect((high! << 32n) | low!).toBe(exact)
      expect(hash.bucket()).toBe(Number(exact % BigInt(STATIC768_DIMENSIONS)))
    }),
  )
})

test("equals a plain implementation for random texts", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({ unit: "grapheme" }),
    fc.stringMatching(/^[A-Za-z0-9_ .]*$/),
  )
  fc.assert(
    fc.property(text, (value) => {
      const expected = plainly(value)
      const found = embed(value)
      for (let i = 0; i < STATIC768_DIMENSIONS; i++) expect(found[i]!).toBeCloseTo(expected[i]!, 6)
    }),
    { numRuns: 300 },
  )
})

test("gives related names similar vectors", () => {
  expect(dot(embed("getUserById"), embed("get_user_by_id"))).toBeCloseTo(1, 6)
  expect(dot(embed("getUserById"), embed("fetch user record"))).toBeCloseTo(0.303, 3)
})

function embed(text: string): Float32Array {
  const out = new Float32Array(STATIC768_DIMENSIONS)
  embedStatic768(text, out)
  return out
}

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, i) => sum + value * b[i]!, 0)
}

function bucketOf(word: string): number {
  const hash = new Fnv()
  for (const byte of new TextEncoder().encode(word)) hash.add(byte)
  return hash.bucket()
}

function trigramBucket(trigram: string): number {
  const [a, b, c] = new TextEncoder().encode(trigram) as unknown as [number, number, number]
  return pairBucket((a << 8) | b) ^ c
}

/** A plain implementation with regular expressions and strings. */
function plainly(text: string): Float64Array {
  const stop = new Set(
    "func function def class return import const var let int string bool void true false nil null this self new".split(
      " ",
    ),
  )
  const out = new Float64Array(STATIC768_DIMENSIONS)
  const tokens = (text.match(/[A-Za-z0-9]+/g) ?? [])
    .flatMap((word) => word.split(/(?<=[a-z])(?=[A-Z])|(?<=.)(?=[A-Z][a-z])/))
    .map((token) => token.toLowerCase())
  for (const token of tokens) if (!stop.has(token)) out[bucketOf(token)]! += 0.7
  // Each character is lower-cased alone, as in the reference implementation.
  const kept = [...text].map((c) => c.toLowerCase().match(/^[\p{L}\p{Nd}]/u)?.[0] ?? "").join("")
  const bytes = new TextEncoder().encode(kept)
  for (let i = 2; i < bytes.length; i++) {
    const hash = new Fnv()
    for (const byte of bytes.subarray(i - 2, i + 1)) hash.add(byte)
    out[hash.bucket()]! += 0.3
  }
  const norm = Math.hypot(...out)
  return norm === 0 ? out : out.map((value) => value / norm)
}

test("the table of pairs equals computing each pair", () => {
  const table = pairBuckets()
  for (let pair = 0; pair < table.length; pair += 97) expect(table[pair]).toBe(pairBucket(pair))
})
