import type { PathWordCount } from "../store/path-words.ts"
import type { Store } from "../store/store.ts"
import { pathWords } from "../text/path-words.ts"

/** Keeps the counts of words in paths in step with the files. Call inside the transaction that changes those. */
export function countPaths(store: Store, paths: readonly string[], difference: 1 | -1): void {
  const changes = new Map<string, PathWordCount>()
  for (const path of paths) {
    const { all, stem } = pathWords(path)
    for (const word of all) {
      const known = changes.get(word) ?? { paths: 0, stems: 0 }
      const stems = stem.includes(word) ? difference : 0
      changes.set(word, { paths: known.paths + difference, stems: known.stems + stems })
    }
  }
  store.pathWords.add(changes)
}
