import { compareTexts } from "../../../base/index.ts"
import type { Entry, SourceState } from "../../../memory/index.ts"
import type { HookSources } from "../hook-sources.ts"

/** Max entries to check, newest first, because reading files takes time. */
const MAX_CHECKED = 60

export type StaleEntry = { readonly entry: Entry; readonly now: SourceState }

/** Entries of this project whose source lines have changed or are deleted, newest first, as far as time allows. */
export async function staleEntries(
  sources: HookSources,
  max: number,
  except: ReadonlySet<string>,
): Promise<StaleEntry[]> {
  const sourced = sources.entries
    .filter(({ id, source, project }) => source?.hash && project === sources.projectId && !except.has(id))
    .sort((a, b) => compareTexts(b.revisedAt, a.revisedAt))
  const found: StaleEntry[] = []
  for (const entry of sourced.slice(0, MAX_CHECKED)) {
    if (found.length === max || sources.isLate) break
    const now = await sources.sourceState(entry)
    if (now?.freshness === "changed" || now?.freshness === "gone") found.push({ entry, now })
  }
  return found
}
