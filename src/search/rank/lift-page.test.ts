import { expect, test } from "bun:test"
import { candidateOf, hitOf } from "../../../test/sketches.ts"
import { explainRank } from "./explain.ts"
import { FEATURE_NAMES } from "./feature-rows.ts"
import { bestPage, isPage, withLiftedPage } from "./lift-page.ts"
import { type RankedFile, weightsOf } from "./rank.ts"

function fileOf(path: string, sum: number, set: readonly string[] = []): RankedFile {
  const features = Float64Array.from(FEATURE_NAMES, (name) => (set.includes(name) ? 1 : 0))
  return { candidate: candidateOf(hitOf({ path })), features, sum }
}

const PENALTY = weightsOf("aman512")[FEATURE_NAMES.indexOf("docs")]!
const code = (sums: readonly number[]) => sums.map((sum, at) => fileOf(`src/${at + 1}.ts`, sum))
const lifted = (files: readonly RankedFile[], page: RankedFile | null) =>
  [...withLiftedPage(files, page && bestPage(page, "aman512"))].map(({ candidate }) => candidate.hit.path)

test("the best page becomes the fourth file if it is near the best without the weight of pages", () => {
  const page = fileOf("docs/guide.md", 8.1 + PENALTY, ["docs"])
  const [a, b, c, d, e] = code([10, 9, 9, 9, 9]) as RankedFile[]
  expect(lifted([a!, b!, c!, d!, e!, page], page)).toEqual([
    "src/1.ts",
    "src/2.ts",
    "src/3.ts",
    "docs/guide.md",
    "src/4.ts",
    "src/5.ts",
  ])
})

test("a page that moved up has about the sum of the file after it, and more than it, and its explanation says why", () => {
  const page = fileOf("docs/guide.md", 8.1 + PENALTY, ["docs"])
  const files = [...withLiftedPage([...code([10, 9, 9, 9]), page], bestPage(page, "aman512"))]
  const moved = files[3]!
  expect(moved.candidate.hit.path).toBe("docs/guide.md")
  expect(moved.sum).toBeCloseTo(9)
  expect(moved.sum).toBeGreaterThan(9)
  expect(explainRank(moved, "aman512", 0)).toContainEqual(
    expect.objectContaining({ name: "best page", contribution: moved.sum - page.sum }),
  )
  expect(explainRank(page, "aman512", 0).map(({ name }) => name)).not.toContain("best page")
})

test("a page that is further behind, or among the first four, stays at its place", () => {
  const far = fileOf("docs/guide.md", 7.9 + PENALTY, ["docs"])
  const files = [...code([10, 9, 9, 9, 9]), far]
  expect(lifted(files, far)).toEqual(files.map(({ candidate }) => candidate.hit.path))
  const page = fileOf("docs/guide.md", 9.5, ["docs"])
  const [a, ...others] = code([10, 9, 9, 9])
  expect(lifted([a!, page, ...others], page).indexOf("docs/guide.md")).toBe(1)
  const few = [...code([10, 9]), page]
  expect(lifted(few, page)).toEqual(["src/1.ts", "src/2.ts", "docs/guide.md"])
  expect(lifted(code([3, 2]), null)).toEqual(["src/1.ts", "src/2.ts"])
})

test("change logs, translations, tests and examples are no such page", () => {
  expect(isPage(fileOf("", 0, ["docs"]).features)).toBe(true)
  expect(isPage(fileOf("", 0).features)).toBe(false)
  for (const other of ["record", "translation", "test", "example"]) {
    expect(isPage(fileOf("", 0, ["docs", other]).features)).toBe(false)
  }
})
