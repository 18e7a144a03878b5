import { expect, test } from "bun:test"
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { type Connection, connect } from "./connect.ts"
import { binary, Workspace } from "./harness.ts"
import { SHOP } from "./sample.ts"

// Tests here wait for events without measuring time; speed is measured by the benchmark.
const LONG_MS = 120_000

type Status = {
  readonly files: number
  readonly last_indexed: string
  readonly skipped: Readonly<Record<string, number>>
}

async function status(server: Connection) {
  return (await server.call("status")).structuredContent
}

/** Waits until the server is idle and no change waits. */
async function settled(server: Connection, pauseMs = 20) {
  for (;;) {
    const now = await status(server)
    if (now.state === "ready" && now.pending === 0) return now
    await Bun.sleep(pauseMs)
  }
}

/** Waits for a state by asking only for `status`, because a query would make the server check for changes. */
async function until(server: Connection, isWanted: (status: Status) => boolean, pauseMs = 20) {
  for (;;) {
    const now = await settled(server, pauseMs)
    if (isWanted(now)) return now
    await Bun.sleep(pauseMs)
  }
}

async function found(server: Connection, query: string): Promise<{ path: string; text: string }[]> {
  const { structuredContent } = await server.call("search", { query, mode: "keyword" })
  return structuredContent.results
}

const paths = (results: readonly { path: string }[]) => results.map(({ path }) => path)

test(
  "a server indexes edits, new files and folders, renames and removals by itself",
  async () => {
    using shop = new Workspace(SHOP)
    await using server = await connect(shop)
    const { files, last_indexed } = await settled(server)
    appendFileSync(join(shop.project, "web/login.ts"), "// zebrafinch\n")
    await until(server, (now) => now.last_indexed !== last_indexed)
    expect(paths(await found(server, "zebrafinch"))).toEqual(["web/login.ts"])
    shop.write("deep/er/and/deeper.py", "def ostrich():\n    return 1\n")
    await until(server, (now) => now.files === files + 1)
    expect(paths(await found(server, "ostrich"))).toEqual(["deep/er/and/deeper.py"])
    shop.write("deep/er/and/other.py", "def cassowary():\n    return 1\n")
    await until(server, (now) => now.files === files + 2)
    renameSync(join(shop.project, "deep"), join(shop.project, "shallow"))
    while (paths(await found(server, "ostrich"))[0] !== "shallow/er/and/deeper.py");
    await settled(server)
    writeFileSync(join(shop.project, "shallow/er/and/deeper.py"), "def kakapo():\n    return 1\n")
    while (paths(await found(server, "kakapo"))[0] !== "shallow/er/and/deeper.py");
    rmSync(join(shop.project, "shallow"), { recursive: true })
    await until(server, (now) => now.files === files)
  },
  LONG_MS,
)

test(
  "follows added, changed and removed ignore rules, including git's own",
  async () => {
    using shop = new Workspace(SHOP)
    Bun.spawnSync(["git", "init", "-q"], { cwd: shop.project, env: shop.env })
    await using server = await connect(shop)
    await settled(server)
    const ignored = (count: number | undefined) =>
      until(server, ({ skipped }) => skipped["ignored"] === count)
    shop.write(".gitignore", "web/\n")
    await ignored(1)
    expect(paths(await found(server, "login"))).not.toContain("web/login.ts")
    rmSync(join(shop.project, ".gitignore"))
    await ignored(undefined)
    expect(paths(await found(server, "login"))).toContain("web/login.ts")
    mkdirSync(join(shop.project, ".git/info"), { recursive: true })
    writeFileSync(join(shop.project, ".git/info/exclude"), "web/\n")
    await ignored(1)
  },
  LONG_MS,
)

test(
  "a server applies edited settings and keeps the previous ones while they are invalid",
  async () => {
    using shop = new Workspace(SHOP)
    await using server = await connect(shop)
    const { files } = await settled(server)
    shop.write(".aman.yaml", "paths:\n  exclude: [web]\n")
    while (paths(await found(server, "login")).includes("web/login.ts"));
    expect((await settled(server)).leader).toBe("this process")
    shop.write(".aman.yaml", "paths:\n  exclude: 7 of them\n  nonsense: 1\n")
    const notices = async () => (await status(server)).notices.join()
    while (!(await notices()).includes("the previous settings stay in use"));
    expect(paths(await found(server, "login"))).not.toContain("web/login.ts")
    rmSync(join(shop.project, ".aman.yaml"))
    while (!paths(await found(server, "login")).includes("web/login.ts"));
    expect(await notices()).toBe("")
    expect((await settled(server)).files).toBe(files)
  },
  LONG_MS,
)

test(
  "handles a burst of files in one pass after it, and answers queries meanwhile",
  async () => {
    using shop = new Workspace(SHOP)
    // A long debounce, so that a pause of the machine does not look like the end of the burst.
    await using server = await connect(shop, { env: { AMAN_DEBOUNCE: "20s", XDG_DATA_HOME: shop.home } })
    const { files } = await settled(server)
    const passesBefore = passes(shop)
    for (let i = 0; i < 1000; i++) {
      shop.write(`storm/d${i % 40}/f${i}.py`, `def storm_${i}():\n    pass\n`)
      if (i % 100 === 0) expect(paths(await found(server, "RefundPayment"))).not.toEqual([])
    }
    // Seldom, because the server waits for 20 s first.
    await until(server, (now) => now.files === files + 1000, 500)
    expect(paths(await found(server, "storm_999"))[0]).toBe("storm/d39/f999.py")
    // On a slow machine, a query that has waited for ten seconds starts another pass.
    expect(passes(shop) - passesBefore).toBeLessThanOrEqual(3)
  },
  LONG_MS,
)

/** Number of runs that changed something, counted in the log. */
function passes(shop: Workspace): number {
  return readFileSync(join(shop.home, "aman/logs/server.log"), "utf8").split(" indexed ").length - 1
}

test(
  "scans repeatedly if folders cannot be watched, and says so once",
  async () => {
    using shop = new Workspace(SHOP)
    const start = "echo 3 > /proc/sys/user/max_inotify_watches && exec"
    const limited = ["unshare", "-Ur", "sh", "-c", `${start} "$@"`, "sh"]
    const canLimit = Bun.spawnSync([...limited, "true"]).exitCode === 0
    if (!canLimit) return
    const child = Bun.spawn([...limited, binary, "index", "--watch", "--log-level", "warn"], {
      cwd: shop.project,
      env: shop.env,
      stdout: "pipe",
      stderr: "pipe",
    })
    const notices = async () => (await shop.json(["status"])).notices
    while (!(await notices()).some((notice: string) => notice.includes("max_user_watches")))
      await Bun.sleep(50)
    shop.write("new.py", "def kakapo():\n    return 1\n")
    const isIndexed = async () => {
      const { files, state } = await shop.json(["status"])
      return files === 8 && state === "ready"
    }
    while (!(await isIndexed())) await Bun.sleep(50)
    child.kill("SIGINT")
    await child.exited
    const warnings = (await child.stderr.text()).split("\n").filter((line) => line.includes("cannot watch"))
    expect(warnings).toHaveLength(1)
    expect(await notices()).toEqual([])
  },
  LONG_MS,
)

test(
  "another server watches after the leader is killed",
  async () => {
    using shop = new Workspace(SHOP)
    await using first = await connect(shop)
    const { files } = await settled(first)
    await using second = await connect(shop)
    expect((await status(second)).leader).toBe("another process")
    const pid = (first.client.transport as unknown as { pid: number }).pid
    process.kill(pid, "SIGKILL")
    while ((await status(second)).leader !== "this process") await Bun.sleep(20)
    await settled(second)
    shop.write("after.py", "def kakapo():\n    return 1\n")
    await until(second, (now) => now.files === files + 1)
  },
  LONG_MS,
)

test(
  "leaves an up-to-date index unchanged, to the byte and the second",
  async () => {
    using shop = new Workspace(SHOP)
    await shop.json(["index"])
    // Indexes again: the times of new files are too close to the first scan to be trusted, so the second run
    // writes once more.
    await Bun.sleep(50)
    await shop.json(["index"])
    const folder = join(shop.project, ".aman")
    const look = () =>
      readdirSync(folder)
        // Shared memory of SQLite's readers, which contains nothing lasting.
        .filter((name) => name !== "index.db-shm")
        .map((name) => {
          const { size, mtimeMs } = statSync(join(folder, name))
          return { name, size, mtimeMs }
        })
    const before = look()
    expect(await shop.json(["index"])).toMatchObject({ changed: 0, removed: 0 })
    expect(look()).toEqual(before)
  },
  LONG_MS,
)

test(
  "no answer right after an edit shows the previous content",
  async () => {
    using shop = new Workspace({ ...SHOP, "zoo/other.py": zoo(0, "other") })
    shop.write("zoo/keeper.py", zoo(0))
    await using server = await connect(shop)
    await settled(server)
    for (let version = 1; version <= 25; version++) {
      shop.write("zoo/keeper.py", zoo(version))
      const asked: [string, object][] = [
        ["search", { query: "feed_walrus" }],
        ["search", { query: "where is the walrus fed", mode: "hybrid" }],
        ["search", { query: "", like: "zoo/other.py:1" }],
        ["search", { query: "feed_walrus", mode: "literal" }],
        ["read", { path: "zoo/keeper.py" }],
      ]
      const answer = await server.call(...asked[version % asked.length]!)
      const { content, structuredContent } = answer
      const shown = `${JSON.stringify(content)}${JSON.stringify(structuredContent)}`
      const versions = new Set([...shown.matchAll(/walrus version (\d+)/g)].map((match) => Number(match[1])))
      versions.delete(version)
      expect([...versions]).toEqual([])
    }
    while (!(await found(server, "feed_walrus"))[0]!.text.includes("walrus version 25"));
    shop.write("zoo/new.py", zoo(26, "puffin"))
    const { structuredContent, content } = await server.call("search", { query: "", like: "zoo/new.py:4" })
    expect({ content, paths: paths(structuredContent?.results ?? []) }).toMatchObject({
      paths: expect.arrayContaining(["zoo/keeper.py"]),
    })
  },
  LONG_MS,
)

/** A file whose text, and the line of its definition, change with each version. */
function zoo(version: number, name = "walrus"): string {
  const filler = Array.from({ length: (version * 7) % 20 }, (_, i) => `# line ${i}`).join("\n")
  return `${filler}\ndef feed_${name}(fish):\n    """Feeds ${name} version ${version}."""\n    return fish\n`
}

test(
  "index --watch prints a line for each change until Ctrl-C",
  async () => {
    using shop = new Workspace(SHOP)
    const start = (...args: string[]) =>
      Bun.spawn([binary, ...args], { cwd: shop.project, env: shop.env, stdout: "pipe", stderr: "pipe" })
    const indexing = linesOf(start("index", "--watch", "--json"))
    expect(await indexing.next()).toMatchObject({ files: 7, notices: [] })
    const looking = linesOf(start("status", "--watch", "--json"))
    expect(await looking.next()).toMatchObject({ state: "ready", files: 7, leader: "another process" })
    shop.write("new.py", "def kakapo():\n    return 1\n")
    expect(await indexing.next()).toMatchObject({ changed: 1, removed: 0, files: 8 })
    for (let seen = 7; seen === 7; seen = (await looking.next())["files"] as number);
    expect(await indexing.end()).toBe(130)
    for (let leader = ""; leader !== "nobody"; leader = String((await looking.next())["leader"]));
    expect(await looking.end()).toBe(130)
  },
  LONG_MS,
)

/** The lines of JSON that a process writes, one by one. */
function linesOf(child: Bun.Subprocess<"ignore", "pipe", "pipe">) {
  const reader = child.stdout.getReader()
  let rest = ""
  return {
    async next(): Promise<Record<string, unknown>> {
      while (!rest.includes("\n")) {
        const { value, done } = await reader.read()
        if (done) throw new Error(`it ended: ${await child.stderr.text()}`)
        rest += new TextDecoder().decode(value)
      }
      const end = rest.indexOf("\n")
      const line = rest.slice(0, end)
      rest = rest.slice(end + 1)
      return JSON.parse(line)
    },
    async end(): Promise<number> {
      child.kill("SIGINT")
      return child.exited
    },
  }
}

test("a server does not recreate a removed project, and continues once it is back", async () => {
  using space = new Workspace({ "a.py": "def alpha():\n    pass\n" })
  await using server = await connect(space)
  const search = async () => (await server.call("search", { query: "alpha" })).content[0]!.text
  while (!(await search()).includes("a.py")) await Bun.sleep(20)
  rmSync(space.project, { recursive: true })
  for (const [tool, asked] of [
    ["search", { query: "alpha" }],
    ["context", { query: "alpha" }],
    ["symbol", { name: "alpha" }],
    ["read", { path: "a.py" }],
  ] as const) {
    const { isError, content } = await server.call(tool, asked)
    expect([tool, isError, content[0]!.text]).toEqual([
      tool,
      true,
      expect.stringContaining("folder does not exist"),
    ])
  }
  expect(existsSync(space.project)).toBe(false)
  mkdirSync(space.project)
  space.write("b.py", "def alpha_again():\n    pass\n")
  while (!(await search()).includes("b.py")) await Bun.sleep(20)
}, 30_000)
