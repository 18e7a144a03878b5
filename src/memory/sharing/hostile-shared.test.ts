import { afterEach, beforeEach, expect, test } from "bun:test"
import { linkSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import { entriesOf, passingKnowledge, tablesOf } from "../../../test/knowledge-history.ts"
import { entityId, relationId } from "../entities/change-entities.ts"
import type { Knowledge } from "../knowledge.ts"
import type { Change } from "../log/event.ts"
import { createIds, stableId } from "../log/ids.ts"
import { SHARED_FOLDER, SHARED_LIMITS } from "./shared-folder.ts"
import { countWaiting, type SyncReport, startSharing, syncShared } from "./sync-shared.ts"

const NOW = "2026-11-21T23:00:00.000Z"
const THEIRS = "22222222222222222222.jsonl"
let box: string
let root: string
let knowledge: Knowledge
let file: string

beforeEach(() => {
  box = mkdtempSync(join(tmpdir(), "aman-hostile-"))
  root = join(box, "project")
  mkdirSync(join(root, SHARED_FOLDER), { recursive: true })
  knowledge = passingKnowledge()
  file = startSharing(box, root, { project: "mine", newId: createIds(() => Date.parse(NOW)) }).file
})

afterEach(() => {
  knowledge.close()
  rmSync(box, { recursive: true })
})

const ID = stableId("a new thing")
const stored = (fields: object): Change =>
  ({ type: "stored", fields: { project: ".", text: "new", ...fields } }) as Change

test("entries of other projects and of all projects cannot be touched, created or named", () => {
  const [global, other, mine] = ["of all", "of another", "mine"].map(
    (text, n) => knowledge.remember([{ text, project: [null, "other", "mine"][n]! }])[0]!.id,
  ) as [string, string, string]
  const before = entriesOf(knowledge)
  const report = plant(
    [global, { type: "revised", fields: { text: "pwned" } }],
    [other, { type: "deleted", reason: null }],
    [other, { type: "purged" }],
    [global, stored({ text: "pwned" })],
    [global, { type: "appended", text: "pwned" }],
    [global, { type: "tagged", add: ["pwned"], remove: [] }],
    [mine, { type: "superseded", by: global, reason: null }],
    [mine, { type: "invalidated", validUntil: "2026-01-01", reason: null, successor: other }],
    [mine, { type: "revised", fields: { project: null } }],
    [mine, { type: "revised", fields: { project: "other" } }],
    [ID, stored({ project: null })],
    [ID, stored({ project: "other" })],
    [ID, stored({ project: "mine" })],
    [ID, { type: "stored", fields: { text: "of no project" } } as Change],
    [ID, { type: "revised", fields: { text: "of nothing" } }],
  )
  expect(report.received).toEqual([])
  expect(new Set(report.remarks.map(({ message }) => message.replace(/\b[0-9a-z]{20}\b/, "ID")))).toEqual(
    new Set([
      "is about an entry of another project",
      "refers to ID, which is not in this project",
      "belongs to another project",
      "is about an entry that does not exist",
    ]),
  )
  expect(report.remarks.length).toBe(15)
  expect(entriesOf(knowledge)).toEqual(before)
})

test("the graph of another project can be neither changed nor prepared in advance", () => {
  knowledge.remember([{ text: "x", project: "other", relations: [{ from: "A", to: "B", type: "uses" }] }])
  const before = tablesOf(knowledge)
  const [a, b] = [entityId("other", "A"), entityId("other", "B")]
  const entity = (name: string): Change => ({
    type: "entity",
    fields: { project: ".", name, type: "", description: "pwned", aliases: [], metadata: {} },
  })
  plant(
    [a, entity("A")],
    [entityId("other", "Later"), entity("Later")],
    [entityId(null, "Global"), entity("Global")],
    [a, { type: "entity-merged", into: b }],
    [relationId(a, b, "owns"), { type: "relation", from: a, to: b, relation: "owns", weight: 1 }],
    [relationId(a, b, "uses"), { type: "relation-deleted" }],
  )
  expect(tablesOf(knowledge)).toEqual(before)
})

test("text that may not be remembered is not received either", () => {
  const report = plant(
    [stableId("1"), stored({ text: "token = ghp_16C7e42F292c6912E7710c838347Ae178B4a" })],
    [stableId("2"), stored({ text: "a<private>b</private>c<aman-context>d</aman-context>e" })],
    [stableId("3"), stored({ text: "<private>all</private>" })],
    [stableId("4"), stored({ source: { ...NOWHERE, path: "/etc/passwd" } })],
    [stableId("5"), stored({ source: { ...NOWHERE, path: "src/../../x" } })],
    [stableId("6"), stored({ source: { ...NOWHERE, path: "C:\\x" } })],
    [stableId("7"), stored({ tags: ["Tags", "of  Theirs"], topic: "  a  b " })],
  )
  expect(report.remarks.length).toBe(5)
  expect(
    entriesOf(knowledge)
      .map(({ text, tags, topic }) => [text, tags, topic])
      .sort(),
  ).toEqual([
    ["ace", [], "general"],
    ["new", ["of-their", "tag"], "a b"],
  ])
})

test("events dated in the future, which would override all events until then, are refused", () => {
  const mine = knowledge.remember([{ text: "mine", project: "mine" }])[0]!.id
  const line = {
    id: stableId("e"),
    at: "2099-01-01T00:00:00.000Z",
    subject: mine,
    change: { type: "deleted", reason: null },
  }
  write(THEIRS, JSON.stringify(line))
  expect(sync().remarks.map(({ message }) => message)).toEqual(["is dated in the future"])
  expect(entriesOf(knowledge)[0]!.deletedAt).toBeNull()
})

test("lines that are no events are reported and skipped", () => {
  write(
    THEIRS,
    `<<<<<<< HEAD\nnull\n[]\n{"id":1}\n${"x".repeat(SHARED_LIMITS.lineChars + 1)}\n\n{"__proto__":{"a":1}}`,
  )
  expect(sync().remarks.map(({ line }) => line)).toEqual([1, 2, 3, 4, 5, 7])
  const wild = fc.array(
    fc.oneof(
      fc.json(),
      fc.string(),
      fc.constant(JSON.stringify({ id: ID, at: NOW, subject: ID, change: {} })),
    ),
  )
  fc.assert(
    fc.property(wild, (lines) => {
      write(THEIRS, lines.join("\n"))
      expect(sync().received).toEqual([])
    }),
    { numRuns: 50 },
  )
})

// Quadratic time would be an hour.
test("adversarial lines neither take long nor overflow the stack", () => {
  const size = SHARED_LIMITS.lineChars - 1000
  const pieces = [
    "<aman-context>",
    "<private ",
    "< ",
    " ",
    "token = ",
    "a1",
    "a:",
    "[[",
    "\\n",
    "-----BEGIN ",
    "://a:",
    "AKIA",
    "eyJ.",
  ]
  const texts = pieces.map((piece): [string, Change] => [
    stableId(piece),
    stored({ text: piece.repeat(size / piece.length / 2) }),
  ])
  const deep = JSON.parse(`${'{"a":'.repeat(3000)}1${"}".repeat(3000)}`)
  plant(...texts, [stableId("deep"), stored({ metadata: deep })])
  const nested = JSON.stringify({ id: stableId("n"), at: NOW, subject: ID, change: stored({}) })
  write(
    THEIRS,
    nested.replace(
      '"text":"new"',
      `"text":"new","metadata":{"a":${"[".repeat(200_000)}${"]".repeat(200_000)}}`,
    ),
  )
  sync()
  expect(entriesOf(knowledge).length).toBeGreaterThan(0)
}, 60_000)

test("links are followed neither for reading nor for writing", () => {
  const outside = join(box, "outside.jsonl")
  const line = JSON.stringify({
    id: stableId("e"),
    at: "2026-01-01T00:00:00.000Z",
    subject: ID,
    change: stored({}),
  })
  writeFileSync(outside, `${line}\n`)
  symlinkSync(outside, join(root, SHARED_FOLDER, THEIRS))
  expect(sync()).toMatchObject({
    received: [],
    remarks: [{ file: THEIRS, message: "is not a regular file and was not read" }],
  })
  knowledge.remember([{ text: "goes out", project: "mine" }])
  symlinkSync(outside, join(root, SHARED_FOLDER, file))
  expect(() => sync()).toThrow("is a link")
  rmSync(join(root, SHARED_FOLDER, file))
  linkSync(outside, join(root, SHARED_FOLDER, file))
  expect(() => sync()).toThrow("is a link")
  expect(readFileSync(outside, "utf8")).toBe(`${line}\n`)
  rmSync(join(root, SHARED_FOLDER), { recursive: true })
  mkdirSync(join(box, "elsewhere"))
  symlinkSync(join(box, "elsewhere"), join(root, SHARED_FOLDER))
  expect(() => sync()).toThrow("is a link or a file, not a folder")
  expect(countWaiting(knowledge, root, { project: "mine", now: NOW, dataDir: box })!.remarks).toMatchObject([
    { message: expect.stringContaining("is a link or a file, not a folder") },
  ])
})

test("files with other names are ignored", () => {
  for (const name of ["evil.jsonl", "22222222222222222222.JSONL", "README.md"]) write(name, "{}")
  expect(sync().remarks).toEqual([])
})

const NOWHERE = { startLine: null, endLine: null, symbol: null, hash: null, text: null, commit: null }

/** Commits events of another person and syncs. */
function plant(...events: [subject: string, change: Change][]): SyncReport {
  const lines = events.map(([subject, change], n) => {
    const at = `2026-11-21T22:00:${String(n).padStart(2, "0")}.000Z`
    return JSON.stringify({ id: stableId("event", String(n)), at, subject, change })
  })
  write(THEIRS, lines.join("\n"))
  return sync()
}

function write(name: string, text: string): void {
  writeFileSync(join(root, SHARED_FOLDER, name), text)
}

function sync(): SyncReport {
  return syncShared(knowledge, root, { project: "mine", now: NOW, dataDir: box, accept: "all" })!
}
