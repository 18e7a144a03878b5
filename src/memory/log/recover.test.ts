import { Database } from "bun:sqlite"
import { afterEach, beforeEach, expect, test } from "bun:test"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { randomFrom } from "../../../test/random.ts"
import { Knowledge } from "../knowledge.ts"
import { recover } from "./recover.ts"

const PAGE = 4096
let folder: string
let path: string
let clock: number

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "aman-recover-"))
  path = join(folder, "knowledge.db")
  clock = Date.parse("2026-11-21T20:00:00Z")
})
afterEach(() => rmSync(folder, { recursive: true }))

function open(): Knowledge {
  return new Knowledge({ path, now: () => clock++ })
}

/**
 * Creates a store of some hundred pages with new, revised and deleted entries. Returns the JSON of each entry
 * by its id.
 */
function lived(): Map<string, string> {
  using knowledge = open()
  const made = knowledge.remember(
    Array.from({ length: 150 }, (_, i) => ({
      text: `fact ${i} ${"of some length ".repeat(i % 20)}`,
      topic: `t${i % 7}`,
      entities: [`Thing ${i % 9}`],
      relations: [{ from: `Thing ${i % 9}`, to: "Hub", type: "uses" }],
    })),
  )
  for (const { id } of made.slice(0, 40)) knowledge.revise(id, { text: `revised ${id}` })
  knowledge.delete(made.slice(60, 70).map(({ id }) => id))
  knowledge.projects.add({ id: "p", name: "shop", created: "2026-01-01" })
  const { entries } = knowledge.changedSince(0)
  return new Map(entries.map((entry) => [entry.id, JSON.stringify(entry)]))
}

test("most of a file with damaged pages is recovered unchanged, and the damaged file is kept", () => {
  const random = randomFrom(7)
  const before = lived()
  const sound = readFileSync(path)
  let whole = 0
  for (let round = 0; round < 4; round++) {
    const bytes = damaged(sound, random)
    const recovered = recover(path, () => clock)!
    expect(readFileSync(recovered.kept).equals(bytes)).toBe(true)
    using knowledge = open()
    expect(knowledge.rebuild().differing).toEqual([])
    const after = knowledge.changedSince(0).entries
    for (const { id, text } of after) expect(before.has(id) && text !== "").toBe(true)
    expect(after.length).toBeGreaterThan(before.size * 0.8)
    if (after.length === before.size) whole++
    knowledge.close()
    for (const name of new Bun.Glob("knowledge.db*").scanSync(folder)) rmSync(join(folder, name))
  }
  expect(whole).toBeGreaterThan(1)
})

/**
 * Writes a copy with three damaged pages to `path`. The pages of the schema stay intact, because nothing can
 * be found without them.
 */
function damaged(sound: Buffer, random: () => number): Buffer {
  for (;;) {
    const bytes = Buffer.from(sound)
    for (let page = 0; page < 3; page++) {
      const start = PAGE * Math.floor(1 + random() * (bytes.length / PAGE - 1))
      bytes.fill(0xa5, start, start + PAGE)
    }
    writeFileSync(path, bytes)
    if (isSchemaReadable()) return bytes
  }
}

function isSchemaReadable(): boolean {
  using db = new Database(path, { readonly: true })
  try {
    return db.query("SELECT sql FROM sqlite_schema").all().length > 0
  } catch {
    return false
  }
}

test("lost events are replaced from the tables", () => {
  const before = lived()
  {
    using db = new Database(path)
    db.run("DROP TRIGGER events_are_never_deleted")
    db.run("DELETE FROM events WHERE seq % 3 = 0")
  }
  spoilUnused()
  const { mended } = recover(path, () => clock)!
  expect(mended).toBeGreaterThan(30)
  using knowledge = open()
  const present = (text: string) => {
    const { text: said, topic, deletedAt, recordedAt } = JSON.parse(text)
    return { said, topic, isDeleted: deletedAt !== null, recordedAt }
  }
  for (const entry of knowledge.changedSince(0).entries)
    expect(present(JSON.stringify(entry))).toEqual(present(before.get(entry.id)!))
  expect(knowledge.changedSince(0).entries.length).toBe(before.size)
  expect(knowledge.changedSince(0).relations).toHaveLength(9)
  expect(knowledge.projects.get("p")?.name).toBe("shop")
})

test("damage outside of the log and its tables loses nothing", () => {
  const before = lived()
  spoilUnused()
  expect(recover(path, () => clock)).toMatchObject({ lost: 0, mended: 0 })
  using knowledge = open()
  const { entries } = knowledge.changedSince(0)
  expect(new Map(entries.map((entry) => [entry.id, JSON.stringify(entry)]))).toEqual(before)
})

test("a sound file is not changed", () => {
  lived()
  const bytes = readFileSync(path)
  expect(recover(path, () => clock)).toBeNull()
  expect(readFileSync(path).equals(bytes)).toBe(true)
})

/** Damages the pages of one index, which is not needed to read the data. */
function spoilUnused(): void {
  const bytes = readFileSync(path)
  {
    using db = new Database(path, { readonly: true })
    const { rootpage } = db
      .query<{ rootpage: number }, []>("SELECT rootpage FROM sqlite_schema WHERE name = 'entry_tags_by_tag'")
      .get()!
    bytes.fill(0xa5, (rootpage - 1) * PAGE, rootpage * PAGE)
  }
  writeFileSync(path, bytes)
}

test("a completely unreadable file is not changed", () => {
  writeFileSync(path, "no database ".repeat(1000))
  expect(() => recover(path, () => clock)).toThrow(expect.objectContaining({ code: "KNOWLEDGE_CORRUPT" }))
  expect(readFileSync(path, "utf8")).toBe("no database ".repeat(1000))
  expect(existsSync(`${path}.recovered`)).toBe(false)
})

test("impossible numbers in the counters and gaps cost no time and are not believed", () => {
  const before = lived()
  {
    using db = new Database(path)
    db.run("INSERT INTO gaps VALUES (-9000000000000000, 3)")
    db.run("UPDATE sums SET last = 4000000000000, \"rows\" = 4000000000000 WHERE name = 'events'")
    db.run("UPDATE sqlite_sequence SET seq = 4000000000000 WHERE name = 'events'")
  }
  const { losses, doubts } = recover(path, () => clock)!
  expect(losses).toEqual([])
  expect(doubts).toEqual([expect.stringContaining("how many events there were cannot be read")])
  using knowledge = open()
  expect(knowledge.changedSince(0).entries.length).toBe(before.size)
})
