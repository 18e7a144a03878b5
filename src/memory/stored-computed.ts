import type { KnowledgeStore } from "../store/memory/knowledge-store.ts"
import { trimLinks } from "./entities/names/stored-links.ts"
import { purge } from "./entries/change-entries.ts"
import { toEntry } from "./entries/entry-rows.ts"
import { canonicalId } from "./log/ids.ts"
import type { Writer } from "./log/writer.ts"
import type { ImageParts } from "./recall/index/image.ts"
import { RecallIndex } from "./recall/index/recall-index.ts"

/** Data computed from all entries and stored for later processes; null where nothing is stored. */
export type StoredComputed = { readonly image: ImageParts | null; readonly links: string | null }

/** Stores the parts that are not null, unless the log has moved past `seq` or another process is writing. */
export function storeComputed(store: KnowledgeStore, { image, links }: StoredComputed, seq: number): void {
  if (image === null && links === null) return
  store.transactionIfFree(() => {
    if (store.events.lastSeq() !== seq) return
    if (image !== null) store.computed.putImage(image)
    if (links !== null) store.computed.putLinks(links)
  })
}

/** Purges the entries and reduces the stored computed data to that of the entries that are not deleted. */
export function purgeEntries(writer: Writer, ids: readonly string[]): void {
  const { computed, entries } = writer.store
  const [image, links] = [computed.image(), computed.links()]
  purge(writer, ids)
  const left = image && withoutEntries(image, ids.map(canonicalId))
  if (left !== null) computed.putImage(left)
  if (links === null) return
  const living = entries
    .after(0)
    .map(toEntry)
    .filter(({ deletedAt }) => deletedAt === null)
  const leftLinks = trimLinks(links, living)
  if (leftLinks !== null) computed.putLinks(leftLinks)
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
