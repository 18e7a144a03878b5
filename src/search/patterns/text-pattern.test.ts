import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { type LineOptions, matchingLines, type PatternOptions, textPattern } from "./text-pattern.ts"

const pattern = (text: string, options: Partial<PatternOptions> = {}) =>
  textPattern({ pattern: text, mode: "regex", ignoreCase: false, wholeWord: false, ...options })

async function found(text: string, line: string, options: Partial<PatternOptions> = {}): Promise<string[]> {
  const compiled = await pattern(text, options)
  const spans = compiled.spans(line).map(([start, end]) => line.slice(start, end))
  expect(compiled.matches(line)).toBe(spans.length > 0)
  expect(compiled.mayMatch(`before\n${line}\nafter`)).toBe(spans.length > 0)
  return spans
}

describe("a regular expression", () => {
  test.each<[string, string, string[]]>([
    ["fo+|ba.", "foo bar fooo", ["foo", "bar", "fooo"]],
    ["^\\s*def (\\w+)", "  def größe():", ["  def größe"]],
    ["\\w+", "naïve café_1 名前", ["naïve", "café_1", "名前"]],
    ["[\\w-]+", "naïve-café", ["naïve-café"]],
    ["\\d+", "x ١٢ 34", ["١٢", "34"]],
    ["[[:upper:]]{2}\\d", "AB1", ["AB1"]],
    ["\\W+", "größe, ok", [", "]],
    ["caf\\u00e9\\u{301}?", "café", ["café"]],
    ["\\Q\\w.\\E", "a \\w. b", ["\\w."]],
    ["[]\\d]+", "]1", ["]1"]],
    ["\\\\w", "a\\w", ["\\w"]],
    ["(?i)ABC", "xabc", ["abc"]],
    ["\\bcafé\\b", "café caféx écafé (café)", ["café", "café"]],
    ["\\bn\\w+\\b", "naïve énaïve x", ["naïve"]],
    ["\\b(foo|größe)\\b", "foo größe foo éfoo", ["foo", "größe", "foo"]],
    ["x\\d\\b", "x1 x1é", ["x1", "x1"]],
    ["\\b-\\b", "a-b é-b", ["-"]],
    ["\\bx?-", "a- -", ["-"]],
  ])("%s in %j", async (text, line, spans) => expect(await found(text, line)).toEqual(spans))

  test("ignores case in any script if `ignoreCase` is set", async () => {
    expect(await found("größe|ΣΟΦ.", "GRÖSSE GRÖẞE σοφός", { ignoreCase: true })).toEqual(["GRÖẞE", "σοφό"])
  })

  test("as a whole word has no letter of any script beside it", async () => {
    expect(await found("fo+", "foo éfoo fooé foo_ (foo)foo.foo", { wholeWord: true })).toEqual(
      Array(4).fill("foo"),
    )
    expect(await found("foo|foobar", "foobar", { wholeWord: true })).toEqual(["foobar"])
  })
})

describe("exact text", () => {
  test.each<[string, string, string[]]>([
    ["a.b(", "aXb( a.b(", ["a.b("]],
    ["[^$]\\d{2}|/-", "x[^$]\\d{2}|/-", ["[^$]\\d{2}|/-"]],
    ["𝒳", "a𝒳b", ["𝒳"]],
  ])("%s in %j", async (text, line, spans) =>
    expect(await found(text, line, { mode: "exact" })).toEqual(spans),
  )
  test("without case, as a whole word", async () => {
    const options = { mode: "exact", ignoreCase: true, wholeWord: true } as const
    expect(await found("Maß", "MAẞ maße", options)).toEqual(["MAẞ"])
  })
  test("any text is found in itself", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "grapheme", minLength: 1 }), async (text) => {
        fc.pre(!text.includes("\n"))
        expect((await pattern(text, { mode: "exact" })).spans(`<${text}>`)).toContainEqual([
          1,
          text.length + 1,
        ])
      }),
    )
  })
})

describe("the error for an invalid pattern names the place and a remedy", () => {
  test.each([
    ["a(b", "missing closing ) at character 2", "-F"],
    ["[(]\\((b", "missing closing ) at character 6", "-F"],
    ["a)b", "unexpected ) at character 2", "-F"],
    ["ab*+?", "invalid nested repetition operator at character 3: *+?", "-F"],
    ["x[z-a]", "invalid character class range at character 3: z-a", "-F"],
    ["ab\\", "trailing backslash at end of expression at character 3", "-F"],
    ["foo(?=a)", "at character 4: (?=", "lookahead and lookbehind are not supported"],
    ["(a)\\1", "at character 4: \\1", "backreferences are not supported"],
    ["a{1001}", "invalid repeat count at character 2: {1001}", "-F"],
    ["a\\nb", "the pattern contains a line break", "context"],
    ["x".repeat(20_001), "longer than 20000 characters", "shorter part"],
    ["(a|é){1000}(\\pL\\pN?){1000}(abcdefghijklmnopqrstuvwxyz){1000}", "too large", "shorter part"],
  ])("%.40s", async (text, message, hint) => {
    await expect(pattern(text)).rejects.toMatchObject({
      code: "USAGE",
      message: expect.stringContaining(message),
      hint: expect.stringContaining(hint),
    })
  })
  test("a line break in brackets is allowed as one of many characters", async () => {
    expect(await found("a[^\\n]b", "a b")).toEqual(["a b"])
  })
})

// Patterns and texts for which a backtracking engine takes years, or gives up and reports no match.
describe("takes linear time for", () => {
  const hard = `${"a".repeat(20_000)}!`
  test.each([
    "(a+)+$",
    "(a|aa)+$",
    "(.*a){20}$",
    "(a?){200}a{200}$",
    "^(([a-z])+.)+[A-Z]$",
    "(\\w{1,50}){1,20}\\d",
  ])("%s", async (text) => {
    const compiled = await pattern(text)
    expect(compiled.matches(hard)).toBe(false)
    expect(compiled.matches(`${hard}${hard.slice(0, -1)}`)).toBe(!/\[A-Z\]|\\d/.test(text))
  })
})

test("random patterns give spans in order, or USAGE", async () => {
  const pieces = fc.constantFrom(
    ..."( ) [ ] { } * + ? | ^ $ . - , 1 99 a é \\ \\w \\d \\s \\b \\pL \\Q \\E (?: (?i) [^ [: :] {2,} \0 ".split(
      " ",
    ),
  )
  const wild = fc.oneof(
    fc.array(pieces, { maxLength: 12 }).map((list) => list.join("")),
    fc.string(),
  )
  const line = "aé 19 (a)[b]{c} \\w -a,a"
  let compiled = 0
  await fc.assert(
    fc.asyncProperty(wild, fc.boolean(), fc.boolean(), async (text, ignoreCase, wholeWord) => {
      const ready = await pattern(text, { ignoreCase, wholeWord }).catch(
        (error: { code: string }) => error.code,
      )
      if (typeof ready === "string") return expect(ready).toBe("USAGE")
      compiled++
      let last = 0
      for (const [start, end] of ready.spans(line)) {
        expect(start >= last && end > start && end <= line.length).toBe(true)
        last = end
      }
      if (last > 0) expect(ready.mayMatch(`x\n${line}\nx`)).toBe(true)
    }),
    { numRuns: Number(process.env["AMAN_TEST_RUNS"] ?? 2000), seed: 4 },
  )
  expect(compiled).toBeGreaterThan(50)
}, 60_000)

const OPTIONS: LineOptions = {
  invert: false,
  maxCount: 1000,
  before: 0,
  after: 0,
  withSpans: false,
  isOver: () => false,
}
const exact = (pattern: string) =>
  textPattern({ pattern, mode: "exact", ignoreCase: false, wholeWord: false })

async function numbers(text: string, pattern: string, options: Partial<LineOptions> = {}): Promise<string> {
  const found = matchingLines(text, await exact(pattern), { ...OPTIONS, ...options })
  return found
    .lines()
    .map(({ line, match }) => (match ? `${line}` : `(${line})`))
    .join(" ")
}

const TEXT = "x\na\nx\nx\na\nx\na\nx\nx\nx"

test("returns matches with their context, and no line twice", async () => {
  expect(await numbers(TEXT, "a")).toBe("2 5 7")
  expect(await numbers(TEXT, "a", { before: 1 })).toBe("(1) 2 (4) 5 (6) 7")
  expect(await numbers(TEXT, "a", { after: 2 })).toBe("2 (3) (4) 5 (6) 7 (8) (9)")
  expect(await numbers(TEXT, "a", { before: 9, after: 9 })).toBe("(1) 2 (3) (4) 5 (6) 7 (8) (9) (10)")
  expect(await numbers(TEXT, "a", { maxCount: 1, after: 1 })).toBe("2 (3)")
  expect(await numbers(TEXT, "a", { invert: true })).toBe("1 3 4 6 8 9 10")
})

test("the last line counts with and without a line end, and no empty line follows it", async () => {
  expect(await numbers("a\na", "a")).toBe("1 2")
  expect(await numbers("a\na\n", "a")).toBe("1 2")
  expect(await numbers("a\n\n", "", {})).toBe("1 2")
  expect(await numbers("", "")).toBe("")
})

test("lines that would take too long are counted and not searched", async () => {
  const pattern = await textPattern({
    pattern: "x|a{1000}b{1000}",
    mode: "regex",
    ignoreCase: false,
    wholeWord: false,
  })
  const text = `x\n${"a".repeat(pattern.longestLine + 1)}\nx`
  expect(matchingLines(text, pattern, OPTIONS)).toMatchObject({ count: 2, tooLong: 1, isWhole: true })
})

test("returns the lines found so far when time is up", async () => {
  const text = "a\n".repeat(100_000)
  let looks = 0
  const found = matchingLines(text, await exact("a"), {
    ...OPTIONS,
    maxCount: 1e6,
    isOver: () => ++looks > 200,
  })
  expect(found.isWhole).toBe(false)
  expect(found.count).toBeGreaterThan(1000)
  expect(found.count).toBeLessThan(100_000)
})

test("finds the same lines as line by line, wherever the blocks end", async () => {
  const line = fc.oneof(
    fc.constantFrom("needle", "a needle b", ""),
    fc.string(),
    fc.constant("x".repeat(9000)),
  )
  const pattern = await exact("needle")
  fc.assert(
    fc.property(
      fc.array(
        line.map((each) => each.replaceAll("\n", "")),
        { maxLength: 40 },
      ),
      (lines) => {
        const found = matchingLines(`${lines.join("\n")}\n`, pattern, OPTIONS).lines()
        const expected = lines.flatMap((text, at) =>
          text.includes("needle") ? [{ line: at + 1, text, match: true }] : [],
        )
        expect(found).toEqual(expected)
      },
    ),
  )
})
