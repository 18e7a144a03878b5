/** True if a UTF-16 unit outside of ASCII is part of a word. */
export function isWordCode(code: number): boolean {
  wordCodes ??= buildWordCodes()
  return (wordCodes[code >>> 3]! & (1 << (code & 7))) !== 0
}

/**
 * The words of a text in lower case; identifiers are split at capitals. Text in scripts without spaces is split into
 * overlapping pairs of characters.
 */
export function unicodeWords(text: string): string[] {
  return (text.match(RUNS) ?? []).flatMap((run) => {
    // Runs of ASCII characters use the fast pattern even if another part of the text contains an accent.
    if (ASCII.test(run)) return (run.match(ASCII_WORDS) ?? []).map((word) => word.toLowerCase())
    const pieces = run.normalize("NFKC").match(PIECES) ?? []
    return pieces.flatMap((piece) => (isUnspaced(piece) ? pairs(piece) : [piece.toLowerCase()]))
  })
}

/** The single Han characters of longer runs, because each may also be a word. */
export function loneCharacters(text: string): string[] {
  const runs = text.normalize("NFKC").match(UNSPACED_RUNS) ?? []
  return runs.flatMap((run) => run.match(HAN) ?? [])
}

/**
 * The word as typed on a keyboard that lacks its letters: without accents, and with ss for ß. If nothing changes, the
 * word itself.
 */
export function folded(word: string): string {
  if (ASCII.test(word) || isUnspaced(word)) return word
  const plain = word.normalize("NFKD").replace(ACCENTS, "").normalize("NFC").replace(SPECIAL, specialAs)
  return plain.replace(ARABIC_PREFIX, "")
}

/** True if the text contains characters of one of the UNSPACED_SCRIPTS. */
export function isUnspaced(text: string): boolean {
  return UNSPACED.test(text)
}

export const ASCII = /^[\x00-\x7f]*$/
// The alternatives, in order, match: an acronym with a plural s (URLs), an acronym (HTTP in HTTPServer), a word (Server
// or server), a single capital, and digits.
export const ASCII_WORDS = /[A-Z]{2,}s(?![a-z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[A-Z]|\d+/g
const RUNS = /[\p{L}\p{N}\p{M}]+/gu
const HAN = /\p{Script=Han}/gu

// Scripts whose words are indexed as pairs of characters. Most of them have no spaces between words. Korean has, but
// its words have so many endings that pairs find more.
const UNSPACED_SCRIPTS = "Han Hiragana Katakana Hangul Thai Lao Khmer Myanmar Tibetan".split(" ")
/** These scripts as the inside of a character class, for patterns with the flag u. */
export const UNSPACED_CLASS = `${UNSPACED_SCRIPTS.map((script) => `\\p{Script=${script}}`).join("")}ー`
const UNSPACED = new RegExp(`[${UNSPACED_CLASS}]`, "u")
const UNSPACED_RUNS = new RegExp(`[${UNSPACED_CLASS}]{2,}`, "gu")
const LOWER = `(?:(?![${UNSPACED_CLASS}])[\\p{Ll}\\p{Lo}\\p{Lm}\\p{M}])`
const PIECES = new RegExp(
  `[${UNSPACED_CLASS}]+|\\p{Lu}{2,}s(?!${LOWER})|[\\p{Lu}\\p{Lt}]+(?!${LOWER})|[\\p{Lu}\\p{Lt}]?${LOWER}+|[\\p{Lu}\\p{Lt}]|\\p{N}+`,
  "gu",
)

// Matches marks that are accents. In other scripts marks are vowels, which must be kept.
const ACCENTS = /(?=\p{M})[\p{Script=Inherited}\p{Script=Hebrew}\p{Script=Arabic}]/gu
// Matches the Arabic article, conjunctions and prepositions, which are written together with the next word.
const ARABIC_PREFIX = /^(?:[وفبكل]?ال|لل|[وفبكل])(?=\p{Script=Arabic}{4})/u

// Letters with an ASCII spelling or variant that Unicode's decomposition does not provide.
const SPECIAL_LETTERS: Readonly<Record<string, string>> = {
  ...{ ß: "ss", æ: "ae", œ: "oe", ø: "o", đ: "d", ð: "d", ħ: "h", ı: "i", ł: "l", þ: "th", ŧ: "t" },
  ...{ ς: "σ", ة: "ه", ى: "ي", ی: "ي", ک: "ك", ـ: "" },
}
const SPECIAL = new RegExp(`[${Object.keys(SPECIAL_LETTERS).join("")}]`, "gu")

function specialAs(letter: string): string {
  return SPECIAL_LETTERS[letter] ?? letter
}

function pairs(run: string): string[] {
  // Vowel and tone marks stay with the letter before them.
  const characters = run.match(/\P{M}\p{M}*|\p{M}+/gu) ?? []
  if (characters.length === 1) return characters
  return characters.slice(1).map((character, i) => characters[i]! + character)
}

/**
 * One bit for each UTF-16 unit, set for units that are part of words. It is built for the first text that is not ASCII.
 * Surrogates count as parts of words here; the regular expression RUNS decides about them later.
 */
let wordCodes: Uint8Array | undefined

function buildWordCodes(): Uint8Array {
  const bits = new Uint8Array(65_536 / 8)
  const word = /[\p{L}\p{N}\p{M}]/u
  for (let code = 128; code < 65_536; code++) {
    const surrogate = code >= 0xd800 && code < 0xe000
    if (surrogate || word.test(String.fromCharCode(code))) bits[code >>> 3]! |= 1 << (code & 7)
  }
  return bits
}
