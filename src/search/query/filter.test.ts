import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileRow, symbolRow } from "../../../test/sketches.ts"
import { openStore } from "../../store/index/open.ts"
import type { Store } from "../../store/index/store.ts"
import { createFilter, endsIn, type FilterRequest } from "./filter.ts"

const FILES = [
  fileRow(1, "src/app/main.go", { language: "go" }),
  fileRow(2, "src/app/main_test.go", { language: "go" }),
  fileRow(3, "src/apple.ts"),
  fileRow(4, "web/ui/button.tsx"),
  fileRow(5, "README.md", { language: "markdown", content: "docs" }),
  fileRow(6, ".github/settings.yml", { language: "yaml", content: "data" }),
]

let folder: string
let store: Store

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "aman-filter-"))
  store = openStore(join(folder, "index.db"))
  store.transaction(() => {
    store.files.add(FILES)
    store.symbols.add([
      symbolRow(1, "Run", { kind: "method", ordinal: 2 }),
      symbolRow(1, "Server", { kind: "struct", ordinal: 0 }),
      symbolRow(3, "Apple", { kind: "class", ordinal: 1 }),
    ])
  })
})
afterAll(() => {
  store.close()
  rmSync(folder, { recursive: true })
})

function accepted(request: Partial<FilterRequest>): number[] {
  const { accept } = createFilter(store, { content: "all", paths: [], languages: [], kinds: [], ...request })
  return FILES.filter(({ id, path }) => accept?.({ id, path }) ?? true).map((file) => file.id)
}

test("a request without filters keeps the keyword index's fast path", () => {
  const filter = createFilter(store, { content: "all", paths: [], languages: [], kinds: [] })
  expect(filter.accept).toBeUndefined()
  expect(filter.acceptPlace).toBeUndefined()
})

describe("paths:", () => {
  test.each<[string, string[], number[]]>([
    ["a folder is everything below it, by whole names", ["src/app"], [1, 2]],
    ["a slash at its end means the same", ["src/app/"], [1, 2]],
    ["so does ./ before it", ["./src/app"], [1, 2]],
    ["a file is itself", ["src/apple.ts"], [3]],
    ["the root is everything", ["."], [1, 2, 3, 4, 5, 6]],
    ["a glob of names holds in any folder", ["*_test.go"], [2]],
    ["a glob with folders holds from the root", ["src/*.ts"], [3]],
    ["two stars cross folders", ["**/*.ts*"], [3, 4]],
    ["braces name choices", ["*.{go,md}"], [1, 2, 5]],
    ["names that begin with a dot are names", ["*.yml"], [6]],
    ["any of several", ["web", "README.md"], [4, 5]],
    ["what is nowhere is nothing", ["sr"], []],
  ])("%s", (_, paths, expected) => expect(accepted({ paths })).toEqual(expected))
})

describe("languages and contents:", () => {
  test.each<[string, Partial<FilterRequest>, number[]]>([
    ["a language", { languages: ["go"] }, [1, 2]],
    ["in any case", { languages: ["Go"] }, [1, 2]],
    ["any of several", { languages: ["go", "markdown"] }, [1, 2, 5]],
    ["by an extension", { languages: ["md"] }, [5]],
    ["one that is not here", { languages: ["haskell"] }, []],
    ["code", { content: "code" }, [1, 2, 3, 4]],
    ["docs", { content: "docs" }, [5]],
    ["both must hold", { content: "code", languages: ["markdown"] }, []],
    ["with a path, too", { languages: ["go"], paths: ["*_test.go"] }, [2]],
  ])("%s", (_, request, expected) => expect(accepted(request)).toEqual(expected))
})

test("an unknown language is an error, not an empty answer", () => {
  expect(() => accepted({ languages: ["klingon"] })).toThrow('unknown language "klingon"')
})

test("a kind accepts the files that define a symbol of it, and of those the chunks that do", () => {
  expect(accepted({ kinds: ["method"] })).toEqual([1])
  expect(accepted({ kinds: ["method", "class"] })).toEqual([1, 3])
  expect(accepted({ kinds: ["macro"] })).toEqual([])
  expect(accepted({ kinds: ["class"], paths: ["web"] })).toEqual([])
  const filter = createFilter(store, { content: "all", paths: [], languages: [], kinds: ["method"] })
  const places = [filter.acceptPlace?.(1, 2), filter.acceptPlace?.(1, 0), filter.acceptPlace?.(3, 1)]
  expect(places).toEqual([true, false, false])
})

test.each([
  ["go", "a/b.go", true],
  [".GO", "a/b.go", true],
  ["*.go", "B.Go", true],
  ["d.ts", "x.d.ts", true],
  ["ts", "x.tsx", false],
  ["go", "go", false],
  ["go", "cargo", false],
])("%s and %s: %p", (extension, path, isMeant) => {
  expect(endsIn([extension])!(path)).toBe(isMeant)
  expect(endsIn(["zig", extension])!(path)).toBe(isMeant)
})

test("accepts every path when no extension is given", () => {
  expect(endsIn([])).toBeNull()
  expect(endsIn(["", " ", "."])).toBeNull()
})
