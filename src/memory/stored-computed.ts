import type { KnowledgeStore } from "../store/memory/knowledge-store.ts"
import { purge } from "./entries/change-entries.ts"
import { canonicalId } from "./log/ids.ts"
import type { Writer } from "./log/writer.ts"
import type { ImageParts } from "./recall/index/image-parts.ts"
import { RecallIndex } from "./recall/index/recall-index.ts"

/**
 * Parts of data computed from all entries and stored for later processes: the recall index, and the graph of its entries
 * (graph/stored-mentions.ts), which is stored only beside it. Null where nothing is stored.
 */
export type StoredComputed = { readonly image: ImageParts | null; readonly graph: ImageParts | null }

/** Stores the parts that are not null, unless the log has moved past `seq` or another process is writing. */
export function storeComputed(store: KnowledgeStore, { image, graph }: StoredComputed, seq: number): void {
  if (image === null && graph === null) return
  store.transactionIfFree(() => {
    if (store.events.lastSeq() !== seq) return
    if (image !== null) store.computed.putImage(image)
    if (graph !== null) store.computed.putGraph(graph)
  })
}

/**
 * Purges the entries, and reduces the stored recall index to that of the other entries. The stored graph is removed: the
 * next process reads the texts again.
 */
export function purgeEntries(writer: Writer, ids: readonly string[]): void {
  const { computed } = writer.store
  const image = computed.parts()
  purge(writer, ids)
  const left = image && withoutEntries(image, ids.map(canonicalId))
  if (left !== null) computed.putImage(left)
}

/**
 * The image without these entries and without any term that only they have, so that the next process does not have to
 * compute everything again. Null when it is of another version or damaged.
 */
export function withoutEntries(image: ImageParts, ids: readonly string[]): ImageParts | null {
  const index = new RecallIndex()
  const seq = index.open(image, () => "")
  if (seq === null) return null
  index.remove(ids)
  return index.freeze(seq)
}
