import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { classify, type QueryClass } from "./classify.ts"

/** Class, weights of the keyword and the vector channel, and queries of that class. */
const TABLE: readonly (readonly [QueryClass, number, number, readonly string[]])[] = [
  ["error_code", 0.8, 0.2, ["ERR_CONNECTION_REFUSED", "E0001", "E0502", "E_NOENT", "CVE2024", "TS-2345"]],
  ["error_code", 0.8, 0.2, ["ERR_ABORTED axios", "fix E0502"]],
  ["identifier", 0.7, 0.3, ["useEffect", "user_service", "MAX_SIZE", "HTTPServer", "UserService"]],
  ["identifier", 0.7, 0.3, ["std::vector", "User.greet", "self->next", "App\\Models\\User", "v2API"]],
  ["identifier", 0.7, 0.3, ["parseQuery queryTerms", "greet", "Greet", "foo()", "getUser,"]],
  ["natural", 0.25, 0.75, ["how are passwords stored", "Where is the retry logic?", "web socket upgrade"]],
  ["mixed", 0.5, 0.5, ["where is parse_query called", "HTTPServer shutdown", "why ERR_ABORTED is thrown"]],
  ["quoted", 0.9, 0.1, ['"connection refused"', "'connection refused'", "`x = 1`", '  "useEffect"  ']],
]

describe("the weights of each query class", () => {
  const rows = TABLE.flatMap(([kind, keyword, vector, queries]) =>
    queries.map((query) => [query, kind, keyword, vector] as const),
  )
  test.each(rows)("%s is %s", (query, kind, keywordWeight, vectorWeight) => {
    expect(classify(query)).toMatchObject({ class: kind, keywordWeight, vectorWeight })
  })
})

test("a worked example: useEffect cleanup function", () => {
  expect(classify("useEffect cleanup function")).toEqual({
    class: "mixed",
    keywordWeight: 0.5,
    vectorWeight: 0.5,
    boostTerms: ["useEffect"],
  })
})

test("only a mixed query has terms to boost, in the order they were typed", () => {
  expect(classify("does UserService call load_user here").boostTerms).toEqual(["UserService", "load_user"])
  for (const query of ["useEffect", "ERR_ABORTED", '"useEffect cleanup"', "clean up effects"])
    expect(classify(query).boostTerms).toEqual([])
})

test("quotation marks count only around the whole query", () => {
  for (const query of ['"', '""', 'say "hello" twice', '"a" or "b"', "it's"])
    expect(classify(query).class).not.toBe("quoted")
})

test("an empty query has a class", () => {
  for (const query of ["", "  \n\t"]) expect(classify(query).class).toBe("identifier")
})

test("any text has a class, weights that add up to 1, and boosted terms that it contains", () => {
  const query = fc.oneof(
    fc.string({ unit: "binary", maxLength: 60 }),
    fc.string({ unit: "grapheme", maxLength: 60 }),
    fc
      .array(fc.constantFrom("useEffect", "E0001", "ERR_X", '"', "'", " ", "\n", "how", "a::b", "?", "😀"), {
        maxLength: 12,
      })
      .map((parts) => parts.join("")),
  )
  fc.assert(
    fc.property(query, (text) => {
      const { keywordWeight, vectorWeight, boostTerms } = classify(text)
      expect(keywordWeight + vectorWeight).toBeCloseTo(1, 9)
      expect(Math.min(keywordWeight, vectorWeight)).toBeGreaterThan(0)
      for (const term of boostTerms) expect(text).toContain(term)
    }),
    { numRuns: 1000 },
  )
})
