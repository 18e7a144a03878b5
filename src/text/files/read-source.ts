import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from "node:fs"
import { join } from "node:path"
import { PLAIN_FILE_FLAGS } from "../../base/files/files.ts"
import { isSecretPath } from "../../base/secrets.ts"
import {
  DOCUMENT_LIMITS,
  type DocumentBudget,
  type DocumentFailure,
  type DocumentText,
  documentText,
  isDocument,
} from "../documents/document-text.ts"
import { isSvg } from "../documents/svg-file.ts"
import { isSecretText } from "../secrets/credentials.ts"
import { decodeText } from "./decode.ts"
import { decodeLines, type LineRange, lineRange } from "./decode-lines.ts"

export type SourceText = {
  readonly text: string
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
  readonly reason: DocumentFailure | "not a file" | "secret"
  readonly size: number
  readonly mtimeMs: number
}

// Does not follow a link that was put in place of the file after the scan, and does not block on a pipe.
const OPEN_FLAGS = constants.O_RDONLY | PLAIN_FILE_FLAGS

/** The text that the index has of a document with this path and hash; null if it has none. */
export type IndexedText = (path: string, hash: string) => string | null

type ReadOptions = {
  /**
   * Must be given for a path that does not come from the scan of the project but from a user or an agent: it gets the
   * status of the opened file and decides whether the file may be read.
   */
  readonly mayRead?: (opened: Stats) => boolean
  /** Gives the text of documents; absent: they are binary. */
  readonly indexedText?: IndexedText
}

const ANY_FILE = () => true

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
  if (!isDocument(path)) return readWith(root, path, maxBytes, options, asText)
  return readWith(root, path, maxBytes, options, (_bytes, hash) => {
    const text = options.indexedText?.(path, hash) ?? null
    return text === null ? "binary" : { text }
  })
}

/** Like `readSource`, but returns a drawing as it stands in the file. The numbers of its lines are the same. */
export function readAsWritten(
  root: string,
  path: string,
  maxBytes: number,
  options: ReadOptions = {},
): SourceText | Unreadable {
  if (!isSvg(path)) return readSource(root, path, maxBytes, options)
  return readWith(root, path, maxBytes, options, asText)
}

function asText(bytes: Uint8Array): DocumentText {
  return decodeText(bytes) ?? "binary"
}

function readWith(
  root: string,
  path: string,
  maxBytes: number,
  { mayRead = ANY_FILE }: ReadOptions,
  textOf: (bytes: Uint8Array, hash: string) => DocumentText,
): SourceText | Unreadable {
  if (isSecretPath(path)) return { reason: "secret", size: 0, mtimeMs: 0 }
  return withFileBytes<SourceText | Unreadable>(root, path, maxBytes, mayRead, (bytes, stamp) => {
    const hash = contentHash(bytes)
    return sourceOf(path, textOf(bytes, hash), hash, stamp)
  })
}

function sourceOf(
  path: string,
  found: DocumentText,
  hash: string,
  stamp: FileStamp,
): SourceText | Unreadable {
  if (typeof found === "string") return { reason: found, ...stamp }
  if (isSecretText(path, found.text)) return { reason: "secret", ...stamp }
  return { text: found.text, hash, ...stamp }
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
  if (hash === knownHash) return { text: "", hash, ...stamp }
  const maxMemoryBytes = Math.min(memoryLimitBytes, DOCUMENT_LIMITS.maxMemoryBytes)
  const text = await documentText(path, bytes, { maxChars: maxBytes, maxMemoryBytes }, budget)
  return sourceOf(path, text, hash, stamp)
}

type IndexedFile = {
  readonly maxBytes: number
  readonly hash: string
  readonly indexedText: IndexedText
}

/**
 * Ranges of lines of a file, as in the text that `readSource` returns, in ascending order of their first lines. Null if
 * the file cannot be read or no longer has this hash. Whether it is text, and whether it may be read, was checked when it
 * was indexed.
 */
export function readLines(
  root: string,
  path: string,
  { maxBytes, hash, indexedText }: IndexedFile,
  ranges: readonly LineRange[],
): readonly string[] | null {
  const read = withFileBytes(
    root,
    path,
    maxBytes,
    () => true,
    (bytes) => {
      if (contentHash(bytes) !== hash) return null
      if (!isDocument(path)) return decodeLines(bytes, ranges)
      const text = indexedText(path, hash)
      return text === null ? null : ranges.map(({ first, last }) => lineRange(text, first, last))
    },
  )
  return Array.isArray(read) ? read : null
}

/**
 * A copy of a file's bytes; null if the file no longer has this hash. Whether the file may be read was checked when it
 * was indexed, so `path` must come from the index.
 */
export function readBytes(root: string, path: string, maxBytes: number, hash: string): Uint8Array | null {
  const read = withFileBytes(
    root,
    path,
    maxBytes,
    () => true,
    (bytes) => (contentHash(bytes) === hash ? bytes.slice() : null),
  )
  return read instanceof Uint8Array ? read : null
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
  let descriptor: number
  try {
    descriptor = openSync(join(root, path), OPEN_FLAGS)
  } catch {
    return { reason: "unreadable", size: 0, mtimeMs: 0 }
  }
  let stamp: FileStamp = { size: 0, mtimeMs: 0 }
  try {
    const stat = fstatSync(descriptor)
    stamp = { size: stat.size, mtimeMs: stat.mtimeMs }
    if (!stat.isFile()) return { reason: "not a file", ...stamp }
    if (!mayRead(stat)) return { reason: "unreadable", ...stamp }
    if (stat.size > maxBytesOf(path, maxBytes)) return { reason: "too large", ...stamp }
    return take(readAll(descriptor, stat.size), stamp)
  } catch {
    return { reason: "unreadable", ...stamp }
  } finally {
    closeSync(descriptor)
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
