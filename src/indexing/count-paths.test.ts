import { afterEach, beforeEach, expect, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { openStore } from "../store/open.ts"
import type { Store } from "../store/store.ts"
import { termOf } from "../text/abbreviations.ts"
import { countPaths } from "./count-paths.ts"

let folder: string
let store: Store

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "aman-paths-"))
  store = openStore(join(folder, "index.db"))
})
afterEach(() => {
  store.close()
  rmSync(folder, { recursive: true })
})

const count = (word: string) => {
  const counted = store.pathWords.counts([termOf(word)]).get(termOf(word))
  return [counted?.paths ?? 0, counted?.stems ?? 0]
}

test("a word counts once a path, wherever and however often it stands there", () => {
  countPaths(store, ["user/user_store.ts", "user/index.ts", "web/UserPage.tsx"], 1)
  expect(count("user")).toEqual([3, 2])
  expect(count("store")).toEqual([1, 1])
  expect(count("index")).toEqual([1, 1])
  expect(count("web")).toEqual([1, 0])
  expect(count("tsx")).toEqual([0, 0])
})

test("paths that go take their words along, down to nothing", () => {
  countPaths(store, ["a/user.ts", "b/user.ts"], 1)
  countPaths(store, ["a/user.ts"], -1)
  expect(count("user")).toEqual([1, 1])
  countPaths(store, ["b/user.ts"], -1)
  expect(count("user")).toEqual([0, 0])
  expect(count("b")).toEqual([0, 0])
})

test("forms of a word are one word", () => {
  countPaths(store, ["config/load.ts", "configuration/loads.ts"], 1)
  expect(count("configuration")).toEqual([2, 0])
  expect(count("loading")).toEqual([2, 2])
})
