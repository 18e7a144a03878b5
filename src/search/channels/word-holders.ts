import { compoundOf, termOf } from "../../text/terms/abbreviations.ts"
import { hashTerm } from "../../text/terms/hash.ts"
import { words } from "../../text/terms/identifiers.ts"
import type { SearchSources } from "../sources.ts"

/** Which files hold a word, by their ids. */
export type WordHolders = {
  ofWord(word: string): ReadonlySet<number>
  /** Sets of files, in each of which all must be that hold the phrase. */
  ofPhrase(phrase: string): readonly ReadonlySet<number>[]
}

// Every set costs the walk of a word's postings, and the rarest few words leave little for the others to rule out.
const RAREST_WORDS = 3

export function wordHolders({ keyword }: Pick<SearchSources, "keyword">): WordHolders {
  const documents = (hash: bigint) => keyword.estimate(Number(hash >> 32n), Number(hash & 0xffff_ffffn))
  return {
    ofWord: (word) => keyword.holders(hashTerm(compoundOf(word))),
    ofPhrase: (phrase) => {
      const hashes = [...new Set(words(phrase).map((word) => hashTerm(termOf(word))))]
      // A word that is nowhere whole may be a part of one: "rror: cannot".
      const known = hashes.filter((hash) => documents(hash) > 0)
      const rarest = known.sort((a, b) => documents(a) - documents(b)).slice(0, RAREST_WORDS)
      return rarest.map((hash) => keyword.holders(hash))
    },
  }
}
