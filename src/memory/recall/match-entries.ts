/* Tells hooks, without a text or an index, whether any entry shares rare words with a prompt. */

import { inverseDocumentFrequency } from "../../base/index.ts"
import { contentWords, isSmallTalk } from "../../text/index.ts"
import { analyseTerms } from "./question.ts"

/**
 * `holders` returns the numbers of the entries that contain a term, without loading the entries; `entries` is the
 * number of all entries.
 */
export type TermHolders = { readonly entries: number; readonly holders: (term: string) => ArrayLike<number> }

/**
 * Strength of the best match of a text, computed only from the lists of entries that contain each term, relative to a
 * threshold that one in fifty unrelated texts reaches; 0 when there is none. It is the shared idf, multiplied by its share
 * of the text's total idf.
 */
export function strengthByHolders(text: string, { entries, holders }: TermHolders): number {
  const words = contentWords(text, MAX_WORDS)
  const asked = [...new Map(words.map((word) => [analyseTerms(word).inOrder[0] ?? word, word] as const))]
  const lists = asked.map(([term]) => holders(term))
  const held = new Map<number, number[]>()
  for (const [term, list] of lists.entries()) {
    for (let i = 0; i < list.length; i++) {
      const terms = held.get(list[i]!)
      if (terms === undefined) held.set(list[i]!, [term])
      else terms.push(term)
    }
  }
  const all = Math.max(entries, MIN_ENTRIES)
  const most = inverseDocumentFrequency(all, 0)
  const rarity = lists.map(({ length }) => inverseDocumentFrequency(all, length) / most)
  const total = rarity.reduce((sum, each) => sum + each, 0)
  let strongest = 0
  for (const shared of held.values()) {
    if (shared.filter((term) => !isSmallTalk(asked[term]![1])).length < MIN_SHARED) continue
    const mass = shared.reduce((sum, term) => sum + rarity[term]!, 0)
    strongest = Math.max(strongest, ((mass / total) * mass) / thresholdOf(all))
  }
  return strongest
}
/** Only the first words of a text are used; the rest of a longer text is mostly about the same subject. */
const MAX_WORDS = 40
/** Minimum number of shared words; a single one is often shared by chance. */
const MIN_SHARED = 2
/** Minimum entry count used for idf and threshold; with fewer entries every word would seem rare. */
const MIN_ENTRIES = 20

/**
 * Threshold for the strength; it grows with the number of entries, because more entries share words with any
 * text. Fitted on stores of 6 to 444 notes of nineteen projects, so that one in fifty unrelated texts passes:
 * .36 at 23, .59 at 68, .70 at 138, .89 at 444 (docs/hooks.md).
 */
function thresholdOf(entries: number): number {
  return 0.17 * Math.log(entries) - 0.15
}
