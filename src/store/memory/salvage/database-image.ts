import { existsSync, readFileSync } from "node:fs"

/** One row, decoded from its page. `rowid` is null for rows of an index and of a table without row ids. */
export type RawRecord = { readonly rowid: number | null; readonly values: readonly RawValue[] }
type RawValue = string | number | Uint8Array | null

const PAGE = 4096
const FILE_HEADER = 100
const WAL_HEADER = 32
const FRAME_HEADER = 24
const TABLE_LEAF = 13
const INDEX_LEAF = 10

/**
 * Reads the pages of a database from its file and its write-ahead log, even if they are damaged. The result is padded
 * with zeros to whole pages. For an undamaged database, it is what a reader would see. Format:
 * sqlite.org/fileformat2.html; the pages of aman's databases have 4 KiB.
 */
export function readImage(path: string): Uint8Array<ArrayBuffer> {
  const file = readFileSync(path)
  const frames = existsSync(`${path}-wal`) ? committedFrames(readFileSync(`${path}-wal`)) : []
  const pages = Math.max(Math.ceil(file.length / PAGE), pagesIn(file), ...frames.map(({ page }) => page))
  const image = new Uint8Array(pages * PAGE)
  image.set(file)
  for (const { page, bytes } of frames) image.set(bytes, (page - 1) * PAGE)
  return image
}

/**
 * The page count in the header; 0 if it is implausible, that is, above twice the number of pages present (for a
 * truncated file) plus 16.
 */
function pagesIn(file: Buffer): number {
  const count = file.length < FILE_HEADER ? 0 : file.readUInt32BE(28)
  return count <= 2 * Math.ceil(file.length / PAGE) + 16 ? count : 0
}

/** Size in bytes of the database before it was truncated, as its header says; at least the size of the image. */
export function bytesWritten(image: Uint8Array<ArrayBuffer>): number {
  const pages = image.length < FILE_HEADER ? 0 : new DataView(image.buffer).getUint32(28)
  return Math.max(image.length, pages * PAGE)
}

type WalFrame = { readonly page: number; readonly bytes: Uint8Array }

/** The frames of the log's current run, up to its last commit. Later frames belong to no committed transaction. */
function committedFrames(log: Buffer): WalFrame[] {
  const frames: WalFrame[] = []
  let committed = 0
  for (let at = WAL_HEADER; at + FRAME_HEADER + PAGE <= log.length; at += FRAME_HEADER + PAGE) {
    const isOfThisRun = log.readBigUInt64BE(at + 8) === log.readBigUInt64BE(16)
    const page = log.readUInt32BE(at)
    if (!isOfThisRun || page === 0 || page > 2 ** 24) break
    frames.push({ page, bytes: log.subarray(at + FRAME_HEADER, at + FRAME_HEADER + PAGE) })
    if (log.readUInt32BE(at + 4) > 0) committed = frames.length
  }
  return frames.slice(0, committed)
}

/**
 * A copy of the image with a header that SQLite accepts even if the original header is damaged, and that needs no log.
 */
export function withSoundHeader(image: Uint8Array<ArrayBuffer>, schemaVersion: number): Uint8Array {
  const copy = image.slice()
  const view = new DataView(copy.buffer)
  new TextEncoder().encodeInto("SQLite format 3\0", copy)
  view.setUint16(16, PAGE)
  // Read and write version 1 (rollback journal), no reserved space, and the three fixed payload fractions.
  copy.set([1, 1, 0, 64, 32, 32], 18)
  view.setUint32(28, copy.length / PAGE)
  // The list of free pages is empty, because the copy is never written.
  view.setUint32(32, 0)
  view.setUint32(36, 0)
  view.setUint32(44, 4)
  view.setUint32(56, 1)
  if (view.getUint32(60) === 0) view.setUint32(60, schemaVersion)
  // SQLite uses the page count only if the field version-valid-for (offset 92) equals the change counter (offset 24).
  view.setUint32(92, view.getUint32(24))
  return copy
}

/** Every record on every leaf page, whichever table or index it belongs to. Invalid records are skipped. */
export function* rawRecords(image: Uint8Array): Generator<RawRecord> {
  for (let page = 0; (page + 1) * PAGE <= image.length; page++) yield* recordsOf(image, page)
}

/** Serial type of a text of 20 characters: an id. */
const ID_TYPE = 13 + 2 * 20

/**
 * Possible records that begin with an id, or with a row id and an id, anywhere on a page: SQLite leaves the bytes of a row
 * that it has moved. Only a seal tells which of them are records.
 */
export function* strayRecords(image: Uint8Array): Generator<RawRecord> {
  for (let at = 1; at < image.length - 2; at++) {
    if (image[at + 1] !== ID_TYPE && (image[at + 1] !== 0 || image[at + 2] !== ID_TYPE)) continue
    const values = valuesIn(image.subarray(at, at - (at % PAGE) + PAGE))
    for (let length = 1; values !== null && length <= 4; length++) {
      const [rowid, end] = varint(image, at - length)
      if (end === at) yield { rowid, values }
    }
  }
}

function* recordsOf(image: Uint8Array, page: number): Generator<RawRecord> {
  const view = new DataView(image.buffer, image.byteOffset + page * PAGE, PAGE)
  const head = page === 0 ? FILE_HEADER : 0
  const kind = view.getUint8(head)
  if (kind !== TABLE_LEAF && kind !== INDEX_LEAF) return
  const cells = Math.min(view.getUint16(head + 3), (PAGE - head - 8) / 2)
  for (let cell = 0; cell < cells; cell++) {
    const at = view.getUint16(head + 8 + 2 * cell)
    const record = at === 0 || at >= PAGE ? null : recordAt(image, page, at, kind === TABLE_LEAF)
    if (record !== null) yield record
  }
}

function recordAt(image: Uint8Array, page: number, at: number, isTable: boolean): RawRecord | null {
  const bytes = image.subarray(page * PAGE, (page + 1) * PAGE)
  const [length, afterLength] = varint(bytes, at)
  const [rowid, start] = isTable ? varint(bytes, afterLength) : [null, afterLength]
  if (length <= 0 || length > image.length) return null
  const payload = payloadAt(image, bytes, start, length, isTable)
  const values = payload === null ? null : valuesIn(payload)
  return values === null ? null : { rowid, values }
}

/**
 * Number of bytes of a payload that are on the page itself. The SQLite file format defines it: all of a short payload;
 * of a long one, as many that the last overflow page is full, or the minimum if so many do not fit.
 */
function localBytes(length: number, isTable: boolean): number {
  const maxLocal = isTable ? PAGE - 35 : Math.floor(((PAGE - 12) * 64) / 255) - 23
  if (length <= maxLocal) return length
  const minLocal = Math.floor(((PAGE - 12) * 32) / 255) - 23
  const fitting = minLocal + ((length - minLocal) % (PAGE - 4))
  return fitting <= maxLocal ? fitting : minLocal
}

/**
 * The payload of a record: the part on the page itself, followed by the part in the chain of overflow pages; null if it
 * is damaged.
 */
function payloadAt(
  image: Uint8Array,
  bytes: Uint8Array,
  start: number,
  length: number,
  isTable: boolean,
): Uint8Array | null {
  const local = localBytes(length, isTable)
  if (start + local > PAGE) return null
  if (local === length) return bytes.subarray(start, start + length)
  if (start + local + 4 > PAGE) return null
  const payload = new Uint8Array(length)
  payload.set(bytes.subarray(start, start + local))
  const view = new DataView(image.buffer, image.byteOffset, image.byteLength)
  let next = new DataView(bytes.buffer, bytes.byteOffset).getUint32(start + local)
  let done = local
  // Each page adds at least one byte, so that the loop also ends if the chain of pages is a cycle.
  while (done < length) {
    const from = (next - 1) * PAGE
    if (next === 0 || from + PAGE > image.length) return null
    const part = image.subarray(from + 4, from + 4 + Math.min(PAGE - 4, length - done))
    payload.set(part, done)
    done += part.length
    next = view.getUint32(from)
  }
  return payload
}

const decoder = new TextDecoder()
/** Lengths in bytes of values with the serial types 0 to 11; types 10 and 11 do not occur in files. */
const FIXED = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0]

function valuesIn(payload: Uint8Array): RawValue[] | null {
  const [headerEnd, first] = varint(payload, 0)
  if (headerEnd > payload.length) return null
  const values: RawValue[] = []
  let at = headerEnd
  for (let header = first; header < headerEnd; ) {
    const [type, next] = varint(payload, header)
    header = next
    const length = type >= 12 ? (type - 12) >>> 1 : FIXED[type]
    if (length === undefined || at + length > payload.length) return null
    const bytes = payload.subarray(at, at + length)
    values.push(read(type, bytes))
    at += length
  }
  return values
}

function read(type: number, bytes: Uint8Array): RawValue {
  if (type === 0) return null
  if (type === 8 || type === 9) return type - 8
  if (type === 7) return new DataView(bytes.buffer, bytes.byteOffset).getFloat64(0)
  if (type >= 12) return type % 2 === 0 ? bytes : decoder.decode(bytes)
  let value = bytes[0]! >= 128 ? -1 : 0
  for (const byte of bytes) value = value * 256 + byte
  return value
}

/** A varint of at most 53 bits (no length or row id in these files is larger), and the offset after it. */
function varint(bytes: Uint8Array, start: number): [value: number, end: number] {
  let value = 0
  for (let at = start; at < start + 8; at++) {
    const byte = bytes[at] ?? 0
    value = value * 128 + (byte & 127)
    if (byte < 128) return [value, at + 1]
  }
  return [Number.MAX_SAFE_INTEGER, start + 9]
}
