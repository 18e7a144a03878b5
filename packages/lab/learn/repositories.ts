import { readFileSync } from "node:fs"
import { join } from "node:path"

/** learn: weights are fitted on it; develop: choices are compared on it; closed: looked at once, at the end. */
export const SPLITS = ["learn", "develop", "closed"] as const

export type Split = (typeof SPLITS)[number]

export type RepositoryEntry = {
  /** OWNER/NAME on GitHub. */
  readonly name: string
  readonly split: Split
  /** Kind of software: application, service, tool, library, compiler, game, mobile, data, infrastructure. */
  readonly kind: string
  /** SPDX expression, as the project states it. */
  readonly licence: string
  /** The newest commit that is mined; null until the list is pinned. */
  readonly commit: string | null
  /** The commit at which the repository's tasks are asked; null until the list is pinned. */
  readonly base: string | null
}

export const LIST_FILE: string = join(import.meta.dir, "repositories.json")

export function readRepositories(): RepositoryEntry[] {
  return JSON.parse(readFileSync(LIST_FILE, "utf8")) as RepositoryEntry[]
}
