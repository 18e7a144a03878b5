import { afterAll, expect, test } from "bun:test"
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { chooseIndexDir } from "./index-dir.ts"
import { loadConfig } from "./load.ts"

const folder = realpathSync(mkdtempSync(join(tmpdir(), "aman-config-")))
afterAll(() => rmSync(folder, { recursive: true }))

function root(name: string): string {
  const path = join(folder, name)
  mkdirSync(path)
  return path
}

test("defaults, with the index in the project", () => {
  const at = root("plain")
  const config = loadConfig(at, {}, {})
  expect(config).toMatchObject({
    maxFileBytes: 1_048_576,
    chunkTokens: 1500,
    mergeTokens: 500,
    quantization: "f16",
  })
  expect(config.indexDir).toBe(join(at, ".aman"))
  expect(config.workers).toBeGreaterThanOrEqual(1)
  expect(config.memoryLimitBytes).toBeLessThanOrEqual(16 * 1024 ** 3)
  expect(Object.isFrozen(config)).toBe(true)
})

test("flags beat the environment, the environment beats the defaults, an empty variable is none", () => {
  const env = {
    AMAN_WORKERS: "3",
    AMAN_QUANTIZATION: "i8",
    AMAN_MEMORY_LIMIT: "512MB",
    AMAN_CHUNK_TOKENS: "",
  }
  expect(loadConfig(folder, { workers: 5 }, env)).toMatchObject({
    workers: 5,
    quantization: "i8",
    memoryLimitBytes: 512_000_000,
    chunkTokens: 1500,
  })
})

test.each([
  [{ AMAN_WORKERS: "x" }, 'AMAN_WORKERS must be a whole number from 1 to 64, not "x"'],
  [{ AMAN_WORKERS: "0" }, 'AMAN_WORKERS must be a whole number from 1 to 64, not "0"'],
  [{ AMAN_QUANTIZATION: "f8" }, 'AMAN_QUANTIZATION must be one of f32, f16, i8, not "f8"'],
  [{ AMAN_MEMORY_LIMIT: "1KB" }, 'AMAN_MEMORY_LIMIT must be a size from 16 MiB to 1 TiB, not "1KB"'],
  [{ AMAN_MEMORY_LIMIT: "much" }, 'AMAN_MEMORY_LIMIT is not a size: "much"'],
  [{ AMAN_MERGE_TOKENS: "2000" }, "chunks cannot be merged up to 2000 tokens and split above 1500"],
])("a wrong value is refused by name: %p", (env, message) => {
  expect(() => loadConfig(folder, {}, env)).toThrow(message)
})

test("a flag's error names the flag", () => {
  expect(() => loadConfig(folder, { maxFileBytes: 0 }, {})).toThrow(
    "--max-file-size must be a size from 1 bytes",
  )
})

// Nothing is forbidden to the superuser, and Windows has other permissions.
test.skipIf(process.platform === "win32" || process.getuid?.() === 0)(
  "a read-only root is indexed elsewhere",
  () => {
    const at = root("readonly")
    chmodSync(at, 0o555)
    expect(chooseIndexDir(at, "/data")).toMatch(/^\/data\/indexes\/readonly-[0-9a-f]{16}$/)
    chmodSync(at, 0o755)
  },
)

test("an .aman that is a link or a file is not used", () => {
  const linked = root("linked")
  symlinkSync(folder, join(linked, ".aman"))
  const blocked = root("blocked")
  writeFileSync(join(blocked, ".aman"), "")
  expect(chooseIndexDir(linked, folder)).toStartWith(join(folder, "indexes", "linked-"))
  expect(chooseIndexDir(blocked, folder)).toStartWith(join(folder, "indexes", "blocked-"))
})
