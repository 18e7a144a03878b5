import tablePath from "../../models/o200k.bin.zst" with { type: "file" }

/**
 * Returns the number of tokens of a text in o200k_base, which current models of OpenAI use. For other models the number
 * differs by about a tenth.
 */
export type CountTokens = (text: string) => number

/** Number of tokens in o200k_base without control tokens, which are counted as ordinary text. */
const TOKENS = 199_998

let loading: Promise<CountTokens> | null = null

/** Loads the token table once. This takes a tenth of a second and 50 MB, so it is done only for exact counts. */
export function loadTokenizer(): Promise<CountTokens> {
  loading ??= load()
  return loading
}

/**
 * Counts with the library gpt-tokenizer. Its token table is a module of 11 MB, so aman contains it in compressed form
 * (scripts/token-table.ts, docs/decisions/10-context.md).
 */
async function load(): Promise<CountTokens> {
  const [{ GptEncoding }, packed] = await Promise.all([
    import("gpt-tokenizer/GptEncoding"),
    Bun.file(tablePath).bytes(),
  ])
  const file = Bun.zstdDecompressSync(packed)
  // Encoding goes through the table once, so the object needs no other method than `forEach`.
  const table = {
    forEach: (visit: (token: TokenBytes, rank: number) => void) => readTokenTable(file, TOKENS, visit),
  }
  type RankTable = ReturnType<Parameters<typeof GptEncoding.getEncodingApi>[1]>
  const { countTokens } = GptEncoding.getEncodingApi("o200k_base", () => table as unknown as RankTable)
  return (text) => countTokens(text, PLAIN)
}

/** The option that makes text which looks like a control token count as ordinary text. */
const PLAIN = { disallowedSpecial: new Set<string>() }

/*
 * The file of a token table has three parts, each in the order of ranks: one u8 per token, which is the length of its
 * text in UTF-16 units, or 200 plus the number of its bytes if they are not valid text; the texts as UTF-8; the bytes
 * of the tokens without text.
 */
type TokenBytes = string | readonly number[]

const NO_TEXT = 200

/** Calls `visit` for each token with its rank, like the `forEach` of gpt-tokenizer's own tables. */
function readTokenTable(
  file: Uint8Array,
  count: number,
  visit: (token: TokenBytes, rank: number) => void,
): void {
  const lengths = file.subarray(0, count)
  const rest = lengths.reduce((sum, length) => sum + Math.max(0, length - NO_TEXT), 0)
  const texts = new TextDecoder().decode(file.subarray(count, file.length - rest))
  let textAt = 0
  let byteAt = file.length - rest
  for (const [rank, length] of lengths.entries()) {
    if (length < NO_TEXT) {
      visit(texts.slice(textAt, textAt + length), rank)
      textAt += length
    } else {
      const end = byteAt + length - NO_TEXT
      visit([...file.subarray(byteAt, end)], rank)
      byteAt = end
    }
  }
}

/** Encodes a token table in the format described above. */
export function encodeTokenTable(tokens: readonly TokenBytes[]): Uint8Array {
  const isText = (token: TokenBytes) => typeof token === "string"
  const texts = tokens.filter(isText).join("")
  const rest = tokens.filter((token) => !isText(token)).flat()
  const lengths = tokens.map((token) => token.length + (isText(token) ? 0 : NO_TEXT))
  return Buffer.concat([Uint8Array.from(lengths), Buffer.from(texts), Uint8Array.from(rest as number[])])
}
