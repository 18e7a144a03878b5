import type { FileView } from "./file-view.ts"

/** What is asked of the whole project. */
export type Known = {
  /** What a type extends or implements, by what the files that define it say. */
  readonly basesOf: (type: string) => Iterable<string>
  /** Signatures of the functions of a name; none where there are many. */
  readonly signaturesOf: (name: string, family: string) => readonly string[]
}

/** Which types a name may have, and what those extend; remembered for the length of one state of the index. */
export class Types {
  readonly #known: Known
  readonly #lines = new Map<string, ReadonlySet<string>>()
  readonly #declared = new WeakMap<FileView, Map<string, ReadonlySet<string> | null>>()

  constructor(known: Known) {
    this.#known = known
  }

  /** A type and all that it extends, as far as files say; what the file at hand says of it, too. */
  lineOf(type: string, file: FileView): ReadonlySet<string> {
    const own = file.basesOf(type)
    const known = this.#line(type)
    if (own.size === 0 || [...own].every((base) => known.has(base))) return known
    return new Set([...known, ...[...own].flatMap((base) => [...this.#line(base)])])
  }

  /**
   * The types that a name may have at a place, by what declares it: what binds it before, a parameter or receiver of the
   * function around, or a field of the file. Null where nothing says so.
   */
  declared(name: string, line: number, file: FileView): ReadonlySet<string> | null {
    let known = this.#declared.get(file)
    if (!known) {
      known = new Map()
      this.#declared.set(file, known)
    }
    const around = file.enclosing(line, isFunction)
    const bound = file.boundBefore(name, line, around)
    const key = `${around?.ordinal} ${around?.index} ${bound ?? ""} ${name}`
    let types = known.get(key)
    if (types === undefined) {
      const local = bound === null ? null : this.#boundTo(bound, file.family)
      types = local ?? declaredFor(name, around?.signature ?? null, file)
      known.set(key, types)
    }
    return types
  }

  #boundTo(bound: string, family: string): ReadonlySet<string> | null {
    if (!bound.endsWith("(")) return wordsOf(bound)
    const name = bound.slice(0, -1)
    const types = this.#known.signaturesOf(name, family).map((signature) => resultOf(signature, name, family))
    return types.length === 0 || types.includes(null) ? null : new Set(types.flatMap((each) => [...each!]))
  }

  #line(type: string): ReadonlySet<string> {
    let line = this.#lines.get(type)
    if (!line) {
      line = lineFrom(type, this.#known.basesOf)
      this.#lines.set(type, line)
    }
    return line
  }
}

const MOST_BASES = 6

function lineFrom(type: string, bases: Known["basesOf"]): ReadonlySet<string> {
  const line = new Set([type])
  let next = [type]
  for (let depth = 1; depth < MOST_BASES && next.length > 0; depth++) {
    next = next.flatMap((each) => [...bases(each)]).filter((each) => !line.has(each))
    for (const each of next) line.add(each)
  }
  return line
}

function isFunction({ kind }: { readonly kind: string }): boolean {
  return kind === "function" || kind === "method"
}

function declaredFor(name: string, signature: string | null, file: FileView): ReadonlySet<string> | null {
  const declared = signature === null ? null : declaredIn(signature, name, file.family)
  if (declared) return declared
  const field = file.symbols.find((symbol) => symbol.name === name && FIELDS.has(symbol.kind))
  if (!field) return null
  return declaredIn(field.signature, name, file.family) ?? madeIn(field.signature)
}

/** `#store = new Store(`. */
function madeIn(signature: string): ReadonlySet<string> | null {
  const made = /=\s*new\s+([A-Za-z_]\w*)/.exec(signature)?.[1]
  return made === undefined ? null : wordsOf(made)
}

/** What a function gives, by how the language writes it. */
function resultOf(signature: string, name: string, family: string): ReadonlySet<string> | null {
  const type =
    RESULT[family]?.exec(signature)?.[1] ?? (RESULT_FIRST.test(family) ? before(signature, name) : null)
  return type === null || type === undefined ? null : wordsOf(type)
}

const RESULT: Readonly<Record<string, RegExp>> = {
  js: /\)\s*:\s*([^)]+)$/,
  python: /->\s*([^)]+)$/,
  rust: /->\s*(.+?)(?:\s+where\b.*)?$/,
  swift: /->\s*(.+)$/,
  go: /\)\s*\(?\s*(\*?[\w.]+)[^()]*\)?$/,
}
const RESULT_FIRST = /^(?:jvm|c|csharp|dart)$/

function before(signature: string, name: string): string | null {
  return (
    new RegExp(`([A-Za-z_][\\w.:]*(?:<[^<>]*>)?)[\\s*&]+${RegExp.escape(name)}\\s*\\(`).exec(
      signature,
    )?.[1] ?? null
  )
}

const FIELDS: ReadonlySet<string> = new Set(["field", "property", "variable", "constant"])

/** `store: Store`, `s *Store`, `Store store`: by how the language writes it. */
function declaredIn(signature: string, name: string, family: string): ReadonlySet<string> | null {
  if (!signature.includes(name)) return null
  const escaped = RegExp.escape(name)
  const pattern = BEHIND.test(family)
    ? new RegExp(`(?<![\\w.])${escaped}\\??\\s*:\\s*([^,=(){}]+)`)
    : family === "go"
      ? new RegExp(`(?<![\\w.])${escaped}\\s+([\\w.*[\\]]+)`)
      : new RegExp(`([A-Za-z_][\\w.:]*(?:<[^<>]*>)?)[\\s*&?]+\\$?${escaped}(?!\\w)`)
  const type = pattern.exec(signature)?.[1]
  return type === undefined ? null : wordsOf(type)
}

function wordsOf(type: string): ReadonlySet<string> | null {
  const words = (type.match(/[A-Za-z_]\w*/g) ?? []).filter((word) => !NO_TYPES.has(word))
  return words.length === 0 ? null : new Set(words)
}

const BEHIND = /^(?:js|python|rust|swift)$/

const NO_TYPES: ReadonlySet<string> = new Set(
  `readonly mut dyn impl null undefined const final private protected public static any unknown Promise Array
  ReadonlyArray Optional List Option Result Arc Rc Box Vec def fun func fn return new var let val async await object
  Object interface auto`.split(/\s+/),
)
