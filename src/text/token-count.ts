// Code and notes have about three and a half characters per token with all common tokenizers.
export const CHARACTERS_PER_TOKEN = 3.5

/** Approximate number of tokens that a model reads for this text. */
export function countTokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN)
}
