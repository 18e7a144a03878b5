import { describe, expect, test } from "bun:test"
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { commit, git, write } from "../git-repository.ts"
import { binary } from "./harness.ts"
import { Remotes, until } from "./remotes.ts"

const RETRY = {
  "src/retry.go":
    "package net\n\n// Backoff waits longer after each failure.\nfunc Backoff(try int) int {\n\treturn try * try\n}\n",
}
const PARSER = {
  "lib/parser.py": "def parse_header(line):\n    return line.split(':')\n",
  "README.md": "# Parser\n\nReads headers.\n",
}

describe("other repositories", () => {
  test("are added, searched together and separately, read, and removed", async () => {
    using space = new Remotes()
    const added = await space.json(["repos", "add", space.bare("net", RETRY)])
    expect(added).toMatchObject({ added: true, sync: { repositories: [{ outcome: "cloned", files: 1 }] } })
    await space.json(["repos", "add", `file://${space.bare("parser", PARSER)}`])
    const { results, repositories } = await space.json(["search", "--repository", "*", "backoff"])
    expect(results[0]).toMatchObject({
      path: "src/retry.go",
      repository: `${space.remotes}/net.git`,
      score: 1,
    })
    expect(repositories).toHaveLength(2)
    expect(repositories[0]).toMatchObject({ stale: false, commit: expect.stringMatching(/^[0-9a-f]{40}$/) })
    const apart = await space.json(["search", "--repository", "PARSER", "--ext", ".PY", "header"])
    expect(apart.results.map(({ path }: { path: string }) => path)).toEqual(["lib/parser.py"])
    const read = await space.json(["read", "--repository", "net", "src/retry.go:4"])
    expect(read).toMatchObject({
      repository: `${space.remotes}/net.git`,
      text: "func Backoff(try int) int {",
    })
    expect((await space.run(["search", "--json", "Backoff"])).stdout).toContain('"results":[]')
    const shown = await space.run(["search", "--repository", "net", "Backoff"])
    expect(shown.stdout).toContain(`${space.remotes}/net.git src/retry.go:`)
    expect((await space.run(["repos"])).stdout.match(/ready/g)).toHaveLength(2)
    await space.json(["repos", "remove", "net"])
    expect((await space.json(["repos", "list"])).repositories).toHaveLength(1)
    expect(readdirSync(join(space.data, "repos"))).toHaveLength(1)
    expect(readdirSync(join(space.data, "indexes"))).toHaveLength(1)
    expect((await space.run(["search", "--repository", "net", "Backoff"])).code).toBe(1)
  })

  test("are named by file, environment and flag, optionally with a branch", async () => {
    using space = new Remotes()
    space.bare("net", RETRY)
    space.push("net", { "src/next.go": "package next\n" }, "next")
    const env = { AMAN_REPOS_URLS: `${space.remotes}/net.git, file://${space.remotes}/net.git#next` }
    const flags = ["--repos-urls", space.bare("parser", PARSER)]
    const { repositories } = await space.json(["repos", "sync", ...flags], { env })
    expect(repositories.map(({ outcome, files }: never) => [outcome, files])).toEqual([
      ["cloned", 1],
      ["cloned", 1],
      ["cloned", 2],
    ])
    const paths = async (name: string) => {
      const { results } = await space.json(["search", "--repository", name, "package"], { env })
      return results.map(({ path }: { path: string }) => path)
    }
    expect(await paths("#next")).toEqual(["src/next.go"])
    expect((await paths("*")).sort()).toEqual(["src/next.go", "src/retry.go"])
    const manifest = JSON.parse(readFileSync(join(space.data, "state/manifest.json"), "utf8"))
    expect(manifest).toMatchObject({ version: 1, last_sync: expect.any(String) })
    expect(Object.values(manifest.repos)).toContainEqual({
      url: `${space.remotes}/net.git`,
      cloned_at: expect.any(String),
      last_pull: expect.any(String),
      last_attempt: expect.any(String),
      last_commit: expect.any(String),
      last_indexed: expect.any(String),
      file_count: 1,
    })
  })

  test("follow their remotes: edits, deletions, a forced push, another default branch, no commits", async () => {
    using space = new Remotes()
    space.bare("net", { ...RETRY, ...PARSER })
    await space.json(["repos", "add", `${space.remotes}/net.git`])
    const sync = async () => (await space.json(["repos", "sync"])).repositories[0]
    expect(await sync()).toMatchObject({ outcome: "unchanged", changed: 0 })
    space.push("net", { "src/again.go": RETRY["src/retry.go"] })
    expect(await sync()).toMatchObject({ outcome: "updated", changed: 1, removed: 3, files: 1 })
    const found = async (query: string) => {
      const { stdout } = await space.run(["search", "--json", "--repository", "net", query])
      return JSON.parse(stdout).results.map(({ path }: { path: string }) => path)
    }
    expect(await found("Backoff")).toEqual(["src/again.go"])
    const bare = join(space.remotes, "net.git")
    space.push("net", PARSER, "trunk")
    git(bare, "symbolic-ref", "HEAD", "refs/heads/trunk")
    git(bare, "branch", "-q", "-D", "main")
    expect(await sync()).toMatchObject({ outcome: "updated", files: 2 })
    expect(await found("parse_header")).toContain("lib/parser.py")
    rmSync(bare, { recursive: true })
    space.bare("net")
    expect(await sync()).toMatchObject({ outcome: "empty", commit: null, files: 0 })
    expect((await space.json(["repos", "status"])).repositories[0]).toMatchObject({
      state: "empty",
      error: null,
    })
  })

  test("one alone is ranked as its checkout is, with the best page at the same place", async () => {
    using space = new Remotes()
    const [question, top] = ["how is a request retried after a failure", space.project]
    git(top, "init", "-q", "--template=", "-b", "main")
    for (const name of ["one", "two", "three", "four", "five", "six"])
      write(
        top,
        `src/${name}.py`,
        `def ${name}_retry(client):\n    """Retries the request after a failure, with backoff."""\n    return client.retry_request(${name})\n`,
      )
    write(
      top,
      "docs/waiting.md",
      `# How a request is retried\n\nA request is retried after a failure, with backoff.\n`,
    )
    commit(top, "all")
    await space.json(["repos", "add", top])
    const here = await space.json(["search", "--explain", question])
    const there = await space.json(["search", "--explain", "--repository", top, question])
    for (const result of there.results) delete result.repository
    expect(there.results).toEqual(here.results)
    expect(JSON.stringify(here.results[3])).toContain("best page")
  })

  test("links are left out, as in a checkout, until the repository has a file there", async () => {
    using space = new Remotes()
    const top = join(space.dir, "linked")
    mkdirSync(top)
    git(top, "init", "-q", "--template=", "-b", "main")
    write(top, "guide/backoff.md", "# Waiting longer\n")
    symlinkSync("guide/backoff.md", join(top, "backoff.md"))
    commit(top, "a link")
    expect((await space.json(["repos", "add", top])).sync.repositories[0]).toMatchObject({ files: 1 })
    const found = async () => {
      const { results } = await space.json(["search", "--repository", "linked", "backoff"])
      return results.map(({ path }: { path: string }) => path).sort()
    }
    expect(await found()).toEqual(["guide/backoff.md"])
    // The same text, now as a file.
    rmSync(join(top, "backoff.md"))
    write(top, "backoff.md", "guide/backoff.md")
    commit(top, "a file")
    expect((await space.json(["repos", "sync"])).repositories[0]).toMatchObject({ changed: 1, files: 2 })
    expect(await found()).toEqual(["backoff.md", "guide/backoff.md"])
  })

  test("a failed repository is reported, still answers, and does not affect the others", async () => {
    using space = new Remotes()
    const env = {
      AMAN_REPOS_URLS: [space.bare("net", RETRY), space.bare("parser", PARSER), "/nowhere"].join(),
    }
    expect((await space.run(["repos", "sync"], { env })).code).toBe(3)
    rmSync(join(space.remotes, "net.git"), { recursive: true })
    const { stdout, code } = await space.run(["repos", "sync", "--json"], { env })
    expect(code).toBe(3)
    const outcomes = JSON.parse(stdout).repositories.map(({ outcome }: { outcome: string }) => outcome)
    expect(outcomes).toEqual(["failed", "unchanged", "failed"])
    const { repositories } = await space.json(["repos", "status"], { env })
    expect(repositories[0]).toMatchObject({ state: "failed", searchable: true, stale: true })
    expect(repositories[0].error).toContain("does not appear to be a git repository")
    expect(Date.parse(repositories[0].error_at)).toBeGreaterThan(Date.parse(repositories[0].last_pull))
    const found = await space.json(["search", "--repository", "*", "Backoff"], { env })
    expect(found.results[0]).toMatchObject({ path: "src/retry.go" })
    expect(found.notices.join("\n")).toMatch(
      /could not be updated: \S+net\.git \(last updated 2\S+\): .*git repository/,
    )
    rmSync(join(space.remotes, "parser.git"), { recursive: true })
    await space.run(["repos", "sync"], { env })
    const { notices } = await space.json(["search", "--repository", "*", "Backoff"], { env })
    expect(notices.filter((each: string) => each.includes("could not be updated"))).toEqual([
      expect.stringMatching(/net\.git .*; \S+parser\.git .*git repository/),
    ])
    expect(found.notices.join("\n")).toMatch(/\/nowhere is not available: .*git repository/)
    expect((await space.run(["repos", "status"], { env })).stdout).toContain("failed    just now: ")
  })

  test("ten are fetched at most four at a time, over ssh", async () => {
    using space = new Remotes()
    const names = Array.from({ length: 10 }, (_, at) => `repo_${at}`)
    for (const name of names) space.bare(name, { "a.txt": `the word of ${name}\n` })
    const env = { ...space.sshEnv, AMAN_REPOS_URLS: names.map((name) => space.sshUrl(name)).join() }
    const { repositories } = await space.json(["repos", "sync"], { env })
    expect(repositories.filter(({ outcome }: { outcome: string }) => outcome === "cloned")).toHaveLength(10)
    let running = 0
    const most = Math.max(...space.sshLog.map((line) => (running += line.startsWith("+") ? 1 : -1)))
    expect(most).toBeLessThanOrEqual(4)
    expect(most).toBeGreaterThan(1)
    const { results } = await space.json(["search", "--repository", "*", "word of repo_7"], { env })
    expect(results[0].repository).toEndWith("repo_7")
  }, 60_000)

  test.each(
    process.platform === "linux" ? (["SIGINT", "SIGTERM", "SIGHUP"] as const) : (["SIGINT"] as const),
  )("%s in the middle of a clone leaves no partial clone and no git process, and says so", async (signal) => {
    using space = new Remotes()
    space.bare("net", RETRY)
    const env = space.sshEnv
    writeFileSync(join(space.dir, "hold"), "")
    const child = Bun.spawn([binary, "repos", "add", space.sshUrl("net")], {
      cwd: space.project,
      env: { ...space.env, ...env },
      stderr: "pipe",
    })
    await until(() => space.sshLog.length > 0 && space.sshLog[0] !== "", "a call of ssh")
    child.kill(signal)
    const codes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }
    expect([await child.exited, await child.stderr.text()]).toEqual([
      codes[signal],
      "interrupted; nothing was added, run the same command to start again\n",
    ])
    expect((await space.json(["repos", "list"], { env })).repositories).toEqual([])
    const running = Bun.spawnSync(["ps", "axo", "args"]).stdout.toString()
    expect(running).not.toContain(`${space.dir}/ssh.sh`)
    rmSync(join(space.dir, "hold"))
    expect((await space.run(["repos", "add", space.sshUrl("net")], { env })).code).toBe(0)
  })

  describe("a failed addition deletes nothing of another process:", () => {
    const add = (space: Remotes, url: string) =>
      Bun.spawn([binary, "repos", "add", url], {
        cwd: space.project,
        env: { ...space.env, ...space.sshEnv },
        stdout: "ignore",
        stderr: "pipe",
      })
    const end = async (child: ReturnType<typeof add>) => [await child.exited, await child.stderr.text()]

    test("while another process adds the same repository", async () => {
      using space = new Remotes()
      space.bare("net", RETRY)
      const url = space.sshUrl("net")
      writeFileSync(join(space.dir, "hold"), "")
      const first = add(space, url)
      await until(() => space.sshLog[0]?.startsWith("+") === true, "a call of ssh")
      const second = add(space, url)
      await Bun.sleep(1000)
      second.kill("SIGINT")
      await Bun.sleep(100)
      rmSync(join(space.dir, "hold"))
      expect(await first.exited).toBe(0)
      const told = await end(second)
      const { repositories } = await space.json(["repos", "list"])
      expect(repositories).toMatchObject([{ state: "ready" }])
      expect(told).toEqual([
        130,
        expect.stringMatching(
          /^interrupted; (?:nothing was added to your settings; an older clone|it is configured)/,
        ),
      ])
    })

    test("an address from other settings, interrupted or without its remote", async () => {
      using space = new Remotes()
      space.bare("net", RETRY)
      const url = space.sshUrl("net")
      const env = { ...space.sshEnv, AMAN_REPOS_URLS: url }
      await space.json(["repos", "sync"], { env })
      writeFileSync(join(space.dir, "hold"), "")
      const calls = space.sshLog.length
      const child = add(space, url)
      await until(() => space.sshLog.length > calls, "a call of ssh")
      child.kill("SIGINT")
      const told = await end(child)
      rmSync(join(space.dir, "hold"))
      rmSync(join(space.remotes, "net.git"), { recursive: true })
      expect((await space.run(["repos", "add", url], { env: space.sshEnv })).code).toBe(3)
      const { results } = await space.json(["search", "--repository", "net", "Backoff"], { env })
      expect(results[0].path).toBe("src/retry.go")
      expect(told).toEqual([130, expect.stringContaining("an older clone stays in place")])
    })

    test("an address that was added to the settings meanwhile", async () => {
      using space = new Remotes()
      space.bare("net", RETRY)
      const url = space.sshUrl("net")
      writeFileSync(join(space.dir, "hold"), "")
      const child = add(space, url)
      await until(() => space.sshLog[0]?.startsWith("+") === true, "a call of ssh")
      await space.json(["repos", "add", "--later", url])
      child.kill("SIGINT")
      const told = await end(child)
      expect(readdirSync(join(space.data, "repos"))).toHaveLength(1)
      expect(told).toEqual([130, expect.stringContaining("it is configured")])
    })
  })

  test("are cloned from a git daemon, too", async () => {
    using space = new Remotes()
    space.bare("net", RETRY)
    const port = freePort()
    const daemon = Bun.spawn(
      [
        "git",
        "daemon",
        "--export-all",
        `--base-path=${space.remotes}`,
        "--listen=127.0.0.1",
        `--port=${port}`,
      ],
      { stdin: "ignore", stdout: "ignore", stderr: "ignore", detached: true },
    )
    try {
      const url = `git://127.0.0.1:${port}/net.git`
      await until(async () => (await space.run(["repos", "add", url])).code === 0, "the daemon")
      expect((await space.json(["repos", "list"])).repositories[0]).toMatchObject({
        repository: `127.0.0.1:${port}/net`,
        state: "ready",
      })
    } finally {
      process.kill(-daemon.pid, "SIGKILL")
    }
  })

  test("are no longer searched after removal, and deleted from the disk on request", async () => {
    using space = new Remotes()
    const [net, parser] = [space.bare("net", RETRY), space.bare("parser", PARSER)]
    await space.json(["repos", "sync"], { env: { AMAN_REPOS_URLS: `${net},${parser}` } })
    const env = { AMAN_REPOS_URLS: parser }
    const { stdout } = await space.run(["search", "--json", "--repository", "*", "Backoff"], { env })
    expect(stdout).not.toContain("retry.go")
    const { repositories } = await space.json(["repos", "status"], { env })
    expect(repositories.map(({ state }: { state: string }) => state)).toEqual(["ready", "unlisted"])
    expect(readdirSync(join(space.data, "repos"))).toHaveLength(2)
    expect((await space.json(["repos", "remove", "--unlisted"], { env })).removed).toHaveLength(1)
    expect(readdirSync(join(space.data, "repos"))).toHaveLength(1)
    const refused = await space.run(["repos", "remove", "parser"], { env })
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("AMAN_REPOS_URLS")])
  })
})

describe("messages without repositories or results", () => {
  test("name the next step", async () => {
    using space = new Remotes()
    const ask = async (...args: string[]) => {
      const { code, stderr } = await space.run(args)
      return [code, stderr] as const
    }
    expect(await ask("search", "--repository", "*", "x")).toEqual([
      1,
      expect.stringContaining("aman repos add"),
    ])
    expect(await ask("repos", "sync")).toEqual([1, expect.stringContaining("AMAN_REPOS_URLS")])
    expect(await ask("repos", "add", space.bare("net", RETRY), "--later")).toEqual([0, ""])
    expect(await ask("search", "--repository", "net", "x")).toEqual([
      1,
      expect.stringContaining("aman repos sync"),
    ])
    expect(await ask("read", "--repository", "net", "x")).toEqual([
      1,
      expect.stringContaining("aman repos sync"),
    ])
    await space.json(["repos", "sync"])
    expect(await ask("search", "--repository", "net", "zebra", "--mode", "keyword")).toEqual([
      1,
      expect.stringContaining("try other words"),
    ])
    expect(await ask("search", "--repository", "ne", "--like", "src/retry.go:4")).toEqual([
      1,
      expect.anything(),
    ])
    for (const [path, message] of [
      ["nowhere.go", "no file"],
      ["../net.git/HEAD", "is outside the repository"],
      ["/etc/passwd", "is outside the repository"],
      ["src", "is a folder"],
      [".git/config", "is never read"],
    ] as const) {
      expect(await ask("read", "--repository", "net", path)).toEqual([
        message === "is never read" ? 3 : 1,
        expect.stringContaining(message),
      ])
    }
    expect(await ask("search", "--repository", "nett.git", "x")).toEqual([
      1,
      expect.stringContaining("there are"),
    ])
    const big = { "big.txt": "word\n".repeat(1_700_000), "binary.dat": "\0\x01\x02".repeat(500) }
    await space.json(["repos", "add", space.bare("big", big)])
    expect(await ask("read", "--repository", "/big.git", "big.txt")).toEqual([
      3,
      expect.stringMatching(/too large: 8500000 bytes, at most 8388608[\s\S]*index.max_file_size 9MB/),
    ])
    expect(await ask("read", "--repository", "/big.git", "binary.dat")).toEqual([
      3,
      expect.stringContaining("binary"),
    ])
    expect(await ask("read", "--repository", "*", "x")).toEqual([2, expect.stringContaining("choose one of")])
    const wrong = await space.run(["config", "validate"], { env: { AMAN_REPOS_URLS: "/fine,ext::sh -c x" } })
    expect([wrong.code, wrong.stdout]).toEqual([2, expect.stringContaining("address 4 of repos.urls")])
  })
})

function freePort(): number {
  const server = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } })
  const { port } = server
  server.stop(true)
  return port
}
