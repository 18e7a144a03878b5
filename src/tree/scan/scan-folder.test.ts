import { afterAll, describe, expect, test } from "bun:test"
import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { finishWalk, readFolder, scanProject, startWalk, walkFrom } from "./scan-folder.ts"

const box = realpathSync(mkdtempSync(join(tmpdir(), "aman-scan-")))
afterAll(() => rmSync(box, { recursive: true }))
let count = 0

function project(...files: string[]): string {
  const root = join(box, `p${count++}`)
  mkdirSync(root)
  for (const file of files) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    if (file.endsWith("/")) mkdirSync(join(root, file))
    else writeFileSync(join(root, file), "text\n")
  }
  return root
}

function scan(root: string, maxFileBytes = 1_048_576) {
  const { files, skipped } = scanProject(root, { maxFileBytes, indexDir: join(root, ".aman") })
  return { files: files.map((file) => file.path), skipped }
}

test("returns files in path order with size and time, and folders with their times", () => {
  const root = project("b.ts", "a/z.ts", "a-b/y.ts", "a.ts", ".hidden/x.ts", "empty/")
  const result = scanProject(root, { maxFileBytes: 100, indexDir: join(root, ".aman") }, 42)
  const paths = result.files.map((file) => file.path)
  expect(paths).toEqual([".hidden/x.ts", "a-b/y.ts", "a.ts", "a/z.ts", "b.ts"])
  expect(result.folders.map((folder) => folder.path)).toEqual(["", ".hidden", "a", "a-b", "empty"])
  expect(result.files.every((file) => file.size === 5 && file.mtimeMs > 1e12)).toBe(true)
  expect(result.startedAtMs).toBe(42)
  expect(result.skipped).toEqual({})
})

test("counts each skipped entry by its reason, and a folder once", () => {
  const root = project(
    ...[
      "node_modules/a/i.js",
      "node_modules/b/i.js",
      "__pycache__/a.pyc",
      "sub/.venv/x.py",
      "yarn.lock",
      "go.sum",
    ],
    ...[
      "a.min.js",
      "b.js.map",
      "logo.PNG",
      "a.zip",
      "lib.so",
      ".env",
      ".ssh/config",
      "kept.ts",
      "out.log",
      ".gitignore",
    ],
  )
  writeFileSync(join(root, ".gitignore"), "*.log\n")
  writeFileSync(join(root, "big.ts"), "x".repeat(2000))
  symlinkSync("kept.ts", join(root, "link.ts"))
  symlinkSync("/", join(root, "slash"))
  expect(scan(root, 1000)).toEqual({
    files: [".gitignore", "kept.ts"],
    skipped: {
      dependencies: 2,
      "build output": 1,
      "lock file": 2,
      minified: 2,
      media: 2,
      binary: 1,
      secret: 2,
      ignored: 1,
      link: 2,
      "too large": 1,
    },
  })
})

test("treats our index and version control data as no part of the project", () => {
  const root = project(".git/config", ".aman/index.db", ".hg/x", "elsewhere/index.db", "a.ts")
  linkSync(join(root, "elsewhere/index.db"), join(root, "alias.txt"))
  const { files, skipped } = scanProject(root, { maxFileBytes: 100, indexDir: join(root, "elsewhere") })
  expect(files.map((file) => file.path)).toEqual(["a.ts"])
  expect(skipped).toEqual({ index: 1 })
})

test("skips the user's aman data inside a project", () => {
  const root = project("a.ts", "data/aman/registry.json", "data/other/b.json")
  const before = process.env["XDG_DATA_HOME"]
  process.env["XDG_DATA_HOME"] = join(root, "data")
  expect(scan(root)).toEqual({ files: ["a.ts", "data/other/b.json"], skipped: {} })
  if (before === undefined) delete process.env["XDG_DATA_HOME"]
  else process.env["XDG_DATA_HOME"] = before
})

test.skipIf(process.platform === "win32")("does not open anything but files", () => {
  const root = project("a.ts")
  Bun.spawnSync(["mkfifo", join(root, "pipe.ts")])
  expect(scan(root)).toEqual({ files: ["a.ts"], skipped: { "not a file": 1 } })
})

describe("a walk that ends at the limit", () => {
  const files = ["a.ts", "src/b.ts", "src/deep/c.ts", "src/deep/er/d.ts", "test/e.ts", "docs/f.md", "z/g.ts"]
  const limited = (root: string, maxFiles: number) => {
    const found = scanProject(root, { maxFileBytes: 100, indexDir: join(root, ".aman"), maxFiles })
    return { files: found.files.map((file) => file.path), skipped: found.skipped }
  }

  test("has shallow files, and source before tests and documents beside it", () => {
    const root = project(...files)
    expect(limited(root, 5).files).toEqual([
      "a.ts",
      "src/b.ts",
      "src/deep/c.ts",
      "src/deep/er/d.ts",
      "z/g.ts",
    ])
    expect(limited(root, 3)).toEqual({
      files: ["a.ts", "src/b.ts", "z/g.ts"],
      skipped: { "over the limit": 3 },
    })
    expect(limited(root, 7).skipped).toEqual({})
  })

  test("counts the files of the folder where it ended and the folders it did not enter", () => {
    const root = project("a.ts", "b.ts", "c.ts", "sub/d.ts", "empty/")
    expect(limited(root, 2)).toEqual({ files: ["a.ts", "b.ts"], skipped: { "over the limit": 3 } })
  })
})

test.skipIf(process.platform === "win32")("counts names that are not UTF-8 without effect on others", () => {
  const root = project("a.ts")
  for (const bytes of [[0xff], [0xfe], [0xed, 0xa0, 0x80]])
    writeFileSync(Buffer.concat([Buffer.from(`${root}/bad`), Buffer.from(bytes)]), "x")
  mkdirSync(Buffer.concat([Buffer.from(`${root}/dir`), Buffer.from([0xe9])]))
  expect(scan(root)).toEqual({ files: ["a.ts"], skipped: { "invalid name": 4 } })
})

test.skipIf(process.platform === "win32")("stops at a path that the system cannot open", () => {
  const root = project("a.ts")
  const name = "d".repeat(250)
  // Folders are created one by one with relative paths, because the system refuses the whole path.
  const made = Bun.spawnSync(
    ["sh", "-c", `for i in $(seq 20); do mkdir ${name} && cd -P ${name} && : > f.ts; done`],
    {
      cwd: root,
    },
  )
  expect(made.exitCode).toBe(0)
  const { files, skipped } = scan(root)
  expect(files.length).toBeGreaterThan(10)
  expect(skipped).toEqual({ "path too long": 1 })
  Bun.spawnSync(["rm", "-rf", join(root, name)])
})

test("counts an entry that vanishes between listing and stat", () => {
  const root = project("a.ts", "b.ts", "sub/c.ts")
  const { walk, top } = startWalk(root, { maxFileBytes: 100, indexDir: join(root, ".aman") }, 0)
  const listing = readFolder(walk, top)
  if (typeof listing === "string") throw new Error(listing)
  rmSync(join(root, "b.ts"))
  rmSync(join(root, "sub"), { recursive: true })
  walkFrom(walk, top, listing)
  const { files, skipped } = finishWalk(walk)
  expect(files.map((file) => file.path)).toEqual(["a.ts"])
  expect(skipped).toEqual({ gone: 2 })
})

test("throws for a root that cannot be read", () => {
  expect(() => scan(join(box, "nowhere"))).toThrow("cannot read the project root")
})

describe("skips a folder that may be build output only if its surroundings show it", () => {
  test.each<[string, string[], string[]]>([
    ["Cargo's target", ["Cargo.toml", "target/debug/a.rs", "src/a.rs"], ["Cargo.toml", "src/a.rs"]],
    ["a module named target", ["Cargo.toml", "src/target/mod.rs"], ["Cargo.toml", "src/target/mod.rs"]],
    ["dist beside package.json", ["package.json", "dist/i.js", "a.js"], ["a.js", "package.json"]],
    ["dist beside nothing", ["dist/i.js"], ["dist/i.js"]],
    ["CMake's build", ["CMakeLists.txt", "build/CMakeCache.txt", "build/a.c"], ["CMakeLists.txt"]],
    ["scripts in build", ["package.json", "build/webpack.js"], ["build/webpack.js", "package.json"]],
    ["Go's vendor", ["go.mod", "vendor/modules.txt", "vendor/x/y.go"], ["go.mod"]],
    ["vendored by hand", ["go.mod", "vendor/y.go"], ["go.mod", "vendor/y.go"]],
    ["Composer's vendor", ["composer.json", "vendor/autoload.php", "a.php"], ["a.php", "composer.json"]],
    [".NET's bin and obj", ["a.csproj", "bin/Debug/a.txt", "obj/project.assets.json"], ["a.csproj"]],
    ["a bin of scripts", ["package.json", "bin/cli.js"], ["bin/cli.js", "package.json"]],
    ["Mix's deps and _build", ["mix.exs", "deps/x/a.ex", "_build/b.ex"], ["mix.exs"]],
    ["a Python environment by any name", ["myenv/pyvenv.cfg", "myenv/a.py", "b.py"], ["b.py"]],
    ["a cache that says it is one", ["any/CACHEDIR.TAG", "any/a.c"], []],
  ])("%s", (_, given, expected) => expect(scan(project(...given)).files).toEqual(expected))

  test("keeps tracked folders, but skips installed dependencies", () => {
    const root = project("package.json", "dist/i.js", "go.mod", "vendor/modules.txt", "vendor/a.go")
    Bun.spawnSync(["git", "init", "-q"], { cwd: root })
    Bun.spawnSync(["git", "add", "."], { cwd: root })
    expect(scan(root).files).toEqual(["dist/i.js", "go.mod", "package.json"])
  })
})
