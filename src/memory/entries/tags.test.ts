import { expect, test } from "bun:test"
import fc from "fast-check"
import { normaliseTag, normaliseTags } from "./tags.ts"

test.each([
  ["Caches", "cache"],
  ["#Builds", "build"],
  ["  Code   Reviews ", "code-review"],
  ["api_keys", "api_key"],
  ["dependencies", "dependency"],
  ["branches", "branch"],
  ["boxes", "box"],
  ["classes", "class"],
  ["APIs", "api"],
  ["databases", "database"],
  ["Straße", "straße"],
  ["ﬁles", "file"],
  ["日本語", "日本語"],
  ["C++", "c++"],
  ["#", ""],
])("%p is %p", (tag, normal) => {
  expect(normaliseTag(tag)).toBe(normal)
})

test.each([
  "css",
  "aws",
  "redis",
  "nodejs",
  "https",
  "kubernetes",
  "postgres",
  "status",
  "news",
  "this",
  "tls",
  "v2",
  "windows",
])("%p is no plural", (tag) => expect(normaliseTag(tag)).toBe(tag))

test("normalised tags are sorted, without duplicates, and unchanged by normalising again", () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("Ones", "ones", "#one", " "))),
      (tags) => {
        const normal = normaliseTags(tags)
        expect(normaliseTags(normal)).toEqual(normal)
        expect([...new Set(normal)].sort()).toEqual(normal)
      },
    ),
  )
})
