import { LRUCache } from "lru-cache"
import type { Config } from "../../base/index.ts"
import { rescan, statDifferences } from "../../index/index.ts"
import {
  addCounts,
  isRacy,
  type PackedScan,
  packScan,
  readPacked,
  type ScannedFile,
  type ScanOptions,
  type ScanResult,
  scanProject,
} from "../../tree/index.ts"
import { DIGIT } from "../patterns/needed-trigrams.ts"
import type { TextPattern } from "../patterns/text-pattern.ts"
import type { GrepFiles } from "./grep-project.ts"
import type { GrepTask } from "./grep-threads.ts"

/** What is remembered of a file: why it was not searched, or which trigrams its text has. */
type Remembered = {
  /** The file when it was read. */
  readonly file: ScannedFile
  readonly reason: string | null
  /** A bit for the hash of each three neighbouring bytes in UTF-8; ASCII letters are in lower case. */
  readonly trigrams: Uint32Array
  readonly isAscii: boolean
}

/** Maximum size of all trigrams together. The files beyond are read by every search. */
const MAX_BYTES = 16 << 20
const MIN_BITS = 1 << 10
const MAX_BITS = 1 << 19
/** Characters of a text for each bit. Source code then has a third of the bits set, data less. */
const CHARACTERS_PER_BIT = 2

/**
 * What text searches of one project remember, so that the next one reads only the files that may match: the last scan, and
 * which trigrams each file had. A file counts as known while its size, time and attributes are those of the scan before it was read.
 */
export class GrepMemory {
  readonly isFixed: boolean
  /** All files, if they never change and have been listed. */
  listed: GrepFiles | undefined
  #scan: ScanResult | null = null
  #packed: PackedScan | null = null
  #files = new Map<string, ScannedFile>()
  #remembered = new Map<string, Remembered>()
  #bytes = 0
  #asked = { paths: [] as readonly string[], count: 0, known: [] as readonly (Remembered | undefined)[] }

  /** `isFixed`: the files never change. */
  constructor(isFixed = false) {
    this.isFixed = isFixed
  }

  /** Bytes of the trigrams, and roughly those of what else is known of the files. */
  get bytes(): number {
    return this.#bytes + this.#files.size * 500 + 1
  }

  /** The project's files as they are now; always with the same root and options. */
  scan(root: string, options: ScanOptions): ScanResult {
    if (this.isFixed && this.#scan !== null) return this.#scan
    const differing = this.#packed && statDifferences(root, this.#packed)
    const scan =
      this.#scan === null
        ? scanProject(root, options)
        : rescan(root, this.#scan, options, Date.now(), differing).scan
    if (scan.files !== this.#scan?.files || scan.folders !== this.#scan.folders) {
      this.#files = new Map(scan.files.map((file) => [file.path, file]))
      this.#packed = readPacked(packScan(scan))
      for (const [path, { file, trigrams }] of this.#remembered) {
        if (isSame(file, this.#files.get(path))) continue
        this.#remembered.delete(path)
        this.#bytes -= trigrams.byteLength
      }
    }
    this.#scan = scan
    return scan
  }

  /**
   * Divides files without reading them: `toRead` may match, `lacking` is the number of those whose text lacks what the
   * pattern needs, `leftOut` of those that would not be searched, by reason.
   */
  divide({ mayBeIn, ignoreCase }: TextPattern, paths: readonly string[]) {
    const keys = new Map<string, Uint32Array>()
    const keysFor = (text: string) => {
      // Beyond ASCII, case is folded by rules that trigrams do not follow.
      const own = keysOf(ignoreCase && !isAscii(text) ? "" : text)
      keys.set(text, own)
      return own
    }
    let known: Remembered | undefined
    const has = (text: string) =>
      (ignoreCase && !known!.isAscii) || hasTrigrams(known!.trigrams, keys.get(text) ?? keysFor(text))
    const [toRead, leftOut]: [string[], Record<string, number>] = [[], {}]
    let lacking = 0
    const all = this.#inOrder(paths)
    for (let at = 0; at < all.length; at++) {
      known = all[at]
      if (known === undefined) toRead.push(paths[at]!)
      else if (known.reason !== null) addCounts(leftOut, { [known.reason]: 1 })
      else if (mayBeIn(has, known.isAscii)) toRead.push(paths[at]!)
      else lacking++
    }
    return { toRead, leftOut, lacking }
  }

  /** What is known of each file; looked up once for a list that stays the same while nothing is added. */
  #inOrder(paths: readonly string[]): readonly (Remembered | undefined)[] {
    const count = this.#remembered.size
    if (this.#asked.paths !== paths || this.#asked.count !== count)
      this.#asked = { paths, count, known: paths.map((path) => this.#remembered.get(path)) }
    return this.#asked.known
  }

  /** Remembers a file that was just read, with the reason why it is not searched or its text. */
  add(path: string, read: { readonly reason: string } | { readonly text: string }): void {
    const file = this.#files.get(path)
    if (file === undefined || isRacy(file.mtimeMs, this.#scan!.startedAtMs)) return
    const text = "text" in read ? read.text : ""
    const fitting = 2 ** Math.ceil(Math.log2(text.length / CHARACTERS_PER_BIT))
    const bits = Math.min(MAX_BITS, Math.max(MIN_BITS, fitting))
    if (this.#remembered.has(path) || this.#bytes + bits / 8 > MAX_BYTES) return
    this.#bytes += bits / 8
    const trigrams = new Uint32Array(bits / 32)
    const reason = "reason" in read ? read.reason : null
    this.#remembered.set(path, { file, reason, trigrams, isAscii: setTrigrams(trigrams, text) })
  }
}

/**
 * What is known of the files of each root. While it takes `maxSize` bytes, nothing is remembered of further roots: to forget
 * those searched least recently would forget all of them, because a search of many roots takes them in turn.
 */
export class GrepMemories {
  readonly held: LRUCache<string, { readonly config: Config; readonly memory: GrepMemory }>

  constructor(maxSize: number = 128 << 20) {
    // A root is forgotten five minutes after its last search.
    const times = { ttl: 300_000, updateAgeOnGet: true }
    this.held = new LRUCache({ ...times, maxSize, sizeCalculation: ({ memory }) => memory.bytes })
  }

  /** Runs a search with the memory of its root, which is measured after it, because the search fills it. */
  async use<T>({ root, config, isFixed }: GrepTask, search: (known: GrepMemory) => Promise<T>) {
    const known = this.held.get(root)
    const isSame = known !== undefined && Bun.deepEquals(known.config, config)
    const held = isSame ? known : { config, memory: new GrepMemory(isFixed) }
    this.held.delete(root)
    return search(held.memory).finally(() => {
      const hasRoom = () => this.held.calculatedSize + held.memory.bytes <= this.held.maxSize
      if (!hasRoom()) this.held.purgeStale()
      if (isSame || hasRoom()) this.held.set(root, held)
    })
  }
}

/** True if a file has the same text: attributes say in which encoding it is read. */
function isSame({ size, mtimeMs, attributeFlags }: ScannedFile, now: ScannedFile | undefined): boolean {
  return size === now?.size && mtimeMs === now.mtimeMs && attributeFlags === now.attributeFlags
}

/** Each byte, that of an ASCII capital in lower case. */
const LOWER = Uint8Array.from({ length: 256 }, (_, code) => (code >= 65 && code <= 90 ? code + 32 : code))

/** The same with one code for all digits. */
const KINDS = LOWER.map((code) => (code >= 48 && code <= 57 ? DIGIT.charCodeAt(0) : code))

const encoder = new TextEncoder()
const encoded = new Uint8Array(64 << 10)

/** Sets the bits of a text's trigrams, as they are and with `DIGIT` for each digit. True if the text is ASCII. */
function setTrigrams(bits: Uint32Array, text: string): boolean {
  const shift = shiftOf(bits)
  let [key, kinds] = [0, 0]
  let bytes = 0
  for (let rest = text; rest !== ""; ) {
    const { read, written } = encoder.encodeInto(rest, encoded)
    rest = rest.slice(read)
    for (let at = 0; at < written; at++) {
      key = ((key << 8) | LOWER[encoded[at]!]!) & 0xff_ffff
      kinds = ((kinds << 8) | KINDS[encoded[at]!]!) & 0xff_ffff
      if (bytes + at < 2) continue
      setBit(bits, Math.imul(key, MIX) >>> shift)
      if (kinds !== key) setBit(bits, Math.imul(kinds, MIX) >>> shift)
    }
    bytes += written
  }
  return bytes === text.length
}

function setBit(bits: Uint32Array, bit: number): void {
  bits[bit >>> 5]! |= 1 << (bit & 31)
}

function hasTrigrams(bits: Uint32Array, keys: Uint32Array): boolean {
  const shift = shiftOf(bits)
  // An iterator would take twice as long.
  for (let at = 0; at < keys.length; at++) {
    const bit = keys[at]! >>> shift
    if (((bits[bit >>> 5]! >>> (bit & 31)) & 1) === 0) return false
  }
  return true
}

/** The hashes of a text's trigrams; a file's number of bits decides how many bits of them count. */
function keysOf(text: string): Uint32Array {
  const bytes = encoder.encode(text)
  return Uint32Array.from({ length: Math.max(0, bytes.length - 2) }, (_, at) =>
    Math.imul((LOWER[bytes[at]!]! << 16) | (LOWER[bytes[at + 1]!]! << 8) | LOWER[bytes[at + 2]!]!, MIX),
  )
}

/** 2³² divided by the golden ratio, by which the upper bits of a product are spread evenly. */
const MIX = 0x9e3779b1

/** The shift that leaves as many upper bits of a hash as number the bits. */
function shiftOf({ length }: Uint32Array): number {
  return Math.clz32(length) - 4
}

const isAscii = (text: string) => !/[^\0-\x7f]/.test(text)
