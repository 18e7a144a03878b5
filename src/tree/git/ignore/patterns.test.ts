import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import { cpuTime } from "../../../../test/cpu-time.ts"
import { compileIgnoreRules } from "./ignore-scope.ts"
import { parseIgnoreFile, parsePattern, tableOf, utf8Bytes, Wildmatch, wildmatch } from "./patterns.ts"

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

const folder = realpathSync(mkdtempSync(join(tmpdir(), "aman-wildmatch-")))
const env = {
  PATH: process.env["PATH"],
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  HOME: folder,
}

beforeAll(() => void Bun.spawnSync(["git", "init", "-q", "."], { cwd: folder, env }))
afterAll(() => rmSync(folder, { recursive: true }))

const PIECES = [
  "*",
  "*",
  "**",
  "**/",
  "/**",
  "/**/",
  "***",
  "/",
  "a",
  "b",
  "A",
  "é",
  "?",
  "-",
  ":",
  "]",
  "[",
  "\\",
  "\\*",
]
const SETS = [
  "[ab]",
  "[!a]",
  "[^/]",
  "[a-c]",
  "[A-B]",
  "[]a]",
  "[a\\]b]",
  "[\\a-\\c]",
  "[a-c",
  "[z-a]",
  "[[:",
  "[[:alpha:]]",
]
const CLASSES = ["[[:upper:]]", "[[:x:]]", "[![:space:]b]", "[[:a]", "[a[:digit:]-]"]
const pattern = fc
  .array(fc.constantFrom(...PIECES, ...SETS, ...CLASSES), { minLength: 1, maxLength: 8 })
  .map((pieces) => pieces.join(""))
const path = fc
  .array(fc.array(fc.constantFrom(..."aabbcA*]-1é"), { minLength: 1, maxLength: 4 }), {
    minLength: 1,
    maxLength: 5,
  })
  .map((names) => names.map((name) => name.join("")).join("/"))

test("agrees with git about every pattern and path", () => {
  fc.assert(
    fc.property(
      fc.array(pattern, { minLength: 40, maxLength: 40 }),
      fc.array(path, { minLength: 15, maxLength: 15 }),
      fc.boolean(),
      (patterns, paths, ignoreCase) => {
        // One attribute for each pattern, so that one call of git tells which patterns match which paths.
        const lines = patterns.map((each, i) => `${JSON.stringify(`/${each}`)} p${i}`)
        writeFileSync(join(folder, ".gitattributes"), `${lines.join("\n")}\n`)
        const ours = paths.flatMap((each) =>
          patterns.flatMap((glob, i) => (matches(`/${glob}`, each, ignoreCase) ? [`${each} p${i}`] : [])),
        )
        expect(ours.sort()).toEqual(matchesOfGit(paths, ignoreCase).sort())
      },
    ),
    {
      numRuns: Number(process.env["AMAN_TEST_RUNS"] ?? 40),
      seed: Number(process.env["AMAN_TEST_SEED"] ?? 21),
    },
  )
}, 1_800_000)

function matches(written: string, path: string, ignoreCase: boolean): boolean {
  const parsed = parsePattern(written)
  if (parsed === null) return false
  return tableOf([parsed], ignoreCase).last(path, path.slice(path.lastIndexOf("/") + 1), false) === 0
}

function matchesOfGit(paths: readonly string[], ignoreCase: boolean): string[] {
  const args = ["git", "-c", `core.ignorecase=${ignoreCase}`, "check-attr", "--stdin", "-z", "-a"]
  const { stdout } = Bun.spawnSync(args, { cwd: folder, env, stdin: Buffer.from(paths.join("\0")) })
  const fields = stdout.toString().split("\0")
  const found: string[] = []
  for (let i = 0; i + 2 < fields.length; i += 3) found.push(`${fields[i]} ${fields[i + 1]}`)
  return found
}

test.each([
  ["folders", `${"**/".repeat(40)}b`, `${"a/".repeat(500)}c`],
  ["stars in a name", `${"*a".repeat(200)}b`, "a".repeat(2000)],
  ["stars in folders", `**/${"*a*a*/".repeat(40)}b`, `${"aaaaaaaa/".repeat(200)}c`],
  ["folders and stars in turn", `${"**/*a".repeat(40)}b`, `${"aaaa/".repeat(400)}a`],
  ["sets", `${"**/*[!b]".repeat(40)}b`, `${"aaaa/".repeat(400)}a`],
  ["escaped slashes", `${"**\\/".repeat(40)}b`, `${"a/".repeat(500)}c`],
])("matches a pattern of many %s in at most |pattern| × |path| steps", (_, glob, text) => {
  const work = { steps: 0 }
  expect(new Wildmatch(utf8Bytes(glob), false).matches(text, work)).toBe(false)
  expect(work.steps).toBeLessThan(glob.length * text.length)
})
