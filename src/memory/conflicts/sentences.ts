/*
 * Reads sentences for comparison: stems of content words, tokens for a comparison word by word, and the rarity of stems.
 */

import { stem, words } from "../../text/index.ts"

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

/** Stem of a content word, empty for a function word. */
function contentStem(word: string): string {
  return word.length < 2 || FUNCTION_WORDS.has(word) ? "" : stem(word).slice(0, MAX_STEM)
}

const APOSTROPHES = /[’']/g
// Max length of a stem in characters. Longer stems are cut, so that "compression" equals "compressed", and Postgres
// equals PostgreSQL.
const MAX_STEM = 8

/** The sum of the rarity of some stems. */
export function raritySum(stems: Iterable<string>, { rarityOf }: Vocabulary): number {
  let sum = 0
  for (const stem of stems) sum += rarityOf(stem)
  return sum
}

/** The sum of the rarity of the stems that both sets contain. */
function sharedRarity(a: ReadonlySet<string>, b: ReadonlySet<string>, { rarityOf }: Vocabulary): number {
  const [few, many] = a.size <= b.size ? [a, b] : [b, a]
  let sum = 0
  for (const stem of few) if (many.has(stem)) sum += rarityOf(stem)
  return sum
}

type WeightedStems = {
  readonly stemSet: ReadonlySet<string>
  /** Sum of the rarity of all stems in the set. */
  readonly rarity: number
}

/**
 * Similarity of two statements, 0 to 1: the shared rarity as a share of the smaller sum. The denominator is
 * at least `MIN_RARITY_SUM`, so that a single rare word is no similarity.
 */
export function sharedOfSmaller(a: WeightedStems, b: WeightedStems, words: Vocabulary): number {
  const smaller = Math.min(a.rarity, b.rarity)
  return smaller === 0 ? 0 : sharedRarity(a.stemSet, b.stemSet, words) / Math.max(smaller, MIN_RARITY_SUM)
}

const MIN_RARITY_SUM = 2

/**
 * The tokens of a sentence for word-by-word comparison, computed on first use: content words as stems,
 * function words unchanged.
 */
export function sentenceTokens(sentence: string): () => readonly string[] {
  let tokens: readonly string[] | undefined
  return () => {
    tokens ??= tokenize(sentence)
    return tokens
  }
}

function tokenize(sentence: string): string[] {
  const found = sentence.match(/[\p{L}\p{N}]+(?:[.,:_/@-][\p{L}\p{N}]+)*/gu) ?? []
  return found.slice(0, 60).map(tokenOf)
}

/** Words in capitals are names: US is not "us", and GET is not "get". */
function tokenOf(word: string): string {
  if (/^\p{Lu}{2,}$/u.test(word)) return word
  const lower = word.toLowerCase()
  return FUNCTION_WORDS.has(lower) ? lower : stem(lower)
}

/** Function words; ignored when statements are compared. */
export const FUNCTION_WORDS: ReadonlySet<string> = new Set(
  `a an the this that these those there here it its itself i me my mine myself we us our ours you your yours he him his
  she her hers they them their theirs who whom whose which what when where why how and or but nor so if then else than
  as at by for from in into of off on onto out over to under up down with within without about above after before
  between during through until till via per is are was were be been being am do does did done doing have has had having
  will would shall should can could may might must ought not no never none cannot don doesn didn isn aren wasn weren won
  wouldn shouldn couldn hasn haven hadn ain ve ll re im d s t m some any all each every both either neither such same
  other another more most less least much many few several lot very really quite just also too even only still yet
  again already ever always often usually sometimes rather actually basically simply please thanks thank yes ok okay
  well oh hey hi like kind sort kinda bit let get got getting gets make makes made making thing things way one ones
  because since while though although however therefore etc want need know think use uses used using run runs ran
  running live lives lived now currently nowadays anymore longer instead switch switched switches change changed changes
  move moved moves update updated updates upgrade upgraded raise raised lower lowered increase increased decrease
  decreased reduce reduced extend extended adjust adjusted postpone postponed reschedule rescheduled rename renamed
  replace replaced migrate migrated gone dropped drops removed deprecated supersedes superseded around far recently lately finally new newly called took taken`.split(
    /\s+/,
  ),
)
