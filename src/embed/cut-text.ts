/**
 * Tokenizers of embedding models make a token of three bytes of code at least, of one CJK character (3 bytes) at most.
 */
const BYTES_PER_TOKEN = 3

/**
 * As much of a text's beginning as surely fits into so many tokens, ending with a whole line where one ends in its
 * last quarter. What is cut here would be cut, or refused, by the server.
 */
export function cutText(text: string, tokens: number): string {
  const most = tokens * BYTES_PER_TOKEN
  // A code unit is three bytes at most.
  if (text.length * 3 <= most) return text
  const { read } = encoder.encodeInto(text, new Uint8Array(most))
  if (read === text.length) return text
  const line = text.lastIndexOf("\n", read)
  return text.slice(0, line >= read * 0.75 ? line : read)
}

const encoder = new TextEncoder()
