/** Words of questions and sentences that tell nothing about what is meant; all of them English. */
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
