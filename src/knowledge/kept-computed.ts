import type { KnowledgeStore } from "../store/knowledge/knowledge-store.ts"
import { purge } from "./change-entries.ts"
import { toEntry } from "./entry-rows.ts"
import { trimLinks } from "./graph/kept-links.ts"
import { trimPack } from "./recall/trim-pack.ts"
import type { Writer } from "./writer.ts"

/** What was computed of all entries, from process to process. */
export type KeptComputed = { readonly pack: Uint8Array | null; readonly links: string | null }

/** Keeps what is not null, unless something else is known by now, or another process is writing. */
export function keepComputed(store: KnowledgeStore, { pack, links }: KeptComputed, seq: number): void {
  if (pack === null && links === null) return
  store.transactionIfFree(() => {
    if (store.events.lastSeq() !== seq) return
    if (pack !== null) store.computed.putPack(pack)
    if (links !== null) store.computed.putLinks(links)
  })
}

/** Purges them, and keeps what was computed of the entries that live, but of nothing else. */
export function purgeEntries(writer: Writer, ids: readonly string[]): void {
  const { computed, entries } = writer.store
  const [pack, links] = [computed.pack(), computed.links()]
  purge(writer, ids)
  if (pack === null && links === null) return
  const living = entries
    .after(0)
    .map(toEntry)
    .filter(({ deletedAt }) => deletedAt === null)
  const [left, leftLinks] = [pack && trimPack(pack, living), links && trimLinks(links, living)]
  if (left !== null) computed.putPack(left)
  if (leftLinks !== null) computed.putLinks(leftLinks)
}
