import { posix } from "node:path"
import { COMMON_MEMBERS } from "./common-members.ts"
import { familyOf, sharesFolder } from "./family.ts"
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
}

/** More files than these that define a name, and nobody knows which is meant. */
const MOST_NAMESAKES = 64
const MOST_MEANT = 8

/**
 * Which files may mean which by the names they use, a hash a name: rougher than resolving each use, and a thousand times
 * quicker. Of several namesakes those count that the file imports, or that stand in its folder where such see each other.
 */
export class FileLinks {
  readonly table: NameTable
  readonly #families: readonly string[]
  /** By what an import may name a file. */
  readonly #known: readonly Uint32Array[]
  readonly #imports: readonly ReadonlySet<number>[]
  readonly #folders: Uint32Array
  readonly #common: ReadonlySet<number> = new Set([...COMMON_MEMBERS].map(useHash))

  constructor(files: readonly LinkedFile[]) {
    this.table = new NameTable(files.map(({ defines }) => defines))
    this.#families = files.map(({ language }) => familyOf(language))
    this.#known = files.map((file, at) => Uint32Array.from(knownBy(file, this.#families[at]!), useHash))
    this.#imports = files.map(({ imports }, at) => importedBy(imports, this.#families[at]!))
    this.#folders = Uint32Array.from(files, ({ path }) => useHash(posix.dirname(path)))
  }

  /** The entries of the table that a name may mean in a file, each as likely as the others; none of its own. */
  meant(file: number, hash: number): readonly number[] {
    const family = this.#families[file]!
    const found: number[] = []
    for (let entry = this.table.first(hash); entry >= 0; entry = this.table.next(entry)) {
      const home = this.table.files[entry]!
      if (home === file) return NOTHING
      if (this.#families[home] === family) found.push(entry)
      if (found.length > MOST_NAMESAKES) return NOTHING
    }
    const mustBeNear = NAMES_COME_IN.test(family) || this.#common.has(hash)
    if (found.length === 0 || (found.length === 1 && !mustBeNear)) return found
    const near = found.filter((entry) => this.#isNear(file, this.table.files[entry]!, family))
    const meant = near.length > 0 || mustBeNear ? near : found
    return meant.length > MOST_MEANT ? NOTHING : meant
  }

  #isNear(file: number, home: number, family: string): boolean {
    if (sharesFolder(family) && this.#folders[file] === this.#folders[home]) return true
    const imports = this.#imports[file]!
    return this.#known[home]!.some((hash) => imports.has(hash))
  }
}

const NOTHING: readonly number[] = []

/** Where what stands in another file is imported, or of the same folder: else a name is a local's or another's. */
const NAMES_COME_IN = /^(?:js|python|rust|go|jvm|php)$/

const INDEX: ReadonlySet<string> = new Set(["index", "mod", "__init__", "lib", "main"])

function importedBy(imports: readonly string[], family: string): ReadonlySet<number> {
  const most = family === "js" || family === "c" ? 1 : 2
  return new Set(imports.flatMap((module) => tailOf(module, most)).map(useHash))
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
