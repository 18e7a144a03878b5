/*
 * Text files of a project that its index leaves out: lock files, minified and generated code, snapshots of tests, files
 * that are too large. Their list is kept until the index changes, and the words of each file until the file changes.
 */

import { firstAtLeast } from "../../base/sorted.ts"
import { rescanFolders, statAt } from "../../index/changes/rescan.ts"
import { skipFileName } from "../../index/scan/scan-names.ts"
import { optionsKey, type SkipReason, scanOptionsOf } from "../../index/scan/scan-result.ts"
import { unpackScan } from "../../index/scan/scan-snapshot.ts"
import type { Store } from "../../store/index/store.ts"
import { isDocument } from "../../text/documents/document-text.ts"
import { readAsWritten } from "../../text/files/read-source.ts"
import { clearTerms, createTermBuffer } from "../../text/terms/term-buffer.ts"
import { tokenize } from "../../text/terms/tokenize.ts"
import type { Project } from "../project/open-project.ts"
import { MAX_FILE_BYTES } from "../search/grep-files.ts"

/** The files outside of the index, and the number of files and folders that the scan left out because of secrets. */
type FileList = { readonly paths: readonly string[]; readonly secrets: number }

/** Size and time of a file when it was read, and the sorted hashes of its words. */
type FileWords = { readonly size: number; readonly mtimeMs: number; readonly hashes: Uint32Array }

/** Maximum number of words that are kept, 4 bytes each; further files are read each time. */
const MAX_WORDS = 1_000_000

export class OutsideFiles {
  readonly #root: string
  readonly #store: Store
  #version = -1
  #list: FileList | null = null
  readonly #words = new Map<string, FileWords>()
  #wordCount = 0

  constructor(root: string, store: Store) {
    this.#root = root
    this.#store = store
  }

  /** Null if the index has no list of the project's files for the current settings. */
  list({ config }: Project): FileList | null {
    const version = this.#store.dataVersion()
    if (version !== this.#version) {
      this.#version = version
      this.#list = listOf(this.#root, config, this.#store)
    }
    return this.#list
  }

  /** True if a file may contain all these words, given as hashes of terms; also if it cannot be read. */
  mayContain(path: string, terms: readonly bigint[]): boolean {
    const words = this.#wordsOf(path)
    return words === null || terms.every((term) => contains(words, Number(term & 0xffff_ffffn)))
  }

  #wordsOf(path: string): Uint32Array | null {
    const now = statAt(`${this.#root}/${path}`)
    const known = this.#words.get(path)
    if (known !== undefined) {
      if (known.size === now?.size && known.mtimeMs === now.mtimeMs) return known.hashes
      this.#words.delete(path)
      this.#wordCount -= known.hashes.length
    }
    if (this.#wordCount >= MAX_WORDS) return null
    const source = readAsWritten(this.#root, path, MAX_FILE_BYTES)
    if ("reason" in source) return null
    const hashes = wordsIn(source.text)
    this.#words.set(path, { size: source.size, mtimeMs: source.mtimeMs, hashes })
    this.#wordCount += hashes.length
    return hashes
  }
}

function listOf(root: string, config: Project["config"], store: Store): FileList | null {
  const bytes = store.snapshot.get()
  const scan = bytes === null ? null : unpackScan(bytes)
  const options = scanOptionsOf(config)
  if (scan === null || scan.options !== optionsKey(options) || "over the limit" in scan.skipped) return null
  const folders = scan.folders.filter(({ skipped }) => BY_NAME.some((reason) => reason in skipped))
  const again = { ...options, maxFileBytes: MAX_FILE_BYTES, everyName: true }
  const named =
    folders.length === 0
      ? []
      : rescanFolders(root, scan, new Set(folders.map(({ path }) => path)), again, Date.now()).files.filter(
          ({ path }) => isLeftOutByName(path),
        )
  const opened = store.skipped.all().filter(({ path, reason }) => reason !== "binary" && !isDocument(path))
  const paths = [...named, ...scan.tooLarge, ...opened].map(({ path }) => path)
  return { paths, secrets: scan.skipped.secret ?? 0 }
}

/** Reasons for which the scan leaves out files that may be text by their names. */
const BY_NAME: readonly SkipReason[] = ["lock file", "minified", "test snapshot"]

function isLeftOutByName(path: string): boolean {
  const reason = skipFileName(path.slice(path.lastIndexOf("/") + 1))
  return BY_NAME.some((each) => each === reason)
}

const terms = createTermBuffer()

/** Sorted hashes of the words of a text, and of its identifiers as a whole. */
function wordsIn(text: string): Uint32Array {
  const hashes = new Set<number>()
  // In parts, so that the buffer of terms stays small.
  for (let at = 0; at < text.length; ) {
    const end = lineEnd(text, at + PART)
    clearTerms(terms)
    tokenize(text, at, end, terms)
    for (let i = 0; i < terms.count; i++) hashes.add(terms.lo[i]!)
    at = end
  }
  return Uint32Array.from(hashes).sort()
}

const PART = 10_000

/** Offset of the first line end at or after `from`; the length of the text if there is none. */
function lineEnd(text: string, from: number): number {
  const end = text.indexOf("\n", from)
  return end < 0 ? text.length : end
}

function contains(sorted: Uint32Array, value: number): boolean {
  return sorted[firstAtLeast(sorted, value)] === value
}
