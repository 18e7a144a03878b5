import { afterEach, beforeEach, expect, test } from "bun:test"
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { requestReindex, takeReindexRequests } from "./index-folder.ts"

let folder: string
let file: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "aman-wanted-"))
  file = join(folder, "wanted")
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

const NOW = new Date(1_700_000_000_000)

test("returns null without a request, and each request once", () => {
  expect(takeReindexRequests(folder)).toBeNull()
  requestReindex(folder, NOW)
  expect(takeReindexRequests(folder)).toEqual([])
  requestReindex(folder, NOW, ["a.ts", "tab\t, line\nend.ts"])
  requestReindex(folder, NOW, ["ö.ts"])
  expect(takeReindexRequests(folder)).toEqual(["a.ts", "tab\t, line\nend.ts", "ö.ts"])
  expect(takeReindexRequests(folder)).toBeNull()
})

test("ignores a truncated or invalid line without losing others", () => {
  writeFileSync(file, '{"no":"path"}\n7\n"kept.ts"\n"cut')
  requestReindex(folder, NOW, ["after.ts"])
  expect(takeReindexRequests(folder)).toEqual(["kept.ts", "after.ts"])
})

test("does not write beyond the size limit, and removes a larger file unread", () => {
  for (let count = 0; count < 3; count++) requestReindex(folder, NOW, ["x".repeat(30_000)])
  expect(lstatSync(file).size).toBeLessThanOrEqual(64 << 10)
  expect(takeReindexRequests(folder)).toHaveLength(2)
  writeFileSync(file, `"a.ts"\n${"\n".repeat(64 << 10)}`)
  expect([takeReindexRequests(folder), existsSync(file)]).toEqual([[], false])
})

test.skipIf(process.platform === "win32").each<[string, (file: string, other: string) => void]>([
  ["a link", (path, other) => symlinkSync(other, path)],
  ["a second name of a file", (path, other) => linkSync(other, path)],
  ["a folder", (path) => mkdirSync(join(path, "inner"), { recursive: true })],
  ["a pipe", (path) => void Bun.spawnSync(["mkfifo", path])],
])("neither reads nor writes %s in place of the file, and removes it", (_, put) => {
  const other = join(folder, "other.txt")
  writeFileSync(other, '"theirs"\n')
  put(file, other)
  requestReindex(folder, NOW, ["a.ts"])
  expect(readFileSync(other, "utf8")).toBe('"theirs"\n')
  expect([takeReindexRequests(folder), existsSync(file)]).toEqual([[], false])
  expect(readFileSync(other, "utf8")).toBe('"theirs"\n')
})
