import { z } from "zod"
import { parseAs } from "../../../src/api/json-http.ts"
import { runCall, toCall } from "../../../src/app/memory/actions/actions.ts"
import { AmanError } from "../../../src/base/errors.ts"
import type { UiContext } from "./reads.ts"

/**
 * Actions on the memory that a page may run; actions that need files, other projects or a team are left to the command
 * line.
 */
const ACTIONS = [
  "list",
  "get",
  "history",
  "timeline",
  "topics",
  "tags",
  "stats",
  "stale",
  "conflicts",
  "refresh",
  "compact",
  "entities",
  "related",
  "revise",
  "tag",
  "untag",
  "invalidate",
  "delete",
  "restore",
  "purge",
  "merge-entries",
  "relate",
  "unrelate",
] as const

const text = z.string().max(100_000).optional()
const label = z.string().max(1000).optional()
const list = z.array(z.string().max(1000)).max(1000).optional()
const REQUEST = z.strictObject({
  action: z.enum(ACTIONS),
  id: label,
  ids: list,
  text,
  topic: label,
  kind: label,
  kinds: list,
  tags: list,
  scope: z.enum(["both", "project", "global"]).optional(),
  author: label,
  after: label,
  before: label,
  valid: z.boolean().optional(),
  as_of: label,
  known_at: label,
  deleted: z.boolean().optional(),
  around: label,
  reason: label,
  successor: label,
  at: label,
  accept: z.boolean().optional(),
  match: label,
  entity: label,
  from: label,
  type: label,
  to: label,
  depth: z.int().min(1).max(5).optional(),
  limit: z.int().min(1).max(1000).optional(),
  offset: z.int().min(0).max(10_000_000).optional(),
  /** Required for a purge, which cannot be undone: the page must state that the user has confirmed it. */
  confirmed: z.boolean().optional(),
})

/** Runs an action of `aman memory` and returns its data. Throws USAGE for a purge that nobody confirmed. */
export async function runMemoryAction({ memory }: UiContext, body: unknown): Promise<object> {
  const { confirmed, ...asked } = parseAs(REQUEST, body)
  if (asked.action === "purge" && confirmed !== true)
    throw new AmanError("USAGE", "a purge cannot be undone and has to be confirmed", {
      hint: 'send "confirmed": true',
    })
  const call = toCall(asked)
  const { data } = await memory.use(async (opened) => {
    await opened.identifyAgain()
    return runCall(opened, call)
  })
  return data
}
