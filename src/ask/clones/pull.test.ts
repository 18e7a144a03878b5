import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { commit, GitBox, git, write } from "../../../test/git-repository.ts"
import { parseAddress } from "./address.ts"
import { type Pulled, pull, TreeCount } from "./pull.ts"

const LIMITS = { maxFiles: 1000, maxBytes: 2 ** 30, maxMs: 60_000, maxMemoryBytes: 2 ** 30 }

let box: GitBox
let source: string
let clone: string
beforeEach(() => {
  box = new GitBox()
  source = box.repository("source", { "a.txt": "one\n", "sub/b.txt": "two\n" })
  clone = join(box.box, "clones", "it")
})
afterEach(() => box[Symbol.dispose]())

const pullFrom = (from: string): Promise<Pulled> =>
  pull(parseAddress(from, { cwd: null, home: "" }), clone, { stallMs: 20_000, limits: LIMITS })
const files = () =>
  readdirSync(clone)
    .filter((name) => name !== ".git")
    .sort()
const text = (path: string) => readFileSync(join(clone, path), "utf8")

describe("a clone follows its remote", () => {
  test("one commit deep, and reports no change if nothing is new", async () => {
    commit(source, "second")
    expect(await pullFrom(source)).toEqual({ commit: git(source, "rev-parse", "HEAD"), isChanged: true })
    expect(git(clone, "rev-list", "--count", "HEAD")).toBe("1")
    expect(await pullFrom(source)).toMatchObject({ isChanged: false })
  })

  test("through edits, renames, deletions and rewritten history", async () => {
    await pullFrom(source)
    git(source, "mv", "a.txt", "renamed.txt")
    rmSync(join(source, "sub"), { recursive: true })
    write(source, "renamed.txt", "other\n")
    commit(source, "second")
    expect((await pullFrom(source)).isChanged).toBe(true)
    expect(files()).toEqual(["renamed.txt"])
    git(source, "checkout", "-q", "--orphan", "fresh")
    write(source, "fresh.txt", "new\n")
    rmSync(join(source, "renamed.txt"))
    const id = commit(source, "another beginning")
    git(source, "branch", "-q", "-M", "fresh", "main")
    expect(await pullFrom(source)).toEqual({ commit: id, isChanged: true })
    expect(files()).toEqual(["fresh.txt"])
  })

  test("to another default branch", async () => {
    await pullFrom(source)
    git(source, "branch", "-q", "-m", "trunk")
    write(source, "a.txt", "on trunk\n")
    commit(source, "second")
    await pullFrom(source)
    expect(text("a.txt")).toBe("on trunk\n")
  })

  test("on a named branch or tag", async () => {
    git(source, "tag", "-a", "v1", "-m", "first")
    git(source, "checkout", "-q", "-b", "feature/x")
    write(source, "a.txt", "of the feature\n")
    commit(source, "second")
    git(source, "checkout", "-q", "main")
    await pullFrom(`${source}#feature/x`)
    expect(text("a.txt")).toBe("of the feature\n")
    await pullFrom(`${source}#v1`)
    expect(text("a.txt")).toBe("one\n")
    const failure = pullFrom(`${source}#nowhere`)
    await expect(failure).rejects.toMatchObject({
      code: "REPOSITORY",
      hint: expect.stringContaining("branch or tag"),
    })
  })

  test("from no commits to some and back", async () => {
    const empty = box.repository("empty")
    expect(await pullFrom(empty)).toEqual({ commit: null, isChanged: false })
    write(empty, "x.txt", "x")
    commit(empty, "first")
    expect((await pullFrom(empty)).isChanged).toBe(true)
    rmSync(empty, { recursive: true })
    box.repository("empty")
    expect(await pullFrom(empty)).toEqual({ commit: null, isChanged: true })
    expect(files()).toEqual([])
  })

  test("with SHA-256, or shallow itself", async () => {
    const modern = box.folder("modern")
    git(modern, "init", "-q", "--template=", "--object-format=sha256", "-b", "main")
    write(modern, "x.txt", "x")
    commit(modern, "first")
    expect(await pullFrom(modern)).toMatchObject({ commit: expect.stringMatching(/^.{64}$/) })
    commit(source, "second")
    const shallow = box.clone(`file://${source}`, "shallow", "--depth=1")
    rmSync(clone, { recursive: true })
    expect((await pullFrom(shallow)).commit).toBe(git(source, "rev-parse", "HEAD"))
  })

  test("and lists the branches if its HEAD names none", async () => {
    git(source, "symbolic-ref", "HEAD", "refs/heads/gone")
    await expect(pullFrom(source)).rejects.toMatchObject({
      code: "REPOSITORY",
      hint: expect.stringContaining("main"),
    })
  })
})

describe("incomplete or damaged clones", () => {
  test("locks of a killed git", async () => {
    await pullFrom(source)
    for (const lock of [
      "index.lock",
      "shallow.lock",
      "HEAD.lock",
      "refs/heads/main.lock",
      "objects/pack/tmp_pack_x",
    ])
      writeFileSync(join(clone, ".git", lock), "")
    write(source, "a.txt", "three\n")
    commit(source, "second")
    await pullFrom(source)
    expect(text("a.txt")).toBe("three\n")
    expect(existsSync(join(clone, ".git/objects/pack/tmp_pack_x"))).toBe(false)
  })

  test.each(["HEAD", "index", "objects", "config", "refs"])("a damaged %s", async (name) => {
    await pullFrom(source)
    const path = join(clone, ".git", name)
    rmSync(path, { recursive: true })
    if (name !== "objects") writeFileSync(path, "garbage")
    write(clone, "left-over.txt", "from a run that was killed")
    write(source, "a.txt", "three\n")
    commit(source, "second")
    await pullFrom(source)
    expect({ a: text("a.txt"), files: files() }).toEqual({ a: "three\n", files: ["a.txt", "sub"] })
  })

  test("a repository around the clone stays untouched", async () => {
    const home = box.repository("home", { "precious.txt": "mine\n" })
    write(home, "precious.txt", "edited\n")
    write(home, "untracked.txt", "mine\n")
    clone = join(home, "data", "clone")
    await pullFrom(source)
    rmSync(join(clone, ".git", "HEAD"))
    await pullFrom(source)
    writeFileSync(join(clone, ".git", "HEAD"), "garbage")
    await pullFrom(source)
    expect(readFileSync(join(home, "precious.txt"), "utf8")).toBe("edited\n")
    expect(existsSync(join(home, "untracked.txt"))).toBe(true)
  })

  test("keeps the clone if the remote is gone or unreachable", async () => {
    await pullFrom(source)
    rmSync(source, { recursive: true })
    await expect(pullFrom(source)).rejects.toMatchObject({
      code: "REPOSITORY",
      hint: expect.stringContaining("remove"),
    })
    expect(text("a.txt")).toBe("one\n")
  })

  test("an interruption", async () => {
    const address = parseAddress(source, { cwd: null, home: "" })
    const options = { stallMs: 20_000, limits: LIMITS, signal: AbortSignal.abort() }
    await expect(pull(address, clone, options)).rejects.toMatchObject({ code: "INTERRUPTED" })
  })

  test("removes what many fetches leave behind", async () => {
    await pullFrom(source)
    const packs = () => readdirSync(join(clone, ".git/objects/pack")).filter((name) => name.endsWith(".pack"))
    const program =
      "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo $i | git hash-object -w --stdin | git pack-objects -q .git/objects/pack/pack; done"
    Bun.spawnSync(["sh", "-c", program], { cwd: clone })
    expect(packs().length).toBeGreaterThan(12)
    write(source, "a.txt", "new\n")
    commit(source, "second")
    await pullFrom(source)
    expect(packs().length).toBeLessThan(3)
    expect(git(clone, "fsck", "--no-dangling")).not.toContain("missing")
  })
})

/** A configuration as a user may have it: filters, hooks, templates and more, each of which leaves a mark when run. */
function armed(): { readonly marks: () => string[]; readonly env: Record<string, string> } {
  const marks = box.folder("marks")
  const program = (name: string) => {
    const path = join(box.folder("programs"), name)
    writeFileSync(path, `#!/bin/sh\ntouch '${marks}/${name}'\ncat\n`)
    chmodSync(path, 0o755)
    return path
  }
  const hooks = box.folder("hooks")
  const template = box.folder("template")
  mkdirSync(join(template, "hooks"))
  for (const name of [
    "post-checkout",
    "post-index-change",
    "reference-transaction",
    "post-merge",
    "pre-auto-gc",
  ]) {
    for (const folder of [hooks, join(template, "hooks")]) {
      writeFileSync(join(folder, name), `#!/bin/sh\ntouch '${marks}/${name}'\n`)
      chmodSync(join(folder, name), 0o755)
    }
  }
  const config = join(box.box, "gitconfig")
  writeFileSync(
    config,
    `[core]\n hooksPath = ${hooks}\n fsmonitor = ${program("fsmonitor")}\n symlinks = true\n autocrlf = true
[init]\n templateDir = ${template}\n[submodule]\n recurse = true\n[fetch]\n recurseSubmodules = true
[filter "lfs"]\n smudge = ${program("smudge")}\n process = ${program("process")}\n required = true
[filter "boom"]\n smudge = ${program("boom")}\n clean = ${program("clean")}\n required = true
[protocol "ext"]\n allow = always\n[protocol "file"]\n allow = always
[url "ext::${program("ext")} "]\n insteadOf = https://rewritten.example/\n`,
  )
  return { marks: () => readdirSync(marks).sort(), env: { GIT_CONFIG_GLOBAL: config } }
}

describe("runs nothing from a repository", () => {
  const hostile = () => {
    const inner = box.repository("inner", { "inner.txt": "inner" })
    write(source, ".gitattributes", "[attr]evil filter=boom\n* evil\n*.bin filter=lfs\n")
    write(source, "sub/.gitattributes", "*.txt filter=boom ident text eol=crlf\n")
    write(source, "sub/b.txt", "x $Id$\n")
    write(source, "big.bin", "version https://git-lfs.github.com/spec/v1\n")
    write(source, ".lfsconfig", "[lfs]\n url = https://evil.example/\n")
    git(source, "submodule", "add", "-q", inner, "module")
    git(source, "config", "-f", ".gitmodules", "submodule.module.update", "!touch pwned")
    Bun.spawnSync(["ln", "-s", "/etc/passwd", join(source, "link")])
    Bun.spawnSync(["ln", "-s", "..", join(source, "up")])
    commit(source, "hostile")
  }

  test("even if the user's own configuration has filters, hooks and templates", async () => {
    hostile()
    const { marks, env } = armed()
    const before = { ...process.env }
    Object.assign(process.env, env)
    try {
      // Plain git runs what the configuration names, so the marks would show it.
      Bun.spawnSync(["git", "clone", "-q", source, join(box.box, "plain")], { env: process.env })
      expect(marks()).not.toEqual([])
      for (const name of marks()) rmSync(join(box.box, "marks", name))
      await pullFrom(source)
      write(source, "sub/b.txt", "y $Id$\n")
      commit(source, "more")
      await pullFrom(source)
    } finally {
      for (const name of Object.keys(env)) delete process.env[name]
      Object.assign(process.env, before)
    }
    expect(marks()).toEqual([])
    expect(text("sub/b.txt")).toBe("y $Id$\n")
    expect(text("big.bin")).toContain("git-lfs")
    expect(readdirSync(join(clone, "module"))).toEqual([])
    expect(lstatSync(join(clone, "link")).isFile()).toBe(true)
    expect(lstatSync(join(clone, "up")).isFile()).toBe(true)
    expect(existsSync(join(clone, ".git", "hooks"))).toBe(false)
  })

  test("nor a transport that the user's configuration redirects to", async () => {
    const { marks, env } = armed()
    Object.assign(process.env, env)
    try {
      const address = "https://rewritten.example/x"
      await expect(pullFrom(address)).rejects.toMatchObject({ hint: expect.stringContaining("insteadOf") })
    } finally {
      delete process.env["GIT_CONFIG_GLOBAL"]
    }
    expect(marks()).toEqual([])
  })
})

const ID = "0".repeat(40)
const file = (path: string, size: number) => `100644 blob ${ID} ${String(size).padStart(7)}\t${path}\0`
const folder = (path: string) => `040000 tree ${ID}       -\t${path}\0`
const SMALL = { maxFiles: 3, maxBytes: 100, maxMs: 1000, maxMemoryBytes: 2 ** 30 }

function excessOf(listing: string, cuts: readonly number[] = []): string | null {
  const count = new TreeCount(SMALL, "/clones/a", "linux")
  const bytes = Buffer.from(listing)
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  let start = 0
  for (const end of ends) {
    const excess = count.add(bytes.subarray(start, end))
    if (excess !== null) return excess.message
    start = end
  }
  return null
}

test.each([
  ["as many files as are allowed", file("a", 1) + file("b/c", 1) + file("d\te", 98), null],
  ["one file more", "abcd".replace(/./g, (name) => file(name, 1)), "it has more than 3 files"],
  ["one folder more", "abcd".replace(/./g, folder), "it has more than 3 folders"],
  ["one byte more", file("a", 60) + file("b", 41), "its files have more than 100 bytes"],
  ["a submodule", `160000 commit ${ID}       -\tmodule\0`, null],
  [
    "a name that no system takes",
    file("a".repeat(256), 1),
    "it contains a path that is too long for this system",
  ],
  [
    "a path that is too deep",
    file("a/".repeat(2000), 1),
    "it contains a path that is too long for this system",
  ],
  [
    "a path that does not end",
    `100644 blob ${ID} 1\t${"a/".repeat(5000)}`,
    "it contains a path that is too long for this system",
  ],
])("%s", (_, listing, expected) => expect(excessOf(listing)).toBe(expected))

test("finds the same wherever the listing is cut into parts", () => {
  const entry = fc.oneof(
    fc
      .tuple(fc.string({ minLength: 1 }), fc.nat(60))
      .map(([name, size]) => file(name.replaceAll("\0", ""), size)),
    fc.string().map((name) => folder(name.replaceAll("\0", ""))),
  )
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 6 }), fc.array(fc.nat()), (entries, cuts) => {
      expect(excessOf(entries.join(""), cuts)).toBe(excessOf(entries.join("")))
    }),
  )
})
