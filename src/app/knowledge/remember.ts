import type { NewEntry } from "../../knowledge/new-entry.ts"
import type { Memory } from "./memory.ts"
import { toFields } from "./new-entry.ts"
import type { RememberAnswer, RememberOptions, RememberRequest } from "./requests.ts"

/** Stores all of them in one transaction, or none. */
export async function rememberAll(
  memory: Memory,
  requests: readonly RememberRequest[],
  options: RememberOptions = {},
): Promise<RememberAnswer> {
  const notices = new Set<string>()
  if (memory.root === null && requests.some(({ global }) => !global))
    notices.add("there is no project here: remembered for all projects")
  const entries: NewEntry[] = []
  for (const request of requests) {
    const captured = await toFields(memory, request)
    for (const notice of captured.notices) notices.add(notice)
    const project = request.global ? null : memory.ownProject()
    entries.push({ ...captured.fields, text: request.text, project })
  }
  return { entries: memory.knowledge.remember(entries, options), notices: [...notices] }
}
