import { expect, test } from "bun:test"
import { answerOf, candidateOf } from "../../test/sketches.ts"
import { parseQuery } from "./query/query.ts"
import { scaleOf } from "./query/query-scale.ts"
import type { FileCosines } from "./rank/features.ts"
import { meaningShares, similarityShares, variantGroups } from "./search.ts"

const NONE: FileCosines = { best: 0, topThree: 0, file: 0, names: 0, path: 0 }

function sumOf(shares: ReturnType<typeof meaningShares>): number {
  return shares.reduce((sum, { contribution }) => sum + contribution, 0)
}

test("a file that is about it comes before one with a single chunk a little nearer", () => {
  const about = candidateOf({}, {}, { cosine: { ...NONE, best: 0.5, topThree: 0.45, file: 0.4, path: 0.3 } })
  const chunk = candidateOf({}, {}, { cosine: { ...NONE, best: 0.55, topThree: 0.28, file: 0.2 } })
  expect(sumOf(meaningShares(about))).toBeGreaterThan(sumOf(meaningShares(chunk)))
})

test("a space beside the built-in one decides alone", () => {
  const shares = meaningShares(
    candidateOf({}, {}, { cosine: { ...NONE, best: 0.9 }, meaning: { cosine: 0.3, deviation: 2 } }),
  )
  expect(shares).toEqual([{ name: "cosine_best", value: 0.3, weight: 1, contribution: 0.3 }])
})

test("likeness is of chunks, by meaning and by words alike", () => {
  const scale = scaleOf(parseQuery("retry uploads"), { ...answerOf([1, 1]), maxChunk: 4 })
  const chunks = [{ ordinal: 0, startLine: 1, endLine: 2, score: 2, body: 0, doc: 0, names: 0 }]
  const candidate = candidateOf({ chunks }, {}, { cosine: { ...NONE, best: 0.5, path: 1 } })
  expect(sumOf(similarityShares(candidate, scale))).toBeCloseTo(1, 5)
})

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
