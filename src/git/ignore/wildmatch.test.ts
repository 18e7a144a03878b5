import { afterAll, beforeAll, expect, test } from "bun:test"
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import { parsePattern } from "./ignore-pattern.ts"
import { tableOf } from "./pattern-table.ts"
import { utf8Bytes, Wildmatch } from "./wildmatch.ts"

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
