/** Which names stood in which texts, as it was found. */
export type FoundLinks = {
  /** Where and how each name was written then, by the name as names are compared. */
  readonly signatures: ReadonlyMap<string, string>
  readonly texts: Iterable<{
    readonly project: string | null
    readonly text: string
    readonly keys: readonly string[]
  }>
}

/** The same to be looked up; texts are known by their hashes. */
export type KeptLinks = {
  readonly signatures: ReadonlyMap<string, string>
  /** The names in a text, undefined where it was not read then. */
  readonly keys: (project: string | null, text: string) => readonly string[] | undefined
}

type Written = {
  readonly format: number
  readonly signatures: readonly (readonly [key: string, signature: string])[]
  /** Of each text its hash, then the places of its names in `signatures`. */
  readonly texts: readonly (readonly number[])[]
}

/** Grows with every change of how names are found in texts. */
const FORMAT = 1

export function writeLinks({ signatures, texts }: FoundLinks): string {
  const places = new Map([...signatures.keys()].map((key, place) => [key, place]))
  const written: Written = {
    format: FORMAT,
    signatures: [...signatures],
    texts: Array.from(texts, ({ project, text, keys }) => [
      hashOf(project, text),
      ...keys.map((key) => places.get(key)!),
    ]),
  }
  return JSON.stringify(written)
}

/** Null where it is of another version, or damaged. */
export function readLinks(body: string): KeptLinks | null {
  const written = parsed(body)
  if (written?.format !== FORMAT) return null
  const { signatures, texts } = written
  const places = new Map(texts.map((text) => [text[0]!, text]))
  return {
    signatures: new Map(signatures),
    keys: (project, text) => {
      const found = places.get(hashOf(project, text))
      return found?.slice(1).map((place) => signatures[place]![0])
    },
  }
}

/** The same of these texts alone; null where it is of another version, or damaged. */
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

function parsed(body: string): Written | null {
  try {
    return JSON.parse(body) as Written
  } catch {
    return null
  }
}

/** 53 bits. */
function hashOf(project: string | null, text: string): number {
  return Number(BigInt(Bun.hash(`${project ?? ""}\n${text}`)) & 0x1f_ffff_ffff_ffffn)
}
