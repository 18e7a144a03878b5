import { afterEach, beforeEach, expect, test } from "bun:test"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
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

/** In bytes; proc_pid_smaps(5). */
function residentOf(path: string): number {
  const mappings = readFileSync("/proc/self/smaps", "utf8").split(/^(?=[\da-f]+-[\da-f]+ )/m)
  return mappings
    .filter((each) => each.split("\n")[0]!.endsWith(path))
    .reduce((sum, each) => sum + Number(/^Rss:\s+(\d+)/m.exec(each)![1]) * 1024, 0)
}
