import { expect, test } from "bun:test"
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { elfSection } from "./elf-section.ts"

test.skipIf(process.platform !== "linux")("a section of a program lies inside its file", () => {
  const text = elfSection(process.execPath, ".text")!
  expect(text.size).toBeGreaterThan(1 << 20)
  expect(text.offset + text.size).toBeLessThan(statSync(process.execPath).size)
  expect(elfSection(process.execPath, ".nothing")).toBeNull()
})

test("what is no program, is cut short or is not there has no sections", () => {
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
