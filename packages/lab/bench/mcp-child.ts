import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { childEnv } from "./processes.ts"

/** A server in a process of its own, called by the official MCP client. */
export class McpChild implements AsyncDisposable {
  readonly #client = new Client({ name: "bench", version: "1" })
  readonly #transport: StdioClientTransport

  constructor([command, ...args]: readonly [string, ...string[]], env: Record<string, string>) {
    this.#transport = new StdioClientTransport({ command, args, env: childEnv(env), stderr: "ignore" })
  }

  async start(): Promise<this> {
    await this.#client.connect(this.#transport)
    return this
  }

  get pid(): number | null {
    return this.#transport.pid
  }

  /** A tool's structured answer. */
  async call<T>(name: string, args: Record<string, unknown>): Promise<T> {
    const answer = await this.#client.callTool({ name, arguments: args })
    if (answer.isError) throw new Error(`${name}: ${JSON.stringify(answer.content)}`)
    return answer.structuredContent as T
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.close()
  }
}
