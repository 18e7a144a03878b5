import { looksLikeUtf16 } from "./utf16.ts"

/** What says whether a file is text. */
export const SNIFFED_BYTES = 8192

/** Names as WHATWG has them; "windows-1252" includes Latin-1 as far as text goes. */
export type Encoding = "utf-8" | "utf-16le" | "utf-16be" | "windows-1252"

export type DecodedText = { readonly text: string; readonly encoding: Encoding }

/**
 * The text of a file, or null for what is binary: a zero byte in the first eight kilobytes, unless it is UTF-16.
 * Without byte-order mark, and with "\n" at the end of every line, so that all who count lines count alike:
 * "\r\n" counts as one end, and so does "\r" in a text that has no other.
 */
export function decodeText(bytes: Uint8Array): DecodedText | null {
  const head = bytes.subarray(0, SNIFFED_BYTES)
  const utf16 = markOf(head) ?? (head.includes(0) ? looksLikeUtf16(head) : null)
  if (utf16) return decoded(bytes, utf16)
  if (head.includes(0)) return null
  try {
    return decoded(bytes, "utf-8")
  } catch {
    if (hasControls(head)) return null
    return mendUtf8(bytes) ?? decoded(bytes, "windows-1252")
  }
}

const STRICT_UTF8 = new TextDecoder("utf-8", { fatal: true })
const DECODERS: Readonly<Record<Exclude<Encoding, "utf-8">, TextDecoder>> = {
  "utf-16le": new TextDecoder("utf-16le"),
  "utf-16be": new TextDecoder("utf-16be"),
  "windows-1252": new TextDecoder("windows-1252"),
}
const LENIENT_UTF8 = new TextDecoder("utf-8")

function decoded(bytes: Uint8Array, encoding: Encoding): DecodedText {
  const decoder = encoding === "utf-8" ? STRICT_UTF8 : DECODERS[encoding]
  return { text: withUnixLines(decoder.decode(bytes)), encoding }
}

function withUnixLines(text: string): string {
  if (!text.includes("\r")) return text
  return text.includes("\n") ? text.replaceAll("\r\n", "\n") : text.replaceAll("\r", "\n")
}

function markOf([first, second, third, fourth]: Uint8Array): "utf-16le" | "utf-16be" | null {
  // Two zero bytes more make it UTF-32, which nobody writes source in.
  if (first === 0xff && second === 0xfe) return third === 0 && fourth === 0 ? null : "utf-16le"
  return first === 0xfe && second === 0xff ? "utf-16be" : null
}

/** UTF-8 in which a few bytes are wrong; null where the valid sequences are too few to be meant. */
function mendUtf8(bytes: Uint8Array): DecodedText | null {
  const text = LENIENT_UTF8.decode(bytes)
  const wrong = text.split("\ufffd").length - 1
  let meant = 0
  for (const _ of text.matchAll(/[^\0-\x7f\ufffd]/gu)) if (++meant > wrong) break
  return meant > wrong ? { text: withUnixLines(text), encoding: "utf-8" } : null
}

// What is no UTF-8 has no sign of being text but this one: a few control characters at most.
const MAX_CONTROL_SHARE = 0.05

function hasControls(bytes: Uint8Array): boolean {
  let controls = 0
  for (const byte of bytes) if (byte < 32 && (byte < 9 || byte > 13) && byte !== 27) controls++
  return controls > bytes.length * MAX_CONTROL_SHARE
}
