import { splitIdentifier } from "../../src/text/index.ts"

/*
 * What the encoder reads of a chunk, and the texts of files and names that it is trained on besides; a change of them needs
 * another training (packages/lab/train).
 */

/** Names beyond this many do not fit into what the encoder reads of a file. */
const MAX_NAMES = 40
const PATH_PARTS = 4

/** What the encoder reads of a file: its path, its first documentation, its names, all as words. */
export function fileText(path: string, doc: string, symbols: readonly { readonly name: string }[]): string {
  const names = new Set<string>()
  for (const { name } of symbols) {
    if (names.size === MAX_NAMES) break
    names.add(nameText(name))
  }
  return [pathText(path), doc.replace(/\s+/gu, " ").trim(), [...names].join(", ")].filter(Boolean).join(". ")
}

/** The words of a name. */
export function nameText(name: string): string {
  return splitIdentifier(name).join(" ").toLowerCase()
}

function pathText(path: string, parts = PATH_PARTS): string {
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

const MAX_HEAD_CHARS = 4_000
const MAX_DOC_CHARS = 300
/** Lines at the start of a file that may stand before the comment about it. */
const BEFORE = /^\s*(?:$|#!|<\?php|<\?xml|package\b|['"]use \w+['"]|# ?-\*-|# frozen_string_literal)/u
const LINE_COMMENT = /^\s*(?:\/\/|#(?!!|include|define|if|pragma)|--|;|%)/u
const BLOCKS: readonly (readonly [start: string, end: string])[] = [
  ["/*", "*/"],
  ['"""', '"""'],
  ["'''", "'''"],
  ["<!--", "-->"],
  ["{-", "-}"],
  ["--[[", "]]"],
  ["=begin", "=end"],
]
const LICENCE = /licen[cs]e|copyright|spdx/iu

/** The comment at the start of a file, without its marks; "" if there is none or it is a licence. */
export function headComment(text: string): string {
  const lines = text.slice(0, MAX_HEAD_CHARS).split("\n")
  const first = lines.findIndex((line) => !BEFORE.test(line))
  if (first < 0) return ""
  const rest = lines.slice(first).join("\n").trimStart()
  const block = BLOCKS.find(([start]) => rest.startsWith(start))
  let comment: string
  if (block === undefined) {
    const after = lines.findIndex((line, at) => at >= first && !LINE_COMMENT.test(line))
    comment = lines.slice(first, after < 0 ? undefined : after).join("\n")
  } else {
    const end = rest.indexOf(block[1], block[0].length)
    comment = rest.slice(0, end < 0 ? undefined : end + block[1].length)
  }
  if (LICENCE.test(comment)) return ""
  const words = comment.replace(/^[\s/*#;!"'<>{}%=-]+|[\s*/"'=-]+$/gmu, " ").replace(/\s+/gu, " ")
  return words.trim().slice(0, MAX_DOC_CHARS)
}
