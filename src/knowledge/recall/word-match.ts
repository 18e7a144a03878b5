import { tellingWords } from "../../text/telling-words.ts"
import { isUnspaced } from "../../text/unicode.ts"
import type { Entry } from "../entry.ts"
import { holdsTerm, type Searched } from "./holds-term.ts"
import { termsOf } from "./terms.ts"

export type WordMatch<E> = {
  readonly entry: E
  /** 1: as much as a text in fifty that is about something else has in common with what is known. */
  readonly strength: number
}

type Matched = Pick<Entry, "id" | "text" | "topic" | "tags">

/**
 * Entries that share so much with a text that it is likely to be about them, best first. By words alone, without an
 * index, in a few milliseconds for a thousand entries: for a process that mostly has nothing to say. Where it is to
 * answer a question, `recall` finds more.
 */
export function matchByWords<E extends Matched>(text: string, entries: readonly E[]): WordMatch<E>[] {
  const words = tellingWords(text, MOST_WORDS)
  const terms = new Map(words.map((word) => [termsOf(word).inOrder[0] ?? word, word] as const))
  const searched = [...terms].map(([term, word]): Searched => ({ term, isUnspaced: isUnspaced(word) }))
  if (searched.length < LEAST_SHARED) return []
  const held = entries.map((entry) => termsIn(entry, searched))
  const rarity = raritiesOf(held, searched.length)
  const total = rarity.reduce((sum, each) => sum + each, 0)
  const threshold = thresholdOf(entries.length)
  const found = entries.flatMap((entry, i) => {
    if (held[i]!.length < LEAST_SHARED) return []
    const shared = held[i]!.reduce((sum, term) => sum + rarity[term]!, 0)
    // How much is shared, and which share of what the text says that is.
    return [{ entry, strength: ((shared / total) * shared) / threshold }]
  })
  return found.sort((a, b) => b.strength - a.strength || (a.entry.id < b.entry.id ? 1 : -1))
}

/** What follows in a longer text is about the same. */
const MOST_WORDS = 40
/** One word is shared by chance. */
const LEAST_SHARED = 2
/** With fewer entries each word seems rare. */
const LEAST_ENTRIES = 20

/**
 * The more is known, the more of it shares some words with any text. Fitted on stores of 6 to 444 notes of nineteen
 * projects, so that one in fifty texts about something else passes: .36 at 23, .59 at 68, .70 at 138, .89 at 444
 * (docs/hooks.md).
 */
function thresholdOf(entries: number): number {
  return 0.17 * Math.log(Math.max(entries, LEAST_ENTRIES)) - 0.15
}

function termsIn({ text, topic, tags }: Matched, searched: readonly Searched[]): number[] {
  const whole = `${text}\n${topic}\n${tags.join(" ")}`
  const lower = whole.toLowerCase()
  // Where lower case is longer, places in the one are not places in the other.
  const original = lower.length === whole.length ? whole : lower
  return searched.flatMap((each, i) => (holdsTerm(original, lower, each) ? [i] : []))
}

/** Inverse document frequency, 1 for a word of no entry. */
function raritiesOf(held: readonly (readonly number[])[], terms: number): number[] {
  const holders = new Array<number>(terms).fill(0)
  for (const found of held) for (const term of found) holders[term]!++
  const entries = Math.max(held.length, LEAST_ENTRIES)
  const idf = (count: number) => Math.log(1 + (entries - count + 0.5) / (count + 0.5))
  return holders.map((count) => idf(count) / idf(0))
}
