import { Database } from "bun:sqlite"
import { expect, test } from "bun:test"
import { copyFileSync, mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { INDEX_VERSION } from "../../src/index/index-state.ts"
import { MIGRATIONS } from "../../src/store/index/migrations.ts"
import { LeaderLock } from "../../src/store/lock/lead.ts"
import { KNOWLEDGE_MIGRATIONS } from "../../src/store/memory/migrations/list.ts"
import { Registry } from "../../src/store/registry.ts"
import { connect } from "./connect.ts"
import { Workspace } from "./harness.ts"

const RELEASED = join(import.meta.dir, "../fixtures/versions/0.1.0")
const FILES = {
  "src/shop.ts": `export function openShop(name: string): string {
  return \`\${name} is open\`
}
`,
  "README.md": "# Shop\n\nSells lanterns.\n",
}

test("an upgrade keeps all knowledge of the first release: every event, project, entity and relation", async () => {
  using space = withReleased()
  const { env } = space
  await space.json(["remember", "written after the upgrade"], { env })
  const { stdout } = await space.run(["memory", "export", "--everything"], { env })
  const before = linesOf(readFileSync(join(RELEASED, "export.jsonl"), "utf8"))
  const after = linesOf(stdout)
  expect(after).toEqual(expect.arrayContaining(before))
  expect(after.length).toBe(before.length + 1)
  const { entries } = await space.json(["memory", "list", "--limit", "100"], { env })
  const texts = entries.map(({ text }: { text: string }) => text)
  expect(texts).toContain("the shop listens on port 9090")
  expect(texts).toContain("lanterns for everybody: 日本 😀")
  const { stdout: related } = await space.run(["memory", "related", "Shop"], { env })
  expect(related).toContain("Queue")
  expect((await space.json(["memory", "rebuild"], { env })).differing).toEqual([])
})

test("rebuilds the index of the first release once", async () => {
  using space = withReleased()
  const { env } = space
  const first = await space.json(["index"], { env })
  expect(first).toMatchObject({ files: 2, changed: 2 })
  expect(await space.json(["index"], { env })).toMatchObject({ files: 2, changed: 0 })
})

test("neither rebuilds nor changes an index of a newer aman, and every command suggests an update", async () => {
  using space = new Workspace(FILES)
  await space.json(["index"])
  const file = join(space.project, ".aman/index.db")
  edit(file, (db) => db.run(`PRAGMA user_version = ${MIGRATIONS.length + 1}`))
  const before = readFileSync(file)
  for (const args of [
    ["search", "shop"],
    ["index"],
    ["index", "--force"],
    ["symbol", "openShop"],
    ["status"],
  ]) {
    const { code, stderr } = await space.run(args)
    expect([args, code]).toEqual([args, 3])
    expect(stderr).toContain("was written by a newer aman")
    expect(stderr).toContain("update aman")
  }
  await using server = await connect(space)
  for (let call = 0; call < 3; call++) {
    const { isError, content } = await server.call("search", { query: "shop" })
    expect([isError, content[0]!.text]).toEqual([true, expect.stringContaining("written by a newer aman")])
  }
  expect(readFileSync(file).equals(before)).toBe(true)
})

test("leaves knowledge of a newer aman unchanged, and every command suggests an update", async () => {
  using space = new Workspace(FILES)
  const env = { AMAN_DATA_DIR: join(space.dir, "data") }
  await space.json(["remember", "kept"], { env })
  const file = join(env.AMAN_DATA_DIR, "knowledge.db")
  edit(file, (db) => db.run(`PRAGMA user_version = ${KNOWLEDGE_MIGRATIONS.length + 1}`))
  const before = readFileSync(file)
  for (const args of [
    ["remember", "x"],
    ["recall", "kept"],
    ["memory", "list"],
    ["memory", "recover"],
    ["memory", "rebuild"],
  ]) {
    const { code, stderr } = await space.run(args, { env })
    expect([args, code]).toEqual([args, 3])
    expect(stderr).toContain("was written by a newer aman")
  }
  expect(readFileSync(file).equals(before)).toBe(true)
})

test("a server refuses to write knowledge migrated by a newer aman, and continues to read", async () => {
  using space = new Workspace(FILES)
  const env = { AMAN_DATA_DIR: join(space.dir, "data") }
  await using server = await connect(space, { env })
  await server.call("remember", { text: "the port is 8080" })
  const file = join(env.AMAN_DATA_DIR, "knowledge.db")
  edit(file, (db) => db.run(`PRAGMA user_version = ${KNOWLEDGE_MIGRATIONS.length + 1}`))
  const { isError, content } = await server.call("remember", { text: "the port is 9090" })
  expect([isError, content[0]!.text]).toEqual([true, expect.stringContaining("written by a newer aman")])
  expect((await server.call("recall", { query: "port" })).content[0]!.text).toContain("8080")
  edit(file, (db) => {
    expect(db.query("SELECT count(*) AS n FROM events").get()).toEqual({ n: 1 })
  })
})

test("a server beside an older leader says so, and takes over when that one ends", async () => {
  using space = withReleased()
  const older = LeaderLock.take(join(space.project, ".aman"))!
  const { code, stderr } = await space.run(["search", "shop"], { env: space.env })
  expect([code, stderr]).toEqual([3, expect.stringContaining("an older version of aman is using the index")])
  await using server = await connect(space, { env: space.env })
  const { content, isError } = await server.call("search", { query: "lanterns" })
  expect([isError ?? false, content[0]!.text]).toEqual([
    false,
    expect.stringContaining("an older version of aman is using the index"),
  ])
  expect(content[0]!.text).not.toContain("ask again shortly")
  older.release()
  for (;;) {
    const { structuredContent } = await server.call("search", { query: "lanterns", mode: "keyword" })
    if (structuredContent?.results?.[0]?.path === "README.md" && structuredContent.partial === null) break
    await Bun.sleep(20)
  }
})

/** Statements that the first release runs on a file that it opened before the upgrade. */
const OLDER_WRITES = [
  "INSERT INTO events (id, at, subject, type, body) SELECT id, at, subject, type, body FROM events LIMIT 1 ON CONFLICT (id) DO NOTHING",
  "INSERT INTO events (id, at, subject, type, body) VALUES ('zz1', '2026-11-24T00:00:00.000Z', (SELECT id FROM entries WHERE key = 'port'), 'revised', '{\"type\":\"revised\",\"fields\":{\"text\":\"the shop listens on port 1010\"}}')",
  "UPDATE entries SET seq = (SELECT max(seq) FROM events), body = replace(body, '9090', '1010') WHERE key = 'port'",
  "INSERT OR REPLACE INTO entities (id, seq, project, merged_into, deleted_at, body) SELECT id, seq, project, merged_into, deleted_at, body || ' ' FROM entities",
  "INSERT OR REPLACE INTO relations (id, seq, deleted_at, body) SELECT id, seq, deleted_at, body || ' ' FROM relations",
  "UPDATE projects SET name = 'lantern shop'",
]

test("keeps what an older server writes after an upgrade, without reporting damage", async () => {
  using space = withReleased()
  const { env } = space
  await space.json(["remember", "written after the upgrade"], { env })
  edit(join(env["AMAN_DATA_DIR"]!, "knowledge.db"), (db) => {
    for (const sql of OLDER_WRITES) db.run(sql)
  })
  const read = async () => {
    const { entries } = await space.json(["memory", "list", "--limit", "100"], { env })
    return entries.map(({ text }: { text: string }) => text)
  }
  expect(await read()).toContain("the shop listens on port 1010")
  expect((await space.run(["memory", "export"], { env })).code).toBe(0)
  expect((await space.run(["memory", "recover"], { env })).stdout).toContain("not damaged")
  await space.json(["remember", "sealed again"], { env })
  expect((await space.run(["memory", "recover"], { env })).stdout).toContain("not damaged")
  expect(await read()).toEqual(expect.arrayContaining(["the shop listens on port 1010", "sealed again"]))
})

test("a newer index format has a higher schema, so that an older aman refuses it instead of rebuilding it", () => {
  // When INDEX_VERSION is raised, append a migration, even an empty one, and change this line.
  expect({ format: INDEX_VERSION, schema: MIGRATIONS.length }).toEqual({ format: 43, schema: 31 })
})

/** A project with the knowledge and the index that the first release made of it. */
function withReleased(): Workspace & { readonly env: Record<string, string> } {
  const space = new Workspace(FILES)
  const data = join(space.dir, "data")
  const dir = join(space.project, ".aman")
  for (const folder of [data, dir]) mkdirSync(folder)
  copyFileSync(join(RELEASED, "knowledge.db"), join(data, "knowledge.db"))
  copyFileSync(join(RELEASED, "index.db"), join(dir, "index.db"))
  edit(join(data, "knowledge.db"), (db) =>
    db.run("UPDATE project_marks SET value = ? WHERE kind = 'path'", [space.project]),
  )
  let id = 0
  edit(join(dir, "index.db"), (db) => {
    id = db.query<{ application_id: number }, []>("PRAGMA application_id").get()!.application_id
  })
  new Registry([join(data, "projects")]).add({
    id,
    root: space.project,
    dir,
    created: "2026-11-23T08:07:48.000Z",
  })
  Object.defineProperty(space, "env", { value: { ...space.env, AMAN_DATA_DIR: data } })
  return space
}

function edit(path: string, act: (db: Database) => void): void {
  const db = new Database(path, { readwrite: true })
  try {
    act(db)
    db.run("PRAGMA wal_checkpoint(TRUNCATE)")
  } finally {
    db.close()
  }
}

/** All lines except the header, which contains their number. */
function linesOf(jsonl: string): string[] {
  return jsonl.trim().split("\n").slice(1)
}
