import { childEnv } from "./processes.ts"

const HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" }

/** An `aman serve --http` child process, queried by plain HTTP requests. */
export class HttpServer implements AsyncDisposable {
  readonly #child: Bun.Subprocess<"ignore", "pipe", "ignore">
  readonly #url: string

  private constructor(child: Bun.Subprocess<"ignore", "pipe", "ignore">, url: string) {
    this.#child = child
    this.#url = url
  }

  static async start(binary: string, root: string, indexDir: string): Promise<HttpServer> {
    const flags = ["--http", "--port", "0", "--json", "--without-token", "--rate", "0", "--quiet"]
    const child = Bun.spawn([binary, "serve", "--structured", ...flags, "--root", root], {
      env: childEnv({ AMAN_INDEX_DIR: indexDir }),
      stdin: "ignore",
      stdout: "pipe",
      stderr: "ignore",
    })
    const { value } = await child.stdout.getReader().read()
    if (value === undefined) throw new Error("aman serve --http ended before it listened")
    return new HttpServer(child, (JSON.parse(new TextDecoder().decode(value)) as { url: string }).url)
  }

  get pid(): number {
    return this.#child.pid
  }

  async open(): Promise<HttpSession> {
    const params = {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "bench", version: "1" },
    }
    const response = await this.post({ jsonrpc: "2.0", id: 0, method: "initialize", params })
    const id = response.headers.get("mcp-session-id")
    await response.text()
    if (id === null) throw new Error(`initialize: ${response.status}`)
    const session = new HttpSession(this, id)
    await (await this.post({ jsonrpc: "2.0", method: "notifications/initialized" }, id)).text()
    return session
  }

  post(message: object, session?: string): Promise<Response> {
    const headers = session === undefined ? HEADERS : { ...HEADERS, "mcp-session-id": session }
    return fetch(this.#url, { method: "POST", headers, body: JSON.stringify(message) })
  }

  async end(session: string): Promise<void> {
    const headers = { "mcp-session-id": session }
    await (await fetch(this.#url, { method: "DELETE", headers })).text()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL")
    await this.#child.exited
  }
}

export class HttpSession {
  readonly #server: HttpServer
  readonly #id: string
  #next = 1

  constructor(server: HttpServer, id: string) {
    this.#server = server
    this.#id = id
  }

  async search(query: string): Promise<void> {
    const params = { name: "search", arguments: { query } }
    const message = { jsonrpc: "2.0", id: this.#next++, method: "tools/call", params }
    const text = await (await this.#server.post(message, this.#id)).text()
    if (!text.includes('"structuredContent"')) throw new Error(`search: ${text.slice(0, 200)}`)
  }

  close(): Promise<void> {
    return this.#server.end(this.#id)
  }
}
