import { isSmallTalk } from "../../text/small-talk.ts"
import { tellingWords } from "../../text/telling-words.ts"
import { isUnspaced } from "../../text/unicode.ts"
import type { Entry } from "../entry.ts"
import { findWord, type Searched } from "./find-word.ts"
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
  const searched = askedTerms(text)
  if (searched.length < LEAST_SHARED) return []
  const held = termsIn(entries, searched)
  const holders = new Array<number>(searched.length).fill(0)
  for (const found of held) for (const term of found) holders[term]!++
  const rarity = holders.map((count) => rarityOf(count, entries.length))
  const found = entries.flatMap((entry, i) =>
    isEnough(held[i]!, searched) ? [{ entry, strength: strengthOf(held[i]!, rarity, entries.length) }] : [],
  )
  return found.sort((a, b) => b.strength - a.strength || (a.entry.id < b.entry.id ? 1 : -1))
}

/** Which entries have a term, by their numbers, without the entries. */
export type TermHolders = { readonly entries: number; readonly holders: (term: string) => ArrayLike<number> }

/** The strength of the best match, by these alone. */
export function strengthByHolders(text: string, { entries, holders }: TermHolders): number {
  const searched = askedTerms(text)
  const lists = searched.map(({ term }) => holders(term))
  const held = new Map<number, number[]>()
  for (const [term, list] of lists.entries()) {
    for (let i = 0; i < list.length; i++) {
      const terms = held.get(list[i]!)
      if (terms === undefined) held.set(list[i]!, [term])
      else terms.push(term)
    }
  }
  const rarity = lists.map(({ length }) => rarityOf(length, entries))
  let strongest = 0
  for (const shared of held.values())
    if (isEnough(shared, searched)) strongest = Math.max(strongest, strengthOf(shared, rarity, entries))
  return strongest
}

type Asked = Searched & { readonly isSmallTalk: boolean }

function askedTerms(text: string): Asked[] {
  const words = tellingWords(text, MOST_WORDS)
  const terms = new Map(words.map((word) => [termsOf(word).inOrder[0] ?? word, word] as const))
  return [...terms].map(([term, word]) => ({
    term,
    isUnspaced: isUnspaced(word),
    isSmallTalk: isSmallTalk(word),
  }))
}

function isEnough(shared: readonly number[], searched: readonly Asked[]): boolean {
  return shared.filter((term) => !searched[term]!.isSmallTalk).length >= LEAST_SHARED
}

/** How much is shared, and which share of what the text says that is. */
function strengthOf(shared: readonly number[], rarity: readonly number[], entries: number): number {
  const total = rarity.reduce((sum, each) => sum + each, 0)
  const mass = shared.reduce((sum, term) => sum + rarity[term]!, 0)
  return ((mass / total) * mass) / thresholdOf(entries)
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

/** Terms of each entry. All texts are searched as one: a word that is rare costs next to nothing. */
function termsIn(entries: readonly Matched[], searched: readonly Searched[]): number[][] {
  const starts: number[] = []
  let whole = ""
  for (const { text, topic, tags } of entries) {
    starts.push(whole.length)
    whole += `${text}\n${topic}\n${tags.join(" ")}\n\n`
  }
  const lower = whole.toLowerCase()
  // Where lower case is longer, places in the one are not places in the other.
  if (lower.length !== whole.length) return entries.flatMap((entry) => termsOfOne(entry, searched))
  const found: number[][] = entries.map(() => [])
  for (const [term, each] of searched.entries()) {
    let entry = 0
    for (let at = findWord(whole, lower, each); at >= 0; at = findWord(whole, lower, each, starts[entry]!)) {
      while (entry + 1 < starts.length && starts[entry + 1]! <= at) entry++
      found[entry]!.push(term)
      if (++entry === entries.length) break
    }
  }
  return found
}

function termsOfOne(entry: Matched, searched: readonly Searched[]): number[][] {
  const lower = `${entry.text}\n${entry.topic}\n${entry.tags.join(" ")}`.toLowerCase()
  return [searched.flatMap((each, term) => (findWord(lower, lower, each) >= 0 ? [term] : []))]
}

/** Inverse document frequency, 1 for a word of no entry. */
function rarityOf(holders: number, entries: number): number {
  const all = Math.max(entries, LEAST_ENTRIES)
  const idf = (count: number) => Math.log(1 + (all - count + 0.5) / (count + 0.5))
  return idf(holders) / idf(0)
}
