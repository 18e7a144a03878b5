import { expect, test } from "bun:test"
import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { noteFigures } from "../figures.ts"
import { type Hostile, HostileMessages, META } from "../hostile-messages.ts"
import { type Offered, SchemaCalls } from "../schema-calls.ts"
import { FOR_PROGRAMS } from "./connect.ts"
import { binary, Workspace } from "./harness.ts"
import { HttpServer, INITIALIZE, JSON_BOTH, TOKEN } from "./http-server.ts"
import { SHOP } from "./sample.ts"

const COUNT = Number(process.env["AMAN_TEST_MESSAGES"] ?? 600)
const SEED = Number(process.env["AMAN_TEST_SEED"] ?? 1)
/**
 * Max growth of a process's memory in the second half of the messages. What it allocates once came to 12 MiB.
 */
const MAX_GROWTH_MIB = 24
// Makes the garbage collector behave as on a small machine and always do full collections, so that resident
// memory shows what is held. By default the heap first grows to 200 MiB, falls to 130 and grows again, for
// 100,000 messages as for 10,000.
const FRUGAL = { BUN_JSC_forceRAMSize: String(128 << 20), BUN_JSC_useGenerationalGC: "0" }
const AT_ONCE = 32

type Answer = {
  readonly id?: string | number | null
  readonly result?: unknown
  readonly error?: { readonly code: number }
}

/** The older line of versions, and 2026-07-28, whose requests carry version and client themselves. */
const VERSIONS = [
  { version: "2025-11-25", isModern: false, count: COUNT },
  { version: "2026-07-28", isModern: true, count: Math.ceil(COUNT / 2) },
] as const

test.each(VERSIONS)(
  "hostile messages over stdio, $version: each gets an error or an answer, and memory stays flat",
  async ({ version, isModern, count }) => {
    using space = new Workspace(SHOP)
    const child = Bun.spawn([binary, "serve", ...FOR_PROGRAMS, "--log-level", "silent"], {
      cwd: space.project,
      env: { ...space.env, ...FRUGAL },
      stdin: "pipe",
      stdout: "pipe",
      stderr: "ignore",
    })
    const answers = new Answers(child.stdout)
    const send = async (bytes: Buffer | string) => {
      child.stdin.write(bytes)
      child.stdin.write("\n")
      await child.stdin.flush()
    }
    const ask = async (id: string, method: string) => {
      await send(JSON.stringify({ jsonrpc: "2.0", id, method, ...(isModern && { params: { _meta: META } }) }))
      return await answers.of(id)
    }
    expect((await ask("early", "tools/list")).error).toBeUndefined()
    if (!isModern) {
      await send(JSON.stringify(INITIALIZE))
      await answers.of(0)
      await send('{"jsonrpc":"2.0","method":"notifications/initialized"}')
    }
    const messages = new HostileMessages(SEED, { isModern })
    const memory = new Memory(child.pid)
    let errorsDue = 0
    for (let sent = 0; sent < count; sent += AT_ONCE) {
      const part = Array.from({ length: AT_ONCE }, () => messages.next())
      for (const { bytes } of part) await send(bytes)
      for (const { due } of part) if (typeof due === "object") await answers.of(due.answer)
      errorsDue += part.filter(({ due }) => due === "error").length
      const { error } = await ask(`ping${sent}`, isModern ? "server/discover" : "ping")
      expect(error).toBeUndefined()
      memory.look()
    }
    expect(answers.errors).toBeGreaterThanOrEqual(errorsDue)
    expect(memory.grownMib).toBeLessThan(MAX_GROWTH_MIB)
    noteFigures(`stdio ${version}`, { messages: count, errors: answers.errors, "grown MiB": memory.grownMib })
    child.stdin.end()
    expect(await child.exited).toBe(0)
  },
  600_000,
)

const CALLS = Math.ceil(COUNT / 3)
const CANARY = "canary-outside-of-the-project"

test(`${CALLS} calls from the tools' schemas: each is answered, without leaks or internal errors`, async () => {
  using space = new Workspace({ ...SHOP, ".env": `KEY=${CANARY}\n` })
  writeFileSync(join(space.dir, "outside.txt"), `${CANARY}\n`)
  symlinkSync(join(space.dir, "outside.txt"), join(space.project, "link"))
  const child = Bun.spawn([binary, "serve", ...FOR_PROGRAMS, "--log-level", "silent"], {
    cwd: space.project,
    env: { ...space.env, ...FRUGAL },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "ignore",
  })
  const answers = new Answers(child.stdout)
  const ask = async (id: string, method: string, params: object = {}): Promise<Answer> => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`)
    await child.stdin.flush()
    return answers.of(id)
  }
  child.stdin.write(`${JSON.stringify(INITIALIZE)}\n`)
  await child.stdin.flush()
  await answers.of(0)
  const { tools } = (await ask("tools", "tools/list")).result as Pick<Offered, "tools">
  const { prompts } = (await ask("prompts", "prompts/list")).result as Pick<Offered, "prompts">
  const { resourceTemplates } = (await ask("templates", "resources/templates/list")).result as {
    resourceTemplates: { uriTemplate: string }[]
  }
  const templates = resourceTemplates.map(({ uriTemplate }) => uriTemplate)
  const calls = new SchemaCalls({ tools, prompts, templates }, SEED + 2)
  const memory = new Memory(child.pid)
  let refused = 0
  for (let sent = 0; sent < CALLS; sent += AT_ONCE) {
    const part = Array.from({ length: AT_ONCE }, () => calls.next())
    const answered = await Promise.all(
      part.map(({ method, params }, at) => ask(`c${sent + at}`, method, params)),
    )
    for (const [at, answer] of answered.entries()) {
      const asked = JSON.stringify(part[at])
      const text = JSON.stringify(answer)
      const isOne = (answer.result === undefined) !== (answer.error === undefined)
      expect({ asked, isOne, text: wrongIn(text) }).toEqual({ asked, isOne: true, text: null })
      if (answer.error !== undefined || text.includes('"isError":true')) refused++
    }
    memory.look()
  }
  // The calls are neither all refused nor all accepted.
  expect(refused).toBeGreaterThan(CALLS / 10)
  expect(refused).toBeLessThan(CALLS * 0.9)
  noteFigures("schemas", { calls: CALLS, refused, "grown MiB": memory.grownMib })
  child.stdin.end()
  expect(await child.exited).toBe(0)
}, 600_000)

/**
 * The text if it contains something that no answer may contain: an internal error, a stack, or content from
 * outside the project. Null otherwise.
 */
function wrongIn(text: string): string | null {
  const found = /aman failed|BUG|\bat \S+ \(|\.ts:\d+:\d+|\$bunfs|root:x:0/.exec(text)
  return found || text.includes(CANARY) ? text.slice(0, 2000) : null
}

test("refuses a line that is too long and reads the next one", async () => {
  using space = new Workspace(SHOP)
  const child = Bun.spawn([binary, "serve", ...FOR_PROGRAMS], {
    cwd: space.project,
    env: space.env,
    stdin: "pipe",
    stdout: "pipe",
    stderr: "ignore",
  })
  const answers = new Answers(child.stdout)
  const piece = "x".repeat(1024 ** 2)
  for (let sent = 0; sent < 66; sent++) {
    child.stdin.write(piece)
    await child.stdin.flush()
  }
  child.stdin.write(`\n${JSON.stringify(INITIALIZE)}\n`)
  await child.stdin.flush()
  expect(await answers.of(0)).toMatchObject({ result: { serverInfo: { name: "aman" } } })
  expect(answers.errorsToNobody).toBe(1)
  child.stdin.end()
  expect(await child.exited).toBe(0)
})

test.each(VERSIONS)(
  "hostile messages over HTTP, $version: each gets a status and an error, and memory stays flat",
  async ({ version, isModern, count }) => {
    using space = new Workspace(SHOP)
    await using server = await HttpServer.start(space, {
      args: ["--token", TOKEN, "--rate", "0", "--log-level", "silent"],
      env: FRUGAL,
    })
    const session: Record<string, string> = isModern
      ? { "mcp-protocol-version": version, "mcp-method": "server/discover" }
      : { "mcp-session-id": await server.open() }
    const headers = { ...JSON_BOTH, ...server.headers, ...session }
    const messages = new HostileMessages(SEED + 1, { isModern })
    const check = isModern ? { method: "server/discover", params: { _meta: META } } : { method: "ping" }
    const memory = new Memory(server.child.pid)
    const statuses: Record<number, number> = {}
    for (let sent = 0; sent < count; sent += AT_ONCE) {
      const part = Array.from({ length: AT_ONCE }, () => messages.next())
      const found = await Promise.all(
        part.map((message) =>
          exchange(server.url, isModern ? { ...headers, ...namesOf(message) } : headers, message),
        ),
      )
      for (const status of found) statuses[status] = (statuses[status] ?? 0) + 1
      expect((await server.post({ jsonrpc: "2.0", id: `p${sent}`, ...check }, session)).status).toBe(200)
      memory.look()
    }
    // No message causes a server error (5xx).
    const expected = isModern ? [200, 202, 400, 404] : [200, 202, 400]
    expect(Object.keys(statuses).map(Number).sort()).toEqual(expected)
    expect(memory.grownMib).toBeLessThan(MAX_GROWTH_MIB)
    const shown = Object.entries(statuses).map(([status, count]) => `${status}: ${count}`)
    noteFigures(`http ${version}`, {
      messages: count,
      statuses: shown.join(" "),
      "grown MiB": memory.grownMib,
    })
  },
  600_000,
)

/** The headers in which a client of 2026-07-28 repeats method and name, where the message has some. */
function namesOf({ bytes }: Hostile): Record<string, string> {
  try {
    const { method, params } = JSON.parse(bytes.toString()) as {
      method?: unknown
      params?: { name?: unknown }
    }
    const fits = (text: unknown): text is string => typeof text === "string" && /^[!-~]+$/.test(text)
    return {
      ...(fits(method) && { "mcp-method": method }),
      ...(fits(params?.name) && { "mcp-name": params.name }),
    }
  } catch {
    return {}
  }
}

/** Sends one message and returns the status; throws if the reply is not the one that must be given. */
async function exchange(
  url: string,
  headers: Record<string, string>,
  { bytes, due }: Hostile,
): Promise<number> {
  const response = await fetch(url, { method: "POST", headers, body: bytes })
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream")
  // A stream of `subscriptions/listen` stays open.
  if (due === "either" && isStream) await response.body?.cancel()
  const text = response.bodyUsed ? "" : await response.text()
  // A message with invalid parts may be refused as a whole.
  if (due === "nothing") expect([202, 400]).toContain(response.status)
  if (due === "error")
    expect(JSON.parse(text)).toMatchObject({ jsonrpc: "2.0", error: { code: expect.any(Number) } })
  if (typeof due === "object") {
    const lines = text.split("\n").flatMap((line) => (line.startsWith("data: {") ? [line.slice(6)] : []))
    const all = (isStream ? lines : [text]).map((line) => JSON.parse(line) as Answer)
    const answer = all.find(({ id }) => id === due.answer)
    if (response.status === 200) expect(answer).toBeDefined()
  }
  return response.status
}

/** The answers that a server writes to stdout, by id. */
class Answers {
  readonly #byId = new Map<string | number, Answer>()
  readonly #waiting = new Map<string | number, (answer: Answer) => void>()
  errors = 0
  errorsToNobody = 0

  constructor(stream: ReadableStream<Uint8Array>) {
    void this.#read(stream)
  }

  async of(id: string | number): Promise<Answer> {
    const known = this.#byId.get(id)
    this.#byId.delete(id)
    return known ?? new Promise((resolve) => this.#waiting.set(id, resolve))
  }

  async #read(stream: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder()
    let rest = ""
    for await (const bytes of stream) {
      const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n")
      rest = lines.pop()!
      for (const line of lines) this.#take(JSON.parse(line) as Answer & { method?: string })
    }
  }

  #take(answer: Answer & { readonly method?: string }): void {
    if (answer.method !== undefined) return
    if (answer.error) this.errors++
    const { id } = answer
    if (id === undefined || id === null) this.errorsToNobody++
    else if (this.#waiting.has(id)) {
      this.#waiting.get(id)!(answer)
      this.#waiting.delete(id)
    } else this.#byId.set(id, answer)
  }
}

/** Measures the private memory of a process after each part of the work. */
class Memory {
  readonly #path: string
  readonly #looks: number[] = []

  constructor(pid: number) {
    this.#path = `/proc/${pid}/status`
  }

  look(): void {
    const status = existsSync(this.#path) ? readFileSync(this.#path, "utf8") : ""
    this.#looks.push(Number(/RssAnon:\s*(\d+)/.exec(status)?.[1] ?? 0))
  }

  /** Growth in MiB: the minimum of the second half of the work minus the minimum of the quarter before it. */
  get grownMib(): number {
    const half = Math.ceil(this.#looks.length / 2)
    const before = Math.min(...this.#looks.slice(Math.floor(half / 2), half))
    return Math.round((Math.min(...this.#looks.slice(half)) - before) / 1024)
  }
}
