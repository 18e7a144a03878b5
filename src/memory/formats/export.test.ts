import { expect, test } from "bun:test"
import fc from "fast-check"
import { histories, live, passingKnowledge, tablesOf } from "../../../test/knowledge-history.ts"
import { entityId } from "../entities/change-entities.ts"
import type { Knowledge } from "../knowledge.ts"
import { type ExportOptions, exportLines, importExport, readExport } from "./export.ts"

const PROJECTS = [
  { id: "p1", name: "shop", created: "2026-01-01T00:00:00.000Z" },
  { id: "p2", name: "blog", created: "2026-01-02T00:00:00.000Z" },
]

test("importing an export into an empty store gives equal tables and an equal export", async () => {
  await fc.assert(
    fc.asyncProperty(histories(), async (steps) => {
      using from = withProjects()
      using to = passingKnowledge()
      live(from, steps)
      const written = textOf(from, { withPaths: true })
      await importText(to, written)
      expect(tablesOf(to)).toEqual(tablesOf(from))
      expect(textOf(to, { withPaths: true })).toBe(written)
      expect((await importText(to, written)).added).toBe(0)
      expect(tablesOf(to)).toEqual(tablesOf(from))
    }),
    { numRuns: 60 },
  )
})

test("two stores that import each other's exports are equal", async () => {
  await fc.assert(
    fc.asyncProperty(histories(["p1", null]), histories(["p1", null]), async (first, second) => {
      using a = passingKnowledge()
      using b = passingKnowledge()
      live(a, first)
      live(b, second)
      const [fromA, fromB] = [textOf(a), textOf(b)]
      await importText(a, fromB)
      await importText(b, fromA)
      expect(tablesOf(b)).toEqual(tablesOf(a))
    }),
    { numRuns: 40 },
  )
})

test("exports the folders of projects only with withPaths", () => {
  using knowledge = withProjects()
  expect(textOf(knowledge)).not.toContain("/home/ann")
  expect(textOf(knowledge, { withPaths: true })).toContain("/home/ann/shop")
})

test("a selection exports no other project and no previous revision, and imports as the current state", async () => {
  await fc.assert(
    fc.asyncProperty(histories(), async (steps) => {
      using knowledge = withProjects()
      live(knowledge, steps)
      const shown = knowledge.list({ projects: ["p1"] }).entries
      const entries = new Set(shown.map(({ id }) => id))
      const text = textOf(knowledge, { selection: { entries, projects: ["p1"], onlyNamed: false } })
      const lines = text.split("\n").map((line) => JSON.parse(line))
      const stored = lines.flatMap(({ subject, change }) => (change?.type === "stored" ? [subject] : []))
      expect(new Set(stored)).toEqual(entries)
      expect(
        lines.flatMap(({ project }) => (project === undefined ? [] : [project])).every((id) => id === "p1"),
      ).toBe(true)
      using to = passingKnowledge()
      await importText(to, text)
      expect(to.list({}).entries).toEqual(shown)
      expect((await importText(knowledge, text)).added).toBe(0)
    }),
    { numRuns: 60 },
  )
})

test("a selection omits replaced texts, and a later export of the new text is imported", async () => {
  using from = withProjects()
  using to = passingKnowledge()
  const { id } = from.remember([{ text: "the first form", project: "p1" }])[0]!
  from.append(id, "an addition")
  const exported = () =>
    textOf(from, { selection: { entries: new Set([id]), projects: ["p1"], onlyNamed: false } })
  await importText(to, exported())
  from.revise(id, { text: "the second form" }, { reason: "the first was wrong" })
  expect(exported()).not.toMatch(/first|addition/)
  await importText(to, exported())
  expect(to.get([id])[0]!.text).toBe("the second form")
})

test("maps a project with the same remote and root commit to the one here, with its entities", async () => {
  using from = withProjects()
  from.remember([
    {
      text: "Ann keeps the shop",
      project: "p1",
      entities: ["Ann"],
      relations: [{ from: "Ann", to: "shop", type: "keeps" }],
    },
  ])
  using to = passingKnowledge()
  to.projects.add({ id: "mine", name: "shop here", created: "2026-03-01T00:00:00.000Z" })
  to.projects.mark({ project: "mine", kind: "remote", value: "example.com/ann/shop" })
  to.projects.mark({ project: "mine", kind: "root-commit", value: COMMIT })
  to.remember([{ text: "Ann is in Lisbon", project: "mine", entities: ["Ann"] }])
  const report = await importText(to, textOf(from))
  expect(report.moved).toEqual([{ name: "shop", from: "p1", to: "mine" }])
  const { entries, entities, relations } = tablesOf(to)
  expect(entries.map(({ project }) => project)).toEqual(["mine", "mine"])
  expect(entities.map(({ id }) => id).sort()).toEqual(
    [entityId("mine", "Ann"), entityId("mine", "shop")].sort(),
  )
  expect(relations.map(({ from: end }) => end)).toEqual([entityId("mine", "Ann")])
  expect((await importText(to, textOf(from))).added).toBe(0)
})

test.each(["remote", "root-commit"] as const)(
  "a project that shares only its %s is kept apart",
  async (kind) => {
    using from = withProjects()
    from.remember([{ text: "Ann keeps the shop", project: "p1" }])
    using to = passingKnowledge()
    to.projects.add({ id: "mine", name: "shop here", created: "2026-03-01T00:00:00.000Z" })
    to.projects.mark({ project: "mine", kind, value: kind === "remote" ? "example.com/ann/shop" : COMMIT })
    const report = await importText(to, textOf(from))
    expect(report).toMatchObject({ moved: [], ambiguous: [{ name: "shop", candidates: ["mine"] }] })
    expect(tablesOf(to).entries.map(({ project }) => project)).toEqual(["p1"])
  },
)

test("an export cannot claim a path that is another project's", async () => {
  using from = withProjects()
  using to = passingKnowledge()
  to.projects.add({ id: "mine", name: "mine", created: "2026-03-01T00:00:00.000Z" })
  to.projects.mark({ project: "mine", kind: "path", value: "/home/ann/shop" })
  await importText(to, textOf(from, { withPaths: true }))
  expect(to.projects.withMark("path", "/home/ann/shop")).toEqual(["mine"])
})

test("skips marks of unknown kinds", async () => {
  using from = withProjects()
  using to = passingKnowledge()
  const text = textOf(from).replace('"kind":"remote"', '"kind":"folder"')
  await importText(to, text)
  expect(to.projects.marks("p1").map(({ kind }) => kind)).toEqual(["root-commit"])
})

test("adds the project as a new one when several here match", async () => {
  using from = withProjects()
  using to = passingKnowledge()
  for (const id of ["fork", "original"]) {
    to.projects.add({ id, name: id, created: "2026-03-01T00:00:00.000Z" })
    to.projects.mark({ project: id, kind: "remote", value: "example.com/ann/shop" })
  }
  const report = await importText(to, textOf(from))
  expect(report.ambiguous).toEqual([{ name: "shop", candidates: ["fork", "original"] }])
  expect(to.projects.get("p1")?.name).toBe("shop")
})

test("reports bad lines and stores nothing", async () => {
  using from = withProjects()
  from.remember([{ text: "good", project: "p1" }])
  const lines = [...exportLines(from)]
  const bad = [lines[0], lines[1], "{", '{"id":"x"}', lines[3]!.replace('"stored"', '"exploded"'), lines[3]]
  using to = passingKnowledge()
  const failure = await importText(to, bad.join("\r\n")).catch((error) => error)
  expect(failure.code).toBe("USAGE")
  expect(failure.message.split("\n").slice(1)).toEqual([
    "  line 3: is not JSON",
    "  line 4: has no at",
    '  line 5: change has the unknown type "exploded"',
  ])
  expect(tablesOf(to).events).toEqual([])
  const report = await importExport(to, readExport(bad.join("\n"), "x", { skipBad: true }))
  expect(report.added).toBe(1)
})

test("refuses a truncated file, a newer version and a foreign file", async () => {
  using from = withProjects()
  from.remember([{ text: "one" }, { text: "two" }])
  const text = textOf(from)
  using to = passingKnowledge()
  const failure = (wrong: string) => importText(to, wrong).catch((error) => error.message)
  expect(await failure(text.slice(0, text.lastIndexOf("\n")))).toContain(
    "is incomplete: it has 1 of 2 events",
  )
  expect(await failure(text.replace(/"version":\d+/, '"version":99'))).toContain("newer aman")
  expect(await failure('{"text":"a"}')).toContain("is not an export of aman")
  expect(await failure("")).toContain("is not an export of aman")
  expect(tablesOf(to).events).toEqual([])
})

test("an export of version 1 is read; entries with a zone make it version 2, which an older aman refuses as a whole", async () => {
  using from = withProjects()
  from.remember([{ text: "Standup moved", recordedAt: "2026-03-29T02:34:00+09:00" }])
  const text = textOf(from)
  expect(JSON.parse(text.split("\n")[0]!)).toMatchObject({ version: 3 })
  const old = text.replace('"version":3', '"version":1').replace(/,?"zone":"[^"]+"/, "")
  expect(old).not.toContain("zone")
  using to = passingKnowledge()
  expect(await importText(to, old)).toMatchObject({ added: 1 })
  using again = passingKnowledge()
  expect(await importText(again, text)).toMatchObject({ added: 1 })
  expect([to, again].map((store) => store.list().entries[0]!.zone)).toEqual([undefined, "+09:00"])
})

const COMMIT = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

function withProjects(): Knowledge {
  const knowledge = passingKnowledge()
  for (const project of PROJECTS) knowledge.projects.add(project)
  knowledge.projects.mark({ project: "p1", kind: "remote", value: "example.com/ann/shop" })
  knowledge.projects.mark({ project: "p1", kind: "root-commit", value: COMMIT })
  knowledge.projects.mark({ project: "p1", kind: "path", value: "/home/ann/shop" })
  return knowledge
}

function textOf(knowledge: Knowledge, options: ExportOptions = {}): string {
  return [...exportLines(knowledge, options)].join("\n")
}

async function importText(knowledge: Knowledge, text: string) {
  return importExport(knowledge, readExport(text, "export.jsonl"))
}
