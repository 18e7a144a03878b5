import { expect, test } from "bun:test"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { openStore } from "./index/open.ts"
import { releaseCaches } from "./index/store.ts"

const ROWS = 1_000

test.skipIf(process.platform !== "linux")("reads pages from disk again after they were released", () => {
  const folder = mkdtempSync(join(tmpdir(), "aman-caches-"))
  try {
    const path = join(folder, "index.db")
    using writer = openStore(path)
    writer.transaction(() =>
      writer.skipped.add(
        Array.from({ length: ROWS }, (_, i) => ({
          path: `${"deep/".repeat(40)}${i}`,
          size: 1,
          mtimeMs: 1,
          reason: "binary",
        })),
      ),
    )
    openStore(path, { readonly: true }).close()
    using reader = openStore(path, { readonly: true, isMapped: false })
    const all = () => reader.skipped.all().length
    const [first, again] = [bytesReadBy(all), bytesReadBy(all)]
    releaseCaches()
    const after = bytesReadBy(all)
    expect(first).toBeGreaterThan(ROWS * 200)
    expect(again).toBeLessThan(first / 4)
    expect(after).toBeGreaterThan(ROWS * 200)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

function bytesReadBy(read: () => number): number {
  const before = bytesRead()
  expect(read()).toBe(ROWS)
  return bytesRead() - before
}

/** Bytes that this process has read, from files and the page cache; proc_pid_io(5). */
function bytesRead(): number {
  return Number(/^rchar: (\d+)/mu.exec(readFileSync("/proc/self/io", "utf8"))![1])
}
