import { compoundOf, termOf } from "../../text/terms/abbreviations.ts"
import { hashTerm } from "../../text/terms/hash.ts"
import { words } from "../../text/terms/identifiers.ts"
import type { SearchSources } from "../sources.ts"

/** Ids of the files that contain a word. */
export type FilesByWord = {
  ofWord(word: string): ReadonlySet<number>
  /** Sets of file ids; a file that contains the phrase is in all of them. */
  ofPhrase(phrase: string): readonly ReadonlySet<number>[]
}

// Each set costs a pass over a word's postings, and after the rarest three the others exclude few files.
const RAREST_WORDS = 3

export function filesByWord({ keyword }: Pick<SearchSources, "keyword">): FilesByWord {
  const documents = (hash: bigint) => keyword.estimate(Number(hash >> 32n), Number(hash & 0xffff_ffffn))
  return {
    ofWord: (word) => keyword.holders(hashTerm(compoundOf(word))),
    ofPhrase: (phrase) => {
      const hashes = [...new Set(words(phrase).map((word) => hashTerm(termOf(word))))]
      // A word that the index lacks may be part of a word: "rror: cannot".
      const known = hashes.filter((hash) => documents(hash) > 0)
      const rarest = known.sort((a, b) => documents(a) - documents(b)).slice(0, RAREST_WORDS)
      return rarest.map((hash) => keyword.holders(hash))
    },
  }
}
