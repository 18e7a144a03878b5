import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { TOKEN_TABLE, tokenTable } from "./token-table.ts"

test("the packed tokens equal those of the package (else: run scripts/token-table.ts)", () => {
  expect(Buffer.compare(Bun.zstdDecompressSync(readFileSync(TOKEN_TABLE)), tokenTable())).toBe(0)
})
