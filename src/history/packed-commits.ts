import { hashTerm } from "../text/terms/hash.ts"
import { clearTerms, createTermBuffer, type TermBuffer } from "../text/terms/term-buffer.ts"
import { tokenize } from "../text/terms/tokenize.ts"
import type { PastCommit } from "./read-commits.ts"

/**
 * Past commits in the form that the index stores, as 32-bit hashes. The words of commit `i` are terms[termEnds[i - 1]]
 * up to terms[termEnds[i]], its files likewise.
 */
export type PackedCommits = {
  /** One element for each commit. */
  readonly termEnds: Uint32Array
  readonly fileEnds: Uint32Array
  /** Words of the subjects; a word that a subject repeats is repeated here. */
  readonly terms: Uint32Array
  /** Paths of the files that the commits changed. */
  readonly files: Uint32Array
}

/** Maximum number of characters of a subject that are read. */
const MAX_SUBJECT = 400

/** Packs commits as: their number, the number of terms, `termEnds`, `fileEnds`, `terms`, `files`. */
export function packCommits(commits: readonly PastCommit[]): Uint8Array {
  const termEnds: number[] = []
  const fileEnds: number[] = []
  const terms: number[] = []
  const files: number[] = []
  const buffer = createTermBuffer()
  for (const { subject, paths } of commits) {
    for (const term of wordsOf(subject, buffer)) terms.push(term)
    for (const path of paths) files.push(shortHash(path))
    termEnds.push(terms.length)
    fileEnds.push(files.length)
  }
  const packed = Uint32Array.from([
    commits.length,
    terms.length,
    ...[termEnds, fileEnds, terms, files].flat(),
  ])
  return new Uint8Array(packed.buffer)
}

function* wordsOf(subject: string, buffer: TermBuffer): Generator<number> {
  clearTerms(buffer)
  tokenize(subject, 0, Math.min(subject.length, MAX_SUBJECT), buffer)
  for (let at = 0; at < buffer.count; at++) if (buffer.parts[at] === 1) yield buffer.lo[at]!
}

/** The hash of a stemmed word or of a path, as it is in packed commits. */
export function shortHash(text: string): number {
  return Number(hashTerm(text) & 0xffff_ffffn)
}

/** The commits in `bytes`; null if these are not packed commits. */
export function unpackCommits(bytes: Uint8Array): PackedCommits | null {
  if (bytes.length % 4 !== 0) return null
  // The copy begins at an address at which 32-bit numbers can be read.
  const words = new Uint32Array(bytes.slice().buffer)
  const [commits = 0, terms = 0] = words
  const [termsAt, filesAt] = [2 + 2 * commits, 2 + 2 * commits + terms]
  if (filesAt > words.length) return null
  const packed = {
    termEnds: words.subarray(2, 2 + commits),
    fileEnds: words.subarray(2 + commits, termsAt),
    terms: words.subarray(termsAt, filesAt),
    files: words.subarray(filesAt),
  }
  return areEnds(packed.termEnds, packed.terms) && areEnds(packed.fileEnds, packed.files) ? packed : null
}

/** True if each end is at least the previous one and at most the number of values. */
function areEnds(ends: Uint32Array, { length }: Uint32Array): boolean {
  return ends.every((end, at) => end <= length && end >= (ends[at - 1] ?? 0))
}
