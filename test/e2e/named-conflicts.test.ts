import { expect, test } from "bun:test"
import { type LabelledPair, readPairs } from "../truth-pairs.ts"
import { connect } from "./connect.ts"
import { Workspace } from "./harness.ts"

type Named = { readonly id: string; readonly reason: string }

// The older notes of all pairs are stored first, in one store, so that each newer note meets many unrelated notes.
const PAIRS = (["held-out", "unseen"] as const)
  .flatMap(readPairs)
  .filter(({ label, olderAuthor }) => label !== "past" && olderAuthor === undefined)

function remembering(): Workspace {
  const space = new Workspace({ "package.json": "{}" })
  space.variables = { AMAN_EMBEDDINGS_ENCODER: "idle" }
  return space
}

test("remember names the note that the new one updates or contradicts, and rarely an unrelated one", async () => {
  using space = remembering()
  await using server = await connect(space)
  const remember = async (text: string, recorded_at: string) =>
    (await server.call("remember", { text, recorded_at })).structuredContent as {
      readonly id: string
      readonly similar: readonly Named[]
    }
  const old = new Map<LabelledPair, string>()
  for (const pair of PAIRS) old.set(pair, (await remember(pair.older, "2024-01-10")).id)
  const replacing = { pairs: 0, named: 0 }
  const others = { pairs: 0, named: 0 }
  let unrelated = 0
  for (const pair of PAIRS) {
    const conflicts = (await remember(pair.newer, "2024-06-10")).similar.filter(
      ({ reason }) => reason === "conflict",
    )
    const isNamed = conflicts.some(({ id }) => id === old.get(pair))
    const count = pair.label === "updated" || pair.label === "contradicting" ? replacing : others
    count.pairs++
    count.named += Number(isNamed)
    unrelated += conflicts.length - Number(isNamed)
  }
  expect(replacing.named / replacing.pairs).toBeGreaterThan(0.65)
  expect(others.named / others.pairs).toBeLessThan(0.05)
  // Half of these conflicts are right, because notes of different pairs are about the same thing.
  expect(unrelated / PAIRS.length).toBeLessThan(0.12)
}, 120_000)

test("the command line says what a note seems to replace, unless it was superseded by it", async () => {
  using space = remembering()
  const [old] = [await space.json(["remember", "The gateway gives up after 30 seconds"])]
  const { stderr } = await space.run(["remember", "The gateway gives up after 75 seconds now"])
  expect(stderr).toContain(`seems to replace: ${old.id} The gateway gives up after 30 seconds`)
  const made = await space.json([
    "remember",
    "--replaces",
    old.id,
    "The gateway gives up after 90 seconds now",
  ])
  expect(made.similar.map(({ id }: Named) => id)).not.toContain(old.id)
})

test("the writer is asked whether an older note about the same still holds, and not about another one", async () => {
  using space = remembering()
  await using server = await connect(space)
  const remember = async (text: string) => {
    const { structuredContent, content } = await server.call("remember", { text })
    return { ...(structuredContent as { id: string; similar: readonly Named[] }), said: content[0]!.text }
  }
  const old = await remember("The nightly import runs on worker-3")
  for (const { older } of readPairs("unseen").slice(0, 20)) await remember(older)
  const fresh = await remember("Moved the nightly job over to worker-5 this morning")
  expect(fresh.similar).toEqual([expect.objectContaining({ id: old.id, reason: "subject" })])
  expect(fresh.said).toContain(`about the same: ${old.id}`)
  expect(fresh.said).toContain(`replaces: "${old.id}"`)
  expect((await remember("Coffee beans are ordered by Felix")).similar).toEqual([])
})

test("a note that is replaced is named although notes in like words about other things rank above it", async () => {
  using space = remembering()
  const notes = Array.from({ length: 100 }, (_, at) => ({
    text: `Service s${at} listens on port ${4000 + at}.`,
    recorded_at: "2024-01-10T10:00:00Z",
  }))
  const later = [0, 1, 2, 3, 4, 5].map((at) => ({ text: `Service s${at} now listens on port 9${at}00` }))
  const stdin = [...notes, ...later].map((note) => JSON.stringify(note)).join("\n")
  const { stdout } = await space.run(["remember", "--batch", "-"], { stdin })
  const { similar } = await space.json(["remember", "Service s30 now listens on port 9930"])
  expect(similar[0]).toMatchObject({ id: stdout.split("\n")[30], reason: "conflict" })
})

test("beside a long document, notes about other things are not about the same", async () => {
  using space = remembering()
  const topics = ["gateway", "shard", "replica", "token", "queue", "cron", "proxy", "index"]
  const sentences = topics.flatMap((one) =>
    topics.flatMap((other) => [`The ${one} reads the ${other}.`, `The ${one} drops the ${other}.`]),
  )
  const document = Array.from({ length: 6 }, () => sentences.join(" ")).join("\n\n")
  await space.json(["remember", "-"], { stdin: document })
  await space.json(["memory", "embed"])
  await using server = await connect(space)
  const similar: unknown[] = []
  for (const text of [
    "The database migrations run in a separate job before the deployment starts.",
    "Feature flags are stored in Redis and expire after thirty days.",
    "Maria prefers short pull requests with one commit each.",
    "The staging cluster lives in Frankfurt and is rebuilt every Sunday night.",
    "Customer names must not appear in error messages.",
  ])
    similar.push(...(await server.call("remember", { text })).structuredContent.similar)
  expect(similar).toEqual([])
}, 60_000)

test("at the command line the writer is told of an older note about the same", async () => {
  using space = remembering()
  const { id } = await space.json(["remember", "The nightly import runs on worker-3"])
  const { stderr } = await space.run(["remember", "Moved the nightly job over to worker-5 this morning"])
  expect(stderr).toContain(
    `about the same: ${id} The nightly import runs on worker-3; if that no longer holds:`,
  )
})

test.each([
  ["Das Zeitlimit ist 30 Sekunden.", "Das Zeitlimit ist jetzt 60 Sekunden.", "Zeitlimit"],
  ["タイムアウトは30秒", "タイムアウトは60秒に変更", "タイムアウト"],
  ["За биллинг отвечает Ольга.", "Теперь за биллинг отвечает Дмитрий.", "кто отвечает за биллинг"],
  ["Deploys happen on Fridays", "Deploys never happen on Fridays", "can we deploy on friday"],
])(
  "an update is named when it is written and recalled in place of the older entry: %s",
  async (old, fresh, question) => {
    using space = remembering()
    const { id } = await space.json(["remember", old])
    const made = await space.json(["remember", fresh])
    expect(made.similar).toContainEqual(expect.objectContaining({ id, reason: "conflict" }))
    const { results } = await space.json(["recall", question])
    expect(results).toMatchObject([{ id: made.id, perhaps_replaces: [id] }])
    const both = await space.json(["recall", "--outdated", question])
    expect(both.results).toMatchObject([{ id: made.id }, { id, outdated_by: made.id }])
  },
)

test("an older note that names what the question names is shown beside a newer one about something else", async () => {
  using space = remembering()
  const a = await space.json(["remember", "Server A has 16 cores and runs Debian 11."])
  const b = await space.json(["remember", "Server B now has 32 cores and runs Debian 12."])
  const { results } = await space.json(["recall", "how many cores has Server A"])
  expect(results.map(({ id }: { id: string }) => id).toSorted()).toEqual([a.id, b.id].toSorted())
})

test("an answer shows the notes after the fall of the scores in one line, and all of them whole with a limit", async () => {
  using space = remembering()
  const end = "in the ledger, which the team of Ana wrote down after the long review of last spring."
  for (const part of [
    "The nightly export of invoices starts at 02:30",
    "The export of invoices has a table",
    "Lunch",
  ])
    await space.json(["remember", `${part} ${end}`])
  const question = "nightly export of invoices"
  const { results, notices } = await space.json(["recall", question])
  expect(results[0]).toMatchObject({ cut: false })
  expect(results[0]).not.toHaveProperty("in_line")
  expect(results).toHaveLength(2)
  expect(results.at(-1)).toMatchObject({ cut: true, in_line: true })
  expect(notices.join()).toContain("cut to one line")
  const { stdout } = await space.run(["recall", question])
  expect(stdout.trimEnd().split("\n").at(-1)).toStartWith(`${results.at(-1).id}  `)
  expect((await space.run(["recall", "--explain", question])).stdout.match(/ {2}passage /g)).toHaveLength(2)
  const few = await space.json(["recall", "--max-tokens", "64", question])
  expect(few.results.map(({ cut }: { cut: boolean }) => cut)).toEqual([false, true])
  const all = await space.json(["recall", "--limit", "3", question])
  expect(all.results.map(({ cut }: { cut: boolean }) => cut)).toEqual(Array(all.results.length).fill(false))
  expect(all.results.length).toBeGreaterThanOrEqual(results.length)
})

test("the hook of a prompt shows the newer note in place of the older one, like recall", async () => {
  using space = remembering()
  const old = await space.json(["remember", "The webhook sender keeps the queue lock for 30 seconds"])
  const fresh = await space.json(["remember", "The webhook sender now keeps the queue lock for 75 seconds"])
  const prompt = "how long does the webhook sender keep the queue lock"
  const stdin = JSON.stringify({
    session_id: "s",
    cwd: space.project,
    hook_event_name: "UserPromptSubmit",
    prompt,
  })
  const { stdout } = await space.run(["hook", "prompt-submit", "--agent", "claude-code"], {
    stdin,
    env: { AMAN_HOOKS_DEADLINE: "30s" },
  })
  expect(stdout).toContain(`perhaps replaces ${old.id}) [${fresh.id}]`)
  expect(stdout).not.toContain(`[${old.id}]`)
})

test("entries of which somebody said that both hold are marked at no door, nor once they were exported and imported", async () => {
  using space = remembering()
  const { id } = await space.json(["remember", "--global", "The gateway gives up after 30 seconds"])
  const made = await space.json(["remember", "--global", "The gateway gives up after 75 seconds now"])
  const marks = async (options = {}) => {
    const { results } = await space.json(["recall", "--outdated", "when does the gateway give up"], options)
    expect(results).toHaveLength(2)
    const { pairs } = JSON.parse((await space.run(["memory", "conflicts", "--json"], options)).stdout)
    return [results.filter((hit: { outdated_by: string | null }) => hit.outdated_by !== null), pairs]
  }
  expect(await marks()).toEqual([[expect.objectContaining({ id })], [expect.anything()]])
  expect((await space.run(["memory", "keep", made.id])).stderr).toContain("keep needs two entries")
  await space.json(["memory", "keep", made.id, id])
  expect(await marks()).toEqual([[], []])
  await space.run(["memory", "export", "--everything", "backup.jsonl"])
  const env = { AMAN_DATA_DIR: `${space.dir}/other` }
  await space.json(["memory", "import", "backup.jsonl"], { env })
  await space.json(["memory", "embed"], { env })
  expect(await marks({ env })).toEqual([[], []])
})

test("of three entries that hold beside each other, none is marked as replaced by another", async () => {
  using space = remembering()
  const ids: string[] = []
  for (const seconds of [30, 45, 75])
    ids.push((await space.json(["remember", `The gateway gives up after ${seconds} seconds`])).id)
  const hits = async () => (await space.json(["recall", "when does the gateway give up"])).results
  expect(await hits()).toHaveLength(1)
  await space.json(["memory", "keep", ...ids])
  expect(await hits()).toHaveLength(3)
})

test("a changed note is compared at once, and what it makes untrue is named and not recalled", async () => {
  using space = remembering()
  const old = await space.json(["remember", "The nightly backup keeps 14 days"])
  const other = await space.json(["remember", "The invoices are printed in the cellar"])
  const fixed = await space.json(["memory", "fix", other.id, "The nightly backup keeps 30 days now"])
  const [{ id }] = fixed.entries
  expect(fixed.notices.join()).toContain(
    `${id} seems to make ${old.id} untrue (The nightly backup keeps 14 days)`,
  )
  const { results } = await space.json(["recall", "how long does the nightly backup keep"])
  expect(results).toMatchObject([{ id, perhaps_replaces: [old.id] }])
})

test("an update that a question does not find is recalled in place of what it makes untrue", async () => {
  using space = remembering()
  const pages = Array.from({ length: 40 }, (_, at) => `The design team leads with page ${at} in the review`)
  await space.run(["remember", "--batch", "-"], {
    stdin: pages.map((text) => JSON.stringify({ text, topic: "reviews" })).join("\n"),
  })
  const old = await space.json(["remember", "Lena leads the design team"])
  const fresh = await space.json(["remember", "Lena does not lead it any more, Aram does"])
  const { results } = await space.json(["recall", "--explain", "who leads the design team"])
  // No channel has found it.
  expect(results[0]).toMatchObject({ id: fresh.id, perhaps_replaces: [old.id], explanation: [] })
  const { results: past } = await space.json(["recall", "who led the design team before"])
  expect(past[0]).toMatchObject({ id: old.id })
})
