/** Number of bytes at the start of a file that decide whether the file is text. */
export const SNIFFED_BYTES = 8192

/** Names from the WHATWG Encoding Standard. "windows-1252" is also used for Latin-1 texts. */
type TextEncodingName = "utf-8" | "utf-16le" | "utf-16be" | "windows-1252"

type DecodedText = { readonly text: string; readonly encoding: TextEncodingName }

/**
 * Decodes the bytes of a file to text, without a byte-order mark. Null for a binary file: its first SNIFFED_BYTES bytes
 * contain a zero byte without being UTF-16, or it is not UTF-8 and they contain many control characters. All line ends
 * become line feeds, so that line numbers are the same everywhere: CR LF is replaced, and CR alone in a text without
 * line feeds.
 */
export function decodeText(bytes: Uint8Array): DecodedText | null {
  const head = bytes.subarray(0, SNIFFED_BYTES)
  const utf16 = markOf(head) ?? (head.includes(0) ? looksLikeUtf16(head) : null)
  if (utf16) return decodeAs(bytes, utf16)
  if (head.includes(0)) return null
  try {
    return decodeAs(bytes, "utf-8")
  } catch {
    if (hasControls(head)) return null
    return mendUtf8(bytes) ?? decodeAs(bytes, "windows-1252")
  }
}

const STRICT_UTF8 = new TextDecoder("utf-8", { fatal: true })
const DECODERS: Readonly<Record<Exclude<TextEncodingName, "utf-8">, TextDecoder>> = {
  "utf-16le": new TextDecoder("utf-16le"),
  "utf-16be": new TextDecoder("utf-16be"),
  "windows-1252": new TextDecoder("windows-1252"),
}
const LENIENT_UTF8 = new TextDecoder("utf-8")

function decodeAs(bytes: Uint8Array, encoding: TextEncodingName): DecodedText {
  const decoder = encoding === "utf-8" ? STRICT_UTF8 : DECODERS[encoding]
  return { text: withUnixLines(decoder.decode(bytes)), encoding }
}

function withUnixLines(text: string): string {
  if (!text.includes("\r")) return text
  return text.includes("\n") ? text.replaceAll("\r\n", "\n") : text.replaceAll("\r", "\n")
}

function markOf([first, second, third, fourth]: Uint8Array): "utf-16le" | "utf-16be" | null {
  // With two more zero bytes, it is the byte-order mark of UTF-32, which is not used for source code.
  if (first === 0xff && second === 0xfe) return third === 0 && fourth === 0 ? null : "utf-16le"
  return first === 0xfe && second === 0xff ? "utf-16be" : null
}

/**
 * Decodes UTF-8 that contains a few invalid bytes. Null unless there are more valid non-ASCII characters than invalid
 * bytes.
 */
function mendUtf8(bytes: Uint8Array): DecodedText | null {
  const text = LENIENT_UTF8.decode(bytes)
  const wrong = text.split("\ufffd").length - 1
  let meant = 0
  for (const _ of text.matchAll(/[^\0-\x7f\ufffd]/gu)) if (++meant > wrong) break
  return meant > wrong ? { text: withUnixLines(text), encoding: "utf-8" } : null
}

// Maximum share of control characters in a text that is not UTF-8; with more, the file is binary.
const MAX_CONTROL_SHARE = 0.05

function hasControls(bytes: Uint8Array): boolean {
  let controls = 0
  for (const byte of bytes) if (byte < 32 && (byte < 9 || byte > 13) && byte !== 27) controls++
  return controls > bytes.length * MAX_CONTROL_SHARE
}

type Utf16 = "utf-16le" | "utf-16be"

// Minimum share of ASCII characters in UTF-16 without a byte-order mark. Source code is mostly ASCII. Prose in other
// scripts needs a byte-order mark; without one, git considers it binary, too.
const MIN_ASCII_SHARE = 1 / 2

/**
 * The byte order of a text in UTF-16 without a byte-order mark; null for other bytes. In such a text, all zero bytes
 * are in the same half of the 16-bit units, and the decoded characters are text. (In tables of 16-bit numbers, there
 * are also control characters.)
 */
function looksLikeUtf16(head: Uint8Array): Utf16 | null {
  let even = 0
  let odd = 0
  for (let at = 0; at < head.length; at++) {
    if (head[at] === 0) at % 2 === 0 ? even++ : odd++
  }
  if (even > 0 === odd > 0) return null
  const encoding = even > 0 ? "utf-16be" : "utf-16le"
  return Math.max(even, odd) >= (head.length / 2) * MIN_ASCII_SHARE && isText(head, encoding)
    ? encoding
    : null
}

function isText(head: Uint8Array, encoding: Utf16): boolean {
  try {
    // With `stream`, the bytes may end between the two halves of a surrogate pair.
    const text = new TextDecoder(encoding, { fatal: true }).decode(head, { stream: true })
    return !/[\0-\x08\x0e-\x1a\x1c-\x1f\x7f\ufffe\uffff]/u.test(text)
  } catch {
    return false
  }
}
