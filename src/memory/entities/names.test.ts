import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { EntityNames, type GraphEntity } from "./entities.ts"
import { mayHold, nameMatcher, TextLinks } from "./names.ts"

function entity(name: string, project: string | null = null, aliases: readonly string[] = []): GraphEntity {
  const id = `${project}:${name}`
  return { id, ids: [id], project, name, type: "", description: "", aliases, metadata: {} }
}

function linksOf(names: EntityNames): TextLinks {
  const links = new TextLinks()
  links.setNames(names)
  return links
}

test("the names in a text follow changes of the names", () => {
  const links = linksOf(new EntityNames([entity("Redis")]))
  const text = "redis cluster and postgres"
  expect(links.inText(text, null)).toEqual(["redis"])
  links.setNames(
    new EntityNames([entity("Redis"), entity("Redis Cluster"), entity("PG", null, ["Postgres"])]),
  )
  expect(links.inText(text, null)).toEqual(["redis cluster", "postgres"])
  links.setNames(new EntityNames([entity("Redis")]))
  expect(links.inText(text, null)).toEqual(["redis"])
  expect(links.inText("nothing", null)).toEqual([])
})

test("a project's names are found in its texts only", () => {
  const links = linksOf(new EntityNames([entity("Gateway", "p")]))
  expect(["p", "q", null].map((project) => links.inText("the gateway", project).length)).toEqual([1, 0, 0])
})

test("where case counts, a new spelling of a name is another name", () => {
  const links = linksOf(new EntityNames([entity("Go")]))
  expect(links.inText("we Go and GO", null)).toEqual(["go"])
  links.setNames(new EntityNames([entity("gO")]))
  expect(links.inText("we Go and GO", null)).toEqual([])
  links.setNames(new EntityNames([entity("GO")]))
  expect(links.inText("we Go and GO", null)).toEqual(["go"])
  // A name that is removed and added again in another spelling.
  links.setNames(new EntityNames([entity("Go")]))
  links.setNames(new EntityNames([]))
  links.setNames(new EntityNames([entity("GO")]))
  expect(links.inText("we Go", null)).toEqual([])
})

const NAMES = ["Red", "red", "Red Fox", "RedFox", "Fox", "C", "c", "Fox Den", "山", "山田"]
const names = fc.array(fc.tuple(fc.constantFrom(...NAMES), fc.constantFrom(null, "p")), { maxLength: 6 })
const text = fc.array(fc.constantFrom("red", "Fox", "RedFox", "fox_den", "C", "den", "富士山田", "山", "-"), {
  maxLength: 6,
})

test("a change of names tells every text whose names it changes", () => {
  const texts = fc.array(text, { minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(
      fc.array(names, { maxLength: 6 }),
      texts,
      fc.constantFrom(" ", "-", ""),
      (steps, parts, joint) => {
        const links = linksOf(new EntityNames([]))
        const joined = parts.map((part) => part.join(joint))
        for (const step of steps) {
          const before = joined.map((text) => links.inText(text, "p"))
          const known = new EntityNames(step.map(([name, project]) => entity(name, project)))
          const change = links.setNames(known)
          for (const [i, text] of joined.entries()) {
            const now = links.inText(text, "p")
            expect(now).toEqual(linksOf(known).inText(text, "p"))
            const isTold =
              change !== null &&
              (before[i]!.some((key) => change.keys.has(key)) || mayHold(text, change.beginnings))
            if (!isTold) expect(now).toEqual(before[i]!)
          }
        }
      },
    ),
  )
})

function find(names: readonly string[], text: string): string[] {
  const matcher = nameMatcher()
  for (const [id, name] of names.entries()) matcher.add(id, name)
  return matcher.find(text, () => true).map((id) => names[id]!)
}

describe("a name is found", () => {
  test.each([
    ["as a whole word, in any case", "Postgres", "we moved to POSTGRES last week"],
    ["of several words over a line's end", "Payment Gateway", "the payment\n  gateway times out"],
    ["in code, its words run together", "User Service", "see `UserService.login()`"],
    ["in code, its words joined", "User Service", "user_service is slow"],
    ["joined by a dash", "user service", "the user-service restarts"],
    ["an identifier in prose", "UserService", "the user service restarts"],
    ["with a dash, in prose", "rate-limiter", "our rate limiter drops it"],
    ["with a dash, in code", "rate-limiter", "class RateLimiter"],
    ["before a dash", "Postgres", "a Postgres-based queue"],
    ["with marks", "C++", "written in C++, mostly"],
    ["with marks within", "node.js", "runs on Node.js."],
    ["that is a package", "@orama/orama", "we use @orama/orama for it"],
    ["that begins with a mark", ".NET", "on .NET 9"],
    ["possessive", "Alice", "Alice's machine"],
    ["of two letters, as it is written", "Go", "rewritten in Go."],
    ["of one letter, as it is written", "C", "the core is C."],
    ["a stop word, as it is written", "Handle", "the Handle server"],
    ["within a run of Chinese", "支付网关", "昨天支付网关超时了"],
    ["of one Chinese character that stands alone", "山", "the tool 山 is ours"],
    ["Thai within a sentence", "เซิร์ฟเวอร์", "รีสตาร์ทเซิร์ฟเวอร์แล้ว"],
    ["beyond the first plane", "𠮷野家", "昨日𠮷野家で"],
    ["decomposed", "Café Zürich", "at cafe\u0301 zu\u0308rich"],
    ["full-width", "ABC", "die ＡＢＣ"],
    ["Greek in capitals", "Οδυσσεύς", "ΟΔΥΣΣΕΎΣ"],
    ["Cyrillic", "Платёжный шлюз", "наш платёжный шлюз упал"],
  ])("%s", (_, name, text) => {
    expect(find([name], text)).toEqual([name])
  })
})

describe("a name is not found", () => {
  test.each([
    ["inside another word", "Auth", "the author"],
    ["inside an identifier", "User", "UserService and user_id"],
    ["over a mark", "user service", "user, service"],
    ["of two letters in another case", "Go", "go to the settings"],
    ["a stop word in another case", "Handle", "we handle it"],
    ["of one letter in another name", "C", "C++, C#, C-level and c.f."],
    ["of one letter as an option", "C", "run git -C folder"],
    ["of one letter in a path", "C", "C:/Windows"],
    ["of a method in prose", "getUser", "to get user data"],
    ["with marks where they stand apart", "C#", "plan C #5"],
    ["that begins with a mark, in another name", ".NET", "ASP.NET"],
    ["of one Chinese character in another word", "山", "富士山"],
    ["without a letter's mark", "Thaï", "thai"],
  ])("%s", (_, name, text) => {
    expect(find([name], text)).toEqual([])
  })
})

test("of names that begin at the same place the longest counts, and no name inside it", () => {
  expect(find(["Redis", "Redis Cluster", "Cluster"], "a redis cluster; later Redis alone")).toEqual([
    "Redis Cluster",
    "Redis",
  ])
})

test("a name that is not visible does not hide a shorter one", () => {
  const matcher = nameMatcher()
  matcher.add(0, "Redis")
  matcher.add(1, "Redis Cluster")
  expect(matcher.find("redis cluster", (id) => id !== 1)).toEqual([0])
})

test("a name as written comes before another name's alternative spelling", () => {
  expect(find(["Data Base", "Database"], "the database")).toEqual(["Database"])
  expect(find(["Data Base", "Database"], "the data base")).toEqual(["Data Base"])
})

test("names without a letter cause no error", () => {
  expect(find(["", "  ", "---", "_", "🚀", "?!"], "--- _ 🚀 ?!")).toEqual(["---", "_", "🚀", "?!"])
})

test("any name is found between spaces, in any case unless it is short", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 12 }), (name) => {
      const letters = name.normalize("NFKC").match(/\p{L}/gu)?.length ?? 0
      if (letters === 0) return
      expect(find([name], `so ${name} it`)).toEqual([name])
    }),
  )
})

test("any text is read to its end", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 40 }), fc.string({ unit: "binary" }), (name, text) => {
      expect(find([name], text).length).toBeLessThanOrEqual(1)
    }),
  )
})
