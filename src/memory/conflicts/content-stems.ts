import { words } from "../../text/terms/identifiers.ts"
import { stem } from "../../text/terms/stem.ts"
import { FUNCTION_WORDS } from "./cue-words.ts"

/** Rarity (idf) of a word in lower case: the fewer entries contain it, the higher. */
export type Rarity = (word: string) => number

/** The rarity of stems in one question. */
export type Vocabulary = {
  /** Registers the words of a text by their stems; the first registered word of a stem represents it. */
  readonly register: (words: ReadonlyMap<string, string>) => void
  /** Rarity of the word that represents the stem; 1 when there is none. */
  readonly rarityOf: (stem: string) => number
}

export function createVocabulary(rarity: Rarity): Vocabulary {
  const met: ReadonlyMap<string, string>[] = []
  const rarities = new Map<string, number>()
  const lookUp = (stem: string): number => {
    for (const words of met) {
      const word = words.get(stem)
      if (word !== undefined) return rarity(word)
    }
    return 1
  }
  return {
    register: (words) => void met.push(words),
    rarityOf(stem) {
      let known = rarities.get(stem)
      if (known === undefined) {
        known = lookUp(stem)
        rarities.set(stem, known)
      }
      return known
    },
  }
}

export type Sentence = {
  readonly text: string
  /** Stems of the content words, in order. */
  readonly stems: readonly string[]
  readonly stemSet: ReadonlySet<string>
}

/** A sentence with its stems; the first word of each stem is added to `firstWords`. */
export function readSentence(text: string, firstWords?: Map<string, string>): Sentence {
  const stems = contentStems(text, firstWords)
  return { text, stems, stemSet: new Set(stems) }
}

/** Stems of the content words, in order; the first word of each is added to `firstWords`. */
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

/** Stem of a content word, empty for a function word; cached, because texts repeat the same words. */
function contentStem(word: string): string {
  let short = stemCache.get(word)
  if (short === undefined) {
    short = word.length < 2 || FUNCTION_WORDS.has(word) ? "" : stem(word).slice(0, MAX_STEM)
    if (stemCache.size >= MAX_CACHED) stemCache.clear()
    stemCache.set(word, short)
  }
  return short
}

const stemCache = new Map<string, string>()
const MAX_CACHED = 20_000

const APOSTROPHES = /[’']/g
// Max length of a stem in characters. Longer stems are cut, so that "compression" equals "compressed", and Postgres
// equals PostgreSQL.
const MAX_STEM = 8
