import { isFunctionWord } from "../../text/function-words.ts"

/** What an entry says in the words of its lines, and how much of that they have lost. */
export type NamedThere = {
  /** Words and numbers of the entry that its lines had. */
  readonly named: readonly string[]
  /** Those that they have no more. */
  readonly lost: readonly string[]
}

/** Shorter words stand in any code. */
const LEAST_LETTERS = 3
/** What is longest in code and text alike: an identifier or a word, or a number with its points. */
const WORD = /\p{N}+(?:\.\p{N}+)*|[\p{L}_$][\p{L}\p{N}_$]*/gu

/**
 * Whether lines that changed still have what an entry names of them: no proof of its being true, but where a name or a
 * number is gone the entry is outdated in five cases of six, and where none is in one of two. `then` may be cut, `now`
 * is all there is.
 */
export function namedThere(said: string, then: string, now: readonly string[]): NamedThere {
  const there = new Set(then.match(WORD))
  const left = new Set(now.join("\n").match(WORD))
  const named = [...new Set(said.match(WORD))].filter((word) => isTelling(word) && there.has(word))
  return { named, lost: named.filter((word) => !left.has(word)) }
}

function isTelling(word: string): boolean {
  return /\p{N}/u.test(word) || (word.length >= LEAST_LETTERS && !isFunctionWord(word.toLowerCase()))
}
