import { readFileSync } from "node:fs"

/**
 * What a compiler knows about the names of a project. One JSON object per line, told apart by their first field:
 * {"file"}: a file that the compiler has read; {"def", …}: a definition with a number of its own; {"use", …}: a name at
 * a place; {"sub", "super"}: numbers of a type and its base, or of a member and the one that it overrides or implements.
 */
export type Fact =
  | { readonly file: string }
  | Definition
  | Use
  | { readonly sub: number; readonly super: number }

/** Lines are 1-based; `from` and `to` include the body. */
export type Definition = {
  readonly def: number
  readonly path: string
  readonly line: number
  readonly from: number
  readonly to: number
  /** "local": declared inside a function or an unnamed type; no questions are asked about it. */
  readonly kind:
    | "function"
    | "method"
    | "constructor"
    | "class"
    | "interface"
    | "type"
    | "field"
    | "value"
    | "local"
  readonly name: string
  /** Name of the type that it is a member of; empty for others. */
  readonly owner: string
}

export type Use = {
  /** The name as written at the place; another one than the definition's where an import renames it. */
  readonly use: string
  readonly path: string
  readonly line: number
  readonly col: number
  /** Definitions that are meant; empty: a local or a name of another project; absent: the compiler does not know. */
  readonly defs?: readonly number[]
  readonly call?: boolean
}

export const CALLABLE: ReadonlySet<string> = new Set(["function", "method", "constructor"])
export const TYPE: ReadonlySet<string> = new Set(["class", "interface", "type"])

export class Facts {
  readonly files = new Set<string>()
  readonly definitions = new Map<number, Definition>()
  readonly uses: Use[] = []
  readonly #usesOf = new Map<number, Use[]>()
  readonly #usesAt = new Map<string, Use[]>()
  readonly #inFile = new Map<string, Definition[]>()
  readonly #subs = new Map<number, number[]>()
  readonly #supers = new Map<number, number[]>()

  constructor(path: string) {
    const facts = linesOf(path)
    for (const fact of facts) if ("def" in fact) this.#define(fact)
    const names = new Set(Array.from(this.definitions.values(), ({ name }) => name))
    for (const fact of facts) {
      if ("file" in fact) this.files.add(fact.file)
      else if ("sub" in fact) {
        push(this.#subs, fact.super, fact.sub)
        push(this.#supers, fact.sub, fact.super)
      } else if ("use" in fact && (names.has(fact.use) || (fact.defs ?? []).length > 0)) this.#use(fact)
    }
  }

  #define(fact: Definition): void {
    if (this.definitions.has(fact.def)) {
      // A further declaration of the same definition, such as an overload.
      this.#inFileOf(fact.path).push(fact)
      return
    }
    this.definitions.set(fact.def, fact)
    this.#inFileOf(fact.path).push(fact)
  }

  #use(fact: Use): void {
    this.uses.push(fact)
    for (const id of fact.defs ?? []) push(this.#usesOf, id, fact)
    push(this.#usesAt, placeOf(fact), fact)
  }

  #inFileOf(path: string): Definition[] {
    const own = this.#inFile.get(path) ?? []
    this.#inFile.set(path, own)
    return own
  }

  usesOf(id: number): readonly Use[] {
    return this.#usesOf.get(id) ?? []
  }

  usesAt(place: string): readonly Use[] {
    return this.#usesAt.get(place) ?? []
  }

  /** All declarations in a file, several of one definition if it is declared in parts. */
  inFile(path: string): readonly Definition[] {
    return this.#inFile.get(path) ?? []
  }

  /** All declarations of a definition. */
  declarationsOf(id: number): readonly Definition[] {
    const { path } = this.definitions.get(id)!
    return this.inFile(path).filter(({ def }) => def === id)
  }

  /** What a name means at a place, in words. */
  meaningAt(place: string, name: string): string {
    const uses = this.usesAt(place).filter(({ use }) => use === name)
    if (uses.length === 0) return ""
    const meant = uses.flatMap(({ defs }) => {
      if (defs === undefined) return ["unknown"]
      if (defs.length === 0) return ["a local or outside"]
      return defs.map((id) => placeOf(this.definitions.get(id)!))
    })
    return ` (means ${[...new Set(meant)].join(", ")})`
  }

  /**
   * The innermost definition around a line that is no local. In a function that is the function, even on a line that
   * declares a field or value of an object in it.
   */
  around(path: string, line: number): Definition | null {
    const all = this.inFile(path).filter(
      ({ kind, from, to }) => kind !== "local" && from <= line && line <= to,
    )
    const isData = ({ kind }: Definition) => kind === "field" || kind === "value"
    const holders = all.some(({ kind }) => CALLABLE.has(kind)) ? all.filter((each) => !isData(each)) : all
    return holders.reduce<Definition | null>(
      (best, each) => (best !== null && each.to - each.from > best.to - best.from ? best : each),
      null,
    )
  }

  /** Direct subtypes, or members that override this one. */
  subsOf(id: number): readonly number[] {
    return this.#subs.get(id) ?? []
  }

  membersOf({ path, name, from, to }: Definition): number[] {
    const own = this.inFile(path).filter(
      (each) => each.owner === name && from <= each.line && each.line <= to,
    )
    return own.map(({ def }) => def)
  }

  supersOf(id: number): readonly number[] {
    return this.#supers.get(id) ?? []
  }

  /** These definitions and all above and below them: a call of one may reach each of them. */
  family(ids: ReadonlySet<number>): Set<number> {
    const up = reach(ids, (id) => this.supersOf(id))
    return reach(up, (id) => this.subsOf(id))
  }

  allSubs(ids: ReadonlySet<number>): Set<number> {
    return reach(ids, (id) => this.subsOf(id)).difference(ids)
  }
}

export function placeOf({ path, line }: { readonly path: string; readonly line: number }): string {
  return `${path}:${line}`
}

function linesOf(path: string): Fact[] {
  return readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Fact)
}

function reach(from: ReadonlySet<number>, next: (id: number) => readonly number[]): Set<number> {
  const found = new Set(from)
  for (const id of found) for (const each of next(id)) found.add(each)
  return found
}

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const own = map.get(key)
  if (own) own.push(value)
  else map.set(key, [value])
}
