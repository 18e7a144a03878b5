import { expect, test } from "bun:test"
import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { homedir, tmpdir } from "node:os"
import { join } from "node:path"
import { configuredRepositories } from "../src/ask/repositories/configured.ts"
import { homeDir, isInside, userConfigDir, userDataDir } from "../src/base/paths.ts"
import { homeVariables } from "./own-environment.ts"

const home = process.env["HOME"]!
const PRINT = `console.log(JSON.stringify({ env: process.env, home: require("node:os").homedir() }))`

test("the home of a test is a temporary folder that contains all of the user's folders", () => {
  expect(home).toStartWith(join(tmpdir(), "aman-home-"))
  for (const [name, path] of Object.entries(homeVariables(home)))
    expect([name, process.env[name]]).toEqual([name, path])
  for (const env of [process.env, {}]) {
    for (const platform of ["linux", "darwin", "win32"] as const) {
      expect(isInside(home, userDataDir(env, platform))).toBe(true)
      expect(isInside(home, userConfigDir(env, platform)!)).toBe(true)
    }
    expect(homeDir(env)).toBe(home)
  }
  expect(homedir()).toBe(home)
})

test("settings of the person who runs the tests are not read, even if a test's environment has no home", () => {
  const { repositories, problems, config } = configuredRepositories({}, {})
  expect([repositories, problems]).toEqual([[], []])
  expect(isInside(home, config.baseDir)).toBe(true)
})

test.each([
  ["Bun.spawnSync", () => Bun.spawnSync([process.execPath, "-e", PRINT]).stdout.toString()],
  [
    "Bun.spawnSync with one argument",
    () => Bun.spawnSync({ cmd: [process.execPath, "-e", PRINT] }).stdout.toString(),
  ],
  ["Bun.spawn", () => Bun.spawn([process.execPath, "-e", PRINT]).stdout.text()],
  ["node:child_process", () => spawnSync(process.execPath, ["-e", PRINT], { encoding: "utf8" }).stdout],
])("a child of %s without an environment of its own gets the test's", async (_, run) => {
  const child = JSON.parse(await run())
  expect(child.home).toBe(home)
  expect(child.env).toMatchObject(homeVariables(home))
  expect(
    Object.keys(child.env).filter((name) =>
      /^(?:AMAN_(?!BINARY|TEST|EMBEDDINGS_ENCODER$)|GIT_(?!CONFIG_NOSYSTEM))/.test(name),
    ),
  ).toEqual([])
})

test("git reads no configuration of the user or the machine", () => {
  const listed = Bun.spawnSync(["git", "config", "--list", "--show-scope"], { cwd: home })
  expect(listed.stdout.toString()).not.toMatch(/^(?:global|system)\t/m)
})

/**
 * Without a home in its environment, a child would ask the system for the home and get that of the person.
 */
test("a binary under test is started with an environment that names a home", () => {
  const sources = readdirSync(import.meta.dir, { recursive: true, encoding: "utf8" }).filter((path) =>
    /\.ts$/.test(path),
  )
  const bare = sources.flatMap((path) =>
    [
      ...readFileSync(join(import.meta.dir, path), "utf8").matchAll(
        /spawn(?:Sync)?\(\s*\[\s*binary\b[^\]]*\],\s*\{[^{}]*?\benv: (\{[^}]*\})/g,
      ),
    ]
      .map(([, env]) => env!)
      .filter((env) => !/\.\.\.|HOME/.test(env))
      .map((env) => `${path}: ${env}`),
  )
  expect(bare).toEqual([])
})
