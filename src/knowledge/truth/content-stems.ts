import { words } from "../../text/identifiers.ts"
import { stem } from "../../text/stem.ts"
import { FUNCTION_WORDS } from "./cue-words.ts"

/** How telling a word is, by how few entries have it; the word in lower case. */
export type Rarity = (word: string) => number

/** How telling stems are in one question. */
export type Vocabulary = {
  /** Takes in the words of a text, by their stems: those met first stand for them. */
  readonly meet: (words: ReadonlyMap<string, string>) => void
  /** Of a stem that was met, by the first word of it. */
  readonly rarityOf: (stem: string) => number
}

export function createVocabulary(rarity: Rarity): Vocabulary {
  const met: ReadonlyMap<string, string>[] = []
  const rarities = new Map<string, number>()
  const tell = (stem: string): number => {
    for (const words of met) {
      const word = words.get(stem)
      if (word !== undefined) return rarity(word)
    }
    return 1
  }
  return {
    meet: (words) => void met.push(words),
    rarityOf(stem) {
      let known = rarities.get(stem)
      if (known === undefined) {
        known = tell(stem)
        rarities.set(stem, known)
      }
      return known
    },
  }
}

export type Sentence = {
  readonly text: string
  /** Of the words that carry a subject, in order. */
  readonly stems: readonly string[]
  readonly stemSet: ReadonlySet<string>
}

/** `firstWords` takes down the first word of each stem. */
export function readSentence(text: string, firstWords?: Map<string, string>): Sentence {
  const stems = contentStems(text, firstWords)
  return { text, stems, stemSet: new Set(stems) }
}

/** The words that carry a subject, as stems, in order; `firstWords` takes down the first word of each. */
export function contentStems(text: string, firstWords?: Map<string, string>): string[] {
  const stems: string[] = []
  for (const word of words(text.replace(APOSTROPHES, " "))) {
    const short = contentStem(word)
    if (short === "") continue
    stems.push(short)
    if (firstWords?.has(short) === false) firstWords.set(short, word)
  }
  return stems
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
