import type { NewEntry } from "../../knowledge/new-entry.ts"
import { headline } from "../../knowledge/views/headline.ts"
import { idNamed } from "./id-named.ts"
import type { Memory } from "./memory.ts"
import { type AskedEntry, captured } from "./new-entry.ts"
import type { RememberAnswer, RememberedEntry, RememberOptions } from "./requests.ts"

/** Stores all of them in one transaction, or none. */
export async function rememberAll(
  memory: Memory,
  asked: readonly AskedEntry[],
  options: RememberOptions = {},
): Promise<RememberAnswer> {
  return (await readyToRemember(memory, asked, options))()
}

/** All that has to be waited for is done; what comes back stores them, at once. */
export async function readyToRemember(
  memory: Memory,
  asked: readonly AskedEntry[],
  options: RememberOptions,
): Promise<() => RememberAnswer> {
  const notices = new Set<string>()
  if (memory.root === null && asked.some(({ global }) => !global))
    notices.add("there is no project here: remembered for all projects")
  const entries: NewEntry[] = []
  for (const each of asked) {
    const { fields, notice } = await captured(memory, each)
    if (notice !== null) notices.add(notice)
    const project = each.global ? null : await memory.ownProject()
    entries.push({ ...fields, project })
  }
  return () => {
    const remembered = memory.knowledge.remember(
      entries.map((entry) => withIds(memory, entry)),
      options,
    )
    for (const { id, untaken = [] } of remembered)
      if (untaken.length > 0)
        notices.add(
          `${id} says so already and was left as it is: to change its ${untaken.join(", ")}, revise it`,
        )
    return { entries: remembered.map(withoutLongTexts), notices: [...notices, ...memory.notices] }
  }
}

/** Looked up where it is stored: another file of the folder may have brought the key by then. */
function withIds(memory: Memory, entry: NewEntry): NewEntry {
  const { supersedes } = entry
  return supersedes ? { ...entry, supersedes: supersedes.map((name) => idNamed(memory, name)) } : entry
}

/** Enough of what is similar to tell whether it is the same; the whole may be a book. */
const SHOWN_OF_SIMILAR = 300

function withoutLongTexts(entry: RememberedEntry): RememberedEntry {
  const similar = entry.similar.map((each) => ({ ...each, text: headline(each.text, SHOWN_OF_SIMILAR) }))
  return { ...entry, similar }
}
