import { expect, test } from "bun:test"
import { randomFrom } from "../random.ts"
import { type Connection, connect } from "./connect.ts"
import { Workspace } from "./harness.ts"

// A question to a store must have the same answer from a single command, from a server that has just started,
// from one that has run for a while, and from one that received the entries one by one.

const random = randomFrom(20_261_124)
const pick = <T>(among: readonly T[]): T => among[Math.floor(random() * among.length)]!

const PEOPLE = ["Ada", "Boris", "Chen", "Dora"]
const THINGS = ["gateway", "indexer", "billing export", "login page", "night backup", "search box"]
const PARTS = ["timeout", "retry limit", "cache size", "owner", "log level", "release day"]
const VALUES = ["30 seconds", "five", "64 MB", "the platform team", "debug", "Thursday"]

function noteAt(at: number) {
  const [thing, part] = [pick(THINGS), pick(PARTS)]
  const text = pick([
    `The ${part} of the ${thing} is ${pick(VALUES)}.`,
    `${pick(PEOPLE)} changed the ${thing}: the ${part} is now ${pick(VALUES)}.`,
    `I looked at the ${thing} today, and its ${part} worries me. Shall we ask ${pick(PEOPLE)}?`,
    `The ${thing} and the ${pick(THINGS)} share one ${part}.`,
    `Yes, ${pick(VALUES)}.`,
  ])
  return {
    text,
    topic: pick(["operations", "product", "general"]),
    author: pick(PEOPLE),
    session: random() < 0.6 ? `day-${Math.floor(at / 20)}` : undefined,
    entities: random() < 0.5 ? [thing] : [],
    recorded_at: new Date(Date.UTC(2026, 0, 1) + at * 3_600_000).toISOString(),
  }
}

// Each costs four processes.
const QUESTIONS = THINGS.map((thing, at) =>
  at % 2 === 0
    ? `what is the ${pick(PARTS)} of the ${thing}`
    : `when was the ${pick(PARTS)} of the ${thing} changed to ${pick(VALUES)}, ${pick(PEOPLE)}?`,
)

// If a store has more than 2,000 entries, a process keeps only the index in memory, and reads the entries that it shows
// from the store. So one count is below and one above this limit.
test.each([90, 2300])(
  "a command, a new server, a warm one and one that got the last of %d entries one by one answer alike",
  async (count) => {
    using space = new Workspace({ "package.json": "{}" })
    const notes = Array.from({ length: count }, (_, at) => noteAt(at))
    const [first, later] = [notes.slice(0, -30), notes.slice(-30)]
    const stdin = first.map((note) => JSON.stringify(note)).join("\n")
    expect((await space.run(["remember", "--batch", "-"], { stdin })).code).toBe(0)
    const command = await answersTo(async (query) => await space.json(["recall", "--", query]))
    await using server = await connect(space)
    // Twice, because a server that has just started has done less of its background work.
    expect(await answersOf(server)).toEqual(command)
    expect(await answersOf(server)).toEqual(command)

    for (const note of later) await server.call("remember", note)
    const gone = command.flatMap(([best]) => best!.id).slice(0, 5)
    await server.call("knowledge", { action: "delete", ids: [...new Set(gone)] })
    const told = await answersOf(server)
    expect(told).not.toEqual(command)
    expect(await answersTo(async (query) => await space.json(["recall", "--", query]))).toEqual(told)
    await using fresh = await connect(space)
    expect(await answersOf(fresh)).toEqual(told)
  },
  120_000,
)

type Hit = { readonly id: string; readonly score: number; readonly outdated_by: string | null }

async function answersTo(ask: (query: string) => Promise<{ readonly results: readonly Hit[] }>) {
  const answers = []
  for (const query of QUESTIONS) {
    const { results } = await ask(query)
    answers.push(results.map(({ id, score, outdated_by }) => ({ id, score: score.toFixed(6), outdated_by })))
  }
  return answers
}

const answersOf = (server: Connection) =>
  answersTo(async (query) => (await server.call("recall", { query })).structuredContent)
