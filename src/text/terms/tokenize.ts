import { short, shortForm } from "./abbreviations.ts"
import { finishHi, finishLo, hashTerm, mixHi, mixLo, SEED_HI, SEED_LO } from "./hash.ts"
import { stemCodes } from "./stem.ts"
import { reserveTerms, type TermBuffer } from "./term-buffer.ts"
import { folded, isUnspaced, isWordCode, loneCharacters, unicodeWords } from "./unicode.ts"

/**
 * Appends the terms of text[start, end) to `out`. They are the words of each identifier, in lower case and stemmed. For
 * an identifier of several words, its compound is added, so that web_socket, webSocket and websocket have a term in
 * common. So are compounds inside a longer identifier where its capitals and digits can be read in two ways: ipv4 for
 * IPv4Address and graphql for GraphQLSchema.
 */
export function tokenize(text: string, start: number, end: number, out: TermBuffer): void {
  let i = start
  while (i < end) {
    const code = text.charCodeAt(i)
    if (code < 128 ? CLASS[code]! > SEPARATOR : isWordCode(code)) i = identifier(text, i, end, out)
    else i++
  }
}

/** Maximum length of an identifier in characters. A longer run of characters is data (base64, hashes) and no name. */
export const MAX_IDENTIFIER_LENGTH = 128

const SEPARATOR = 0
const UNDERSCORE = 1
const DIGIT = 2
const LOWER = 3
const UPPER = 4
const DASH = 45
const SMALL_S = 115

const CLASS = new Uint8Array(128)
for (let code = 48; code <= 57; code++) CLASS[code] = DIGIT
for (let code = 97; code <= 122; code++) CLASS[code] = LOWER
for (let code = 65; code <= 90; code++) CLASS[code] = UPPER
CLASS[95] = UNDERSCORE

/** The word that is being read, and the whole identifier without its separators; both in lower case. */
const word = new Uint16Array(MAX_IDENTIFIER_LENGTH + 2)
const whole = new Uint16Array(MAX_IDENTIFIER_LENGTH + 2)

/** Offset in the text, and length, of each word of the identifier. */
const starts = new Uint32Array(MAX_IDENTIFIER_LENGTH)
const sizes = new Uint8Array(MAX_IDENTIFIER_LENGTH)

/**
 * Reads one identifier and returns the offset of its end. This fast path handles ASCII. If other characters occur,
 * `unicodeIdentifier` reads the identifier again.
 */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: the hot state machine; calls would cost a third of its speed
function identifier(text: string, start: number, end: number, out: TermBuffer): number {
  const firstTerm = out.count
  reserveTerms(out, MAX_IDENTIFIER_LENGTH * 2)
  let wordLength = 0
  let length = 0
  let parts = 0
  let before = UNDERSCORE
  let i = start
  for (; i < end; i++) {
    const code = text.charCodeAt(i)
    if (code >= 128) {
      if (!isWordCode(code)) break
      out.count = firstTerm
      return unicodeIdentifier(text, start, end, out)
    }
    let kind = CLASS[code]!
    if (kind === SEPARATOR) {
      if (code !== DASH || !isKebab(text, i, end, before)) break
      kind = UNDERSCORE
    }
    if (kind === UNDERSCORE) {
      if (wordLength > 0) {
        emit(word, wordLength, out, 1)
        starts[parts] = i - wordLength
        sizes[parts++] = wordLength
        wordLength = 0
      }
      before = UNDERSCORE
      continue
    }
    if (length === MAX_IDENTIFIER_LENGTH) {
      out.count = firstTerm
      return skipRun(text, i, end)
    }
    if (kind !== before && wordLength > 0) {
      if (kind !== LOWER || before === DIGIT) {
        emit(word, wordLength, out, 1)
        starts[parts] = i - wordLength
        sizes[parts++] = wordLength
        wordLength = 0
      } else if (wordLength > 1 && !isPlural(text, code, i, end)) {
        // The capital before this small letter begins a new word after an acronym: HTTPSe… consists of the words HTTP
        // and Se…
        const capital = word[wordLength - 1]!
        emit(word, wordLength - 1, out, 1)
        starts[parts] = i - wordLength
        sizes[parts++] = wordLength - 1
        word[0] = capital
        wordLength = 1
      }
    }
    const lower = kind === UPPER ? code + 32 : code
    word[wordLength++] = lower
    whole[length++] = lower
    before = kind
  }
  if (wordLength > 0) {
    emit(word, wordLength, out, 1)
    starts[parts] = i - wordLength
    sizes[parts++] = wordLength
  }
  out.words += parts
  if (parts > 2) emitInnerCompounds(text, parts, out)
  if (parts > 1) emit(whole, length, out, parts)
  return i
}

/** Maximum number of compounds inside one identifier. */
const MAX_INNER_COMPOUNDS = 4

/** Appends the compounds of two and three neighbouring words of an identifier that may also be one word. */
function emitInnerCompounds(text: string, parts: number, out: TermBuffer): void {
  const firstTerm = out.count - parts
  const end = out.count + MAX_INNER_COMPOUNDS
  for (let first = 0, at = 0; first + 1 < parts; at += sizes[first++]!) {
    let length = sizes[first]!
    for (let next = first + 1; next < Math.min(parts, first + 3); next++) {
      if (out.count === end || !mayBeOneWord(text, next, out.lo[firstTerm + next - 1]!)) break
      length += sizes[next]!
      // Without its number, ipv in IPv4 is no word: it would match ipv6.
      const isCut = next === first + 1 && isDigitAt(text, next + 1, parts)
      if (!isCut && next - first + 1 < parts) emitPart(at, length, out)
    }
  }
}

function isDigitAt(text: string, part: number, parts: number): boolean {
  return part < parts && CLASS[text.charCodeAt(starts[part]!)] === DIGIT
}

/** Appends the term of whole[at, at + length). `emit` overwrites its codes, and later compounds need them. */
function emitPart(at: number, length: number, out: TermBuffer): void {
  for (let i = 0; i < length; i++) word[i] = whole[at + i]!
  emit(word, length, out, FURTHER_FORM)
}

/**
 * True if a word of an identifier and the word before it may be one word that is written with inner capitals or digits:
 * at a digit (utf8, i18n), beside a single letter or before an acronym (OAuth, GraphQL), or after a short word (GitHub).
 * `beforeLo` is the low half of the hash of the word before.
 */
function mayBeOneWord(text: string, part: number, beforeLo: number): boolean {
  const start = starts[part]!
  const size = sizes[part]!
  const before = starts[part - 1]!
  const sizeBefore = sizes[part - 1]!
  if (before + sizeBefore !== start) return false
  const kind = CLASS[text.charCodeAt(start)]!
  if (kind === DIGIT) return true
  if (CLASS[text.charCodeAt(before)] === DIGIT) return size === 1 || (kind === LOWER && size <= MAX_SHORT)
  if (FUNCTION_WORDS.has(beforeLo)) return false
  if (sizeBefore <= MAX_SHORT) return true
  return size > 1 && CLASS[text.charCodeAt(start + 1)] === UPPER
}

const MAX_SHORT = 3

/** Low halves of the hashes of short words that begin many identifiers but no product's name. */
const FUNCTION_WORDS: ReadonlySet<number> = new Set(
  "a add all an and any are as at by can do for get has if in is let new not of off old on one or out per put run set the to try two use was"
    .split(" ")
    .map((each) => Number(hashTerm(each) & 0xffff_ffffn)),
)

/** True if a dash joins words in the same way as an underscore: it follows a word and comes before a letter. */
function isKebab(text: string, i: number, end: number, before: number): boolean {
  if (before === UNDERSCORE || i + 1 >= end) return false
  const next = text.charCodeAt(i + 1)
  return next < 128 && CLASS[next]! >= LOWER
}

/** True for a plural s after an acronym, as in URLs and IDs. It belongs to the acronym. */
function isPlural(text: string, code: number, i: number, end: number): boolean {
  if (code !== SMALL_S) return false
  if (i + 1 >= end) return true
  const next = text.charCodeAt(i + 1)
  return next >= 128 || CLASS[next] !== LOWER
}

function skipRun(text: string, from: number, end: number): number {
  let i = from
  while (i < end) {
    const code = text.charCodeAt(i)
    if (code < 128 ? CLASS[code] === SEPARATOR : !isWordCode(code)) break
    i++
  }
  return i
}

/** Stems and hashes codes[0, length), and appends the term. Overwrites `codes`. */
function emit(codes: Uint16Array, length: number, out: TermBuffer, parts: number): void {
  const n = stemCodes(codes, length)
  let hi = SEED_HI
  let lo = SEED_LO
  for (let i = 0; i < n; i++) {
    const code = codes[i]!
    hi = mixHi(hi, code)
    lo = mixLo(lo, code)
  }
  const at = out.count++
  const finalHi = finishHi(hi, lo)
  const finalLo = finishLo(hi, lo)
  const abbreviated = shortForm(finalHi, finalLo)
  out.hi[at] = abbreviated < 0 ? finalHi : short.hi[abbreviated]!
  out.lo[at] = abbreviated < 0 ? finalLo : short.lo[abbreviated]!
  out.parts[at] = parts
}

/**
 * Reads an identifier that contains non-ASCII characters. Adds each word as written and without accents. Text in
 * scripts without spaces is added as pairs of neighbouring characters.
 */
function unicodeIdentifier(text: string, start: number, end: number, out: TermBuffer): number {
  const to = skipRun(text, start, end)
  const run = text.slice(start, to)
  const words = unicodeWords(run).filter((found) => found.length <= MAX_IDENTIFIER_LENGTH)
  const characters = loneCharacters(run)
  reserveTerms(out, words.length * 2 + characters.length + 2)
  for (const found of words) emitBothForms(found, out, 1)
  for (const character of characters) emitString(character, out, FURTHER_FORM)
  out.words += words.length
  const joined = words.join("")
  const isCompound = words.length > 1 && joined.length <= MAX_IDENTIFIER_LENGTH && !words.some(isUnspaced)
  if (isCompound) emitBothForms(joined, out, words.length)
  return to
}

/** Value of `parts` for an additional form by which a word is found. Such a form does not count as a word. */
const FURTHER_FORM = 0

function emitBothForms(term: string, out: TermBuffer, parts: number): void {
  emitString(term, out, parts)
  const plain = folded(term)
  if (plain !== term && plain.length > 0 && plain.length <= MAX_IDENTIFIER_LENGTH)
    emitString(plain, out, parts)
}

function emitString(term: string, out: TermBuffer, parts: number): void {
  for (let i = 0; i < term.length; i++) word[i] = term.charCodeAt(i)
  emit(word, term.length, out, parts)
}
