import { posix } from "node:path"
import type { ParsedFile } from "../../../src/parse/index.ts"
import { sentenceSpans } from "../../../src/text/index.ts"
import { bagOf, sizeOf } from "./bag.ts"
import { placeOf } from "./file-pairs.ts"
import type { Pair } from "./pair.ts"

const MAX_OF_FILE = 40
const LINK = /\]\((?!https?:|#|mailto:)([^)#\s]+)[^)]*\)/gu
const FENCE = /^(```|~~~)[\s\S]*?^\1/gmu

/**
 * Pairs of a document: a heading and its section, a sentence and the next one, a sentence and the names of a
 * file that it links to.
 */
export function prosePairs(
  path: string,
  parsed: ParsedFile,
  files: ReadonlyMap<string, readonly string[]>,
): Pair[] {
  const rows = parsed.text.split("\n")
  const pairs: Pair[] = []
  for (const symbol of parsed.chunks.flatMap((chunk) => chunk.symbols).slice(0, MAX_OF_FILE)) {
    if (symbol.kind !== "section") continue
    const left = bagOf([symbol.name], 12)
    const right = bagOf([rows.slice(symbol.startLine, symbol.endLine).join("\n")], 120)
    if (left.size > 0 && sizeOf(right) >= 12) pairs.push({ kind: "heading → section", left, right })
  }
  return [...pairs, ...sentencePairs(path, parsed.text.replace(FENCE, ""), files)]
}

function sentencePairs(path: string, text: string, files: ReadonlyMap<string, readonly string[]>): Pair[] {
  const next: Pair[] = []
  const linked: Pair[] = []
  let before: ReturnType<typeof bagOf> | null = null
  let end = -1
  for (const span of sentenceSpans(text)) {
    const sentence = text.slice(span.start, span.end)
    const bag = bagOf([sentence.replace(LINK, "]")], 40)
    const isLong = sizeOf(bag) >= 7
    if (before !== null && isLong && span.start - end <= 2 && next.length < MAX_OF_FILE)
      next.push({ kind: "sentence → next sentence", left: before, right: bag })
    if (isLong) linked.push(...linkPairs(path, sentence, bag, files))
    before = isLong ? bag : null
    end = span.end
  }
  return [...next, ...linked.slice(0, MAX_OF_FILE)]
}

function linkPairs(
  path: string,
  sentence: string,
  left: ReturnType<typeof bagOf>,
  files: ReadonlyMap<string, readonly string[]>,
): Pair[] {
  return Array.from(sentence.matchAll(LINK)).flatMap(([, link]) => {
    const target = posix.normalize(
      link!.startsWith("/") ? link!.slice(1) : posix.join(posix.dirname(path), link!),
    )
    const names = files.get(target)
    return names === undefined
      ? []
      : [{ kind: "sentence → file it links" as const, left, right: bagOf([placeOf(target), ...names], 60) }]
  })
}
