import type { ServerConfig, SettingValues } from "../../base/index.ts"
import type { ProjectOptions } from "../../index/index.ts"
import type { GuidedCommand } from "../help/guides.ts"

/** Addresses of a running HTTP server. */
export type HttpAddresses = {
  readonly host: string
  readonly port: number
  readonly url: string
  /** URL of the older SSE endpoint; null if it is not served. */
  readonly sse_url: string | null
  /** With several roots: the address of each, which serves only that one. */
  readonly roots?: readonly { readonly root: string; readonly url: string }[]
}

/** What `aman serve` serves: a project, and further ones whose roots the user has named. */
export type ServeOptions = ProjectOptions & { readonly otherRoots?: readonly string[] }

/** Options for starting an HTTP server. */
export type HttpOptions = {
  readonly config: ServerConfig
  /** True to serve the older SSE endpoints, too. */
  readonly servesSse: boolean
  /** Accepted bearer tokens; empty: every caller on this machine may connect. */
  readonly tokens: readonly string[]
  readonly onListening: (listening: HttpAddresses) => void
}

/**
 * Which tools an MCP server lists; the others can still be called by name or through the tool `manage`. "default":
 * the seven tools that sessions use; "code" and "memory": the part of them about code or about the memory; "full":
 * all tools with all arguments.
 */
export const TOOL_PROFILES = ["default", "full", "code", "memory"] as const
export type ToolProfile = (typeof TOOL_PROFILES)[number]

export type ToolOptions = {
  readonly profile: ToolProfile
  /**
   * True: answers have `structuredContent` and tools declare its schema, for programs. Most agents show it to
   * the model in place of the text, or beside it (docs/decisions/09-hooks-and-clients.md).
   */
  readonly isStructured: boolean
}

/** Options of `aman ui`. */
export type UiOptions = {
  readonly project: ProjectOptions
  /** Port to listen on; 0 means a free one. */
  readonly port: number
  /** Editor that the links of the page open. */
  readonly editor: SettingValues["ui.editor"]
  /** What the guides say about the commands; called only when aman runs from its sources. */
  readonly commands: () => Promise<readonly GuidedCommand[]>
  /** Called once with the address, which has the one-time token. */
  readonly onListening: (listening: { readonly url: string; readonly port: number }) => void
}
