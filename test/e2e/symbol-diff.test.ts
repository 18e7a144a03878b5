import { describe, expect, test } from "bun:test"
import { renameSync, rmSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { commit, git } from "../git-repository.ts"
import { Workspace } from "./harness.ts"
import { STORE_FILES } from "./store-files.ts"

type Place = { path: string; name: string; depth: number }
const names = (places: Place[]) => places.map(({ path, name }) => `${path} ${name}`).sort()

/** A repository with one commit of these files. */
function repository(files: Readonly<Record<string, string>>): Workspace {
  const space = new Workspace(files)
  git(space.project, "init", "-q", "--template=", "-b", "main")
  commit(space.project, "all")
  return space
}

const TODAY = "uses are searched in the current files, not in those of that time"

async function noticesOf(space: Workspace, ...diff: string[]): Promise<string[]> {
  return JSON.parse((await space.run(["symbol", "--json", "--diff", ...diff])).stdout).notices
}

test("lists the impact of an edit", async () => {
  using edited = repository(STORE_FILES)
  edited.write(
    "web/store.ts",
    STORE_FILES["web/store.ts"]!.replace("close(): void {}", "close(): void { return }"),
  )
  const answer = await edited.json(["symbol", "--diff"])
  expect(names(answer.definitions)).toEqual(["web/store.ts Store.close"])
  expect(answer.tests).toEqual(["web/store.test.ts"])
  const { code, stderr } = await edited.run(["symbol", "--diff", "nowhere"])
  expect(code).toBe(2)
  expect(stderr).toContain('git finds no commit "nowhere" here')
})

describe("an edit that renames or removes definitions", () => {
  test("reports no change if nothing differs", async () => {
    using same = repository(STORE_FILES)
    const { code, stdout, stderr } = await same.run(["symbol", "--diff"])
    expect([code, stdout]).toEqual([1, "no impact\n"])
    expect(stderr).toContain("no differences from HEAD")
    same.write("web/store.ts", `// A remark.\n${STORE_FILES["web/store.ts"]}`)
    const { notices, definitions } = JSON.parse((await same.run(["symbol", "--diff", "--json"])).stdout)
    expect(definitions).toEqual([])
    expect(notices).toEqual(["no symbol differs from HEAD: 1 file does, outside of any"])
  })

  test("breaks the uses of the old name and what depends on them", async () => {
    using renamed = repository(STORE_FILES)
    renamed.write("web/store.ts", STORE_FILES["web/store.ts"]!.replace("openStore", "unlockStore"))
    const { related, tests, notices } = await renamed.json(["symbol", "--diff"])
    expect(related.map(({ path, name, depth }: Place) => [path, name, depth])).toEqual([
      ["web/server.ts", "serve", 1],
    ])
    expect(tests).toEqual(["web/store.test.ts"])
    expect(notices).toEqual(["no longer defined, so its uses break: openStore"])
  })

  test("includes all of a deleted file, committed or not", async () => {
    using emptied = repository(STORE_FILES)
    rmSync(join(emptied.project, "web/store.ts"))
    const { related, notices } = await emptied.json(["symbol", "--diff"])
    expect(names(related)).toEqual(["web/server.ts serve", "web/server.ts stop"])
    expect(notices.at(-1)).toBe("deleted: web/store.ts")
    commit(emptied.project, "without")
    expect((await emptied.json(["symbol", "--diff", "HEAD~1"])).notices).toEqual(notices)
  })
})

describe("is not reported as deleted:", () => {
  test("a file that exists but is not indexed", async () => {
    using space = repository({
      "a.ts": "export const a = 1\n",
      "big/b.ts": "export const b = 1\n",
      "lib.min.js": "function c() {}\n",
      ".amanignore": "/big/\n",
    })
    space.write("big/b.ts", "export const b = 2\n")
    space.write("lib.min.js", "function d() {}\n")
    commit(space.project, "others")
    expect(await noticesOf(space, "HEAD~1")).toEqual(["no differences from HEAD~1"])
    expect(await noticesOf(space, "HEAD~1..HEAD")).toEqual(["no differences from HEAD~1..HEAD"])
  })

  test.each(["--no-sparse-index", "--sparse-index"])(
    "a file left out by a sparse checkout, %s",
    async (index) => {
      using space = repository({ "kept/b.ts": "export const b = 1\n", "left/a.ts": "export const a = 1\n" })
      git(space.project, "sparse-checkout", "set", "--cone", index, "kept")
      expect(git(space.project, "status", "--porcelain")).toBe("")
      expect(await noticesOf(space)).toEqual(["no differences from HEAD"])
      rmSync(join(space.project, "kept/b.ts"))
      expect((await noticesOf(space)).at(-1)).toBe("deleted: kept/b.ts")
    },
  )

  test("a broken link", async () => {
    using space = new Workspace({ "a.ts": "export const a = 1\n" })
    git(space.project, "init", "-q", "--template=")
    symlinkSync("nowhere.ts", join(space.project, "link.ts"))
    commit(space.project, "all")
    expect(await noticesOf(space)).toEqual(["no differences from HEAD"])
  })

  test("a file deleted after the end of the range", async () => {
    using space = repository({ "one.ts": "export const one = 1\n", "two.ts": "export const two = 2\n" })
    space.write("one.ts", "export const one = 3\n")
    space.write("two.ts", "export const two = 4\n")
    commit(space.project, "edit")
    rmSync(join(space.project, "two.ts"))
    commit(space.project, "delete")
    expect(await noticesOf(space, "HEAD~2..HEAD~1")).toEqual([TODAY])
    expect((await noticesOf(space, "HEAD~2..HEAD")).at(-1)).toBe("deleted: two.ts")
  })
})

test("compares a range with its own end, whatever came later", async () => {
  const text = (one: string, two: string) =>
    `export function one() {\n  return ${one}\n}\nexport function ${two}() {\n  return 2\n}\n`
  using space = repository({ "a.ts": text("1", "two") })
  space.write("a.ts", text("3", "two"))
  commit(space.project, "one")
  space.write("a.ts", text("3", "zwei"))
  commit(space.project, "two")
  expect(await noticesOf(space, "HEAD~2..HEAD~1")).toEqual([TODAY])
  expect(await noticesOf(space, "HEAD~1..HEAD")).toEqual(["removed; no uses found: two"])
})

test("searches a past range in the text of its end, not in today's lines", async () => {
  const early = "export function early() {\n  return 0\n}\n"
  const text = (late: string) => `export function late() {\n  return ${late}\n}\n`
  const gone = (value: number) => `export function gone() {\n  return ${value}\n}\n`
  using space = repository({ "a.ts": text("1"), "b.ts": gone(1) })
  space.write("a.ts", text("2"))
  space.write("b.ts", gone(2))
  commit(space.project, "edit")
  space.write("a.ts", early + text("2"))
  space.write("b.ts", "export const other = 1\n")
  commit(space.project, "shift")
  const { stdout } = await space.run(["symbol", "--json", "--diff", "HEAD~2..HEAD~1"])
  const { definitions, notices } = JSON.parse(stdout)
  expect(names(definitions)).toEqual(["a.ts late"])
  expect(notices).toEqual([TODAY, "changed in that range and no longer defined: gone"])
  expect(await noticesOf(space, "HEAD~1..HEAD")).not.toContain(TODAY)
})

test("a move breaks nothing if its users follow, and breaks those that do not", async () => {
  const user = (module: string) => `import { first } from "./${module}"\nexport const use = () => first()\n`
  using space = repository({
    "lib.ts": "export function first() {}\nexport function second() {}\nfunction third() {}\n",
    "use.ts": user("lib.ts"),
  })
  const moved = join(space.project, "moved.ts")
  renameSync(join(space.project, "lib.ts"), moved)
  space.write("moved.ts", "export function first() {}\nexport function second() {}\n")
  expect(await noticesOf(space)).toContain("no longer defined, so its uses break: first")
  space.write("use.ts", user("moved.ts"))
  const followed = [
    "moved; no uses of the old place found: first, second",
    "removed; no uses found: third",
    "deleted: lib.ts",
  ]
  expect(await noticesOf(space)).toEqual(followed)
  git(space.project, "add", "-A")
  expect(await noticesOf(space)).toEqual(followed)
})

test("includes a staged edit", async () => {
  using space = repository(STORE_FILES)
  space.write(
    "web/store.ts",
    STORE_FILES["web/store.ts"]!.replace("close(): void {}", "close(): void { return }"),
  )
  git(space.project, "add", "-A")
  const { definitions } = await space.json(["symbol", "--diff"])
  expect(names(definitions)).toEqual(["web/store.ts Store.close"])
})

describe("reports the number of earlier texts that were not checked", () => {
  const NOT = "was not checked, so removed definitions there are unknown"
  const numbered = (count: number, text: (at: number) => string) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}.ts`, text(at)]))

  test("for many edited and many deleted files", async () => {
    using space = repository({
      ...numbered(260, (at) => `export function old${at}() {}\n`),
      "use.ts": 'import { old0 } from "./f0.ts"\nexport const use = () => old0()\n',
    })
    for (let at = 0; at < 260; at++) space.write(`f${at}.ts`, `export function new${at}() {}\n`)
    expect((await noticesOf(space)).at(-1)).toBe(`partial: the earlier text of 60 files that differ ${NOT}`)
    for (let at = 1; at < 260; at++) rmSync(join(space.project, `f${at}.ts`))
    const notices = await noticesOf(space)
    expect(notices).toContain("no longer defined, so its uses break: old0")
    expect(notices.at(-1)).toBe(`partial: the earlier text of 60 files that differ ${NOT}`)
  })

  test("for more deletions than the limit", async () => {
    using space = repository(numbered(503, (at) => `export const old${at} = 1\n`))
    for (let at = 0; at < 503; at++) rmSync(join(space.project, `f${at}.ts`))
    expect((await noticesOf(space)).at(-1)).toBe(`partial: the earlier text of 303 files that differ ${NOT}`)
  })

  test("for a file that is too large", async () => {
    using space = repository({ "a.ts": `export function old() {}\n${"// a remark\n".repeat(50_000)}` })
    space.write("a.ts", "export function fresh() {}\n")
    expect(await noticesOf(space)).toEqual([`partial: the earlier text of 1 file that differs ${NOT}`])
  })
})
