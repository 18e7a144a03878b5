import { describe, expect, test } from "bun:test"
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { connect } from "./connect.ts"
import { binary, Workspace } from "./harness.ts"
import { SHOP } from "./sample.ts"

const folder = (space: Workspace) => join(space.project, ".aman")

test("index --force rebuilds the index", async () => {
  using shop = new Workspace(SHOP)
  await shop.json(["index"])
  expect(await shop.json(["index"])).toMatchObject({ changed: 0 })
  expect(await shop.json(["index", "--force"])).toMatchObject({ files: 7, changed: 7 })
  expect((await shop.json(["search", "RefundPayment"])).results[0].path).toBe("billing/refund.go")
})

describe("clean", () => {
  test("deletes the index, reports it, and leaves all other files", async () => {
    using shop = new Workspace(SHOP)
    await shop.json(["index"])
    writeFileSync(join(folder(shop), "notes.txt"), "mine")
    const { code, stdout } = await shop.run(["clean"])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^removed the index in .*\/\.aman: \d+ files, [\d.]+ [KM]B\n$/)
    expect(readdirSync(folder(shop))).toEqual(["notes.txt"])
    expect((await shop.json(["status"])).state).toBe("missing")
    expect((await shop.json(["projects"])).projects).toEqual([])
    expect(await shop.json(["clean"])).toMatchObject({ files: 0, bytes: 0 })
    rmSync(join(folder(shop), "notes.txt"))
    await shop.json(["index"])
    await shop.json(["clean"])
    expect(existsSync(folder(shop))).toBe(false)
  })

  test("leaves an index that came with the project, and says so; refuses one that is in use", async () => {
    using shop = new Workspace(SHOP)
    await shop.json(["index"])
    rmSync(join(shop.home, ".local"), { recursive: true })
    const foreign = await shop.run(["clean"])
    expect(foreign).toMatchObject({ code: 0, stdout: expect.stringContaining("no index exists for") })
    expect(foreign.stderr).toContain("not built by your aman")
    expect(existsSync(join(folder(shop), "index.db"))).toBe(true)
    await shop.json(["index"])
    const server = await connect(shop)
    await server.call("status", {})
    // The server answers before it has become the leader, so wait for that.
    while ((await shop.json(["status"])).leader !== "another process") await Bun.sleep(20)
    for (const args of [["clean"], ["index", "--force"]]) {
      const busy = await shop.run(args)
      expect(busy.code).toBe(3)
      expect(busy.stderr).toContain("another aman")
    }
    await server[Symbol.asyncDispose]()
    expect((await shop.run(["clean"])).code).toBe(0)
  })
})

test("projects lists every index wherever it is, and removes one, also of a deleted project", async () => {
  using shop = new Workspace(SHOP)
  const other = join(shop.dir, "other")
  mkdirSync(other)
  writeFileSync(join(other, "a.py"), "x = 1\n")
  await shop.json(["index"])
  await shop.json(["index"], { cwd: other, env: { AMAN_INDEX_LOCATION: "user" } })
  const { projects } = await shop.json(["projects", "list"], { cwd: shop.home })
  expect(projects.map(({ root }: { root: string }) => root)).toEqual([other, shop.project])
  expect(projects[1]).toMatchObject({ index_dir: folder(shop), state: "ready" })
  expect(projects[0].index_bytes).toBeGreaterThan(1000)
  rmSync(other, { recursive: true })
  expect((await shop.run(["projects"])).stdout).toContain("the project folder is missing")
  const removed = await shop.json(["projects", "remove", other])
  expect(removed.removed[0]).toMatchObject({ root: other })
  expect(existsSync(projects[0].index_dir)).toBe(false)
  await shop.json(["projects", "remove", "."])
  expect(existsSync(folder(shop))).toBe(false)
  expect(await shop.json(["projects"])).toEqual({ projects: [] })
  expect((await shop.run(["projects", "remove", "nowhere"])).code).toBe(1)
})

describe("trusts an index only if this user's aman made it", () => {
  test("an index that came with the project is rebuilt before it answers", async () => {
    using maker = new Workspace({ "planted.py": "def planted_secret():\n    return 1\n" })
    await maker.json(["index"])
    using shop = new Workspace(SHOP)
    cpSync(folder(maker), folder(shop), { recursive: true })
    expect((await shop.json(["status"])).state).toBe("missing")
    const { code, stdout } = await shop.run(["search", "--json", "--mode", "keyword", "planted_secret"])
    expect({ code, results: JSON.parse(stdout).results }).toEqual({ code: 1, results: [] })
    expect(await shop.json(["status"])).toMatchObject({ state: "ready", files: 7 })
  })

  test("does not follow links in place of our files", async () => {
    using shop = new Workspace(SHOP)
    mkdirSync(folder(shop))
    for (const name of ["index.db", "lock.db", ".gitignore", "wanted", "index.db-wal"]) {
      writeFileSync(join(shop.home, name), "precious")
      symlinkSync(join(shop.home, name), join(folder(shop), name))
    }
    expect((await shop.json(["search", "RefundPayment"])).results[0].path).toBe("billing/refund.go")
    for (const name of ["index.db", "lock.db", ".gitignore", "wanted", "index.db-wal"]) {
      expect(await Bun.file(join(shop.home, name)).text()).toBe("precious")
    }
  })

  test("leaves an .aman that is a link alone", async () => {
    using shop = new Workspace(SHOP)
    mkdirSync(join(shop.home, "target"))
    symlinkSync(join(shop.home, "target"), folder(shop))
    await shop.json(["search", "RefundPayment"])
    expect(readdirSync(join(shop.home, "target"))).toEqual([])
    expect(existsSync(join(shop.home, ".local/share/aman/indexes"))).toBe(true)
  })

  test("rebuilds a file of garbage", async () => {
    using shop = new Workspace(SHOP)
    for (const name of ["index.db", "lock.db", "index.db-wal", "keyword-1.seg", "vectors-1.vec"]) {
      shop.write(`.aman/${name}`, "garbage ".repeat(1000))
    }
    mkdirSync(join(folder(shop), "vectors-2"))
    expect((await shop.json(["search", "RefundPayment"])).results[0].path).toBe("billing/refund.go")
  })

  test("a moved project keeps its index, a copy gets its own", async () => {
    using shop = new Workspace(SHOP)
    await shop.json(["index"])
    const copy = join(shop.dir, "copy")
    cpSync(shop.project, copy, { recursive: true, preserveTimestamps: true })
    expect((await shop.json(["index"], { cwd: copy })).changed).toBe(7)
    const moved = join(shop.dir, "moved")
    renameSync(shop.project, moved)
    expect((await shop.json(["index"], { cwd: moved })).changed).toBe(0)
  })

  // A file takes the place of the folder, because permissions do not stop the superuser.
  test("works without a writable data folder", async () => {
    using shop = new Workspace(SHOP)
    const env = { XDG_DATA_HOME: join(shop.project, "go.mod") }
    await shop.json(["index"], { env })
    expect(await shop.json(["index"], { env })).toMatchObject({ changed: 0 })
    const blocked = join(shop.dir, "blocked")
    writeFileSync(blocked, "")
    const nowhere = { ...env, TMPDIR: blocked }
    const first = await shop.run(["index"], { env: nowhere })
    expect(first.code).toBe(0)
    expect(first.stderr.match(/cannot record that it built this index/g)).toHaveLength(1)
    expect(first.stderr).toContain("AMAN_DATA_DIR")
    expect((await shop.json(["search", "RefundPayment"], { env: nowhere })).results[0].path).toBe(
      "billing/refund.go",
    )
  })

  test.skipIf(process.getuid?.() !== 0 || !Bun.which("setpriv"))(
    "works for a user unknown to the system, without a home, as in containers",
    async () => {
      using shop = new Workspace(SHOP)
      Bun.spawnSync(["chown", "-R", "12345", shop.dir])
      const run = (...args: string[]) => {
        const command = ["setpriv", "--reuid", "12345", "--clear-groups", binary, ...args]
        const env = { PATH: process.env["PATH"] ?? "", TMPDIR: shop.dir }
        const { exitCode, stdout, stderr } = Bun.spawnSync(command, { cwd: shop.project, env })
        return { code: exitCode, stdout: stdout.toString(), stderr: stderr.toString() }
      }
      expect(run("index", "--json")).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('"changed":7'),
      })
      expect(run("index", "--json").stdout).toContain('"changed":0')
      expect(run("config", "show").code).toBe(0)
      expect(run("config", "set", "search.limit", "3").stderr).toContain("XDG_CONFIG_HOME")
      expect(readdirSync(shop.project).sort()).toEqual(
        [".aman", ...new Set(Object.keys(SHOP).map((path) => path.split("/")[0]!))].sort(),
      )
    },
  )
})
