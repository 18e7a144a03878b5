import { afterAll, beforeEach, describe, expect, test } from "bun:test"
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { AmanError } from "../errors.ts"
import { chooseIndexDir } from "./index-dir.ts"
import { loadConfig } from "./load.ts"
import { resolveSettings } from "./resolve.ts"
import { SETTING_KEYS } from "./settings.ts"

const box = realpathSync(mkdtempSync(join(tmpdir(), "aman-config-")))
afterAll(() => rmSync(box, { recursive: true }))

let at: string
let env: Record<string, string>
beforeEach(() => {
  at = mkdtempSync(join(box, "root-"))
  env = { XDG_CONFIG_HOME: join(at, "xdg"), XDG_DATA_HOME: join(at, "data") }
})

function userFile(text: string): void {
  mkdirSync(join(at, "xdg/aman"), { recursive: true })
  writeFileSync(join(at, "xdg/aman/config.yaml"), text)
}

function projectFile(text: string): void {
  writeFileSync(join(at, ".aman.yaml"), text)
}

const load = (flags = {}) => loadConfig(at, flags, env)

test("uses the built-in values and an index in the project without any file", () => {
  const config = load()
  expect(config).toMatchObject({
    paths: { include: [], exclude: [] },
    index: { maxFileBytes: 8 * 1024 ** 2, maxFiles: 100_000 },
    search: { limit: 10 },
    embeddings: { provider: "static", host: "" },
  })
  expect(config.index.dir).toBe(join(at, ".aman"))
  expect(config.index.workers).toBeGreaterThanOrEqual(1)
  expect(config.performance.memoryLimitBytes).toBeLessThanOrEqual(16 * 1024 ** 3)
})

test("lets each layer override the previous one and joins their lists", () => {
  userFile("paths:\n  exclude: [one]\nsearch:\n  limit: 2\nindex:\n  max_file_size: 800\n  max_files: 5\n")
  projectFile("paths:\n  exclude:\n    - two\nsearch:\n  limit: 3\nindex:\n  max_file_size: 700\n")
  env["AMAN_LIMIT"] = "4"
  env["AMAN_EXCLUDE"] = "three, four"
  const config = load({ "search.limit": 5, "index.workers": 1 })
  expect(config.search.limit).toBe(5)
  expect(config.index).toMatchObject({ maxFileBytes: 700, maxFiles: 5, workers: 1 })
  expect(config.paths.exclude).toEqual(["one", "two", "three", "four"])
  const { origins } = resolveSettings(at, { "search.limit": 5 }, env)
  expect(origins["search.limit"]).toEqual([{ layer: "flag", where: "search.limit" }])
  expect(origins["index.max_file_size"]).toEqual([{ layer: "project file", where: `${at}/.aman.yaml:7` }])
  expect(origins["paths.exclude"].map(({ layer }) => layer)).toEqual([
    "user file",
    "project file",
    "environment",
  ])
  expect(origins["log.level"]).toEqual([{ layer: "built-in", where: null }])
})

test("ignores empty variables and parses sizes and times with units", () => {
  env = { ...env, AMAN_MAX_FILES: "", AMAN_MEMORY_LIMIT: "512MB", AMAN_DEBOUNCE: "1.5s" }
  const config = load()
  expect(config.index.maxFiles).toBe(100_000)
  expect(config.performance.memoryLimitBytes).toBe(512_000_000)
  expect(config.performance.debounceMs).toBe(1500)
})

test("treats sections and dotted keys alike", () => {
  projectFile("search.limit: 7\nindex: { max_files: 5 }\npaths:\n# nothing\n")
  expect(load()).toMatchObject({
    search: { limit: 7 },
    index: { maxFiles: 5 },
  })
})

test.each([
  [{ AMAN_WORKERS: "x" }, 'AMAN_WORKERS must be a whole number from 1 to 64, not "x"'],
  [{ AMAN_WORKERS: "0" }, 'AMAN_WORKERS must be a whole number from 1 to 64, not "0"'],
  [{ AMAN_UI_EDITOR: "ed" }, "AMAN_UI_EDITOR must be one of vscode, cursor, zed, idea, none"],
  [{ AMAN_MEMORY_LIMIT: "1KB" }, "AMAN_MEMORY_LIMIT must be a size from 192 MiB to 1 TiB"],
  [{ AMAN_MEMORY_LIMIT: "much" }, 'such as 512MB, not "much"'],
  [{ AMAN_PROGRAMS_TIMEOUT: "30" }, "AMAN_PROGRAMS_TIMEOUT must be a time from 100ms to 600s"],
  [{ AMAN_EMBEDDINGS_HOST: "ftp://x" }, "must be an address such as http://localhost:11434"],
  [{ AMAN_INDEX_LOCATION: "here" }, "must be project, user, or an absolute folder"],
  [{ AMAN_HOOKS: "maybe" }, "must be true or false"],
])("names the key of a wrong value: %p", (wrong, message) => {
  env = { ...env, ...wrong }
  expect(load).toThrow(message)
})

test("names the flag in its error", () => {
  expect(() => load({ "performance.memory_limit": 0 })).toThrow("--memory-limit must be a size from 192 MiB")
})

describe("the error for a wrong file names the line, the expected form and the nearest key", () => {
  test.each([
    ["index:\n  max_fils: 3\n", ":2: unknown setting", "did you mean index.max_files?"],
    ["search:\n  limit: 3\n\nlmit: 4\n", ":4: unknown setting", ""],
    ["search:\n  limit: many\n", ':2: search.limit must be a whole number from 1 to 1000, not "many"', ""],
    ["search: 3\n", ':1: unknown setting "search"', ""],
    ["- search\n", ':1: expected "section:"', ""],
    ["search:\n  limit: 3\n  limit: 4\n", ":3: not YAML", ""],
    ["search: [\n", ":2: not YAML", ""],
    ["paths:\n  exclude: [[a]]\n", ":2: paths.exclude must be a list of patterns", ""],
    ["paths:\n  exclude: &a [*a]\n", ":2", ""],
    ["__proto__:\n  limit: 3\n", ":1: unknown setting", ""],
  ])("%p", (text, message, hint) => {
    projectFile(text)
    const error = errorOf(load)
    expect(error.code).toBe("USAGE")
    expect(error.message).toContain(join(at, ".aman.yaml") + message)
    expect(error.hint ?? "").toContain(hint)
  })
})

test.each([
  "index: { location: /tmp/x }",
  "index: { workers: 64 }",
  "embeddings: { host: 'http://evil.example' }",
  "embeddings: { provider: openai }",
  "performance: { memory_limit: 1TB }",
  "log: { level: debug }",
])("ignores a user's setting in a project's file and says so: %p", (text) => {
  projectFile(`${text}\nsearch: { limit: 3 }`)
  const { ignored, search, ...others } = load()
  expect(ignored).toEqual([expect.stringContaining(".aman.yaml:1: a project's file may not set")])
  expect(search.limit).toBe(3)
  rmSync(join(at, ".aman.yaml"))
  const { ignored: none, search: _, ...usual } = load()
  expect(none).toEqual([])
  expect(others).toEqual(usual)
  userFile(text)
  expect(load).not.toThrow()
})

test("refuses a project's file that is a link, a folder or too large; the user's may be a link", () => {
  writeFileSync(join(at, "elsewhere.yaml"), "search: { limit: 3 }\n")
  symlinkSync(join(at, "elsewhere.yaml"), join(at, ".aman.yaml"))
  expect(load).toThrow("is a link")
  rmSync(join(at, ".aman.yaml"))
  mkdirSync(join(at, ".aman.yaml"))
  expect(load).toThrow("is not a file")
  rmSync(join(at, ".aman.yaml"), { recursive: true })
  projectFile(`#${" ".repeat(70_000)}`)
  expect(load).toThrow("too large")
  rmSync(join(at, ".aman.yaml"))
  mkdirSync(join(at, "xdg/aman"), { recursive: true })
  symlinkSync(join(at, "elsewhere.yaml"), join(at, "xdg/aman/config.yaml"))
  expect(load().search.limit).toBe(3)
})

describe("the index folder is", () => {
  // The superuser may read everything, and Windows has other permissions.
  test.skipIf(process.platform === "win32" || process.getuid?.() === 0)(
    "elsewhere if the root is read-only (never for the superuser)",
    () => {
      chmodSync(at, 0o555)
      expect(chooseIndexDir(at, "project", "/data")).toMatch(/^\/data\/indexes\/root-\w+-[0-9a-f]{16}$/)
      chmodSync(at, 0o755)
    },
  )

  test("elsewhere if .aman is a link or a file", () => {
    symlinkSync(box, join(at, ".aman"))
    expect(load().index.dir).toStartWith(join(at, "data/aman/indexes/root-"))
    rmSync(join(at, ".aman"))
    writeFileSync(join(at, ".aman"), "")
    expect(load().index.dir).toStartWith(join(at, "data/aman/indexes/root-"))
  })

  test("the one the user chose, for all projects or for this one", () => {
    userFile("index: { location: user }")
    expect(load().index.dir).toStartWith(join(at, "data/aman/indexes/root-"))
    env["AMAN_INDEX_LOCATION"] = join(at, "all")
    expect(load().index.dir).toStartWith(join(at, "all", "root-"))
    env["AMAN_INDEX_DIR"] = join(at, "exactly")
    expect(load().index.dir).toBe(join(at, "exactly"))
  })
})

function errorOf(action: () => unknown): AmanError {
  try {
    action()
  } catch (error) {
    if (error instanceof AmanError) return error
    throw error
  }
  throw new Error("nothing was thrown")
}

test("every setting is read into the configuration", () => {
  const sources = ["load.ts", "load-server.ts", "resolve.ts"].map((name) =>
    readFileSync(join(import.meta.dir, name), "utf8"),
  )
  expect(SETTING_KEYS.filter((key) => !sources.some((text) => text.includes(`values["${key}"]`)))).toEqual([])
})
