import { expect, test } from "bun:test"
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { connect } from "./connect.ts"
import { Remotes, until } from "./remotes.ts"

const RETRY = {
  "src/retry.go":
    "package net\n\n// Backoff waits longer after each failure.\nfunc Backoff(try int) int {\n\treturn try * try\n}\n",
}
const PARSER = { "lib/parser.py": "def parse_header(line):\n    return line.split(':')\n" }

const names = (found: readonly { readonly path: string }[]) => found.map(({ path }) => path)

test("a due sync starts after the client connects and never delays a query", async () => {
  using space = new Remotes()
  space.write("own.py", "def own_function():\n    return 1\n")
  space.bare("net", RETRY)
  const env = { ...space.sshEnv, AMAN_REPOS_URLS: space.sshUrl("net") }
  writeFileSync(join(space.dir, "hold"), "")
  await using server = await connect(space, { env })
  await until(() => space.sshLog.length > 0, "the clone to begin")
  // The clone is held until the end: a call that waited for it would not return.
  const early = await server.call("search", { query: "Backoff", repository: "net" })
  const listed = await server.call("repositories")
  expect(early.structuredContent).toMatchObject({ results: [], partial: { done: 0, total: 1 } })
  expect(early.content[0]!.text).toContain("has not been cloned yet; try again shortly")
  expect(listed.structuredContent).toMatchObject({ syncing: true, repositories: [{ state: "pending" }] })
  const own = await server.call("search", { query: "own_function" })
  expect(own.isError).toBeFalsy()
  rmSync(join(space.dir, "hold"))
  const ready = async () => {
    const { structuredContent } = await server.call("repositories")
    return structuredContent.repositories[0].state === "ready"
  }
  await until(ready, "the index")
  const { structuredContent, content } = await server.call("search", { query: "Backoff", repository: "*" })
  const name = `host.example${space.remotes}/net`
  expect(structuredContent.results[0]).toMatchObject({ repository: name, path: "src/retry.go" })
  expect(structuredContent.repositories).toMatchObject([{ repository: name, stale: false }])
  expect(content[0]!.text).toContain(`1. ${name} src/retry.go:3-6\n`)
  const read = await server.call("read", {
    repository: name,
    path: "src/retry.go",
    start_line: 4,
    end_line: 4,
  })
  expect(read.structuredContent).toMatchObject({ repository: name, text: "func Backoff(try int) int {" })
  expect(read.content[0]!.text).toContain(`${name} src/retry.go:4-4`)
  const alone = await server.call("search", { query: "Backoff", repository: "", extension: "" })
  expect(names(alone.structuredContent.results)).not.toContain("src/retry.go")
})

test("several are searched as one, by words and by pattern; a sync brings changes", async () => {
  using space = new Remotes()
  const env = { AMAN_REPOS_URLS: [space.bare("net", RETRY), space.bare("parser", PARSER)].join() }
  await space.json(["repos", "sync"], { env })
  await using server = await connect(space, { env })
  const two = await server.call("search", {
    queries: ["Backoff", "parse_header"],
    repository: "*",
    extension: "py",
  })
  const [elsewhere, here] = two.structuredContent.answers.map(({ results }: never) => names(results))
  // No Python file contains the word. The nearest one may be returned, but not the Go file that contains it.
  expect(elsewhere).not.toContain("src/retry.go")
  expect(here).toEqual(["lib/parser.py"])
  const lines = { query: "return", repository: "*", mode: "exact" }
  const grep = await server.call("search", lines)
  expect(grep.structuredContent).toMatchObject({ files: 2, matches: 2, searched: 2, next_offset: null })
  expect(grep.content[0]!.text).toContain(`${space.remotes}/net.git src/retry.go (1 line)`)
  const first = await server.call("search", { ...lines, limit: 1 })
  expect(first.structuredContent.next_offset).toBe(1)
  const second = await server.call("search", { ...lines, limit: 1, offset: 1 })
  expect(names(second.structuredContent.results)).toEqual(["lib/parser.py"])
  space.push("net", { "src/other.go": "package net\n\nfunc Jitter() int { return 4 }\n" })
  const synced = await server.call("repositories", { action: "sync", repository: "net" })
  expect(synced.structuredContent.synced).toMatchObject([{ outcome: "updated", changed: 1, removed: 1 }])
  const jitter = await server.call("search", { query: "Jitter", repository: "net" })
  expect(names(jitter.structuredContent.results)).toEqual(["src/other.go"])
  rmSync(join(space.remotes, "parser.git"), { recursive: true })
  const failed = await server.call("repositories", { action: "sync" })
  expect(failed.structuredContent.repositories[1]).toMatchObject({ state: "failed", searchable: true })
  expect(failed.content[0]!.text).toMatch(
    /parser\.git: failed, 1 files, updated .*, failed at .*git repository/,
  )
  for (const [call, args, text] of [
    ["search", { query: "x", repository: "nowhere" }, "there are"],
    ["read", { path: "lib/parser.py", repository: "*" }, "choose one of"],
    ["read", { path: "../x", repository: "net" }, "outside the repository"],
  ] as const) {
    const { isError, content } = await server.call(call, args)
    expect([isError, content[0]!.text]).toEqual([true, expect.stringContaining(text)])
  }
})

test("servers sync one after another when the interval is over", async () => {
  using space = new Remotes()
  space.bare("net", RETRY)
  const env = { ...space.sshEnv, AMAN_REPOS_URLS: space.sshUrl("net"), AMAN_REPOS_SYNC_INTERVAL: "300ms" }
  await using one = await connect(space, { env })
  await using two = await connect(space, { env })
  await until(async () => {
    const { structuredContent } = await one.call("repositories")
    return structuredContent.repositories[0].state === "ready"
  }, "the first sync")
  space.push("net", { "src/other.go": "package net\n\nfunc Jitter() int { return 4 }\n" })
  for (const server of [one, two]) {
    await until(async () => {
      const { structuredContent } = await server.call("search", { query: "Jitter", repository: "net" })
      return structuredContent.results[0]?.path === "src/other.go"
    }, "the news")
  }
  let running = 0
  const most = Math.max(...space.sshLog.map((line) => (running += line.startsWith("+") ? 1 : -1)))
  expect(most).toBe(1)
})

test("without configuration there is no network and no file; a later one is found without a restart", async () => {
  using space = new Remotes()
  await using server = await connect(space, { env: space.sshEnv })
  const none = await server.call("search", { query: "x", repository: "*" })
  expect([none.isError, none.content[0]!.text]).toEqual([true, expect.stringContaining("aman repos add URL")])
  const { structuredContent, content } = await server.call("repositories")
  expect(structuredContent).toMatchObject({ syncing: false, repositories: [] })
  expect(content[0]!.text).toContain("aman repos add URL")
  expect(space.sshLog).toEqual([])
  expect(existsSync(space.data)).toBe(false)
  await space.json(["repos", "add", space.bare("net", RETRY)])
  const found = await server.call("search", { query: "Backoff", repository: "net" })
  expect(found.structuredContent.results).toHaveLength(1)
  await space.json(["repos", "remove", "net"])
  expect((await server.call("search", { query: "Backoff", repository: "net" })).isError).toBe(true)
})

test("logs background failures without parts of an address", async () => {
  using space = new Remotes()
  const env = { AMAN_REPOS_URLS: "ssh://somebody@127.0.0.1:9/x.git", GIT_SSH_COMMAND: "false" }
  await using server = await connect(space, { env })
  await until(async () => {
    const { structuredContent } = await server.call("repositories")
    return structuredContent.repositories[0].state === "failed"
  }, "the failure")
  const logs = join(space.home, ".local/share/aman/logs")
  const text = readdirSync(logs)
    .map((name) => readFileSync(join(logs, name), "utf8"))
    .join("")
  expect(text).toContain("a repository could not be synced")
  expect(text).not.toContain("somebody")
})
