import { isFunctionWord } from "../../text/index.ts"
import { isCutLine } from "./anchor.ts"

/** Minimum letters; shorter words occur in any code. */
const MIN_LETTERS = 3
/** The longest units shared by code and text: an identifier, a word, or a number with its points. */
const WORD = /\p{N}+(?:\.\p{N}+)*|[\p{L}_$][\p{L}\p{N}_$]*/gu
/** Grouped digits: in code 1_000 is 1000; in a text 1,000 is too. */
const GROUPED = /(?<=\p{N})_(?=\p{N}{3})/gu
const TEXT_GROUPED = /(?<=\p{N})[_,](?=\p{N}{3}(?!\p{N}))/gu
/** Numbers of list items: "2. open". */
const LIST_NUMBER = /(?<=(?:^|[\n;])\s*\(?)\p{N}{1,2}[.)](?=\s)/gu
/** A single digit that counts or numbers something ("3 steps", "2. read") is no value, unless a unit follows. */
const COUNT = /(?<![\p{L}\p{N}._-])\p{N}(?=[.)]?\s+\p{Ll})(?!\s(?:[mnµ]?s|min|h|d|[kKMGT]i?B|px)(?!\p{L}))/gu

/**
 * Compares changed lines with the words an entry uses for them. `named`: words and numbers that both the entry and its
 * original lines contain; `lost`: those that neither the current lines nor the lines around them contain. This proves
 * nothing, but if a name or number is gone, the entry is outdated in five of six cases; if none is, in one of two. `then`
 * may be shortened, `now` is complete. A word that the lines around have gained moved there and is not lost. Both lists are
 * empty when a current line is shortened, because its words are unknown.
 */
export function retainedWords(
  entryText: string,
  then: string,
  now: readonly string[],
  around: { readonly before: readonly string[]; readonly now: readonly string[] } = { before: [], now: [] },
): { readonly named: readonly string[]; readonly lost: readonly string[] } {
  if (now.some(isCutLine)) return { named: [], lost: [] }
  const there = new Set(wordsIn(then))
  const left = new Set(wordsIn(now.join("\n")))
  const plain = entryText.replace(LIST_NUMBER, " ").replace(TEXT_GROUPED, "").replace(COUNT, " ")
  const named = [...new Set(plain.match(WORD))].filter((word) => isTelling(word) && there.has(word))
  const before = wordCounts(around.before)
  const moved = wordCounts(around.now)
  const isLost = (word: string) => !left.has(word) && (moved.get(word) ?? 0) <= (before.get(word) ?? 0)
  return { named, lost: named.filter(isLost) }
}

function wordCounts(lines: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const word of wordsIn(lines.join("\n"))) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

function wordsIn(code: string): readonly string[] {
  return code.replace(GROUPED, "").match(WORD) ?? []
}

function isTelling(word: string): boolean {
  return /\p{N}/u.test(word) || (word.length >= MIN_LETTERS && !isFunctionWord(word.toLowerCase()))
}
