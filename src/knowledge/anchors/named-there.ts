import { isFunctionWord } from "../../text/function-words.ts"
import { isCutLine } from "./lines.ts"

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
/** 1_000 is 1000; in a text, 1,000 is as well. */
const GROUPED = /(?<=\p{N})_(?=\p{N}{3})/gu
const SAID_GROUPED = /(?<=\p{N})[_,](?=\p{N}{3}(?!\p{N}))/gu
/** Of a list, «2. open». */
const LIST_NUMBER = /(?<=(?:^|[\n;])\s*\(?)\p{N}{1,2}[.)](?=\s)/gu
/** «3 steps», «2. read»: what such a digit counts is no value, if it is no unit. */
const COUNT = /(?<![\p{L}\p{N}._-])\p{N}(?=[.)]?\s+\p{Ll})(?!\s(?:[mnµ]?s|min|h|d|[kKMGT]i?B|px)(?!\p{L}))/gu

/**
 * Whether lines that changed still have what an entry names of them: no proof of its being true, but where a name or a
 * number is gone the entry is outdated in five cases of six, and where none is in one of two. `then` may be cut, `now`
 * is all there is; where one of its lines is cut nothing is known.
 */
export function namedThere(said: string, then: string, now: readonly string[]): NamedThere {
  if (now.some(isCutLine)) return { named: [], lost: [] }
  const there = new Set(wordsIn(then))
  const left = new Set(wordsIn(now.join("\n")))
  const told = said.replace(LIST_NUMBER, " ").replace(SAID_GROUPED, "").replace(COUNT, " ")
  const named = [...new Set(told.match(WORD))].filter((word) => isTelling(word) && there.has(word))
  return { named, lost: named.filter((word) => !left.has(word)) }
}

function wordsIn(code: string): readonly string[] {
  return code.replace(GROUPED, "").match(WORD) ?? []
}

function isTelling(word: string): boolean {
  return /\p{N}/u.test(word) || (word.length >= LEAST_LETTERS && !isFunctionWord(word.toLowerCase()))
}
