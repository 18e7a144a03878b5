/** The bytes of a text in an encoding of the WHATWG standard; throws for a character that the encoding does not have. */
export function encode(text: string, encoding: string): Uint8Array<ArrayBuffer> {
  const table = tableOf(encoding)
  return Uint8Array.from(
    [...text].flatMap((character) => {
      const bytes = table.get(character)
      if (bytes === undefined) throw new Error(`${encoding} has no ${JSON.stringify(character)}`)
      return bytes
    }),
  )
}

const tables = new Map<string, ReadonlyMap<string, readonly number[]>>()

/** The bytes of each character that takes one or two bytes, found by decoding all of them. */
function tableOf(encoding: string): ReadonlyMap<string, readonly number[]> {
  const table = tables.get(encoding)
  if (table === undefined) {
    const found = new Map<string, readonly number[]>()
    const decoder = new TextDecoder(encoding as Bun.Encoding, { fatal: true })
    const add = (...bytes: number[]) => {
      try {
        const [character, ...others] = decoder.decode(Uint8Array.from(bytes))
        if (character !== undefined && others.length === 0 && !found.has(character))
          found.set(character, bytes)
      } catch {
        // Not a character of the encoding.
      }
    }
    for (let first = 0; first < 256; first++) add(first)
    for (let first = 0x81; first < 255; first++)
      for (let second = 0x40; second < 255; second++) add(first, second)
    tables.set(encoding, found)
    return found
  }
  return table
}
