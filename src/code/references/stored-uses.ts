import { AmanError } from "../../base/errors.ts"
import { FLAG_BITS, NAMED, storedUse, THIS, UNKNOWN, USE, type Use } from "./use-code.ts"

const LINE_END = 10
const FLAGS = (1 << FLAG_BITS) - 1

/**
 * Reads the uses of one file from the bytes that `packUses` wrote. Only names that the caller needs are converted to
 * strings. The bytes have no checksum, so every method must end for any input; it throws INDEX_CORRUPT if `packUses`
 * cannot have written the bytes.
 */
export class StoredUses {
  readonly #bytes: Buffer
  /** Offset of the names in the bytes; `#places` is the offset of the places. */
  readonly #names: number
  readonly #places: number
  readonly #used: number
  /** All names; null until a name is first looked up by its id. */
  #allNames: readonly string[] | null = null
  #at = 0

  constructor(places: Uint8Array) {
    const bytes = unpacked(places)
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#used = this.#read()
    const length = this.#read()
    this.#names = this.#at
    this.#places = this.#at + length
    if (this.#places > bytes.length) throw damaged()
  }

  /** Throws INDEX_CORRUPT if any part of the bytes cannot have been written by `packUses`. */
  check(): void {
    this.#each(isAny)
  }

  /** The uses of one name, ordered by line. */
  of(name: string): Use[] {
    const id = this.#idOf(name)
    if (id < 0 || id >= this.#used) return []
    this.#at = this.#places
    for (let before = 0; before < id; before++) this.#skip()
    const uses: Use[] = []
    this.#gather(id, uses, isAny, name)
    return uses
  }

  /**
   * The uses that are imports or base types, or that declare or test a value with a known type. Grouped by name, then
   * ordered by line.
   */
  typeUses(): Use[] {
    return this.#each(isTelling)
  }

  /** The uses on these lines whose flags satisfy `isWanted`. Grouped by name, then ordered by line. */
  between(first: number, last: number, isWanted: (flags: number) => boolean): Use[] {
    return this.#each((line, code) => line >= first && line <= last && isWanted(code & FLAGS))
  }

  #each(isWanted: IsWanted): Use[] {
    const uses: Use[] = []
    this.#at = this.#places
    for (let id = 0; id < this.#used; id++) this.#gather(id, uses, isWanted)
    return uses
  }

  #gather(id: number, uses: Use[], isWanted: IsWanted, known: string | null = null): void {
    let line = 0
    let name = known
    const count = this.#read()
    if (2 * count > this.#bytes.length - this.#at) throw damaged()
    for (let left = count; left > 0; left--) {
      line += this.#read()
      const code = this.#read()
      if (!isWanted(line, code)) continue
      name ??= this.#name(id)
      uses.push(storedUse(name, line, code & FLAGS, this.#qualifier(code)))
    }
  }

  #qualifier(code: number): string | null {
    const id = code >>> FLAG_BITS
    if (id === 0) return null
    if (id === THIS) return "this"
    return id === UNKNOWN ? "?" : this.#name(id - NAMED)
  }

  #name(id: number): string {
    this.#allNames ??= this.#bytes.toString("utf8", this.#names, this.#places).split("\n")
    const name = this.#allNames[id]
    if (name === undefined) throw damaged()
    return name
  }

  /** Index of the name in the list of names; -1 if the file does not use it. */
  #idOf(name: string): number {
    const bytes = this.#bytes
    const length = Buffer.byteLength(name)
    let id = 0
    let counted = this.#names
    for (let at = this.#names; at <= this.#places; at++) {
      at = bytes.indexOf(name, at)
      if (at < 0 || at + length > this.#places) return -1
      const isWhole =
        (at === this.#names || bytes[at - 1] === LINE_END) &&
        (at + length === this.#places || bytes[at + length] === LINE_END)
      if (!isWhole) continue
      for (; counted < at; counted++) if (bytes[counted] === LINE_END) id++
      return id
    }
    return -1
  }

  #skip(): void {
    const bytes = this.#bytes
    let rest = 2 * this.#read()
    let at = this.#at
    while (rest > 0 && at < bytes.length) if (bytes[at++]! < 128) rest--
    if (rest > 0) throw damaged()
    this.#at = at
  }

  #read(): number {
    const bytes = this.#bytes
    let value = 0
    for (let shift = 0; this.#at < bytes.length; shift += 7) {
      const byte = bytes[this.#at++]!
      value |= (byte & 127) << shift
      if (byte < 128) return value >>> 0
    }
    throw damaged()
  }
}

function unpacked(places: Uint8Array): Uint8Array {
  try {
    return Bun.zstdDecompressSync(places as Uint8Array<ArrayBuffer>)
  } catch (cause) {
    throw damaged(cause)
  }
}

function damaged(cause?: unknown): AmanError {
  const hint = "run: aman index"
  return new AmanError("INDEX_CORRUPT", "the uses of a file are damaged in the index", { hint, cause })
}

type IsWanted = (line: number, code: number) => boolean

function isAny(): boolean {
  return true
}

function isTelling(_line: number, code: number): boolean {
  return (
    (code & (USE.import | USE.base)) !== 0 ||
    ((code & (USE.declares | USE.narrows)) !== 0 && code >>> FLAG_BITS !== 0)
  )
}
