import { afterAll, describe, expect, test } from "bun:test"
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { type Connection, connect } from "./connect.ts"
import { binary, Workspace } from "./harness.ts"
import { SHOP } from "./sample.ts"

// Tests here wait for events; this limit only ends a test that hangs.
const LONG_MS = 60_000

/** Names of an index's files, so that a program that follows the link would find something to overwrite. */
const NAMES = [
  ...["index.db", "index.db-wal", "index.db-shm", "lock.db", "wanted", ".gitignore"],
  ...["keyword-1.seg", "keyword-2.seg", "keyword-2.seg.tmp", "vectors-1-1.vec", "vectors-1-1.vec.tmp"],
]

/** Creates a folder outside of the project whose files have the names of an index's files; nothing may change it. */
function victimIn(space: Workspace): string {
  const victim = join(space.dir, "victim")
  mkdirSync(victim)
  for (const name of NAMES) writeFileSync(join(victim, name), `precious ${name}`)
  return victim
}

/** Names, contents, inodes and times of everything in a folder. */
function picture(folder: string): string[] {
  return readdirSync(folder)
    .sort()
    .map((name) => {
      const { ino, mtimeNs, ctimeNs, size, mode } = lstatSync(join(folder, name), { bigint: true })
      const text = readFileSync(join(folder, name), "utf8")
      return `${name} ${ino} ${mtimeNs} ${ctimeNs} ${size} ${mode} ${text}`
    })
}

function git(space: Workspace, cwd: string, ...args: string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(["git", "-c", "user.name=a", "-c", "user.email=a@b", ...args], {
    cwd,
    env: space.env,
  })
  if (exitCode !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`)
}

/** Makes the project a clone. The returned `pull` commits a change as somebody else and pulls it. */
function pulledInto(space: Workspace): { pull: (change: (upstream: string) => void) => void } {
  const upstream = join(space.dir, "upstream")
  git(space, space.dir, "init", "-q", "-b", "main", upstream)
  for (const [path, text] of Object.entries(SHOP)) {
    mkdirSync(join(upstream, path, ".."), { recursive: true })
    writeFileSync(join(upstream, path), text)
  }
  git(space, upstream, "add", "-A")
  git(space, upstream, "commit", "-qm", "first")
  rmSync(space.project, { recursive: true, force: true })
  git(space, space.dir, "clone", "-q", upstream, space.project)
  return {
    pull: (change) => {
      change(upstream)
      git(space, upstream, "add", "-Af")
      git(space, upstream, "commit", "-qm", "change")
      git(space, space.project, "pull", "-q", "--no-recurse-submodules")
    },
  }
}

async function state(server: Connection) {
  return (await server.call("status")).structuredContent
}

async function ready(server: Connection, isWanted: (status: { files: number }) => boolean = () => true) {
  for (;;) {
    const now = await state(server)
    if (now.state === "ready" && now.pending === 0 && isWanted(now)) return now
    await Bun.sleep(20)
  }
}

/** Waits for the server's notice that it does not update the index; returns the notice. */
async function toldWhy(server: Connection): Promise<string> {
  for (;;) {
    const { notices } = await state(server)
    const told = notices.find((notice: string) => notice.includes("the index is not being updated"))
    if (told !== undefined) return told
    await Bun.sleep(20)
  }
}

const isPosix = process.platform !== "win32"

describe.skipIf(!isPosix)("a pulled commit that replaces .aman", () => {
  const places: Record<string, { put: (upstream: string, victim: string) => void; told: RegExp }> = {
    "a link to a folder with files of the same names": {
      put: (upstream, victim) => symlinkSync(victim, join(upstream, ".aman")),
      told: /\.aman is now a symbolic link to .*victim/,
    },
    "a file": {
      put: (upstream) => writeFileSync(join(upstream, ".aman"), "a file"),
      told: /\.aman is now a file/,
    },
  }
  test.each(Object.keys(places))(
    "%s: a server writes nothing there, says why, and continues once it is gone",
    async (name) => {
      using space = new Workspace()
      const victim = victimIn(space)
      const { pull } = pulledInto(space)
      await using server = await connect(space)
      const { files } = await ready(server)
      const before = picture(victim)
      pull((upstream) => {
        places[name]!.put(upstream, victim)
        writeFileSync(join(upstream, "new.py"), "def zebrafinch():\n    return 1\n")
      })
      expect(await toldWhy(server)).toMatch(places[name]!.told)
      const answer = await server.call("search", { query: "zebrafinch" })
      expect(JSON.stringify(answer)).toMatch(places[name]!.told)
      expect(picture(victim)).toEqual(before)
      pull((upstream) => rmSync(join(upstream, ".aman")))
      await ready(server, (now) => now.files === files + 1)
      const { structuredContent } = await server.call("search", { query: "zebrafinch", mode: "keyword" })
      expect(structuredContent.results.map(({ path }: { path: string }) => path)).toEqual(["new.py"])
      expect(structuredContent.notices.join()).not.toContain("not being updated")
      expect(lstatSync(join(space.project, ".aman")).isDirectory()).toBe(true)
      expect(picture(victim)).toEqual(before)
    },
    LONG_MS,
  )

  test(
    "a link: aman index --watch writes nothing there, says so, and continues once it is gone",
    async () => {
      using space = new Workspace()
      const victim = victimIn(space)
      const { pull } = pulledInto(space)
      await using watcher = watching(space)
      await watcher.waitFor(/watching|files/)
      await indexed(space)
      const before = picture(victim)
      pull((upstream) => {
        symlinkSync(victim, join(upstream, ".aman"))
        writeFileSync(join(upstream, "new.py"), "def zebrafinch():\n    return 1\n")
      })
      await watcher.waitFor(/\.aman is now a symbolic link to/)
      expect(picture(victim)).toEqual(before)
      pull((upstream) => rmSync(join(upstream, ".aman")))
      while (!existsSync(join(space.project, ".aman/index.db"))) await Bun.sleep(20)
      expect((await space.json(["search", "zebrafinch"])).results[0].path).toBe("new.py")
      expect(picture(victim)).toEqual(before)
    },
    LONG_MS,
  )

  test("a link: later commands keep the index in the user's folder, and say so", async () => {
    using space = new Workspace()
    const victim = victimIn(space)
    const { pull } = pulledInto(space)
    await space.json(["index"])
    const before = picture(victim)
    pull((upstream) => symlinkSync(victim, join(upstream, ".aman")))
    const searched = await space.run(["search", "RefundPayment"])
    expect(searched).toMatchObject({ code: 0, stderr: expect.stringContaining(".aman is a symbolic link") })
    expect((await space.run(["index"])).code).toBe(0)
    const cleaned = await space.run(["clean"])
    expect(cleaned.code).toBe(0)
    expect(lstatSync(join(space.project, ".aman")).isSymbolicLink()).toBe(true)
    expect(picture(victim)).toEqual(before)
  })

  test(
    "links in place of files in .aman are never written through",
    async () => {
      using space = new Workspace()
      const victim = victimIn(space)
      const { pull } = pulledInto(space)
      await using server = await connect(space)
      const { files } = await ready(server)
      const before = picture(victim)
      pull((upstream) => {
        mkdirSync(join(upstream, ".aman"))
        for (const name of NAMES) symlinkSync(join(victim, name), join(upstream, ".aman", name))
        writeFileSync(join(upstream, "new.py"), "def zebrafinch():\n    return 1\n")
      })
      await ready(server, (now) => now.files === files + 1)
      const { structuredContent } = await server.call("search", { query: "zebrafinch", mode: "keyword" })
      expect(structuredContent.results.map(({ path }: { path: string }) => path)).toEqual(["new.py"])
      expect(picture(victim)).toEqual(before)
    },
    LONG_MS,
  )
})

describe.skipIf(!isPosix)("while a server runs", () => {
  const swaps: Record<string, (space: Workspace, victim: string) => void> = {
    "the project is renamed and a link stands in its place": (space, victim) => {
      mkdirSync(join(victim, ".aman"))
      for (const name of NAMES) renameSync(join(victim, name), join(victim, ".aman", name))
      renameSync(space.project, `${space.project}-away`)
      symlinkSync(victim, space.project)
    },
    "a parent is renamed and a link stands in its place": (space, victim) => {
      mkdirSync(join(victim, "project", ".aman"), { recursive: true })
      for (const name of NAMES) renameSync(join(victim, name), join(victim, "project", ".aman", name))
      renameSync(space.dir, `${space.dir}-away`)
      symlinkSync(join(`${space.dir}-away`, "victim"), space.dir)
    },
  }
  test.each(Object.keys(swaps))(
    "%s: nothing is written through the link",
    async (name) => {
      using space = new Workspace(SHOP)
      const outer = join(space.dir, "outer")
      mkdirSync(outer)
      const inner = Object.assign(Object.create(space), { dir: outer, project: join(outer, "project") })
      renameSync(space.project, inner.project)
      const victim = victimIn(inner)
      await using server = await connect(space, { cwd: inner.project })
      await ready(server)
      swaps[name]!(inner, victim)
      const there = existsSync(`${outer}-away`)
        ? join(`${outer}-away`, "victim/project/.aman")
        : join(victim, ".aman")
      const before = picture(there)
      writeFileSync(join(inner.project, "new.py"), "def zebrafinch():\n    return 1\n")
      expect(await toldWhy(server)).toContain("now leads through a symbolic link to")
      await server.call("search", { query: "zebrafinch" })
      await server.call("remember", { text: "the shop closes at noon" })
      expect(picture(there)).toEqual(before)
    },
    LONG_MS,
  )

  const files: Record<string, (path: string, victim: string) => void> = {
    "a link": (path, victim) => symlinkSync(victim, path),
    "a second name of a file": (path, victim) => linkSync(victim, path),
    "a pipe": (path) => void Bun.spawnSync(["mkfifo", path]),
  }
  // A selection; bun scripts/soak.ts --swaps tests all names and all kinds.
  const cases = [
    ...["index.db", "index.db-wal", "lock.db", "keyword-2.seg.tmp"].map((name) => ["a link", name] as const),
    ...["index.db-shm", "wanted"].map((name) => ["a second name of a file", name] as const),
    ...["index.db", "lock.db-journal"].map((name) => ["a pipe", name] as const),
  ]
  let shared: { space: Workspace; server: Connection } | null = null
  afterAll(async () => {
    await shared?.server[Symbol.asyncDispose]()
    shared?.space[Symbol.dispose]()
  })
  test.each(cases)(
    "%s in place of %s is not followed, and no process waits for it",
    async (kind, name) => {
      if (shared === null) {
        const space = new Workspace(SHOP)
        shared = { space, server: await connect(space) }
      }
      const { space, server } = shared
      await ready(server)
      const victim = join(space.dir, `victim-${kind.length}-${name}`)
      writeFileSync(victim, "precious")
      const before = lstatSync(victim, { bigint: true })
      const path = join(space.project, ".aman", name)
      const passing = `${path}.passing`
      files[kind]!(passing, victim)
      renameSync(passing, path)
      const word = `def word_${kind.length}_${name.replaceAll(/\W/g, "_")}():\n    return 1\n`
      writeFileSync(join(space.project, "edited.py"), word)
      for (;;) {
        const answer = await server.call("search", {
          query: word.slice(4, word.indexOf("(")),
          mode: "keyword",
        })
        const { results, partial } = answer.structuredContent ?? {}
        if (results?.[0]?.path === "edited.py" && partial === null) break
        await Bun.sleep(20)
      }
      expect(readFileSync(victim, "utf8")).toBe("precious")
      expect(lstatSync(victim, { bigint: true })).toMatchObject({ ino: before.ino, mtimeNs: before.mtimeNs })
    },
    LONG_MS,
  )
})

async function indexed(space: Workspace): Promise<void> {
  while ((await space.json(["status"])).state !== "ready") await Bun.sleep(50)
}

function watching(space: Workspace) {
  const child = Bun.spawn([binary, "index", "--watch"], {
    cwd: space.project,
    env: space.env,
    stdout: "pipe",
    stderr: "pipe",
  })
  let text = ""
  const read = async (stream: ReadableStream<Uint8Array>) => {
    for await (const part of stream) text += new TextDecoder().decode(part)
  }
  const reading = [read(child.stdout), read(child.stderr)]
  return {
    waitFor: async (pattern: RegExp) => {
      while (!pattern.test(text)) {
        if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}: ${text}`)
        await Bun.sleep(20)
      }
    },
    [Symbol.asyncDispose]: async () => {
      child.kill()
      await Promise.all([...reading, child.exited])
    },
  }
}

describe.skipIf(!isPosix)("the user's data folder", () => {
  test(
    "replaced by a link under a server: storing is refused, never written through it, and works once the folder is back",
    async () => {
      using space = new Workspace(SHOP)
      const data = join(space.dir, "data")
      await using server = await connect(space, { env: { AMAN_DATA_DIR: data } })
      await ready(server)
      expect((await server.call("remember", { text: "the shop opens at nine" })).isError).toBeFalsy()
      const victim = join(space.dir, "victim")
      mkdirSync(join(victim, "logs"), { recursive: true })
      for (const name of ["knowledge.db", "knowledge.db-wal", "knowledge.db-shm", "logs/server.log"])
        writeFileSync(join(victim, name), `precious ${name}`)
      const before = [picture(join(victim, "logs")), readFileSync(join(victim, "knowledge.db"), "utf8")]
      renameSync(data, `${data}-away`)
      symlinkSync(victim, data)
      const refused = await server.call("remember", { text: "the shop closes at noon" })
      expect(refused).toMatchObject({ isError: true })
      expect(refused.content[0]!.text).toContain("is now a symbolic link to")
      expect([picture(join(victim, "logs")), readFileSync(join(victim, "knowledge.db"), "utf8")]).toEqual(
        before,
      )
      expect(readdirSync(victim).sort()).toEqual([
        "knowledge.db",
        "knowledge.db-shm",
        "knowledge.db-wal",
        "logs",
      ])
      rmSync(data)
      renameSync(`${data}-away`, data)
      expect((await server.call("remember", { text: "the shop closes at noon" })).isError).toBeFalsy()
      const { structuredContent } = await server.call("recall", { query: "shop" })
      expect(structuredContent.results).toHaveLength(2)
    },
    LONG_MS,
  )

  test("and an index in it are private to the user, also if an older version created them readable", async () => {
    using space = new Workspace(SHOP)
    const data = join(space.dir, "data")
    const env = { AMAN_DATA_DIR: data, AMAN_INDEX_LOCATION: "user" }
    const modes = () =>
      (readdirSync(data, { recursive: true }) as string[]).flatMap((name) => {
        const { mode } = lstatSync(join(data, name))
        return (mode & 0o077) === 0 ? [] : [`${name} ${(mode & 0o777).toString(8)}`]
      })
    await space.json(["index"], { env })
    await space.json(["remember", "the shop opens at nine"], { env })
    expect(modes()).toEqual([])
    const [folder] = readdirSync(join(data, "indexes"))
    const index = join(data, "indexes", folder!)
    chmodSync(index, 0o755)
    for (const name of readdirSync(index)) chmodSync(join(index, name), 0o644)
    space.write("new.py", "def zebrafinch():\n    return 1\n")
    await space.json(["search", "zebrafinch"], { env })
    expect(modes()).toEqual([])
  })
})
