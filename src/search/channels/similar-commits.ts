import { bm25, inverseDocumentFrequency } from "../../base/ranking.ts"
import { type PackedCommits, shortHash } from "../../history/commits.ts"
import type { ParsedQuery } from "../query/query.ts"

/**
 * Number of commits that count. It and POWER were chosen on tasks of the learn split; 10 or 30 commits, or a power of 2,
 * give results within .005 of MRR.
 */
const MAX_SIMILAR = 20
/** Power of a commit's similarity with which the commit counts. */
const POWER = 3

/**
 * How much the past commits that are most similar to a task changed each file, 0 to 1, by the hash of the file's path
 * (`shortHash`). It is the square root of the file's share in these commits. Each commit counts by its similarity,
 * divided by √n for each of its n files, because a commit with many files says less about one of them.
 */
export function sharesInSimilarCommits(
  commits: PackedCommits,
  query: ParsedQuery,
): ReadonlyMap<number, number> {
  const { files, fileEnds } = commits
  const similar = mostSimilar(commits, query)
  const shares = new Map<number, number>()
  let total = 0
  for (const { commit, similarity } of similar) {
    const value = (similarity / similar[0]!.similarity) ** POWER
    const changed = files.subarray(fileEnds[commit - 1] ?? 0, fileEnds[commit])
    for (const file of changed) shares.set(file, (shares.get(file) ?? 0) + value / Math.sqrt(changed.length))
    total += value
  }
  for (const [file, share] of shares) shares.set(file, Math.sqrt(share / total))
  return shares
}

type SimilarCommit = { readonly commit: number; readonly similarity: number }

/** The commits with the highest BM25 of the query's words in their subjects, best first, then newest first. */
function mostSimilar({ terms, termEnds }: PackedCommits, query: ParsedQuery): SimilarCommit[] {
  const { scored } = query
  const words = new Map(query.stems.map((stem, word) => [shortHash(stem), word]))
  const counts = new Uint16Array(termEnds.length * scored)
  const holding = new Float64Array(scored)
  eachCommit(termEnds, (commit, start, end) => {
    for (let at = start; at < end; at++) {
      const word = words.get(terms[at]!)
      if (word === undefined) continue
      const cell = commit * scored + word
      if (counts[cell] === 0) holding[word]!++
      counts[cell]!++
    }
  })
  const rarity = holding.map(
    (count, word) => (query.terms[word]!.weight ?? 1) * inverseDocumentFrequency(termEnds.length, count),
  )
  const similar: SimilarCommit[] = []
  eachCommit(termEnds, (commit, start, end) => {
    const length = (end - start) / (terms.length / termEnds.length)
    let similarity = 0
    for (let word = 0; word < scored; word++) {
      const count = counts[commit * scored + word]!
      if (count > 0) similarity += rarity[word]! * bm25(count, length)
    }
    if (similarity > 0) similar.push({ commit, similarity })
  })
  return similar.sort((a, b) => b.similarity - a.similarity || a.commit - b.commit).slice(0, MAX_SIMILAR)
}

function eachCommit(ends: Uint32Array, visit: (commit: number, start: number, end: number) => void): void {
  let start = 0
  ends.forEach((end, commit) => {
    visit(commit, start, end)
    start = end
  })
}
