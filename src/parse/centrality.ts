import { posix } from "node:path"
import { GrowingF64, GrowingU32, pageRank, type WalkGraph } from "../base/index.ts"
import { familyOf, nameRules } from "./languages/family.ts"
import { useHash } from "./references/use-code.ts"
import { COMMON_MEMBERS } from "./references/words.ts"

/** PageRank on a logarithmic scale: 16 steps are one doubling, and 0 is the average file. */
type Centrality = {
  /** The rank of each file, in the order of the files. */
  readonly files: Int32Array
  readonly names: readonly { readonly file: number; readonly hash: number; readonly rank: number }[]
}

/** The damping is that of Brin and Page 1998. The tolerance is far smaller than one step of the scale. */
const WALK = { damping: 0.85, tolerance: 1e-4 }
const STEPS = 16
const MAX_NAMES = 1000

/**
 * Computes PageRank over files that use each other's names, and how much of the rank each name attracts. The same files
 * in the same order give exactly the same ranks. Both inputs are read file by file and not kept, so that only some
 * hundred bytes per file stay in memory. `usedNames` (the hashes of the names that each file uses, in the order of the
 * files) is read twice.
 */
export function centralityOf(
  files: Iterable<LinkedFile>,
  usedNames: () => Iterable<Uint32Array>,
): Centrality {
  const links = new FileLinks(files)
  const { size } = links
  const seeds = Array.from({ length: size }, (_, node) => ({ node, weight: 1 }))
  const { rank } = pageRank(graphOf(links, usedNames()), seeds, WALK)
  const names = best(links, drawnByName(links, rank, usedNames()))
  return { files: Int32Array.from(rank, (share) => rankLevel(share, size)), names }
}

function rankLevel(share: number, files: number): number {
  return Math.round(STEPS * Math.log2(share * files))
}

function graphOf(links: FileLinks, usedNames: Iterable<Uint32Array>): WalkGraph {
  const { size } = links
  const first = new Int32Array(size + 1)
  const targets = new GrowingU32()
  const shares = new GrowingF64()
  const weights = new Float64Array(size)
  const used = new GrowingU32()
  let file = 0
  for (const hashes of usedNames) {
    used.clear()
    let sum = 0
    for (let i = 0; i < hashes.length; i++) {
      const meant = links.meant(file, hashes[i]!)
      for (let at = 0; at < meant; at++) {
        const home = links.table.files[links.found[at]!]!
        if (weights[home] === 0) used.push(home)
        weights[home]! += 1 / meant
      }
      if (meant > 0) sum++
    }
    for (let at = 0; at < used.length; at++) {
      const home = used.values[at]!
      targets.push(home)
      shares.push(weights[home]! / sum)
      weights[home] = 0
    }
    first[++file] = targets.length
  }
  const target = new Int32Array(targets.values.buffer, 0, targets.length)
  return { size, first, target, share: shares.view() }
}

/**
 * The rank that each entry of the name table (a name and a file that defines it) receives. Each file divides its rank
 * equally among the names that it uses.
 */
function drawnByName(links: FileLinks, rank: Float64Array, usedNames: Iterable<Uint32Array>): Float64Array {
  const drawn = new Float64Array(links.table.hashes.length)
  const entries = new GrowingU32()
  const shares = new GrowingF64()
  let file = 0
  for (const hashes of usedNames) {
    entries.clear()
    shares.clear()
    let used = 0
    for (let i = 0; i < hashes.length; i++) {
      const meant = links.meant(file, hashes[i]!)
      for (let at = 0; at < meant; at++) {
        entries.push(links.found[at]!)
        shares.push(1 / meant)
      }
      if (meant > 0) used++
    }
    for (let at = 0; at < entries.length; at++)
      drawn[entries.values[at]!]! += (rank[file]! * shares.values[at]!) / used
    file++
  }
  return drawn
}

/**
 * The names that attract the most rank, at most MAX_NAMES. Of names with equal rank, either all are returned or none,
 * so that the order of the files does not matter.
 */
function best(links: FileLinks, drawn: Float64Array): Centrality["names"] {
  const levelAt = (entry: number) =>
    drawn[entry] === 0 || links.isAside(links.table.files[entry]!)
      ? null
      : rankLevel(drawn[entry]!, links.size)
  const lowest = lowestOf(drawn.length, levelAt)
  const names: { file: number; hash: number; rank: number }[] = []
  for (let entry = 0; entry < drawn.length; entry++) {
    const rank = levelAt(entry)
    if (rank !== null && rank >= lowest)
      names.push({ file: links.table.files[entry]!, hash: links.hashOf(entry), rank })
  }
  return names
}

/** The lowest rank such that at most MAX_NAMES names have it or a higher one; Infinity if there is no such rank. */
function lowestOf(entries: number, levelAt: (entry: number) => number | null): number {
  const counts = new Map<number, number>()
  for (let entry = 0; entry < entries; entry++) {
    const level = levelAt(entry)
    if (level !== null) counts.set(level, (counts.get(level) ?? 0) + 1)
  }
  let all = 0
  let lowest = Number.POSITIVE_INFINITY
  for (const [level, count] of [...counts].sort(([one], [other]) => other - one)) {
    all += count
    if (all > MAX_NAMES) break
    lowest = level
  }
  return lowest
}

/**
 * A graph of files that use each other's names, in little memory: about some hundred bytes per file. `FileLinks` is
 * built from all files and then answers, for a file and the hash of a name, which files may define the name. `HashRows`
 * and `NameTable` below are its compact data structures.
 */

/** The data of a file from which its links to other files are computed. */
export type LinkedFile = {
  readonly path: string
  readonly language: string
  readonly package: string | null
  readonly imports: readonly string[]
  /** Hashes of the names by which other files may use this file. */
  readonly defines: Uint32Array
  /** True for tests, generated code and similar files. Their names are not ranked. */
  readonly isAside: boolean
}

/** A name that more files than this define is ignored, because it is unclear which of them is meant. */
const MAX_NAMESAKES = 32
const MAX_TARGETS = 8

/**
 * Finds the files that a used name may refer to, by the hash of the name. This is less exact than resolving each use,
 * and a thousand times faster. If several files define the name, only files that the using file imports, or that are in
 * the same folder (in languages where this suffices), are returned.
 */
export class FileLinks {
  readonly table: NameTable
  /** The entries that the latest call of `meant` found. */
  readonly found = new Int32Array(MAX_NAMESAKES)
  readonly #families: Family[] = []
  readonly #aside = new Set<number>()
  /** For each file, hashes of the names by which imports may refer to it. */
  readonly #known = new HashRows()
  readonly #imports = new HashRows()
  readonly #folders = new GrowingU32()
  #asked = -1
  #imported: ReadonlySet<number> = new Set()
  readonly #common: ReadonlySet<number> = new Set([...COMMON_MEMBERS].map(useHash))

  /** Keeps only a few numbers per file, because all files together may not fit into memory. */
  constructor(files: Iterable<LinkedFile>) {
    const families = new Map<string, Family>()
    const defined = new HashRows()
    for (const file of files) {
      const name = familyOf(file.language)
      const family = families.get(name) ?? newFamily(name, families.size)
      families.set(name, family)
      if (file.isAside) this.#aside.add(this.size)
      this.#families.push(family)
      defined.push(file.defines, (hash) => saltedHash(hash, family))
      this.#known.push(knownBy(file, name), useHash)
      this.#imports.push(importedBy(file.imports, name), useHash)
      this.#folders.push(useHash(posix.dirname(file.path)))
    }
    this.table = new NameTable(defined.hashes.subarray(0, defined.ends.at(-1) ?? 0), defined.ends)
  }

  /** Number of files in the graph. */
  get size(): number {
    return this.#families.length
  }

  isAside(file: number): boolean {
    return this.#aside.has(file)
  }

  /**
   * Writes to `found` the entries of the name table that a name used in a file may refer to, all equally likely, and
   * returns their number; 0 if the file itself defines the name. They stay in `found` until the next call.
   */
  meant(file: number, hash: number): number {
    const { table, found } = this
    const family = this.#families[file]!
    let entry = table.first(saltedHash(hash, family))
    if (entry < 0 || table.count(entry) > MAX_NAMESAKES) return 0
    let all = 0
    for (; entry >= 0; entry = table.next(entry)) {
      if (table.files[entry] === file) return 0
      found[all++] = entry
    }
    const mustBeNear = family.hasImports || this.#common.has(hash)
    if (all === 1 && !mustBeNear) return 1
    const near = this.#keepNear(file, all, family)
    if (near > 0 || mustBeNear) return near > MAX_TARGETS ? 0 : near
    return all > MAX_TARGETS ? 0 : all
  }

  /** The hash of the name of an entry. */
  hashOf(entry: number): number {
    const { salt } = this.#families[this.table.files[entry]!]!
    return (this.table.hashes[entry]! ^ salt) >>> 0
  }

  /**
   * Moves the entries whose files are imported or in the same folder to the front of `found`, and returns their number.
   * If there are none, `found` stays unchanged.
   */
  #keepNear(file: number, all: number, family: Family): number {
    let near = 0
    for (let at = 0; at < all; at++) {
      const entry = this.found[at]!
      if (this.#isNear(file, this.table.files[entry]!, family)) this.found[near++] = entry
    }
    return near
  }

  #isNear(file: number, home: number, family: Family): boolean {
    const folders = this.#folders.values
    if (family.sharesFolder && folders[file] === folders[home]) return true
    const imports = this.#importsOf(file)
    if (imports.size === 0) return false
    const known = this.#known.hashes
    const end = this.#known.end(home)
    // An index is used, because this loop runs millions of times and an iterator takes ten times as long.
    for (let at = this.#known.start(home); at < end; at++) if (imports.has(known[at]!)) return true
    return false
  }

  /**
   * Hashes of the names that a file imports. The latest set is cached, because the names of one file are looked up one
   * after the other.
   */
  #importsOf(file: number): ReadonlySet<number> {
    if (file !== this.#asked) {
      this.#asked = file
      this.#imported = new Set(this.#imports.of(file))
    }
    return this.#imported
  }
}

/** A family of languages. A name in one family never refers to a definition in another. */
type Family = {
  readonly name: string
  readonly salt: number
  readonly sharesFolder: boolean
  readonly hasImports: boolean
}

function newFamily(name: string, at: number): Family {
  return {
    name,
    salt: Math.imul(at + 1, GOLDEN) >>> 0,
    sharesFolder: nameRules(name).sharesFolder === true,
    hasImports: NAMES_COME_IN.test(name),
  }
}

/** The multiplier of Knuth's multiplicative hashing, which spreads small numbers over all bits. */
const GOLDEN = 0x9e3779b1

function saltedHash(hash: number, { salt }: Family): number {
  return (hash ^ salt) >>> 0
}

/**
 * Language families in which a name from another file is visible only after an import or in the same folder. If neither
 * is the case, an equal name elsewhere has nothing to do with the use.
 */
const NAMES_COME_IN = /^(?:js|python|rust|go|jvm|php)$/

const INDEX: ReadonlySet<string> = new Set(["index", "mod", "__init__", "lib", "main"])

function importedBy(imports: readonly string[], family: string): string[] {
  const maxWords = family === "js" || family === "c" ? 1 : 2
  return imports.flatMap((module) => tailOf(module, maxWords))
}

function knownBy({ path, package: own }: LinkedFile, family: string): string[] {
  const stem = posix.basename(path).replace(/\..*$/, "").toLowerCase()
  const folder = posix.basename(posix.dirname(path)).toLowerCase()
  // The index file of a folder may re-export what other files import from the folder.
  let names = family === "js" ? [stem, folder] : [stem]
  if (INDEX.has(stem) || family === "go") names = [folder]
  return own === null ? names : [...names, ...tailOf(own, 1)]
}

/**
 * The last words of an imported name, at most `maxWords`. With two, the last word may be a definition in the module
 * that the word before it names.
 */
function tailOf(module: string, maxWords: number): string[] {
  const words = module
    .replace(/\{[\s\S]*$/, "")
    .replace(/\.(?:h|hpp|hh|hxx|js|mjs|cjs|jsx|ts|tsx|vue|svelte|py|rb|php)$/, "")
    .toLowerCase()
    .split(/[/\\.:]+|\s+/)
    .filter((word) => word !== "" && !NAMELESS.has(word) && !/^v\d+$/.test(word))
  return words.slice(-maxWords)
}

const NAMELESS: ReadonlySet<string> = new Set(["crate", "self", "super", "src", "@", "~", "*", "index"])

/**
 * Lists of hashes, one for each file, stored one after the other. An array or set for each file would take ten times
 * the memory.
 */
class HashRows {
  readonly #hashes = new GrowingU32()
  readonly #ends = new GrowingU32()

  /** All hashes, file by file. The array may have unused space at its end. */
  get hashes(): Uint32Array {
    return this.#hashes.values
  }

  /** For each file, the number of hashes up to the end of its list. */
  get ends(): Uint32Array {
    return this.#ends.view()
  }

  /** Appends the hashes of the next file. */
  push<T>(items: ArrayLike<T>, hashOf: (item: T) => number): void {
    for (let i = 0; i < items.length; i++) this.#hashes.push(hashOf(items[i]!))
    this.#ends.push(this.#hashes.length)
  }

  of(file: number): Uint32Array {
    return this.hashes.subarray(this.start(file), this.end(file))
  }

  start(file: number): number {
    return file === 0 ? 0 : this.#ends.values[file - 1]!
  }

  end(file: number): number {
    return this.#ends.values[file]!
  }
}

/**
 * Finds the files that define a name, by the hash of the name. It is an open hash table, because a map of arrays takes
 * ten times the memory.
 */
class NameTable {
  /** Hash of each entry; entries are in the order of their files. */
  readonly hashes: Uint32Array
  readonly files: Int32Array
  readonly #next: Int32Array
  /** For each entry, the number of entries with the same name from this one on; at most 255. */
  readonly #counts: Uint8Array
  readonly #heads: Int32Array
  readonly #mask: number

  /**
   * `hashes`: the hashes of the names that files define, file by file. `ends`: for each file, the number of hashes up
   * to its end.
   */
  constructor(hashes: Uint32Array, ends: Uint32Array) {
    const size = hashes.length
    const slots = 2 ** Math.ceil(Math.log2(2 * size + 2))
    this.hashes = hashes
    this.files = new Int32Array(size)
    this.#mask = slots - 1
    this.#heads = new Int32Array(slots).fill(NONE)
    this.#next = new Int32Array(size)
    this.#counts = new Uint8Array(size)
    // Entries are added from last to first, so that the entries of a name are later found in the order of the files.
    for (let file = ends.length - 1, entry = size - 1; file >= 0; file--) {
      for (const start = ends[file - 1] ?? 0; entry >= start; entry--) this.#add(entry, file)
    }
  }

  /** The first entry with a name; -1 if there is none. */
  first(hash: number): number {
    return this.#heads[this.#slotOf(hash)]!
  }

  /** The next entry with the same name; -1 if there is none. */
  next(entry: number): number {
    return this.#next[entry]!
  }

  /** Number of entries with the name of this entry, from this one on; at most MAX_COUNTED. */
  count(entry: number): number {
    return this.#counts[entry]!
  }

  #add(entry: number, file: number): void {
    const slot = this.#slotOf(this.hashes[entry]!)
    const known = this.#heads[slot]!
    this.files[entry] = file
    this.#next[entry] = known
    this.#counts[entry] = known === NONE ? 1 : Math.min(this.#counts[known]! + 1, MAX_COUNTED)
    this.#heads[slot] = entry
  }

  /** The slot of a name in the table; if the name is not in the table, the free slot where it would be stored. */
  #slotOf(hash: number): number {
    let slot = hash & this.#mask
    for (let head = this.#heads[slot]!; head !== NONE; head = this.#heads[slot]!) {
      if (this.hashes[head] === hash) return slot
      slot = (slot + 1) & this.#mask
    }
    return slot
  }
}

const NONE = -1
const MAX_COUNTED = 255
