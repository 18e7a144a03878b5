import { expect, test } from "bun:test"
import { failureOf, ownEnvironment, withoutCredentials } from "./run.ts"

test("passes on how the user reaches remotes, and nothing that redirects git, prompts or reveals", () => {
  const kept = {
    SSH_AUTH_SOCK: "/agent",
    HTTPS_PROXY: "http://proxy",
    GIT_SSH_COMMAND: "ssh -i key",
    GIT_ASKPASS: "/answers",
    GIT_CONFIG_GLOBAL: "/own",
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "a.b",
    GIT_CONFIG_VALUE_0: "c",
    GIT_SSL_CAINFO: "/ca",
  }
  const dropped = {
    PATH: "/bin",
    GIT_DIR: "/else",
    GIT_WORK_TREE: "/else",
    GIT_INDEX_FILE: "/else",
    GIT_OBJECT_DIRECTORY: "/else",
    GIT_TEMPLATE_DIR: "/else",
    GIT_CONFIG_PARAMETERS: "'a.b=c'",
    GIT_TRACE_CURL: "1",
    GIT_CURL_VERBOSE: "1",
    GIT_EXTERNAL_DIFF: "/run",
    SSH_ASKPASS: "/window",
    AMAN_OPENAI_API_KEY: "secret",
  }
  const env = ownEnvironment({ ...kept, ...dropped, GIT_TERMINAL_PROMPT: "1" }, ["https", "ssh"])
  expect(env).toMatchObject({ ...kept, GIT_TERMINAL_PROMPT: "0", GIT_ALLOW_PROTOCOL: "https:ssh" })
  for (const name of Object.keys(dropped)) expect(env).not.toHaveProperty(name)
  expect(ownEnvironment({}, [])["GIT_ALLOW_PROTOCOL"]).toBe("none")
})

test.each([
  [
    "fatal: 'x' does not appear to be a git repository\nfatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\nand the repository exists.",
    "'x' does not appear to be a git repository",
  ],
  [
    "remote: Enumerating objects: 3, done.\rremote: Counting objects: 100%\rReceiving objects:  50% (1/2)\rfatal: early EOF",
    "early EOF",
  ],
  [
    "remote: Repository not found.\nfatal: repository 'https://me:pw@host/x/' not found",
    "remote: Repository not found.; repository 'https://host/x/' not found",
  ],
  [
    "ssh: connect to host h port 22: Connection refused\nfatal: Could not read from remote repository.",
    "ssh: connect to host h port 22: Connection refused",
  ],
  ["fatal: \u001b[31mred\u0007", "[31mred"],
  ["", ""],
])("%j", (told, shown) => {
  expect(failureOf(told).trim()).toBe(shown)
})

test("removes credentials from addresses", () => {
  expect(withoutCredentials("at https://tok:x@h/a and ssh://git@h, not me@h:x")).toBe(
    "at https://h/a and ssh://h, not me@h:x",
  )
})
