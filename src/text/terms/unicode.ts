/** True if a UTF-16 code unit beyond ASCII is part of a word. */
export function isWordCode(code: number): boolean {
  wordCodes ??= buildWordCodes()
  return (wordCodes[code >>> 3]! & (1 << (code & 7))) !== 0
}

/** Lower-cased words of a text, split by case. Scripts without spaces are split into overlapping pairs of characters. */
export function unicodeWords(text: string): string[] {
  return (text.match(RUNS) ?? []).flatMap((run) => {
    // One accent in a long text must not make all its words slow.
    if (ASCII.test(run)) return (run.match(ASCII_WORDS) ?? []).map((word) => word.toLowerCase())
    const pieces = run.normalize("NFKC").match(PIECES) ?? []
    return pieces.flatMap((piece) => (isUnspaced(piece) ? pairs(piece) : [piece.toLowerCase()]))
  })
}

/** Single Han characters of longer runs, because each may also be a word. */
export function loneCharacters(text: string): string[] {
  const runs = text.normalize("NFKC").match(UNSPACED_RUNS) ?? []
  return runs.flatMap((run) => run.match(HAN) ?? [])
}

/**
 * The word as typed on a keyboard that lacks its letters: without accents, ß as ss. Returns the word itself if
 * nothing changes.
 */
export function folded(word: string): string {
  if (ASCII.test(word) || isUnspaced(word)) return word
  const plain = word.normalize("NFKD").replace(ACCENTS, "").normalize("NFC").replace(SPECIAL, specialAs)
  return plain.replace(ARABIC_PREFIX, "")
}

/** True if the text contains a script of UNSPACED_SCRIPTS. */
export function isUnspaced(text: string): boolean {
  return UNSPACED.test(text)
}

export const ASCII = /^[\x00-\x7f]*$/
// The alternatives match: an acronym with a plural s (URLs), an acronym (HTTP in HTTPServer), a word (Server or
// server), a single capital, digits.
export const ASCII_WORDS = /[A-Z]{2,}s(?![a-z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[A-Z]|\d+/g
const RUNS = /[\p{L}\p{N}\p{M}]+/gu
const HAN = /\p{Script=Han}/gu

// Scripts whose words are indexed as pairs of characters. Most put no spaces between words. Korean does, but its
// words have so many endings that pairs find more.
const UNSPACED_SCRIPTS = "Han Hiragana Katakana Hangul Thai Lao Khmer Myanmar Tibetan".split(" ")
const UNSPACED_CLASS = `${UNSPACED_SCRIPTS.map((script) => `\\p{Script=${script}}`).join("")}ー`
const UNSPACED = new RegExp(`[${UNSPACED_CLASS}]`, "u")
const UNSPACED_RUNS = new RegExp(`[${UNSPACED_CLASS}]{2,}`, "gu")
const LOWER = `(?:(?![${UNSPACED_CLASS}])[\\p{Ll}\\p{Lo}\\p{Lm}\\p{M}])`
const PIECES = new RegExp(
  `[${UNSPACED_CLASS}]+|\\p{Lu}{2,}s(?!${LOWER})|[\\p{Lu}\\p{Lt}]+(?!${LOWER})|[\\p{Lu}\\p{Lt}]?${LOWER}+|[\\p{Lu}\\p{Lt}]|\\p{N}+`,
  "gu",
)

// Marks that are accents; in other scripts marks are vowels and must be kept.
const ACCENTS = /(?=\p{M})[\p{Script=Inherited}\p{Script=Hebrew}\p{Script=Arabic}]/gu
// In Arabic the article, conjunctions and prepositions are written together with the word.
const ARABIC_PREFIX = /^(?:[وفبكل]?ال|لل|[وفبكل])(?=\p{Script=Arabic}{4})/u

// Letters with an ASCII spelling or a variant that Unicode's decomposition does not give.
const SPECIAL_LETTERS: Readonly<Record<string, string>> = {
  ...{ ß: "ss", æ: "ae", œ: "oe", ø: "o", đ: "d", ð: "d", ħ: "h", ı: "i", ł: "l", þ: "th", ŧ: "t" },
  ...{ ς: "σ", ة: "ه", ى: "ي", ی: "ي", ک: "ك", ـ: "" },
}
const SPECIAL = new RegExp(`[${Object.keys(SPECIAL_LETTERS).join("")}]`, "gu")

function specialAs(letter: string): string {
  return SPECIAL_LETTERS[letter] ?? letter
}

function pairs(run: string): string[] {
  // Vowel and tone marks are kept with the letter before them.
  const characters = run.match(/\P{M}\p{M}*|\p{M}+/gu) ?? []
  if (characters.length === 1) return characters
  return characters.slice(1).map((character, i) => characters[i]! + character)
}

/**
 * One bit per code unit, true for codes of words. Built at the first text beyond ASCII. Surrogates count as word
 * codes here; the regular expression RUNS decides about them later.
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
