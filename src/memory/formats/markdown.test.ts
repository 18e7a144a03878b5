import { expect, test } from "bun:test"
import fc from "fast-check"
import { entriesOf, histories, live, passingKnowledge, tablesOf } from "../../../test/knowledge-history.ts"
import { decodeText } from "../../text/files/read-source.ts"
import type { EntrySource } from "../entries/entry.ts"
import type { Knowledge } from "../knowledge.ts"
import { detectFormat } from "./import-formats.ts"
import {
  applyMarkdown,
  editableOf,
  formHash,
  MARKDOWN,
  planMarkdown,
  readMarkdown,
  writeMarkdown,
  writeMarkdownFolder,
} from "./markdown.ts"

const OPTIONS = { project: null, capture: captured }

/** Texts with a meaning in Markdown or in the comments of our own format. */
const MARKUP = fc.constantFrom(
  ...[
    "# Title",
    "## payments",
    "Title\n=====",
    "---",
    "```",
    "~~~~",
    "<!--",
    "-->",
    "<!-- aman -->",
    "<!-- /aman -->",
  ],
  ...[
    "<!-- aman 0123456789abcdefghjk 01234567",
    "\\<!-- /aman -->",
    "\\\\<!-- aman exported",
    "kind: decision",
    "\n",
  ],
  ...[
    "text",
    "",
    "  indented",
    "- item",
    "\ttab",
    "trailing  ",
    "日本語",
    "\u2028",
    "\r\n",
    "\0",
    "\ud800",
    "\ufeff",
  ],
)
const TEXTS = fc.array(MARKUP, { minLength: 1, maxLength: 8 }).map((lines) => lines.join("\n"))

test("writing and reading any entry returns equal fields, and importing it unedited writes nothing", () => {
  const word = fc.oneof(MARKUP, fc.string({ unit: "binary", maxLength: 12 }))
  const entry = fc.record({
    text: TEXTS,
    topic: word,
    tags: fc.array(word, { maxLength: 3 }),
    author: word,
    key: word,
    name: word,
  })
  fc.assert(
    fc.property(fc.array(entry, { minLength: 1, maxLength: 4 }), (given) => {
      using knowledge = passingKnowledge()
      for (const { text, topic, tags, author, key, name } of given) {
        if (text.trim() !== "") knowledge.remember([{ text, topic, tags, author, key, entities: [name] }])
      }
      const entries = entriesOf(knowledge)
      const read = readMarkdown(writeMarkdown(entries, "all"))
      expect(read.bad).toEqual([])
      const expected = new Map(entries.map((each) => [each.id, each]))
      expect(new Set(read.exported)).toEqual(new Set(expected.keys()))
      expect(read.entries.map(({ id }) => id!).sort()).toEqual([...expected.keys()].sort())
      for (const { id, hash, form } of read.entries) {
        expect(form).toEqual(editableOf(expected.get(id!)!))
        expect(hash).toBe(formHash(form))
      }
    }),
    { numRuns: 80 },
  )
})

test("importing an unedited export writes nothing, for a file and a folder, with LF and CRLF", () => {
  fc.assert(
    fc.property(histories(), (steps) => {
      using knowledge = passingKnowledge()
      live(knowledge, steps)
      const before = tablesOf(knowledge)
      const entries = entriesOf(knowledge)
      const files = [{ name: "all.md", text: writeMarkdown(entries, "all") }]
      for (const exported of [files, writeMarkdownFolder(entries), files.map(withWindowsEnds)]) {
        const sources = exported.map((file) => ({ ...file, modified: null }))
        for (const source of sources) expect(detectFormat(source)).toBe(MARKDOWN)
        const plan = planMarkdown(knowledge, sources)
        expect(plan).toEqual({ revised: [], added: [], removed: [], conflicts: [], unread: [] })
        applyMarkdown(knowledge, plan, OPTIONS)
      }
      expect(tablesOf(knowledge)).toEqual(before)
    }),
    { numRuns: 15 },
  )
})

test("writes entries as in the snapshot", () => {
  using knowledge = shop()
  expect(
    writeMarkdown(entriesOf(knowledge), "Knowledge of shop").replace(/[0-9a-z]{20}/g, "ID"),
  ).toMatchSnapshot()
})

test("revises exactly the entries whose text, tags, kind, topic, source or validity was edited", () => {
  using knowledge = shop()
  const text = exported(knowledge)
    .replace("three times", "five times\n\n## With a heading\n")
    .replace("kind: decision\n", "kind: procedural\n")
    .replace("valid-from: 2026-01-01", "valid-from: 2026-02-01")
    .replace("tags: bank, retry", "tags: Retries, money")
    .replace("source: src/pay.ts:3-9", "source: src/pay.ts#retry")
  const plan = planOf(knowledge, text)
  expect(plan.revised).toEqual([
    {
      id: expect.any(String),
      changes: {
        text: "Payments are retried five times\n\n## With a heading\n.",
        kind: "procedural",
        tags: ["money", "retry"],
        source: "src/pay.ts#retry",
        validFrom: "2026-02-01",
      },
    },
  ])
  const count = knowledge.events().length
  applyMarkdown(knowledge, plan, OPTIONS)
  expect(knowledge.events().length).toBe(count + 1)
  const [entry] = entriesOf(knowledge).filter(({ topic }) => topic === "payments")
  expect(entry).toMatchObject({
    kind: "procedural",
    source: { path: "src/pay.ts", symbol: "retry" },
    revision: 2,
  })
  // Importing the same text once more changes nothing.
  expect(planOf(knowledge, text)).toEqual({ revised: [], added: [], removed: [], conflicts: [], unread: [] })
})

test("changes the topic of an entry moved below another heading", () => {
  using knowledge = shop()
  const text = exported(knowledge).replace("## payments", "## Money")
  expect(planOf(knowledge, text).revised.map(({ changes }) => changes)).toEqual([{ topic: "Money" }])
})

test("adds text outside of entries and comments without an id as new entries", () => {
  using knowledge = shop()
  const text = exported(knowledge).replace(
    "## deploys",
    "A thing that came to mind.\n\n```\n## not a heading\n```\n\n---\nAnother.\n\n<!-- aman\nkind: decision\ntags: x\n-->\nA third.\n<!-- /aman -->\n\n## deploys",
  )
  const plan = planOf(knowledge, text)
  expect(plan.added.map(({ topic, kind, tags, text: said }) => [topic, kind, tags, said])).toEqual([
    ["payments", "semantic", [], "A thing that came to mind.\n\n```\n## not a heading\n```"],
    ["payments", "semantic", [], "Another."],
    ["payments", "decision", ["x"], "A third."],
  ])
  applyMarkdown(knowledge, plan, { ...OPTIONS, project: "p1" })
  expect(entriesOf(knowledge).filter(({ project }) => project === "p1").length).toBe(3)
  expect(planOf(knowledge, text).added).toEqual([])
})

test("reports entries removed from the file, and deletes them only with deleteRemoved", () => {
  using knowledge = shop()
  const text = exported(knowledge).replace(/<!-- aman \w+ \w+ -->\nDeploys[\s\S]*?<!-- \/aman -->\n/, "")
  const plan = planOf(knowledge, text)
  expect(plan.removed.map(({ text: said }) => said)).toEqual(["Deploys go out on Thursdays."])
  applyMarkdown(knowledge, plan, OPTIONS)
  expect(entriesOf(knowledge).every(({ deletedAt }) => deletedAt === null)).toBe(true)
  applyMarkdown(knowledge, plan, { ...OPTIONS, deleteRemoved: true })
  expect(entriesOf(knowledge).filter(({ deletedAt }) => deletedAt !== null).length).toBe(1)
})

test("reports a conflict for an entry edited on both sides, and imports it with force", () => {
  using knowledge = shop()
  const text = exported(knowledge).replace("Thursdays", "Mondays")
  const [entry] = entriesOf(knowledge).filter(({ topic }) => topic === "deploys")
  knowledge.revise(entry!.id, { text: "Deploys go out on Fridays." })
  expect(planOf(knowledge, text)).toMatchObject({
    revised: [],
    conflicts: [{ id: entry!.id, place: "all.md:24" }],
  })
  const plan = planMarkdown(knowledge, [source(text)], { force: true })
  applyMarkdown(knowledge, plan, OPTIONS)
  expect(knowledge.get([entry!.id])[0]!.text).toBe("Deploys go out on Mondays.")
})

test("refuses a file with a damaged entry and names the line", () => {
  using knowledge = shop()
  const text = exported(knowledge)
  const failure = (from: RegExp, to: string) => () => planOf(knowledge, text.replace(from, to))
  expect(failure(/\n<!-- \/aman -->/, "")).toThrow("line 13: an entry starts here without an end")
  expect(failure(/<!-- aman \w{20}[\s\S]*?-->\n/, "")).toThrow("line 14: an entry ends here without a start")
  expect(failure(/kind: decision/, "kind: hunch")).toThrow('line 14: kind "hunch" is not one of episodic')
  expect(failure(/tags: /, "tasg: ")).toThrow('line 15: unknown key "tasg"; did you mean "tags"?')
  expect(failure(/valid-from: 2026-01-01/, "valid-from: soon")).toThrow(
    'line 17: valid-from "soon" is not a date',
  )
  expect(failure(/aman \w{20}/, "aman 00000000000000000000")).toThrow("no entry 00000000000000000000")
  expect(failure(/Payments.*/, "")).toThrow("has no text; to delete it, remove the whole entry")
})

test("refuses an export of another store with a hint to use JSON Lines", () => {
  using knowledge = shop()
  using other = shop()
  expect(() => planOf(other, exported(knowledge))).toThrow("this store has none of its entries")
})

test("refuses an entry that was copied with its id", () => {
  using knowledge = shop()
  const text = exported(knowledge)
  const [copy] = /<!-- aman \w+ \w+ -->\nDeploys[\s\S]*?<!-- \/aman -->\n/.exec(text)!
  expect(() => planOf(knowledge, text.replace("## deploys", `${copy}\n## deploys`))).toThrow(
    "is also at all.md",
  )
})

test("file names in a folder are short, plain and unique", () => {
  using knowledge = passingKnowledge()
  for (const topic of ["CON", "a/b", "a b", "../../etc/passwd", "日本語", "..."])
    knowledge.remember([{ text: topic, topic }])
  expect(writeMarkdownFolder(entriesOf(knowledge)).map(({ name }) => name)).toEqual([
    ...["topic-con.md", "a-b.md", "a-b-2.md", "etc-passwd.md", "日本語.md", "topic.md"],
  ])
})

function shop(): Knowledge {
  const knowledge = passingKnowledge()
  const source = captured("src/pay.ts:3-9")
  knowledge.remember([
    {
      text: "Payments are retried three times.",
      topic: "payments",
      kind: "decision",
      tags: ["retry", "bank"],
      source,
      validFrom: "2026-01-01",
    },
    { text: "Deploys go out on Thursdays.", topic: "deploys" },
  ])
  return knowledge
}

function captured(text: string): EntrySource {
  const [path, symbol = null] = text.replace(/:.*/, "").split("#") as [string, string?]
  const isLines = text.includes(":")
  return {
    path,
    startLine: isLines ? 3 : null,
    endLine: isLines ? 9 : null,
    symbol,
    hash: null,
    text: null,
    commit: null,
  }
}

function exported(knowledge: Knowledge): string {
  return writeMarkdown(entriesOf(knowledge), "all")
}

function source(text: string) {
  return { name: "all.md", text, modified: null }
}

function planOf(knowledge: Knowledge, text: string) {
  return planMarkdown(knowledge, [source(text)])
}

function withWindowsEnds({ name, text }: { name: string; text: string }) {
  return { name, text: decodeText(new TextEncoder().encode(text.replaceAll("\n", "\r\n")))!.text }
}
