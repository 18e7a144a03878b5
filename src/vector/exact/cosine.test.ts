import { expect, test } from "bun:test"
import fc from "fast-check"
import { dot, lengthOf, plainDot, plainLengthOf, probeOf } from "./cosine.ts"

const dimensions = fc.integer({ min: 1, max: 80 })
const number = fc.float({ min: -1, max: 1, noNaN: true })

function arrayOf<T>(unit: fc.Arbitrary<T>, length: number): fc.Arbitrary<T[]> {
  return fc.array(unit, { minLength: length, maxLength: length })
}

test("computes the same products with SIMD as with plain loops, to the last bit", () => {
  const rows = dimensions.chain((length) =>
    fc.record({
      query: arrayOf(number, length),
      before: fc.nat(40),
      bits: arrayOf(
        fc.oneof(fc.integer({ min: 0, max: 0x7bff }), fc.integer({ min: 0x8000, max: 0xfbff })),
        length,
      ),
      bytes: arrayOf(fc.integer({ min: -128, max: 127 }), length),
    }),
  )
  fc.assert(
    fc.property(rows, ({ query, before, bits, bytes }) => {
      const probe = probeOf(Float32Array.from(query))
      const halves = new Uint16Array(before + bits.length)
      halves.set(bits, before)
      const integers = new Int8Array(before + bytes.length)
      integers.set(bytes, before)
      expect(lengthOf(integers, before, bytes.length)).toBe(plainLengthOf(integers, before, bytes.length))
      if (probe === null || probe.places !== null) return
      expect(dot(probe, halves, before)).toBe(plainDot(probe.vector, halves, before))
      expect(dot(probe, integers, before)).toBe(plainDot(probe.vector, integers, before))
    }),
    { numRuns: 500 },
  )
})

test("does not mix up alternating queries and rows", () => {
  const [one, other] = [Float32Array.of(1, 1, 1, 1), Float32Array.of(0.5, -1, 2, 1, 1, 1)].map(
    (query) => probeOf(query)!,
  )
  const rows = Int8Array.of(1, 2, 3, 4, 5, 6, 7, 8)
  for (let i = 0; i < 3; i++) {
    expect(dot(one!, rows, 1)).toBe(plainDot(one!.vector, rows, 1))
    expect(dot(other!, rows, 2)).toBe(plainDot(other!.vector, rows, 2))
    expect(lengthOf(rows, 2, 4)).toBe(plainLengthOf(rows, 2, 4))
  }
})
