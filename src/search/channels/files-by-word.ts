import { compoundOf, termOf } from "../../text/terms/abbreviations.ts"
import { hashTerm } from "../../text/terms/hash.ts"
import { words } from "../../text/terms/identifiers.ts"
import { MAX_IDENTIFIER_LENGTH } from "../../text/terms/tokenize.ts"
import type { SearchSources } from "../sources.ts"

/** Ids of the files that contain the words of a phrase. */
export type FilesByWord = {
  ofWord(word: string): ReadonlySet<number>
  /** One set of file ids for each of the rarest words. A file that contains the phrase is in all sets. */
  ofPhrase(phrase: string): readonly ReadonlySet<number>[]
  /**
   * Ids of the files that contain the words of all these names, such as `get_url` or `spring.datasource.url`. A file that
   * contains the names as whole words is among them. Null if a name is too long for the index, or if there are no words.
   */
  ofNames(names: readonly string[]): ReadonlySet<number> | null
}

// Building a set reads all postings of its word. After the three rarest words, further words exclude few files.
const RAREST_WORDS = 3
/** Reading this many files takes less time than reading the postings of a further word. */
const FEW_FILES = 16

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
    ofNames: (names) => {
      const [rarest, ...others] = termsOfNames(names)?.sort((a, b) => documents(a) - documents(b)) ?? []
      if (rarest === undefined) return null
      let found: ReadonlySet<number> = keyword.holders(rarest)
      for (const hash of others) {
        if (found.size <= FEW_FILES) break
        found = found.intersection(keyword.holders(hash))
      }
      return found
    },
  }
}

/**
 * Hashes of the terms that every text has which contains all these names as whole words. Null if a name is too long for
 * the index, or if there are no words.
 */
function termsOfNames(names: readonly string[]): bigint[] | null {
  const parts = names.flatMap((name) => name.match(/[\w-]+/g) ?? [])
  if (parts.some((part) => part.length > MAX_IDENTIFIER_LENGTH)) return null
  const terms = new Set(parts.flatMap(termsOfPart))
  return terms.size === 0 ? null : [...terms].map((term) => hashTerm(term))
}

/** The terms that the index has for a whole identifier. A dash may join it to the next one, so it has no compound then. */
function termsOfPart(part: string): string[] {
  const terms = words(part).map(termOf)
  return terms.length === 0 || part.includes("-") ? terms : [compoundOf(part), ...terms]
}
