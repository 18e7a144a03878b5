import { afterAll, expect, test } from "bun:test"
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { editSettings } from "./edit-settings.ts"

const box = mkdtempSync(join(tmpdir(), "aman-edit-"))
afterAll(() => rmSync(box, { recursive: true }))

function edit(text: string | null, key: string, ...words: string[]): string {
  const path = join(mkdtempSync(join(box, "x-")), "config.yaml")
  if (text !== null) writeFileSync(path, text)
  editSettings({ path, by: "user" }, key, words)
  return readFileSync(path, "utf8")
}

test.each([
  [null, "search.limit", ["3"], "search:\n  limit: 3\n"],
  ["", "search.limit", ["5"], "search:\n  limit: 5\n"],
  ["# all\n", "hooks.enabled", ["no"], "# all\n\nhooks:\n  enabled: false\n"],
  ["search:\n", "search.limit", ["3"], "search:\n  limit: 3\n"],
  ["search.limit: 1\n", "search.limit", ["3"], "search.limit: 3\n"],
  ["search: {limit: 1}\n", "search.limit", ["3"], "search: { limit: 3 }\n"],
  [
    "index:\n  # why\n  max_files: 1 # few\n",
    "index.max_files",
    ["2"],
    "index:\n  # why\n  max_files: 2 # few\n",
  ],
  [
    "index:\n  max_files: 1\n",
    "index.max_file_size",
    ["2 MB"],
    "index:\n  max_files: 1\n  max_file_size: 2 MB\n",
  ],
  ["paths:\n  exclude: [a]\n", "paths.exclude", ["b", "#c"], 'paths:\n  exclude:\n    - b\n    - "#c"\n'],
])("%p with %s %p", (before, key, words, after) => {
  expect(edit(before, key, ...words)).toBe(after)
})

test.skipIf(process.platform === "win32")("keeps a private file private", () => {
  const path = join(box, "private.yaml")
  writeFileSync(path, "# keys\n", { mode: 0o600 })
  editSettings({ path, by: "user" }, "search.limit", ["3"])
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test("changes nothing for a wrong value or a file that is not YAML", () => {
  const path = join(box, "broken.yaml")
  writeFileSync(path, "search: [\n")
  expect(() => editSettings({ path, by: "user" }, "search.limit", ["3"])).toThrow("not YAML")
  expect(() => editSettings({ path, by: "user" }, "search.limit", ["none"])).toThrow("whole number")
  expect(readFileSync(path, "utf8")).toBe("search: [\n")
})

test("writes through a link of the user, but not of a project", () => {
  const real = join(box, "real.yaml")
  const link = join(box, "link.yaml")
  writeFileSync(real, "")
  symlinkSync(real, link)
  editSettings({ path: link, by: "user" }, "search.limit", ["3"])
  expect(readFileSync(real, "utf8")).toBe("search:\n  limit: 3\n")
  expect(() => editSettings({ path: link, by: "project" }, "search.limit", ["4"])).toThrow("not a plain file")
  expect(() => editSettings({ path: join(box, "real.yaml/x"), by: "user" }, "search.limit", ["4"])).toThrow()
  expect(existsSync(real)).toBe(true)
  expect(readdirSync(box).filter((name) => name.endsWith(".tmp"))).toEqual([])
})
