import { words } from "./identifiers.ts"

/** Words that say nothing in a question about code. The ranker was fitted with this list. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    "how is are the a an of to in on for and with by from does do what where which when it its via into that " +
    "this works work working be as at or if can use used using uses implementation implemented implements " +
    "implement through per between against under vs over after before their they them logic code s t " +
    // Words that surround the subject of a question. With them, the NDCG@10 of the labelled queries is 0.004 higher.
    "make makes made support supports supported supporting provide provides provided providing allow allows " +
    "allowed enable enables different multiple based across any all each other within without such like these " +
    "those while so than there well way ways happen happens happened e g i you we our your handle handles " +
    "handled handling manage manages managed managing perform performs performed"
  ).split(" "),
)

/** True for English function words, which do not show what a question or sentence is about. */
export function isFunctionWord(word: string): boolean {
  return FUNCTION_WORDS.has(word)
}

const FUNCTION_WORDS: ReadonlySet<string> = new Set(
  (
    "a an and any are as at be been being but by can could did do does doing for from had has have having he her " +
    "hers him his how i if in into is it its ll m me my of on or our ours re s she should so some t than that the " +
    "their theirs them then there these they this those to us ve was we were what when where which who whom whose " +
    "why will with would you your yours d don didn doesn isn wasn aren am about also just"
  ).split(" "),
)

/** True for English words that people use in replies to an agent and that name no subject. */
export function isSmallTalk(word: string): boolean {
  return SMALL_TALK.has(word)
}

const SMALL_TALK: ReadonlySet<string> = new Set(
  (
    "thanks thank thx ty please pls hello hi hey bye ok okay yes yep yeah no nope sure sorry welcome great good nice " +
    "cool awesome perfect excellent amazing wonderful fine lovely brilliant lgtm wow hmm oh ah looks sounds seems " +
    "ahead continue proceed again morning evening afternoon appreciate appreciated really"
  ).split(" "),
)

/** The first `max` distinct words, in order and in lower case, that show what a text is about. */
export function contentWords(text: string, max: number): string[] {
  const found = new Set<string>()
  for (const word of words(text)) {
    if (word.length < 2 || STOP_WORDS.has(word) || isFunctionWord(word)) continue
    found.add(word)
    if (found.size === max) break
  }
  return [...found]
}
