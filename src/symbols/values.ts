/**
 * Finds the types of a value without executing or type-checking code. A value path such as `store.open().rows[]` is
 * followed from its head to its end: the head is looked up as a binding, a parameter, a field or a global; each further
 * step is looked up as a member, result or element of the types found so far, by their declarations. The types after the
 * last step are the answer.
 */

import { canonicalType, importsNames, pathAhead, type ValuePath } from "../parse/index.ts"
import type { SymbolRow } from "../store/index.ts"
import { isCertain, TIE, type Tie } from "./certainty.ts"
import { isCallable, isType, type SymbolDefinition } from "./definition.ts"
import type { Original } from "./exported-names.ts"
import { AROUND, type FileView } from "./file-view.ts"
import type { Lead, Names } from "./names.ts"
import {
  aliasedType,
  elementPart,
  isCollection,
  parameterIn,
  resultIn,
  type TypePlace,
  tuplePart,
  typeAt,
  typeIn,
  typesIn,
  unwrapped,
  valueStart,
  withSelf,
} from "./written-types.ts"

/** Facts about the whole project that are needed to follow a value. */
export type Sources = {
  /** Signatures of the functions with this name in one language family; empty when there are many. */
  readonly signaturesOf: (name: string, family: string) => readonly string[]
  /** Members with this name whose owners have one of these names. */
  readonly membersOf: (name: string, owners: ReadonlySet<string>) => readonly SymbolDefinition[]
  /** What a name in a file was called where it is defined, if files of the project export it under another name. */
  readonly originalsOf: (name: string, file: FileView) => readonly Original[]
  /** The names of a type and all its base types. */
  readonly lineageOf: (type: string, file: FileView) => ReadonlySet<string>
  readonly names: Names
}

/** The types that a value may have, by name. */
export type Declared = ReadonlyMap<string, Naming>

/**
 * Where a type is named. `files` are the files that name it, `leads` what the name leads to in each of them. `isGuess` is true when a step to the value is only likely.
 */
type Naming = {
  readonly files: readonly FileView[]
  readonly leads: readonly Lead[]
  readonly isGuess: boolean
}

/**
 * What is known about a value: `text` is a type as written on a line of a file, or the signature of a function; `types`
 * are its definitions if they are known. With `isElement`, the value is an element of the collection that `text` names.
 * Results of the collection's own methods then also count as elements. With `isGuess`, a step to the value is only
 * likely.
 */
type Value = {
  readonly text: string
  readonly file: FileView
  readonly line: number
  readonly types?: readonly SymbolDefinition[]
  /** The function; absent when `text` is a type. */
  readonly callable?: Pick<SymbolRow, "name" | "owner" | "startLine">
  readonly isElement?: boolean
  readonly isGuess?: boolean
}

type LineContext = { readonly line: number; readonly file: FileView; readonly depth: number }

/**
 * One step of a value path: `.name`, `()`, `[]`, `@index` or `,part`. `last` is the name in the previous step; null if
 * that step has none.
 */
type PathStep = {
  readonly step: string
  readonly name: string | undefined
  readonly index: string | undefined
  readonly part: string | undefined
  readonly last: string | null
  /** True if the next step is a call. */
  readonly isCalled: boolean
}

const MAX_DEPTH = 8
/** Maximum number of steps for one query. A path that needs more is recursive and would never end. */
const MAX_STEPS = 200
const NAME = /^[\p{L}_$]/u
const HEAD = /^[^.(@[,]+/
const STEP = /\.([^.(@[,]+)|\(\)|\[\]|@(\d+)|,(\d+)/g

/** Language families that have type aliases. */
const ALIASED = /^(?:js|rust|go|swift|jvm|python)$/

/** A name with more definitions than this says nothing of a value unless one of them is certainly meant. */
const MAX_NAMESAKES = 3

/** The definitions that a name means, or the few that it may mean. */
function meantBy({ end, definitions }: Lead, { family }: FileView): readonly SymbolDefinition[] {
  if (end === "certain") return definitions
  return importsNames(family) || definitions.length > MAX_NAMESAKES ? [] : definitions
}

/** Determines the types of a value by following its path through declarations, step by step. */
export class Values {
  readonly #sources: Sources
  #steps = 0

  constructor(sources: Sources) {
    this.#sources = sources
  }

  /** The types of the value of `path` that may have a member of this name; null when no declaration tells. */
  typesOf(path: ValuePath, line: number, file: FileView, member: string): Declared | null {
    const types = new Map<string, Naming>()
    this.#steps = 0
    const values = this.#follow(path, { line, file, depth: 0 })
    if (this.#steps > MAX_STEPS) return null
    for (const value of values ?? []) {
      const some = this.#typesOf(value, member)
      if (some === null) return null
      for (const [type, naming] of some) types.set(type, both(types.get(type), naming))
    }
    return types.size === 0 ? null : types
  }

  /** The types that a value's text names, and the types that aliases among them refer to. */
  #typesOf(
    { text, file, line, callable, types: own, isElement = false, isGuess = false }: Value,
    member: string,
  ): Declared | null {
    if (own !== undefined && !isElement) {
      const lead: Lead = { end: "certain", definitions: own }
      return new Map([[text, { files: [file], leads: [lead], isGuess }]])
    }
    if (callable) {
      const call = UNMARKED_CALLS.test(file.family)
        ? this.#result([{ text, file, line, callable }], null)
        : null
      return call === null ? null : this.#typesOf({ ...call[0]!, isGuess }, member)
    }
    const words = typesIn(text, isElement, { ...this.#placeOf(file, line), member })
    if (words === null) return null
    const types = new Map<string, Naming>()
    for (const { name, qualifier, isHolder } of words) {
      const lead = this.#sources.names.type(name, qualifier, file, line)
      if (!isHolder) types.set(name, { files: [file], leads: [lead], isGuess })
      else this.#addStandingFor(name, file, isElement, types)
    }
    for (const [type, { files }] of types) this.#addStandingFor(type, files[0]!, isElement, types)
    return types
  }

  /** How types that a file names on a line are read. */
  #placeOf(file: FileView, line: number): TypePlace {
    return {
      family: file.family,
      isOwn: (name) => {
        const { end, definitions } = this.#sources.names.type(name, null, file, line)
        return end === "certain" && definitions.some(({ symbol }) => isType(symbol) && symbol.kind !== "type")
      },
    }
  }

  #addStandingFor(type: string, file: FileView, isElement: boolean, types: Map<string, Naming>): void {
    for (const [other, naming] of this.#standingFor(type, file, isElement, types.size < MAX_TYPES))
      if (!types.has(other)) types.set(other, naming)
  }

  /** The types for which a type name in a file stands: as an alias, if `isAlias` allows it, or as another name. */
  #standingFor(type: string, file: FileView, isElement: boolean, isAlias: boolean): [string, Naming][] {
    const alias = isAlias ? this.#aliasOf(type, file) : null
    const line = alias?.symbol.startLine ?? 0
    const aliased =
      alias &&
      typesIn(
        aliasedType(alias.symbol.signature, file.family) ?? "",
        isElement,
        this.#placeOf(alias.file, line),
      )
    const { names } = this.#sources
    return [
      ...(aliased ?? []).flatMap(({ name, qualifier, isHolder }): [string, Naming][] => {
        const leads = [names.type(name, qualifier, alias!.file, line)]
        return isHolder ? [] : [[name, { files: [alias!.file], leads, isGuess: false }]]
      }),
      ...this.#sources.originalsOf(type, file).map((original): [string, Naming] => {
        const leads = [names.type(original.name, null, original.file, 0)]
        return [original.name, { files: [original.file], leads, isGuess: false }]
      }),
    ]
  }

  /** The alias that the name of a type refers to; null when it is none. */
  #aliasOf(type: string, file: FileView): SymbolDefinition | null {
    if (!ALIASED.test(file.family)) return null
    // In Python, an alias is a variable: `Rows = list[Row]`.
    const isAlias = ({ symbol: { kind, name } }: SymbolDefinition) =>
      kind === "type" || (file.family === "python" && kind === "variable" && /^\p{Lu}/u.test(name))
    return meantBy(this.#sources.names.global(type, file), file).find(isAlias) ?? null
  }

  #follow(path: ValuePath, place: LineContext): readonly Value[] | null {
    const head = place.depth > MAX_DEPTH ? undefined : HEAD.exec(path)?.[0]
    if (head === undefined) return null
    return this.#walk(path.slice(head.length), head, this.#head(head, place), place)
  }

  /** Follows the steps of a path after its head, whose values are given. */
  #walk(
    path: string,
    head: string,
    start: readonly Value[] | null,
    place: LineContext,
  ): readonly Value[] | null {
    let values = start
    let last: string | null = NAME.test(head) ? head : null
    // The names so far, which may be those of a module.
    let module = last
    const steps = [...path.matchAll(STEP)]
    for (const [at, [step, name, index, part]] of steps.entries()) {
      if (this.#steps++ > MAX_STEPS) return null
      if (values)
        values = distinctIfFew(
          this.#step(values, { step, name, index, part, last, isCalled: steps[at + 1]?.[0] === "()" }, place),
        )
      else if (step === "()" && last !== null) values = this.#guessed(head, last, place.file)
      if (name === undefined) module = null
      else if (module !== null) {
        values ??= this.#moduleMember(module, name, place)
        module += `.${name}`
      }
      last = name ?? null
    }
    return values
  }

  /** The values after a step; what follows from a guess is a guess. */
  #step(values: readonly Value[], step: PathStep, place: LineContext): readonly Value[] | null {
    const next = this.#stepped(values, step, place)
    return values.some((value) => value.isGuess === true) ? (next?.map(asGuess) ?? null) : next
  }

  #stepped(
    values: readonly Value[],
    { step, name, index, part, last, isCalled }: PathStep,
    place: LineContext,
  ): readonly Value[] | null {
    if (name !== undefined) return this.#member(values, name, isCalled, place)
    if (step === "()") return this.#result(values, last)
    if (part !== undefined) return nonEmpty(values, (value) => valuePart(value, Number(part)))
    return index === undefined ? values.map(asElement) : this.#parameter(values, Number(index))
  }

  #head(head: string, place: LineContext): readonly Value[] | null {
    const { file, line } = place
    if (head.startsWith(":")) return [{ text: typeAt(head.slice(1), line, file), file, line }]
    if (head === "?") return null
    if (head === "this") {
      const type = file.outline.enclosingType(line)
      return type === null ? null : [{ text: type, file, line }]
    }
    if (head === "<") return this.#resultAround(place)
    return this.#bound(head, place) ?? this.#declared(head, place) ?? this.#global(head, place)
  }

  #resultAround({ line, file }: LineContext): readonly Value[] | null {
    const around = file.outline.innermost(line, AROUND.function)
    if (around < 0) return null
    const row = file.outline.at(around)
    const type = resultOf({ ...row, signature: file.outline.signatureOf(row) ?? "" }, file)
    return type === null ? null : [{ text: typeAt(type, row.startLine, file), file, line: row.startLine }]
  }

  #bound(name: string, { file, line, depth }: LineContext): readonly Value[] | null {
    let bound = file.boundBefore(name, line)
    if (bound?.line === line && depth > 0 && HEAD.exec(bound.qualifier!)?.[0] === name)
      bound = file.boundBefore(name, line - 1)
    return bound && this.#follow(bound.qualifier!, { file, line: bound.line, depth: depth + 1 })
  }

  /**
   * Type of a name according to the signatures of the up to three innermost enclosing functions, else according to a
   * field of the file.
   */
  #declared(name: string, { file, line, depth }: LineContext): readonly Value[] | null {
    const { outline, family } = file
    let around = outline.innermost(line, AROUND.function)
    for (let out = 0; around >= 0 && out < 3; out++) {
      const row = outline.at(around)
      const type = typeIn(outline.signatureOf(row) ?? "", name, family)
      if (type !== null) return [{ text: typeAt(type, line, file), file, line: row.startLine }]
      around = outline.innermost(row.startLine - 1, AROUND.function, row.endLine)
    }
    // A parameter of a primary constructor is known in the whole type.
    let type = outline.innermost(line, AROUND.typeOrMember)
    while (type >= 0 && !isType(outline.at(type)))
      type = outline.innermost(outline.at(type).startLine - 1, AROUND.typeOrMember, outline.at(type).endLine)
    const given = type < 0 ? null : typeIn(outline.signatureOf(outline.at(type)) ?? "", name, family)
    if (given !== null) return [{ text: typeAt(given, line, file), file, line }]
    const field = outline.fieldNamed(name)
    const written = field && outline.signatureOf(field)
    return written === null ? null : this.#fieldValue(written, name, { file, line: field!.startLine, depth })
  }

  #fieldValue(signature: string, name: string, { file, line, depth }: LineContext): readonly Value[] | null {
    const type = typeIn(signature, name, file.family) ?? documentedIn(line, file)
    if (type !== null) return [{ text: typeAt(type, line, file), file, line }]
    const from = valueStart(signature)
    const path = from < 0 ? null : pathAhead(signature, from, true)
    return path === null ? null : this.#follow(path, { file, line, depth: depth + 1 })
  }

  #global(name: string, place: LineContext): readonly Value[] | null {
    const { file, line, depth } = place
    const lead = this.#sources.names.global(name, file, line)
    const found = meantBy(lead, file)
    const values = found.flatMap((definition) => this.#valueOf(definition, depth) ?? [])
    if (values.length > 0) return lead.end === "certain" ? values : values.map(asGuess)
    return found.length === 0 && /^\p{Lu}/u.test(name) ? [{ text: name, file, line }] : null
  }

  /** The value of `module.name`. */
  #moduleMember(module: string, name: string, { file, line, depth }: LineContext): readonly Value[] | null {
    const lead = this.#sources.names.member(module, name, file, line)
    const values = meantBy(lead, file).flatMap((definition) => this.#valueOf(definition, depth) ?? [])
    if (values.length === 0) return null
    return lead.end === "certain" ? values : values.map(asGuess)
  }

  #valueOf(definition: SymbolDefinition, depth: number): readonly Value[] | null {
    const { symbol, file } = definition
    const { name, signature, startLine: line } = symbol
    if (isType(symbol))
      return [{ text: name, file, line, ...(symbol.kind !== "type" && { types: [definition] }) }]
    if (isCallable(symbol) && !/^(?:[\w\s]*\s)?get\s/.test(signature))
      return [{ text: signature, file, line, callable: symbol }]
    if (isCallable(symbol)) {
      const type = resultOf(symbol, file)
      return type === null ? null : [{ text: type, file, line }]
    }
    return this.#fieldValue(signature, name, { file, line, depth })
  }

  #member(
    values: readonly Value[],
    name: string,
    isCalled: boolean,
    { depth }: LineContext,
  ): readonly Value[] | null {
    const all = values.flatMap((value) => this.#membersOf(value, name))
    // A field and a method of Java may have one name.
    const fitting = all.filter(({ symbol }) => isCallable(symbol) === isCalled)
    const found = fitting.length > 0 ? fitting : all
    const members = found.flatMap(({ isGuess, ...definition }) => {
      const next = this.#valueOf(definition, depth) ?? []
      return isGuess ? next.map(asGuess) : next
    })
    if (members.length > 0) return members
    if (found.length > 0 || COUNT_MEMBERS.has(name)) return null
    const holders = values.filter(
      ({ text, isElement, callable, file, line }) =>
        isElement || (!callable && isCollection(text, this.#placeOf(file, line))),
    )
    if (holders.length > 0) return holders.map(asElement)
    if (!values.every(({ file, callable }) => !callable && SAME_VALUE[file.family]?.has(name))) return null
    return values.map((value) => ({
      ...value,
      text: unwrapped(value.text, this.#placeOf(value.file, value.line)),
    }))
  }

  /** The members of a value's types; guesses if the types are only known by name. */
  #membersOf(value: Value, name: string): readonly (SymbolDefinition & { readonly isGuess: boolean })[] {
    const types = this.#typesOf(value, name)
    if (types === null) return []
    const owners = new Set<string>()
    for (const type of types.keys())
      for (const each of [type, ...this.#sources.lineageOf(type, value.file)]) owners.add(each)
    const { family } = value.file
    const found = this.#sources.membersOf(name, owners).filter(({ file }) => file.family === family)
    const ties = found.map((member) => memberTie(types, member, this.#sources.names))
    const best = Math.max(...ties)
    if (best <= TIE.shared) return []
    const isGuess = !isCertain(best)
    return found.flatMap((member, at) => (ties[at] === best ? [{ ...member, isGuess }] : []))
  }

  #result(values: readonly Value[], of: string | null): readonly Value[] | null {
    return nonEmpty(
      of !== null && NON_ELEMENT_METHODS.has(of) ? values.filter(isNotElement) : values,
      (value) => {
        if (value.isElement) return value
        const { callable, file } = value
        const type = callable
          ? resultOf({ ...callable, signature: value.text }, file)
          : this.#called(this.#function(value), file)
        if (type === null || type === "") return null
        const own = callable?.owner ? withSelf(type, callable.owner) : type
        return made(value, callable ? typeAt(own, callable.startLine, file) : own)
      },
    )
  }

  /** The result of a value of a function type; a type that is called makes a value of it. */
  #called(text: string, { family }: FileView): string | null {
    return text.includes("=>") ? resultIn(text, "", family) : text
  }

  /**
   * Result types of the functions with that name, if there are few such functions and all declare a result type.
   * Otherwise, in languages where functions of a type usually create a value of that type, the type before the call.
   */
  #guessed(head: string, name: string, file: FileView): readonly Value[] | null {
    const { family } = file
    const signatures = this.#sources.signaturesOf(name, family)
    const types = signatures.map((signature) => resultIn(signature, name, family))
    if (types.length > 0 && types.every((type) => type && withSelf(type, "") === type))
      return types.map((text) => ({ text: text!, file, line: 0, isGuess: true }))
    return MAKERS.test(family) && /^\p{Lu}/u.test(head)
      ? [{ text: head, file, line: 0, isGuess: true }]
      : null
  }

  #parameter(values: readonly Value[], index: number): readonly Value[] | null {
    return nonEmpty(values, (value) => {
      if (value.isElement) return value
      const { callable, file } = value
      const text = callable ? value.text : this.#function(value)
      if (callable || text.includes("=>")) {
        const type = parameterIn(text, index, file.family)
        return type === null ? null : { text: type, file, line: value.line }
      }
      return this.#constructorParameter(value, index)
    })
  }

  /** The function type that an alias refers to; for other values their text unchanged. */
  #function({ text, file }: Value): string {
    if (text.includes("=>")) return text
    const name = /^[\s(|]*([A-Za-z_$][\w$]*)/.exec(text)?.[1]
    const alias = name === undefined ? null : this.#aliasOf(name, file)
    const other = alias && aliasedType(alias.symbol.signature, file.family)
    return other?.includes("=>") ? other : text
  }

  #constructorParameter({ text, file, line }: Value, index: number): Value | null {
    const owners = typesIn(text, false, this.#placeOf(file, line))?.map(({ name }) => name)
    const [made] = this.#sources.membersOf("constructor", new Set(owners))
    const parameter = made ? parameterIn(made.symbol.signature, index, made.file.family) : null
    return parameter === null
      ? null
      : { text: parameter, file: made!.file, line: made!.symbol.startLine, isGuess: true }
  }
}

/** The type of a function's result, from its signature or the comment before it; null if neither states it. */
function resultOf(
  { name, signature, startLine }: Pick<SymbolRow, "name" | "signature" | "startLine">,
  file: FileView,
): string | null {
  const type = resultIn(signature, name, file.family)
  if (type !== null) return type
  const documented = documentedIn(startLine, file)
  return documented?.includes("=>") ? resultIn(documented, "", file.family) : documented
}

/** The canonical text of the type that a comment states for a definition. */
function documentedIn(line: number, file: FileView): string | null {
  const written = file.documentedType(line)
  return written === null ? null : canonicalType(written, file.family)
}

/** Language families in which a name alone may be a call: Python's properties, methods of Ruby and Scala. */
const UNMARKED_CALLS = /^(?:python|ruby|jvm)$/

/** Language families in which `Store::new()` usually returns a Store. */
const MAKERS = /^(?:rust|c|php)$/

/** Removes duplicates, which overloads produce. Null when more than MAX_TYPES values remain. */
function distinctIfFew(values: readonly Value[] | null): readonly Value[] | null {
  if (values === null || values.length < 2) return values
  const known = new Map<string, Value>()
  for (const value of values) {
    const { text, file, callable, isElement = false } = value
    known.set(`${file.id} ${isElement} ${callable?.owner} ${callable?.name} ${text}`, value)
  }
  return known.size > MAX_TYPES ? null : [...known.values()]
}

/** The result of a call of a value that is a type or a function. */
function made(value: Value, text: string): Value {
  const { file, line, types, callable } = value
  return callable || text !== value.text || types === undefined ? { text, file, line } : value
}

function asGuess(value: Value): Value {
  return { ...value, isGuess: true }
}

/** Two namings of types with one name. */
function both(one: Naming | undefined, other: Naming): Naming {
  if (one === undefined) return other
  return {
    files: [...one.files, ...other.files],
    leads: [...one.leads, ...other.leads],
    isGuess: one.isGuess || other.isGuess,
  }
}

/** The tie of a member to a value of these types. */
export function memberTie(types: Declared, member: SymbolDefinition, names: Names): Tie {
  let best: Tie = TIE.none
  for (const [type, naming] of types)
    for (const lead of naming.leads) best = Math.max(best, tieOf(lead, { type, naming, member, names }))
  return best
}

type TieOptions = {
  readonly type: string
  readonly naming: Naming
  readonly member: SymbolDefinition
  readonly names: Names
}

function tieOf({ end, definitions }: Lead, { type, naming, member, names }: TieOptions): Tie {
  if (end === "outside") return TIE.none
  const line = names.lineage(definitions)
  const level = end === "certain" ? line.levels.get(names.ownerOf(member)) : undefined
  if (level !== undefined) return (naming.isGuess ? TIE.open : TIE.certain) - level
  const { owner } = member.symbol
  // An alias has the members of another type, and an interface of Go those of types that do not name it.
  const isWhole = definitions.every(({ symbol }) => symbol.kind !== "type") && member.file.family !== "go"
  const isProven = end === "certain" && isWhole && !line.isOpen && !naming.isGuess
  if (!line.names.has(owner!) && type !== owner) return isProven ? TIE.none : TIE.shared
  if (end === "open") return TIE.similar
  return line.isOpen ? TIE.unknown : TIE.none
}

function asElement(value: Value): Value {
  return { ...value, isElement: true }
}

/** The nth element of a tuple type. For any other type, element 0 is the value itself, as in Go's `value, ok := m[key]`. */
function valuePart(value: Value, at: number): Value | null {
  if (value.isElement) {
    const text = elementPart(value.text, at)
    return text === undefined ? value : { text, file: value.file, line: value.line }
  }
  if (value.callable) return null
  const part = tuplePart(value.text, at)
  if (part !== undefined) return part === null ? null : { text: part, file: value.file, line: value.line }
  return at === 0 ? value : null
}

function isNotElement({ isElement }: Value): boolean {
  return isElement !== true
}

/** A value that may have more than this many types is treated as a value of unknown type. */
const MAX_TYPES = 40

/** Members of library types that return the value itself, or the value that it wraps. */
const SAME_VALUE: Readonly<Record<string, ReadonlySet<string>>> = {
  rust: new Set(
    `unwrap expect unwrap_or unwrap_or_default unwrap_or_else ok as_ref as_mut as_deref iter iter_mut into_iter clone cloned
    copied to_owned borrow borrow_mut lock read write await into_inner take`.split(/\s+/),
  ),
  jvm: new Set("get orElse orElseThrow orElseGet also apply".split(" ")),
  swift: new Set(["unsafelyUnwrapped"]),
  ruby: new Set(["new", "dup", "clone", "freeze", "tap"]),
}

const COUNT_MEMBERS: ReadonlySet<string> = new Set(["length", "size"])

/** Methods of a collection that do not return an element of it. */
const NON_ELEMENT_METHODS: ReadonlySet<string> = new Set(
  `map flatMap reduce reduceRight join keys indexOf lastIndexOf findIndex has includes some every forEach push unshift
  toString`.split(/\s+/),
)

function nonEmpty(values: readonly Value[], of: (value: Value) => Value | null): readonly Value[] | null {
  const found = values.flatMap((value) => of(value) ?? [])
  return found.length === 0 ? null : found
}
