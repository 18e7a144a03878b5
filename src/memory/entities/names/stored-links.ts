/** The names found in texts. */
export type FoundLinks = {
  /** For each name in normalised form, its signature when the texts were read. */
  readonly signatures: ReadonlyMap<string, string>
  readonly texts: Iterable<{
    readonly project: string | null
    readonly text: string
    readonly keys: readonly string[]
  }>
}

/** Stored links for lookup; texts are identified by their hashes. */
export type StoredLinks = {
  readonly signatures: ReadonlyMap<string, string>
  /** The names in a text; undefined when the text was not read at that time. */
  readonly keys: (project: string | null, text: string) => readonly string[] | undefined
}

type StoredFormat = {
  readonly format: number
  readonly signatures: readonly (readonly [key: string, signature: string])[]
  /** For each text its hash, then the indices of its names in `signatures`. */
  readonly texts: readonly (readonly number[])[]
}

/** Increase this with every change of how names are found in texts. */
const FORMAT = 1

export function writeLinks({ signatures, texts }: FoundLinks): string {
  const places = new Map([...signatures.keys()].map((key, place) => [key, place]))
  const written: StoredFormat = {
    format: FORMAT,
    signatures: [...signatures],
    texts: Array.from(texts, ({ project, text, keys }) => [
      hashText(project, text),
      ...keys.map((key) => places.get(key)!),
    ]),
  }
  return JSON.stringify(written)
}

/** Reads stored links; null when they are of another version or damaged. */
export function readLinks(body: string): StoredLinks | null {
  const written = parseStoredLinks(body)
  if (written?.format !== FORMAT) return null
  const { signatures, texts } = written
  const places = new Map(texts.map((text) => [text[0]!, text]))
  return {
    signatures: new Map(signatures),
    keys: (project, text) => {
      const found = places.get(hashText(project, text))
      return found?.slice(1).map((place) => signatures[place]![0])
    },
  }
}

/** The stored links of these texts only; null when the stored links are of another version or damaged. */
export function trimLinks(
  body: string,
  texts: readonly { readonly project: string | null; readonly text: string }[],
): string | null {
  const links = readLinks(body)
  if (links === null) return null
  const kept = texts.flatMap(({ project, text }) => {
    const keys = links.keys(project, text)
    return keys === undefined ? [] : [{ project, text, keys }]
  })
  return writeLinks({ signatures: links.signatures, texts: kept })
}

function parseStoredLinks(body: string): StoredFormat | null {
  try {
    return JSON.parse(body) as StoredFormat
  } catch {
    return null
  }
}

/** A 53-bit hash. */
function hashText(project: string | null, text: string): number {
  return Number(BigInt(Bun.hash(`${project ?? ""}\n${text}`)) & 0x1f_ffff_ffff_ffffn)
}
