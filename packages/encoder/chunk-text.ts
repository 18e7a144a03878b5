import { splitIdentifier } from "../../src/text/index.ts"

/*
 * What the encoder reads of a chunk, and the texts of files and names that it is trained on besides; a change of them needs
 * another training (packages/lab/train).
 */

/** The words of a name. */
export function nameText(name: string): string {
  return splitIdentifier(name).join(" ").toLowerCase()
}

/** The words of the last `parts` parts of a path, without the extension. */
export function pathText(path: string, parts: number): string {
  return path
    .replace(/\.[^./]+$/u, "")
    .split("/")
    .slice(-parts)
    .map(nameText)
    .join(" / ")
}

/** Maxima of what the encoder reads of a chunk; 64 word pieces hold little more. */
const OF_CHUNK = {
  chars: 20_000,
  pathParts: 3,
  names: 8,
  docs: 2,
  docChars: 160,
  strings: 6,
  comments: 4,
} as const
/** Strings, and texts between tags. */
const STRING =
  /"((?:[^"\\\n]|\\.){3,160})"|'((?:[^'\\\n]|\\.){3,160})'|`((?:[^`\\\n]|\\.){3,160})`|>\s*(\p{L}[^<>{}\n]{2,120})</gu
const COMMENT = /(?:^|\s)(?:\/\/+|#+(?=\s)|--(?=\s)|\*(?=\s)|"""|\/\*+)[ \t]*([^\n]{3,160})/gmu
const ADDRESS = /^(?:[./@]|https?:)/u

/** What the encoder reads of a chunk that defines some names. */
export type ChunkFacts = {
  readonly names: readonly string[]
  readonly docs: readonly string[]
  readonly text: string
}

/**
 * What the encoder reads of a chunk: the end of its path, its names, its documentation, and its strings and comments of
 * several words, which have the words that users see. "" if it has none of the last three.
 */
export function chunkText(path: string, { names, docs, text }: ChunkFacts): string {
  const head = text.slice(0, OF_CHUNK.chars)
  const seen = new Set<string>()
  const said = [
    ...docs
      .slice(0, OF_CHUNK.docs)
      .map((doc) => doc.replace(/\s+/gu, " ").trim().slice(0, OF_CHUNK.docChars)),
    ...phrases(head.matchAll(STRING), OF_CHUNK.strings, seen),
    ...phrases(head.matchAll(COMMENT), OF_CHUNK.comments, seen),
  ]
  if (said.length === 0) return ""
  const named = [...new Set(names.map(nameText))].slice(0, OF_CHUNK.names).join(", ")
  return [pathText(path, OF_CHUNK.pathParts), named, said.join(". ")].filter(Boolean).join(". ")
}

/** The first `max` matches of several words that are not in `seen`, to which they are added. */
function phrases(matches: Iterable<RegExpExecArray>, max: number, seen: Set<string>): string[] {
  const found: string[] = []
  for (const [, ...groups] of matches) {
    if (found.length === max) break
    const text = groups.find(Boolean) ?? ""
    const phrase = nameText(text.replace(/[\\$%{}<>[\]()=;]+/gu, " ")).trim()
    if (ADDRESS.test(text) || !phrase.includes(" ") || !/\p{L}{3}/u.test(phrase) || seen.has(phrase)) continue
    seen.add(phrase)
    found.push(phrase)
  }
  return found
}
