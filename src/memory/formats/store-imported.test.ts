import { expect, test } from "bun:test"
import { entriesOf, passingKnowledge, tablesOf } from "../../../test/knowledge-history.ts"
import type { Knowledge } from "../knowledge.ts"
import { importFiles } from "./import-formats.ts"
import { nothingImported, type SourceFile } from "./imported.ts"
import { CHAT, SERVER_MEMORY } from "./json-sources.ts"
import { storeImported } from "./store-imported.ts"
import { NOTES } from "./text-sources.ts"

const NOW = "2026-11-21T20:00:00.000Z"
const GRAPH = [
  { type: "entity", name: "Ann", entityType: "person", observations: ["Likes tea", "Keeps the shop"] },
  { type: "entity", name: "shop", entityType: "service", observations: [] },
  { type: "relation", from: "Ann", to: "shop", relationType: "keeps" },
]

test("entries, entities and relations are stored; a second import stores nothing", () => {
  using knowledge = passingKnowledge()
  expect(importGraph(knowledge)).toMatchObject({ entities: 2, relations: 1, warnings: [] })
  expect(outcomes(importGraph(knowledge))).toEqual(["known", "known"])
  const { entries, entities, relations, events } = tablesOf(knowledge)
  expect(entries.map(({ text, topic, tags, project }) => [text, topic, tags, project]).sort()).toEqual([
    ["Keeps the shop", "Ann", ["person"], "p1"],
    ["Likes tea", "Ann", ["person"], "p1"],
  ])
  expect(entities.map(({ name, type }) => [name, type]).sort()).toEqual([
    ["Ann", "person"],
    ["shop", "service"],
  ])
  expect(relations.length).toBe(1)
  expect(events.length).toBe(5)
})

test("a dry run reports the same and writes nothing", () => {
  using knowledge = passingKnowledge()
  const report = importGraph(knowledge, { dryRun: true })
  expect(outcomes(report)).toEqual(["stored", "stored"])
  expect(knowledge.events()).toEqual([])
})

test("a source gets the same ids in every store, and other ids in another project", () => {
  using a = passingKnowledge()
  using b = passingKnowledge(Date.parse("2030-01-01"))
  const ids = (knowledge: Knowledge, project: string) =>
    importGraph(knowledge, { project }).entries.map(({ id }) => id)
  expect(ids(a, "p1")).toEqual(ids(b, "p1"))
  expect(ids(a, "p2")).not.toEqual(ids(b, "p1"))
})

test("two stores that imported the same source and then exchange events have each entry once", () => {
  using a = passingKnowledge()
  using b = passingKnowledge(Date.parse("2030-01-01"))
  importGraph(a)
  importGraph(b, { now: "2030-01-01T00:00:00.000Z" })
  const [fromA, fromB] = [a.events(), b.events()]
  a.appendEvents(fromB)
  b.appendEvents(fromA)
  expect(tablesOf(b)).toEqual(tablesOf(a))
  expect(entriesOf(a).length).toBe(2)
  expect(outcomes(importGraph(a))).toEqual(["known", "known"])
})

test("changes in the source are applied; changes made here stay", () => {
  using knowledge = passingKnowledge()
  const [stored] = importNotes(knowledge, "# Deploys\nOn Thursdays.").entries
  knowledge.tag([stored!.id], { add: ["mine"] })
  expect(outcomes(importNotes(knowledge, "# Deploys\nOn Thursdays."))).toEqual(["known"])
  expect(outcomes(importNotes(knowledge, "# Deploys\nOn Mondays."))).toEqual(["revised"])
  expect(outcomes(importNotes(knowledge, "# Deploys\nOn Mondays."))).toEqual(["known"])
  expect(entriesOf(knowledge)).toMatchObject([
    { text: "# Deploys\nOn Mondays.", tags: ["mine"], revision: 2 },
  ])
})

test("entries deleted or purged here do not come back", () => {
  using knowledge = passingKnowledge()
  const report = importGraph(knowledge)
  const [first, second] = report.entries.map(({ id }) => id)
  knowledge.delete([first!])
  knowledge.appendEvents([
    { id: "00000000000000000000", at: NOW, subject: second!, change: { type: "purged" } },
  ])
  expect(outcomes(importGraph(knowledge))).toEqual(["known", "known"])
  expect(entriesOf(knowledge).map(({ id, deletedAt }) => [id, deletedAt !== null])).toEqual([[first!, true]])
})

test("entities and relations that look like a credential are skipped and reported, unless forced", () => {
  const secret = ["gh", "p_", "Zk3vQ9xT1mB7nL5pW2rY8cD4fG6hJ0sAeU12"].join("")
  const lines = [
    ...GRAPH,
    { type: "entity", name: `token ${secret}`, entityType: "secret", observations: [] },
    { type: "relation", from: "Ann", to: `token ${secret}`, relationType: "has" },
  ]
  using knowledge = passingKnowledge()
  const refused = importGraph(knowledge, {}, lines)
  expect(refused).toMatchObject({ entities: 2, relations: 1 })
  expect(refused.warnings.map(({ file, message }) => `${file}: ${message}`)).toEqual([
    "left out: an entity looks like a GitHub token",
    "left out: a relation looks like a GitHub token",
  ])
  expect(JSON.stringify([refused.warnings, tablesOf(knowledge)])).not.toContain(secret)
  const forced = importGraph(knowledge, { force: true }, lines)
  expect(forced).toMatchObject({ entities: 1, relations: 1, warnings: [] })
})

test("credentials are refused with their line; private text and inserted context are removed", () => {
  using knowledge = passingKnowledge()
  const texts = [
    "# One\nThe key is AKIAIOSFODNN7EXAMPLQ here.",
    "# Two\nKept.<private>not kept</private>",
    "# Three\n<aman-context>\nheard before\n</aman-context>\nNew.",
    "<private>all of it</private>",
  ]
  const reports = texts.flatMap((text, n) => importNotes(knowledge, text, `${n}.md`).entries)
  expect(reports.map(({ outcome }) => outcome)).toEqual(["refused", "stored", "stored", "refused"])
  expect(reports[0]!.reason).toMatch(/^line 2 looks like /)
  expect(
    entriesOf(knowledge)
      .map(({ text }) => text)
      .sort(),
  ).toEqual(["# Three\nNew.", "# Two\nKept."])
  const forced = storeImported(knowledge, importFiles(NOTES, [file("0.md", texts[0]!)]), {
    ...TARGET,
    force: true,
  })
  expect(outcomes(forced)).toEqual(["stored"])
})

test("a revision that is later than the entry gets its own date", () => {
  using knowledge = passingKnowledge()
  const entry = {
    ref: "1",
    text: "JWT",
    recordedAt: "2026-02-01T00:00:00.000Z",
    revisedAt: "2026-02-05T00:00:00.000Z",
  }
  storeImported(knowledge, { ...nothingImported(), entries: [entry] }, TARGET)
  expect(entriesOf(knowledge)).toMatchObject([{ recordedAt: entry.recordedAt, revisedAt: entry.revisedAt }])
  expect(outcomes(storeImported(knowledge, { ...nothingImported(), entries: [entry] }, TARGET))).toEqual([
    "known",
  ])
})

test("entries with the same or an unknown time keep their order", () => {
  using knowledge = passingKnowledge()
  const lines = ["first", "second", "third", "fourth"]
  const said = (timestamp?: string) =>
    JSON.stringify(lines.map((content) => ({ role: "user", name: "Ann", content, timestamp })))
  const dated = importFiles(CHAT, [file("a.json", said("2026-03-05"))])
  const undated = importFiles(CHAT, [file("b.json", said())])
  for (const imported of [dated, undated]) storeImported(knowledge, imported, TARGET)
  for (const session of ["a", "b"]) {
    const entries = knowledge.list({}).entries.filter((entry) => entry.session === session)
    const sorted = entries.toSorted((a, b) => (a.recordedAt < b.recordedAt ? -1 : 1))
    expect(sorted.map(({ text }) => text)).toEqual(lines)
  }
  expect(outcomes(storeImported(knowledge, undated, { ...TARGET, now: "2030-01-01T00:00:00.000Z" }))).toEqual(
    lines.map(() => "known"),
  )
})

test("an entity in two files is stored once, with what each of them says", () => {
  using knowledge = passingKnowledge()
  const part = (type: string, aliases: string[]) => ({ name: "Ann", type, description: "", aliases })
  const imported = { ...nothingImported(), entities: [part("", ["A"]), part("person", ["B", "A"])] }
  storeImported(knowledge, imported, TARGET)
  const known = [expect.objectContaining({ name: "Ann", type: "person", aliases: ["A", "B"] })]
  expect(knowledge.changedSince(0).entities).toEqual(known)
  expect(storeImported(knowledge, imported, TARGET).entities).toBe(0)
})

const TARGET = { format: "notes", project: "p1", now: NOW }

function importGraph(
  knowledge: Knowledge,
  options: { dryRun?: boolean; project?: string; now?: string; force?: boolean } = {},
  lines: readonly object[] = GRAPH,
) {
  const text = lines.map((line) => JSON.stringify(line)).join("\n")
  const imported = importFiles(SERVER_MEMORY, [file("memory.jsonl", text)])
  return storeImported(knowledge, imported, { ...TARGET, format: "server-memory", ...options })
}

function importNotes(knowledge: Knowledge, text: string, name = "notes.md") {
  return storeImported(knowledge, importFiles(NOTES, [file(name, text)]), TARGET)
}

function file(name: string, text: string): SourceFile {
  return { name, text, modified: null }
}

function outcomes({ entries }: ReturnType<typeof storeImported>): string[] {
  return entries.map(({ outcome }) => outcome)
}

test("for a ref that occurs twice the last one counts at every import", () => {
  using knowledge = passingKnowledge()
  const entry = (text: string) => ({ ref: "same", text, recordedAt: null })
  const imported = { ...nothingImported(), entries: [entry("First form"), entry("Last form")] }
  const store = () => storeImported(knowledge, imported, { format: "mem0", project: "p1", now: NOW })
  expect(outcomes(store())).toEqual(["stored"])
  expect(outcomes(store())).toEqual(["known"])
  expect(tablesOf(knowledge).entries.map(({ text }) => text)).toEqual(["Last form"])
})

test("extremely nested metadata is refused without a stack overflow", () => {
  using knowledge = passingKnowledge()
  const deep = JSON.parse(`${'{"a":'.repeat(200_000)}1${"}".repeat(200_000)}`)
  const imported = {
    ...nothingImported(),
    entries: [{ ref: "a", text: "Deep", recordedAt: null, metadata: deep }],
  }
  const report = storeImported(knowledge, imported, { format: "mem0", project: "p1", now: NOW })
  expect(report.entries[0]).toMatchObject({
    outcome: "refused",
    reason: "metadata is nested more than 100 deep",
  })
})
