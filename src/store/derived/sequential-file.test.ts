import { afterEach, beforeEach, expect, test } from "bun:test"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { residentOf } from "../../../test/resident-of.ts"
import { type DerivedFile, openSequentialDerived, publishDerived } from "./derived-files.ts"

const BYTES = new Uint8Array(4 << 20).map((_, at) => at % 251)

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "aman-walked-"))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const publish = (): Promise<DerivedFile> =>
  publishDerived(folder, "keyword-1.seg", (path) => writeFileSync(path, BYTES))

test("reads the same bytes after the pages were released", async () => {
  const { bytes, releasePages } = openSequentialDerived(folder, await publish())!
  expect(Bun.hash(bytes)).toBe(Bun.hash(BYTES))
  releasePages()
  expect(Bun.hash(bytes)).toBe(Bun.hash(BYTES))
  releasePages()
})

test("does not open a file that differs from its row", async () => {
  const row = await publish()
  writeFileSync(join(folder, row.name), BYTES.subarray(1))
  expect(openSequentialDerived(folder, row)).toBeNull()
})

test.skipIf(process.platform !== "linux")("released pages are no longer resident", async () => {
  const row = await publish()
  const { bytes, releasePages } = openSequentialDerived(folder, row)!
  expect(Bun.hash(bytes)).toBe(Bun.hash(BYTES))
  expect(residentOf(row.name)).toBeGreaterThan(BYTES.length / 2)
  releasePages()
  expect(residentOf(row.name)).toBe(0)
  expect(bytes[7]).toBe(7)
})
