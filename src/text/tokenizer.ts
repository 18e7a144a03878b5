/** Tokens of a text by o200k_base, as current models of OpenAI read it; those of others differ by a tenth or so. */
export type CountTokens = (text: string) => number

let loading: Promise<CountTokens> | null = null

/** The tables take a fifth of a second and 60 MB: only who has to count exactly loads them, once. */
export function loadTokenizer(): Promise<CountTokens> {
  loading ??= import("gpt-tokenizer/encoding/o200k_base").then(
    ({ countTokens }) =>
      (text) =>
        countTokens(text, PLAIN),
  )
  return loading
}

/** What looks like a control token is text like any other. */
const PLAIN = { disallowedSpecial: new Set<string>() }
