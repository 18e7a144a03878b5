import { childEnv } from "./processes.ts"

/** An `aman serve` child process, and the few MCP messages that measurements need. */
export class Server {
  readonly #child: Bun.Subprocess<"pipe", "pipe", "ignore">
  readonly #lines: AsyncIterator<string>
  #nextId = 1

  constructor(binary: string, root: string, indexDir: string) {
    this.#child = Bun.spawn([binary, "serve", "--structured", "--quiet", "--root", root], {
      env: childEnv({ AMAN_INDEX_DIR: indexDir }),
      stdin: "pipe",
      stdout: "pipe",
      stderr: "ignore",
    })
    this.#lines = linesOf(this.#child.stdout)
  }

  get pid(): number {
    return this.#child.pid
  }

  async initialize(): Promise<void> {
    const clientInfo = { name: "bench", version: "1" }
    await this.request("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo })
    this.#send({ jsonrpc: "2.0", method: "notifications/initialized" })
  }

  async search(query: string): Promise<void> {
    await this.call("search", { query })
  }

  /** Structured answer of a tool. */
  async call<T>(name: string, args: object = {}): Promise<T> {
    const answer = await this.request("tools/call", { name, arguments: args })
    return (answer as { structuredContent: T }).structuredContent
  }

  async request(method: string, params: unknown): Promise<unknown> {
    const id = this.#nextId++
    this.#send({ jsonrpc: "2.0", id, method, params })
    for (;;) {
      const { value, done } = await this.#lines.next()
      if (done) throw new Error(`aman serve ended before it answered ${method}`)
      const message = JSON.parse(value) as { id?: number; result?: unknown; error?: { message: string } }
      if (message.id !== id) continue
      if (message.error) throw new Error(`${method}: ${message.error.message}`)
      return message.result
    }
  }

  async kill(): Promise<void> {
    this.#child.kill("SIGKILL")
    await this.#child.exited
  }

  #send(message: unknown): void {
    this.#child.stdin.write(`${JSON.stringify(message)}\n`)
    this.#child.stdin.flush()
  }
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ""
  for await (const bytes of stream) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n")
    rest = lines.pop()!
    yield* lines.filter((line) => line !== "")
  }
}
