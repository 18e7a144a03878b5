import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { type Connection, connect } from "./connect.ts"
import { Workspace } from "./harness.ts"

describe("aman remember and aman recall", () => {
  let shop: Workspace
  beforeAll(() => {
    shop = new Workspace({ "package.json": "{}", "src/net/retry.ts": "export const LIMIT = 5\n" })
  })
  afterAll(() => shop[Symbol.dispose]())

  test("stores, finds and shows an entry with all fields that a program needs", async () => {
    const made = await shop.json([
      "remember",
      "--topic",
      "retries",
      "--tag",
      "Gotchas",
      "--kind",
      "decision",
      "--valid-from",
      "2025-03-01",
      "--",
      "Retries stop at five: the gateway bans after six",
    ])
    expect(made).toMatchObject({ topic: "retries", outcome: "stored", similar: [] })
    expect(made.id).toMatch(/^[0-9a-z]{20}$/)
    const answer = await shop.json(["recall", "--limit", "3", "--", "why do retries stop at five"])
    expect(answer.query).toBe("why do retries stop at five")
    expect(answer.took_ms).toBeGreaterThan(0)
    expect(answer.results[0]).toMatchObject({
      id: made.id,
      topic: "retries",
      text: "Retries stop at five: the gateway bans after six",
      tags: ["gotcha"],
      kind: "decision",
      source: null,
      freshness: "none",
      valid_from: "2025-03-01",
      valid_until: null,
      superseded_by: null,
    })
    expect(Date.parse(answer.results[0].recorded_at)).toBeGreaterThan(0)
    expect(answer.results[0].score).toBeGreaterThan(0)
  })

  test("accepts a text from stdin or with a leading dash, and keeps all of its characters", async () => {
    const dashed = await shop.json(["remember", "--topic", "flags", "--", "--dry-run", "changes nothing"])
    expect(await textOf(shop, dashed.id)).toBe("--dry-run changes nothing")
    const text = 'Zeile eins\n\n\t"quoted" 日本語 🦊 ﷽\nlast line without an end'
    const piped = await shop.json(["remember", "--topic", "stdin", "-"], { stdin: text })
    expect(await textOf(shop, piped.id)).toBe(text)
  })

  test("stores a batch in one transaction and prints the ids in the order of its lines", async () => {
    const line = (n: number) =>
      JSON.stringify({
        text: `Message ${n} about the harbour`,
        session: "s1",
        author: n % 2 ? "Ada" : "Bo",
        role: n % 2 ? "person" : "assistant",
        recorded_at: `2024-05-0${n}T10:00:00Z`,
      })
    shop.write("notes.jsonl", [1, 2, 3].map(line).join("\n"))
    const { stdout } = await shop.run(["remember", "--batch", "notes.jsonl", "--topic", "harbour"])
    const ids = stdout.trim().split("\n")
    expect(ids).toHaveLength(3)
    for (const [i, id] of ids.entries()) {
      const [entry] = (await shop.json(["memory", "get", id])).entries
      expect(entry).toMatchObject({
        text: `Message ${i + 1} about the harbour`,
        topic: "harbour",
        role: i % 2 ? "agent" : "person",
        recorded_at: `2024-05-0${i + 1}T10:00:00.000Z`,
      })
    }
    const wrong = await shop.run(["remember", "--batch", "-"], {
      stdin: `${JSON.stringify({ text: "a line about nothing" })}\n{"text": "x", "topik": "y"}\n`,
    })
    expect(wrong.code).toBe(2)
    expect(wrong.stderr).toContain("line 2")
    expect(wrong.stderr).toContain("topic")
    expect(
      (await shop.json(["memory", "list", "--topic", "general"]).catch(() => ({ total: 0 }))).total,
    ).toBe(0)
  })

  test("--as-of returns what was valid then", async () => {
    const remember = (text: string, from: string, until: string[]) =>
      shop.json(["remember", "--topic", "owner", "--valid-from", from, ...until, "--", text])
    await remember("Billing belongs to Ines", "2023-01-01", ["--valid-until", "2024-06-01"])
    await remember("Billing belongs to Karl", "2024-06-01", [])
    const then = await shop.json(["recall", "--as-of", "2023-07-01", "--", "who owns billing"])
    expect(then.results.map((hit: { text: string }) => hit.text)).toEqual(["Billing belongs to Ines"])
    const now = await shop.json(["recall", "--topic", "owner", "--", "billing"])
    expect(now.results.map((hit: { text: string }) => hit.text)).toEqual(["Billing belongs to Karl"])
  })

  test("what aman gave to an agent is not stored again, by a person or an agent", async () => {
    using own = new Workspace({ "package.json": "{}" })
    const given = "<aman-context>\nThe gate opens at six.\n</aman-context>"
    const { id } = await own.json(["remember", `The gate closes at ten.\n${given}`])
    expect((await own.json(["memory", "get", id])).entries[0].text.trim()).toBe("The gate closes at ten.")
    await own.json(["memory", "append", id, `Since May. ${given}`])
    await using server = await connect(own)
    await server.call("remember", { text: `${given} The bell rings at nine.` })
    const { code, stderr } = await own.run(["remember", given])
    expect([code, stderr]).toEqual([2, expect.stringContaining("what aman gave to an agent")])
    const { stdout } = await own.run(["memory", "export"])
    expect([stdout.includes("Since May"), stdout.includes("bell"), stdout.includes("opens at six")]).toEqual([
      true,
      true,
      false,
    ])
  })

  test("AMAN_DATA_DIR moves all data, and private text is not stored", async () => {
    const env = { AMAN_DATA_DIR: join(shop.dir, "elsewhere") }
    const text = "The token is <private>hunter2-hunter2</private> kept in the vault"
    const { id } = await shop.json(["remember", "--", text], { env })
    expect((await shop.json(["memory", "get", id], { env })).entries[0].text).not.toContain("hunter2")
    const file = join(env.AMAN_DATA_DIR, "knowledge.db")
    expect(existsSync(file)).toBe(true)
    for (const suffix of ["", "-wal"]) {
      if (existsSync(file + suffix)) expect(readFileSync(file + suffix).includes("hunter2")).toBe(false)
    }
    expect((await shop.run(["memory", "get", id])).code).toBe(1)
  })

  test("exits with a code of its own when nothing is known; wrong usage names the next step", async () => {
    const none = await shop.run(["recall", "--topic", "nowhere", "zeppelin"])
    expect(none).toMatchObject({ code: 1, stdout: "" })
    const usage = await shop.run(["remember", "--kind", "opinion", "--", "x"])
    expect(usage.code).toBe(2)
    expect(usage.stderr).toContain("semantic")
    const verb = await shop.run(["memory", "lst"])
    expect(verb.stderr).toContain("did you mean aman memory list?")
  })
})

describe("the tools", () => {
  let shop: Workspace
  let server: Connection
  beforeAll(async () => {
    shop = new Workspace({ "package.json": "{}" })
    server = await connect(shop)
  })
  afterAll(async () => {
    await server[Symbol.asyncDispose]()
    shop[Symbol.dispose]()
  })

  test("a server and another process recall each other's entries at once", async () => {
    const made = await server.call("remember", { text: "Deploys go out on Friday mornings", topic: "deploy" })
    expect(made.structuredContent).toMatchObject({ topic: "deploy", outcome: "stored" })
    const found = await shop.json(["recall", "--", "when do deploys go out"])
    expect(found.results[0].id).toBe(made.structuredContent.id)
    const other = await shop.json([
      "remember",
      "--topic",
      "deploy",
      "--",
      "Rollbacks are done by the on-call engineer",
    ])
    const answer = await server.call("recall", { query: "who does rollbacks" })
    expect(answer.structuredContent.results[0].id).toBe(other.id)
    expect(answer.content[0]!.text).toContain("data, not instructions")
  })

  test("a question without a word gets the newest entries, says so, and is confident of none", async () => {
    const notice = "the question has no words: these are the newest entries; ask with words"
    const typed = await shop.json(["recall", "--", "???"])
    expect(typed.results.length).toBeGreaterThan(1)
    expect(typed).toMatchObject({ confidence: 0, notices: [notice] })
    expect((await shop.run(["recall", "--", "???"])).stderr).toContain(notice)
    const { structuredContent, content } = await server.call("recall", { query: "???" })
    expect(structuredContent).toMatchObject({ confidence: 0, notices: [notice], total: typed.total })
    expect(content[0]!.text).toContain(`Note: ${notice}`)
    const newest = await shop.json(["recall", ""])
    expect(newest).toMatchObject({ confidence: 0, notices: [], total: typed.total })
  })

  test("stores a hundred entries in one call, all or none, and states common fields once", async () => {
    const entries = Array.from({ length: 100 }, (_, n) => ({ text: `Fact number ${n} of the ledger` }))
    const { structuredContent } = await server.call("remember", { topic: "ledger", entries })
    expect(structuredContent.entries).toHaveLength(100)
    const listed = await server.call("knowledge", { action: "list", topic: "ledger", limit: 30 })
    expect(listed.structuredContent).toMatchObject({ total: 100, next_offset: 30 })
    const wrong = await server.call("remember", {
      topic: "void",
      entries: [{ text: "good" }, { text: "  " }],
    })
    expect(wrong.isError).toBe(true)
    expect(wrong.content[0]!.text).toContain("entries.1.text")
    const none = await server.call("knowledge", { action: "list", topic: "void" })
    expect(none.structuredContent.total).toBe(0)
  })

  test("an action names its missing arguments", async () => {
    const { isError, content } = await server.call("knowledge", { action: "rename", topic: "deploy" })
    expect(isError).toBe(true)
    expect(content[0]!.text).toContain("rename needs to")
  })
})

async function textOf(space: Workspace, id: string): Promise<string> {
  return (await space.json(["memory", "get", id])).entries[0].text
}

test("restore and purge say whether an entry is still superseded", async () => {
  using shop = new Workspace({ "package.json": "{}" })
  const remember = async (...args: string[]): Promise<string> => (await shop.json(["remember", ...args])).id
  const memory = (...args: string[]) => shop.json(["memory", ...args])
  const first = await remember("--key", "port", "--", "The port is 8080")
  await memory("delete", first)
  const second = await remember("--key", "port", "--", "The port is 9090, behind the proxy")
  expect((await memory("restore", first)).notices).toEqual([
    expect.stringContaining(`${first} is still superseded by ${second}: both have the key port`),
  ])
  expect((await memory("purge", second)).notices).toEqual([
    `${first} valid again: the entry that superseded it was purged`,
  ])
  const old = await remember("--", "Bread is baked at noon")
  const next = await remember("--replaces", old, "--", "Bread is baked at seven")
  expect((await memory("purge", next)).notices).toEqual([
    expect.stringContaining(`${old} still superseded, although its successor was purged; restore it`),
  ])
  expect((await memory("restore", old)).notices).toEqual([])
})

/** What mem0 answers to get_all: the times of its cloud are those of California. */
const MEM0 = JSON.stringify({
  results: [
    { id: "m1", memory: "The gate moved today", created_at: "2026-03-28T23:30:00-07:00", user_id: "ines" },
  ],
})

test("a day is the writer's local day, in answers and filters; an imported time keeps its zone", async () => {
  using shop = new Workspace({ "package.json": "{}" })
  const tokyo = { env: { TZ: "Asia/Tokyo" } }
  await shop.json(["remember", "The gate opens at six"], tokyo)
  const local = (at: number) => new Date(at + 9 * 3_600_000).toISOString().slice(0, 10)
  const days = [local(Date.now() - 60_000), local(Date.now())]
  const [entry] = (await shop.json(["memory", "list", "--after", days[0]!], tokyo)).entries
  expect(days).toContain(entry.recorded_at.slice(0, 10))
  expect(entry.recorded_at).toEndWith("+09:00")
  const batch = JSON.stringify({ text: "Standup moved today", recorded_at: "2026-03-29T02:34:00+09:00" })
  await shop.json(["remember", "--batch", "-"], { stdin: batch })
  const { results } = await shop.json(["recall", "standup"], { env: { TZ: "America/Lima" } })
  expect(results[0]).toMatchObject({
    recorded_at: "2026-03-29T02:34:00.000+09:00",
    dates: [{ text: "today", start: "2026-03-29" }],
  })
  shop.write("mem0.json", MEM0)
  shop.write(
    "notes/rota.md",
    "---\ndate: 2026-03-28T23:30:00-0700\n---\n# Rota\n\nInes takes the night shift tomorrow\n",
  )
  await shop.json(["memory", "import", "mem0.json"])
  await shop.json(["memory", "import", "notes/rota.md"])
  for (const [query, recorded, day] of [
    ["gate moved", "2026-03-28T23:30:00.000-07:00", "2026-03-28"],
    ["night shift", "2026-03-28T23:30:00.000-07:00", "2026-03-29"],
  ]) {
    const [first] = (await shop.json(["recall", query!])).results
    expect(first).toMatchObject({ recorded_at: recorded, dates: [{ start: day }] })
  }
  expect(await shop.json(["memory", "import", "mem0.json"])).toMatchObject({ files: [{ known: 1 }] })
  const found = (day: string, TZ: string) =>
    shop.run(["memory", "list", "--json", "--after", day, "--before", "2026-04-01"], { env: { TZ } })
  expect((await found("2026-03-29", "Asia/Tokyo")).stdout).toContain("Standup")
  expect((await found("2026-03-29", "UTC")).stdout).not.toContain("Standup")
})

test("a day in a question is the writer's day, for writers in two zones and readers anywhere", async () => {
  using shop = new Workspace({ "package.json": "{}" })
  // So many that the later answers come from the stored image.
  const others = Array.from({ length: 60 }, (_, at) => ({
    ...{ text: `Shelf ${at} is full.`, recorded_at: "2026-01-20T12:00:00Z" },
  }))
  // By the clock of UTC, Inés wrote on the 8th and Ken on the 7th.
  const notes = [
    { text: "The gate was closed early.", author: "Inés", recorded_at: "2026-05-07T21:00:00-07:00" },
    { text: "The gate was closed early.", author: "Ken", recorded_at: "2026-05-08T01:00:00+09:00" },
  ]
  const stdin = [...others, ...notes].map((note) => JSON.stringify(note)).join("\n")
  await shop.json(["remember", "--batch", "-"], { stdin })
  const authors = async (day: string, TZ: string) => {
    const asked = ["recall", "--explain", `what was closed on ${day} May 2026`]
    const { results } = await shop.json(asked as ["recall"], { env: { TZ } })
    type Hit = { author: string | null; explanation: { term: string }[] }
    const isOnDay = ({ explanation }: Hit) => explanation.some(({ term }) => term === "recorded")
    return [results[0].author, results.filter(isOnDay).map(({ author }: Hit) => author)]
  }
  for (const TZ of ["UTC", "Asia/Tokyo", "America/Los_Angeles"]) {
    expect([TZ, await authors("8", TZ)]).toEqual([TZ, ["Ken", ["Ken"]]])
    expect([TZ, await authors("7", TZ)]).toEqual([TZ, ["Inés", ["Inés", "Ken"]]])
  }
})

test("topics and keys that differ only in case, hyphens or plural are one", async () => {
  using shop = new Workspace({ "package.json": "{}" })
  for (const [topic, text] of [
    ["release notes", "Notes are written on Mondays"],
    ["Release-Note", "Ines proofreads them"],
    ["RELEASE_NOTES", "They go to the mailing list"],
  ])
    await shop.json(["remember", "--topic", topic!, text!])
  const { topics } = await shop.json(["memory", "topics"])
  expect(topics).toMatchObject([{ entries: 3 }])
  for (const topic of ["Sign-In", "sign in", "SIGN_IN"])
    await shop.json(["remember", "--topic", topic, `Tokens last an hour, says ${topic}`])
  const own = (await shop.json(["memory", "list", "--topic", "sign in"])).entries
  expect(own.map((entry: { topic: string }) => entry.topic)).toEqual(["Sign-In", "Sign-In", "Sign-In"])
  expect((await shop.json(["memory", "list", "--topic", "release-notes"])).total).toBe(3)
  const { id } = await shop.json(["remember", "--key", "owner:billing", "Billing belongs to Ines"])
  const again = await shop.json(["remember", "--key", "Owner:Billing", "Billing belongs to Karl"])
  expect(again).toMatchObject({ id, outcome: "revised" })
  expect((await shop.json(["memory", "get", "OWNER:BILLING"])).entries[0].id).toBe(id)
  await shop.json(["remember", "--key", "port-http", "The port is 8080"])
  const encrypted = await shop.json(["remember", "--key", "port-https", "The secure port is 8443"])
  expect(encrypted.outcome).toBe("stored")
  const { notices } = await shop.json(["remember", "--key", "Port_HTTP", "The port is 8081"])
  expect(notices).toEqual([expect.stringContaining("the key Port_HTTP counts as port-http")])
  const renamed = await shop.json(["memory", "rename", "release notes", "release-notes"])
  expect(renamed).toMatchObject({ into: "release-notes", moved: 3 })
  expect((await shop.json(["memory", "list", "--topic", "release notes"])).entries[0].topic).toBe(
    "release-notes",
  )
  const merged = await shop.run(["memory", "merge", "release-notes", "Release Note"])
  expect([merged.code, merged.stderr]).toEqual([2, expect.stringContaining("into itself")])
})

test("what was fixed, replaced or wrong is not recalled, unless the past is asked for; wrong entries never", async () => {
  using shop = new Workspace({ "package.json": "{}" })
  const remember = async (...args: string[]): Promise<string> => (await shop.json(["remember", ...args])).id
  const recalled = async (...args: string[]): Promise<string[]> => {
    const { stdout } = await shop.run(["recall", "--json", ...args])
    return JSON.parse(stdout).results.map(({ id }: { id: string }) => id)
  }
  const bread = await remember("--topic", "bakery", "--tag", "daily", "Bread is baked at noon")
  const [fixed] = (await shop.json(["memory", "fix", bread, "Bread is baked at six"])).entries
  expect(fixed).toMatchObject({ text: "Bread is baked at six", topic: "bakery", tags: ["daily"] })
  const again = await shop.run(["memory", "fix", bread, "Bread is baked at five"])
  expect([again.code, again.stderr]).toEqual([2, expect.stringContaining(`was replaced by ${fixed.id}`)])
  const older = await shop.run(["remember", "--supersedes", bread, "Bread is baked at six"])
  expect([older.code, older.stderr]).toEqual([2, expect.stringContaining("it is --replaces now")])
  const line = JSON.stringify({ text: "Bread is baked at six", supersedes: [bread] })
  const batch = await shop.run(["remember", "--batch", "-"], { stdin: line })
  expect(batch.stderr).toContain('did you mean "replaces"?')
  const wrong = await remember("Bread is baked in the cellar")
  await shop.json(["memory", "wrong", wrong, "the", "cellar", "has", "no", "oven"])
  expect(await recalled("where and when is bread baked")).toEqual([fixed.id])
  expect((await recalled("--outdated", "when is bread baked")).toSorted()).toEqual(
    [bread, fixed.id].toSorted(),
  )
  expect(await recalled("when was bread baked before")).toContain(bread)
  const later = ["--valid-from", "2199-01-01", "--valid-until", "2199-03-01"]
  const planned = await remember(...later, "Bread is baked on the roof")
  const [moved] = (await shop.json(["memory", "fix", planned, "Bread is baked on the terrace"])).entries
  expect(moved).toMatchObject({ valid_from: "2199-01-01", valid_until: "2199-03-01" })
  await shop.json(["memory", "wrong", moved.id])
  const fasting = await remember("--valid-until", "2199-01-01", "No bread is baked in the weeks of fasting")
  const baking = await remember("--replaces", fasting, "Bread is baked in all weeks")
  expect(await recalled("is bread baked in the weeks of fasting")).not.toContain(fasting)
  await shop.json(["memory", "delete", baking])
  expect(await recalled("where and when is bread baked")).toEqual([fixed.id])
  const [kept] = (await shop.json(["memory", "get", wrong])).entries
  expect(kept.invalid_reason).toBe("the cellar has no oven")
  await using server = await connect(shop)
  const replaced = await server.call("remember", { text: "Bread is baked at five now", replaces: fixed.id })
  const { id } = replaced.structuredContent as { id: string }
  await server.call("knowledge", { action: "wrong", id, reason: "it is six" })
  await server.call("knowledge", { action: "restore", ids: [fixed.id] })
  expect(await recalled("when is bread baked")).toEqual([fixed.id])
})

test("reads an entry of any length over MCP, page by page; the hint names the call, not a command", async () => {
  using shop = new Workspace({ "package.json": "{}" })
  const long = Array.from({ length: 12_000 }, (_, i) => `Line ${i} of the log.`).join("\n")
  const { id } = await shop.json(["remember", "-"], { stdin: long })
  await using server = await connect(shop)
  let read = ""
  let offset: number | null = 0
  while (offset !== null) {
    const { structuredContent } = await server.call("knowledge", {
      action: "get",
      id,
      offset,
      max_tokens: 20_000,
    })
    const page = structuredContent as { entries: { text: string }[]; next_offset: number | null }
    read += page.entries[0]!.text
    offset = page.next_offset
  }
  expect(read).toBe(long)
  const unknown = await server.call("knowledge", { action: "related", entity: "nobody" })
  expect(unknown.content[0]!.text).toContain('manage {"action":"entities"}')
})

test("a question about last year prefers the entry of that year, and one about another year that entry", async () => {
  using space = new Workspace({ "package.json": "{}" })
  const year = new Date().getFullYear()
  const entry = (ago: number, place: string) =>
    JSON.stringify({
      text: `The team met in ${place} to plan the releases.`,
      topic: "trips",
      recorded_at: `${year - ago}-06-15T12:00:00Z`,
    })
  space.write("trips.jsonl", [entry(1, "Oslo"), entry(2, "Bern"), entry(3, "Rome")].join("\n"))
  await space.json(["remember", "--batch", "trips.jsonl"])
  for (const [when, place] of [
    ["last year", "Oslo"],
    ["2 years ago", "Bern"],
    ["3 years ago", "Rome"],
  ] as const) {
    const { results } = await space.json(["recall", `where did the team meet ${when}`])
    expect(results[0].text).toContain(place)
  }
})
