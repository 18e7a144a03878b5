import type { RecallDocument } from "./document.ts"
import { type Computed, openPack, writePack } from "./pack.ts"
import type { Prepared } from "./prepared.ts"

/**
 * What was computed of these documents alone, no word of any other left: after a purge, so that the next who opens has
 * not to compute all anew. Null where the blob is of another version, or damaged.
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

/** The lists of an entry that are nothing but terms; every term of a posting is one of them. */
function termsIn({ tokens, terms, topic, tags }: Prepared): readonly Uint32Array[] {
  return [tokens, terms, topic, tags]
}

/** In place: they are copies. */
function renumber(prepared: Prepared, numbers: Int32Array): void {
  for (const list of termsIn(prepared)) for (let i = 0; i < list.length; i++) list[i] = numbers[list[i]!]!
  const { postings } = prepared
  for (let i = 0; i < postings.length; i += 2) postings[i] = numbers[postings[i]!]!
}
