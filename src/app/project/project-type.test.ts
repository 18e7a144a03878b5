import { expect, test } from "bun:test"
import { fileFlags } from "../../code/languages/file-flags.ts"
import { languageOf } from "../../code/languages/languages.ts"
import { describeProject } from "./project-type.ts"

function describe(...files: (string | [path: string, size: number])[]) {
  return describeProject(
    files.map((file) => {
      const [path, size] = typeof file === "string" ? [file, 1000] : file
      return { path, size, content: languageOf(path, "").kind, flags: fileFlags(path, "") }
    }),
  )
}

test("a Go project with commands", () => {
  expect(
    describe("go.mod", "main.go", "cmd/x/main.go", ["internal/a.go", 5000], "testdata/b.go", "Makefile"),
  ).toEqual({
    projectTypes: ["Go"],
    sourceFolders: ["internal", ".", "cmd"],
  })
})

test("names several types together; types of parts count only if the top folder has none", () => {
  expect(describe("pyproject.toml", "package.json", "src/a.py", "sub/Cargo.toml").projectTypes).toEqual([
    "Node",
    "Python",
  ])
  expect(describe("server/pom.xml", "web/package.json", "server/A.java").projectTypes).toEqual([
    "Maven",
    "Node",
  ])
  expect(describe("App.sln", "App/App.csproj").projectTypes).toEqual([".NET"])
  expect(describe("Makefile", "a.c").projectTypes).toEqual(["Make"])
  expect(describe("a.c").projectTypes).toEqual([])
})

test("a workspace is described by its packages", () => {
  const files: [string, number][] = [
    ["packages/server/src/a.ts", 9000],
    ["packages/server/package.json", 100],
    ["packages/client/src/b.ts", 5000],
    ["packages/client/lib/b.ts", 4000],
    ["packages/tiny/src/c.ts", 10],
    ["scripts/build.ts", 2000],
  ]
  expect(describe("package.json", ...files).sourceFolders).toEqual([
    "packages/client",
    "packages/server/src",
    "scripts",
  ])
})

test("does not count tests, examples, documents and vendored code as sources", () => {
  expect(
    describe("lib/a.rb", ["spec/a_spec.rb", 9000], ["vendor/b.rb", 9000], ["docs/c.rb", 9000]).sourceFolders,
  ).toEqual(["lib"])
  expect(describe("README.md", "data.json").sourceFolders).toEqual([])
})
