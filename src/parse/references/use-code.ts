import { AmanError } from "../../base/index.ts"
import type { ValuePath } from "./value-path.ts"

/** How a name is used at a place, as bits that can be combined. */
export const USE = {
  call: 1,
  import: 2,
  /** The name is a type that another type extends or implements. */
  base: 4,
  /** The name comes after `.`, `->` or `::`. */
  member: 8,
  /** The name is bound here to a local variable, as by `const`. The qualifier is the path of the variable's value. */
  declares: 16,
  /** A test such as `x is Store` states the type of the value here. The qualifier is the path of that type. */
  narrows: 32,
  /**
   * The name is that of a local variable in a scope around the place; for a member, the first name of its path is. It
   * then means no definition outside of the function.
   */
  local: 64,
  /**
   * The use is in the code of a template, whose language is unknown, so only the name shows which definition is meant.
   */
  template: 128,
  /** The name comes after `::` with nothing before it (C++), so that it is no member of a type. */
  global: 256,
  /** The name is that of a definition inside of a function around the place, such as a nested function. */
  inner: 512,
} as const

/** Set in a stored code if the number of arguments follows. */
const COUNTED = 1024
/** Number of low bits of a code that contain the flags. The bits above contain the id of the qualifier. */
const FLAG_BITS = 11

/**
 * Name of the use that records the method `name` of an object literal; its path is the type that the context expects for
 * the object. It contains a space, as no name in code does.
 */
export function literalMethod(name: string): string {
  return `literal ${name}`
}

/**
 * Name of the use that records an alias of an import: `import { Store as Shop }` gives `as Shop`, with the qualifier
 * `Store`. It contains a space, as no name in code does.
 */
export function importAlias(alias: string): string {
  return `as ${alias}`
}

/** A place where a name is used; the place where it is defined is not a use. */
export type Use = {
  readonly name: string
  /** 1-based. */
  readonly line: number
  readonly flags: number
  /**
   * What qualifies the name, depending on the kind of use. For a member, the text before the dot: "this" for `self` and
   * similar words, "?" for an expression, null for a key of an object literal. For an import, the module. For a base,
   * the type that extends it. For a bound name, the path of its value. A base that is also a member has the type and
   * the text before the dot, separated by a space; see subtypeOf.
   */
  readonly qualifier: string | null
  /** The path of the value that a member belongs to, if it contains more than the qualifier. */
  readonly path?: ValuePath | null
  /** Where a local variable is bound: the last line of its scope. */
  readonly until?: number
  /** Number of arguments of a call, in languages with overloads; undefined if it is unknown. */
  readonly args?: number
}

/** The uses of one file, as they are stored. */
type PackedUses = {
  /** Hashes of the used names: 32-bit unsigned integers, little-endian, ascending. */
  readonly names: Uint8Array
  /**
   * Compressed with zstd: the number of used names, the byte length of the names, the names joined by line feeds, and
   * the places of each used name.
   */
  readonly places: Uint8Array
}

/** Ids of qualifiers. 0 means no qualifier; NAMED and higher ids are ids of names. */
const THIS = 1
const UNKNOWN = 2
const NAMED = 3

export function packUses(uses: readonly Use[]): PackedUses {
  const names = new Names()
  const byName: Use[][] = []
  for (const use of uses) {
    const id = names.idOf(use.name)
    const list = byName[id]
    if (list) list.push(use)
    else byName[id] = [use]
  }
  const used = names.all.slice()
  const numbers: number[] = []
  for (const list of byName) packPlaces(list, names, numbers)
  const text = Buffer.from(names.all.join("\n"))
  const bytes = new Uint8Array(MAX_VARINT * (numbers.length + 2) + text.length)
  let at = writeVarint(bytes, writeVarint(bytes, 0, used.length), text.length)
  bytes.set(text, at)
  at += text.length
  for (const value of numbers) at = writeVarint(bytes, at, value)
  return { names: hashesOf(used), places: Bun.zstdCompressSync(bytes.subarray(0, at), { level: 1 }) }
}

const DOTTED_BASE = USE.base | USE.member

/**
 * The type that extends or implements the used name; null if the use is not a base. For `class A(Module)` and `class
 * A(nn.Module)` it is A; in the second case the qualifier of Module is "A nn".
 */
export function subtypeOf({ flags, qualifier }: Use): string | null {
  if ((flags & USE.base) === 0 || qualifier === null) return null
  return (flags & USE.member) === 0 ? qualifier : qualifier.slice(0, qualifier.lastIndexOf(" "))
}

/** For a base after a dot (`nn.Module`), the same use as a plain member access; any other use is returned unchanged. */
export function asMember(use: Use): Use {
  const { flags, qualifier } = use
  if ((flags & DOTTED_BASE) !== DOTTED_BASE || qualifier === null) return use
  const path = qualifier.slice(qualifier.lastIndexOf(" ") + 1)
  return { ...use, flags: flags & ~USE.base, qualifier: LAST_NAME.exec(path)?.[1] ?? path, path }
}

/** Pairs of a type and a type that it extends or implements, without duplicates. */
export function basesAmong(uses: readonly Use[]): [type: string, base: string][] {
  const bases = new Map<string, [string, string]>()
  for (const use of uses) {
    const heir = subtypeOf(use)
    if (heir !== null) bases.set(`${heir}\n${use.name}`, [heir, use.name])
  }
  return [...bases.values()]
}

/** The names in the order of their first use. Names that occur only as qualifiers come last. */
class Names {
  readonly all: string[] = []
  readonly #ids = new Map<string, number>()

  idOf(name: string): number {
    const known = this.#ids.get(name)
    if (known !== undefined) return known
    const id = this.all.push(name) - 1
    this.#ids.set(name, id)
    return id
  }
}

/** The hash of a name by which the files that use it are found. */
export function useHash(name: string): number {
  return Bun.hash.xxHash32(name)
}

/** Appends how many numbers follow, and the numbers of each use: the lines since the previous one, its code, its details. */
function packPlaces(uses: readonly Use[], names: Names, numbers: number[]): void {
  const count = numbers.push(0) - 1
  let line = 0
  let last = -1
  for (const use of uses) {
    const { args, until } = use
    const counted = args === undefined ? 0 : COUNTED
    const code = use.flags | counted | (qualifierId(storedText(use), names) << FLAG_BITS)
    const isScoped = (code & SCOPED) === SCOPED
    if (use.line === line && code === last && args === undefined && !isScoped) continue
    numbers.push(use.line - line, code)
    if (isScoped) numbers.push(until === undefined ? 0 : until - use.line + 1)
    if (args !== undefined) numbers.push(args)
    line = use.line
    last = code
  }
  numbers[count] = numbers.length - count - 1
}

/** Flags of a binding with the last line of its scope. */
const SCOPED = USE.declares | USE.local

/**
 * The text that is stored for a use: its path, which ends with the qualifier; or the qualifier alone if there is no
 * path. A path without a qualifier is marked by a brace.
 */
function storedText({ flags, qualifier, path }: Use): string | null {
  if (path === undefined || path === null || (flags & USE.base) !== 0) return qualifier
  return qualifier === null ? `{${path}` : path
}

/** The use that is stored with the text `text`, the inverse of `storedText`. */
function storedUse(name: string, line: number, flags: number, text: string | null): Use {
  const isPlain = text === null || (flags & USE.member) === 0 || (flags & USE.base) !== 0
  if (isPlain || !PATH.test(text)) return { name, line, flags, qualifier: text }
  if (text.startsWith("{")) return { name, line, flags, qualifier: null, path: text.slice(1) }
  return { name, line, flags, qualifier: LAST_NAME.exec(text)?.[1] ?? "?", path: text }
}

const PATH = /[.(:@<{[]/
const LAST_NAME = /\.([^.()@[\]]+)$/

function qualifierId(qualifier: string | null, names: Names): number {
  if (qualifier === null) return 0
  if (qualifier === "this") return THIS
  return qualifier === "?" ? UNKNOWN : NAMED + names.idOf(qualifier)
}

function hashesOf(names: readonly string[]): Uint8Array {
  return new Uint8Array(Uint32Array.from(names, useHash).sort().buffer)
}

const MAX_VARINT = 5

/** Writes a number with a variable number of bytes, and returns the offset after it. */
function writeVarint(bytes: Uint8Array, start: number, value: number): number {
  let at = start
  let rest = value
  while (rest > 127) {
    bytes[at++] = (rest & 127) | 128
    rest >>>= 7
  }
  bytes[at++] = rest
  return at
}

const LINE_END = 10
const FLAGS = COUNTED - 1

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
    let left = this.#read()
    if (left > this.#bytes.length - this.#at) throw damaged()
    while (left > 0) {
      line += this.#read()
      const code = this.#read()
      const isScoped = (code & SCOPED) === SCOPED
      const lines = isScoped ? this.#read() : 0
      const isCounted = (code & COUNTED) !== 0
      const args = isCounted ? this.#read() : 0
      left -= 2 + Number(isScoped) + Number(isCounted)
      if (!isWanted(line, code)) continue
      name ??= this.#name(id)
      let use = storedUse(name, line, code & FLAGS, this.#qualifier(code))
      if (lines > 0) use = { ...use, until: line + lines - 1 }
      uses.push(isCounted ? { ...use, args } : use)
    }
    if (left < 0) throw damaged()
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
    let rest = this.#read()
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
    (code & SCOPED) === SCOPED ||
    ((code & (USE.declares | USE.narrows)) !== 0 && code >>> FLAG_BITS !== 0)
  )
}
