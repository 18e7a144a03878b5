import { afterEach, beforeEach, expect, test } from "bun:test"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { RememberResult } from "./entries/entry.ts"
import { textHash } from "./entries/entry-rows.ts"
import { Knowledge } from "./knowledge.ts"

const START = Date.parse("2026-11-21T20:00:00.000Z")
let folder: string
let clock: number
let knowledge: Knowledge

function open(name = "knowledge.db", readonly = false): Knowledge {
  return new Knowledge({ path: join(folder, name), now: () => clock, readonly })
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "aman-knowledge-"))
  clock = START
  knowledge = open()
})

afterEach(() => {
  knowledge.close()
  rmSync(folder, { recursive: true })
})

test("a remembered entry is available to the next process with all its fields", () => {
  const text = "lone \ud800 surrogate, NUL \u0000, \u202Eright to left\u202C, 日本語"
  const [made] = knowledge.remember([
    {
      text,
      topic: "  Build  System ",
      kind: "decision",
      tags: ["Caches", "#CI", "caches"],
      author: "Ann",
      role: "person",
      metadata: { ticket: 12, nested: { a: [null, true] } },
      validFrom: "2026-01-01",
      validUntil: "2026-06-01T12:00:00+02:00",
      recordedAt: "2026-02-03",
    },
  ])
  knowledge.close()
  knowledge = open()
  expect(knowledge.get([made!.id])).toEqual([
    {
      id: made!.id,
      project: null,
      topic: "Build System",
      kind: "decision",
      text,
      tags: ["cache", "ci"],
      key: null,
      source: null,
      author: "Ann",
      role: "person",
      session: null,
      ordinal: null,
      entities: [],
      metadata: { ticket: 12, nested: { a: [null, true] } },
      validFrom: "2026-01-01",
      validUntil: "2026-06-01T10:00:00.000Z",
      recordedAt: "2026-02-03T00:00:00.000Z",
      revisedAt: "2026-02-03T00:00:00.000Z",
      supersededAt: null,
      supersededBy: null,
      invalidReason: null,
      deletedAt: null,
      revision: 1,
    },
  ])
})

test("several entries are stored all or none", () => {
  expect(() => knowledge.remember([{ text: "fine" }, { text: "  " }])).toThrow("entry 2: the text is empty")
  expect(knowledge.list().total).toBe(0)
})

test("an equal text in the same topic finds the existing entry; another topic, author or time makes a new one", () => {
  const [first] = knowledge.remember([{ text: "We use tabs", topic: "style" }])
  const again = knowledge.remember([{ text: "We use tabs\n", topic: "Style" }])
  expect(again).toEqual([{ ...first!, outcome: "existing" }])
  const others = knowledge.remember([
    { text: "We use tabs", topic: "other" },
    { text: "We use tabs", topic: "style", project: "p" },
    { text: "We use tabs", topic: "style", author: "Bob" },
    { text: "We use tabs", topic: "style", session: "s" },
    { text: "We use tabs", topic: "style", recordedAt: "2020-01-01" },
  ])
  expect(others.map(({ outcome }) => outcome)).toEqual(Array(5).fill("stored"))
})

test("a key has one entry, and remembering under the key again revises it", () => {
  const [first] = knowledge.remember([{ text: "port 8000", key: "port", tags: ["net"] }])
  clock += 1000
  const [second] = knowledge.remember([{ text: "port 9000", key: "port" }])
  expect(second).toMatchObject({ id: first!.id, outcome: "revised" })
  expect(knowledge.get([first!.id])[0]).toMatchObject({ text: "port 9000", tags: ["net"], revision: 2 })
  expect(knowledge.remember([{ text: "port 9000", key: "port" }])[0]?.outcome).toBe("existing")
  expect(knowledge.remember([{ text: "port 1", key: "port", project: "p" }])[0]?.outcome).toBe("stored")
})

test("the last change counts for any clock: before 1970, set back, at the last possible date", () => {
  const end = Date.parse("9999-12-31T23:59:59.999Z")
  const moments = [START, START - 86_400_000, -1e12, 0, end, START, end + 1, Number.NaN, end, 0]
  let id = ""
  for (const [at, moment] of moments.entries()) {
    // A new process each time, because ids increase only within one.
    knowledge.close()
    clock = moment
    knowledge = open()
    const [told] = knowledge.remember([{ text: `port ${at}`, key: "port" }])
    id = told!.id
    expect(knowledge.get([id])[0]!.text).toBe(`port ${at}`)
  }
  clock = START
  knowledge.delete([id])
  expect(knowledge.get([id])[0]!.deletedAt).not.toBeNull()
  expect(knowledge.rebuild().differing).toEqual([])
  knowledge.purge([id])
  expect(knowledge.list().total).toBe(0)
})

test("a session's entries are numbered in the order in which they are stored", () => {
  knowledge.remember([{ text: "a", session: "s" }, { text: "b", session: "s" }, { text: "x" }])
  knowledge.remember([{ text: "c", session: "s" }])
  const { entries } = knowledge.list({ session: "s" })
  expect(entries.map(({ text, ordinal }) => [text, ordinal])).toEqual([
    ["a", 1],
    ["b", 2],
    ["c", 3],
  ])
})

test("the history keeps every revision of an entry", () => {
  const [{ id }] = knowledge.remember([{ text: "one", tags: ["a"] }]) as [RememberResult]
  knowledge.revise(id, { text: "two" }, { reason: "wrong" })
  knowledge.append(id, "three")
  knowledge.tag([id], { add: ["Bs"], remove: ["a"] })
  knowledge.delete([id], "outdated")
  expect(knowledge.list().total).toBe(0)
  knowledge.restore([id])
  const forms = knowledge.history(id)
  expect(forms.map(({ event, after }) => [event.change.type, after?.text, after?.revision])).toEqual([
    ["stored", "one", 1],
    ["revised", "two", 2],
    ["appended", "two\nthree", 3],
    ["tagged", "two\nthree", 3],
    ["deleted", "two\nthree", 3],
    ["restored", "two\nthree", 3],
  ])
  expect(forms.at(-1)?.after).toEqual(knowledge.get([id])[0]!)
  expect(new Set(forms.map(({ event }) => event.at)).size).toBe(6)
})

test("a superseded entry points to its successor and ends when that begins", () => {
  const [old] = knowledge.remember([{ text: "we deploy on Mondays", recordedAt: "2026-01-01" }])
  const [next] = knowledge.remember([
    { text: "we deploy daily", replaces: [old!.id], validFrom: "2026-03-01" },
  ])
  expect(knowledge.get([old!.id])[0]).toMatchObject({ supersededBy: next!.id, validUntil: "2026-03-01" })
  const held = (asOf: string) => knowledge.list({ as_of: asOf }).entries.map(({ text }) => text)
  expect(held("2025-12-31")).toEqual([])
  expect(held("2026-02-28")).toEqual(["we deploy on Mondays"])
  expect(held("2026-03-01")).toEqual(["we deploy daily"])
  expect(held("now")).toEqual(["we deploy daily"])
  knowledge.restore([old!.id])
  expect(knowledge.get([old!.id])[0]).toMatchObject({ supersededBy: null, validUntil: null })
})

test("changedSince returns the entries changed since a sequence number, in their current state", () => {
  const [a, b] = knowledge.remember([{ text: "a" }, { text: "b" }])
  const { seq, entries } = knowledge.changedSince(0)
  expect(entries.map(({ id }) => id)).toEqual([a!.id, b!.id])
  expect(knowledge.changedSince(seq)).toEqual({ entries: [], entities: [], relations: [], purged: [], seq })
  using other = open()
  other.invalidate(a!.id, { reason: "no more" })
  expect(knowledge.lastSeq()).toBe(seq + 1)
  expect(knowledge.changedSince(seq).entries).toMatchObject([{ id: a!.id, invalidReason: "no more" }])
})

test("unknown and deleted ids throw NOT_FOUND, invalid input is refused", () => {
  const fails = (act: () => unknown) => {
    try {
      act()
      return "nothing"
    } catch (error) {
      return (error as { code: string }).code
    }
  }
  const [{ id }] = knowledge.remember([{ text: "gone" }]) as [RememberResult]
  knowledge.delete([id])
  expect(fails(() => knowledge.get(["00000000000000000000"]))).toBe("NOT_FOUND")
  expect(fails(() => knowledge.revise(id, { text: "back" }))).toBe("NOT_FOUND")
  expect(fails(() => knowledge.remember([{ text: "x", replaces: ["nobody"] }]))).toBe("NOT_FOUND")
  expect(fails(() => knowledge.remember([{ text: "x", validFrom: "2026-02-30" }]))).toBe("USAGE")
  expect(fails(() => knowledge.remember([{ text: "x", validFrom: "2026", validUntil: "2025" }]))).toBe(
    "USAGE",
  )
  expect(fails(() => knowledge.remember([{ text: "x", kind: "joke" as "semantic" }]))).toBe("USAGE")
  expect(fails(() => knowledge.remember([{ text: "<private>secret" }]))).toBe("USAGE")
})

test("two stores that exchange events agree, also on keys", () => {
  knowledge.remember([{ text: "mine", key: "k" }, { text: "only here" }])
  clock += 5
  using other = open("other.db")
  const [theirs] = other.remember([{ text: "theirs", key: "k" }])
  knowledge.appendEvents(other.events())
  other.appendEvents(knowledge.events())
  expect(other.appendEvents(knowledge.events())).toBe(0)
  expect(knowledge.list().entries).toEqual(other.list().entries)
  const livingOfKey = () =>
    knowledge.list().entries.filter(({ key, supersededAt }) => key === "k" && supersededAt === null)
  const living = livingOfKey()
  expect(living.map(({ id }) => id)).toEqual([theirs!.id])
  expect(knowledge.rebuild()).toMatchObject({ entries: 3, differing: [] })
  // When the winner is deleted, the other entry becomes current again.
  knowledge.delete([theirs!.id])
  expect(livingOfKey().map(({ text }) => text)).toEqual(["mine"])
})

test("reading a missing store finds nothing and creates no file", () => {
  using other = open("absent.db", true)
  expect(other.list()).toEqual({ entries: [], total: 0 })
  expect(() => other.remember([{ text: "x" }])).toThrow()
})

test("a near-duplicate in the topic is stored and reported, and refused with ifNew", () => {
  const text = "the deploy script waits for the database before it starts the server"
  const [first] = knowledge.remember([{ text, topic: "deploy" }])
  const near = text.replace("script", "program")
  const [second] = knowledge.remember([{ text: near, topic: "deploy" }])
  expect(second?.outcome).toBe("stored")
  expect(second?.similar).toMatchObject([{ id: first!.id, text, reason: "words" }])
  expect(second?.similar[0]?.score).toBeGreaterThan(0.7)
  expect(knowledge.remember([{ text: near, topic: "elsewhere" }])[0]?.similar).toEqual([])
  const ifNew = () => knowledge.remember([{ text: `${near} today`, topic: "deploy" }], { ifNew: true })
  expect(ifNew).toThrow(
    expect.objectContaining({ code: "NOT_NEW", message: expect.stringContaining(first!.id) }),
  )
  expect(knowledge.list().total).toBe(3)
  expect(knowledge.remember([{ text, topic: "deploy" }], { ifNew: true })[0]).toMatchObject({
    outcome: "existing",
  })
  knowledge.delete([first!.id, second!.id])
  expect(ifNew()[0]).toMatchObject({ outcome: "stored", similar: [] })
})

test("text that looks like a credential is refused in every field unless forced", () => {
  const secret = ["gh", "p_", "Zk3vQ9xT1mB7nL5pW2rY8cD4fG6hJ0sAeU12"].join("")
  const refused = expect.objectContaining({ code: "CREDENTIAL" })
  expect(() => knowledge.remember([{ text: `use ${secret}` }])).toThrow(refused)
  expect(() => knowledge.remember([{ text: "x", metadata: { token: secret } }])).toThrow(refused)
  const [{ id }] = knowledge.remember([{ text: `use ${secret}` }], { force: true }) as [RememberResult]
  expect(() => knowledge.append(id, secret)).toThrow(refused)
  expect(() => knowledge.revise(id, { text: secret })).toThrow(refused)
  expect(knowledge.revise(id, { text: secret }, { force: true }).text).toBe(secret)
  const upper = ["AKI", "A2E4GH6JKLMN7PQ5S"].join("")
  for (const tag of [secret, upper]) {
    expect(() => knowledge.tag([id], { add: [tag] })).toThrow(refused)
    expect(() => knowledge.remember([{ text: "x", tags: [tag] }])).toThrow(refused)
  }
  expect(knowledge.tag([id], { add: [`<private>${secret}</private>`, "key"] })[0]!.tags).toEqual(["key"])
  expect(knowledge.tag([id], { add: [upper] }, { force: true })[0]!.tags).toHaveLength(2)
  const entry = { text: "y", relations: [{ from: "Bank", type: "uses", to: secret }] }
  expect(() => knowledge.remember([{ text: "x" }, entry])).toThrow("entry 2, a relation looks like")
  expect(knowledge.remember([entry], { force: true })[0]!.outcome).toBe("stored")
})

test("several entries are merged into one in one step", () => {
  const [a, b] = knowledge.remember([
    { text: "tests run on push", topic: "CI", tags: ["test"] },
    { text: "tests run nightly too", topic: "other", tags: ["cron"] },
  ])
  const merged = knowledge.merge([a!.id, b!.id], { text: "tests run on push and nightly", tags: ["ci"] })
  expect(merged).toMatchObject({ topic: "CI", outcome: "stored" })
  expect(knowledge.get([merged.id])[0]).toMatchObject({ tags: ["ci", "cron", "test"] })
  expect(knowledge.list().entries.filter(({ supersededAt }) => supersededAt === null)).toHaveLength(1)
  expect(knowledge.get([a!.id, b!.id]).map(({ supersededBy }) => supersededBy)).toEqual([
    merged.id,
    merged.id,
  ])
  expect(() => knowledge.merge([], { text: "x" })).toThrow("nothing to merge")
  expect(() => knowledge.supersede(a!.id, a!.id)).toThrow("cannot supersede itself")
})

test("a purged text is in no file any more", () => {
  const bytes = () =>
    ["knowledge.db", "knowledge.db-wal"]
      .filter((name) => existsSync(join(folder, name)))
      .map((name) => readFileSync(join(folder, name), "latin1"))
      .join("")
  const secrets = ["unspeakable-first-form", "unspeakable-second-form", "unspeakable-author"]
  const others = Array.from({ length: 50 }, (_, i) => ({ text: `harmless ${i} ${"filler ".repeat(i)}` }))
  knowledge.remember(others)
  const [{ id }] = knowledge.remember([{ text: secrets[0]!, author: secrets[2]!, tags: ["kept"] }]) as [
    RememberResult,
  ]
  const part = new TextEncoder().encode(secrets[0]!)
  const [image, graph] = [new Map([["part", part]]), new Map([["graph.part", part]])]
  knowledge.storeComputed({ image, graph }, knowledge.lastSeq())
  expect(knowledge.computed()).toEqual(new Map([...image, ...graph]))
  knowledge.remember(others.map(({ text }) => ({ text: `more ${text}` })))
  knowledge.revise(id, { text: secrets[1]! })
  expect(secrets.every((secret) => bytes().includes(secret))).toBe(true)
  const { seq } = knowledge.changedSince(0)
  const mine = knowledge.events()
  expect(knowledge.purge([id])).toBe(true)
  expect(secrets.filter((secret) => bytes().includes(secret))).toEqual([])
  expect(knowledge.computed()).toBeNull()
  expect(() => knowledge.get([id])).toThrow("no entry")
  expect(knowledge.changedSince(seq)).toMatchObject({ entries: [], purged: [id] })
  expect(knowledge.list().total).toBe(100)
  expect(knowledge.rebuild().differing).toEqual([])
  // Events from a store that still has the entry do not bring it back; and that store purges it as well.
  using other = open("other.db")
  other.appendEvents(mine)
  expect(other.get([id])[0]?.text).toBe(secrets[1]!)
  expect(knowledge.appendEvents(other.events())).toBe(0)
  expect(other.appendEvents(knowledge.events())).toBe(1)
  expect(() => other.get([id])).toThrow("no entry")
})

test("knownAt lists the entries as they were on that day", () => {
  const [{ id }] = knowledge.remember([{ text: "v1", recordedAt: "2026-01-01" }]) as [RememberResult]
  knowledge.remember([{ text: "late", recordedAt: "2026-03-01" }])
  knowledge.revise(id, { text: "v2" })
  knowledge.delete([id])
  const known = (knownAt: string) => knowledge.list({}, { knownAt }).entries.map(({ text }) => text)
  expect(known("2025-12-31")).toEqual([])
  expect(known("2026-02-01")).toEqual(["v1"])
  expect(known("2026-03-01")).toEqual(["v1", "late"])
  expect(known("2026-12-01")).toEqual(["late"])
  expect(() => known("lately")).toThrow("is not a date")
})

test("changesSince returns changes with the previous state", () => {
  const [{ id }] = knowledge.remember([{ text: "v1", recordedAt: "2026-01-01" }]) as [RememberResult]
  knowledge.remember([
    { text: "b", recordedAt: "2026-02-01", relations: [{ from: "x", to: "y", type: "uses" }] },
  ])
  knowledge.revise(id, { text: "v2" })
  const steps = knowledge.changesSince("2026-01-15")
  expect(steps.map(({ event, before, after }) => [event.change.type, before?.text, after?.text])).toEqual([
    ["stored", undefined, "b"],
    ["revised", "v1", "v2"],
  ])
  expect(knowledge.changesSince("2026-12-01")).toEqual([])
})

test("sessions are listed, their entries in session order", () => {
  knowledge.remember([
    { text: "second", session: "s", ordinal: 2, recordedAt: "2026-01-01" },
    { text: "first", session: "s", ordinal: 1, recordedAt: "2026-01-02" },
    { text: "other", session: "t", recordedAt: "2026-02-01" },
  ])
  expect(
    knowledge.sessions().map(({ session, entries, last }) => [session, entries, last.slice(0, 10)]),
  ).toEqual([
    ["t", 1, "2026-02-01"],
    ["s", 2, "2026-01-02"],
  ])
  const { entries } = knowledge.list({ session: "s" }, { order: "session" })
  expect(entries.map(({ text }) => text)).toEqual(["first", "second"])
  expect(knowledge.list({}, { order: "newest", limit: 2, offset: 1 })).toMatchObject({
    entries: [{ text: "first" }, { text: "second" }],
    total: 3,
  })
})

test("private text is stored nowhere: not in metadata, names or reasons", () => {
  const secret = "<private>hush</private>"
  const [{ id }] = knowledge.remember([
    {
      text: `a ${secret}`,
      topic: `t ${secret}`,
      tags: [`x ${secret}`],
      author: `Ann ${secret}`,
      session: secret,
      metadata: { a: [{ b: secret }] },
      entities: [`E ${secret}`],
      relations: [{ from: `F ${secret}`, to: "G", type: `r ${secret}` }],
    },
  ]) as [RememberResult]
  knowledge.revise(id, { text: "b" }, { reason: secret })
  knowledge.invalidate(id, { reason: `no ${secret}` })
  knowledge.delete([id], secret)
  expect(JSON.stringify([knowledge.events(), knowledge.changedSince(0)])).not.toContain("hush")
})

test("a long text stays complete after many appends", () => {
  const long = "\u0000\ud800 ünï 日本 ".repeat(400_000)
  const [{ id }] = knowledge.remember([{ text: long }]) as [RememberResult]
  expect(knowledge.get([id])[0]?.text).toBe(long)
  expect(knowledge.remember([{ text: long }])[0]).toMatchObject({ id, outcome: "existing" })
  const [{ id: log }] = knowledge.remember([{ text: "log" }]) as [RememberResult]
  for (let i = 0; i < 100; i++) knowledge.append(log, `line ${i}`)
  expect(knowledge.get([log])[0]?.text.split("\n")).toHaveLength(101)
})

test("mentioned entities are created once, and relations written once until they change", () => {
  const about = { entities: ["Redis"], relations: [{ from: "shop", to: "redis", type: "uses", weight: 0.5 }] }
  knowledge.remember([{ text: "a", ...about }])
  knowledge.remember([{ text: "b", ...about }])
  const { entities, relations } = knowledge.changedSince(0)
  expect(entities.map(({ name }) => name).sort()).toEqual(["Redis", "shop"])
  expect(relations).toHaveLength(1)
  expect(knowledge.events().map(({ change }) => change.type)).toEqual([
    "stored",
    "entity",
    "entity",
    "relation",
    "stored",
  ])
  knowledge.remember([{ text: "c", relations: [{ ...about.relations[0]!, weight: 1 }] }])
  expect(knowledge.changedSince(0).relations.map(({ weight }) => weight)).toEqual([1])
})

test("a text that no longer holds is stored again instead of found; under its key it becomes valid again", () => {
  const [first, keyed] = knowledge.remember([
    { text: "the office is closed" },
    { text: "open", key: "office" },
  ])
  knowledge.invalidate(first!.id, { reason: "reopened" })
  knowledge.invalidate(keyed!.id, { reason: "a fire" })
  clock += 1000
  const [again, key] = knowledge.remember([{ text: "the office is closed" }, { text: "open", key: "office" }])
  expect(again?.outcome).toBe("stored")
  expect(key).toMatchObject({ id: keyed!.id, outcome: "revised" })
  expect(knowledge.get([keyed!.id])[0]).toMatchObject({ validUntil: null, invalidReason: null })
  expect(knowledge.remember([{ text: "the office is closed" }])[0]?.id).toBe(again!.id)
})

test("a purge during a read returns false because bytes remain; it is repeated, or the next process's write erases them", () => {
  const ids = knowledge
    .remember(["unspeakable a", "unspeakable b"].map((text) => ({ text })))
    .map(({ id }) => id)
  const left = () =>
    readdirSync(folder).filter((name) => readFileSync(join(folder, name), "latin1").includes("unspeakable"))
  using other = open()
  const purgeWhileRead = (id: string) =>
    expect(other.consistently(() => [other.get([id]).length, knowledge.purge([id])])).toEqual([1, false])
  purgeWhileRead(ids[0]!)
  expect(knowledge.purge([ids[0]!])).toBe(true)
  purgeWhileRead(ids[1]!)
  using next = open()
  next.remember([{ text: "harmless" }])
  expect(left()).toEqual([])
})

test("a text said twice in a conversation is stored twice; importing the conversation again adds nothing", () => {
  const lines = ["hello", "ok", "and now", "ok", "ok"].map((text) => ({ text, session: "s", author: "Ann" }))
  const first = knowledge.remember(lines)
  expect(new Set(first.map(({ id }) => id)).size).toBe(5)
  expect(knowledge.list({}, { order: "session" }).entries.map(({ text }) => text)).toEqual(
    lines.map(({ text }) => text),
  )
  const again = knowledge.remember(lines)
  expect(again.map(({ id }) => id)).toEqual(first.map(({ id }) => id))
  expect(again.every(({ outcome }) => outcome === "existing")).toBe(true)
  expect(knowledge.remember(["x", "x"].map((text) => ({ text }))).map(({ outcome }) => outcome)).toEqual([
    "stored",
    "existing",
  ])
})

test("what was read of entries goes when one of them is changed, restored or purged", () => {
  using knowledge = new Knowledge({ path: ":memory:", now: () => Date.parse("2024-06-10") })
  const [a, b] = knowledge.remember([
    { text: "The door code is 4711", project: null },
    { text: "The door code is 9999 now", project: null },
  ])
  const [older, newer] = knowledge.get([a!.id, b!.id])
  const read = () => {
    const pairs = [
      {
        ...{ older: older!.id, newer: newer!.id, odds: 3 },
        ...{ olderHash: textHash(older!.text), newerHash: textHash(newer!.text) },
      },
    ]
    knowledge.readings.keep(newer!, pairs, { waits: true })
    return knowledge.readings.of([older!.id]).conflicts.length
  }
  expect(read()).toBe(1)
  expect(knowledge.readings.unread()).toEqual([older!.id])
  knowledge.tag([newer!.id], { add: ["door"] })
  expect(knowledge.readings.unread()).toEqual([older!.id, newer!.id])
  read()
  knowledge.delete([newer!.id])
  knowledge.restore([newer!.id])
  expect(knowledge.readings.unread()).toEqual([older!.id, newer!.id])
  read()
  knowledge.revise(newer!.id, { text: "The door code is 1234 now" })
  expect(knowledge.readings.of([older!.id]).conflicts).toEqual([])
  // A reading that began before the change.
  expect(read()).toBe(0)
  knowledge.revise(newer!.id, { text: newer!.text })
  expect(read()).toBe(1)
  knowledge.purge([older!.id])
  expect(knowledge.readings.of([newer!.id]).conflicts).toEqual([])
  // A reading that began before the purge.
  expect(read()).toBe(0)
})
