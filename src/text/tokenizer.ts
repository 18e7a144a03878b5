import tablePath from "../../models/o200k.bin.zst" with { type: "file" }
import { readTokenTable, type Token } from "./token-table.ts"

/** Tokens of a text by o200k_base, as current models of OpenAI read it; those of others differ by a tenth or so. */
export type CountTokens = (text: string) => number

/** Of o200k_base, without control tokens: in a text they are text like any other. */
const TOKENS = 199_998

let loading: Promise<CountTokens> | null = null

/** The table takes a tenth of a second and 50 MB: only who has to count exactly loads it, once. */
export function loadTokenizer(): Promise<CountTokens> {
  loading ??= load()
  return loading
}

/**
 * The library counts; its table is a module of 11 MB and so packed (scripts/token-table.ts,
 * docs/decisions/0021-context.md).
 */
async function load(): Promise<CountTokens> {
  const [{ GptEncoding }, packed] = await Promise.all([
    import("gpt-tokenizer/GptEncoding"),
    Bun.file(tablePath).bytes(),
  ])
  const file = Bun.zstdDecompressSync(packed)
  // Encoding only goes through the table once.
  const table = {
    forEach: (visit: (token: Token, rank: number) => void) => readTokenTable(file, TOKENS, visit),
  }
  type Table = ReturnType<Parameters<typeof GptEncoding.getEncodingApi>[1]>
  const { countTokens } = GptEncoding.getEncodingApi("o200k_base", () => table as unknown as Table)
  return (text) => countTokens(text, PLAIN)
}

/** What looks like a control token is text like any other. */
const PLAIN = { disallowedSpecial: new Set<string>() }
