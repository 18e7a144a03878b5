import type * as jschardet from "jschardet"
import type { EncodingName } from "../../base/index.ts"

/** Names in editors, languages and the detector's results that are no labels in the standard, by the encoding they mean. */
const OTHER_NAMES = {
  shift_jis: "cp932 shift_jis_2004 japanese-shift-jis",
  "euc-jp": "eucjp euc_jp euc-jis-2004 japanese-iso-8bit",
  gbk: "cp936 euccn euc-cn chinese-gbk",
  big5: "cp950 big5hkscs chinese-big5",
  "euc-kr": "cp949 uhc euckr euc_kr",
  "windows-874": "cp874",
  "windows-1252": "ansinew",
  "iso-8859-15": "latin9",
  macintosh: "macroman mac-roman applemac",
  "x-mac-cyrillic": "maccyrillic mac-cyrillic",
}
const SYNONYMS: ReadonlyMap<string, string> = new Map(
  Object.entries(OTHER_NAMES).flatMap(([encoding, names]) =>
    names.split(" ").map((name) => [name, encoding]),
  ),
)

/** The encoding that a written name means; null if it is unknown. Endings for line ends (Emacs) and marks are ignored. */
export function encodingNamed(written: string): EncodingName | null {
  const plain = written.toLowerCase().replace(/-(?:unix|dos|mac|bom)$/, "")
  return decoderOf(SYNONYMS.get(plain) ?? plain.replace(/^latin-|^iso-latin-/, "latin"))?.encoding ?? null
}

const decoders = new Map<string, TextDecoder>()

/** The text of the bytes; null for an unknown encoding, and for bytes that are not in the encoding. */
export function decodeStrictly(bytes: Uint8Array, encoding: EncodingName): string | null {
  try {
    return decoderOf(encoding)?.decode(bytes) ?? null
  } catch {
    return null
  }
}

function decoderOf(name: string): TextDecoder | null {
  const known = decoders.get(name)
  if (known) return known
  try {
    const decoder = new TextDecoder(name as Bun.Encoding, { fatal: true })
    decoders.set(name, decoder)
    return decoder
  } catch {
    return null
  }
}

/** Number of bytes at the start of a file in which it can name its encoding, as for HTML. */
const DECLARED_WITHIN = 1024
const DECLARATIONS = [
  // Python (PEP 263), Ruby, Emacs, TeX: only in the first two lines.
  /^(?:[^\n\r]*\r?\n?)?[^\n\r]*?coding[ \t]*[:=][ \t]*["']?([-\w.]+)/,
  /^\s*<\?xml[^>]*\bencoding\s*=\s*["']([-\w.]+)/i,
  /^@charset\s+"([-\w.]+)"/,
  // HTML, and the header of a catalogue of gettext.
  /(?:<meta\b[^>]*|Content-Type:[^"\n]*)\bcharset\s*=\s*["']?([-\w.]+)/i,
  /(?:\b(?:vim?|ex):[^\n]*\b(?:fileencoding|fenc)=|^[ \t]*scriptencoding[ \t]+)([-\w.]+)/m,
  /\\usepackage\[([-\w.]+)\]\{inputenc\}/,
]

/** The encoding that a text names in its first lines; null if it names none that is known. */
export function encodingInText(bytes: Uint8Array): EncodingName | null {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, DECLARED_WITHIN))
  const text = head.toString("latin1")
  for (const pattern of DECLARATIONS) {
    const found = pattern.exec(text)?.[1]
    const encoding = found === undefined ? null : encodingNamed(found)
    if (encoding !== null) return encoding
  }
  return null
}

/**
 * The likely encoding of a text that is not UTF-8 and does not name its encoding. Windows-1252 if nothing else fits, and
 * for a few lone letters, because most are names of authors and signs such as "©". Null if that takes the detector, and
 * it may not be loaded.
 */
export function guessEncoding(bytes: Uint8Array, mayDetect: boolean): EncodingName | null {
  const sample = foreignLines(bytes)
  if (isFewLatinLetters(sample)) return "windows-1252"
  if (!mayDetect) return null
  // 100 ms and 50 MB in each thread when first called, so it is loaded only for such a file.
  const { detectAll } = require("jschardet") as typeof jschardet
  for (const { encoding } of detectAll(sample, { minimumThreshold: 0 })) {
    const name = encoding === null || /^(?:utf|iso-?2022)/i.test(encoding) ? null : encodingNamed(encoding)
    const text = name === null ? null : decodeStrictly(bytes, name)
    if (text !== null && !/[\x80-\x84\x86-\x9f]/.test(text)) return name!
  }
  return "windows-1252"
}

const SAMPLE_BYTES = 4096
/** Number of bytes of a line that are taken before its first byte beyond ASCII. */
const BEFORE_FOREIGN = 100

/** The first lines with bytes beyond ASCII. The ASCII code around them would hide their language from the detector. */
function foreignLines(bytes: Uint8Array): Uint8Array {
  const sample = new Uint8Array(SAMPLE_BYTES)
  let filled = 0
  let at = nextForeign(bytes, 0)
  while (at < bytes.length && filled < SAMPLE_BYTES) {
    const start = Math.max(bytes.lastIndexOf(LINE_FEED, at) + 1, at - BEFORE_FOREIGN)
    const lineEnd = bytes.indexOf(LINE_FEED, at)
    const end = lineEnd < 0 ? bytes.length : lineEnd + 1
    const piece = bytes.subarray(start, Math.min(end, start + SAMPLE_BYTES - filled))
    sample.set(piece, filled)
    filled += piece.length
    at = nextForeign(bytes, end)
  }
  return sample.subarray(0, filled < SAMPLE_BYTES ? filled : endOfCharacter(sample))
}

const LINE_FEED = 10

/** Offset of the next byte beyond ASCII; the length if there is none. */
function nextForeign(bytes: Uint8Array, from: number): number {
  let at = from
  while (at < bytes.length && bytes[at]! < 0x80) at++
  return at
}

/** Length up to the last byte that is a character of its own in every encoding: a space, a sign or a line end. */
function endOfCharacter(sample: Uint8Array): number {
  const at = sample.findLastIndex((byte) => byte < 0x30)
  return at < 0 ? sample.length : at + 1
}

const FEW = 6

/** True for fewer than FEW bytes beyond ASCII, all apart, that are letters or signs in windows-1252. */
function isFewLatinLetters(sample: Uint8Array): boolean {
  let count = 0
  let last = -2
  for (let at = nextForeign(sample, 0); at < sample.length; at = nextForeign(sample, at + 1)) {
    if (++count === FEW || at === last + 1 || !isUsualLatin(sample[at]!)) return false
    last = at
  }
  return true
}

/** True for a letter or sign of Latin-1, and for the euro, dots, quotes and dashes that windows-1252 adds. */
function isUsualLatin(byte: number): boolean {
  return byte >= 0xa0 || byte === 0x80 || byte === 0x85 || (byte >= 0x91 && byte <= 0x97) || byte === 0x99
}
