import { afterAll, beforeAll, expect, test } from "bun:test"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { connect } from "./connect.ts"
import { Workspace } from "./harness.ts"

const LINES = [
  {
    text: "We chose Stripe because its tax handling covers the EU.",
    topic: "payments",
    kind: "decision",
    recorded_at: "2024-01-05T10:00:00Z",
  },
  { text: "Failed payments are retried 3 times.", topic: "payments", recorded_at: "2024-02-05T10:00:00Z" },
  {
    text: "Failed payments are now retried 5 times.",
    topic: "Payments",
    recorded_at: "2024-06-05T10:00:00Z",
  },
  {
    text: "Sandbox cards never expire.\nSee the payments page.",
    topic: "testing",
    tags: ["gotchas"],
    recorded_at: "2024-06-06T10:00:00Z",
  },
  {
    text: "The gateway drops idle connections after sixty seconds.",
    topic: "network",
    recorded_at: "2024-03-01T10:00:00Z",
  },
  {
    text: "After sixty seconds the gateway drops connections that are idle.",
    topic: "network",
    recorded_at: "2024-03-02T09:00:00Z",
  },
]

let shop: Workspace
let ids: string[]
beforeAll(async () => {
  shop = new Workspace({ "package.json": "{}", "src/a.ts": "export const A = 1\n" })
  shop.variables = { AMAN_EMBEDDINGS_ENCODER: "idle" }
  shop.write("notes.jsonl", LINES.map((line) => JSON.stringify(line)).join("\n"))
  const { stdout } = await shop.run(["remember", "--batch", "notes.jsonl"])
  ids = stdout.trim().split("\n")
  await shop.run(["memory", "embed"])
})
afterAll(() => shop[Symbol.dispose]())

const memory = (...args: string[]) => shop.json(["memory", ...args])

test("topics come by last change; a digest has one line for each", async () => {
  const { topics } = await memory("topics")
  expect(topics.map(({ topic, entries }: { topic: string; entries: number }) => [topic, entries])).toEqual([
    ["testing", 1],
    ["payments", 3],
    ["network", 2],
  ])
  const { stdout } = await shop.run(["memory", "digest"])
  expect(stdout).toContain("payments (3, 2024-06-05): Failed payments are now retried 5 times.")
  expect(stdout).toContain("testing (1, 2024-06-06): Sandbox cards never expire.\n")
})

test("counts tags and statistics", async () => {
  expect((await memory("tags")).tags).toMatchObject([{ tag: "gotcha", entries: 1 }])
  expect((await memory("stats")).stats).toMatchObject({
    entries: 6,
    current: 6,
    topics: 3,
    tags: 1,
    by_kind: { semantic: 5, decision: 1 },
  })
  expect((await memory("stats", "--topic", "network")).stats.entries).toBe(2)
})

test("shows a timeline by day, a part of it, and around an entry", async () => {
  const { days } = await memory("timeline", "--after", "2024-03-01", "--before", "2024-06-06")
  expect(days.map(({ day }: { day: string }) => day)).toEqual(["2024-03-01", "2024-03-02", "2024-06-05"])
  const near = await memory("timeline", "--around", ids[5]!, "--limit", "3")
  expect(near.days.flatMap((day: { entries: { id: string }[] }) => day.entries.map(({ id }) => id))).toEqual([
    ids[4],
    ids[5],
    ids[2],
  ])
})

test("recent lists entries stored or revised lately", async () => {
  expect((await shop.run(["memory", "recent", "7"])).stdout).toBe("nothing in the last 7 days\n")
  const { id } = await shop.json(["remember", "--topic", "scratch", "--", "Written just now"])
  expect((await memory("recent", "1")).entries.map((entry: { id: string }) => entry.id)).toEqual([id])
  await memory("purge", id)
})

test("lists where other topics mention a topic", async () => {
  const { references } = await memory("xref", "payments")
  expect(references).toMatchObject([{ topic: "testing", mentions: [{ id: ids[3], by: "topic" }] }])
})

test("reconstruct returns all about a subject within a budget: by section, newest first, outdated marked, gaps named", async () => {
  const all = await memory("reconstruct", "payments")
  expect(all.topics).toEqual(["payments"])
  const sections = all.sections.map(({ name, entries }: { name: string; entries: { id: string }[] }) => [
    name,
    entries.map(({ id }) => id),
  ])
  expect(sections).toEqual([
    ["decisions", [ids[0]]],
    ["facts", [ids[3], ids[2], ids[1]]],
  ])
  expect(all.sections[1].entries[2].outdated_by).toBe(ids[2])
  const { stdout } = await shop.run(["memory", "reconstruct", "payments", "refunds", "--max-tokens", "110"])
  expect(stdout).toContain("No entry mentions: refunds")
  expect(stdout).toMatch(/\d more exceed the budget/)
})

test("prune and compact propose and change nothing", async () => {
  const { id } = await shop.json(["remember", "--topic", "code", "--source", "src/a.ts:1", "--", "A is one"])
  rmSync(join(shop.project, "src/a.ts"))
  const { proposals } = await memory("prune", "--days", "100000")
  expect(proposals).toMatchObject([{ id, reason: "source gone" }])
  expect((await memory("prune")).counts).toMatchObject({ old: 5 })
  const { groups } = await memory("compact")
  expect(groups).toMatchObject([
    { topic: "Payments", entries: [{ id: ids[2] }, { id: ids[1] }] },
    { topic: "network", entries: [{ id: ids[5] }, { id: ids[4] }] },
  ])
  await memory("purge", id)
  expect((await memory("stats")).stats.entries).toBe(6)
})

test("lets an agent rename and merge topics, and refuses a taken name with the next step", async () => {
  await using server = await connect(shop)
  const taken = await server.call("knowledge", { action: "rename", topic: "network", to: "testing" })
  expect(taken).toMatchObject({ isError: true })
  expect(taken.content[0]!.text).toContain("merge")
  const renamed = await server.call("knowledge", { action: "rename", topic: "network", to: "gateway" })
  expect(renamed.structuredContent).toMatchObject({ moved: 2, into: "gateway" })
  const merged = await server.call("knowledge", { action: "merge", from: "gateway", into: "PAYMENTS" })
  expect(merged.structuredContent).toMatchObject({ moved: 2, into: "payments" })
  const { structuredContent } = await server.call("knowledge", { action: "topics" })
  expect(structuredContent.topics.map(({ topic }: { topic: string }) => topic)).toEqual([
    "payments",
    "testing",
  ])
})

test("recall ranks the current entry first, names what it replaces, and resolves dates", async () => {
  await shop.json(["remember", "--topic", "deploy", "--", "Last week we moved the deploy"])
  const { results } = await shop.json(["recall", "how often are failed payments retried"])
  expect(results[0]).toMatchObject({ id: ids[2], perhaps_replaces: [ids[1]] })
  expect(results.map(({ id }: { id: string }) => id)).not.toContain(ids[1])
  const before = await shop.json(["recall", "how often were failed payments retried before June 2024"])
  expect(before.results.find(({ id }: { id: string }) => id === ids[1]).outdated_by).toBe(ids[2])
  const dated = await shop.json(["recall", "when was the deploy moved"])
  expect(dated.results[0].dates).toMatchObject([{ text: "Last week" }])
})
