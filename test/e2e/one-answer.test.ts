import { expect, test } from "bun:test"
import { randomFrom } from "../random.ts"
import { UiServer } from "./browser.ts"
import { type Connection, connect } from "./connect.ts"
import { Workspace } from "./harness.ts"
import { HookSpace } from "./hook-space.ts"

// A question to a store must have the same answer from a single command, from a server that has just started,
// from one that has run for a while, from one that received the entries one by one, and from the page; a hook shows
// some of the same entries in the same order.

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
test("a command, a new server, a warm one and one that got the last of 2300 entries one by one answer alike", async () => {
  using space = new Workspace({ "package.json": "{}" })
  const notes = Array.from({ length: 2300 }, (_, at) => noteAt(at))
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
}, 120_000)

/** Number of questions: 3, or 500 in the soak. */
const ASKED = Number(process.env["AMAN_TEST_ORDERS"] ?? 3)

test(
  "every door has one order: any limit, command, server, page, and what the hook shows of it",
  async () => {
    using space = new HookSpace({ "package.json": "{}" })
    const batch = async (notes: readonly object[]) => {
      const stdin = notes.map((note) => JSON.stringify(note)).join("\n")
      const { stdout } = await space.run(["remember", "--json", "--batch", "-"], { stdin })
      return JSON.parse(stdout).ids as readonly string[]
    }
    const ids = await batch(Array.from({ length: 330 }, (_, at) => ({ ...noteAt(at), ...other(at) })))
    // A command stores the index that it computed; the server takes in the entries after these.
    await space.json(["recall", "gateway"])
    await using server = await connect(space)
    await batch(ids.slice(0, 20).map((id, at) => ({ ...noteAt(at + 400), replaces: [id] })))
    await using page = await UiServer.start(space)
    const headers = await page.enter()
    const onPage = async (query: string, outdated: boolean) => {
      const asked = new URLSearchParams({ query, limit: "400", ...(outdated && { outdated: "true" }) })
      const answer = await fetch(`${page.origin}/api/recall?${asked}`, { headers })
      return idsOf((await answer.json()) as Results)
    }
    const byCommand = (query: string, limit: number, outdated: boolean) =>
      space
        .json(["recall", "--limit", `${limit}`, ...(outdated ? ["--outdated"] : []), "--", query])
        .then(idsOf)
    const byServer = async (query: string, limit: number, outdated: boolean) =>
      idsOf((await server.call("recall", { query, limit, ...(outdated && { outdated }) })).structuredContent)
    let hooked = 0
    for (let at = 0; at < ASKED; at++) {
      const query = questionAt(at)
      const all = await onPage(query, false)
      const past = await onPage(query, true)
      for (const limit of [3, 10, 50]) {
        expect([query, limit, await byServer(query, limit, false)]).toEqual([
          query,
          limit,
          all.slice(0, limit),
        ])
        expect([query, limit, await byServer(query, limit, true)]).toEqual([
          query,
          limit,
          past.slice(0, limit),
        ])
      }
      // One command for each question, because a process costs as much as a hundred questions to a server.
      const limit = [3, 400, 10, 50][at % 4]!
      const outdated = at % 3 === 2
      const answered = await byCommand(query, limit, outdated)
      expect([query, limit, answered]).toEqual([query, limit, (outdated ? past : all).slice(0, limit)])
      const prompt = {
        session_id: `s${at}`,
        cwd: space.project,
        hook_event_name: "UserPromptSubmit",
        prompt: query,
      }
      const context = (await space.contextOf("prompt-submit", prompt)) ?? ""
      const told = [...context.matchAll(/\[([0-9a-z]{20})\]$/gmu)].map(([, id]) => id!)
      hooked += told.length
      expect([query, told]).toEqual([query, all.filter((id) => told.includes(id))])
    }
    expect(hooked).toBeGreaterThan(0)
  },
  120_000 + ASKED * 6000,
)

type Results = { readonly results: readonly { readonly id: string }[] }
const idsOf = ({ results }: Results) => results.map(({ id }) => id)

/** Some entries are in another language, without a session, outdated, or by an agent. */
function other(at: number): object {
  const [thing, part] = [pick(THINGS), pick(PARTS)]
  const text = pick([
    `Das ${part} von ${thing} ist jetzt ${pick(VALUES)}, sagt ${pick(PEOPLE)}.`,
    `Le ${part} du ${thing} reste à ${pick(VALUES)}.`,
    `${thing} の ${part} は ${pick(VALUES)} です。`,
    `MAX_RETRIES and \`openGateway\` of the ${thing} belong to ${pick(PEOPLE)}.`,
  ])
  return {
    ...(at % 3 === 0 && { text }),
    ...(at % 7 === 0 && { role: "agent" }),
    ...(at % 11 === 0 && { valid_until: "2026-03-01" }),
    ...(at % 13 === 0 && { kind: "decision", tags: ["release"] }),
  }
}

function questionAt(at: number): string {
  const [thing, part] = [pick(THINGS), pick(PARTS)]
  const kinds = [
    `what is the ${part} of the ${thing}`,
    `when was the ${part} of the ${thing} changed to ${pick(VALUES)}, ${pick(PEOPLE)}?`,
    `${pick(PEOPLE)} says that the ${thing} has a ${part} of ${pick(VALUES)}`,
    `Bitte prüfe das ${part} von ${thing}, ${pick(PEOPLE)}`,
    `what was the ${part} of the ${thing} before it changed`,
    `please fix openGateway in the ${thing} and MAX_RETRIES`,
    `${thing} の ${part}`,
    `who in January 2026 looked at the ${thing}, and was it you that recommended ${pick(VALUES)}?`,
  ]
  return kinds[at % kinds.length]!
}

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
