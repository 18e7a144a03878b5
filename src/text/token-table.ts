/*
 * The file of a token table: a number for each token, by rank (u8): its length in units of UTF-16, or, where its bytes
 * are no text, 200 and their number. Then the texts of all tokens as UTF-8, then the bytes of those without, each by
 * rank.
 */
export type Token = string | readonly number[]

const NO_TEXT = 200

/** Calls `visit` for each token by its rank; the tables of gpt-tokenizer are of this form. */
export function readTokenTable(
  file: Uint8Array,
  count: number,
  visit: (token: Token, rank: number) => void,
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

/** The bytes of a table's file. */
export function encodeTokenTable(tokens: readonly Token[]): Uint8Array {
  const isText = (token: Token) => typeof token === "string"
  const texts = tokens.filter(isText).join("")
  const rest = tokens.filter((token) => !isText(token)).flat()
  const lengths = tokens.map((token) => token.length + (isText(token) ? 0 : NO_TEXT))
  return Buffer.concat([Uint8Array.from(lengths), Buffer.from(texts), Uint8Array.from(rest as number[])])
}
