/**
 * Writes models/o200k.bin.zst, the table by which `context` counts tokens, from the tables of gpt-tokenizer.
 *
 *   bun scripts/token-table.ts
 */

import { writeFileSync } from "node:fs"
import { join } from "node:path"
import ranks from "gpt-tokenizer/bpeRanks/o200k_base"
import { encodeTokenTable } from "../src/text/index.ts"

export const TOKEN_TABLE = join(import.meta.dir, "..", "models", "o200k.bin.zst")

// Packing takes a second, unpacking 3 ms.
const ZSTD_LEVEL = 19

export function tokenTable(): Uint8Array {
  return encodeTokenTable(ranks)
}

if (import.meta.main) writeFileSync(TOKEN_TABLE, Bun.zstdCompressSync(tokenTable(), { level: ZSTD_LEVEL }))
