import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from "node:fs"
import { join } from "node:path"
import { PLAIN_FILE_FLAGS } from "../../base/files/files.ts"
import { isSecretPath } from "../../base/secrets.ts"
import { type DocumentText, documentText, isDocument } from "../documents/document-text.ts"
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
  readonly reason: "unreadable" | "not a file" | "too large" | "binary" | "media" | "secret"
  readonly size: number
  readonly mtimeMs: number
}

// Does not follow a link that was put in place of the file after the scan, and does not block on a pipe.
const OPEN_FLAGS = constants.O_RDONLY | PLAIN_FILE_FLAGS

/**
 * Reads a file of a project as text, unless its name or its text shows that it contains secrets. The path is relative
 * to the root. If it does not come from the scan of the project but from a user or an agent, `mayRead` must be given:
 * it gets the status of the opened file and decides whether the file may be read.
 */
export function readSource(
  root: string,
  path: string,
  maxBytes: number,
  mayRead: (opened: Stats) => boolean = () => true,
): SourceText | Unreadable {
  return sourceOf(root, path, maxBytes, mayRead, decodeSource)
}

/** Like `readSource`, but returns an SVG drawing as it stands in the file. The numbers of its lines are the same. */
export function readAsWritten(
  root: string,
  path: string,
  maxBytes: number,
  mayRead: (opened: Stats) => boolean = () => true,
): SourceText | Unreadable {
  return sourceOf(root, path, maxBytes, mayRead, isSvg(path) ? decodeWritten : decodeSource)
}

function sourceOf(
  root: string,
  path: string,
  maxBytes: number,
  mayRead: (opened: Stats) => boolean,
  decode: (path: string, bytes: Uint8Array, maxBytes: number) => DocumentText,
): SourceText | Unreadable {
  if (isSecretPath(path)) return { reason: "secret", size: 0, mtimeMs: 0 }
  return withFileBytes<SourceText | Unreadable>(root, path, maxBytes, mayRead, (bytes, stamp) => {
    const decoded = decode(path, bytes, maxBytes)
    if (typeof decoded === "string") return { reason: decoded, ...stamp }
    if (isSecretText(path, decoded.text)) return { reason: "secret", ...stamp }
    return { text: decoded.text, hash: contentHash(bytes), ...stamp }
  })
}

/**
 * Ranges of lines of a file, as in the text that `readSource` returns, in ascending order of their first lines. Null if
 * the file cannot be read or no longer has this hash. Whether it is text, and whether it may be read, was checked when it
 * was indexed.
 */
export function readLines(
  root: string,
  path: string,
  { maxBytes, hash }: { readonly maxBytes: number; readonly hash: string },
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
      const decoded = documentText(path, bytes, maxBytes)
      if (typeof decoded === "string") return null
      return ranges.map(({ first, last }) => lineRange(decoded.text, first, last))
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

/** The text of a file, or the extracted text of a document; otherwise the reason why there is none. */
function decodeSource(path: string, bytes: Uint8Array, maxBytes: number): DocumentText {
  return isDocument(path) ? documentText(path, bytes, maxBytes) : decodeWritten(path, bytes)
}

function decodeWritten(_path: string, bytes: Uint8Array): DocumentText {
  return decodeText(bytes) ?? "binary"
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
