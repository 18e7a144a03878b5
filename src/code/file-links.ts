import { posix } from "node:path"
import { GrowingU32 } from "../base/growing.ts"
import { COMMON_MEMBERS } from "./common-members.ts"
import { familyOf, sharesFolder } from "./family.ts"
import { HashRows } from "./hash-rows.ts"
import { NameTable } from "./name-table.ts"
import { useHash } from "./use-code.ts"

/** What is told of a file to find out which others it leans on. */
export type LinkedFile = {
  readonly path: string
  readonly language: string
  readonly package: string | null
  readonly imports: readonly string[]
  /** Hashes of the names by which others may use it. */
  readonly defines: Uint32Array
  /** Tests, generated code and the like: their names are none that a project turns about. */
  readonly isAside: boolean
}

/** More files than these that define a name, and nobody knows which is meant. */
const MOST_NAMESAKES = 32
const MOST_MEANT = 8

/**
 * Which files may mean which by the names they use, a hash a name: rougher than resolving each use, and a thousand
 * times quicker. Of several namesakes those count that the file imports, or that stand in its folder where such see
 * each other.
 */
export class FileLinks {
  readonly table: NameTable
  /** What the last question found. */
  readonly found = new Int32Array(MOST_NAMESAKES)
  readonly #families: Family[] = []
  readonly #aside = new Set<number>()
  /** By what an import may name a file. */
  readonly #known = new HashRows()
  readonly #imports = new HashRows()
  readonly #folders = new GrowingU32()
  #asked = -1
  #imported: ReadonlySet<number> = new Set()
  readonly #common: ReadonlySet<number> = new Set([...COMMON_MEMBERS].map(useHash))

  /** Of each file a few numbers are kept: the files themselves may be more than memory has room for. */
  constructor(files: Iterable<LinkedFile>) {
    const families = new Map<string, Family>()
    const defined = new HashRows()
    for (const file of files) {
      const name = familyOf(file.language)
      const family = families.get(name) ?? newFamily(name, families.size)
      families.set(name, family)
      if (file.isAside) this.#aside.add(this.size)
      this.#families.push(family)
      defined.push(file.defines, (hash) => keyOf(hash, family))
      this.#known.push(knownBy(file, name), useHash)
      this.#imports.push(importedBy(file.imports, name), useHash)
      this.#folders.push(useHash(posix.dirname(file.path)))
    }
    this.table = new NameTable(defined.hashes.subarray(0, defined.ends.at(-1) ?? 0), defined.ends)
  }

  /** How many files there are. */
  get size(): number {
    return this.#families.length
  }

  isAside(file: number): boolean {
    return this.#aside.has(file)
  }

  /**
   * How many entries of the table a name may mean in a file, each as likely as the others; none of its own. Which they
   * are is in `found` until the next question.
   */
  meant(file: number, hash: number): number {
    const { table, found } = this
    const family = this.#families[file]!
    let entry = table.first(keyOf(hash, family))
    if (entry < 0 || table.count(entry) > MOST_NAMESAKES) return 0
    let all = 0
    for (; entry >= 0; entry = table.next(entry)) {
      if (table.files[entry] === file) return 0
      found[all++] = entry
    }
    const mustBeNear = family.hasImports || this.#common.has(hash)
    if (all === 1 && !mustBeNear) return 1
    const near = this.#keepNear(file, all, family)
    if (near > 0 || mustBeNear) return near > MOST_MEANT ? 0 : near
    return all > MOST_MEANT ? 0 : all
  }

  /** The hash of the name of an entry. */
  hashOf(entry: number): number {
    const { salt } = this.#families[this.table.files[entry]!]!
    return (this.table.hashes[entry]! ^ salt) >>> 0
  }

  /** Moves those to the front of what was found, unless there are none. */
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
    // By index: this is asked millions of times, and an iterator takes ten times as long.
    for (let at = this.#known.start(home); at < end; at++) if (imports.has(known[at]!)) return true
    return false
  }

  /** A file's names are asked about one after the other. */
  #importsOf(file: number): ReadonlySet<number> {
    if (file !== this.#asked) {
      this.#asked = file
      this.#imported = new Set(this.#imports.of(file))
    }
    return this.#imported
  }
}

/** A family of languages: its names are none of another's. */
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
    sharesFolder: sharesFolder(name),
    hasImports: NAMES_COME_IN.test(name),
  }
}

/** Of Knuth's multiplicative hashing: spreads small numbers over all bits. */
const GOLDEN = 0x9e3779b1

function keyOf(hash: number, { salt }: Family): number {
  return (hash ^ salt) >>> 0
}

/** Where what stands in another file is imported, or of the same folder: else a name is a local's or another's. */
const NAMES_COME_IN = /^(?:js|python|rust|go|jvm|php)$/

const INDEX: ReadonlySet<string> = new Set(["index", "mod", "__init__", "lib", "main"])

function importedBy(imports: readonly string[], family: string): string[] {
  const most = family === "js" || family === "c" ? 1 : 2
  return imports.flatMap((module) => tailOf(module, most))
}

function knownBy({ path, package: own }: LinkedFile, family: string): string[] {
  const stem = posix.basename(path).replace(/\..*$/, "").toLowerCase()
  const folder = posix.basename(posix.dirname(path)).toLowerCase()
  // What is imported of a folder may be passed on by its index.
  const names = INDEX.has(stem) || family === "go" ? [folder] : family === "js" ? [stem, folder] : [stem]
  return own === null ? names : [...names, ...tailOf(own, 1)]
}

/** The last words of what is imported: a module, and where one may be named so, what of it. */
function tailOf(module: string, most: number): string[] {
  const words = module
    .replace(/\{[\s\S]*$/, "")
    .replace(/\.(?:h|hpp|hh|hxx|js|mjs|cjs|jsx|ts|tsx|vue|svelte|py|rb|php)$/, "")
    .toLowerCase()
    .split(/[/\\.:]+|\s+/)
    .filter((word) => word !== "" && !NAMELESS.has(word) && !/^v\d+$/.test(word))
  return words.slice(-most)
}

const NAMELESS: ReadonlySet<string> = new Set(["crate", "self", "super", "src", "@", "~", "*", "index"])
