import { settle } from "../../../memory/conflicts/settle.ts"
import type { Entry } from "../../../memory/entries/entry.ts"
import type { RememberResult, SimilarEntry } from "../../../memory/entries/new-entry.ts"
import type { RecallDocument } from "../../../memory/recall/index/analyse.ts"
import type { Memory } from "../memory.ts"
import { type LoadedMemory, truncateQuestion } from "../recall-source.ts"

/** Max older entries that a new one is compared with: those that recall ranks first for its text. */
const MAX_OLDER = 3

/**
 * Adds to `similar` the older notes that each stored note seems to update or contradict, judged as `recall` judges two
 * hits, with the new note's own text as the question. Messages of a conversation are not compared.
 */
export async function withConflicts(
  memory: Memory,
  remembered: readonly RememberResult[],
): Promise<readonly RememberResult[]> {
  const loaded = await memory.loaded()
  const compared: RememberResult[] = []
  for (const result of remembered) {
    const entry = result.outcome === "existing" ? undefined : loaded.entries.get(result.id)
    const conflicts = entry === undefined || entry.session !== null ? [] : await conflictsOf(entry, loaded)
    const conflicting = new Set(conflicts.map(({ id }) => id))
    const alike = result.similar.filter(({ id }) => !conflicting.has(id))
    compared.push({ ...result, similar: [...conflicts, ...alike] })
  }
  return compared
}

/** The older notes that are still valid and that this one seems to update or contradict. */
export async function conflictsOf(entry: Entry, { index, entries }: LoadedMemory): Promise<SimilarEntry[]> {
  const query = truncateQuestion(entry.text)
  const { hits } = await index.search(query, {
    limit: MAX_OLDER,
    accept: (older) => canConflict(older, entry),
  })
  const rarity = (word: string) => index.rarity(word)
  return hits.flatMap(({ document: { id }, score, window }) => {
    const older = { entry: entries.get(id)!, score, window }
    const settled = settle(query, [older, { entry, score }], { at: entry.recordedAt, rarity })
    const { outdatedBy, contradicts } = settled.find(({ hit }) => hit === older)!.mark
    const isConflict = outdatedBy === entry.id || contradicts.includes(entry.id)
    return isConflict ? [{ id, text: older.entry.text, score, reason: "conflict" as const }] : []
  })
}

/** True for an older note that is still valid and belongs to the same project or to all projects. */
function canConflict(older: RecallDocument, { id, project }: Entry): boolean {
  const isOpen = older.supersededAt === null && older.validUntil === null && older.session === null
  const isReachable = older.project === null || project === null || older.project === project
  return isOpen && isReachable && older.id !== id
}
