import { isUtf8 } from "node:buffer"
import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from "node:fs"
import { join } from "node:path"
import { AmanError, type EncodingName, type FileEncoding, PLAIN_FILE_FLAGS } from "../../base/index.ts"
import {
  DOCUMENT_LIMITS,
  type DocumentBudget,
  type DocumentFailure,
  type DocumentText,
  documentText,
  isDocument,
} from "../documents/document-text.ts"
import { isSvg } from "../documents/svg-file.ts"
import { isSecretPath, isSecretText } from "../secrets/secret-paths.ts"
import { decodeStrictly, encodingInText, guessEncoding } from "./encoding.ts"

export type SourceText = DecodedText & {
  /** xxHash3-64 of the bytes, 16 hexadecimal digits. */
  readonly hash: string
  readonly size: number
  readonly mtimeMs: number
}

/**
 * Why a file has no text, with the size and time of the file, so that it need not be opened again while it is
 * unchanged.
 */
export type Unreadable = {
  /** "undecided": the encoding would have to be guessed. */
  readonly reason: DocumentFailure | "not a file" | "secret" | "undecided"
  readonly size: number
  readonly mtimeMs: number
}

// Does not follow a link that was put in place of the file after the scan, and does not block on a pipe.
const OPEN_FLAGS = constants.O_RDONLY | PLAIN_FILE_FLAGS

/** What the index knows of files by their paths and the hashes of their bytes. */
export type IndexedTexts = {
  /** The text of a document; null if the index has none. */
  readonly find: (path: string, hash: string) => string | null
  /** The encoding in which the file was read or, if it has changed, as which attributes declare it; null if unknown. */
  readonly encoding: (path: string, hash: string) => FileEncoding | null
}

type ReadOptions = {
  /**
   * Must be given for a path that does not come from the scan of the project but from a user or an agent: it gets the
   * status of the opened file and decides whether the file may be read.
   */
  readonly mayRead?: (opened: Stats) => boolean
  /** Absent: documents are binary. */
  readonly indexed?: IndexedTexts
  /** False if loading the detector of encodings takes too much memory. */
  readonly mayGuess?: boolean
}

const ANY_FILE = () => true

/**
 * Functions that read files of a tree, by its root: a team's node keeps the contents packed, and the files themselves
 * are empty. They return null for a file that is not packed, and
 * throw an AmanError if the contents are damaged.
 */
export const packedTrees = new Map<string, (path: string) => Uint8Array | null>()

/**
 * Reads a file of a project as text, unless its name or its text shows that it contains secrets. The path is relative
 * to the root. Of a document, it returns the text that the index has; `readDocument` extracts it.
 */
export function readSource(
  root: string,
  path: string,
  maxBytes: number,
  options: ReadOptions = {},
): SourceText | Unreadable {
  return readText(root, path, maxBytes, options, isDocument(path))
}

/** Like `readSource`, but returns a drawing as it stands in the file. The numbers of its lines are the same. */
export function readAsWritten(
  root: string,
  path: string,
  maxBytes: number,
  options: ReadOptions = {},
): SourceText | Unreadable {
  return readText(root, path, maxBytes, options, isDocument(path) && !isSvg(path))
}

function readText(
  root: string,
  path: string,
  maxBytes: number,
  { mayRead = ANY_FILE, indexed, mayGuess = true }: ReadOptions,
  isExtracted: boolean,
): SourceText | Unreadable {
  if (isSecretPath(path)) return { reason: "secret", size: 0, mtimeMs: 0 }
  return withFileBytes<SourceText | Unreadable>(root, path, maxBytes, mayRead, (bytes, stamp) => {
    const hash = contentHash(bytes)
    const text = isExtracted ? (indexed?.find(path, hash) ?? null) : null
    const known = () => indexed?.encoding(path, hash) ?? null
    const found = text !== null ? { text } : isExtracted ? null : decodeText(bytes, known, mayGuess)
    return sourceOf(path, found === UNDECIDED ? "undecided" : (found ?? "binary"), hash, stamp)
  })
}

function sourceOf(
  path: string,
  found: DecodedText | DocumentText | "undecided",
  hash: string,
  stamp: FileStamp,
): SourceText | Unreadable {
  if (typeof found === "string") return { reason: found, ...stamp }
  if (isSecretText(path, found.text)) return { reason: "secret", ...stamp }
  return { encoding: "utf-8", isGuess: false, ...found, hash, ...stamp }
}

type DocumentOptions = Pick<ReadOptions, "mayRead"> & {
  /** The text of a document with this hash is not extracted; it is then "". */
  readonly knownHash?: string | null
  readonly budget?: DocumentBudget
  readonly memoryLimitBytes: number
}

/** Like `readSource`, but extracts the text of a document, in a process of its own. */
export async function readDocument(
  root: string,
  path: string,
  maxBytes: number,
  { mayRead = ANY_FILE, knownHash = null, budget, memoryLimitBytes }: DocumentOptions,
): Promise<SourceText | Unreadable> {
  if (isSecretPath(path)) return { reason: "secret", size: 0, mtimeMs: 0 }
  const read = withFileBytes(root, path, maxBytes, mayRead, (bytes, stamp) => ({
    bytes: bytes.slice(),
    stamp,
  }))
  if ("reason" in read) return read
  const { bytes, stamp } = read
  const hash = contentHash(bytes)
  if (hash === knownHash) return sourceOf(path, { text: "" }, hash, stamp)
  const maxMemoryBytes = Math.min(memoryLimitBytes, DOCUMENT_LIMITS.maxMemoryBytes)
  const text = await documentText(path, bytes, { maxChars: maxBytes, maxMemoryBytes }, budget)
  return sourceOf(path, text, hash, stamp)
}

type IndexedFile = {
  readonly maxBytes: number
  readonly hash: string
  readonly indexed: IndexedTexts
}

/**
 * Ranges of lines of a file, as in the text that `readSource` returns, in ascending order of their first lines. Null if
 * the file cannot be read or no longer has this hash. Whether it is text, and whether it may be read, was checked when it
 * was indexed.
 */
export function readLines(
  root: string,
  path: string,
  { maxBytes, hash, indexed }: IndexedFile,
  ranges: readonly LineRange[],
): readonly string[] | null {
  const read = withFileBytes(root, path, maxBytes, ANY_FILE, (bytes) => {
    if (contentHash(bytes) !== hash) return null
    if (!isDocument(path)) return decodeLines(bytes, ranges, () => indexed.encoding(path, hash))
    const text = indexed.find(path, hash)
    return text === null ? null : ranges.map(({ first, last }) => lineRange(text, first, last))
  })
  return Array.isArray(read) ? read : null
}

/** Size and time of a file when it was opened; both 0 if it could not be opened. */
type FileStamp = { readonly size: number; readonly mtimeMs: number }

/**
 * Opens a file and returns what `take` returns for its bytes, which are valid until the next read; or the reason why
 * the file was not read.
 */
function withFileBytes<T>(
  root: string,
  path: string,
  maxBytes: number,
  mayRead: (opened: Stats) => boolean,
  take: (bytes: Uint8Array, stamp: FileStamp) => T,
): T | Unreadable {
  let descriptor: number | null = null
  let stamp: FileStamp = { size: 0, mtimeMs: 0 }
  try {
    const packed = packedTrees.get(root)?.(path) ?? null
    if (packed === null || mayRead !== ANY_FILE) {
      descriptor = openSync(join(root, path), OPEN_FLAGS)
      const stat = fstatSync(descriptor)
      stamp = { size: stat.size, mtimeMs: stat.mtimeMs }
      if (!stat.isFile()) return { reason: "not a file", ...stamp }
      if (!mayRead(stat)) return { reason: "unreadable", ...stamp }
    }
    if (packed !== null) stamp = { ...stamp, size: packed.length }
    if (stamp.size > maxBytesOf(path, maxBytes)) return { reason: "too large", ...stamp }
    return take(packed ?? readAll(descriptor!, stamp.size), stamp)
  } catch (error) {
    if (error instanceof AmanError) throw error
    return { reason: "unreadable", ...stamp }
  } finally {
    if (descriptor !== null) closeSync(descriptor)
  }
}

export function contentHash(bytes: Uint8Array | string): string {
  return Bun.hash.xxHash3(bytes).toString(16).padStart(16, "0")
}

/** Reads all bytes of a file. The returned bytes are valid until the next read. */
function readAll(descriptor: number, size: number): Uint8Array {
  const bytes = size <= scratch.length ? scratch : new Uint8Array(size)
  let filled = 0
  while (filled < size) {
    const count = readSync(descriptor, bytes, filled, size - filled, null)
    if (count === 0) break
    filled += count
  }
  return bytes.subarray(0, filled)
}

/** Buffer for all files that fit into it. It is reused, because callers do not keep the bytes. */
const scratch = new Uint8Array(128 << 10)

/**
 * Maximum size of a notebook. It is larger than that of other files, because most of a notebook is output such as
 * pictures, which is not indexed.
 */
const NOTEBOOK_BYTES = 8 << 20
/**
 * Maximum size of a document. It is larger than that of other files, because most of a document is pictures, which are
 * not unpacked.
 */
const DOCUMENT_BYTES = 16 << 20

export function isNotebook(path: string): boolean {
  return /\.ipynb$/i.test(path)
}

/**
 * Maximum size in bytes of a file that is read. The text extracted from a notebook or document must not exceed the
 * normal limit.
 */
export function maxBytesOf(path: string, maxFileBytes: number): number {
  if (isNotebook(path)) return Math.max(maxFileBytes, NOTEBOOK_BYTES)
  return isDocument(path) && !isSvg(path) ? Math.max(maxFileBytes, DOCUMENT_BYTES) : maxFileBytes
}

/** Number of bytes at the start of a file that decide whether the file is text. */
const SNIFFED_BYTES = 8192

type DecodedText = FileEncoding & { readonly text: string }

const UNDECIDED: DecodedText = { text: "", encoding: "utf-8", isGuess: true }

/**
 * Decodes the bytes of a file to text, without a byte-order mark. Null for a binary file: its first SNIFFED_BYTES bytes
 * contain a zero byte without being UTF-16, or it is not UTF-8 and they contain many control characters. All line ends
 * become line feeds, so that line numbers are the same everywhere: CR LF is replaced, and CR alone in a text without
 * line feeds. `known` gives the encoding if the index or attributes say it; it is asked only for other bytes than UTF-8.
 * Without `mayGuess`, a text whose encoding the detector would have to guess is UNDECIDED.
 */
export function decodeText(
  bytes: Uint8Array,
  known: () => FileEncoding | null = () => null,
  mayGuess = true,
): DecodedText | null {
  const head = bytes.subarray(0, SNIFFED_BYTES)
  const utf16 =
    markOf(head) ?? (head.includes(0) ? (looksLikeUtf16(head) ?? utf16As(known()?.encoding, head)) : null)
  if (utf16) return decoded(UTF16[utf16].decode(bytes), utf16)
  if (head.includes(0)) return null
  const text = decodeStrictly(bytes, "utf-8")
  if (text !== null) return decoded(text, "utf-8")
  return hasControls(head) ? null : decodeOlder(bytes, known(), mayGuess)
}

/** Decodes a text that is not UTF-8: as is known or it says itself, or else as its bytes suggest. */
function decodeOlder(bytes: Uint8Array, known: FileEncoding | null, mayGuess: boolean): DecodedText {
  const written = encodingInText(bytes)
  for (const each of [known, written === null ? null : { encoding: written, isGuess: false }]) {
    const text = each === null ? null : decodeStrictly(bytes, each.encoding)
    if (text !== null) return decoded(text, each!.encoding, each!.isGuess)
  }
  const guessed = mendUtf8(bytes)
  if (guessed !== null) return decoded(guessed, "utf-8")
  const encoding = guessEncoding(bytes, mayGuess)
  if (encoding === null) return UNDECIDED
  return decoded(new TextDecoder(encoding as Bun.Encoding).decode(bytes), encoding, true)
}

function decoded(text: string, encoding: EncodingName, isGuess = false): DecodedText {
  return { text: withUnixLines(text), encoding, isGuess }
}

// Not strict: a file with a lone half of a surrogate pair is text.
const UTF16 = { "utf-16le": new TextDecoder("utf-16le"), "utf-16be": new TextDecoder("utf-16be") }
const LENIENT_UTF8 = new TextDecoder("utf-8")

function withUnixLines(text: string): string {
  if (!text.includes("\r")) return text
  return text.includes("\n") ? text.replaceAll("\r\n", "\n") : text.replaceAll("\r", "\n")
}

function markOf([first, second, third, fourth]: Uint8Array): "utf-16le" | "utf-16be" | null {
  // With two more zero bytes, it is the byte-order mark of UTF-32, which is not used for source code.
  if (first === 0xff && second === 0xfe) return third === 0 && fourth === 0 ? null : "utf-16le"
  return first === 0xfe && second === 0xff ? "utf-16be" : null
}

// Share of invalid bytes among everything beyond ASCII below which a text is UTF-8 with faults.
const MAX_FAULTY_SHARE = 1 / 5

/**
 * Decodes UTF-8 that contains a few invalid bytes; null for other texts. In another encoding, pairs of letters can look
 * like UTF-8, but hardly a whole word does.
 */
function mendUtf8(bytes: Uint8Array): string | null {
  const text = LENIENT_UTF8.decode(bytes)
  let [characters, faults, wholeWords, faultyWords] = [0, 0, 0, 0]
  for (const [word] of text.matchAll(/[^\0-\x7f]+/gu)) {
    const wrong = word.split("\ufffd").length - 1
    characters += word.length
    faults += wrong
    wrong === 0 ? wholeWords++ : faultyWords++
  }
  return faults < characters * MAX_FAULTY_SHARE || wholeWords > faultyWords ? text : null
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

/** The encoding if it is UTF-16 and the bytes are a text in it: prose that has few ASCII characters and no mark. */
function utf16As(encoding: EncodingName | undefined, head: Uint8Array): Utf16 | null {
  const isUtf16 = encoding === "utf-16le" || encoding === "utf-16be"
  return isUtf16 && isText(head, encoding) ? encoding : null
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

/** A range of lines, counted from 1; `last` is included. */
export type LineRange = { readonly first: number; readonly last: number }

/**
 * Returns the same lines as `lineRange` for the text that `decodeText` returns, but does not decode the whole file for
 * a few lines. This saves a hundred kilobytes of memory for each file that an answer shows. The ranges are in ascending
 * order of their first lines. Null for a binary file.
 */
export function decodeLines(
  bytes: Uint8Array,
  ranges: readonly LineRange[],
  known?: () => FileEncoding | null,
): string[] | null {
  if (!isPlain(bytes)) {
    const decoded = decodeText(bytes, known)
    return decoded && ranges.map(({ first, last }) => lineRange(decoded.text, first, last))
  }
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  let line = 1
  let start: number | null = hasMark ? 3 : 0
  return ranges.map(({ first, last }) => {
    if (start !== null) start = startOfLine(bytes, start, first - line + 1)
    line = first
    if (start === null || last < first) return ""
    const end = startOfLine(bytes, start, last - first + 2)
    const lines = UTF8.decode(bytes.subarray(start, end ?? bytes.length)).replaceAll("\r\n", "\n")
    return end === null ? lines : lines.slice(0, -1)
  })
}

/** True for bytes in UTF-8 in which every line ends with a line feed, with or without a carriage return before it. */
function isPlain(bytes: Uint8Array): boolean {
  if (!isUtf8(bytes) || bytes.subarray(0, SNIFFED_BYTES).includes(0)) return false
  return !bytes.includes(CARRIAGE_RETURN) || bytes.includes(LINE_FEED)
}

const LINE_FEED = 10
const CARRIAGE_RETURN = 13
// The decoder keeps a byte-order mark, because only one at the start of a file must be removed.
const UTF8 = new TextDecoder("utf-8", { ignoreBOM: true })

/** Offset of the start of line `line`, counted from 1 at offset `from`; null if there are fewer lines. */
function startOfLine(bytes: Uint8Array, from: number, line: number): number | null {
  let start = from
  for (let at = 1; at < line; at++) {
    const end = bytes.indexOf(LINE_FEED, start)
    if (end < 0) return null
    start = end + 1
  }
  return start
}

/**
 * The lines `first` to `last` of a text, counted from 1. The text is not split, because that would create a string for
 * each line.
 */
export function lineRange(text: string, first: number, last: number): string {
  let start = 0
  for (let line = 1; line < first; line++) {
    const end = text.indexOf("\n", start)
    if (end < 0) return ""
    start = end + 1
  }
  let end = start - 1
  for (let line = first; line <= last; line++) {
    end = text.indexOf("\n", end + 1)
    if (end < 0) return text.slice(start)
  }
  return last < first ? "" : text.slice(start, end)
}
