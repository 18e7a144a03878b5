// Code and notes have about three and a half characters per token with all common tokenizers.
const CHARACTERS_PER_TOKEN = 3.5

/** Approximate number of tokens that a model reads for this text. */
export function countTokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN)
}

/** Approximate number of characters that fit into a budget of tokens; not rounded. */
export function charactersIn(tokens: number): number {
  return tokens * CHARACTERS_PER_TOKEN
}

/** Approximate number of tokens that this many characters take from a budget; not rounded. */
export function tokensIn(characters: number): number {
  return characters / CHARACTERS_PER_TOKEN
}
