import { firstNot } from "../base/sorted.ts"
import { CALLABLES, TYPES } from "../code/links/defined-names.ts"
import type { OutlineRow, SymbolRow } from "../store/index/symbols.ts"
import { isType } from "./definition.ts"

/** Groups of enclosing symbols, as bits. A symbol may be in several groups. */
export const AROUND = {
  callable: 1,
  /** A function or method, not a macro. */
  function: 2,
  /** A type, or a function that belongs to one. */
  typeOrMember: 4,
  /** A function or type, not a module. */
  holder: 8,
} as const

/** Reads columns of a symbol that the outline does not keep; null when the symbol no longer exists. */
export type OutlineReads = {
  readonly symbolOf: (row: OutlineRow) => SymbolRow | null
  readonly signatureOf: (row: OutlineRow) => string | null
}

/**
 * First and last lines of a file's functions and types. They are in memory, because enclosing symbols are requested far
 * more often than signatures, which are read from the store when they are needed. A "place" is an index into the
 * symbols sorted by first line, then longest first.
 */
export class Outline {
  readonly #rows: OutlineRow[] = []
  readonly #groups: number[] = []
  /**
   * For each place, the largest last line of the symbols up to it. If that is before a given line, none of these
   * symbols contains the line.
   */
  readonly #reaches: number[] = []
  readonly #fields: OutlineRow[] = []
  /**
   * Functions that contain symbols which belong to them: JavaScript's constructors with `this.open = function () {…}`.
   */
  readonly #makers = new Set<OutlineRow>()
  readonly #reads: OutlineReads
  #names: ReadonlySet<string> | null = null
  #symbols: Map<OutlineRow, SymbolRow | null> | null = null
  #signatures: Map<OutlineRow, string | null> | null = null

  constructor(symbols: OutlineRow[], reads: OutlineReads) {
    this.#reads = reads
    const callables = new Map<string, number>()
    for (const row of isInOrder(symbols) ? symbols : symbols.sort(byPlace)) {
      const groups = GROUPS.get(row.kind)
      if (groups !== undefined) this.#addHolder(row, groups, callables)
      else if (FIELDS.has(row.kind)) this.#fields.push(row)
    }
  }

  /** Adds a function or type. `callables` maps the names of the functions added so far to their places. */
  #addHolder(row: OutlineRow, groups: number, callables: Map<string, number>): void {
    if (row.owner !== null) this.#noteMaker(callables.get(row.owner), row)
    if ((groups & AROUND.function) !== 0) callables.set(row.name, this.#rows.length)
    this.#rows.push(row)
    this.#groups.push(row.owner === null ? groups : groups | AROUND.typeOrMember)
    this.#reaches.push(Math.max(this.#reaches.at(-1) ?? 0, row.endLine))
  }

  /** Records that the function at a place owns a symbol, if the function contains the symbol. */
  #noteMaker(place: number | undefined, { endLine }: OutlineRow): void {
    if (place === undefined || this.#rows[place]!.endLine < endLine) return
    this.#makers.add(this.#rows[place]!)
    this.#groups[place]! |= AROUND.typeOrMember
  }

  /** Place of the innermost symbol of a group that contains the lines from `line` to `until`; -1 when there is none. */
  innermost(line: number, group: number, until = line): number {
    for (let at = this.#startedBy(line) - 1; at >= 0 && this.#reaches[at]! >= until; at--)
      if (this.#rows[at]!.endLine >= until && (this.#groups[at]! & group) !== 0) return at
    return -1
  }

  at(place: number): OutlineRow {
    return this.#rows[place]!
  }

  /** The innermost function or type around a line; null when there is none. */
  around(line: number): OutlineRow | null {
    const place = this.innermost(line, AROUND.holder)
    return place < 0 ? null : this.at(place)
  }

  /** The innermost function or type around a line, like `around`, but with all columns of its row. */
  enclosing(line: number): SymbolRow | null {
    const around = this.around(line)
    if (around === null) return null
    this.#symbols ??= new Map()
    return readOnce(around, this.#symbols, this.#reads.symbolOf)
  }

  /**
   * Name of the type that a line belongs to: the innermost enclosing type; inside a method, the type that owns it;
   * inside a JavaScript constructor function, the name of that function. Null when there is none.
   */
  enclosingType(line: number): string | null {
    const place = this.innermost(line, AROUND.typeOrMember)
    if (place < 0) return null
    const around = this.at(place)
    return isType(around) || this.#makers.has(around) ? around.name : around.owner
  }

  /** True when the line is inside a module whose body is in this file. */
  isInModule(line: number): boolean {
    return this.#rows.some(
      ({ kind, startLine, endLine }) => kind === "module" && startLine < line && line < endLine,
    )
  }

  /** The innermost module whose body contains the lines from `line` to `until`; null when there is none. */
  moduleAround(line: number, until = line): OutlineRow | null {
    return (
      this.#rows.findLast(
        ({ kind, startLine, endLine }) => kind === "module" && startLine < line && until < endLine,
      ) ?? null
    )
  }

  /** The signature of a row; null when it no longer exists. */
  signatureOf(row: OutlineRow): string | null {
    this.#signatures ??= new Map()
    return readOnce(row, this.#signatures, this.#reads.signatureOf)
  }

  /** True when the file has a symbol of that name without an owner. */
  defines(name: string): boolean {
    this.#names ??= new Set(
      [...this.#rows, ...this.#fields].flatMap((row) => (row.owner === null ? [row.name] : [])),
    )
    return this.#names.has(name)
  }

  /** The file's first field or variable of that name. */
  fieldNamed(name: string): OutlineRow | null {
    return this.#fields.find((field) => field.name === name) ?? null
  }

  /** Number of symbols that begin at or before a line. */
  #startedBy(line: number): number {
    return firstNot(0, this.#rows.length, (i) => this.#rows[i]!.startLine <= line)
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

type FirstAndLastLine = Pick<OutlineRow, "startLine" | "endLine">

/** Orders symbols by first line; of two on the same line, the longer one comes first. */
export function byPlace(one: FirstAndLastLine, other: FirstAndLastLine): number {
  return one.startLine - other.startLine || other.endLine - one.endLine
}

function isInOrder(rows: readonly OutlineRow[]): boolean {
  for (let at = 1; at < rows.length; at++) if (byPlace(rows[at - 1]!, rows[at]!) > 0) return false
  return true
}

const FIELDS: ReadonlySet<string> = new Set(["field", "property", "variable", "constant"])

/** The groups that each kind of enclosing symbol belongs to. */
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
