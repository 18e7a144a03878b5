import type { FileView } from "./file-view.ts"
import { AROUND } from "./outline.ts"

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
  readonly #ownLines = new WeakMap<FileView, Map<string, ReadonlySet<string>>>()
  readonly #declared = new WeakMap<FileView, Map<string, ReadonlySet<string> | null>>()

  constructor(known: Known) {
    this.#known = known
  }

  /** A type and all that it extends, as far as files say; what the file at hand says of it, too. */
  lineOf(type: string, file: FileView): ReadonlySet<string> {
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
   * The types that a name may have at a place, by what declares it: what binds it before, a parameter or receiver of
   * the function around, or a field of the file. Null where nothing says so.
   */
  declared(name: string, line: number, file: FileView): ReadonlySet<string> | null {
    let known = this.#declared.get(file)
    if (!known) {
      known = new Map()
      this.#declared.set(file, known)
    }
    const around = file.outline.innermost(line, AROUND.function)
    const bound = file.boundBefore(name, line)
    const key = `${around} ${bound ?? ""} ${name}`
    let types = known.get(key)
    if (types === undefined) {
      const local = bound === null ? null : this.#boundTo(bound, file.family)
      types = local ?? declaredFor(name, around, file)
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

function isWithin(some: ReadonlySet<string>, all: ReadonlySet<string>): boolean {
  for (const each of some) if (!all.has(each)) return false
  return true
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

/** By the function at a place of the outline, or by a field of the file. */
function declaredFor(name: string, around: number, file: FileView): ReadonlySet<string> | null {
  const signature = around < 0 ? null : file.outline.signatureOf(file.outline.at(around))
  const declared = signature === null ? null : declaredIn(signature, name, file.family)
  if (declared) return declared
  const field = file.outline.fieldNamed(name)
  const written = field && file.outline.signatureOf(field)
  return written === null ? null : (declaredIn(written, name, file.family) ?? madeIn(written))
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
