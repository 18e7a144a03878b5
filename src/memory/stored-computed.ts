import type { KnowledgeStore } from "../store/memory/knowledge-store.ts"
import { trimLinks } from "./entities/names/stored-links.ts"
import { purge } from "./entries/change-entries.ts"
import { toEntry } from "./entries/entry-rows.ts"
import type { Writer } from "./log/writer.ts"
import type { RecallDocument } from "./recall/index/analyse.ts"
import { type Computed, openPack, writePack } from "./recall/index/computed-pack.ts"
import type { Prepared } from "./recall/index/prepared.ts"

/** Data computed from all entries and stored for later processes; null where nothing is stored. */
export type StoredComputed = { readonly pack: Uint8Array | null; readonly links: string | null }

/** Stores the parts that are not null, unless the log has moved past `seq` or another process is writing. */
export function storeComputed(store: KnowledgeStore, { pack, links }: StoredComputed, seq: number): void {
  if (pack === null && links === null) return
  store.transactionIfFree(() => {
    if (store.events.lastSeq() !== seq) return
    if (pack !== null) store.computed.putPack(pack)
    if (links !== null) store.computed.putLinks(links)
  })
}

/** Purges the entries and reduces the stored computed data to that of the entries that are not deleted. */
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

/**
 * The pack reduced to these documents, without any term of other documents. Used after a purge, so that the
 * next process does not have to compute everything again. Null when the blob has another version or is
 * damaged.
 */
export function trimPack(blob: Uint8Array, documents: readonly RecallDocument[]): Uint8Array | null {
  const opened = openPack(blob)
  if (opened === null) return null
  const { pack, space } = opened
  const kept = documents.flatMap((document): (readonly [RecallDocument, Computed])[] => {
    const computed = pack.of(document)
    return computed === undefined ? [] : [[document, computed]]
  })
  const numbers = new Int32Array(pack.terms.length)
  for (const [, { prepared }] of kept)
    for (const list of termsIn(prepared)) for (const term of list) numbers[term] = 1
  const terms = pack.terms.filter((_, term) => numbers[term] === 1)
  let next = 0
  for (let term = 0; term < numbers.length; term++) if (numbers[term] === 1) numbers[term] = next++
  for (const [, { prepared }] of kept) renumber(prepared, numbers)
  return writePack(terms, kept, space)
}

/** The lists of an entry that consist of term numbers only; every term of a posting is in one of them. */
function termsIn({ tokens, terms, topic, tags }: Prepared): readonly Uint32Array[] {
  return [tokens, terms, topic, tags]
}

/** Changes the lists in place; they are copies. */
function renumber(prepared: Prepared, numbers: Int32Array): void {
  for (const list of termsIn(prepared)) for (let i = 0; i < list.length; i++) list[i] = numbers[list[i]!]!
  const { postings } = prepared
  for (let i = 0; i < postings.length; i += 2) postings[i] = numbers[postings[i]!]!
}
