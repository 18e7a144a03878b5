import { expect, test } from "bun:test"
import { variantGroups } from "./variants.ts"

test("files of one module for several platforms are a group, in the order given", () => {
  const paths = [
    "ui/button.ios.tsx",
    "ui/list.tsx",
    "ui/button.tsx",
    "ui/button.native.tsx",
    "ui/list.test.tsx",
  ]
  const groups = variantGroups(paths)
  expect(groups.get("ui/button.tsx")).toEqual(["ui/button.ios.tsx", "ui/button.tsx", "ui/button.native.tsx"])
  expect([...groups.keys()].sort()).toEqual(["ui/button.ios.tsx", "ui/button.native.tsx", "ui/button.tsx"])
})

test("other languages, folders and extensions are apart", () => {
  const paths = ["a/x.web.ts", "b/x.ios.ts", "a/x.web.go", "a/x.go", "a/y.ios.ts", "a/y.js"]
  expect(variantGroups(paths).size).toBe(0)
})

test("translations of one page are a group", () => {
  const groups = variantGroups([
    "docs/en/guide/start.md",
    "docs/ja/guide/start.md",
    "docs/pt-br/guide/start.md",
    "docs/guide/start.md",
    "docs/en/guide/other.md",
    "README.zh-CN.md",
    "README_ja.md",
    "README.md",
  ])
  expect(groups.get("docs/guide/start.md")).toHaveLength(4)
  expect(groups.get("README.md")).toEqual(["README.zh-CN.md", "README_ja.md", "README.md"])
  expect(groups.has("docs/en/guide/other.md")).toBe(false)
})

test("folders named after programming languages, and code, are no translations", () => {
  const paths = [
    "docs/cs/start.md",
    "docs/go/start.md",
    "docs/ts/start.md",
    "locale/de/index.ts",
    "locale/en/index.ts",
  ]
  expect(variantGroups(paths).size).toBe(0)
})
