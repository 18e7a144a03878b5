import { describe, expect, test } from "bun:test"
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { connect } from "./connect.ts"
import { Workspace } from "./harness.ts"
import { SHOP } from "./sample.ts"

const ownFile = (space: Workspace) => join(space.home, ".config/aman/config.yaml")

function writeOwn(space: Workspace, text: string): void {
  mkdirSync(dirname(ownFile(space)), { recursive: true })
  writeFileSync(ownFile(space), text)
}

/** A YAML file with only this setting. */
const yaml = (key: string, value: string) =>
  `${key
    .split(".")
    .map((part, depth) => `${"  ".repeat(depth)}${part}:`)
    .join("\n")} ${value}\n`

describe("config", () => {
  test("set keeps the comments of the user's file; show and get name the origin of a value", async () => {
    using space = new Workspace()
    writeOwn(space, "# mine\nsearch:\n  # how many\n  limit: 3 # few\n")
    const first = await space.run(["config", "set", "search.limit", "4"])
    expect(first).toMatchObject({ code: 0, stdout: `search.limit = 4 in ${ownFile(space)}\n`, stderr: "" })
    await space.run(["config", "set", "index.max_file_size", "2MB"])
    await space.run(["config", "set", "--project", "paths.exclude", "docs/", "*.gen.ts"])
    expect(readFileSync(ownFile(space), "utf8")).toBe(
      "# mine\nsearch:\n  # how many\n  limit: 4 # few\nindex:\n  max_file_size: 2MB\n",
    )
    expect(readFileSync(join(space.project, ".aman.yaml"), "utf8")).toBe(
      'paths:\n  exclude:\n    - docs/\n    - "*.gen.ts"\n',
    )
    expect((await space.run(["config", "get", "search.limit"])).stdout).toBe("4\n")
    const { settings } = await space.json(["config", "show"], { env: { AMAN_EXCLUDE: "tmp" } })
    const of = (key: string) => settings.find((setting: { key: string }) => setting.key === key)
    expect(of("search.limit").origins).toEqual([{ layer: "user file", where: `${ownFile(space)}:4` }])
    expect(of("index.max_file_size").value).toBe(2_000_000)
    expect(of("paths.exclude")).toMatchObject({
      value: ["docs/", "*.gen.ts", "tmp"],
      origins: [
        { layer: "project file", where: join(space.project, ".aman.yaml:2") },
        { layer: "environment", where: "AMAN_EXCLUDE" },
      ],
    })
    expect(of("index.max_files").origins).toEqual([{ layer: "built-in", where: null }])
    const overridden = await space.run(["config", "set", "search.limit", "5"], { env: { AMAN_LIMIT: "6" } })
    expect(overridden.stderr).toContain("no effect here, because AMAN_LIMIT")
  })

  test("unset removes one setting, keeps the rest, and says what holds now", async () => {
    using space = new Workspace({
      ".aman.yaml": "# of the team\n\n# not these\npaths:\n  exclude: [docs/]\n",
    })
    writeOwn(space, "index:\n  workers: 2\nsearch:\n  limit: 4 # few\nlog.level: debug\n")
    expect(await space.run(["config", "unset", "search.limit"])).toMatchObject({
      code: 0,
      stdout: `removed search.limit from ${ownFile(space)}; it is 10 (built-in)\n`,
    })
    expect(readFileSync(ownFile(space), "utf8")).toBe("index:\n  workers: 2\nlog.level: debug\n")
    expect((await space.json(["config", "unset", "log.level"])).removed).toBe(true)
    await space.json(["config", "unset", "index.workers"])
    expect(readFileSync(ownFile(space), "utf8")).toBe("")
    expect(await space.run(["config", "unset", "search.limit"])).toMatchObject({
      code: 1,
      stdout: `${ownFile(space)} does not set search.limit; it is 10 (built-in)\n`,
    })
    await space.json(["config", "unset", "--project", "paths.exclude"])
    expect(readFileSync(join(space.project, ".aman.yaml"), "utf8")).toBe("# of the team\n# not these\n")
    writeOwn(space, "hooks:\n  threshold: 2\n")
    expect((await space.run(["config", "validate"])).stdout).toContain(
      "hooks.threshold is no setting any more",
    )
    writeOwn(space, "submodules:\n  enabled: false\nrepos.base_dir: /tmp/clones\nhooks:\n  threshold: 2\n")
    const { stdout } = await space.run(["config", "validate"])
    expect(stdout).toContain(
      ":2: submodules.enabled is no setting any more; remove it; instead: the submodules'",
    )
    expect(stdout).toContain("repos.base_dir is no setting any more; remove it; instead: AMAN_DATA_DIR")
    for (const key of ["submodules.enabled", "repos.base_dir"]) await space.json(["config", "unset", key])
    expect(await space.run(["config", "unset", "hooks.threshold"])).toMatchObject({
      code: 0,
      stdout: `removed hooks.threshold from ${ownFile(space)}\n`,
    })
    expect(readFileSync(ownFile(space), "utf8")).toBe("")
    // A project's file may contain what it may not set.
    writeFileSync(join(space.project, ".aman.yaml"), "embeddings:\n  static: static768\nlog.level: debug\n")
    for (const key of ["embeddings.static", "log.level"])
      expect((await space.json(["config", "unset", "--project", key])).removed).toBe(true)
    expect(readFileSync(join(space.project, ".aman.yaml"), "utf8")).toBe("")
    const wrong = await space.run(["config", "unset", "serach.limit"])
    expect(wrong).toMatchObject({ code: 2 })
    expect(wrong.stderr).toContain("did you mean search.limit?")
  })

  test("validate and doctor name a variable that sets nothing once, and what does the same now", async () => {
    using space = new Workspace()
    const own = { AMAN_TEAM_URL: "https://team.example", AMAN_TEAM_TOKEN: "t", AMAN_SERVER_TOKEN: "t" }
    const former = {
      AMAN_SERVER_SSE: "server.sse is no setting any more; remove it; instead: aman serve --sse",
      AMAN_SUBMODULES: "submodules.enabled is no setting any more; remove it; instead: the submodules'",
      AMAN_REPOS_BASE_DIR: "repos.base_dir is no setting any more; remove it; instead: AMAN_DATA_DIR",
      AMAN_CHUNK_TOKENS: "index.chunk_tokens is no setting any more; remove it",
      AMAN_WEIGHT_MIXED: "search.weights.mixed is no setting any more; remove it",
      AMAN_KNOWLEDGE_WEIGHT_GRAPH: "knowledge.weights.graph is no setting any more; remove it",
    }
    const values = Object.fromEntries(Object.keys(former).map((name) => [name, "1"]))
    const env = { ...own, ...values, AMAN_RRF_K: "" }
    const { stdout } = await space.run(["config", "validate"], { env })
    const expected = Object.entries(former).map(([name, said]) => `${name}: ${said}`)
    for (const line of expected) expect(stdout.split(line)).toHaveLength(2)
    const { checks } = JSON.parse((await space.run(["doctor", "--json"], { env })).stdout)
    const settings = checks.filter(({ name }: { name: string }) => name === "settings")
    expect(settings).toHaveLength(expected.length)
    expect((await space.run(["status"], { env })).stderr).not.toContain("AMAN_")
    expect((await space.run(["config", "validate"], { env: own })).code).toBe(0)
  })

  test("validate names every error with its line and the nearest valid key", async () => {
    using space = new Workspace({
      ".aman.yaml": "search:\n  limt: 3\nembeddings:\n  host: http://evil.example\n",
    })
    writeOwn(space, "index:\n  workers: lots\n")
    const env = { AMAN_WORKRS: "3" }
    const { code, stdout } = await space.run(["config", "validate"], { env })
    expect(code).toBe(2)
    expect(stdout).toContain(
      `${ownFile(space)}:2: index.workers must be a whole number from 1 to 64, not "lots"`,
    )
    expect(stdout).toContain(
      `.aman.yaml:2: unknown setting "search.limt"\n  hint: did you mean search.limit?`,
    )
    expect(stdout).toContain(".aman.yaml:4: a project's file may not set embeddings.host")
    expect(stdout).toContain(
      "AMAN_WORKRS is not a variable of any setting\n  hint: did you mean AMAN_WORKERS?",
    )
    const asked = await space.run(["config", "validate", "--json"], { env })
    expect(JSON.parse(asked.stdout)).toMatchObject({ valid: false, problems: { length: 4 } })
    using right = new Workspace()
    expect(await right.json(["config", "validate"])).toEqual({ valid: true, problems: [] })
  })

  test("ignores the key of a project's file that only the user may set, says so, and uses the others", async () => {
    using space = new Workspace({
      "a.py": "def pay():\n    return 1\n",
      "b/c.py": "def ship():\n    return 1\n",
      ".aman.yaml": "embeddings:\n  host: http://evil.example\npaths:\n  exclude: [b]\n",
    })
    const message = ".aman.yaml:2: a project's file may not set embeddings.host"
    for (const args of [["index"], ["search", "pay"], ["status"], ["symbol", "pay"], ["map"]]) {
      const { code, stderr } = await space.run(args)
      expect([args, code, stderr.split("a project's file may not set").length]).toEqual([args, 0, 2])
      expect(stderr).toContain(message)
    }
    expect((await space.run(["symbol", "ship"])).code).toBe(1)
    expect((await space.run(["doctor"])).stdout).toContain(message)
    expect((await space.run(["config", "validate"])).stdout).toContain(message)
  })

  test("works without a project and prints the paths of the files", async () => {
    using space = new Workspace()
    expect((await space.run(["config", "path"], { cwd: space.home })).stdout).toBe(`${ownFile(space)}\n`)
    expect((await space.run(["config", "show"], { cwd: space.home })).code).toBe(0)
    expect((await space.run(["config", "path", "--project"])).stdout).toBe(`${space.project}/.aman.yaml\n`)
  })

  test.each([
    [["config", "set", "search.limt", "3"], 2, "did you mean search.limit?"],
    [["config", "set", "search.limit", "many"], 2, "must be a whole number"],
    [["config", "set", "search.limit"], 2, "needs a key and a value"],
    [["config", "set", "search.limit", "1", "2"], 2, "takes one value"],
    [
      ["config", "set", "--project", "index.location", "/tmp"],
      2,
      "a project's file may not set index.location",
    ],
    [["config", "set", "index.dir", "/tmp"], 2, "AMAN_INDEX_DIR"],
    [["config", "get", "nothing"], 2, "unknown setting"],
    [["config", "shwo"], 2, "did you mean show?"],
    [
      ["search", "--log-level", "loud", "x"],
      2,
      "--log-level must be one of silent, error, warn, info, debug",
    ],
  ] as const)("aman %p exits with %d and explains why", async (args, code, message) => {
    using space = new Workspace({ "a.py": "x = 1\n" })
    const ran = await space.run(args)
    expect({ code: ran.code, stdout: ran.stdout }).toEqual({ code, stdout: "" })
    expect(ran.stderr).toContain(message)
    expect(existsSync(join(space.project, ".aman.yaml"))).toBe(false)
  })

  test("refuses a hostile project's settings with one line: links, bombs, invalid YAML", async () => {
    using space = new Workspace({ "a.py": "x = 1\n" })
    symlinkSync("/etc/hostname", join(space.project, ".aman.yaml"))
    expect((await space.run(["search", "x"])).stderr).toContain("is a link")
    using bomb = new Workspace({
      "a.py": "x = 1\n",
      ".aman.yaml": `a: &a [x,x,x,x,x,x,x,x,x]\n${"bcdefgh".replace(/./g, (name, at) => `${name}: &${name} [${`*${"abcdefg"[at]},`.repeat(9)}]\n`)}paths:\n  exclude: *h\n`,
    })
    const { code, stderr } = await bomb.run(["search", "x"])
    expect(code).toBe(2)
    expect(stderr).toContain(".aman.yaml:1")
    expect(stderr).not.toMatch(/\n\s+at /)
    using evil = new Workspace({ "a.py": "x = 1\n", ".aman.yaml": '"\\e]0;owned\\a": 1\n' })
    expect((await evil.run(["search", "x"])).stderr).not.toContain("\x1b")
  })
})

describe("each setting changes aman's behaviour", () => {
  const paths = (answer: { results: { path: string }[] }) => answer.results.map(({ path }) => path)

  test("search.limit", async () => {
    using shop = new Workspace({ ...SHOP, ".aman.yaml": yaml("search.limit", "2") })
    expect((await shop.json(["search", "refund payment login"])).results).toHaveLength(2)
    expect((await shop.json(["search", "--limit", "3", "refund payment login"])).results).toHaveLength(3)
  })

  test.each([
    ["paths.exclude", "[billing/]", "billing/refund.go", false],
    ["paths.exclude", '["*_test.go"]', "billing/refund_test.go", false],
    ["paths.include", "[web]", "billing/refund.go", false],
    ["paths.include", "[billing]", "billing/refund.go", true],
  ])("%s: %s", async (key, value, path, isThere) => {
    using shop = new Workspace({ ...SHOP, ".aman.yaml": yaml(key, value) })
    const answer = await shop.run(["search", "--json", "RefundPayment"])
    expect(paths(JSON.parse(answer.stdout)).includes(path)).toBe(isThere)
  })

  test("an index follows changed settings", async () => {
    using shop = new Workspace(SHOP)
    expect((await shop.json(["index"])).files).toBe(7)
    shop.write(".aman.yaml", yaml("paths.exclude", "[web]"))
    expect((await shop.json(["index"])).removed).toBe(2)
    shop.write(".aman.yaml", "")
    expect((await shop.json(["index"])).changed).toBeGreaterThanOrEqual(2)
  })

  test("index.max_files and index.max_file_size", async () => {
    using shop = new Workspace({ ...SHOP, "large.py": "x = 1\n".repeat(1000) })
    expect((await shop.json(["index"])).files).toBe(8)
    shop.write(".aman.yaml", yaml("index.max_file_size", "5000"))
    expect((await shop.json(["index"])).files).toBe(8) // .aman.yaml is new, large.py is skipped
    expect((await shop.json(["status"])).skipped).toMatchObject({ "too large": 1 })
    expect((await shop.json(["index"], { env: { AMAN_MAX_FILES: "3" } })).files).toBe(3)
  })

  test("index.location and AMAN_INDEX_DIR", async () => {
    using shop = new Workspace(SHOP)
    writeOwn(shop, yaml("index.location", join(shop.dir, "indexes")))
    await shop.json(["index"])
    expect(existsSync(join(shop.project, ".aman"))).toBe(false)
    const [project] = (await shop.json(["projects"])).projects
    expect(project.index_dir).toStartWith(join(shop.dir, "indexes/project-"))
    await shop.json(["index"], { env: { AMAN_INDEX_DIR: join(shop.dir, "exact") } })
    expect(existsSync(join(shop.dir, "exact/index.db"))).toBe(true)
    writeOwn(shop, yaml("index.location", "user"))
    await shop.json(["index"])
    expect(existsSync(join(shop.home, ".local/share/aman/indexes"))).toBe(true)
  })

  test("performance.memory_limit", async () => {
    using shop = new Workspace(SHOP)
    writeOwn(shop, "performance:\n  memory_limit: 300MiB\n")
    await shop.json(["index"])
    const { memory } = await shop.json(["status"])
    expect(memory.limit_bytes).toBe(300 * 1024 ** 2)
  })

  test("log.level, its variable and its flag", async () => {
    using shop = new Workspace(SHOP)
    const opened = async (args: string[], env = {}) =>
      (await shop.run(["status", ...args], { env })).stderr.includes("debug opened")
    expect(await opened([])).toBe(false)
    expect(await opened(["--log-level", "debug"])).toBe(true)
    expect(await opened([], { AMAN_LOG: "debug" })).toBe(true)
    writeOwn(shop, yaml("log.level", "debug"))
    expect(await opened([])).toBe(true)
    expect(await opened(["--quiet"])).toBe(false)
  })

  describe("performance.debounce", () => {
    /**
     * Starts a server that has indexed everything, and then adds a file. `use` gets a function that tells
     * whether the file is found.
     */
    async function withNewFile(debounce: string, use: (finds: () => Promise<boolean>) => Promise<void>) {
      using shop = new Workspace(SHOP)
      writeOwn(shop, yaml("performance.debounce", debounce))
      await using server = await connect(shop)
      const find = async (query: string) =>
        (await server.call("search", { query, mode: "keyword" })).structuredContent
      while ((await find("RefundPayment")).partial !== null);
      while ((await server.call("status")).structuredContent.progress !== null);
      shop.write("new.py", "def brand_new_walrus():\n    return 1\n")
      await use(async () => paths(await find("brand_new_walrus")).includes("new.py"))
    }

    test("with one hour a change is not found yet", () =>
      withNewFile("1h", async (finds) => {
        for (let time = 0; time < 5; time++) expect(await finds()).toBe(false)
      }))

    test("with zero a change is found without that wait", () =>
      withNewFile("0ms", async (finds) => {
        while (!(await finds()));
      }))
  })
})

describe("a project's file cannot raise what the user's settings allow", () => {
  const GREEDY = "index:\n  max_file_size: 256MiB\n  max_files: 1000000\nsearch:\n  limit: 500\n"
  const LARGE = "some words of a large file\n".repeat(80_000)
  /** Text of more than 1 MiB is data unless an attribute says otherwise. */
  const KEPT = { "large.txt": LARGE, ".gitattributes": "*.txt -linguist-generated\n" }

  test("built-in limits apply, and config show and doctor name each setting that has no effect", async () => {
    using space = new Workspace({ ".aman.yaml": GREEDY, "small.txt": "words\n" })
    space.write("large.md", LARGE.repeat(5))
    expect(await space.json(["index"])).toMatchObject({ files: 2, skipped: { "too large": 1 } })
    const { settings, notices } = await space.json(["config", "show"])
    const counting = (key: string) => settings.find((each: { key: string }) => each.key === key).value
    expect(counting("index.max_file_size")).toBe(8 * 1024 ** 2)
    expect(counting("index.max_files")).toBe(100_000)
    expect(counting("search.limit")).toBe(10)
    expect(notices).toHaveLength(3)
    const { stderr } = await space.run(["config", "show"])
    expect(stderr).toContain(".aman.yaml:2 sets index.max_file_size to 268435456, but 8388608 is used")
    const { checks } = JSON.parse((await space.run(["doctor", "--json"])).stdout)
    const warnings = checks.filter((each: { name: string }) => each.name === "settings")
    expect(warnings).toHaveLength(3)
    expect(warnings[0].state).toBe("warning")
  })

  test("a project's file may use limits up to the user's value", async () => {
    using space = new Workspace({ ".aman.yaml": GREEDY, ...KEPT })
    const env = { AMAN_MAX_FILE_SIZE: "4MiB" }
    expect((await space.json(["index"], { env })).files).toBe(3)
    await space.run(["config", "set", "index.max_file_size", "3MiB"])
    const got = await space.json(["config", "get", "index.max_file_size"])
    expect(got.value).toBe(3 * 1024 ** 2)
  })

  test("the memory limit bounds the user's own largest size", async () => {
    using space = new Workspace({ "large.md": LARGE, "small.txt": "words\n" })
    const env = { AMAN_MAX_FILE_SIZE: "256MiB", AMAN_MEMORY_LIMIT: "256MB" }
    expect(await space.json(["index"], { env })).toMatchObject({ files: 1, skipped: { "too large": 1 } })
    const { notices } = await space.json(["config", "show"], { env })
    expect(notices).toEqual([expect.stringContaining("larger files exceed the memory limit")])
  })
})
