import { afterEach, beforeEach, expect, test } from "bun:test"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { residentOf } from "../../test/resident-of.ts"
import { mapFile } from "./derived-files.ts"
import { giveBackPages } from "./give-back-pages.ts"

const BYTES = 4 << 20

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "aman-pages-"))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test.skipIf(process.platform !== "linux")("a derived file is no longer resident, and reads as before", () => {
  const bytes = new Uint8Array(BYTES).map((_, at) => at % 251)
  const path = join(folder, "vectors-1-1.vec")
  writeFileSync(path, bytes)
  const mapped = mapFile(path)!
  expect(Bun.hash(mapped)).toBe(Bun.hash(bytes))
  expect(residentOf(path)).toBeGreaterThan(BYTES / 2)
  giveBackPages()
  expect(residentOf(path)).toBe(0)
  expect(Bun.hash(mapped)).toBe(Bun.hash(bytes))
})

test.skipIf(process.platform !== "linux")("what was written to a file of another name stays", () => {
  const path = join(folder, "other.bin")
  writeFileSync(path, new Uint8Array(BYTES))
  const mapped = mapFile(path)!
  mapped.fill(7)
  giveBackPages()
  expect(mapped.every((byte) => byte === 7)).toBe(true)
})
