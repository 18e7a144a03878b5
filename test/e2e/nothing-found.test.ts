import { expect, test } from "bun:test"
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { connect } from "./connect.ts"
import { binary, Workspace } from "./harness.ts"

const FILES = {
  "package.json": "{}",
  "src/net/retry.ts": "export function retry() {\n  return 1\n}\n",
  "src/shop.ts": "export const shop = 1\n",
}

test("a search without results names the filter that excludes everything", async () => {
  using space = new Workspace(FILES)
  const stderrOf = async (...args: readonly string[]) => {
    const { code, stderr, stdout } = await space.run(["search", ...args])
    expect([code, stdout]).toEqual([1, ""])
    return stderr
  }
  await space.json(["index"])
  const fromRoot = "paths are relative to the project root"
  expect(await stderrOf("--path", "/outside", "retry")).toContain(`in "/outside"; ${fromRoot}`)
  expect(await stderrOf("--path", "../outside", "retry")).toContain(`in "../outside"; ${fromRoot}`)
  expect(await stderrOf("--path", "lib/**", "retry")).toContain(`in "lib/**"; ${fromRoot}`)
  expect(await stderrOf("--lang", "rust", "retry")).toContain('has the language "rust"')
  expect(await stderrOf("--ext", "zig", "retry")).toContain('ends in "zig"')
  expect(await stderrOf("--kind", "class", "retry")).toContain('has the kind "class"')
  expect(await stderrOf("--content", "docs", "retry")).toContain('with content "docs"')
  expect(await stderrOf("=>")).toContain("the query has no words; to search for punctuation: aman grep -F")
  const symbol = await space.run(["symbol", "shop", "--path", "src/net"])
  expect(symbol.stderr).toContain('defined outside "src/net": src/shop.ts')
  const owned = await space.run(["symbol", "Cart.retry"])
  expect(owned.stderr).toContain("the name is defined as retry")
})

test("path filters may be absolute or relative to the working directory", async () => {
  using space = new Workspace(FILES)
  const cwd = join(space.project, "src/net")
  const paths = async (path: string, query: string) =>
    (await space.json(["search", "--path", path, query], { cwd })).results.map(
      (each: { path: string }) => each.path,
    )
  expect(await paths(join(space.project, "src/net"), "retry")).toEqual(["src/net/retry.ts"])
  expect(await paths(".", "retry")).toEqual(["src/net/retry.ts"])
  expect(await paths("../shop.ts", "shop")).toEqual(["src/shop.ts"])
  expect(await paths("src/shop.ts", "shop")).toEqual(["src/shop.ts"])
  expect((await space.run(["read", "/etc/passwd"])).stderr).toStartWith('aman: "/etc/passwd" is outside')
})

test("a path filter means the same in every command, and may exclude", async () => {
  using space = new Workspace(FILES)
  const cwd = join(space.project, "src")
  const defined = async (path: string) =>
    (await space.json(["symbol", "retry", "--path", path], { cwd })).definitions.length
  for (const path of [cwd, "./net", "net", "net/*.ts", "..", "*.ts", join(cwd, "**/*.ts"), "src/net/"])
    expect([path, await defined(path)]).toEqual([path, 1])
  const found = async (...args: [string, ...string[]]) => {
    const { results, files } = await space.json(args, { cwd })
    return (results ?? files).map(({ path }: { path: string }) => path).sort()
  }
  expect(await found("context", "--path", "./shop.ts", "shop")).toEqual(["src/shop.ts"])
  const both = ["src/net/retry.ts", "src/shop.ts"]
  expect(await found("search", "--path", ".", "shop retry")).toEqual(both)
  for (const path of ["!./shop.ts", "!src/shop.ts", `!${join(cwd, "shop.ts")}`])
    expect([path, await found("search", "--path", ".", "--path", path, "shop retry")]).toEqual([
      path,
      [both[0]],
    ])
})

test.skipIf(process.platform === "win32")(
  "an absolute path may reach the project through a link",
  async () => {
    using space = new Workspace(FILES)
    const link = join(space.dir, "link")
    symlinkSync(space.project, link)
    const { stdout, code } = await space.run(["read", join(link, "src/shop.ts")])
    expect([stdout.includes(FILES["src/shop.ts"].trimEnd().split("\n")[0]!), code]).toEqual([true, 0])
    const { results } = await space.json(["search", "--path", join(link, "src/net"), "retry shop"])
    expect(results.map(({ path }: { path: string }) => path)).toEqual(["src/net/retry.ts"])
    expect((await space.run(["grep", "shop", join(link, "src")])).stdout).toContain("src/shop.ts")
    // A link in the project that leads out of it is refused, whether the path is given through the link to
    // the project or not.
    symlinkSync("/etc", join(space.project, "out"))
    for (const path of [join(link, "out/passwd"), "out/passwd"])
      expect((await space.run(["read", path])).code).toBe(1)
  },
)

test.skipIf(process.platform === "win32")(
  "following a log ends when the reader closes the pipe",
  async () => {
    using space = new Workspace(FILES)
    const path = join(space.home, ".local/share/aman/logs/server.log")
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, "2026-01-01T00:00:00.000Z 1 warn one\n")
    const shell = Bun.spawn(["sh", "-c", `"${binary}" logs -f | head -n 1`], {
      env: space.env,
      cwd: space.project,
    })
    expect(await shell.stdout.text()).toBe("2026-01-01T00:00:00.000Z 1 warn one\n")
    expect(await shell.exited).toBe(0)
  },
)

test("an unknown language or kind is an error at once, not after a first index", async () => {
  using fresh = new Workspace({ "a.ts": "export const a = 1\n" })
  for (const [flag, message] of [
    ["--lang", 'unknown language "klingon"'],
    ["--kind", "--kind must be one of function, "],
  ] as const) {
    const { code, stderr } = await fresh.run(["search", flag, "klingon", "a"])
    expect([code, stderr.includes(message)]).toEqual([2, true])
  }
  expect(existsSync(join(fresh.project, ".aman"))).toBe(false)
})

test("a question indexes neither the home folder nor the file system's root, unless `aman index` has", async () => {
  using space = new Workspace(FILES)
  writeFileSync(join(space.home, "retry.ts"), FILES["src/net/retry.ts"])
  for (const root of [space.home, dirname(space.home), "/"])
    for (const args of [["search", "retry"], ["context", "retry"], ["symbol", "retry"], ["map"]]) {
      const { code, stdout, stderr } = await space.run([...args, "--root", root])
      expect([code, stdout]).toEqual([3, ""])
      expect(stderr).toContain("is not a single project")
      expect(stderr).toContain(`aman index --root ${root}`)
    }
  expect(existsSync(join(space.home, ".aman"))).toBe(false)
  await using server = await connect(space, { cwd: space.home, args: ["--root", space.home] })
  const refused = await server.call("search", { query: "retry" })
  expect(refused.isError).toBe(true)
  expect(refused.content[0]!.text).toContain("aman index --root")
  // Reading and grep need no index.
  expect((await space.run(["grep", "-c", "retry", "--root", space.home])).code).toBe(0)
  await space.json(["index", "--root", space.home])
  expect((await space.json(["search", "retry", "--root", space.home])).results[0].path).toBe("retry.ts")
})

test("hints about paths name the working directory where it counts", async () => {
  using space = new Workspace(FILES)
  await space.json(["index"])
  const both = "paths are relative to the working directory or else the project root"
  const cwd = join(space.project, "src/net")
  for (const args of [
    ["read", "none.zig"],
    ["read", "/outside"],
    ["symbol", "--outline", "none.zig"],
    ["search", "--path", "none", "retry"],
  ]) {
    expect((await space.run(args, { cwd })).stderr).toContain(both)
    expect((await space.run(args)).stderr).toContain("paths are relative to the project root")
  }
  await using server = await connect(space, { cwd })
  expect(JSON.stringify(await server.call("read", { path: "none.zig" }))).toContain(
    "paths are relative to the project root",
  )
})

test("a folder, and a path outside of the project, are unknown files for read", async () => {
  using space = new Workspace(FILES)
  for (const path of ["src", ".", "/etc/passwd", "../up.ts", join(space.project, "none.ts")])
    expect([path, (await space.run(["read", path])).code]).toEqual([path, 1])
  expect((await space.run(["grep", "retry", "none"])).code).toBe(2)
})
