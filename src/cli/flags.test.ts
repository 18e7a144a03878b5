import { expect, test } from "bun:test"
import type { Flag } from "./command.ts"
import { parseFlags } from "./flags.ts"

const FLAGS: readonly Flag[] = [
  { name: "limit", short: "n", value: "N", help: "" },
  { name: "lang", value: "LANGUAGE", multiple: true, help: "" },
  { name: "json", help: "" },
]
const parse = (...argv: string[]) => parseFlags(argv, FLAGS)

test("flags and words in any order; all after -- are words", () => {
  const { words, flags } = parse("where", "--json", "is", "-n", "3", "--", "--lang", "-n")
  expect(words).toEqual(["where", "is", "--lang", "-n"])
  expect(flags.has("json")).toBe(true)
  expect(flags.text("limit")).toBe("3")
  expect(flags.has("lang")).toBe(false)
})

test("a value may be joined to its flag, and stays the text that was typed", () => {
  expect(parse("--limit=007").flags.text("limit")).toBe("007")
  expect(parse("-n5").flags.text("limit")).toBe("5")
  expect(parse("404", "--json", "1e3").words).toEqual(["404", "1e3"])
})

test("a repeated flag keeps every value, the last one wins where one is asked for", () => {
  const { flags } = parse("--lang", "go", "--lang=c")
  expect(flags.all("lang")).toEqual(["go", "c"])
  expect(flags.text("lang")).toBe("c")
})

test("- is a word", () => {
  expect(parse("-").words).toEqual(["-"])
})

test.each([
  [["--limt", "3"], "did you mean --limit?"],
  [["--frobnicate"], "see --help; words that begin with a dash go after --"],
  [["-x"], "see --help; words that begin with a dash go after --"],
  [["--limit"], "write: --limit N"],
  [["--limit="], "write: --limit N"],
  [["--limit", "--json"], "write: --limit N"],
])("%p is refused with a hint", (argv, hint) => {
  expect(() => parse(...argv)).toThrow(expect.objectContaining({ code: "USAGE", hint }))
})

test("a flag without a value refuses one", () => {
  expect(() => parse("--json=yes")).toThrow('--json takes no value, but was given "yes"')
})
