/** Maximum number of characters of all guessed names together; the rest is ignored. */
const MAX_CHARACTERS = 2_000

/** The guessed names of a request as one text; "" if there are none. */
export function guessedText(names: readonly string[] | undefined): string {
  return (names ?? []).join(" ").trim().slice(0, MAX_CHARACTERS)
}

/** A question together with its guessed names. The names come first, because of a long text the first words are used. */
export function withNames(text: string, names: readonly string[] | undefined): string {
  const guessed = guessedText(names)
  return guessed === "" ? text : `${guessed} ${text}`.trim()
}
