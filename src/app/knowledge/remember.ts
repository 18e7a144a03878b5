import type { NewEntry } from "../../knowledge/new-entry.ts"
import type { Memory } from "./memory.ts"
import { type AskedEntry, captured } from "./new-entry.ts"
import type { RememberAnswer, RememberOptions } from "./requests.ts"

/** Stores all of them in one transaction, or none. */
export async function rememberAll(
  memory: Memory,
  asked: readonly AskedEntry[],
  options: RememberOptions = {},
): Promise<RememberAnswer> {
  const notices = new Set<string>()
  if (memory.root === null && asked.some(({ global }) => !global))
    notices.add("there is no project here: remembered for all projects")
  const entries: NewEntry[] = []
  for (const each of asked) {
    const { fields, notice } = await captured(memory, each)
    if (notice !== null) notices.add(notice)
    entries.push({ ...fields, project: each.global ? null : await memory.ownProject() })
  }
  return { entries: memory.knowledge.remember(entries, options), notices: [...notices, ...memory.notices] }
}
