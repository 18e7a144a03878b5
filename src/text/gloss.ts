import { readFileSync } from "node:fs"
import tablePath from "../../models/gloss.bin" with { type: "file" }
import { firstAtLeast } from "../base/index.ts"

// A span of code; a run of a script without blanks; a word that is no part of a path, an address or an identifier.
const WORDS =
  /`[^`\n]{0,200}`|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]+|\p{Script=Hangul}+|(?<![\p{L}\p{M}\p{N}_@$\\/.])[\p{Script=Latin}\p{Script=Cyrillic}\p{M}]+(?![\p{Script=Latin}\p{Script=Cyrillic}\p{M}\p{N}_@$\\(]|[./]\p{L})['’]?/gu
const [LATIN, CYRILLIC] = [/^[\p{Script=Latin}\p{M}]+['’]?$/u, /^[\p{Script=Cyrillic}\p{M}]+$/u]
const [KANA, HANGUL, HAN] = [
  /[\p{Script=Hiragana}\p{Script=Katakana}]/u,
  /\p{Script=Hangul}/u,
  /\p{Script=Han}/u,
]
const HIRAGANA = /^\p{Script=Hiragana}+$/u
const [ELISION, CAPITAL, INNER_CAPITAL] = [/['’]$/, /^\p{Lu}/u, /\p{Ll}\p{Lu}|^\p{Lu}{2,}$/u]
/** The end of what stands before a word within a sentence. A capital there makes a name, but for German nouns. */
const INSIDE = /[\p{L}\p{N},]\s?$/u

const MAX_WORD = 40
/** Longest word of a language without blanks. */
const MAX_UNSPACED = 8
/** Characters of a text by which its language is recognised. */
const MAX_RECOGNISED = 2_000
const LATIN_LANGUAGES = ["de", "fr", "es", "pt", "it"] as const
type GlossLanguage = (typeof LATIN_LANGUAGES)[number] | "ru" | "ja" | "zh" | "ko"

/**
 * A text with the words of German, French, Spanish, Portuguese, Italian, Russian, Japanese, Chinese and Korean replaced by
 * English ones, for vectors and rules that were learnt on English. An English text is returned as it is, and so are names,
 * numbers and code. The words are learnt by alignment: models/gloss.md.
 */
export function glossOf(text: string): string {
  const [latin, other] = [latinLanguage(text), otherLanguage(text)]
  if (latin === null && other === null) return text
  return text.replace(WORDS, (word, at: number) => {
    const language = languageOfWord(word, latin, other)
    if (language === null) return word
    if (UNSPACED.has(language)) return glossesOf(language, word)
    const isInside = INSIDE.test(text.slice(Math.max(0, at - 2), at))
    return glossOfWord(language, word, isInside && language !== "de" && CAPITAL.test(word))
  })
}

const UNSPACED: ReadonlySet<GlossLanguage> = new Set(["ja", "zh", "ko"])

/** The language by which a word is read in a text of these languages; null for code, English and words of mixed letters. */
function languageOfWord(word: string, latin: GlossLanguage | null, other: GlossLanguage | null) {
  if (word.startsWith("`")) return null
  if (LATIN.test(word)) return latin
  if (HANGUL.test(word)) return "ko"
  if (CYRILLIC.test(word)) return "ru"
  if (!KANA.test(word) && !HAN.test(word)) return null
  return other === "ja" ? "ja" : "zh"
}

/** The language of a text with letters of other scripts than Latin. */
function otherLanguage(text: string): GlossLanguage | null {
  if (KANA.test(text)) return "ja"
  if (HANGUL.test(text)) return "ko"
  if (HAN.test(text)) return "zh"
  return /\p{Script=Cyrillic}/u.test(text) ? "ru" : null
}

/** The language of a text in Latin letters, by the words that are far more frequent in it; null for English. */
function latinLanguage(text: string): GlossLanguage | null {
  const words = [...text.slice(0, MAX_RECOGNISED).matchAll(WORDS)].map(([word]) => word)
  const readable = words.filter((word) => word.length > 1 && word.length <= MAX_WORD && LATIN.test(word))
  const keys = [...new Set(readable.map(folded))]
  const english = keys.filter((key) => entryOf("en", key) !== null).length
  // Words that the languages share only decide between them.
  const scoreOf = (value: number | null) => (value === null ? 0 : value & MARK ? 1 : SHARED)
  const scores = LATIN_LANGUAGES.map((language) =>
    keys.reduce((sum, key) => sum + scoreOf(entryOf(language, key)), 0),
  )
  const most = Math.max(...scores)
  const marks = Math.floor(most)
  return marks > english && marks > 1 ? LATIN_LANGUAGES[scores.indexOf(most)]! : null
}

const SHARED = 1 / 4096

/** The English word for a word, its longest known beginning, or the parts of a German compound; the word if unknown. */
function glossOfWord(language: GlossLanguage, word: string, isName: boolean): string {
  if (word.length > MAX_WORD || INNER_CAPITAL.test(word)) return word
  const key = folded(word)
  if (ELISION.test(word)) return exact(language, key)?.concat(" ") ?? word
  if (isName) return exact(language, key) ?? word
  const known = exactOrBeginning(language, key)
  if (known !== null || language !== "de") return known ?? word
  for (let at = key.length - 3; at >= 3; at--) {
    const head = key.slice(0, at)
    // The letters that join it to the next part.
    const first = exact(language, head) ?? exact(language, head.replace(/(?:es|en|s|n)$/, ""))
    const second = first === null ? null : exactOrBeginning(language, key.slice(at))
    if (second !== null) return `${first} ${second}`
  }
  return word
}

function exactOrBeginning(language: GlossLanguage, key: string): string | null {
  let found = exact(language, key)
  for (let length = key.length; found === null && length >= 4 && key.length - length <= 5; length--)
    found = exact(language, `${key.slice(0, length)}*`)
  return found
}

/** The English words of a run without blanks, by longest match; of what is unknown, endings and particles are left out. */
function glossesOf(language: GlossLanguage, run: string): string {
  const out: string[] = []
  let [at, from] = [0, 0]
  const putUnknown = () => {
    const unknown = run.slice(from, at)
    if (unknown !== "" && !(language === "ko" ? out.length > 0 : HIRAGANA.test(unknown))) out.push(unknown)
  }
  while (at < run.length) {
    let length = Math.min(MAX_UNSPACED, run.length - at)
    let gloss = exact(language, run.slice(at, at + length))
    while (gloss === null && --length > 0) gloss = exact(language, run.slice(at, at + length))
    if (gloss !== null) {
      putUnknown()
      out.push(gloss)
      from = at + length
    }
    at += Math.max(1, length)
  }
  putUnknown()
  return ` ${out.join(" ")} `
}

/** Lower case, without the accents of Latin letters and without an apostrophe at the end. */
function folded(word: string): string {
  const lower = word.toLowerCase().replace(ELISION, "")
  return LATIN.test(lower) ? lower.normalize("NFD").replace(/\p{M}/gu, "") : lower.replaceAll("ё", "е")
}

/*
 * The file models/gloss.bin, little-endian:
 *
 *   "amanGls1", then u32: keys, bytes of the English words
 *   u32 × keys   hashes of "language:word", or of "language:beginning*" for all words that begin so, ascending
 *   u16 × keys   the number of the English word, NO_GLOSS for none; the bit MARK says that the word tells the language
 *   the English words, one per line
 */
const [MARK, NO_GLOSS] = [0x8000, 0x7fff]

let table: { keys: Uint32Array; values: Uint16Array; english: readonly string[] } | null = null

/** The table, read when it is first needed. */
function readTable() {
  const { buffer } = new Uint8Array(readFileSync(tablePath))
  const [count = 0] = new Uint32Array(buffer, 8, 1)
  const english = new TextDecoder().decode(new Uint8Array(buffer, 16 + count * 6)).split("\n")
  return {
    keys: new Uint32Array(buffer, 16, count),
    values: new Uint16Array(buffer, 16 + count * 4, count),
    english,
  }
}

function exact(language: GlossLanguage, key: string): string | null {
  const gloss = (entryOf(language, key) ?? NO_GLOSS) & NO_GLOSS
  return gloss === NO_GLOSS ? null : table!.english[gloss]!
}

/** What the table holds of a word, found by FNV-1a of 32 bits over UTF-16 units; null if it lacks the word. */
function entryOf(language: GlossLanguage | "en", key: string): number | null {
  table ??= readTable()
  let hash = 0x811c9dc5
  for (const part of [language, ":", key])
    for (let i = 0; i < part.length; i++) hash = Math.imul(hash ^ part.charCodeAt(i), 0x01000193)
  const at = firstAtLeast(table.keys, hash >>> 0)
  return table.keys[at] === hash >>> 0 ? table.values[at]! : null
}
