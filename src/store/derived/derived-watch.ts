import type { DerivedRow } from "./derived.ts"
import { stampOf, verifyDerived } from "./derived-files.ts"

type Watched = { readonly row: DerivedRow; readonly stamp: string; readonly isSound: boolean }

/**
 * Detects changes to derived files that this process has memory-mapped. Writes by other processes show in the mapping,
 * and reading beyond the end of a truncated file kills the process. So a reader calls `check` before each query, which
 * costs one stat per file.
 */
export class DerivedWatch {
  readonly #folder: string
  #files: readonly Watched[]

  /** Files that the `previous` watch has verified are not verified again. */
  constructor(folder: string, rows: readonly DerivedRow[], previous: DerivedWatch | null = null) {
    this.#folder = folder
    const verified = previous === null ? [] : previous.#files
    this.#files = rows.map((row) => {
      const earlier = verified.find((file) => file.row.name === row.name && file.row.hash === row.hash)
      return earlier === undefined ? { row, stamp: stampText(row), isSound: true } : { ...earlier, row }
    })
    this.check()
  }

  /** Checks all files. Returns true if a file has become invalid, or valid again, since the last check. */
  check(): boolean {
    const previous = this.#files
    this.#files = previous.map((file) => recheck(this.#folder, file))
    return this.#files.some((file, i) => file.isSound !== previous[i]!.isSound)
  }

  /**
   * True if every valid file has the stamp of the last check. It compares stamps and reads no content, so that it can
   * be called after each `await`, during which another process may have replaced a file.
   */
  isUntouched(): boolean {
    return this.#files.every(
      ({ row, stamp, isSound }) => !isSound || currentStamp(this.#folder, row) === stamp,
    )
  }

  /** True if every file matched its row at the last check. */
  get isSound(): boolean {
    return this.#files.every((file) => file.isSound)
  }

  /** True if this file matched its row at the last check. */
  isWhole({ name }: Pick<DerivedRow, "name">): boolean {
    return this.#files.some((file) => file.isSound && file.row.name === name)
  }
}

/** Hashes a file again when its stamp has changed. A file whose times changed but whose content did not stays valid. */
function recheck(folder: string, file: Watched): Watched {
  const stamp = currentStamp(folder, file.row)
  if (stamp === file.stamp) return file
  return { ...file, stamp, isSound: verifyDerived(folder, file.row) !== null }
}

function currentStamp(folder: string, row: DerivedRow): string {
  const stamp = stampOf(folder, row)
  return stamp === null ? "" : stampText(stamp)
}

function stampText({ inode, times }: Pick<DerivedRow, "inode" | "times">): string {
  return `${inode} ${times}`
}
