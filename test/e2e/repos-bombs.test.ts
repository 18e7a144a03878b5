import { describe, expect, test } from "bun:test"
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { git } from "../git-repository.ts"
import { writeDeltaBomb } from "../hostile-packs.ts"
import { Remotes } from "./remotes.ts"

const PLAIN = { "a.go": "package a\n\n// Keep keeps.\nfunc Keep() {}\n" }

/**
 * Makes a commit of nested folders: each contains the same folder `width` times, `levels` deep; the innermost
 * contains `files` files.
 */
function treeBomb(bare: string, width: number, levels: number, files: number): void {
  writeFileSync(join(bare, "part.txt"), "bomb\n")
  const blob = git(bare, "hash-object", "-w", "part.txt")
  let tree = makeTree(
    bare,
    listing(files, (at) => `100644 blob ${blob}\tfile${at}.txt`),
  )
  for (let level = 0; level < levels; level++) {
    tree = makeTree(
      bare,
      listing(width, (at) => `040000 tree ${tree}\td${at}`),
    )
  }
  setMain(bare, tree)
}

function listing(length: number, line: (at: number) => string): string {
  return Array.from({ length }, (_, at) => `${line(at)}\n`).join("")
}

function blobBomb(bare: string, bytes: number): void {
  writeFileSync(join(bare, "zeros.bin"), Buffer.alloc(bytes))
  const blob = git(bare, "hash-object", "-w", "zeros.bin")
  setMain(bare, makeTree(bare, `100644 blob ${blob}\tzeros.bin\n`))
}

/** Makes a pack of a few kilobytes whose objects unpack to gigabytes; see `writeDeltaBomb`. */
function deltaBomb(bare: string, count: number, copies: number, isChain: boolean): void {
  const ids = writeDeltaBomb(bare, count, copies, isChain)
  setMain(
    bare,
    makeTree(
      bare,
      listing(ids.length, (at) => `100644 blob ${ids[at]}\tfile${at}.bin`),
    ),
  )
}

/** Makes a commit of a chain of folders, each of which contains the next one. */
function deepTree(bare: string, levels: number): void {
  let tree = makeTree(bare, "")
  // Must stay below git's own limit on depth; above it the fetch could fail before our limit applies.
  for (let level = 0; level < levels; level++)
    tree = makeTree(bare, `040000 tree ${tree}\t${"d".repeat(100)}\n`)
  setMain(bare, tree)
}

function makeTree(bare: string, listing: string): string {
  const { stdout, exitCode } = Bun.spawnSync(["git", "-C", bare, "mktree"], {
    env: { PATH: process.env["PATH"] ?? "", GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" },
    stdin: Buffer.from(listing),
  })
  if (exitCode !== 0) throw new Error("git mktree failed")
  return stdout.toString().trim()
}

function setMain(bare: string, tree: string): void {
  git(bare, "update-ref", "refs/heads/main", git(bare, "commit-tree", "-m", "bomb", tree))
}

type Bomb = readonly [what: string, make: (bare: string) => void, env: Record<string, string>, reason: string]

const BOMBS: readonly Bomb[] = [
  ["of a million files", (bare) => treeBomb(bare, 10, 5, 10), {}, "more than 300000 files"],
  // Without our limit on folders, git would walk ten billion folders and list no file.
  ["of folders that hold nothing", (bare) => treeBomb(bare, 10, 10, 0), {}, "more than 300000 folders"],
  ["of a chain of folders", (bare) => deepTree(bare, 200), {}, "a path that is too long for this system"],
  [
    "for one huge file",
    (bare) => blobBomb(bare, 20 * 1024 * 1024),
    { AMAN_REPOS_MAX_SIZE: "10MB" },
    "its files have more than 10",
  ],
]

describe("a bomb", () => {
  test.each(BOMBS)("%s is not added, and nothing of it remains", async (_, make, env, reason) => {
    using space = new Remotes()
    const bare = space.bare("bomb")
    make(bare)
    const added = await space.run(["repos", "add", bare], { env })
    expect([added.code, added.stderr]).toEqual([3, expect.stringContaining(reason)])
    expect(added.stderr).toMatch(/repos\.max_files|repos\.max_size|#branch/)
    expect((await space.json(["repos", "list"])).repositories).toEqual([])
    expect(leftIn(join(space.data, "repos"))).toEqual([])
    expect(leftIn(join(space.data, "indexes"))).toEqual([])
  })

  test.each(BOMBS)("%s in a known remote leaves the old clone unchanged", async (_, make, env, reason) => {
    using space = new Remotes()
    const bare = space.bare("turns", PLAIN)
    await space.json(["repos", "add", bare])
    const clone = join(space.data, "repos", leftIn(join(space.data, "repos"))[0]!)
    const packs = leftIn(join(clone, ".git/objects/pack"))
    make(bare)
    const synced = await space.run(["repos", "sync"], { env })
    expect([synced.code, synced.stdout]).toEqual([3, expect.stringContaining(reason)])
    expect(synced.stdout).toContain("the existing clone is kept")
    expect(leftIn(clone)).toEqual([".git", "a.go"])
    expect(leftIn(join(clone, ".git/objects/pack"))).toEqual(packs)
    expect(git(clone, "status", "--porcelain")).toBe("")
    const found = await space.json(["search", "--repository", "turns", "keeps"])
    expect(found.results[0].path).toBe("a.go")
    // After a refused update, the next sync works as usual.
    space.push("turns", { ...PLAIN, "b.go": "package a\n" })
    await space.json(["repos", "sync"], { env })
    expect(leftIn(clone)).toEqual([".git", "a.go", "b.go"])
  })
})

test("a setting admits a larger repository", async () => {
  using space = new Remotes()
  const bare = space.bare("large")
  treeBomb(bare, 5, 2, 2)
  const env = { AMAN_REPOS_MAX_FILES: "49" }
  expect((await space.run(["repos", "add", bare], { env })).stderr).toContain("more than 49 files")
  const added = await space.json(["repos", "add", bare], { env: { AMAN_REPOS_MAX_FILES: "50" } })
  expect(added.sync.repositories[0].files).toBe(50)
})

test("a remote that sends output endlessly is ended by repos.max_time", async () => {
  using space = new Remotes()
  // The server reports endless progress of counting objects, which must not extend the time limit.
  const endless = join(space.dir, "endless.sh")
  mkdirSync(space.remotes, { recursive: true })
  writeFileSync(
    endless,
    `#!/bin/sh\nwhile :; do echo "counting objects" >&2; read -t 1 _ < /dev/zero; done\n`,
    {
      mode: 0o755,
    },
  )
  const env = { GIT_SSH_COMMAND: endless, GIT_SSH_VARIANT: "ssh", AMAN_REPOS_MAX_TIME: "1s" }
  const added = await space.run(["repos", "add", "git@host.example:endless.git"], { env })
  expect([added.code, added.stderr]).toEqual([3, expect.stringContaining("took longer than 1 s")])
  expect(leftIn(join(space.data, "repos"))).toEqual([])
})

// Only Linux can limit the memory of a process.
test.skipIf(process.platform !== "linux")(
  "a pack of a few kilobytes that needs gigabytes is refused",
  async () => {
    using space = new Remotes()
    const bare = space.bare("turns", PLAIN)
    const env = { AMAN_REPOS_MAX_SIZE: "256MiB" }
    await space.json(["repos", "add", bare], { env })
    deltaBomb(bare, 1, 10, false)
    const synced = await space.run(["repos", "sync"], { env })
    expect([synced.code, synced.stdout]).toEqual([
      3,
      expect.stringContaining("git needed more than 67108864 bytes of memory"),
    ])
    expect(synced.stdout).toContain("the existing clone is kept")
    expect((await space.json(["search", "--repository", "turns", "keeps"])).results[0].path).toBe("a.go")
    const other = space.bare("bomb")
    deltaBomb(other, 1, 10, false)
    const added = await space.run(["repos", "add", other], { env })
    expect([added.code, added.stderr]).toEqual([3, expect.stringContaining("raise repos.max_size")])
    expect(leftIn(join(space.data, "repos"))).toHaveLength(1)
  },
)

test("a pack whose deltas take minutes to resolve is ended by repos.max_time", async () => {
  using space = new Remotes()
  const bare = space.bare("bomb")
  deltaBomb(bare, 3000, 1, true)
  const env = { AMAN_REPOS_MAX_TIME: "2s" }
  const added = await space.run(["repos", "add", bare], { env })
  expect([added.code, added.stderr]).toEqual([3, expect.stringContaining("took longer than 2 s")])
  expect(leftIn(join(space.data, "repos"))).toEqual([])
})

describe("a remote that redirects", () => {
  test.each([["file:"], ["ext:"], ["git:"], ["ftp:"]])("to %s is refused", async (scheme) => {
    using space = new Remotes()
    const bare = space.bare("secret", PLAIN)
    const target = {
      "file:": `file://${bare}`,
      "ext:": "ext::sh -c touch% ran",
      "git:": "git://127.0.0.1:9/secret.git",
      "ftp:": "ftp://127.0.0.1:9/secret.git",
    }[scheme]!
    using server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: ({ url }) => {
        const path = new URL(url).pathname.replace(/^\/x\.git/, "")
        return new Response(null, {
          status: 302,
          headers: { location: `${target}${path}?service=git-upload-pack` },
        })
      },
    })
    const added = await space.run(["repos", "add", `http://127.0.0.1:${server.port}/x.git`])
    expect(added.code).toBe(3)
    expect(existsSync(join(space.project, "ran"))).toBe(false)
    expect(leftIn(join(space.data, "repos"))).toEqual([])
  })
})

function leftIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).sort() : []
}
