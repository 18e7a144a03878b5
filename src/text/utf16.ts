type Utf16 = "utf-16le" | "utf-16be"

// Source code is mostly ASCII. Prose in other scripts needs its mark: without one, git calls it binary too.
const MIN_ASCII_SHARE = 1 / 2

/**
 * Whether bytes without a byte-order mark are UTF-16, and in which order. The zero bytes of such a text stand all
 * on the same side of its units, and what they leave is text; tables of 16-bit numbers have control characters too.
 */
export function looksLikeUtf16(head: Uint8Array): Utf16 | null {
  let even = 0
  let odd = 0
  for (let at = 0; at < head.length; at++) {
    if (head[at] === 0) at % 2 === 0 ? even++ : odd++
  }
  if (even > 0 === odd > 0) return null
  const encoding = even > 0 ? "utf-16be" : "utf-16le"
  return Math.max(even, odd) >= (head.length / 2) * MIN_ASCII_SHARE && isText(head, encoding)
    ? encoding
    : null
}

function isText(head: Uint8Array, encoding: Utf16): boolean {
  try {
    // Streaming, for the sniffed part may end between the halves of a pair.
    const text = new TextDecoder(encoding, { fatal: true }).decode(head, { stream: true })
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
    return !/[\0-\x08\x0e-\x1a\x1c-\x1f\x7f\ufffe\uffff]/u.test(text)
  } catch {
    return false
  }
}
