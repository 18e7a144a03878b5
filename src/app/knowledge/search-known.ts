import type { Entry } from "../../knowledge/entry.ts"
import { entryMatcher } from "../../knowledge/entry-filter.ts"
import type { RecallHit } from "../../knowledge/recall/hits.ts"
import type { Memory } from "./memory.ts"
import type { EntryFilter } from "./requests.ts"
import { wantedEntries } from "./wanted-entries.ts"

/** A hit with the whole of its entry. */
export type Found = RecallHit & { readonly entry: Entry }

export type SearchedKnown = {
  /** Best first. */
  readonly hits: readonly Found[]
  /** All that the filter leaves. */
  readonly entries: readonly Entry[]
  readonly confidence: number
  readonly rarity: (word: string) => number
  /** Id of the project that was asked from. */
  readonly project: string | null
}

/** Ranks what the filter leaves, all channels together. */
export async function searchKnown(
  memory: Memory,
  request: EntryFilter & { readonly query: string },
  limit: number,
): Promise<SearchedKnown> {
  const { query } = request
  const { index, entries, graph } = await memory.known()
  const project = memory.project()
  const wanted = wantedEntries(memory, request, project)
  const accepts = entryMatcher(wanted, new Date().toISOString())
  const ask = memory.otherVectors.asker(index)
  const { hits, confidence } = await index.search(query, {
    limit,
    accept: ({ id }) => accepts(entries.get(id)!),
    // What holds now may not hold a moment later.
    ...(wanted.asOf !== "now" && { acceptName: JSON.stringify(wanted) }),
    project,
    ...(ask !== undefined && { ask }),
    channels: memory.config.weights,
    near: (best, accepts) => graph.scores(best, query, project, accepts),
  })
  return {
    hits: hits.map((hit) => ({ ...hit, entry: entries.get(hit.document.id)! })),
    get entries() {
      return [...entries.values()].filter(accepts)
    },
    confidence,
    rarity: (word) => index.rarity(word),
    project,
  }
}
