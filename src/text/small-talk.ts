/** Words by which people answer an agent rather than tell it what something is about; all of them English. */
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
