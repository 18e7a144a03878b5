import type { TextPattern } from "./text-pattern.ts"

/** Characters of which a match has one at this place, or several if `isRepeated`; null if they are unknown. */
type Place = { readonly characters: readonly string[]; readonly isRepeated: boolean } | null

/**
 * Tests whether a text has the trigrams that a regular expression needs, where RE2JS knows only whole texts such as `sha` of
 * `sha(1|256)`: a match has three neighbouring characters of each three neighbouring places. (Cox 2012, "Regular Expression
 * Matching with a Trigram Index".) It accepts each text if the pattern has parts that this does not read.
 */
export function trigramTest(pattern: string): TextPattern["mayBeIn"] {
  let sequences: Place[][] = [[]]
  PIECE.lastIndex = 0
  while (PIECE.lastIndex < pattern.length) {
    const piece = PIECE.exec(pattern)?.groups
    if (piece === undefined) return () => true
    const added = piece["edge"] === undefined ? placesOf(piece, MAX_ALTERNATIVES / sequences.length) : [[]]
    sequences = sequences.flatMap((one) => added.map((places) => [...one, ...places]))
  }
  const alternatives = sequences.map(windowsOf)
  const hasDigits = pattern.includes("\\d")
  // A text beyond ASCII may have other digits.
  return (has, isAscii) =>
    (hasDigits && !isAscii) || alternatives.some((windows) => windows.every((texts) => texts.some(has)))
}

/** The places of a piece, for each of its words if it has any; at most `max`. */
function placesOf(piece: Readonly<Record<string, string | undefined>>, max: number): Place[][] {
  const { words, members, unknown, literal, escaped, repetition = "" } = piece
  const texts = words?.split("|") ?? []
  if (unknown !== undefined || /^[*?{]/.test(repetition)) return [[null]]
  if (words !== undefined)
    return repetition !== "" || texts.length > max ? [[null]] : texts.map((text) => Array.from(text, single))
  const isDigit = members === "0-9" || escaped === "d"
  const characters = isDigit ? [DIGIT] : Array.from(members ?? literal ?? escaped!)
  return [[{ characters, isRepeated: repetition !== "" }]]
}

const MAX_ALTERNATIVES = 16
/** Maximum number of trigrams of a window. A memory of trigrams takes a third of them to be in a text that lacks them. */
const MAX_TRIGRAMS = 4
/** Stands for any digit, and for each digit beside it. */
export const DIGIT = "\u0001"

/** A piece of a pattern with its repetition. `edge` has no characters; those of `unknown` are not told apart. */
const PIECE =
  /(?:(?<edge>\\[bB]|[\^$])|\((?:\?:)?(?<words>[\w-]+(?:\|[\w-]+)*)\)|\[(?<members>0-9|[^\\\][^-]{1,8})\]|\\(?<escaped>d|[^\w\s])|(?<unknown>\.|\\[wWsSD]|\[(?!\^?\])(?:\\[^pPQ]|[^\]\\[])+\])|(?<literal>[^\\()[\]{}|*+?.^$]))(?<repetition>(?:[*?+]|\{\d+(?:,\d*)?\})\??)?/uy

function single(character: string): Place {
  return { characters: [character], isRepeated: false }
}

function windowsOf(places: readonly Place[]): string[][] {
  return places.flatMap((first, at) => {
    const [second, third] = [places[at + 1], places[at + 2]]
    if (!first || !second || !third) return []
    const last = [...third.characters, ...(second.isRepeated ? second.characters : [])]
    if (first.characters.length * second.characters.length * last.length > MAX_TRIGRAMS) return []
    const texts = first.characters.flatMap((a) =>
      second.characters.flatMap((b) => last.map((c) => a + b + c)),
    )
    return [texts.map((text) => (text.includes(DIGIT) ? text.replace(/[0-9]/g, DIGIT) : text))]
  })
}
