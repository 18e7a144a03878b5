import type { Use } from "../code/use-code.ts"
import type { FileView } from "./file-view.ts"
import { AROUND } from "./outline.ts"
import { type Declared, type Sources, Values } from "./values.ts"
import { isNamed } from "./written-name.ts"

/** What is asked of the whole project. */
export type Known = Omit<Sources, "lineOf"> & {
  /** What a type extends, implements or stands for, by what the files that define it say. */
  readonly basesOf: (type: string) => Iterable<string>
  /** What extends or implements one of these types, by what any file says. */
  readonly heirsOf: (types: readonly string[]) => readonly string[]
}

/** Which types a name may have, and what those extend; remembered for the length of one state of the index. */
export class Types {
  readonly #known: Known
  readonly #lines = new Map<string, ReadonlySet<string>>()
  readonly #heirs = new Map<string, ReadonlySet<string>>()
  readonly #ownLines = new WeakMap<FileView, Map<string, ReadonlySet<string>>>()
  readonly #declared = new WeakMap<FileView, Map<string, Declared | null>>()

  readonly #values: Values

  constructor(known: Known) {
    this.#known = known
    this.#values = new Values({ ...known, lineOf: (type, file) => this.lineOf(type, file) })
  }

  /** A type and all that it extends, as far as files say; what the file at hand says of it, too. */
  lineOf(type: string, file: FileView): ReadonlySet<string> {
    if (PLAIN_TYPES.has(type)) return NOTHING
    const own = file.basesOf(type)
    const known = this.#line(type)
    if (own.size === 0 || isWithin(own, known)) return known
    let lines = this.#ownLines.get(file)
    if (!lines) {
      lines = new Map()
      this.#ownLines.set(file, lines)
    }
    let line = lines.get(type)
    if (!line) {
      line = new Set([...known, ...[...own].flatMap((base) => [...this.#line(base)])])
      lines.set(type, line)
    }
    return line
  }

  /** A type and all that extends it. Of one type with many namesakes of its members this asks less than their lines. */
  heirsOf(type: string): ReadonlySet<string> {
    let heirs = this.#heirs.get(type)
    if (!heirs) {
      heirs = reachable(type, this.#known.heirsOf).difference(PLAIN_TYPES)
      this.#heirs.set(type, heirs)
    }
    return heirs
  }

  /**
   * The types that what a member belongs to may have, by what declares it: what binds it before, a parameter of the
   * function around, a field, and the fields and results on the way from there. Null where nothing says so.
   */
  declared({ qualifier, path, line }: Use, file: FileView): Declared | null {
    const of = path ?? (isNamed(qualifier) ? qualifier : null)
    if (of === null) return null
    let known = this.#declared.get(file)
    if (!known) {
      known = new Map()
      this.#declared.set(file, known)
    }
    const head = /^[^.(@[:]*/.exec(of)![0]
    const around = file.outline.innermost(line, AROUND.function)
    const bound = head === "" ? null : file.boundBefore(head, line)
    const key = `${around} ${bound?.line ?? ""} ${bound?.qualifier ?? ""} ${of}`
    let types = known.get(key)
    if (types === undefined) {
      types = this.#values.typesOf(of, line, file)
      known.set(key, types)
    }
    return types
  }

  /** Whether the type that a file names may be that which another defines. */
  isHome(type: string, home: FileView, file: FileView): boolean {
    return this.#known.isHome(type, home, file)
  }

  /** Whether the very declaration of what a member belongs to says its type. */
  isSaid({ qualifier, path, line }: Use, file: FileView): boolean {
    if ((path ?? null) !== null || !isNamed(qualifier)) return false
    const bound = file.boundBefore(qualifier, line)?.qualifier
    return bound === undefined || /^(?::[^.(@[]*|[\w$]+\(\))$/.test(bound!)
  }

  #line(type: string): ReadonlySet<string> {
    let line = this.#lines.get(type)
    if (!line) {
      line = reachable(type, (types) => types.flatMap((each) => [...this.#known.basesOf(each)]))
      this.#lines.set(type, line)
    }
    return line
  }
}

function isWithin(some: ReadonlySet<string>, all: ReadonlySet<string>): boolean {
  for (const each of some) if (!all.has(each)) return false
  return true
}

/** What the languages know themselves. */
const PLAIN_TYPES: ReadonlySet<string> = new Set(
  `string number boolean bool int float double long short byte char str String Integer Boolean mixed array void bigint symbol
  usize u8 u16 u32 u64 i32 i64 f32 f64 Array Map Set Date RegExp Uint8Array`.split(/\s+/),
)
const NOTHING: ReadonlySet<string> = new Set()

const MOST_BASES = 6

/** From a type, step by step, all that it extends or that extends it. */
function reachable(type: string, next: (types: readonly string[]) => readonly string[]): ReadonlySet<string> {
  const all = new Set([type])
  let layer: readonly string[] = [type]
  for (let depth = 1; depth < MOST_BASES && layer.length > 0; depth++) {
    layer = [...new Set(next(layer))].filter((each) => !all.has(each))
    for (const each of layer) all.add(each)
  }
  return all
}
