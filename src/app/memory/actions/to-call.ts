import { AmanError } from "../../../base/errors.ts"
import type { KnowledgeCall } from "./calls.ts"

type Action = KnowledgeCall["action"]

/** Required arguments of each action; an inner list means that one of them is enough. */
const NEEDS: Readonly<Record<Action, readonly (string | readonly string[])[]>> = {
  get: ["ids"],
  list: [],
  entries: ["topic"],
  revise: ["id"],
  append: ["id", "text"],
  tag: ["ids", "tags"],
  untag: ["ids", "tags"],
  delete: [["ids", "topic"]],
  restore: ["ids"],
  purge: ["ids"],
  invalidate: ["id"],
  history: ["id"],
  changes: ["since"],
  xref: ["topic"],
  tags: [],
  topics: [],
  digest: [],
  stats: [],
  sessions: [],
  entities: [],
  entity: ["name"],
  "merge-entities": ["from", "into"],
  "delete-entity": ["name"],
  relate: ["from", "to", "type"],
  unrelate: ["from", "to", "type"],
  related: ["entity"],
  path: ["from", "to"],
  communities: [],
  reconstruct: ["query"],
  timeline: [],
  recent: [],
  prune: [],
  compact: [],
  merge: ["from", "into"],
  "merge-entries": ["ids", "text"],
  rename: ["topic", "to"],
  stale: [],
  refresh: ["ids"],
  export: [],
  import: ["path"],
  projects: [],
  link: ["to"],
  rebuild: [],
  share: [],
  sync: [],
}

/** Actions for persons only: an agent must not decide a folder's project or with whom it is shared. */
const FOR_PERSONS: ReadonlySet<string> = new Set(["link", "rebuild", "share", "sync"])

/** Actions available to agents, in the order of the tool description. */
export const ACTIONS = Object.keys(NEEDS).filter((name) => !FOR_PERSONS.has(name)) as [Action, ...Action[]]

type Asked = { readonly action: Action } & { readonly [name: string]: unknown }

/**
 * The call for an action's arguments; `id` and `ids` may replace each other. Throws USAGE for a missing one.
 */
export function toCall(asked: Asked, usage?: string): KnowledgeCall {
  const { id, ids } = asked as { readonly id?: string; readonly ids?: readonly string[] }
  const filled: Asked = {
    ...asked,
    id: id ?? (ids?.length === 1 ? ids[0] : undefined),
    ids: ids ?? (id === undefined ? undefined : [id]),
  }
  const missing = NEEDS[asked.action]
    .filter((need) => ![need].flat().some((name) => isGiven(filled[name])))
    .map((need) => [need].flat().join(" or "))
  if (missing.length === 0) return filled as KnowledgeCall
  throw new AmanError("USAGE", `${asked.action} needs ${missing.join(" and ")}`, {
    hint: usage ?? `for example: ${JSON.stringify({ action: asked.action, ...example(missing) })}`,
  })
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== "" && !(Array.isArray(value) && value.length === 0)
}

function example(missing: readonly string[]): Record<string, unknown> {
  const lists = new Set(["ids", "tags"])
  return Object.fromEntries(
    missing.map((names) => {
      const [name] = names.split(" or ")
      return [name!, lists.has(name!) ? ["…"] : "…"]
    }),
  )
}
