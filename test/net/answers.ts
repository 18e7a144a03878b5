import { join } from "node:path"
import type { Call } from "./calls.ts"

/** One binary with a home of its own, asked about one project. */
export type Asked = {
  readonly binary: string
  readonly project: string
  readonly home: string
}

/**
 * The answers to all calls, in their order, without what differs between two runs of one binary: times, ids, folders.
 * The server of the MCP door runs during all calls.
 */
export async function answersOf(asked: Asked, calls: readonly Call[]): Promise<string[]> {
  const names = new Names(asked)
  await runOnce(asked, ["index", "--quiet"])
  await using server = new Server(asked)
  await server.start()
  const answers: string[] = []
  for (const call of calls) {
    const answer =
      call.door === "cli" ? await runOnce(asked, call.args) : await server.call(call.tool, call.args)
    answers.push(names.replace(answer))
  }
  return answers
}

async function runOnce(asked: Asked, args: readonly string[]): Promise<string> {
  const child = Bun.spawn([asked.binary, ...args], {
    ...surroundings(asked),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  })
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()])
  const code = await child.exited
  return [stdout, stderr === "" ? "" : `stderr: ${stderr}`, code === 0 ? "" : `exit code ${code}\n`].join("")
}

function surroundings({ project, home }: Asked) {
  return {
    cwd: project,
    env: {
      HOME: home,
      USERPROFILE: home,
      PATH: process.env["PATH"] ?? "",
      TMPDIR: home,
      GIT_CONFIG_NOSYSTEM: "1",
      NO_COLOR: "1",
      COLUMNS: "100",
      TZ: "UTC",
      OLLAMA_HOST: "127.0.0.1:9",
    },
  }
}

/** `aman serve`, spoken to in plain JSON lines, so that binaries of every age can be compared. */
class Server implements AsyncDisposable {
  readonly #child
  readonly #waiting = new Map<number, (message: Message) => void>()
  #next = 1

  constructor(asked: Asked) {
    this.#child = Bun.spawn([asked.binary, "serve"], {
      ...surroundings(asked),
      stdin: "pipe",
      stdout: "pipe",
      stderr: "ignore",
    })
    void this.#read()
  }

  async start(): Promise<void> {
    const clientInfo = { name: "net", version: "1" }
    await this.#request("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo })
    this.#send({ jsonrpc: "2.0", method: "notifications/initialized" })
  }

  async call(name: string, args: object): Promise<string> {
    const { result, error } = await this.#request("tools/call", { name, arguments: args })
    if (error !== undefined) return `error ${JSON.stringify(error)}\n`
    const { content, isError } = result as { content: { text?: string }[]; isError?: boolean }
    return `${isError === true ? "isError\n" : ""}${content.map(({ text }) => text ?? "").join("\n")}\n`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill()
    await this.#child.exited
  }

  #request(method: string, params: object): Promise<Message> {
    const id = this.#next++
    const { promise, resolve } = Promise.withResolvers<Message>()
    this.#waiting.set(id, resolve)
    this.#send({ jsonrpc: "2.0", id, method, params })
    return promise
  }

  #send(message: object): void {
    this.#child.stdin.write(`${JSON.stringify(message)}\n`)
    this.#child.stdin.flush()
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder()
    let rest = ""
    for await (const bytes of this.#child.stdout) {
      const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n")
      rest = lines.pop() ?? ""
      for (const line of lines) {
        const message = JSON.parse(line) as Message
        if (message.id !== undefined) this.#waiting.get(message.id)?.(message)
      }
    }
    for (const resolve of this.#waiting.values()) resolve({ error: { message: "the server has ended" } })
  }
}

type Message = {
  readonly id?: number
  readonly result?: unknown
  readonly error?: { readonly message: string }
}

/** Replaces what differs from run to run by words; ids of memories get numbers in the order of their appearance. */
class Names {
  readonly #ids = new Map<string, string>()
  readonly #folders: readonly [string, string][]

  constructor({ project, home }: Asked) {
    this.#folders = [
      [project, "<project>"],
      [join(home), "<home>"],
    ]
  }

  replace(answer: string): string {
    let text = answer
    for (const [folder, name] of this.#folders) text = text.replaceAll(folder, name)
    return text
      .replaceAll(/\b01[0-9a-z]{18}\b/gu, (id) => {
        const known = this.#ids.get(id) ?? `<id ${this.#ids.size + 1}>`
        this.#ids.set(id, known)
        return known
      })
      .replaceAll(/"(\w*_ms|resident_bytes|limit_bytes|index_bytes|tokens)":[\d.]+/gu, '"$1":0')
      .replaceAll(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/gu, (time) => (isRecent(time) ? "<now>" : time))
      .replaceAll(/\b\d{4}-\d\d-\d\d\b/gu, (date) => (isRecent(date) ? "<today>" : date))
      .replaceAll(/\b\d+ bytes\b/gu, "<size> bytes")
      .replaceAll(/\b[\d.]+ ?(?:ms|s)\b/gu, "<time>")
      .replaceAll(/\b\d+ (?:second|minute|hour|day|week|month|year)s? ago\b/gu, "<time> ago")
  }
}

/** Within two days, because a run may pass midnight. */
function isRecent(time: string): boolean {
  return Math.abs(Date.now() - Date.parse(time)) < 2 * 24 * 3600 * 1000
}
