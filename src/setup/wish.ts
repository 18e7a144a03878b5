import type { Part, ServerShape } from "./clients.ts"
import type { HookDialect } from "./hook-events.ts"
import type { Program } from "./program.ts"

/** What shall stand in a file, as far as it is ours; everything else there is other people's. */
export type Wish =
  | ServerWish
  | HookWish
  | { readonly kind: "permissions"; readonly path: readonly string[]; readonly values: readonly string[] }
  | { readonly kind: "section"; readonly text: string }
  | { readonly kind: "whole"; readonly text: string }

export type ServerWish = {
  readonly kind: "server"
  /** Where servers stand, e.g. mcpServers. */
  readonly key: string
  /** Null in TOML. */
  readonly shape: ServerShape | null
  readonly program: Program
}

export type HookWish = {
  readonly kind: "hook"
  readonly dialect: HookDialect
  readonly program: Program
  readonly platform: NodeJS.Platform
}

/** A wish with the file it is for, and who has it. */
export type Placed = {
  /** Absolute, as the client's table says; links are not followed yet. */
  readonly file: string
  /** The project it must not leave; null for a file of the user. */
  readonly within: string | null
  readonly client: string
  readonly part: Part
  readonly wish: Wish
  /** What a new file begins with. */
  readonly seed: object | null
}
