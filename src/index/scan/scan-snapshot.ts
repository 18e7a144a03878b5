import type { ScannedFile, ScannedFolder, ScanResult } from "./scan-result.ts"

/**
 * Version of the format. Raise it also when the list of skipped names changes, so that older snapshots are no longer
 * used.
 */
const FORMAT = 4
/** Stands between paths: a character that no path can contain, on any system. */
const SEPARATOR = "\0"

type SnapshotHeader = Omit<ScanResult, "files" | "folders"> & {
  readonly format: number
  readonly files: number
  /** `.gitattributes` flags; `at` is the position of the file in the list of files. */
  readonly attributeFlags: readonly (readonly [at: number, flags: number])[]
  readonly folders: readonly (
    | readonly [isRepository: boolean, hasRules: boolean, skipped: ScannedFolder["skipped"]]
    | 0
  )[]
}

/**
 * Packs a scan into bytes, which are stored until the next scan. 30,000 files are restored from them in a few
 * milliseconds; reading them as table rows would take longer than checking all files on disk. First come sizes and
 * times, then everything else as text.
 */
export function packScan(scan: ScanResult): Uint8Array {
  const { files, folders, skipped, tooLarge, rules, options, startedAtMs } = scan
  const head: SnapshotHeader = {
    format: FORMAT,
    files: files.length,
    attributeFlags: files.flatMap(({ attributeFlags }, i) =>
      attributeFlags === undefined ? [] : [[i, attributeFlags] as const],
    ),
    folders: folders.map((folder) =>
      hasOnlyPath(folder) ? 0 : [folder.isRepository, folder.hasRules, folder.skipped],
    ),
    ...{ skipped, tooLarge, rules, options, startedAtMs },
  }
  const text = [
    JSON.stringify(head),
    ...files.map((file) => file.path),
    ...folders.map((folder) => folder.path),
  ].join(SEPARATOR)
  const numbers = new Float64Array(1 + files.length * 2 + folders.length)
  numbers[0] = numbers.length
  let at = 1
  for (const file of files) {
    numbers[at++] = file.size
    numbers[at++] = file.mtimeMs
  }
  for (const folder of folders) numbers[at++] = folder.mtimeMs
  return Buffer.concat([Buffer.from(numbers.buffer), Buffer.from(text)])
}

/** A packed scan of which only the header has been read. */
export type PackedScan = Pick<ScanResult, "skipped" | "tooLarge" | "rules" | "options" | "startedAtMs"> & {
  readonly bytes: Uint8Array
  readonly files: number
  readonly folders: number
  /** Positions of the folders that contain an unreadable entry. */
  readonly unreadableFolders: readonly number[]
  /** Size and time of each file, then the time of each folder. */
  readonly numbers: Float64Array
  /** The path of each file, then of each folder, separated by zero bytes. */
  readonly names: Uint8Array
  /** Restores the complete scan. */
  unpack(): ScanResult
}

/**
 * Reads the header of a packed scan. Null if the bytes are damaged or have another format; everything is then scanned
 * again.
 */
export function readPacked(bytes: Uint8Array): PackedScan | null {
  if (bytes.byteLength < 8) return null
  const count = new DataView(bytes.buffer, bytes.byteOffset, 8).getFloat64(0, true)
  if (!Number.isInteger(count) || count < 1 || count * 8 >= bytes.byteLength) return null
  const textAt = count * 8
  const headEnd = bytes.indexOf(0, textAt)
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const head = readHead(text.toString("utf8", textAt, headEnd < 0 ? undefined : headEnd))
  if (head === null || count !== 1 + head.files * 2 + head.folders.length) return null
  const numbers = new Float64Array(bytes.buffer.slice(bytes.byteOffset + 8, bytes.byteOffset + textAt))
  const names = bytes.subarray(headEnd < 0 ? bytes.byteLength : headEnd + 1)
  const { skipped, tooLarge, rules, options, startedAtMs } = head
  return {
    bytes,
    ...{ skipped, tooLarge, rules, options, startedAtMs, numbers, names },
    files: head.files,
    folders: head.folders.length,
    unreadableFolders: head.folders.flatMap((facts, i) =>
      facts !== 0 && (facts[2].unreadable ?? 0) > 0 ? [i] : [],
    ),
    unpack: () => unpack(head, numbers, names),
  }
}

function readHead(text: string): SnapshotHeader | null {
  try {
    const head = JSON.parse(text) as Partial<SnapshotHeader> | null
    const lists = [head?.attributeFlags, head?.folders, head?.tooLarge, head?.rules]
    return head?.format === FORMAT && lists.every(Array.isArray) ? (head as SnapshotHeader) : null
  } catch {
    return null
  }
}

export function unpackScan(bytes: Uint8Array): ScanResult | null {
  return readPacked(bytes)?.unpack() ?? null
}

function unpack(head: SnapshotHeader, numbers: Float64Array, names: Uint8Array): ScanResult {
  const paths = Buffer.from(names.buffer, names.byteOffset, names.byteLength)
    .toString("utf8")
    .split(SEPARATOR)
  const files: ScannedFile[] = []
  for (let i = 0; i < head.files; i++) {
    files.push({ path: paths[i]!, size: numbers[i * 2]!, mtimeMs: numbers[i * 2 + 1]! })
  }
  for (const [at, attributeFlags] of head.attributeFlags) files[at] = { ...files[at]!, attributeFlags }
  const folders = head.folders.map((facts, i): ScannedFolder => {
    const mtimeMs = numbers[head.files * 2 + i]!
    const [isRepository, hasRules, skipped] = facts === 0 ? ([false, false, {}] as const) : facts
    return { path: paths[head.files + i]!, mtimeMs, isRepository, hasRules, skipped }
  })
  const { skipped, tooLarge, rules, options, startedAtMs } = head
  return { files, folders, skipped, tooLarge, rules, options, startedAtMs }
}

function hasOnlyPath(folder: ScannedFolder): boolean {
  return !folder.isRepository && !folder.hasRules && Object.keys(folder.skipped).length === 0
}
