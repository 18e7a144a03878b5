import { expect, test } from "bun:test"
import fc from "fast-check"
import type { Flag } from "./command.ts"
import { parseFlags } from "./flags.ts"

const FLAGS: readonly Flag[] = [
  { name: "limit", short: "n", value: "N", help: "" },
  { name: "lang", value: "LANGUAGE", multiple: true, help: "" },
  { name: "memory-limit", value: "SIZE", help: "" },
  { name: "json", help: "" },
  { name: "quiet", short: "q", help: "" },
]
const parse = (...argv: string[]) => parseFlags(argv, FLAGS)

test("accepts flags and words in any order; everything after -- is a word", () => {
  const { words, flags } = parse("where", "--json", "is", "-n", "3", "--", "--lang", "-n")
  expect(words).toEqual(["where", "is", "--lang", "-n"])
  expect(flags.has("json")).toBe(true)
  expect(flags.text("limit")).toBe("3")
  expect(flags.has("lang")).toBe(false)
})

test("accepts a value joined to its flag and keeps its text", () => {
  expect(parse("--limit=007").flags.text("limit")).toBe("007")
  expect(parse("-n5").flags.text("limit")).toBe("5")
  expect(parse("404", "--json", "1e3").words).toEqual(["404", "1e3"])
})

test("keeps every value of a repeated flag", () => {
  expect(parse("--lang", "go", "--lang=c").flags.all("lang")).toEqual(["go", "c"])
})

test("refuses to choose between two values, whichever name of the flag was used", () => {
  const twice = '--limit takes one value, but got "3" and "4"'
  expect(() => parse("-n", "3", "--limit", "4").flags.text("limit")).toThrow(twice)
  expect(() => parse("--limit=3", "-n4").flags.text("limit")).toThrow(twice)
})

test("accepts a flag name of two words, and combined short flags", () => {
  expect(parse("--memory-limit", "2GB").flags.text("memory-limit")).toBe("2GB")
  const { flags } = parse("-qn5")
  expect([flags.has("quiet"), flags.text("limit")]).toEqual([true, "5"])
})

test("treats - as a word", () => {
  expect(parse("-", "a").words).toEqual(["-", "a"])
})

test.each(["007", "404", "0x1F", "1e3", "=", "==", "", " ", "true", "false", "é", "__proto__", "a=b", "{}"])(
  "%p stays what was typed, as a word, as a value and after --",
  (text) => {
    expect(parse("--json", text, "-q").words).toEqual([text])
    expect(parse("--json", "--", text).words).toEqual([text])
    if (text === "") return
    expect(parse("--lang", text).flags.all("lang")).toEqual([text])
    expect(parse(`--lang=${text}`, "a").flags.all("lang")).toEqual([text])
  },
)

test("requires a value that begins with a dash to be joined to its flag", () => {
  expect(parse("--lang=-x", "--lang=--json", "--lang=--").flags.all("lang")).toEqual(["-x", "--json", "--"])
  expect(parse("--lang=--json").flags.has("json")).toBe(false)
})

test("accepts a negative number as the value of a flag", () => {
  expect(parse("--limit", "-5", "-n", "-6", "-qn", "-7").flags.all("limit")).toEqual(["-5", "-6", "-7"])
  expect(() => parse("-5")).toThrow("unknown flag -5")
  expect(() => parse("--limit=3", "-5")).toThrow("unknown flag -5")
})

test("returns any words and values unchanged", () => {
  const word = fc.string({ unit: "grapheme" }).filter((text) => !text.startsWith("-"))
  const value = fc.string({ minLength: 1, unit: "grapheme" })
  fc.assert(
    fc.property(fc.array(word), fc.array(value), fc.array(fc.string()), (words, values, rest) => {
      const parsed = parse("--json", ...words, ...values.map((text) => `--lang=${text}`), "--", ...rest)
      expect(parsed.words).toEqual([...words, ...rest])
      expect(parsed.flags.all("lang")).toEqual(values)
      expect(parsed.flags.has("json")).toBe(true)
    }),
  )
})

test.each([
  [["--limt", "3"], "did you mean --limit?"],
  [["--frobnicate"], "see --help; put -- before words that start with a dash"],
  [["-x"], "see --help; put -- before words that start with a dash"],
  [["--limit"], "write: --limit N"],
  [["--limit="], "write: --limit N"],
  [["--limit", "--json"], "write: --limit N"],
  [["--limit", "-x5"], "write: --limit N"],
  [["-n"], "write: --limit N"],
  [["--no-json"], "see --help; put -- before words that start with a dash"],
  [["--memoryLimit", "2GB"], "did you mean --memory-limit?"],
  [["---json"], "did you mean --json?"],
  [["-json"], "did you mean --json?"],
  [["--json is wrong"], 'put -- before it: -- "--json is wrong"'],
  [["--limt 3"], 'put -- before it: -- "--limt 3"'],
  [["-q fails"], 'put -- before it: -- "-q fails"'],
  [["-x fails"], 'put -- before it: -- "-x fails"'],
  [["--a.b", "--a=1", "--__proto__"], "see --help; put -- before words that start with a dash"],
])("%p is refused with a hint", (argv, hint) => {
  expect(() => parse(...argv)).toThrow(expect.objectContaining({ code: "USAGE", hint }))
})

test("rejects a value for a flag that takes none", () => {
  expect(() => parse("--json=yes")).toThrow('--json takes no value, but got "yes"')
  expect(() => parse("-q=yes")).toThrow('-q takes no value, but got "yes"')
})
