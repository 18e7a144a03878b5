import { CALLABLES, TYPES } from "../code/kind-groups.ts"
import type { OutlineRow, SymbolRow } from "../store/symbols.ts"
import { isType } from "./kinds.ts"

/** Which of what encloses a line is asked for; several may hold of one. */
export const AROUND = {
  callable: 1,
  /** A function or method, no macro. */
  function: 2,
  /** A type, or a method of one. */
  typeOrMember: 4,
  /** A function or type that is no module. */
  holder: 8,
} as const

/** Reads the rest of one of the outline; null where it is gone. */
export type OutlineReads = {
  readonly symbolOf: (row: OutlineRow) => SymbolRow | null
  readonly signatureOf: (row: OutlineRow) => string | null
}

/**
 * Where the functions and types of one file begin and end: what stands around a use is asked for far more often than
 * how that is written, which is read once when asked for. Places are those in the order of first lines, the longer
 * first.
 */
export class Outline {
  readonly #rows: OutlineRow[] = []
  readonly #groups: number[] = []
  /** The largest last line up to each place: before one that is too small nothing reaches so far. */
  readonly #reaches: number[] = []
  readonly #fields: OutlineRow[] = []
  readonly #reads: OutlineReads
  #names: ReadonlySet<string> | null = null
  #symbols: Map<OutlineRow, SymbolRow | null> | null = null
  #signatures: Map<OutlineRow, string | null> | null = null

  constructor(symbols: OutlineRow[], reads: OutlineReads) {
    this.#reads = reads
    for (const row of isInOrder(symbols) ? symbols : symbols.sort(byPlace)) {
      const groups = GROUPS.get(row.kind)
      if (groups !== undefined) {
        this.#rows.push(row)
        this.#groups.push(row.owner === null ? groups : groups | AROUND.typeOrMember)
        this.#reaches.push(Math.max(this.#reaches.at(-1) ?? 0, row.endLine))
      } else if (FIELDS.has(row.kind)) this.#fields.push(row)
    }
  }

  /** The last of a group that begins no later than `line` and ends no earlier than `until`; -1: there is none. */
  innermost(line: number, group: number, until = line): number {
    for (let at = this.#startedBy(line) - 1; at >= 0 && this.#reaches[at]! >= until; at--)
      if (this.#rows[at]!.endLine >= until && (this.#groups[at]! & group) !== 0) return at
    return -1
  }

  at(place: number): OutlineRow {
    return this.#rows[place]!
  }

  /** What encloses a line: the innermost function or type. */
  around(line: number): OutlineRow | null {
    const place = this.innermost(line, AROUND.holder)
    return place < 0 ? null : this.at(place)
  }

  /** The same, read whole. */
  enclosing(line: number): SymbolRow | null {
    const around = this.around(line)
    if (around === null) return null
    this.#symbols ??= new Map()
    return readOnce(around, this.#symbols, this.#reads.symbolOf)
  }

  /** The type around a line, or that whose method is around it. */
  enclosingType(line: number): string | null {
    const place = this.innermost(line, AROUND.typeOrMember)
    if (place < 0) return null
    const around = this.at(place)
    return isType(around) ? around.name : around.owner
  }

  /** How one of the outline is written. */
  signatureOf(row: OutlineRow): string | null {
    this.#signatures ??= new Map()
    return readOnce(row, this.#signatures, this.#reads.signatureOf)
  }

  /** Whether one of that name belongs to nothing. */
  defines(name: string): boolean {
    this.#names ??= new Set(
      [...this.#rows, ...this.#fields].flatMap((row) => (row.owner === null ? [row.name] : [])),
    )
    return this.#names.has(name)
  }

  /** The first field or variable of that name. */
  fieldNamed(name: string): OutlineRow | null {
    return this.#fields.find((field) => field.name === name) ?? null
  }

  /** How many begin no later than a line. */
  #startedBy(line: number): number {
    let [from, to] = [0, this.#rows.length]
    while (from < to) {
      const middle = (from + to) >>> 1
      if (this.#rows[middle]!.startLine <= line) from = middle + 1
      else to = middle
    }
    return from
  }
}

function readOnce<T>(row: OutlineRow, known: Map<OutlineRow, T>, read: (row: OutlineRow) => T): T {
  let found = known.get(row)
  if (found === undefined) {
    found = read(row)
    known.set(row, found)
  }
  return found
}

type Lines = Pick<OutlineRow, "startLine" | "endLine">

/** In the order of first lines; of those that begin together the longer first. */
export function byPlace(one: Lines, other: Lines): number {
  return one.startLine - other.startLine || other.endLine - one.endLine
}

function isInOrder(rows: readonly OutlineRow[]): boolean {
  for (let at = 1; at < rows.length; at++) if (byPlace(rows[at - 1]!, rows[at]!) > 0) return false
  return true
}

const FIELDS: ReadonlySet<string> = new Set(["field", "property", "variable", "constant"])

/** Of kinds that enclose what stands in them. */
const GROUPS: ReadonlyMap<string, number> = new Map(
  [...CALLABLES, ...TYPES].map((kind) => {
    const groups =
      (CALLABLES.has(kind) ? AROUND.callable : 0) |
      (kind === "function" || kind === "method" ? AROUND.function : 0) |
      (TYPES.has(kind) ? AROUND.typeOrMember : 0) |
      (kind === "module" ? 0 : AROUND.holder)
    return [kind, groups]
  }),
)
