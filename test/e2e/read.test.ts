import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { linkSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { type Connection, connect } from "./connect.ts"
import { Workspace } from "./harness.ts"

const MARK = "FORBIDDEN-CONTENT"

let space: Workspace
let server: Connection
beforeAll(async () => {
  space = new Workspace({
    ".gitignore": "*.log\n",
    ".gitattributes": "* text=auto\n",
    ".github/ci.yml": "run: it\n",
    ".aman.yaml": "",
    "src/a.ts": "one\ntwo\n",
    "ignored.log": "a line\n",
    "password_reset.ts": "export {}\n",
    ".env": MARK,
    ".env.local": MARK,
    "certs/server.pem": MARK,
    "notes.txt": `-----BEGIN OPENSSH PRIVATE KEY-----\n${MARK}\n`,
    ".ssh/config": MARK,
    ".git/config": MARK,
    ".git/HEAD": "ref: refs/heads/main\n",
    "sub/.GIT/config": MARK,
    "sub/.git/config": MARK,
    "sub/.aman/index.db": MARK,
  })
  writeFileSync(join(space.dir, "outside.txt"), MARK)
  mkdirSync(join(space.dir, "project-two"))
  writeFileSync(join(space.dir, "project-two/a.txt"), MARK)
  const link = (to: string, name: string) => symlinkSync(to, join(space.project, name))
  link("../outside.txt", "out.txt")
  link("..", "up")
  link("/", "everything")
  link("/dev/zero", "zero")
  link(".env", "innocent.txt")
  link(".git", "innocent")
  link("loop-b", "loop-a")
  link("loop-a", "loop-b")
  link("src/a.ts", "inside.ts")
  Bun.spawnSync(["mkfifo", join(space.project, "pipe")])
  space.write("sparse.txt", "x")
  truncateSync(join(space.project, "sparse.txt"), 10 * 1024 ** 3)
  await space.json(["index"])
  server = await connect(space)
  await server.call("status", {})
  linkSync(join(space.project, ".aman/index.db"), join(space.project, LINKED_DATABASE))
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  space[Symbol.dispose]()
})

const LINKED_DATABASE = "database.txt"
const OUTSIDE = [
  "/etc/passwd",
  "//server/share/a.txt",
  "..",
  "../outside.txt",
  "src/../../outside.txt",
  "../project-two/a.txt",
  "C:\\Windows\\win.ini",
  "c:win.ini",
  "\\\\server\\share\\a.txt",
  "\\\\?\\C:\\a.txt",
  "out.txt",
  "up/outside.txt",
  "everything/etc/passwd",
  "zero",
]
const SECRET = [
  ".env",
  ".env.local",
  "certs/server.pem",
  "notes.txt",
  ".ssh/config",
  ".git/config",
  ".git/HEAD",
  ".git",
  "./.git/../.git/config",
  "sub/.GIT/config",
  "sub/.git/config",
  "sub/.aman/index.db",
  ".aman/index.db",
  "innocent.txt",
  "innocent/config",
  LINKED_DATABASE,
]
const UNREADABLE = ["pipe", "src", "sparse.txt", "loop-a", "none.ts", "src/a.ts/b", "src/a.ts\\..\\..\\.env"]

describe("refused by every interface:", () => {
  test.each([...OUTSIDE, ...SECRET, ...UNREADABLE])("%s", async (path) => {
    const { code, stdout, stderr } = await space.run(["read", "--", path])
    expect(code).toBe(/^aman: no file | is outside the project$| is a folder$/m.test(stderr) ? 1 : 3)
    expect(stdout).toBe("")
    expect(stderr).toStartWith("aman: ")
    expect(stderr).not.toContain(MARK)
    const answer = await server.call("read", { path })
    expect(answer.isError).toBe(true)
    expect(JSON.stringify(answer)).not.toContain(MARK)
  })

  test.each([...OUTSIDE, ...SECRET, "%2e%2e/outside.txt", "src/%2e%2e/.env"])(
    "%s as a resource",
    async (path) => {
      for (const uri of [`file:///${path}`, pathToFileURL(join(space.project, path)).href]) {
        const answer = await server.client.readResource({ uri }).catch((error: Error) => error)
        expect(answer).toBeInstanceOf(Error)
        expect(String(answer)).not.toContain(MARK)
      }
    },
  )
})

describe("the error code gives the reason:", () => {
  const codeOf = async (path: string) =>
    JSON.parse((await space.run(["read", "--json", "--", path])).stdout).error.code
  test.each([
    ...[...OUTSIDE, ...SECRET]
      .filter((path) => path !== LINKED_DATABASE)
      .map((path) => [path, "OUTSIDE_ROOT"]),
    // Not OUTSIDE_ROOT: the index's file got a second name, so aman made a new index, and this is only an old
    // database.
    [LINKED_DATABASE, "NOT_TEXT"],
    ["pipe", "NOT_TEXT"],
    ["src", "NOT_TEXT"],
    ["sparse.txt", "NOT_TEXT"],
    ["loop-a", "NOT_FOUND"],
    ["none.ts", "NOT_FOUND"],
  ])("%s: %s", async (path, code) => expect(await codeOf(path)).toBe(code))
})

test("refuses a path with a NUL, which only MCP can transmit", async () => {
  const answer = await server.call("read", { path: "src/a.ts\0.txt" })
  expect(answer.isError).toBe(true)
  expect(answer.content[0]!.text).toContain("outside the project")
})

describe("readable are:", () => {
  test.each([
    [".gitignore", "*.log\n"],
    [".gitattributes", "* text=auto\n"],
    [".github/ci.yml", "run: it\n"],
    ["password_reset.ts", "export {}\n"],
    ["ignored.log", "a line\n"],
    ["inside.ts", "one\ntwo\n"],
    ["./src//../src/a.ts", "one\ntwo\n"],
  ])("%s", async (path, text) => {
    expect(await space.run(["read", path])).toMatchObject({ code: 0, stdout: text })
    expect((await server.call("read", { path })).structuredContent.text).toBe(text.trimEnd())
  })
})

test("corrects a path that is nearly right", async () => {
  using own = new Workspace({ "package.json": "{}", "src/net/retry.ts": "export const retry = 1\n" })
  await own.json(["index"])
  await using session = await connect(own)
  const answerTo = async (path: string) => (await session.call("read", { path })).content[0]!.text
  expect(await answerTo("retry.ts")).toEndWith("; files with that name: src/net/retry.ts")
  expect(await answerTo("lib/retry.ts:3-9")).toEndWith("; files with that name: src/net/retry.ts")
  expect(await answerTo("none.ts")).toEndWith("paths are relative to the project root")
})
