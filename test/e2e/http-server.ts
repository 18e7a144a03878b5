import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { FOR_PROGRAMS } from "./connect.ts"
import { binary, type Workspace } from "./harness.ts"

export const TOKEN = "a-token-of-the-tests"

type Start = { readonly args?: readonly string[]; readonly env?: Readonly<Record<string, string>> }

type Listening = {
  readonly url: string
  readonly sse_url: string | null
  readonly token?: string
  readonly roots?: HttpServer["roots"]
}

/** Runs the binary as a server over HTTP, on a port of its own. */
export class HttpServer implements AsyncDisposable {
  readonly child: Bun.Subprocess<"ignore", "pipe", "pipe">
  readonly url: string
  readonly sseUrl: string | null
  readonly token: string
  /** The address of each root, if there are several. */
  readonly roots: readonly { readonly root: string; readonly url: string }[]

  private constructor(
    child: Bun.Subprocess<"ignore", "pipe", "pipe">,
    { url, sse_url, token, roots = [] }: Listening,
  ) {
    this.child = child
    this.url = url
    this.sseUrl = sse_url
    this.token = token ?? TOKEN
    this.roots = roots
  }

  static async start(
    space: Workspace,
    { args = ["--token", TOKEN], env = {} }: Start = {},
  ): Promise<HttpServer> {
    const child = Bun.spawn([binary, "serve", ...FOR_PROGRAMS, "--http", "--json", "--port", "0", ...args], {
      cwd: space.project,
      env: { ...space.env, ...env },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    })
    const { value } = await child.stdout.getReader().read()
    if (value === undefined) throw new Error(`it did not listen: ${await child.stderr.text()}`)
    return new HttpServer(child, JSON.parse(new TextDecoder().decode(value)))
  }

  get headers(): Record<string, string> {
    return { authorization: `Bearer ${this.token}` }
  }

  /** Connects the official client. */
  async connect(client = new Client({ name: "test", version: "1" })): Promise<Client> {
    const requestInit = { headers: this.headers }
    await client.connect(new StreamableHTTPClientTransport(new URL(this.url), { requestInit }))
    return client
  }

  /** Like `connect`, over the older SSE endpoints. */
  async connectSse(client = new Client({ name: "test", version: "1" })): Promise<Client> {
    const { headers } = this
    const eventSourceInit = {
      fetch: (url: string | URL, init: RequestInit) =>
        fetch(url, { ...init, headers: { ...(init.headers as object), ...headers } }),
    }
    // biome-ignore lint/suspicious/noExplicitAny: its type of fetch is another than ours
    const options: any = { requestInit: { headers }, eventSourceInit }
    await client.connect(new SSEClientTransport(new URL(this.sseUrl!), options))
    return client
  }

  /** Posts one message, as a client without a library does. */
  post(message: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return fetch(this.url, {
      method: "POST",
      headers: { ...JSON_BOTH, ...this.headers, ...headers },
      body: typeof message === "string" ? message : JSON.stringify(message),
    })
  }

  /** Opens a session and returns its id. */
  async open(headers: Readonly<Record<string, string>> = {}): Promise<string> {
    const response = await this.post(INITIALIZE, headers)
    if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)
    await response.text()
    return response.headers.get("mcp-session-id")!
  }

  /** Like `open`, again until a server with short limits accepts it. */
  async openAtLast(): Promise<string> {
    for (;;) {
      const response = await this.post(INITIALIZE)
      const text = await response.text()
      if (response.ok && text.includes('"result"')) return response.headers.get("mcp-session-id")!
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill("SIGTERM")
    await this.child.exited
  }
}

export const JSON_BOTH = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
}

export const INITIALIZE = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  },
}

/** The message in the first event of a stream. */
export async function firstMessage(response: Response): Promise<Record<string, unknown>> {
  const text = await response.text()
  const lines = text.split("\n").filter((line) => line.startsWith("data: {"))
  return JSON.parse(lines[0]!.slice("data: ".length))
}
