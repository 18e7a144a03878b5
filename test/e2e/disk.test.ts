import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { truthOf } from "../index-equality.ts"
import { moduleOf } from "../modules.ts"
import { connect } from "./connect.ts"
import { binary, Workspace } from "./harness.ts"

const FILES = 42
const NOBODY = 65534

let space: Workspace
beforeEach(() => {
  space = new Workspace()
  for (let index = 0; index < FILES; index++) space.write(...moduleOf(index, 0))
})
afterEach(() => space[Symbol.dispose]())

// A disk of a given size has to be mounted, which only root may do, and not on every system.
describe.skipIf(!mayMount())("on a full disk, if root may mount one,", () => {
  let disk: string
  let env: Record<string, string>
  beforeEach(() => {
    disk = join(space.dir, "disk")
    mkdirSync(disk)
    env = { AMAN_INDEX_DIR: join(disk, "index") }
  })
  // A lazy unmount, because this process may still have files of the disk mapped.
  afterEach(() => run("umount", "--lazy", disk))

  test.each([16, 400, 1200])(
    "of %d KB, reports that it is full, and indexing continues once there is room",
    async (kilobytes) => {
      run("mount", "-t", "tmpfs", "-o", `size=${kilobytes}k`, "none", disk)
      const { code, stderr } = await space.run(["index", "--quiet"], { env })
      if (code !== 0) expectFull(code, stderr)
      run("mount", "-o", "remount,size=64m", disk)
      expect(await space.json(["index"], { env })).toMatchObject({ files: FILES, notices: [] })
      const fresh = join(space.dir, "fresh")
      await space.json(["index"], { env: { AMAN_INDEX_DIR: fresh } })
      expect(truthOf(env["AMAN_INDEX_DIR"]!)).toEqual(truthOf(fresh))
    },
  )

  test("leaves nothing behind that would make git commit the index", async () => {
    run("mount", "-t", "tmpfs", "-o", "size=1m", "none", disk)
    const project = join(disk, "project")
    run("git", "init", "-q", project)
    writeFileSync(join(project, "a.py"), "def first():\n    return 1\n")
    run("git", "-C", project, "add", "a.py")
    run("bash", "-c", `cat /dev/zero > ${disk}/filling || true`)
    const own = { cwd: project, env: { AMAN_INDEX_DIR: "" } }
    const { code, stderr } = await space.run(["index", "--quiet"], own)
    expectFull(code, stderr)
    const { checks } = JSON.parse((await space.run(["doctor", "--json"], own)).stdout)
    expect(checks.find(({ name }: { name: string }) => name === "index").message).toBe("none yet")
    rmSync(join(disk, "filling"))
    run("mount", "-o", "remount,size=64m", disk)
    await space.json(["index"], own)
    const status = Bun.spawnSync(["git", "-C", project, "status", "--short"]).stdout.toString()
    expect(status).toBe("A  a.py\n")
  })

  test("of the folders for the native library, doctor names it", async () => {
    run("mount", "-t", "tmpfs", "-o", "size=64k", "none", disk)
    const { stdout } = await space.run(["doctor", "--json"], { env: { AMAN_DATA_DIR: disk, TMPDIR: disk } })
    const vectors = JSON.parse(stdout).checks.find(({ name }: { name: string }) => name === "vectors")
    const message = expect.stringContaining(`cannot write ${disk}/native: the disk is full`)
    expect(vectors).toMatchObject({ state: "warning", message })
  })

  test("a server that cannot create an index does not report one in progress", async () => {
    run("mount", "-t", "tmpfs", "-o", "size=64k", "none", disk)
    await using server = await connect(space, { env })
    const { content, structuredContent } = await server.call("search", { query: "m7" })
    expect(structuredContent.partial).toEqual({ done: 0, total: 0, share: 0, is_stopped: true })
    expect(content[0]!.text).toContain("no process is adding to it")
    expect(content[0]!.text).toContain("disk is full")
    expect(content[0]!.text).not.toMatch(/still being built|ask again/)
    const symbol = await server.call("symbol", { name: "m7" })
    expect(symbol.content[0]!.text).toContain("disk is full")
    expect((await server.call("map")).content[0]!.text).not.toContain("still being built")
  })

  test("the old index stays, answers and reports the reason", async () => {
    run("mount", "-t", "tmpfs", "-o", "size=64m", "none", disk)
    await space.json(["index"], { env })
    const used = Number(Bun.spawnSync(["df", "--output=used", "-k", disk]).stdout.toString().split("\n")[1])
    run("mount", "-o", `remount,size=${used + 8}k`, disk)
    for (let index = 0; index < FILES; index += 2) space.write(...moduleOf(index, 1))
    const update = await space.run(["index", "--quiet"], { env })
    expectFull(update.code, update.stderr)
    const { results, notices } = await space.json(["search", "m7"], { env })
    expect(results[0].path).toBe("p7/m7.py")
    expect(notices.join()).toContain("could not be updated")
    run("mount", "-o", "remount,size=64m", disk)
    await space.json(["index"], { env })
    const fresh = join(space.dir, "fresh")
    await space.json(["index"], { env: { AMAN_INDEX_DIR: fresh } })
    expect(truthOf(env["AMAN_INDEX_DIR"]!)).toEqual(truthOf(fresh))
  })
})

describe.skipIf(!mayMount())("on a full disk under the data folder, if root may mount one,", () => {
  let disk: string
  let env: Record<string, string>
  const fill = () => Bun.spawnSync(["dd", "if=/dev/zero", `of=${join(disk, "filling")}`, "bs=1k"])
  const empty = () => rmSync(join(disk, "filling"))
  beforeEach(async () => {
    disk = join(space.dir, "disk")
    mkdirSync(disk)
    run("mount", "-t", "tmpfs", "-o", "size=2m", "none", disk)
    env = { AMAN_DATA_DIR: join(disk, "data") }
    await space.json(["remember", "--", "The ledger closes at midnight"], { env })
  })
  afterEach(() => run("umount", "--lazy", disk))

  test.each(["no process", "a server"])(
    "stores nothing and recalls existing entries, with %s in place",
    async (who) => {
      await using server = who === "a server" ? await connect(space, { env }) : null
      await server?.call("recall", { query: "ledger" })
      fill()
      const refused = await space.run(["remember", "--", "The ledger opens at dawn"], { env })
      expectFull(refused.code, refused.stderr)
      const { results, notices } = await space.json(["recall", "ledger"], { env })
      expect(results.map(({ text }: { text: string }) => text)).toEqual(["The ledger closes at midnight"])
      // A running server keeps the store open, so only new entries fail, and no notice is needed.
      const full = expect.stringMatching(/^new entries cannot be stored: .*disk is full$/)
      expect(notices).toEqual(server === null ? [full] : [])
      const { checks } = JSON.parse((await space.run(["doctor", "--json"], { env })).stdout)
      const knowledge = checks.find(({ name }: { name: string }) => name === "knowledge")
      expect(knowledge.message).toContain("1 entry")
      empty()
      await space.json(["remember", "--", "The ledger opens at dawn"], { env })
      expect((await space.json(["memory", "list"], { env })).entries).toHaveLength(2)
    },
  )

  test("a server stores entries again once there is room, and sees those of others", async () => {
    fill()
    await using server = await connect(space, { env })
    expect((await server.call("recall", { query: "ledger" })).structuredContent.results).toHaveLength(1)
    const refused = await server.call("remember", { text: "The ledger opens at dawn" })
    expect(refused.isError).toBe(true)
    expect(refused.content[0]!.text).toContain("database or disk is full")
    empty()
    await space.json(["remember", "--", "The ledger is closed on Sundays"], { env })
    const text = "The ledger opens at dawn"
    while ((await server.call("remember", { text })).isError) await Bun.sleep(500)
    expect((await server.call("recall", { query: "ledger" })).structuredContent.results).toHaveLength(3)
  })

  test("an export that does not fit leaves the old file and nothing beside it", async () => {
    const file = join(disk, "notes.md")
    await space.json(["memory", "export", file], { env })
    const before = readFileSync(file, "utf8")
    fill()
    await using _ = { [Symbol.asyncDispose]: async () => empty() }
    const { code, stderr } = await space.run(["memory", "export", file], { env })
    expect([code, stderr]).toEqual([3, expect.stringContaining("notes.md: the disk is full")])
    expect(readFileSync(file, "utf8")).toBe(before)
    expect(readdirSync(disk).sort()).toEqual(["data", "filling", "notes.md"])
  })
})

describe.skipIf(!mayMount())("on a full disk under the home folder, if root may mount one,", () => {
  test("setup leaves settings unchanged, reports each, and keeps no partial copy", async () => {
    const disk = join(space.dir, "disk")
    mkdirSync(disk)
    run("mount", "-t", "tmpfs", "-o", "size=1m", "none", disk)
    await using _ = { [Symbol.asyncDispose]: async () => run("umount", "--lazy", disk) }
    const settings = join(space.home, ".claude.json")
    writeFileSync(settings, '{"numStartups": 5}')
    mkdirSync(join(space.home, ".claude"))
    const env = { AMAN_DATA_DIR: join(disk, "data"), XDG_CONFIG_HOME: join(disk, "config") }
    await space.json(["remember", "--", "The ledger closes at midnight"], { env })
    await space.run(["config", "set", "log.level", "info"], { env })
    const config = readFileSync(join(disk, "config/aman/config.yaml"), "utf8")
    run("bash", "-c", `cat /dev/zero > ${disk}/filling || true`)
    const setup = await space.run(["setup", "--yes", "claude-code"], { env })
    expect(setup.code).toBe(3)
    expect(setup.stdout + setup.stderr).toContain("nothing was changed, because no backup can be written")
    expect(setup.stdout + setup.stderr).toContain("the disk is full")
    expect(readFileSync(settings, "utf8")).toBe('{"numStartups": 5}')
    const set = await space.run(["config", "set", "log.level", "debug"], { env })
    expect([set.code, set.stderr]).toEqual([3, expect.stringContaining("config.yaml: the disk is full")])
    expect(readFileSync(join(disk, "config/aman/config.yaml"), "utf8")).toBe(config)
    const rebuilt = await space.run(["memory", "rebuild"], { env })
    expect([rebuilt.code, rebuilt.stderr]).toEqual([3, expect.stringContaining("database or disk is full")])
    const left = readdirSync(disk, { recursive: true, withFileTypes: true })
    expect(
      left.filter((each) => each.isFile() && /backups|\.tmp/.test(join(each.parentPath, each.name))),
    ).toEqual([])
  })
})

// As in the sandboxes of agents: everything can be read and nothing written.
describe.skipIf(!mayMount())("on a read-only file system, if root may mount one,", () => {
  const sealed = () => {
    run("mount", "--bind", space.dir, space.dir)
    run("mount", "-o", "remount,bind,ro", space.dir)
  }
  // A folder for temporary files that cannot be written either; otherwise a copy could be made there.
  const env = { TMPDIR: "/proc" }
  afterEach(() => Bun.spawnSync(["umount", "--lazy", space.dir]))

  test("the index answers as it is and reports what may be missing", async () => {
    await space.json(["index"])
    await space.json(["remember", "--", "The ledger closes at midnight"])
    const changed = "def other():\n    return 1\n"
    sealed()
    expect((await space.json(["search", "m7"], { env })).results[0].path).toBe("p7/m7.py")
    expect((await space.json(["recall", "ledger"], { env })).results).toHaveLength(1)
    run("umount", "--lazy", space.dir)
    space.write("p7/m7.py", changed)
    sealed()
    for (const asked of [
      ["search", "m8"],
      ["symbol", "--outline", "p8/m8.py"],
    ] as const) {
      const { notices } = await space.json(asked, { env })
      expect(notices.join()).toContain("could not be updated")
    }
    const { stderr } = await space.run(["map"], { env })
    expect(stderr).toContain("could not be updated")
  })

  test("an index that came with the project is not trusted", async () => {
    await space.json(["index"])
    rmSync(join(space.home, ".local"), { recursive: true })
    sealed()
    expect((await space.json(["status"], { env })).state).toBe("missing")
    const { code, stdout } = await space.run(["search", "m7"], { env })
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" })
  })
})

// Root may read and write everything, so the test runs as another user.
describe.skipIf(process.getuid?.() !== 0 || Bun.which("setpriv") === null)(
  "a second user, if root has setpriv,",
  () => {
    let home: string
    beforeEach(() => {
      home = join(space.dir, "other-home")
      mkdirSync(home)
      chownSync(home, NOBODY, NOBODY)
      chmodSync(space.dir, 0o755)
    })

    test("can search a checkout that only another user may write, from their own folder", async () => {
      await space.json(["index"])
      const before = readdirSync(join(space.project, ".aman")).sort()
      const found = await asNobody(["search", "--json", "--quiet", "m7"])
      expect([found.code, found.stderr]).toEqual([0, ""])
      expect(JSON.parse(found.stdout).results[0].path).toBe("p7/m7.py")
      expect(readdirSync(join(home, ".local/share/aman")).sort()).toContain("indexes")
      expect(readdirSync(join(space.project, ".aman")).sort()).toEqual(before)
      const [own] = readdirSync(join(home, ".local/share/aman/indexes"))
      expect(truthOf(join(home, ".local/share/aman/indexes", own!))["files"]).toEqual(
        truthOf(join(space.project, ".aman"))["files"],
      )
    })

    test("skips an unreadable file or folder and indexes it when it is readable", async () => {
      const index = async () => JSON.parse((await asNobody(["index", "--json", "--quiet"])).stdout)
      const [file, folder] = [join(space.project, "p7/m7.py"), join(space.project, "p3")]
      chmodSync(file, 0)
      expect(await index()).toMatchObject({ files: FILES - 1, skipped: { unreadable: 1 } })
      chmodSync(folder, 0)
      expect((await index()).files).toBeLessThan(FILES - 1)
      expect(await index()).toMatchObject({ changed: 0, skipped: { unreadable: 2 } })
      chmodSync(file, 0o644)
      chmodSync(folder, 0o755)
      expect(await index()).toMatchObject({ files: FILES, skipped: {} })
      expect(await index()).toMatchObject({ files: FILES, changed: 0 })
    })

    test("can recall in a folder that only another user may write, and is told why nothing is stored", async () => {
      const data = join(space.dir, "knowledge")
      await space.json(["remember", "--", "The ledger closes at midnight"], { env: { AMAN_DATA_DIR: data } })
      chmodSync(data, 0o755)
      chmodSync(join(data, "knowledge.db"), 0o644)
      const found = await asNobody(["recall", "--json", "--", "when does the ledger close"], {
        AMAN_DATA_DIR: data,
      })
      const { results, notices } = JSON.parse(found.stdout)
      expect(results[0].text).toBe("The ledger closes at midnight")
      expect(notices.join()).toContain("cannot be stored")
      const refused = await asNobody(["remember", "--", "The ledger opens at dawn"], { AMAN_DATA_DIR: data })
      expect(refused.code).toBe(3)
      expect(refused.stderr).toContain("AMAN_DATA_DIR")
      // The message does not claim that the file cannot be written: another user's file may be writable, and
      // so may one on a mount without permissions.
      expect(refused.stderr).toContain("knowledge.db cannot be made private")
      expect(readdirSync(data)).toEqual(["knowledge.db"])
    })

    async function asNobody(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
      const as = ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"]
      const child = Bun.spawn([...as, binary, ...args], {
        cwd: space.project,
        env: { ...space.env, HOME: home, TMPDIR: home, ...env },
        stdout: "pipe",
        stderr: "pipe",
      })
      const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()])
      return { code: await child.exited, stdout, stderr }
    }
  },
)

test.skipIf(process.platform === "win32")("names a file size limit instead of a full disk", async () => {
  const limited = ["bash", "-c", `ulimit -f 100; exec ${binary} remember The ledger closes at midnight`]
  const child = Bun.spawn(limited, { cwd: space.project, env: space.env, stderr: "pipe" })
  const stderr = await child.stderr.text()
  expect([await child.exited, stderr]).toEqual([3, expect.stringContaining("ulimit -f")])
})

test("skips files that vanish while being read, and the index is correct", async () => {
  const child = Bun.spawn([binary, "index", "--quiet"], { cwd: space.project, env: space.env })
  for (let index = 0; index < FILES; index += 3) {
    rmSync(join(space.project, moduleOf(index, 0)[0]))
    await Bun.sleep(2)
  }
  expect(await child.exited).toBe(0)
  expect(await space.json(["index"])).toMatchObject({ files: FILES - FILES / 3 })
  const fresh = join(space.dir, "fresh")
  await space.json(["index"], { env: { AMAN_INDEX_DIR: fresh } })
  expect(truthOf(join(space.project, ".aman"))).toEqual(truthOf(fresh))
})

function expectFull(code: number, stderr: string): void {
  expect(code).toBe(3)
  expect(stderr).toContain("database or disk is full")
  expect(stderr).toContain("free disk space")
  expect(stderr).not.toMatch(/\n\s+at /)
}

function mayMount(): boolean {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return false
  using probe = new Workspace()
  const { exitCode } = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=64k", "none", probe.home])
  if (exitCode === 0) run("umount", probe.home)
  return exitCode === 0
}

function run(...command: string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(command)
  if (exitCode !== 0) throw new Error(`${command.join(" ")}: ${stderr}`)
}
