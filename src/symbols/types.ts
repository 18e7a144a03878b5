import type { Use } from "../parse/index.ts"
import { isNamed } from "./definition.ts"
import { AROUND, type FileView } from "./file-view.ts"
import type { Names } from "./names.ts"
import { type Declared, type Sources, Values } from "./values.ts"
import { isWrapperMember } from "./written-types.ts"

/** Facts about the whole project that are needed to find the type of a value. */
export type TypeRelations = Omit<Sources, "lineageOf"> & {
  /** The types that a type extends, implements or is an alias of, according to the files that define it. */
  readonly basesOf: (type: string) => Iterable<string>
  /** The types that extend or implement one of these types, according to any file. */
  readonly heirsOf: (types: readonly string[]) => readonly string[]
}

/**
 * Determines which types a name may have, and what these types extend. The results are valid for one state of the
 * index.
 */
export class Types {
  readonly #known: TypeRelations
  readonly #lines = new Map<string, ReadonlySet<string>>()
  readonly #heirs = new Map<string, ReadonlySet<string>>()
  readonly #ownLines = new WeakMap<FileView, Map<string, ReadonlySet<string>>>()
  readonly #declared = new WeakMap<FileView, Map<string, Declared | null>>()

  readonly #values: Values
  readonly names: Names

  constructor(known: TypeRelations) {
    this.#known = known
    this.names = known.names
    this.#values = new Values({ ...known, lineageOf: (type, file) => this.lineageOf(type, file) })
  }

  /** A type and all its base types, according to the files that define it and to `file`. Empty for built-in types. */
  lineageOf(type: string, file: FileView): ReadonlySet<string> {
    if (PLAIN_TYPES.has(type)) return NO_TYPES
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

  /**
   * A type and all types that extend it. When many definitions have a member's name, this takes fewer lookups than
   * calling `lineageOf` for each of their owners.
   */
  heirsOf(type: string): ReadonlySet<string> {
    let heirs = this.#heirs.get(type)
    if (!heirs) {
      heirs = reachable(type, this.#known.heirsOf).difference(PLAIN_TYPES)
      this.#heirs.set(type, heirs)
    }
    return heirs
  }

  /**
   * The types that the value before a member may have. Sources: its last binding, a parameter of the enclosing
   * function, a field, or the fields and results along its path. Null when no declaration says anything.
   */
  declared({ name, qualifier, path, line }: Use, file: FileView): Declared | null {
    const of = path ?? (isNamed(qualifier) ? qualifier : null)
    if (of === null) return null
    let known = this.#declared.get(file)
    if (!known) {
      known = new Map()
      this.#declared.set(file, known)
    }
    const head = /^[^.(@[:,]*/.exec(of)![0]
    const around = file.outline.innermost(line, AROUND.function)
    const bound = head === "" ? null : file.boundBefore(head, line)
    const member = isWrapperMember(name, file.family) ? name : ""
    const key = `${around} ${bound?.line ?? ""} ${bound?.qualifier ?? ""} ${of} ${member}`
    let types = known.get(key)
    if (types === undefined) {
      types = this.#values.typesOf(of, line, file, name)
      known.set(key, types)
    }
    return types
  }

  /** The names of definitions for which a name in a file stands, because files of the project export them under it. */
  originalNames(name: string, file: FileView): readonly string[] {
    return this.#known.originalsOf(name, file).map((original) => original.name)
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

/** Types built into the languages. */
const PLAIN_TYPES: ReadonlySet<string> = new Set(
  `string number boolean bool int float double long short byte char str String Integer Boolean mixed array void bigint symbol
  usize u8 u16 u32 u64 i32 i64 f32 f64 Array Map Set Date RegExp Uint8Array`.split(/\s+/),
)
const NO_TYPES: ReadonlySet<string> = new Set()

/** A type and all types that can be reached from it through `next`, step by step. */
function reachable(type: string, next: (types: readonly string[]) => readonly string[]): ReadonlySet<string> {
  const all = new Set([type])
  let layer: readonly string[] = [type]
  for (let depth = 1; depth < 6 && layer.length > 0; depth++) {
    layer = [...new Set(next(layer))].filter((each) => !all.has(each))
    for (const each of layer) all.add(each)
  }
  return all
}
