import { describe, expect, test } from "bun:test"
import { cpuTime } from "../../../test/cpu-time.ts"
import { parseIgnoreFile } from "./ignore-pattern.ts"
import { compileIgnoreRules } from "./ignore-scope.ts"
import { utf8Bytes, wildmatch } from "./wildmatch.ts"

test("parses an ignore file line by line", () => {
  const text = "\uFEFF# comment\r\n\r\nbuild/\r\n/a/b\n!*.keep\nspace \\ \n  lead\n\\#hash\n/\n!\n"
  expect(parseIgnoreFile(text)).toEqual([
    { glob: "build", isNegated: false, foldersOnly: true, isAnchored: false },
    { glob: "a/b", isNegated: false, foldersOnly: false, isAnchored: true },
    { glob: "*.keep", isNegated: true, foldersOnly: false, isAnchored: false },
    { glob: "space \\ ", isNegated: false, foldersOnly: false, isAnchored: false },
    { glob: "  lead", isNegated: false, foldersOnly: false, isAnchored: false },
    { glob: "\\#hash", isNegated: false, foldersOnly: false, isAnchored: false },
  ])
})

describe("wildmatch", () => {
  test.each([
    ["*.c", "a.c", true],
    ["*.c", "a/b.c", false],
    ["a/*/c", "a/b/c", true],
    ["a/*/c", "a/b/b/c", false],
    ["a/**/c", "a/c", true],
    ["a/**/c", "a/b/b/c", true],
    ["**/c", "c", true],
    ["a/**", "a/b/c", true],
    ["a/**", "a", false],
    ["a**b", "axb", true],
    ["a**b", "a/b", false],
    ["[a-c]?", "bz", true],
    ["[!a-c]?", "bz", false],
    ["[]x]", "]", true],
    ["[[:digit:]-]", "-", true],
    ["[[:nonsense:]]", "n", false],
    ["[a", "a", false],
    ["\\*", "*", true],
    ["a\\", "a", false],
    ["?", "é", false],
    ["??", "é", true],
  ])("%p and %p: %p", (pattern, text, expected) => {
    expect(wildmatch(utf8Bytes(pattern), utf8Bytes(text))).toBe(expected)
  })

  test("gives up on a hostile pattern in bounded time", () => {
    const started = cpuTime()
    expect(wildmatch(`${"*a".repeat(30)}*b`, "a".repeat(200))).toBe(false)
    expect(wildmatch(`${"**/".repeat(12)}b`, "a/".repeat(30))).toBe(false)
    expect(cpuTime() - started).toBeLessThan(2000)
  })
})

test("lets the last matching rule decide, literal or glob", () => {
  const rules = compileIgnoreRules("*.log\n!keep.log\nkeep*\n!/a/keepsake\n*.[lm]og\n!z.log\n")!
  const verdict = (path: string) => rules.verdict(path, path.split("/").at(-1)!, false)
  expect(verdict("x.log")).toBe(true)
  expect(verdict("keep.log")).toBe(true)
  expect(verdict("a/keepsake")).toBe(false)
  expect(verdict("b/keepsake")).toBe(true)
  expect(verdict("z.log")).toBe(false)
  expect(verdict("other")).toBe(null)
})

test("ignores case only if git is configured to", () => {
  expect(compileIgnoreRules("Build/\n*.LOG\n", true)!.verdict("x/bUILD", "bUILD", true)).toBe(true)
  expect(compileIgnoreRules("Build/\n*.LOG\n", true)!.verdict("a.Log", "a.Log", false)).toBe(true)
  expect(compileIgnoreRules("Build/\n*.LOG\n")!.verdict("x/build", "build", true)).toBe(null)
})

test("finds no rules in a file of comments", () => {
  expect(compileIgnoreRules("# nothing\n\n")).toBe(null)
})
