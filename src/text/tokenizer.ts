import tablePath from "../../models/o200k.bin.zst" with { type: "file" }
import { countPieceTokens } from "./count-pieces.ts"
import { TokenTable } from "./token-table.ts"

/** Tokens of a text by o200k_base, as current models of OpenAI read it; those of others differ by a tenth or so. */
export type CountTokens = (text: string) => number

/** Of o200k_base, without control tokens: in a text they are text like any other. */
const TOKENS = 199_998

let loading: Promise<CountTokens> | null = null

/** The table takes some 20 ms and 5 MB: only who has to count exactly loads it, once. */
export function loadTokenizer(): Promise<CountTokens> {
  loading ??= load()
  return loading
}

/**
 * Split rule and tokens are the library's. Its own tables are 11 MB of the binary, 80 ms and 60 MB of memory, so they are
 * packed by scripts/token-table.ts and looked up in place (docs/decisions/0021-context.md).
 */
async function load(): Promise<CountTokens> {
  const [{ O200KBase }, packed] = await Promise.all([
    import("gpt-tokenizer/encodingParams/o200k_base"),
    Bun.file(tablePath).bytes(),
  ])
  const { tokenSplitRegex } = O200KBase([])
  const table = new TokenTable(Bun.zstdDecompressSync(packed), TOKENS)
  const encoder = new TextEncoder()
  let bytes = new Uint8Array(1024)
  return (text) => {
    let tokens = 0
    for (const [piece] of text.matchAll(tokenSplitRegex)) {
      // UTF-8 has at most three bytes for a unit of UTF-16.
      if (piece.length * 3 > bytes.length) bytes = new Uint8Array(piece.length * 3)
      const { written } = encoder.encodeInto(piece, bytes)
      tokens += countPieceTokens(bytes, written, table)
    }
    return tokens
  }
}
