import { afterEach, beforeEach, expect, test } from "bun:test"
import { mkdtempSync, rmSync, truncateSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import type { VectorsRow } from "../../store/index/vectors.ts"
import { readRows, writePart } from "./part-file.ts"

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "aman-part-"))
})
afterEach(() => rmSync(folder, { recursive: true }))

async function* streamOf(rows: readonly VectorsRow[]) {
  yield* rows
}

test("reads the written rows in order", async () => {
  const row = fc.record({
    fileId: fc.maxSafeNat(),
    ordinals: fc.uint8Array({ maxLength: 9 }),
    rows: fc.uint8Array({ maxLength: 99 }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(row), async (rows) => {
      const path = join(folder, "part")
      await writePart(path, streamOf(rows))
      expect([...readRows(path)]).toEqual(rows)
    }),
  )
})

test("throws for a truncated part", async () => {
  const path = join(folder, "part")
  await writePart(path, streamOf([{ fileId: 1, ordinals: new Uint8Array(2), rows: new Uint8Array(8) }]))
  truncateSync(path, 30)
  expect(() => [...readRows(path)]).toThrow("is cut")
})
