import type { ScannedFile, ScannedFolder, ScanResult } from "./scan-result.ts"

/** Raised with the list of names that are left out, too: what an older one kept or dropped no longer counts. */
const FORMAT = 3
/** Can stand in no path, on any system. */
const END = "\0"

type Head = Omit<ScanResult, "files" | "folders"> & {
  readonly format: number
  readonly files: number
  /** What `.gitattributes` says, by the position of the file. */
  readonly said: readonly (readonly [at: number, said: number])[]
  readonly folders: readonly (
    | readonly [isRepository: boolean, hasRules: boolean, skipped: ScannedFolder["skipped"]]
    | 0
  )[]
}

/**
 * A scan as bytes, to be kept until the next: 30,000 files come back in a few milliseconds, where as many rows of
 * a table take longer than looking at the files. Sizes and times, then everything else as text.
 */
export function packScan(scan: ScanResult): Uint8Array {
  const { files, folders, skipped, tooLarge, rules, options, startedAtMs } = scan
  const head: Head = {
    format: FORMAT,
    files: files.length,
    said: files.flatMap(({ said }, i) => (said === undefined ? [] : [[i, said] as const])),
    folders: folders.map((folder) =>
      isPlain(folder) ? 0 : [folder.isRepository, folder.hasRules, folder.skipped],
    ),
    ...{ skipped, tooLarge, rules, options, startedAtMs },
  }
  const text = [
    JSON.stringify(head),
    ...files.map((file) => file.path),
    ...folders.map((folder) => folder.path),
  ].join(END)
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

/** Null for bytes of another format; bytes come from our own database, which checks them. */
export function unpackScan(bytes: Uint8Array): ScanResult | null {
  if (bytes.byteLength < 8) return null
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const count = view.getFloat64(0, true)
  if (!Number.isInteger(count) || count < 1 || count * 8 >= bytes.byteLength) return null
  const parts = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    .toString("utf8", count * 8)
    .split(END)
  const head = JSON.parse(parts[0]!) as Head
  if (head.format !== FORMAT) return null
  const files: ScannedFile[] = []
  for (let i = 0; i < head.files; i++) {
    const at = 8 + i * 16
    files.push({
      path: parts[i + 1]!,
      size: view.getFloat64(at, true),
      mtimeMs: view.getFloat64(at + 8, true),
    })
  }
  for (const [at, said] of head.said) files[at] = { ...files[at]!, said }
  const folders = head.folders.map((facts, i): ScannedFolder => {
    const mtimeMs = view.getFloat64(8 + (head.files * 2 + i) * 8, true)
    const [isRepository, hasRules, skipped] = facts === 0 ? ([false, false, {}] as const) : facts
    return { path: parts[1 + head.files + i]!, mtimeMs, isRepository, hasRules, skipped }
  })
  const { skipped, tooLarge, rules, options, startedAtMs } = head
  return { files, folders, skipped, tooLarge, rules, options, startedAtMs }
}

function isPlain(folder: ScannedFolder): boolean {
  return !folder.isRepository && !folder.hasRules && Object.keys(folder.skipped).length === 0
}
