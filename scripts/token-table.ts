/**
 * Writes models/o200k.bin.zst, the table by which `context` counts tokens, from the tables of gpt-tokenizer.
 *
 *   bun scripts/token-table.ts
 */

import { writeFileSync } from "node:fs"
import { join } from "node:path"
import ranks from "gpt-tokenizer/bpeRanks/o200k_base"

export const TOKEN_TABLE = join(import.meta.dir, "..", "models", "o200k.bin.zst")

// Packing takes a second, unpacking 3 ms.
const ZSTD_LEVEL = 19

/** The table in the format that src/text/tokenizer.ts describes and reads. */
export function tokenTable(): Uint8Array {
  const tokens: readonly (string | readonly number[])[] = ranks
  const isText = (token: string | readonly number[]) => typeof token === "string"
  const texts = tokens.filter(isText).join("")
  const rest = tokens.filter((token) => !isText(token)).flat()
  const lengths = tokens.map((token) => token.length + (isText(token) ? 0 : NO_TEXT))
  return Buffer.concat([Uint8Array.from(lengths), Buffer.from(texts), Uint8Array.from(rest as number[])])
}

/** Added to the length of a token that is no valid text. */
const NO_TEXT = 200

if (import.meta.main) writeFileSync(TOKEN_TABLE, Bun.zstdCompressSync(tokenTable(), { level: ZSTD_LEVEL }))
