import { pathToFileURL } from "node:url"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js"
import { binary, type Workspace } from "./harness.ts"

export type Answer = {
  readonly content: readonly { readonly type: string; readonly text: string }[]
  // biome-ignore lint/suspicious/noExplicitAny: tests look at the parts they name
  readonly structuredContent?: any
  readonly isError?: boolean
}

export type Connection = AsyncDisposable & {
  readonly client: Client
  call(name: string, args?: object): Promise<Answer>
}
type Start = {
  readonly cwd?: string
  readonly args?: readonly string[]
  readonly roots?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** True to start the server as agents do, without FOR_PROGRAMS. */
  readonly isPlain?: boolean
}

/** Flags that list all tools and add structuredContent to answers. */
export const FOR_PROGRAMS = ["--tools", "full", "--structured"]

/** Connects the official client to the binary as its server. */
export async function connect(space: Workspace, start: Start = {}): Promise<Connection> {
  const client = new Client(
    { name: "test", version: "1" },
    { capabilities: start.roots ? { roots: { listChanged: true } } : {} },
  )
  if (start.roots) {
    const roots = start.roots.map((folder) => ({ uri: pathToFileURL(folder).href }))
    client.setRequestHandler(ListRootsRequestSchema, () => ({ roots }))
  }
  await client.connect(
    new StdioClientTransport({
      command: binary,
      args: ["serve", ...(start.isPlain ? [] : FOR_PROGRAMS), ...(start.args ?? [])],
      cwd: start.cwd ?? space.project,
      env: { ...space.env, ...start.env },
      stderr: "inherit",
    }),
  )
  return {
    client,
    call: async (name, args = {}) => (await client.callTool({ name, arguments: { ...args } })) as Answer,
    [Symbol.asyncDispose]: () => client.close(),
  }
}

/** Waits until the server's index is ready, no work is in progress and no change waits. */
export async function settled(server: Connection): Promise<void> {
  for (;;) {
    const { structuredContent: now } = await server.call("status")
    if (now.state === "ready" && now.progress === null && now.pending === 0) return
    await Bun.sleep(20)
  }
}
