import type { ServerShape, SetupPart } from "./clients/clients.ts"
import type { HookDialect } from "./clients/hook-dialects.ts"
import type { Program } from "./clients/program.ts"

/** A planned change to a file, which concerns only aman's part of it; the rest belongs to the user. */
export type Change =
  | ServerChange
  | HookChange
  | { readonly kind: "permissions"; readonly path: readonly string[]; readonly values: readonly string[] }
  | { readonly kind: "section"; readonly text: string }
  | { readonly kind: "whole"; readonly text: string }

export type ServerChange = {
  readonly kind: "server"
  /** Key of the servers, e.g. mcpServers. */
  readonly key: string
  /** Format of the server entry; null for TOML. */
  readonly shape: ServerShape | null
  readonly program: Program
}

export type HookChange = {
  readonly kind: "hook"
  readonly dialect: HookDialect
  readonly program: Program
  readonly platform: NodeJS.Platform
}

/** A planned change with its file and client. */
export type PlannedChange = {
  /** Absolute path from the client's table; links are not resolved. */
  readonly file: string
  /** Root of the project outside of which the file must not be; null for a file of the user's settings. */
  readonly within: string | null
  readonly client: string
  readonly part: SetupPart
  readonly change: Change
  /** Initial content of a new file. */
  readonly seed: object | null
}
