import { afterAll, expect, test } from "bun:test"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import { copyTargetOf, openRandomAccessFile } from "./file-view.ts"

const folder = mkdtempSync(join(tmpdir(), "aman-view-"))
const path = join(folder, "bytes")
const bytes = Uint8Array.from({ length: 10_000 }, (_, i) => (i * 7) % 251)
writeFileSync(path, bytes)

afterAll(() => rmSync(folder, { recursive: true }))

test.each([true, false])("any piece is copied, and zeros for what is not there (mapped: %p)", (isMapped) => {
  using view = openRandomAccessFile(path, isMapped)
  const room = copyTargetOf(new Uint8Array(600))
  expect(view.size).toBe(bytes.length)
  const from = fc.integer({ min: -100, max: bytes.length + 100 })
  fc.assert(
    fc.property(from, fc.nat(500), fc.nat(100), (from, length, at) => {
      room.bytes.fill(9)
      view.copy(from, length, room, at)
      const isThere = from >= 0 && from + length <= bytes.length
      const expected = new Uint8Array(600).fill(9)
      expected.set(isThere ? bytes.subarray(from, from + length) : new Uint8Array(length), at)
      expect(room.bytes).toEqual(expected)
    }),
  )
})

test.each([true, false])(
  "pieces are gathered by their numbers, zeros for those beyond (mapped: %p)",
  (isMapped) => {
    using view = openRandomAccessFile(path, isMapped)
    const max = 12
    const numbers = fc.array(fc.nat(400), { maxLength: max })
    fc.assert(
      fc.property(numbers, fc.integer({ min: 1, max: 40 }), fc.nat(100), (numbers, length, at) => {
        const room = copyTargetOf(new Uint8Array(600).fill(9))
        const count = numbers.length
        view.gather(Uint32Array.from([...numbers, 3, 4]), count, length, room, at)
        const expected = new Uint8Array(600).fill(9)
        for (const [i, number] of numbers.entries()) {
          const isThere = (number + 1) * length <= bytes.length
          const piece = isThere
            ? bytes.subarray(number * length, (number + 1) * length)
            : new Uint8Array(length)
          expected.set(piece, at + i * length)
        }
        expect(room.bytes).toEqual(expected)
      }),
    )
  },
)

test.each([true, false])("a view that was closed gives zeros (mapped: %p)", (isMapped) => {
  const view = openRandomAccessFile(path, isMapped)
  const room = copyTargetOf(new Uint8Array(8))
  view[Symbol.dispose]()
  view[Symbol.dispose]()
  room.bytes.fill(9)
  view.copy(1, 8, room, 0)
  expect(room.bytes).toEqual(new Uint8Array(8))
  room.bytes.fill(9)
  view.gather(Uint32Array.of(0, 1), 2, 4, room, 0)
  expect(room.bytes).toEqual(new Uint8Array(8))
})

test.each([true, false])("more than there is room for is not copied (mapped: %p)", (isMapped) => {
  using view = openRandomAccessFile(path, isMapped)
  const room = copyTargetOf(new Uint8Array(8))
  view.copy(1, 16, room, 4)
  expect(room.bytes).toEqual(new Uint8Array(8))
})
