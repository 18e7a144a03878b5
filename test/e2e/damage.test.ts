import { Database } from "bun:sqlite"
import { afterAll, beforeAll, expect, test } from "bun:test"
import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs"
import { join } from "node:path"
import type { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { type IndexTruth, truthOf } from "../index-equality.ts"
import { type Connection, connect } from "./connect.ts"
import { Workspace } from "./harness.ts"

let space: Workspace
let dir: string
let whole: IndexTruth

beforeAll(async () => {
  space = new Workspace()
  dir = join(space.project, ".aman")
  for (let i = 0; i < 40; i++)
    space.write(`s/m${i}.py`, `def alpha_${i}(x):\n    return beta(x)\n\n\n${"# filler words\n".repeat(30)}`)
  await space.json(["index"])
  whole = truthOf(dir)
})
afterAll(() => space[Symbol.dispose]())

const HARM: Readonly<Record<string, (path: string) => void>> = {
  emptied: (path) => truncateSync(path, 0),
  cut: (path) => truncateSync(path, Math.floor(statSync(path).size / 2)),
  altered: (path) => {
    const bytes = readFileSync(path)
    for (let at = 100; at < bytes.length; at += 997) bytes[at]! ^= 0x5a
    writeFileSync(path, bytes)
  },
  "other bytes": (path) => writeFileSync(path, Buffer.alloc(50_000, 0xa7)),
  "a folder": (path) => {
    rmSync(path, { force: true })
    mkdirSync(path)
  },
  gone: (path) => rmSync(path, { force: true }),
}
/**
 * Names of the files whose damage is reported. An emptied write-ahead log cannot be noticed: its content is in the
 * database already, or is computed again.
 */
const REPORTED = /^(?:keyword|vectors)-/

const FILES = ["index.db", "index.db-wal", "index.db-shm", "lock.db", "keyword-", "vectors-"]
const DAMAGES = FILES.flatMap((file) => Object.keys(HARM).map((kind) => [file, kind] as const))
// Every file once and every kind of damage once; all pairs of them in `bun run soak`.
const IS_LONG = process.env["AMAN_TEST_DAMAGES"] !== undefined
const KINDS = Object.keys(HARM).length
const isChosen = (at: number) => IS_LONG || at % KINDS === Math.floor(at / KINDS)

test.each(DAMAGES.filter((_, at) => isChosen(at)))(
  "%s %s: the next query is answered, and the index is whole again",
  async (file, kind) => {
    // The file may not exist yet, because a few new vectors stay in the database. A new index has it.
    if (nameOf(file) === undefined && file.endsWith("-")) await space.json(["index", "--force"])
    const name = nameOf(file) ?? file
    const path = join(dir, name)
    if (!existsSync(path)) writeFileSync(path, Buffer.alloc(40_000, 1))
    HARM[kind]!(path)
    const { code, stdout, stderr } = await space.run(["search", "--json", "alpha_7"])
    expect(code).toBe(0)
    expect(JSON.parse(stdout).results[0].path).toBe("s/m7.py")
    expect(stderr).not.toMatch(/\n\s+at /)
    if (REPORTED.test(name)) expect(stderr.match(/^warn .*$/gm)).toEqual([expect.stringContaining(name)])
    const again = await space.run(["index", "--quiet"])
    expect([again.code, again.stderr]).toEqual([0, ""])
    expect(truthOf(dir)).toEqual(whole)
  },
)

const UNDER_SERVERS = [
  ["index.db", "altered", alterInPlace],
  ["index.db", "cut", HARM["cut"]!],
  ["index.db", "emptied", HARM["emptied"]!],
  ["keyword-", "altered", alterInPlace],
  ["keyword-", "cut", HARM["cut"]!],
  ["vectors-", "altered", alterInPlace],
  ["vectors-", "cut", HARM["cut"]!],
] as const

test.each(UNDER_SERVERS.filter((_, at) => IS_LONG || at % 3 === 0))(
  "two servers keep answering and repair the index after %s %s",
  async (file, kind, harm) => {
    await space.json(["index", "--force"])
    const changed = `changed_${file.replace(/\W/g, "")}_${kind}`
    {
      await using first = await connect(space)
      await using second = await connect(space)
      const find = async (server: Connection, query: string) =>
        (await server.call("search", { query, mode: "keyword" })).structuredContent.results[0]?.path
      for (const server of [first, second]) expect(await find(server, "alpha_7")).toBe("s/m7.py")
      const harmed = join(dir, nameOf(file)!)
      harm(harmed)
      // The servers notice the damage before they answer, and repair the index although no file has changed.
      for (const server of [first, second])
        while ((await find(server, "alpha_7")) !== "s/m7.py") await Bun.sleep(50)
      while (file !== "index.db" && existsSync(harmed)) await Bun.sleep(50)
      space.write("s/changed.py", `def ${changed}():\n    pass\n`)
      for (const server of [first, second])
        while ((await find(server, changed)) !== "s/changed.py") await Bun.sleep(50)
    }
    rmSync(join(space.project, "s/changed.py"))
    await space.json(["index"])
    expect(truthOf(dir)).toEqual(whole)
  },
  60_000,
)

test.each(["emptied", "cut"])("a server survives index.db being %s, and answers again", async (kind) => {
  await space.json(["index"])
  {
    await using server = await connect(space)
    const callers = () => server.call("symbol", { name: "alpha_7", relation: "outline", path: "s/m7.py" })
    while ((await callers()).isError) await Bun.sleep(50)
    HARM[kind]!(join(dir, "index.db"))
    // The first answers may be errors while the index is rebuilt.
    while ((await callers()).isError) await Bun.sleep(50)
  }
  await space.json(["index"])
  expect(truthOf(dir)).toEqual(whole)
})

test("a server survives truncated files beside its databases and truncated segments between queries", async () => {
  await space.json(["index"])
  await using server = await connect(space)
  const find = async () =>
    (await server.call("search", { query: "alpha_7" })).structuredContent.results[0]?.path
  const recall = async () => (await server.call("recall", { query: "beta release" })).isError
  await server.call("remember", { text: "The beta release is on Monday." })
  while ((await find()) !== "s/m7.py") await Bun.sleep(50)
  expect(await recall()).toBeFalsy()
  const knowledge = join(space.home, ".local/share/aman/knowledge.db-shm")
  const beside = [join(dir, "index.db-shm"), knowledge]
  const segments = readdirSync(dir).filter((name) => name.startsWith("keyword-"))
  for (const path of [...beside, ...segments.map((name) => join(dir, name))]) truncateSync(path, 0)
  while ((await find()) !== "s/m7.py") await Bun.sleep(50)
  expect(await recall()).toBeFalsy()
  space.write("s/later.py", "def gamma_later():\n    pass\n")
  const later = async () => (await server.call("search", { query: "gamma_later" })).structuredContent
  while ((await later()).results[0]?.path !== "s/later.py") await Bun.sleep(50)
  rmSync(join(space.project, "s/later.py"))
})

// The signal stands for a file that is truncated within the milliseconds of a query; decision 3 says why that
// still ends the process.
test.skipIf(process.platform === "win32")(
  "after a truncated file has ended a server during a call, the next one has lost nothing and repairs the index",
  async () => {
    await space.json(["index"])
    const find = async (server: Connection) =>
      (await server.call("search", { query: "alpha_7" })).structuredContent.results[0]?.path
    {
      await using server = await connect(space)
      await server.call("remember", { text: "The gamma release is on Tuesday." })
      while ((await find(server)) !== "s/m7.py") await Bun.sleep(50)
      // Answered or not, depending on when the signal arrives.
      const running = server.call("search", { query: "alpha_8" }).catch(() => null)
      const names = readdirSync(dir).filter((name) => /^keyword-|^index\.db-shm$/.test(name))
      for (const name of names) truncateSync(join(dir, name), 0)
      truncateSync(join(space.home, ".local/share/aman/knowledge.db-shm"), 0)
      process.kill((server.client.transport as StdioClientTransport).pid!, "SIGBUS")
      await running
    }
    {
      await using next = await connect(space)
      while ((await find(next)) !== "s/m7.py") await Bun.sleep(50)
      const recalled = await next.call("recall", { query: "gamma release" })
      expect(recalled.content[0]!.text).toContain("The gamma release is on Tuesday.")
    }
    await space.json(["index"])
    expect(truthOf(dir)).toEqual(whole)
  },
)

test("rebuilds the index when its registry entry cannot be read", async () => {
  const folder = join(space.home, ".local/share/aman/projects")
  for (const name of readdirSync(folder)) writeFileSync(join(folder, name), "{ half")
  expect((await space.json(["search", "alpha_9"])).results[0].path).toBe("s/m9.py")
  expect(truthOf(dir)).toEqual(whole)
})

test("refuses an index of a newer aman and leaves it unchanged", async () => {
  const kept = join(space.dir, "kept")
  const version = schemaVersion()
  alter("PRAGMA user_version = 99")
  cpSync(join(dir, "index.db"), kept)
  for (const command of [["search", "alpha_7"], ["index"], ["status"]]) {
    const { code, stderr } = await space.run(command)
    expect(code).toBe(3)
    expect(stderr).toContain("was written by a newer aman (schema 99)")
    expect(stderr).toContain("update aman, or delete that file")
  }
  expect(readFileSync(join(dir, "index.db")).equals(readFileSync(kept))).toBe(true)
  alter(`PRAGMA user_version = ${version}`)
})

test("migrates an index of an older schema and reads missing data again", async () => {
  alter(
    "DROP TABLE bases",
    "DROP TABLE divided_files",
    "DROP TABLE document_texts",
    "DROP TABLE history",
    "DROP INDEX files_documents",
    "DROP INDEX files_unread",
    "DROP TABLE embedded",
    "DROP TABLE uses",
    "DROP TABLE centrality",
    "DROP TABLE central_names",
    "ALTER TABLE symbols DROP COLUMN local",
    "PRAGMA user_version = 1",
    `UPDATE meta SET value = json_set(value, '$.shape', '1:9:9:9') WHERE key = 'state'`,
  )
  expect(await space.json(["index"])).toMatchObject({ files: 40, changed: 40 })
  expect(truthOf(dir)).toEqual(whole)
})

test("chunks everything again for an older index version and answers meanwhile", async () => {
  alter(`UPDATE meta SET value = json_set(value, '$.shape', '1:9:9:9') WHERE key = 'state'`)
  expect(await space.json(["index"])).toMatchObject({ files: 40, changed: 40 })
  expect(truthOf(dir)).toEqual(whole)
})

function schemaVersion(): number {
  using db = new Database(join(dir, "index.db"), { readonly: true })
  return (db.query("PRAGMA user_version").get() as { readonly user_version: number }).user_version
}

function cutUses(): void {
  const cut = Buffer.from(Bun.zstdCompressSync(Uint8Array.of(1, 4, 98, 101, 116, 97, 200))).toString("hex")
  alter(`UPDATE uses SET places = x'${cut}'`)
}

test("reads uses again from their files when they are truncated inside a sound database", async () => {
  cutUses()
  const { code, stdout, stderr } = await space.run(["symbol", "--json", "alpha_3", "--callees"])
  expect(code).toBe(0)
  expect(stderr).toContain("damaged")
  expect(JSON.parse(stdout).unresolved.places[0].path).toBe("s/m3.py")
  expect(truthOf(dir)).toEqual(whole)
})

test("the leader repairs truncated uses that two servers find", async () => {
  {
    await using first = await connect(space)
    await using second = await connect(space)
    const asked = (server: Connection) => server.call("symbol", { name: "alpha_3", relation: "callees" })
    for (const server of [first, second]) {
      while ((await asked(server)).isError) await Bun.sleep(50)
      cutUses()
      while ((await asked(server)).isError) await Bun.sleep(50)
      expect((await asked(server)).structuredContent.unresolved.places[0].path).toBe("s/m3.py")
    }
  }
  await space.json(["index"])
  expect(truthOf(dir)).toEqual(whole)
})

/** Alters the file as a failing disk does, so that processes that have mapped it see the change. */
function alterInPlace(path: string): void {
  const bytes = readFileSync(path)
  for (let at = 0; at < bytes.length; at += 701) bytes[at]! ^= 0x5a
  const file = openSync(path, "r+")
  writeSync(file, bytes, 0, bytes.length, 0)
  closeSync(file)
}

function nameOf(start: string): string | undefined {
  return readdirSync(dir).find((name) => name.startsWith(start))
}

function alter(...statements: readonly string[]): void {
  using db = new Database(join(dir, "index.db"))
  // Waits, because a server may hold the write lock.
  db.run("PRAGMA busy_timeout = 10000")
  for (const statement of statements) db.run(statement)
  db.run("PRAGMA wal_checkpoint(TRUNCATE)")
}
