import { nameText, pathText } from "../../encoder/index.ts"

/** Names beyond this many do not fit into what the encoder reads of a file. */
const MAX_NAMES = 40
const PATH_PARTS = 4

/** What the encoder learns of a whole file: its path, its first documentation, its names, all as words. */
export function fileText(path: string, doc: string, symbols: readonly { readonly name: string }[]): string {
  const names = new Set<string>()
  for (const { name } of symbols) {
    if (names.size === MAX_NAMES) break
    names.add(nameText(name))
  }
  return [pathText(path, PATH_PARTS), doc.replace(/\s+/gu, " ").trim(), [...names].join(", ")]
    .filter(Boolean)
    .join(". ")
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
