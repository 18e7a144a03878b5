/** What a UTF-16 code unit beyond ASCII is to the tokenizer. */
export function isWordCode(code: number): boolean {
  wordCodes ??= buildWordCodes()
  return (wordCodes[code >>> 3]! & (1 << (code & 7))) !== 0
}

/** Lower-cased words of a run of letters, digits and marks: split by case, CJK text as pairs of characters. */
export function unicodeWords(run: string): string[] {
  const found = run.normalize("NFC").match(PIECES) ?? []
  return found.flatMap((piece) => (CJK.test(piece) ? pairs(piece) : [piece.toLowerCase()]))
}

/** The word without its accents, or the word itself. */
export function folded(word: string): string {
  return word
    .normalize("NFD")
    .replace(/\p{M}+/gu, "")
    .normalize("NFC")
}

export function isCjk(text: string): boolean {
  return CJK.test(text)
}

const CJK_CLASS = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}ー"
const CJK = new RegExp(`[${CJK_CLASS}]`, "u")
const LOWER = `(?:(?![${CJK_CLASS}])[\\p{Ll}\\p{Lo}\\p{Lm}\\p{M}])`
const PIECES = new RegExp(
  `[${CJK_CLASS}]+|\\p{Lu}{2,}s(?!${LOWER})|[\\p{Lu}\\p{Lt}]+(?!${LOWER})|[\\p{Lu}\\p{Lt}]?${LOWER}+|[\\p{Lu}\\p{Lt}]|\\p{N}+`,
  "gu",
)

function pairs(run: string): string[] {
  const characters = Array.from(run)
  if (characters.length === 1) return characters
  return characters.slice(1).map((character, i) => characters[i]! + character)
}

/**
 * One bit per code unit, built when the first text beyond ASCII comes. Surrogates count as word codes, the
 * run's regular expression sorts them out.
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
