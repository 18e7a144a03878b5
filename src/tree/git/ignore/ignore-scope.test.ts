import { afterAll, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import { workTreeAt } from "../work-tree.ts"
import { compileIgnoreRules, type IgnoreScope, ignoreVerdict, startIgnoring } from "./ignore-scope.ts"

const folder = realpathSync(mkdtempSync(join(tmpdir(), "aman-ignore-")))
const isolated = { GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: join(folder, "gitconfig"), HOME: folder }
afterAll(() => rmSync(folder, { recursive: true }))

const SEED = Number(process.env["AMAN_TEST_SEED"] ?? 4)

// Few letters, so that patterns match paths often.
const piece = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom("a", "b", "ab", "é", "B") },
  { weight: 5, arbitrary: fc.constantFrom("*", "**", "***", "?", "/", "**/", "/**", "/**/") },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "[ab]",
      "[!a]",
      "[^b]",
      "[a-b]",
      "[]-a]",
      "[[:alpha:]]",
      "[[:x:]]",
      "[",
      "[[:a]",
      "[\\a]",
      "[a-\\b]",
      "[A-b]",
      "[B]",
      "[[:upper:]]",
      "[!A-B]",
      "\\B",
      "\\a",
      "\\",
      "\\*",
      "\\/",
    ),
  },
)
const line = fc
  .tuple(
    fc.constantFrom("", "", "", "!"),
    fc.array(piece, { minLength: 1, maxLength: 5 }),
    fc.constantFrom("", "", "/"),
  )
  .map(([bang, pieces, slash]) => bang + pieces.join("") + slash)
const name = fc.constantFrom("a", "b", "ab", "ba", "aa", "é", "[", "*", "abé", "A", "aB")
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/"))

test("agrees with git about every pattern", () => {
  const root = join(folder, "patterns")
  mkdirSync(root)
  git(root, "init", "-q", ".")
  fc.assert(
    fc.property(
      fc.array(line, { minLength: 1, maxLength: 3 }),
      fc.uniqueArray(path, { minLength: 40, maxLength: 80 }),
      fc.boolean(),
      (lines, paths, ignoreCase) => {
        writeFileSync(join(root, ".gitignore"), lines.join("\n"))
        const ignored = git(
          root,
          ...["-c", `core.ignorecase=${ignoreCase}`, "check-ignore", "--no-index", "--stdin", "-z"],
          { input: paths.join("\0") },
        )
        const rules = compileIgnoreRules(lines.join("\n"), ignoreCase)
        const scope = rules && { rules, outer: null, base: 0 }
        expect(paths.filter((each) => isIgnoredAnywhere(scope, each))).toEqual(
          ignored.split("\0").filter(Boolean),
        )
      },
    ),
    { numRuns: Number(process.env["AMAN_TEST_RUNS"] ?? 150), seed: SEED },
  )
}, 1_800_000)

test("lets the nearest file decide, then info/exclude, then the user's rules", () => {
  const root = join(folder, "layers")
  mkdirSync(join(root, "sub/deep"), { recursive: true })
  git(root, "init", "-q", ".")
  writeFileSync(isolated.GIT_CONFIG_GLOBAL, "[include]\n\tpath = more\n")
  writeFileSync(join(folder, "more"), '[core] excludesfile = "~/user ignore" ; comment\n')
  writeFileSync(join(folder, "user ignore"), "*.user\n*.info\n*.top\n")
  writeFileSync(join(root, ".git/info/exclude"), "!*.info\n")
  writeFileSync(join(root, ".gitignore"), "!*.top\n/*.x\n/sub/deep/*.y\n")
  writeFileSync(join(root, "sub/.gitignore"), "*.top\n/deep/z\n")
  const { scope, sources, isInIgnored } = startIgnoring(join(root, "sub/deep"), workTreeAt(root)!, isolated)
  const isOut = (name: string) => ignoreVerdict(scope, `sub/deep/${name}`, name, false)
  expect(isInIgnored).toBe(false)
  expect(["a.user", "a.info", "a.top", "a.x", "a.y", "z", "a"].filter(isOut)).toEqual([
    "a.user",
    "a.top",
    "a.y",
    "z",
  ])
  expect(sources).toContain(join(root, "sub/.gitignore"))
  expect(sources).toContain(join(folder, "user ignore"))
})

function isIgnoredAnywhere(scope: IgnoreScope | null, path: string): boolean {
  const parts = path.split("/")
  return parts.some((part, i) =>
    ignoreVerdict(scope, parts.slice(0, i + 1).join("/"), part, i < parts.length - 1),
  )
}

function git(cwd: string, ...args: (string | { input: string })[]): string {
  const input = args.flatMap((arg) => (typeof arg === "string" ? [] : [arg.input])).join("")
  const words = args.filter((arg) => typeof arg === "string")
  const result = Bun.spawnSync(["git", ...words], {
    cwd,
    stdin: Buffer.from(input),
    env: { ...process.env, ...isolated },
  })
  if (result.exitCode > 1) throw new Error(`git ${words.join(" ")}: ${result.stderr.toString()}`)
  return result.stdout.toString()
}
