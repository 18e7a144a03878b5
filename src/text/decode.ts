const SNIFFED_BYTES = 8192

/** The text of a file, byte-order mark removed and invalid bytes replaced; null for what is binary. */
export function decodeText(bytes: Uint8Array): { text: string } | null {
  if (bytes.subarray(0, SNIFFED_BYTES).includes(0)) return null
  return { text: decoder.decode(bytes) }
}

const decoder = new TextDecoder("utf-8")
