/*
 * The host of the view: JSON-RPC messages to and from the window that contains it (extension MCP Apps, version
 * 2026-01-26). The host hands over the result of the tool call and its colours, and passes on calls of other tools.
 */

import { signal } from "@preact/signals"

export type ToolResult = {
  readonly content: readonly { readonly type: string; readonly text?: string }[]
  readonly structuredContent?: unknown
  readonly isError?: boolean
  readonly _meta?: Readonly<Record<string, unknown>>
}

/** Result of the tool call; null until the host hands it over. */
export const result = signal<ToolResult | null>(null)
export const isCancelled = signal(false)
/** True if the host passes calls of tools on to the server. */
export const callsTools = signal(false)

type Message = {
  readonly jsonrpc?: unknown
  readonly id?: unknown
  readonly method?: string
  readonly params?: unknown
  readonly result?: unknown
  readonly error?: { readonly message?: string }
}

const VERSION = "2026-01-26"
let lastId = 0
const unanswered = new Map<unknown, (answer: Message) => void>()

/** Greets the host, which then sends the result of the call. */
export async function connect(): Promise<void> {
  addEventListener("message", ({ source, data }: MessageEvent) => {
    if (source === parent && data?.jsonrpc === "2.0") take(data)
  })
  const { hostCapabilities, hostContext } = await request<{
    readonly hostCapabilities?: { readonly serverTools?: object }
    readonly hostContext?: HostContext
  }>("ui/initialize", {
    appInfo: { name: "aman", version: "1" },
    appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
    protocolVersion: VERSION,
  })
  callsTools.value = hostCapabilities?.serverTools !== undefined
  takeLook(hostContext ?? {})
  notify("ui/notifications/initialized", {})
  new ResizeObserver(() => {
    const { width, height } = document.body.getBoundingClientRect()
    notify("ui/notifications/size-changed", { width: Math.ceil(width), height: Math.ceil(height) })
  }).observe(document.body)
}

/** Calls a tool of the server; throws the tool's message if it fails. */
export async function callTool(name: string, args: object): Promise<ToolResult> {
  const answer = await request<ToolResult>("tools/call", { name, arguments: args })
  if (answer.isError) throw new Error(textOf(answer))
  return answer
}

export function textOf({ content }: ToolResult): string {
  return content.map(({ text = "" }) => text).join("\n")
}

function request<T>(method: string, params: object): Promise<T> {
  const id = ++lastId
  const answer = new Promise<T>((resolve, reject) => {
    unanswered.set(id, ({ result, error }) =>
      error === undefined ? resolve(result as T) : reject(new Error(error.message ?? `${method} failed`)),
    )
  })
  send({ id, method, params })
  return answer
}

function notify(method: string, params: object): void {
  send({ method, params })
}

/** Sent to any origin: a page in a sandbox cannot know that of its host. */
function send(message: object): void {
  parent.postMessage({ jsonrpc: "2.0", ...message }, "*")
}

function take(message: Message): void {
  const { id, method, params } = message
  if (method === undefined) {
    unanswered.get(id)?.(message)
    unanswered.delete(id)
  } else if (id !== undefined) {
    const isKnown = method === "ping" || method === "ui/resource-teardown"
    send(isKnown ? { id, result: {} } : { id, error: { code: -32601, message: `no method ${method}` } })
  } else if (method === "ui/notifications/tool-result") result.value = params as ToolResult
  else if (method === "ui/notifications/tool-cancelled") isCancelled.value = true
  else if (method === "ui/notifications/host-context-changed") takeLook(params as HostContext)
}

type HostContext = {
  readonly theme?: "light" | "dark"
  readonly styles?: { readonly variables?: Readonly<Record<string, string | undefined>> }
}

/** The host's variables, each with that of the page's style sheet that it replaces. */
const VARIABLES = {
  "--color-background-primary": "--page",
  "--color-background-secondary": "--panel",
  "--color-text-primary": "--text",
  "--color-text-secondary": "--soft",
  "--color-border-primary": "--line",
  "--font-sans": "--sans",
  "--font-mono": "--mono",
} as const

function takeLook({ theme, styles }: HostContext): void {
  const { style, dataset } = document.documentElement
  if (theme !== undefined) dataset["theme"] = theme
  for (const [name, own] of Object.entries(VARIABLES)) {
    const value = styles?.variables?.[name]
    if (value !== undefined) style.setProperty(own, value)
  }
}
