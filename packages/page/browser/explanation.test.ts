import { expect, test } from "bun:test"
import { FEATURE_NAMES } from "../../../src/search/rank/features.ts"
import { reasonOf } from "./explanation.ts"

test("has a reason in a user's words for every feature", () => {
  const others = ["folder", "verbatim", "meaning", "meant", "best page"]
  const unnamed = [...FEATURE_NAMES, ...others].filter(
    (each) => reasonOf(each) === each.replace(/^.*:/, "").replaceAll("_", " "),
  )
  expect(unnamed).toEqual([])
})
