import { afterEach, beforeEach, expect, test } from "bun:test"
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { residentOf } from "../../test/resident-of.ts"
import { mapFile } from "./derived/derived-files.ts"
import { elfSection, releasePages } from "./release-pages.ts"

const BYTES = 4 << 20

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "aman-pages-"))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test.skipIf(process.platform !== "linux")(
  "releases the pages of a derived file, which then reads as before",
  () => {
    const bytes = new Uint8Array(BYTES).map((_, at) => at % 251)
    const path = join(folder, "vectors-1-1.vec")
    writeFileSync(path, bytes)
    const mapped = mapFile(path)!
    expect(Bun.hash(mapped)).toBe(Bun.hash(bytes))
    expect(residentOf(path)).toBeGreaterThan(BYTES / 2)
    releasePages()
    expect(residentOf(path)).toBe(0)
    expect(Bun.hash(mapped)).toBe(Bun.hash(bytes))
  },
)

test.skipIf(process.platform !== "linux")("keeps written pages of a file with another name", () => {
  const path = join(folder, "other.bin")
  writeFileSync(path, new Uint8Array(BYTES))
  const mapped = mapFile(path)!
  mapped.fill(7)
  releasePages()
  expect(mapped.every((byte) => byte === 7)).toBe(true)
})

test.skipIf(process.platform !== "linux")("finds a section of a program inside its file", () => {
  const text = elfSection(process.execPath, ".text")!
  expect(text.size).toBeGreaterThan(1 << 20)
  expect(text.offset + text.size).toBeLessThan(statSync(process.execPath).size)
  expect(elfSection(process.execPath, ".nothing")).toBeNull()
})

test("returns null for a missing, truncated or foreign file", () => {
  const folder = mkdtempSync(join(tmpdir(), "aman-elf-"))
  try {
    const path = join(folder, "file")
    expect(elfSection(path, ".text")).toBeNull()
    for (const bytes of ["", "#!/bin/sh", Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1])]) {
      writeFileSync(path, bytes)
      expect(elfSection(path, ".text")).toBeNull()
    }
    const header = Buffer.alloc(64, 0xff)
    Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1]).copy(header)
    writeFileSync(path, header)
    expect(elfSection(path, ".text")).toBeNull()
  } finally {
    rmSync(folder, { recursive: true })
  }
})
