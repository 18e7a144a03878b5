import { AmanError } from "../../../src/base/index.ts"
import { CALL, choice, fromBody, required, toggle } from "../../../src/doors/index.ts"
import { runCall, toCall } from "../../../src/memory/index.ts"
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
  "fix",
  "wrong",
  "invalidate",
  "keep",
  "delete",
  "restore",
  "purge",
  "merge-entries",
  "relate",
  "unrelate",
] as const

const REQUEST = {
  ...CALL,
  action: required(choice(ACTIONS, { flag: "ACTION" })),
  /** Required for a purge, which cannot be undone: the page must state that the user has confirmed it. */
  confirmed: toggle({ flag: "CONFIRMED" }),
}

/** Runs an action of `aman memory` and returns its data. Throws USAGE for a purge that nobody confirmed. */
export async function runMemoryAction({ memory }: UiContext, body: unknown): Promise<object> {
  const { confirmed, ...asked } = fromBody(REQUEST, body)
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
