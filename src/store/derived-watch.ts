import type { DerivedRow } from "./derived.ts"
import { stampOf, verifyDerived } from "./derived-files.ts"

type Watched = { readonly row: DerivedRow; readonly stamp: string; readonly isSound: boolean }

/**
 * Derived files that somebody reads from. What is mapped shows what others write in place, and ends the process where
 * they cut it off; so whoever has them open looks before each question, which is a call of the system a file.
 */
export class DerivedWatch {
  readonly #folder: string
  #files: readonly Watched[]

  /** What `before` knows of the same files is not found out again. */
  constructor(folder: string, rows: readonly DerivedRow[], before: DerivedWatch | null = null) {
    this.#folder = folder
    const seen = before === null ? [] : before.#files
    this.#files = rows.map((row) => {
      const known = seen.find((file) => file.row.name === row.name && file.row.hash === row.hash)
      return known === undefined ? { row, stamp: asVerified(row), isSound: true } : { ...known, row }
    })
    this.look()
  }

  /** True where a file was whole at the last look and is not now, or the other way round. */
  look(): boolean {
    const before = this.#files
    this.#files = before.map((file) => seenAgain(this.#folder, file))
    return this.#files.some((file, i) => file.isSound !== before[i]!.isSound)
  }

  /** Whether no file that was whole looks otherwise than at the last look: which is what whoever waited has to ask. */
  isUntouched(): boolean {
    return this.#files.every(({ row, stamp, isSound }) => !isSound || lookOf(this.#folder, row) === stamp)
  }

  /** Every file was what its row says. */
  get isSound(): boolean {
    return this.#files.every((file) => file.isSound)
  }

  /** This one was. */
  isWhole({ name }: Pick<DerivedRow, "name">): boolean {
    return this.#files.some((file) => file.isSound && file.row.name === name)
  }
}

/** One that looks otherwise is read again, once; who merely touched it changed nothing. */
function seenAgain(folder: string, file: Watched): Watched {
  const stamp = lookOf(folder, file.row)
  if (stamp === file.stamp) return file
  return { ...file, stamp, isSound: verifyDerived(folder, file.row) !== null }
}

function lookOf(folder: string, row: DerivedRow): string {
  const found = stampOf(folder, row)
  return found === null ? "" : asVerified(found)
}

function asVerified({ inode, times }: Pick<DerivedRow, "inode" | "times">): string {
  return `${inode} ${times}`
}
