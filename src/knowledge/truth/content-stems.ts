import { words } from "../../text/identifiers.ts"
import { stem } from "../../text/stem.ts"
import { FUNCTION_WORDS } from "./cue-words.ts"

/** How telling a word is, by how few entries have it; the word in lower case. */
export type Rarity = (word: string) => number

/** The words that carry a subject, as stems, in order. */
export type Vocabulary = {
  readonly stemsOf: (text: string) => string[]
  /** Of a stem that was met, by the first word of it. */
  readonly rarityOf: (stem: string) => number
}

export function createVocabulary(rarity: Rarity): Vocabulary {
  const rarities = new Map<string, number>()
  return {
    stemsOf(text) {
      const stems: string[] = []
      for (const word of words(text.replace(APOSTROPHES, " "))) {
        const short = contentStem(word)
        if (short === "") continue
        stems.push(short)
        if (!rarities.has(short)) rarities.set(short, rarity(word))
      }
      return stems
    },
    rarityOf: (stem) => rarities.get(stem) ?? 1,
  }
}

/** Of a word that carries no subject: empty. Texts say the same words again and again: worked out once. */
function contentStem(word: string): string {
  let short = known.get(word)
  if (short === undefined) {
    short = word.length < 2 || FUNCTION_WORDS.has(word) ? "" : stem(word).slice(0, LONGEST)
    if (known.size >= MOST_KNOWN) known.clear()
    known.set(word, short)
  }
  return short
}

const known = new Map<string, string>()
const MOST_KNOWN = 20_000

const APOSTROPHES = /[’']/g
// So that "compression" meets "compressed", and Postgres PostgreSQL.
const LONGEST = 8
