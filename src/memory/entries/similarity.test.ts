import { expect, test } from "bun:test"
import fc from "fast-check"
import { comparableText, nearDuplicate, similarityKeys } from "./entry-rows.ts"

const like = (a: string, b: string) => nearDuplicate(comparableText(a), comparableText(b))?.reason ?? null

test("texts with more than 70 % of their words in common are nearly the same", () => {
  const text = "the deploy script waits for the database before it starts the server"
  expect(like(text, text.replace("script", "program"))).toBe("words")
  expect(like(text, `not ${text}`)).toBe("words")
  expect(like(text, "the deploy script runs every night and mails its log to the team")).toBeNull()
})

test("vectors find near-duplicates that words miss: typos, order, spelling of a name", () => {
  expect(like("The build caches grammars in the dist", "The build caches grammers in the dist")).toBe(
    "vector",
  )
  expect(like("Use tabs, not spaces, in Makefiles", "In Makefiles use tabs, not spaces")).toBe("vector")
  expect(like("getUserById may throw", "get_user_by_id may throw")).toBe("vector")
})

test("the same statement about another thing or with another value is not a near-duplicate", () => {
  expect(like("Alice lives in Berlin", "Alice lives in Paris")).toBeNull()
  expect(like("Bob runs the billing service", "Carol runs the search service")).toBeNull()
  expect(like("The primary database is Postgres 15", "The primary database is MySQL 8")).toBeNull()
})

test("text in a script without spaces is compared by pairs of characters", () => {
  expect(
    like("データベースはポストグレスです、毎晩保存する", "データベースはポストグレスです、毎朝保存する"),
  ).toBe("words")
})

test("texts that are similar by words share a likeness key", () => {
  const word = fc.constantFrom(
    ..."alpha beta gamma delta epsilon zeta theta iota kappa lambda sigma omega".split(" "),
  )
  fc.assert(
    fc.property(fc.array(word, { maxLength: 14 }), fc.array(word, { maxLength: 14 }), (a, b) => {
      const [one, other] = [comparableText(a.join(" ")), comparableText(b.join(" "))]
      if (nearDuplicate(one, other)?.reason !== "words") return
      const keys = new Set(similarityKeys("p", "Topic", one))
      expect(similarityKeys("p", "topic", other).some((key) => keys.has(key))).toBe(true)
    }),
    { numRuns: 2000 },
  )
})
