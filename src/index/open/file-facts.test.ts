import { expect, test } from "bun:test"
import { isCatalog, isTranslation, olderVersionPaths, variantGroups } from "./file-facts.ts"

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

test("files of other languages, folders or extensions are no group", () => {
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

test("catalogs of messages in several languages are a group, program code in such folders is not", () => {
  const catalogs = ["web/src/locales/en.json", "web/src/locales/pt-BR.json", "web/src/locales/cs.json"]
  expect(variantGroups(catalogs).get("web/src/locales/en.json")).toEqual(catalogs)
  expect(variantGroups(["lang/de/errors.php", "lang/en/errors.php"]).size).toBe(0)
  expect(variantGroups(["config/de.json", "config/en.json"]).size).toBe(0)
})

test.each([
  ["web/src/locales/en.json", true, false],
  ["lang/de/errors.php", true, true],
  ["app/assets/i18n/_missing_translations_az.json", true, true],
  ["res/values-fr/strings.xml", true, true],
  ["src/i18n/index.ts", false, false],
  ["src/lang/parser.ts", false, false],
  ["docs/ja/guide.md", false, true],
  ["docs/en/guide.md", false, false],
  ["README.en-GB.md", false, false],
  ["README_CN.md", false, true],
  ["src/de/impls.rs", false, false],
])("%s: catalog %p, translation %p", (path, catalog, translation) => {
  expect(isCatalog(path)).toBe(catalog)
  expect(isTranslation(path)).toBe(translation)
})

test("a version folder is older only beside a newer one", () => {
  const paths = [
    "src/v3/types.ts",
    "src/v4/core/types.ts",
    "src/v10/a.ts",
    "api/v1/users.go",
    "v2/a.ts",
    "lib/v9.ts",
  ]
  expect([...olderVersionPaths(paths)]).toEqual(["src/v3/types.ts", "src/v4/core/types.ts"])
  expect([...olderVersionPaths(["v3/a.ts", "V4/b.ts"])]).toEqual(["v3/a.ts"])
})
