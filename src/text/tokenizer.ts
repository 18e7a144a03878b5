/** Tokens of a text by o200k_base, as current models of OpenAI read it; those of others differ by a tenth or so. */
export type CountTokens = (text: string) => number

let loading: Promise<CountTokens> | null = null

/** The tables take a tenth of a second and 60 MB: only who has to count exactly loads them, once. */
export function loadTokenizer(): Promise<CountTokens> {
  loading ??= load()
  return loading
}

async function load(): Promise<CountTokens> {
  const [{ GptEncoding }, { default: ranks }] = await Promise.all([
    import("gpt-tokenizer/GptEncoding"),
    import("gpt-tokenizer/bpeRanks/o200k_base"),
  ])
  // Encoding only goes through the tables; that their size is asked for, too, would take half of the time.
  const tables = { forEach: ranks.forEach.bind(ranks) } as unknown as typeof ranks
  const { countTokens } = GptEncoding.getEncodingApi("o200k_base", () => tables)
  return (text) => countTokens(text, PLAIN)
}

/** What looks like a control token is text like any other. */
const PLAIN = { disallowedSpecial: new Set<string>() }
