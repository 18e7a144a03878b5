import { expect, test } from "bun:test"
import { noteOf } from "../../../test/truth-pairs.ts"
import { around, compact, headline, prune, recent, stats, tagCounts, topics, xref } from "./views.ts"

const NOW = "2025-01-01T00:00:00.000Z"
const at = (day: string, hour = 12) => `2024-${day}T${String(hour).padStart(2, "0")}:00:00.000Z`

const AUTH = noteOf("auth1", "Tokens live for an hour.\nSee the runbook.", at("03-01"), {
  topic: "Auth Service",
  tags: ["security"],
})
const AUTH_OLD = noteOf("auth0", "Tokens live for a day.", at("02-01"), {
  topic: "auth-services",
  tags: ["security", "token"],
  supersededBy: "auth1",
  supersededAt: at("03-01"),
})
const AUTH_NEW = noteOf("auth2", "Keys rotate weekly.", at("03-02"), {
  topic: "Auth Service",
  kind: "procedural",
  revisedAt: at("12-31"),
  revision: 2,
})
const WEB = noteOf("web1", "The web app asks the auth-service for tokens.", at("04-01"), { topic: "web" })
const ALL = [AUTH_OLD, AUTH, AUTH_NEW, WEB]

test("topics ignore case, hyphens and plural, use the most frequent spelling, and are sorted by latest change", () => {
  expect(topics(ALL, NOW)).toMatchObject([
    {
      topic: "Auth Service",
      entries: 3,
      current: 2,
      lastAt: at("12-31"),
      firstAt: at("02-01"),
      kinds: { semantic: 2, procedural: 1 },
    },
    { topic: "web", entries: 1, current: 1 },
  ])
})

test("the headline of a topic is from an entry that holds", () => {
  expect(topics([AUTH_OLD, AUTH], NOW)).toMatchObject([
    { topic: "Auth Service", id: "auth1", headline: "Tokens live for an hour." },
  ])
})

test("a headline is the first line, cut at a word", () => {
  expect(headline("  one two three\nfour")).toBe("one two three")
  expect(headline("alpha beta gamma delta", 12)).toBe("alpha beta…")
  expect(headline("𐀀".repeat(20), 10).isWellFormed()).toBe(true)
})

test("tags are counted, most used first", () => {
  expect(tagCounts(ALL).map(({ tag, entries }) => [tag, entries])).toEqual([
    ["security", 2],
    ["token", 1],
  ])
})

test("around returns neighbours in time, or in session order within a session", () => {
  expect(around(ALL, "auth1", 1).map(({ id }) => id)).toEqual(["auth0", "auth1", "auth2"])
  const said = [2, 0, 1].map((ordinal) =>
    noteOf(`s${ordinal}`, "x", at("05-01"), { session: "standup", ordinal }),
  )
  expect(around([...said, WEB], "s1", 5).map(({ id }) => id)).toEqual(["s0", "s1", "s2"])
  expect(around(ALL, "none", 1)).toEqual([])
})

test("recent returns entries stored or revised lately, latest first", () => {
  expect(recent(ALL, 24 * 7, NOW).map(({ id }) => id)).toEqual(["auth2"])
  expect(recent(ALL, 24 * 366, NOW)[0]!.id).toBe("auth2")
})

test("stats count all entries and those that hold", () => {
  expect(stats(ALL, NOW)).toMatchObject({
    ...{
      entries: 4,
      current: 3,
      superseded: 1,
      ended: 0,
      revised: 1,
      topics: 2,
      tags: 2,
      sessions: 0,
      withSource: 0,
    },
    ...{ oldest: at("02-01"), newest: at("04-01"), byKind: { semantic: 3, procedural: 1 }, byRole: {} },
  })
  expect(stats([], NOW)).toMatchObject({ entries: 0, oldest: null, newest: null })
})

test("xref finds mentions by topic name, id, key or entity", () => {
  const id = "0123456789abcdefghij"
  const own = [
    AUTH,
    noteOf(id, "x", at("03-03"), { topic: "auth service", key: "token-ttl", entities: ["Keycloak"] }),
  ]
  const others = [
    WEB,
    noteOf("byId", `Follows ${id}.`, at("04-02"), { topic: "ops" }),
    noteOf("byKey", "Raise the token ttl.", at("04-03"), { topic: "ops" }),
    noteOf("byEntity", "It is down.", at("04-04"), { topic: "ops", entities: ["keycloak"] }),
    noteOf("not", "The author of services.", at("04-05"), { topic: "books" }),
  ]
  expect(
    xref([...own, ...others], "AUTH service").map(({ topic, mentions }) => [
      topic,
      mentions.map(({ entry, by }) => [entry.id, by]),
    ]),
  ).toEqual([
    [
      "ops",
      [
        ["byEntity", "entity"],
        ["byKey", "key"],
        ["byId", "id"],
      ],
    ],
    ["web", [["web1", "topic"]]],
  ])
})

test("prune proposes superseded, ended, duplicate and old entries and those with deleted code; decisions stay", () => {
  const entries = [
    AUTH_OLD,
    noteOf("ended", "The sale runs.", at("01-05"), { validUntil: "2024-02-01" }),
    noteOf("twice", "Keys rotate  weekly.", at("12-30"), { topic: "auth service" }),
    AUTH_NEW,
    noteOf("gone", "Reads the cache.", at("12-20")),
    noteOf("old", "A plain fact.", at("01-01")),
    noteOf("choice", "We chose Bun.", at("01-01"), { kind: "decision" }),
    noteOf("fresh", "A fresh fact.", at("12-30")),
  ]
  const proposed = prune(entries, { now: NOW, days: 90, gone: new Set(["gone"]) })
  expect(proposed.map(({ entry, reason }) => [entry.id, reason])).toEqual([
    ["auth0", "superseded"],
    ["ended", "ended"],
    ["auth2", "repeated"],
    ["gone", "source gone"],
    ["old", "old"],
  ])
})

test("compact groups valid entries of one topic that share more than half of their significant words", () => {
  const entries = [
    noteOf("a", "The gateway retries failed requests three times.", at("01-01")),
    noteOf("b", "Failed requests: gateway retries them three times with backoff.", at("02-01")),
    noteOf("c", "Backups are compressed nightly.", at("03-01")),
    noteOf("d", "The gateway retries failed requests three times.", at("04-01"), { topic: "other" }),
    noteOf("e", "The gateway retries failed requests three times.", at("05-01"), {
      supersededAt: at("06-01"),
      supersededBy: "a",
    }),
  ]
  expect(compact(entries, NOW).map((group) => group.entries.map(({ id }) => id))).toEqual([["b", "a"]])
})
