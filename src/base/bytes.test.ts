import { expect, test } from "bun:test"
import fc from "fast-check"
import { ByteReader, unsigned } from "./bytes.ts"

test("reads the numbers that were written, and throws where the bytes end", () => {
  const numbers = fc.array(fc.integer({ min: 0, max: 2 ** 32 - 1 }), { minLength: 1, maxLength: 20 })
  fc.assert(
    fc.property(numbers, (values) => {
      const bytes = Uint8Array.from(values.flatMap(unsigned))
      const reader = new ByteReader(bytes)
      expect(values.map(() => reader.number())).toEqual(values)
      expect(reader.isAtEnd).toBe(true)
      expect(() => reader.number()).toThrow(RangeError)
      expect(() => new ByteReader(bytes).bytes(bytes.length + 1)).toThrow(RangeError)
    }),
  )
})

test("refuses a number of more than ten bytes", () => {
  expect(() => new ByteReader(new Uint8Array(11).fill(0xff)).number()).toThrow("more than ten bytes")
})
