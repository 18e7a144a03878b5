// With all common tokenizers, code and notes have about three and a half characters per token.
const CHARACTERS_PER_TOKEN = 3.5

/** Approximate number of tokens of this text for a language model. */
export function countTokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN)
}

/** Approximate number of characters that a budget of tokens allows; not rounded. */
export function charactersIn(tokens: number): number {
  return tokens * CHARACTERS_PER_TOKEN
}

/** Approximate number of tokens for this many characters; not rounded. */
export function tokensIn(characters: number): number {
  return characters / CHARACTERS_PER_TOKEN
}
