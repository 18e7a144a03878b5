import { compoundOf, termOf } from "../../text/terms/abbreviations.ts"
import { hashTerm } from "../../text/terms/hash.ts"
import { words } from "../../text/terms/identifiers.ts"
import type { SearchSources } from "../sources.ts"

/** Ids of the files that contain the words of a phrase. */
export type FilesByWord = {
  ofWord(word: string): ReadonlySet<number>
  /** One set of file ids for each of the rarest words. A file that contains the phrase is in all sets. */
  ofPhrase(phrase: string): readonly ReadonlySet<number>[]
}

// Building a set reads all postings of its word. After the three rarest words, further words exclude few files.
const RAREST_WORDS = 3

export function filesByWord({ keyword }: Pick<SearchSources, "keyword">): FilesByWord {
  const documents = (hash: bigint) => keyword.estimate(Number(hash >> 32n), Number(hash & 0xffff_ffffn))
  return {
    ofWord: (word) => keyword.holders(hashTerm(compoundOf(word))),
    ofPhrase: (phrase) => {
      const hashes = [...new Set(words(phrase).map((word) => hashTerm(termOf(word))))]
      // A word that the index lacks may be the end of a longer word, as in the phrase "rror: cannot". It is skipped.
      const occurring = hashes.filter((hash) => documents(hash) > 0)
      const rarest = occurring.sort((a, b) => documents(a) - documents(b)).slice(0, RAREST_WORDS)
      return rarest.map((hash) => keyword.holders(hash))
    },
  }
}
