import { afterAll, beforeAll, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import {
  ATTRIBUTES,
  type AttributeScope,
  type AttributeValue,
  addAttributeText,
  attributeOf,
} from "./ignore-scope.ts"

const folder = realpathSync(mkdtempSync(join(tmpdir(), "aman-attributes-")))
const env = {
  PATH: process.env["PATH"],
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  HOME: folder,
}

beforeAll(() => {
  mkdirSync(join(folder, "a", "b"), { recursive: true })
  Bun.spawnSync(["git", "init", "-q", "."], { cwd: folder, env })
})
afterAll(() => rmSync(folder, { recursive: true }))

function scopeOf(texts: readonly (readonly [folder: string, text: string])[], ignoreCase = false) {
  let scope: AttributeScope | null = null
  for (const [at, text] of texts) scope = addAttributeText(scope, text, at, ignoreCase)
  return scope
}

function verdict(text: string, path: string): AttributeValue | undefined {
  return attributeOf(
    scopeOf([["", text.replaceAll("made", "linguist-generated")]]),
    "linguist-generated",
    path,
    path.slice(path.lastIndexOf("/") + 1),
  )
}

test.each([
  ["*.pb.go made", "x/y.pb.go", true],
  ["gen/** made", "gen/a/b.c", true],
  ["gen made", "gen/a", undefined],
  ["gen/ made", "gen", undefined],
  ["/a.c made=yes", "a.c", "yes"],
  ["/a.c made=yes", "b/a.c", undefined],
  ["*.c made\na.c -made", "a.c", false],
  ["*.c made\na.c !made", "a.c", null],
  ["*.c made=false other", "a.c", "false"],
  ['"a b.c" made', "a b.c", true],
  ['"\\303\\251.c" made', "é.c", true],
  ["!*.c made", "a.c", undefined],
  ["# *.c made", "# *.c", undefined],
  ["*.c made bad!name", "a.c", undefined],
  ["*.c -made made", "a.c", true],
])("%j gives %s the value %j", (text, path, expected) => expect(verdict(text, path)).toBe(expected))

test("does not use a file with globs beyond the limit, and tells it", () => {
  const globs = Array.from({ length: 3000 }, (_, i) => `a*${i}*.c made`).join("\n")
  expect(verdict(globs, "a7.c")).toBeUndefined()
  const made = globs.replaceAll("made", "linguist-generated")
  const outer = scopeOf([["", "*.h linguist-generated"]])
  const inner = addAttributeText(outer, made, "a", false)
  expect([outer?.isUnused, inner?.isUnused]).toEqual([false, true])
  expect(attributeOf(inner, "linguist-generated", "a/x.h", "x.h")).toBe(true)
  const names = Array.from({ length: 3000 }, (_, i) => `a${i}.c made`).join("\n")
  expect(verdict(names, "a7.c")).toBe(true)
})

const PATHS = ["a.c", "a.x", "a/a.c", "a/b/a.c", "a/b/b.x", "a/b/é.c", "b", "a/b/x y", "a/A.C"]
const pattern = fc.oneof(
  fc.constantFrom(
    ...PATHS,
    "*.c",
    "*",
    "/*.c",
    "a/",
    "a/**",
    "**/b/*",
    "b/*.x",
    "[ab].c",
    "?.x",
    "!a.c",
    "#a",
  ),
  fc.constantFrom(
    '"x y"',
    '"\\303\\251.c"',
    '"a.c',
    '"a\\q.c"',
    "x\\ y",
    "\\a.c",
    "[attr]macro",
    "*.C",
    '"#"',
  ),
)
const state = fc
  .tuple(
    fc.constantFrom("", "", "-", "!", "--"),
    fc.constantFrom(
      "linguist-generated",
      "linguist-generated",
      "linguist-vendored",
      "other",
      "bad!",
      "linguist-x",
    ),
    fc.constantFrom("", "", "=true", "=false", "=", "=a=b"),
  )
  .map((parts) => parts.join(""))
const line = fc
  .tuple(fc.constantFrom("", "", " ", "\t"), pattern, fc.array(state, { minLength: 1, maxLength: 3 }))
  .map(([space, glob, states]) => `${space}${glob} ${states.join(" \t")}`)
const text = fc
  .tuple(fc.constantFrom("", "", "\ufeff"), fc.array(line, { maxLength: 5 }), fc.constantFrom("\n", "\r\n"))
  .map(([start, lines, end]) => start + lines.join(end))

test("agrees with git about every path", () => {
  fc.assert(
    fc.property(text, text, text, text, fc.boolean(), (top, inner, innermost, info, ignoreCase) => {
      writeFileSync(join(folder, ".gitattributes"), top)
      writeFileSync(join(folder, "a/.gitattributes"), inner)
      writeFileSync(join(folder, "a/b/.gitattributes"), innermost)
      writeFileSync(join(folder, ".git/info/attributes"), info)
      const own = [["", top]] as const
      const middle = [...own, ["a", inner]] as const
      const deep = [...middle, ["a/b", innermost]] as const
      const ours = PATHS.flatMap((path) => {
        const texts = path.startsWith("a/b/") ? deep : path.startsWith("a/") ? middle : own
        const scope = scopeOf([...texts, ["", info]], ignoreCase)
        const name = path.slice(path.lastIndexOf("/") + 1)
        return ATTRIBUTES.map((attribute) => shown(attributeOf(scope, attribute, path, name)))
      })
      expect(ours).toEqual(checkAttributes(ignoreCase))
    }),
    {
      numRuns: Number(process.env["AMAN_TEST_RUNS"] ?? 40),
      seed: Number(process.env["AMAN_TEST_SEED"] ?? 4),
    },
  )
}, 1_800_000)

function shown(value: AttributeValue | undefined): string {
  if (value === undefined || value === null) return "unspecified"
  return value === true ? "set" : value === false ? "unset" : value
}

function checkAttributes(ignoreCase: boolean): string[] {
  const configured = ["-c", `core.ignorecase=${ignoreCase}`]
  const args = ["git", ...configured, "check-attr", "--stdin", "-z", ...ATTRIBUTES]
  const { stdout } = Bun.spawnSync(args, { cwd: folder, env, stdin: Buffer.from(PATHS.join("\0")) })
  return stdout
    .toString()
    .split("\0")
    .filter((_, i) => i % 3 === 2)
}
