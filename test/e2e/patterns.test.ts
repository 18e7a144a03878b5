import { describe, expect, test } from "bun:test"
import { Workspace } from "./harness.ts"

// A matcher that backtracks took 97 s for 30 repetitions, and twice as long for each further one.
const HOSTILE = `${"**/".repeat(60)}b`
const DEEP = Array.from({ length: 20 }, (_, i) => `d${i}`).join("/")
const FILE = `${DEEP}/a.c`

function deepProject(files: Readonly<Record<string, string>> = {}): Workspace {
  const space = new Workspace({ [FILE]: "int wanted;\n", ...files })
  Bun.spawnSync(["git", "init", "-q"], { cwd: space.project, env: space.env })
  return space
}

describe("a pattern with many ways to match takes linear time", () => {
  test.each([
    ["a project with .gitignore", { ".gitignore": HOSTILE }],
    ["a project with .git/info/exclude", { ".git/info/exclude": HOSTILE }],
    ["a project with .gitattributes", { ".gitattributes": `${HOSTILE} linguist-generated` }],
    ["a project with .amanignore", { ".amanignore": HOSTILE }],
    ["a project that excludes", { ".aman.yaml": `paths:\n  exclude: ["${HOSTILE}"]\n` }],
    ["a project that includes", { ".aman.yaml": `paths:\n  include: ["${HOSTILE}", "*.c"]\n` }],
    ["a project with stars in names", { ".gitignore": `/${"*d*/".repeat(19)}*d*x/b` }],
  ])("%s", async (_, files) => {
    using space = deepProject(files)
    const { results } = await space.json(["search", "wanted"])
    expect(results[0].path).toBe(FILE)
  })

  test.each([
    ["search --path", ["search", "--json", "wanted", "--path", HOSTILE]],
    ["search --path with groups", ["search", "--json", "wanted", "--path", `${"+(d*/)".repeat(30)}b`]],
    ["search --path with braces", ["search", "--json", "wanted", "--path", `${"{*,d}".repeat(8)}/b`]],
    ["file:", ["search", "--json", `file:${HOSTILE} wanted`]],
    ["grep -g", ["grep", "--json", "-g", HOSTILE, "wanted"]],
    ["symbol --path", ["symbol", "--json", "--path", HOSTILE, "wanted"]],
  ])("%s", async (_, args) => {
    using space = deepProject()
    const { stdout, stderr } = await space.run(args)
    expect(JSON.parse(stdout)).toBeObject()
    expect(stderr).not.toContain("this is a bug in aman")
  })
})

test("refuses braces that expand to too many patterns", async () => {
  using space = deepProject()
  const { code, stderr } = await space.run(["grep", "-g", "{a,b}".repeat(20), "wanted"])
  expect(stderr).toContain("the braces of a glob expand to more than 1000 patterns")
  expect(code).toBe(2)
})

test("skips what too slow patterns could not be compared with, and says so", async () => {
  using space = deepProject()
  const patterns = Array.from({ length: 60_000 }, (_, i) => `*a*e*${i % 10}${Math.floor(i / 10)}x`)
  space.write(".gitignore", patterns.join("\n"))
  for (let i = 0; i < 600; i++) space.write(`a/file_with_a_name_${i}.c`, "int wanted;\n")
  const { skipped } = await space.json(["index"])
  expect(skipped["too many patterns"]).toBeGreaterThan(0)
  const { stderr } = await space.run(["index"])
  expect(stderr).toContain("because matching ignore patterns took too long: shorten .gitignore")
})

test("skips what an ignore file too large to read may ignore, and says so", async () => {
  using space = deepProject()
  space.write("private.c", "int secret_name;\n")
  space.write(".gitignore", `private.c\n${`# ${"-".repeat(97)}\n`.repeat(90_000)}`)
  const { skipped } = await space.json(["index"])
  expect(skipped["too many patterns"]).toBeGreaterThan(0)
  expect((await space.run(["search", "secret_name"])).stdout).not.toContain("private.c")
  expect((await space.run(["index"])).stderr).toContain("shorten .gitignore")
})

test("ignores attribute files with too many globs, and says so until they are reduced", async () => {
  using space = deepProject()
  const globs = Array.from({ length: 2_500 }, (_, i) => `a*${i}*.c linguist-generated`)
  space.write("gen/.gitattributes", `*.c linguist-generated\n${globs.join("\n")}`)
  space.write("gen/made.c", "int wanted;\n")
  const first = await space.json(["index"])
  expect(first.skipped).toEqual({ "attribute file": 1 })
  const notice = "a .gitattributes file is not used, because of more than 2000 glob patterns"
  expect((await space.run(["index"])).stderr).toContain(notice)
  expect((await space.json(["status"])).notices.join()).toContain(notice)
  space.write("gen/.gitattributes", "*.c linguist-generated\n")
  expect((await space.json(["index"])).skipped).toEqual({})
  expect((await space.run(["index"])).stderr).not.toContain("gitattributes")
})
