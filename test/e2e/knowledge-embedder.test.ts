import { expect, setDefaultTimeout, test } from "bun:test"
import { type EmbeddingServer, type ServedModel, startEmbeddingServer } from "../embedding-server.ts"
import { connect } from "./connect.ts"
import { Workspace } from "./harness.ts"
import { closing } from "./opened.ts"

// Each test starts several processes.
setDefaultTimeout(60_000)

/**
 * Two entries contain all words of the question that any entry has, so only a model can tell which one
 * answers it.
 */
const ENTRIES = [
  "Ada hears about the refund from accounting next Friday morning",
  "Ada has a new desk",
  "We start the week with a walk",
  "The harbour closes at nine",
]
const QUESTION = "reimbursement for Ada"
const ANSWER = ENTRIES[0]!
const opened = closing()

function serving(models?: readonly ServedModel[], port?: number): EmbeddingServer {
  return opened(startEmbeddingServer(models, port))
}

class Mind extends Workspace {
  settings: Record<string, string>

  constructor(server: EmbeddingServer) {
    super({ "package.json": "{}" })
    this.settings = {
      AMAN_EMBEDDINGS_PROVIDER: "ollama",
      AMAN_EMBEDDINGS_HOST: server.url,
      AMAN_KNOWLEDGE_EMBEDDER: "configured",
    }
    opened(this)
  }

  override get env(): Record<string, string> {
    return { ...super.env, ...this.settings }
  }

  async remember(texts: readonly string[] = ENTRIES): Promise<string[]> {
    const stdin = texts.map((text) => JSON.stringify({ text, topic: "notes" })).join("\n")
    const { stdout } = await this.run(["remember", "--batch", "-"], { stdin })
    return stdout.trim().split("\n")
  }

  async texts(): Promise<string[]> {
    const { results } = await this.json(["recall", QUESTION])
    return results.map(({ text }: { text: string }) => text)
  }

  async builtIn(): Promise<string[]> {
    const env = { AMAN_KNOWLEDGE_EMBEDDER: "static" }
    const { results, notices } = await this.json(["recall", QUESTION], { env })
    expect(notices).toEqual([])
    return results.map(({ text }: { text: string }) => text)
  }
}

test("the configured embedder ranks memories once all have its vectors, and none is embedded twice", async () => {
  const server = serving()
  const mind = new Mind(server)
  const ids = await mind.remember()
  const before = await mind.json(["recall", QUESTION])
  expect(before.notices).toEqual([expect.stringMatching(/not every memory has a vector .*aman memory embed/)])
  expect(server.asked).toEqual([])
  const builtIn = await mind.builtIn()
  expect(before.results.map(({ text }: { text: string }) => text)).toEqual(builtIn)
  expect(builtIn[0]).not.toBe(ANSWER)

  expect(await mind.json(["memory", "embed"])).toMatchObject({ embedded: 4, entries: 4, dimensions: 64 })
  expect(server.texts().filter((text) => text.startsWith("search_document: "))).toHaveLength(4)
  server.asked.length = 0
  const after = await mind.json(["recall", QUESTION])
  expect([after.results[0].text, after.notices]).toEqual([ANSWER, []])
  expect(server.texts()).toEqual([`search_query: ${QUESTION}`])

  // A new tag does not change the text, so only the revised entry is embedded again.
  await mind.json(["memory", "tag", ids[1]!, "--tag", "office"])
  await mind.json(["memory", "revise", ids[3]!, "The harbour closes at ten"])
  server.asked.length = 0
  expect((await mind.json(["memory", "embed"])).embedded).toBe(1)
  expect(server.texts()).toEqual([expect.stringContaining("closes at ten")])
  expect((await mind.texts())[0]).toBe(ANSWER)
  expect(await mind.json(["memory", "rebuild"])).toMatchObject({ differing: [] })
  expect((await mind.json(["memory", "embed"])).embedded).toBe(0)

  server.asked.length = 0
  expect((await mind.builtIn())[0]).toBe(builtIn[0]!)
  expect(server.asked).toEqual([])
})

const FAULTS: Record<string, [EmbeddingServer["fault"], string]> = {
  "an error": [() => Response.json({ error: "out of memory" }, { status: 500 }), "out of memory"],
  "another dimension": [
    ({ path }) => (path === "/api/embed" ? Response.json({ embeddings: [Array(32).fill(1)] }) : undefined),
    "a vector of 32 dimensions, not 64",
  ],
  "no answer": [() => new Promise<Response>(() => {}), "did not answer within 2 s"],
}

for (const [name, [fault, reason]] of Object.entries(FAULTS)) {
  test(`when the embedder fails, the built-in one answers with the reason: ${name}`, async () => {
    const server = serving()
    const mind = new Mind(server)
    await mind.remember()
    await mind.json(["memory", "embed"])
    server.fault = fault
    const { results, notices } = await mind.json(["recall", QUESTION])
    expect(notices).toEqual([expect.stringContaining(reason)])
    expect(notices[0]).toContain("the table of word vectors is used instead")
    expect(results.map(({ text }: { text: string }) => text)).toEqual(await mind.builtIn())
  })
}

test("another model with the same name is not asked for vectors that could not be compared", async () => {
  const server = serving([{ name: "nomic-embed-text:latest", digest: "a".repeat(64) }])
  const mind = new Mind(server)
  await mind.remember()
  await mind.json(["memory", "embed"])
  server.models = [{ name: "nomic-embed-text:latest", digest: "b".repeat(64) }]
  server.asked.length = 0
  const { notices } = await mind.json(["recall", QUESTION])
  expect(notices).toEqual([expect.stringContaining("nomic-embed-text:latest of ollama")])
  expect(server.texts()).not.toContain(`search_query: ${QUESTION}`)
  expect((await mind.json(["memory", "embed"])).embedded).toBe(4)
  expect((await mind.texts())[0]).toBe(ANSWER)
})

test("a server embeds in the background, reports a missing embedder once, and resumes after a restart", async () => {
  const server = serving()
  const mind = new Mind(server)
  await mind.remember()
  {
    await using client = await connect(mind)
    const recall = async () => (await client.call("recall", { query: QUESTION })).structuredContent
    while ((await recall()).results[0].text !== ANSWER) await Bun.sleep(50)
    await client.call("remember", { text: "A deposit comes back after two weeks", topic: "notes" })
    while (!server.texts().some((text) => text.includes("two weeks"))) await Bun.sleep(50)
    while ((await recall()).notices.length > 0) await Bun.sleep(50)
    while (!(await mind.run(["doctor"])).stdout.includes("5 of 5 entries have vectors")) await Bun.sleep(50)
    server[Symbol.dispose]()
    const ask = async (query: string) => (await client.call("recall", { query })).structuredContent
    const first = await ask("where is Ada")
    expect(first.notices).toEqual([expect.stringContaining("refused the connection")])
    expect(first.results.length).toBeGreaterThan(0)
    expect((await ask("when is Ada")).notices).toEqual([])
  }
  const again = serving(undefined, server.port)
  {
    await using client = await connect(mind)
    const { results } = (await client.call("recall", { query: QUESTION })).structuredContent
    expect(results.map(({ text }: { text: string }) => text).slice(0, 2)).toContain(ANSWER)
  }
  expect(again.texts()).toEqual([`search_query: ${QUESTION}`])
  const { stdout } = await mind.run(["doctor"])
  expect(stdout).toContain("5 of 5 entries have vectors of ollama nomic-embed-text:latest")
})

test("a purge removes vectors; embed without an embedder names the setting", async () => {
  const mind = new Mind(serving())
  const [id] = await mind.remember()
  await mind.json(["memory", "embed"])
  await mind.json(["memory", "purge", id!])
  expect(await mind.json(["memory", "embed"])).toMatchObject({ embedded: 0, entries: 3 })
  expect((await mind.run(["doctor"])).stdout).toContain("3 of 3 entries have vectors")
  const { code, stderr } = await mind.run(["memory", "embed"], { env: { AMAN_KNOWLEDGE_EMBEDDER: "static" } })
  expect([code, stderr]).toEqual([2, expect.stringContaining("knowledge.embedder configured")])
})

const NOTES = [
  "The nightly copy of the database goes to a bucket in Frankfurt.",
  "Lunch is ordered before eleven.",
  "The team's car stands in the garage of the neighbours.",
  "Anyone may close the windows when it rains.",
]
const PARAPHRASE = "where are backups stored"
const MISSING = /^not every memory has a vector of the sentence encoder yet .*aman memory embed/

function encoding(): Mind {
  const mind = new Mind(serving())
  mind.settings = { AMAN_EMBEDDINGS_ENCODER: "idle" }
  return mind
}

test("the sentence encoder finds a note asked in other words, at once and after memory embed", async () => {
  const mind = encoding()
  await mind.remember(NOTES)
  const first = async () => (await mind.json(["recall", PARAPHRASE])).results[0]?.text
  expect(await first()).toBe(NOTES[0])
  expect((await mind.run(["doctor"])).stdout).toContain("4 of 4 entries have vectors of the sentence encoder")
  await mind.remember(Array.from({ length: 101 }, (_, at) => `Invoice ${at} has been paid by the customer.`))
  expect((await mind.run(["doctor"])).stdout).toContain("20 of 105 entries")
  expect(await mind.json(["memory", "embed"])).toMatchObject({ embedded: 85, entries: 105 })
  expect(await first()).toBe(NOTES[0])
})

test("questions encode a large import step by step, and say so until it is whole", async () => {
  const mind = encoding()
  const invoices = Array.from({ length: 92 }, (_, at) => `Invoice ${at} has been paid by the customer.`)
  const notes = [...NOTES, ...invoices].map((text) => JSON.stringify({ text, topic: "notes" })).join("\n")
  const off = { AMAN_EMBEDDINGS_ENCODER: "off" }
  expect((await mind.run(["remember", "--batch", "-"], { stdin: notes, env: off })).stderr).toBe("")
  const doctor = async () => (await mind.run(["doctor"])).stdout
  expect(await doctor()).toContain("0 of 96 entries have vectors of the sentence encoder")
  for (const done of [16, 32]) {
    const { stdout } = await mind.run(["recall", "--json", PARAPHRASE])
    expect(JSON.parse(stdout)).toMatchObject({ results: [], notices: [expect.stringMatching(MISSING)] })
    expect(await doctor()).toContain(`${done} of 96 entries`)
  }
  const { results, notices } = await mind.json(["recall", PARAPHRASE])
  expect([results[0].text, notices]).toEqual([NOTES[0], []])
  const more = Array.from({ length: 65 }, (_, at) => JSON.stringify({ text: `Parcel ${at} has arrived.` }))
  const { stderr } = await mind.run(["remember", "--batch", "-"], { stdin: more.join("\n") })
  expect(stderr.replace(/^note: /, "")).toMatch(MISSING)
})

test("a hook ranks by the table of word vectors, because opening the encoder takes too long", async () => {
  const mind = encoding()
  await mind.remember([
    "`payOut` sends money back to the customer within a week",
    "`payOut` has a new maintainer since the spring",
    "Lunch is ordered before eleven.",
  ])
  const hook = async (encoder: string) => {
    const prompt = "reimbursement by payOut()"
    const stdin = JSON.stringify({ session_id: encoder, prompt, cwd: mind.project })
    const env = { AMAN_EMBEDDINGS_ENCODER: encoder, AMAN_HOOKS_DEADLINE: "30s" }
    return (await mind.run(["hook", "prompt-submit"], { stdin, env })).stdout
  }
  const byWords = await hook("off")
  expect(byWords).toContain("money back")
  expect(await hook("idle")).toBe(byWords)
})
