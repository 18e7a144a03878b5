import { describe, expect, test } from "bun:test"
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { commit, git, write } from "../git-repository.ts"
import { Remotes } from "./remotes.ts"

const RETRY = {
  "src/retry.go":
    "package net\n\n// Backoff waits longer after each failure.\nfunc Backoff(try int) int {\n\treturn try * try\n}\n",
}
/** The content of all files below a folder as one text. */
function everyText(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
    .join("\n")
}

describe("a hostile repository", () => {
  test("runs nothing, leads nowhere and is not trusted", async () => {
    using space = new Remotes()
    const top = join(space.dir, "evil")
    mkdirSync(top)
    git(top, "init", "-q", "--template=", "-b", "main")
    const files = {
      ".gitattributes": "[attr]evil filter=boom\n* evil\n*.bin filter=lfs\n",
      "a.txt": "harmless words\n",
      "big.bin": "version https://git-lfs.github.com/spec/v1\n",
      ".aman/index.db": "planted",
      ".aman.yaml": "index:\n  max_file_size: 200MB\npaths:\n  exclude: []\n",
    }
    for (const [path, text] of Object.entries(files)) write(top, path, text)
    symlinkSync("/etc/passwd", join(top, "accounts.txt"))
    symlinkSync("../../../../..", join(top, "up"))
    git(top, "add", "-A", "-f")
    commit(top, "evil")
    const marks = join(space.dir, "marks")
    const hooks = join(space.dir, "template/hooks")
    mkdirSync(marks)
    mkdirSync(hooks, { recursive: true })
    for (const name of ["post-checkout", "reference-transaction", "post-index-change"]) {
      writeFileSync(join(hooks, name), `#!/bin/sh\ntouch '${marks}/${name}'\n`, { mode: 0o755 })
    }
    const touch = (name: string) => `touch '${marks}/${name}'; cat`
    writeFileSync(
      join(space.home, ".gitconfig"),
      `[init]\n templateDir = ${join(space.dir, "template")}\n[core]\n symlinks = true\n hooksPath = ${hooks}
[filter "boom"]\n smudge = ${touch("boom")}\n required = true
[filter "lfs"]\n smudge = ${touch("smudge")}\n process = ${touch("process")}\n required = true\n`,
    )
    const plain = Bun.spawnSync(["git", "clone", "-q", top, join(space.dir, "plain")], { env: space.env })
    expect([plain.exitCode === 0, readdirSync(marks).length > 0]).toContain(true)
    for (const name of readdirSync(marks)) rmSync(join(marks, name))
    await space.json(["repos", "add", top])
    expect(readdirSync(marks)).toEqual([])
    const clone = join(space.data, "repos", readdirSync(join(space.data, "repos"))[0]!)
    expect(lstatSync(join(clone, "accounts.txt")).isSymbolicLink()).toBe(false)
    expect((await space.run(["read", "--repository", "evil", "accounts.txt"])).stdout).toBe("/etc/passwd\n")
    symlinkSync("/etc/passwd", join(clone, "later.txt"))
    expect((await space.run(["read", "--repository", "evil", "later.txt"])).stderr).toContain(
      "outside the repository",
    )
    expect((await space.json(["search", "--repository", "evil", "harmless words"])).results[0].path).toBe(
      "a.txt",
    )
  })
})

describe("passwords", () => {
  test("a mistyped address is not saved, and one with a password is never accepted, stored or shown", async () => {
    using space = new Remotes()
    const failed = await space.run(["repos", "add", join(space.remotes, "nowhere.git")])
    expect([failed.code, failed.stderr]).toEqual([3, expect.stringContaining("it was not added")])
    expect(failed.stderr).toContain("check the address")
    expect(failed.stderr).not.toContain("repos remove")
    expect((await space.json(["repos", "list"])).repositories).toEqual([])
    const secret = "hunter2secret"
    const outputs: string[] = []
    for (const url of [`https://me:${secret}@host.example/x`, `https://ghp_${secret}@host.example/x`]) {
      for (const [args, env] of [
        [["repos", "add", url], {}],
        [["repos", "sync"], { AMAN_REPOS_URLS: url }],
        [["repos", "status", "--json"], { AMAN_REPOS_URLS: url }],
        [["config", "set", "repos.urls", url], {}],
        [["config", "show", "--verbose"], { AMAN_REPOS_URLS: url }],
        [["config", "validate"], { AMAN_REPOS_URLS: url }],
      ] as const) {
        const { stdout, stderr } = await space.run(args, { env })
        outputs.push(stdout, stderr)
      }
    }
    expect(outputs.join("\n")).not.toContain(`me:${secret}`)
    expect(outputs.join("\n")).toContain("password")
    expect(everyText(space.home)).not.toContain(`me:${secret}`)
  })

  test("over HTTP the user's credential helper answers, and its answer is stored nowhere", async () => {
    using space = new Remotes()
    space.bare("net", RETRY)
    const password = "correct-horse-battery"
    using server = serveHttp(space.remotes, password)
    const url = `http://127.0.0.1:${server.port}/net.git`
    const refused = await space.run(["repos", "add", url])
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining("credential helper")])
    const helper = join(space.dir, "helper.sh")
    writeFileSync(helper, `#!/bin/sh\nprintf 'username=me\\npassword=${password}\\n'\n`, { mode: 0o755 })
    writeFileSync(join(space.home, ".gitconfig"), `[credential]\n helper = ${helper}\n`)
    const added = await space.json(["repos", "add", url])
    expect(added).toMatchObject({
      repository: `127.0.0.1:${server.port}/net`,
      sync: { repositories: [{ files: 1 }] },
    })
    expect(JSON.stringify(added)).not.toContain(password)
    expect(everyText(space.home)).not.toContain(password)
    writeFileSync(
      join(space.home, ".gitconfig"),
      `[url "http://me:${password}@127.0.0.1:${server.port}/"]
 insteadOf = ${url.replace("net.git", "")}\n`,
    )
    rmSync(join(space.remotes, "net.git"), { recursive: true })
    const gone = await space.run(["repos", "sync"])
    expect([gone.code, gone.stdout]).toEqual([3, expect.stringContaining("not found")])
    const status = await space.run(["repos", "status", "--json"])
    expect(gone.stdout + gone.stderr + status.stdout + everyText(space.data)).not.toContain(password)
  })
})

/** Smart HTTP by git's own CGI program, behind a name and a password. */
function serveHttp(root: string, password: string) {
  return Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const wanted = `Basic ${btoa(`me:${password}`)}`
      if (request.headers.get("authorization") !== wanted) {
        return new Response("who?", { status: 401, headers: { "www-authenticate": 'Basic realm="test"' } })
      }
      const { pathname, search } = new URL(request.url)
      const child = Bun.spawn(["git", "http-backend"], {
        env: {
          PATH: process.env["PATH"] ?? "",
          GIT_PROJECT_ROOT: root,
          GIT_HTTP_EXPORT_ALL: "1",
          PATH_INFO: pathname,
          QUERY_STRING: search.slice(1),
          REQUEST_METHOD: request.method,
          CONTENT_TYPE: request.headers.get("content-type") ?? "",
          HTTP_CONTENT_ENCODING: request.headers.get("content-encoding") ?? "",
          GIT_PROTOCOL: request.headers.get("git-protocol") ?? "",
          GIT_CONFIG_COUNT: "1",
          GIT_CONFIG_KEY_0: "safe.directory",
          GIT_CONFIG_VALUE_0: "*",
        },
        stdin: await request.blob(),
        stdout: "pipe",
        stderr: "ignore",
      })
      const bytes = Buffer.from(await new Response(child.stdout).arrayBuffer())
      const end = bytes.indexOf("\r\n\r\n")
      const headers = bytes
        .toString("latin1", 0, end)
        .split("\r\n")
        .map((line) => line.split(/: (.*)/s, 2) as [string, string])
      const status = Number(headers.find(([name]) => name === "Status")?.[1]?.slice(0, 3) ?? 200)
      return new Response(bytes.subarray(end + 4), {
        status,
        headers: headers.filter(([name]) => name !== "Status"),
      })
    },
  })
}
