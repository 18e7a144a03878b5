import { expect, test } from "bun:test"
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { detectFormat, IMPORT_FORMATS, importFiles as importFilesOf, isForeign } from "./import-formats.ts"
import type { Imported, SourceFile } from "./imported.ts"

const TEST = join(import.meta.dir, "../../../test")
const FIXTURES = join(TEST, "fixtures/exchange")
const GOLDEN = join(TEST, "golden/exchange")

/** With UPDATE_GOLDEN=1 the test writes the golden files; git diff shows the changes. */
const isWriting = Boolean(process.env["UPDATE_GOLDEN"])

/** Format, then its sample files: the file to read, and the name under which the tool stores it. */
const CASES: readonly [string, readonly [path: string, name: string][]][] = [
  ["server-memory", [["server-memory.jsonl", "memory.jsonl"]]],
  ["engram", [["engram.json", "engram-export.json"]]],
  ["mem0", [["mem0.json", "mem0.json"]]],
  ["basic-memory", [["basic-memory/coffee-brewing-methods.md", "notes/coffee.md"]]],
  ["claude-memory", ["MEMORY", "feedback_test_databases", "project_release_freeze", "debugging"].map(memory)],
  ["instructions", [["claude-md.txt", "CLAUDE.md"]]],
  ["notes", [["notes.md", "notes.md"]]],
  ["claude-session", [["claude-session.jsonl", "0b0d7a3c-0001-4000-8000-000000000001.jsonl"]]],
  ["chat", [["chat.json", "support.json"]]],
]

test.each(CASES)("%s is read as in the golden file", (format, sources) => {
  expectGolden(format, importFiles(format, sources.map(source)))
})

test("reads the other shapes of conversations", () => {
  expectGolden("chats", importFiles("chat", [source(["chats.json", "chats.json"])]))
})

test.each(CASES)("the format %s is detected by content", (format, sources) => {
  expect(formatOf(source(sources[0]!))).toBe(format)
})

test("Claude's memory files are detected one by one; its other notes are plain notes", () => {
  expect(
    ["MEMORY", "feedback_test_databases", "project_release_freeze", "debugging"].map(formatOfMemory),
  ).toEqual(["claude-memory", "claude-memory", "claude-memory", "notes"])
})

test("reads mem0's exports of other versions", () => {
  const { results } = JSON.parse(source(["mem0.json", "mem0.json"]).text)
  const whole = importFiles("mem0", [source(["mem0.json", "mem0.json"])])
  for (const shape of [results, [{ results: results.slice(0, 1) }, { results: results.slice(1) }]]) {
    const file = { ...source(["mem0.json", "mem0.json"]), text: JSON.stringify(shape) }
    expect(formatOf(file)).toBe("mem0")
    expect(importFiles("mem0", [file])).toEqual(whole)
  }
})

test("mem0: reads pages or rows per line, relations and duplicates, and reports what is skipped", () => {
  const row = { id: "a", memory: "Old", user_id: "ines", updated_at: "2026-01-01T00:00:00Z" }
  const rows = [
    { ...row, memory: "New", updated_at: "2026-02-01T00:00:00Z", metadata: { mem0: { mine: 1 } } },
    row,
    { ...row, id: "b", memory: "Undated", updated_at: "the other day" },
    { ...row, id: "c", event: "DELETE" },
    { memory: "without an id" },
  ]
  const relations = [{ source: "ines", relationship: "owns", target: "shop" }, { source: "ines" }]
  const page = JSON.stringify({ results: rows, relations })
  const file = (text: string) => ({ name: "mem0.json", text, modified: null })
  const imported = importFiles("mem0", [file(page)])
  expect(imported.entries.map(({ ref, text }) => [ref, text])).toEqual([
    ["a", "New"],
    ["b", "Undated"],
  ])
  expect(imported.entries[0]!.metadata).toEqual({ mem0: { mine: 1, id: "a", user_id: "ines" } })
  expect(imported.relations).toEqual([{ from: "ines", relation: "owns", to: "shop" }])
  expect(imported.warnings.map(({ message }) => message)).toEqual([
    "skipped, because they are deleted there: 1",
    "skipped, because they have no id or memory: 1",
    "imported with an unreadable date: 1",
    "relations skipped, because they have no source, relationship or target: 1",
  ])
  for (const text of [`${page}\n${page}`, rows.map((each) => JSON.stringify(each)).join("\n")]) {
    expect(formatOf(file(text))).toBe("mem0")
    expect(importFiles("mem0", [file(text)]).entries).toEqual(imported.entries)
  }
})

test("a chat's lines and dates that cannot be read are reported", () => {
  const message = { role: "user", content: "Deploys are on Fridays", date: "May 8, 2023" }
  const text = `${JSON.stringify(message)}\nnot json\n`
  const { entries, warnings } = importFiles("chat", [{ name: "chat.jsonl", text, modified: null }])
  expect(entries.map((entry) => [entry.text, entry.recordedAt])).toEqual([["Deploys are on Fridays", null]])
  expect(warnings).toEqual([
    { file: "chat.jsonl", line: 2, message: "not a JSON object" },
    { file: "chat.jsonl", line: null, message: "imported with an unreadable date: 1" },
  ])
})

test.each([
  ["chat", { role: "user", content: "the deploy failed" }],
  ["chat", { author: "Ana", role: "user", text: "the deploy failed", timestamp: "2026-01-01T10:00:00Z" }],
  ["batch", { author: "Ana", role: "person", text: "the deploy failed", session: "s1", ordinal: 1 }],
  ["batch", { text: "the deploy failed" }],
])("detects %s by the first of several lines: %j", (format, line) => {
  const text = `${JSON.stringify(line)}\n${JSON.stringify({ ...line, ordinal: 2 })}\n`
  expect(formatOf({ name: "lines.jsonl", text, modified: null })).toBe(format)
})

test("a list of machines with ids and a memory field is not detected as mem0", () => {
  const text = JSON.stringify({ results: [{ id: "node-1", memory: "16 GiB" }] })
  expect(detectFormat({ name: "nodes.json", text, modified: null })).toBeNull()
})

test.each(CASES)("refs of %s are unique and the same at each import", (format, sources) => {
  const refs = importFiles(format, sources.map(source)).entries.map((entry) => entry.ref)
  expect(new Set(refs).size).toBe(refs.length)
  expect(importFiles(format, sources.map(source)).entries.map((entry) => entry.ref)).toEqual(refs)
})

test("every reader handles arbitrary bytes without throwing", () => {
  for (const [, sources] of CASES) {
    const { text, ...file } = source(sources[0]!)
    for (const format of CASES.map(([each]) => each)) {
      for (const cut of [0, 1, text.length >> 1, text.length - 2]) {
        importFiles(format, [{ ...file, text: text.slice(0, cut) }])
        importFiles(format, [{ ...file, text: text.slice(cut) }])
      }
    }
  }
})

test("format detection and every reader handle arbitrary JSON and text", () => {
  const words = fc.constantFrom(
    "role",
    "content",
    "text",
    "type",
    "entity",
    "messages",
    "memory",
    "results",
    "sessions",
    "conversation",
    "user",
  )
  const keyed = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      fc.jsonValue(),
      words,
      fc.array(tie("value")),
      fc.dictionary(words, tie("value")),
    ),
  })).value
  const markup = fc.array(
    fc.constantFrom("---", "# a", "- [b] c", "[[d]]", "Ann: e", "```", "<!--", "2026-01-01", "", "f: [g"),
  )
  const texts = fc.oneof(
    keyed.map((value) => JSON.stringify(value)),
    markup.map((lines) => lines.join("\n")),
    fc.string(),
  )
  fc.assert(
    fc.property(texts, (text) => {
      const file = { name: "x.md", text, modified: null }
      detectFormat(file)
      for (const [format] of CASES) importFiles(format, [file])
    }),
    { numRuns: 300 },
  )
})

test("every fixture has a test", () => {
  const used = new Set([...CASES.flatMap(([, sources]) => sources.map(([path]) => path)), "chats.json"])
  const present = readdirSync(FIXTURES, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => join(file.parentPath, file.name).slice(FIXTURES.length + 1))
  expect(present.sort()).toEqual([...used].sort())
})

function memory(name: string): [string, string] {
  return [`claude-memory/${name}.md`, `memory/${name}.md`]
}

function formatOfMemory(name: string): string | null {
  return formatOf(source(memory(name)))
}

function formatOf(file: SourceFile): string | null {
  return detectFormat(file)?.name ?? null
}

function importFiles(name: string, files: readonly SourceFile[]): Imported {
  return importFilesOf(IMPORT_FORMATS.filter(isForeign).find((format) => format.name === name)!, files)
}

function source([path, name]: readonly [string, string]): SourceFile {
  return { name, text: readFileSync(join(FIXTURES, path), "utf8"), modified: "2026-10-01T00:00:00.000Z" }
}

function expectGolden(name: string, imported: unknown): void {
  const path = join(GOLDEN, `${name}.json`)
  const found = `${JSON.stringify(imported, null, 1)}\n`
  if (isWriting) writeFileSync(path, found)
  expect(existsSync(path) ? readFileSync(path, "utf8") : `${path} is missing`).toBe(found)
}
