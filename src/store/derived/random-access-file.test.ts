import { afterAll, expect, test } from "bun:test"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import { copyTargetOf, openRandomAccessFile } from "./derived-files.ts"

const folder = mkdtempSync(join(tmpdir(), "aman-view-"))
const path = join(folder, "bytes")
const bytes = Uint8Array.from({ length: 10_000 }, (_, i) => (i * 7) % 251)
writeFileSync(path, bytes)

afterAll(() => rmSync(folder, { recursive: true }))

test.each([true, false])("copies any piece, with zeros beyond the end (mapped: %p)", (isMapped) => {
  using file = openRandomAccessFile(path, isMapped)
  const target = copyTargetOf(new Uint8Array(600))
  expect(file.size).toBe(bytes.length)
  const from = fc.integer({ min: -100, max: bytes.length + 100 })
  fc.assert(
    fc.property(from, fc.nat(500), fc.nat(100), (from, length, at) => {
      target.bytes.fill(9)
      file.copy(from, length, target, at)
      const isThere = from >= 0 && from + length <= bytes.length
      const expected = new Uint8Array(600).fill(9)
      expected.set(isThere ? bytes.subarray(from, from + length) : new Uint8Array(length), at)
      expect(target.bytes).toEqual(expected)
    }),
  )
})

test.each([true, false])(
  "gathers pieces by number, with zeros for numbers beyond the end (mapped: %p)",
  (isMapped) => {
    using file = openRandomAccessFile(path, isMapped)
    const max = 12
    const numbers = fc.array(fc.nat(400), { maxLength: max })
    fc.assert(
      fc.property(numbers, fc.integer({ min: 1, max: 40 }), fc.nat(100), (numbers, length, at) => {
        const target = copyTargetOf(new Uint8Array(600).fill(9))
        const count = numbers.length
        file.gather(Uint32Array.from([...numbers, 3, 4]), count, length, target, at)
        const expected = new Uint8Array(600).fill(9)
        for (const [i, number] of numbers.entries()) {
          const isThere = (number + 1) * length <= bytes.length
          const piece = isThere
            ? bytes.subarray(number * length, (number + 1) * length)
            : new Uint8Array(length)
          expected.set(piece, at + i * length)
        }
        expect(target.bytes).toEqual(expected)
      }),
    )
  },
)

test.each([true, false])("a closed file reads as zeros (mapped: %p)", (isMapped) => {
  const file = openRandomAccessFile(path, isMapped)
  const target = copyTargetOf(new Uint8Array(8))
  file[Symbol.dispose]()
  file[Symbol.dispose]()
  target.bytes.fill(9)
  file.copy(1, 8, target, 0)
  expect(target.bytes).toEqual(new Uint8Array(8))
  target.bytes.fill(9)
  file.gather(Uint32Array.of(0, 1), 2, 4, target, 0)
  expect(target.bytes).toEqual(new Uint8Array(8))
})

test.each([true, false])("does not copy more than the target can hold (mapped: %p)", (isMapped) => {
  using file = openRandomAccessFile(path, isMapped)
  const target = copyTargetOf(new Uint8Array(8))
  file.copy(1, 16, target, 4)
  expect(target.bytes).toEqual(new Uint8Array(8))
})
