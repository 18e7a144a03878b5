import { asMember, isOtherOverload, subtypeOf } from "../parse/index.ts"
import { type Certainty, certaintyOf, weaker } from "./certainty.ts"
import {
  Budget,
  definitionKey,
  type Edge,
  isCallable,
  isType,
  type SymbolDefinition,
  UNBOUNDED,
} from "./definition.ts"
import type { FileView } from "./file-view.ts"
import { type LiteralMember, literalMembersAmong, literalsOf } from "./object-members.ts"
import { CONSTRUCTORS, inheritorsOf } from "./references.ts"
import { FileMeanings, isResolved } from "./resolve.ts"
import type { SymbolGraph } from "./symbol-graph.ts"
import { goArity } from "./written-types.ts"

/*
 * Finds the types below a type in two ways: by declared inheritance (`Subtypes`), and for interfaces that need not be
 * named, as in Go, by comparing methods (`byMethods`).
 */

/**
 * Certainty that a type which has the methods of an interface implements it. A single method proves less, because many
 * types have such a method by chance. In Go, a type implements an interface by having its methods alone; in other
 * languages most types name the interface.
 */
const BY_METHODS = {
  go: { several: "certain", single: "by name" },
  others: { several: "possible", single: "by name" },
} as const

/**
 * Types that extend or implement the target types, directly or through other types. If targets are methods, the methods
 * of the same name in types below their owners.
 */
export function implementationsOf(
  graph: SymbolGraph,
  targets: SymbolDefinition | readonly SymbolDefinition[],
  budget: Budget = new Budget(UNBOUNDED),
): Implementations {
  const asked = "symbol" in targets ? [targets] : targets
  const types = new Subtypes(graph, budget, null)
  const methods = new Map<string, Subtypes>()
  const all = asked.map((target) => {
    if (isType(target.symbol))
      return withLiterals(typesBelow(graph, target, types), literalsOf(graph, target))
    const key = kinOf(target)
    const heirs = methods.get(key) ?? new Subtypes(graph, budget, pathsToMethods(graph, asked, key))
    methods.set(key, heirs)
    return withLiterals(methodsBelow(graph, target, heirs), literalMembersAmong(graph, [target]))
  })
  return {
    found: all.flatMap(({ found }) => found),
    foreign: all.flatMap(({ foreign }) => foreign),
    unseen: all.reduce((sum, { unseen }) => sum + unseen, 0),
  }
}

/** Methods of Go with more namesakes than this are not compared with interfaces. */
const MAX_NAMESAKES = 100

/** The members of bases, and in Go of interfaces, that a method overrides or implements. */
export function overriddenBy(graph: SymbolGraph, target: SymbolDefinition): readonly SymbolDefinition[] {
  const { owner, name, kind } = target.symbol
  // A call of a base's constructor makes no value of a type below it.
  if (owner === null || !isCallable({ kind }) || CONSTRUCTORS.test(name)) return []
  const isOther = (other: SymbolDefinition) => isMemberOfOther(other, target) && mayOverride(target, other)
  const named = graph.definitionsOf(name).filter(isOther)
  if (named.length === 0) return []
  if (target.file.family === "go")
    return named.filter((other) => isImplementedBy(graph, other, target, named.length))
  const { names } = graph.types
  const above = names.lineAround(target.file, target.symbol.startLine)
  return named.filter((other) => (above?.levels.get(names.ownerOf(other)) ?? 0) > 0)
}

/** True if both are callable members of one language family and no overloads of each other. */
function mayOverride({ symbol, file }: SymbolDefinition, base: SymbolDefinition): boolean {
  if (file.family !== base.file.family || !isCallable(symbol) || !isCallable(base.symbol)) return false
  // What an implementation of a Rust trait holds is as visible as the trait.
  if (file.family === "rust" && /^(?:#\[[^\]]*\]\s*)*pub\b/.test(symbol.signature)) return false
  const signatures = [symbol.signature, base.symbol.signature]
  return file.language !== base.file.language || !isOtherOverload(symbol.name, signatures, file.language)
}

function isMemberOfOther({ symbol, file }: SymbolDefinition, target: SymbolDefinition): boolean {
  return symbol.owner !== null && (symbol.owner !== target.symbol.owner || file.id !== target.file.id)
}

/** The types that a type of a file may mean by the name of a base. */
function basesNamed(graph: SymbolGraph, file: FileView, type: string, base: string): SymbolDefinition[] {
  const use = file.inheritingOf(base).find((one) => subtypeOf(one) === type)
  if (use === undefined) return []
  return new FileMeanings(file, graph.candidatesOf(base), graph.types)
    .of(asMember(use))
    .filter((each) => isType(each.definition.symbol) && isResolved(each))
    .map(({ definition }) => definition)
}

/** True for the method of a Go interface that the type of another method implements. */
function isImplementedBy(
  graph: SymbolGraph,
  { symbol, file }: SymbolDefinition,
  target: SymbolDefinition,
  namesakes: number,
): boolean {
  if (namesakes > MAX_NAMESAKES) return false
  const types = graph
    .definitionsOf(symbol.owner!)
    .filter((each) => isGoInterface(each) && each.file.id === file.id)
  const bearers = bearersOf(graph, target)
  return types.some((type) =>
    byMethods(graph, type).some(({ definition }) => bearers.has(typeKey(definition))),
  )
}

/** The keys of the types that have a method: its owner and, in Go, the types that embed it. */
function bearersOf(graph: SymbolGraph, method: SymbolDefinition): ReadonlyMap<string, unknown> {
  const owner = { owner: method.symbol.owner!, place: methodsPlaceOf(method) }
  const bearers = new Map([keyed(owner)])
  if (method.file.family === "go") addEmbedding(graph, [bearers])
  return bearers
}

/** Adds the object literals, or their methods, that are not found as types. */
function withLiterals(found: Implementations, literals: readonly LiteralMember[]): Implementations {
  const known = new Set(found.found.map(({ definition }) => definitionKey(definition)))
  const more = literals
    .filter(({ definition }) => !known.has(definitionKey(definition)))
    .map(({ definition, tie }) => ({ definition, certainty: certaintyOf(tie) }))
  return more.length === 0 ? found : { ...found, found: [...found.found, ...more] }
}

/**
 * Names of the types on all inheritance paths that lead from the owners of the requested methods down to types that
 * have a method of that name.
 */
function pathsToMethods(
  graph: SymbolGraph,
  asked: readonly SymbolDefinition[],
  key: string,
): ReadonlySet<string> {
  const same = asked.filter((target) => kinOf(target) === key)
  const owners = (definitions: readonly SymbolDefinition[]) =>
    definitions.flatMap(({ symbol }) => symbol.owner ?? [])
  const namesakes = graph.definitionsOf(same[0]!.symbol.name).filter((other) => kinOf(other) === key)
  graph.prepareCandidates(owners(same))
  return pathsDown(graph, owners(same), new Set(owners(namesakes)))
}

function kinOf({ symbol, file }: SymbolDefinition): string {
  return `${file.family} ${symbol.name}`
}

function methodsBelow(graph: SymbolGraph, target: SymbolDefinition, heirs: Subtypes): Implementations {
  const { owner, name } = target.symbol
  if (owner === null || !isCallable(target.symbol)) return NONE
  const owners = graph
    .definitionsOf(owner)
    .filter(({ symbol, file }) => isType(symbol) && file.family === target.file.family)
  const home = owners.find(({ file }) => file.id === target.file.id) ?? owners[0]
  if (!home) return NONE
  const types = typesBelow(graph, home, heirs)
  const isGo = target.file.family === "go"
  const below = new Map(
    types.found.map(({ definition, certainty }) => [
      isGo ? typeKey(definition) : definition.symbol.name,
      certainty,
    ]),
  )
  const found = graph.definitionsOf(name).flatMap((definition) => {
    if (definition.symbol.owner === null || !mayOverride(definition, target)) return []
    const owners = isGo ? bearersOf(graph, definition).keys() : [definition.symbol.owner]
    const isForeign = types.foreign.some((edge) => isOfForeign(definition, edge))
    const certainty = isForeign ? "certain" : [...owners].flatMap((owner) => below.get(owner) ?? [])[0]
    const isOther = certainty !== undefined && definitionKey(definition) !== definitionKey(target)
    return isOther ? [{ definition, certainty }] : []
  })
  return { found, foreign: [], unseen: types.unseen }
}

/** True for a method in the `impl Trait for Type` at a place, for a type of another project. */
function isOfForeign({ symbol, file }: SymbolDefinition, { file: home, line, name, target }: Edge): boolean {
  const impls = file.id === home.id ? file.inheritingOf(name ?? target!.symbol.name) : []
  return impls.some((use) => use.line === line && symbol.startLine >= line && subtypeOf(use) === symbol.owner)
}

const NONE: Implementations = { found: [], foreign: [], unseen: 0 }

function typesBelow(graph: SymbolGraph, target: SymbolDefinition, heirs: Subtypes): Implementations {
  const structural = byMethods(graph, target)
  if (target.file.family === "go") return { found: structural, foreign: [], unseen: 0 }
  const declared = heirs.below(target)
  if (structural.length === 0) return declared
  const known = new Set(declared.found.map(({ definition }) => definitionKey(definition)))
  return {
    found: [
      ...declared.found,
      ...structural.filter(({ definition }) => !known.has(definitionKey(definition))),
    ],
    foreign: declared.foreign,
    unseen: declared.unseen,
  }
}

/** True for a type that other types implement just by having its methods, without naming it. */
function isStructural({ symbol, file }: SymbolDefinition): boolean {
  if (file.family === "python") return symbol.kind === "class" && file.basesOf(symbol.name).has("Protocol")
  return symbol.kind === "interface" && (file.family === "go" || file.family === "js")
}

/** Maximum number of an interface's methods that are compared. */
const MAX_METHODS = 50

/** The types that have all methods of an interface, with their certainty. */
function byMethods(graph: SymbolGraph, target: SymbolDefinition): Implementation[] {
  if (!isStructural(target)) return []
  const { family } = target.file
  const required = methodsOf(graph, target).arities
  const methods = [...required.keys()].slice(0, MAX_METHODS)
  // One method in common with a TypeScript interface, such as `run`, proves nothing.
  if (methods.length < (family === "js" ? 2 : 1)) return []
  graph.prepareCandidates(methods)
  const owners = methods.map((name) => ownersOf(graph, name, family, required.get(name)))
  if (family === "go") addEmbedding(graph, owners)
  const [first, ...rest] = owners.sort((one, other) => one.size - other.size)
  const { several, single } = family === "go" ? BY_METHODS.go : BY_METHODS.others
  const certainty = methods.length > 1 ? several : single
  return [...first!].flatMap(([key, { owner, place }]) => {
    if (!rest.every((other) => other.has(key))) return []
    const definition = graph
      .definitionsOf(owner)
      .find((other) => methodsPlaceOf(other) === place && mayImplement(other, target))
    return definition ? [{ definition, certainty }] : []
  })
}

/**
 * The methods that an interface requires, by name, with their arity if it is known; and the interfaces that it embeds and
 * whose methods are not known.
 */
type RequiredMethods = { readonly arities: Map<string, string | null>; readonly unknown: Set<string> }

/** The methods of an interface; in Go, also those of the interfaces that it embeds. */
function methodsOf(graph: SymbolGraph, target: SymbolDefinition): RequiredMethods {
  const required: RequiredMethods = { arities: new Map(), unknown: new Set() }
  const keyOf = ({ symbol, file }: SymbolDefinition) => `${file.path} ${symbol.name}`
  // Grows while it is read; interfaces that embed each other are read once.
  const interfaces = new Map([[keyOf(target), target]])
  for (const { symbol, file } of interfaces.values()) {
    addMethods(file, symbol.name, required)
    if (file.family !== "go") continue
    for (const embedded of embeddedIn(file, symbol.name)) {
      const definition = embeddedInterface(graph, file, embedded)
      if (definition === undefined) addLibraryMethods(embedded.written, required)
      else interfaces.set(keyOf(definition), definition)
    }
  }
  return required
}

function addMethods(file: FileView, type: string, { arities }: RequiredMethods): void {
  for (const { owner, kind, name, signature } of file.symbols)
    if (owner === type && kind === "method" && name !== "__init__")
      arities.set(name, file.family === "go" ? goArity(signature, name) : null)
}

function embeddedInterface(
  graph: SymbolGraph,
  file: FileView,
  { name, written }: Embedded,
): SymbolDefinition | undefined {
  const isOwn = name === written
  return graph
    .definitionsOf(name)
    .find((other) => isGoInterface(other) && (!isOwn || isNear(other.file, file)))
}

function addLibraryMethods(written: string, { arities, unknown }: RequiredMethods): void {
  const methods = LIBRARY_INTERFACES.get(written)
  if (methods === undefined) unknown.add(written)
  else for (const method of methods) arities.set(method, null)
}

function isGoInterface({ symbol, file }: SymbolDefinition): boolean {
  return file.family === "go" && symbol.kind === "interface"
}

/** A type that a Go type embeds: its name, and its name as written, such as `io.Reader`. */
type Embedded = { readonly name: string; readonly written: string }

function embeddedIn(file: FileView, type: string): Embedded[] {
  return [...file.basesOf(type)].flatMap((name) =>
    file.inheritingOf(name).flatMap(({ qualifier }) => {
      const [heir, module] = qualifier?.split(" ") ?? []
      return heir === type ? [{ name, written: module === undefined ? name : `${module}.${name}` }] : []
    }),
  )
}

/** The methods of interfaces of Go's library that other interfaces often embed. */
const LIBRARY_INTERFACES: ReadonlyMap<string, readonly string[]> = new Map(
  `error: Error; io.Reader: Read; io.Writer: Write; io.Closer: Close; io.Seeker: Seek; io.ReaderAt: ReadAt;
    io.WriterAt: WriteAt; io.ReaderFrom: ReadFrom; io.WriterTo: WriteTo; io.StringWriter: WriteString;
    io.ReadWriter: Read Write; io.ReadCloser: Read Close; io.WriteCloser: Write Close;
    io.ReadWriteCloser: Read Write Close; io.ReadSeeker: Read Seek; io.ReadSeekCloser: Read Seek Close;
    io.WriteSeeker: Write Seek; io.ReadWriteSeeker: Read Write Seek; io.ByteReader: ReadByte;
    fmt.Stringer: String; fmt.Formatter: Format; sort.Interface: Len Less Swap;
    heap.Interface: Len Less Swap Push Pop; http.Handler: ServeHTTP;
    http.ResponseWriter: Header Write WriteHeader; http.Flusher: Flush; http.RoundTripper: RoundTrip;
    context.Context: Deadline Done Err Value; json.Marshaler: MarshalJSON; json.Unmarshaler: UnmarshalJSON;
    encoding.TextMarshaler: MarshalText; encoding.TextUnmarshaler: UnmarshalText; fs.FS: Open;
    fs.File: Stat Read Close;
    net.Conn: Read Write Close LocalAddr RemoteAddr SetDeadline SetReadDeadline SetWriteDeadline;
    net.Listener: Accept Close Addr; net.Error: Error Timeout Temporary; driver.Valuer: Value;
    sql.Scanner: Scan; flag.Value: String Set`
    .split(/;\s+/)
    .map((each) => each.split(": "))
    .map(([name, methods]) => [name!, methods!.split(" ")]),
)

/**
 * Why the implementations of a Go interface may be incomplete: it embeds an interface of another project, or a type with
 * some of its methods embeds a type of another project, which may have the others. Null if neither is so.
 */
export function mayHaveMore(graph: SymbolGraph, target: SymbolDefinition): string | null {
  if (!isGoInterface(target)) return null
  const { name } = target.symbol
  const { arities, unknown } = methodsOf(graph, target)
  const [embedded] = unknown
  if (embedded !== undefined)
    return `${name} embeds ${embedded}, whose methods are not known; other types may be implementations`
  const methods = [...arities.keys()].slice(0, MAX_METHODS)
  graph.prepareCandidates(methods)
  const owners = methods.map((method) => ownersOf(graph, method, "go", arities.get(method)))
  addEmbedding(graph, owners)
  const heirs = [...new Map(owners.flatMap((each) => [...each]))].filter(([key, { owner, place }]) => {
    const missing = methods.filter((_, at) => !owners[at]!.has(key))
    if (missing.length === 0 || 2 * missing.length > methods.length) return false
    const type = graph
      .definitionsOf(owner)
      .find((each) => methodsPlaceOf(each) === place && isType(each.symbol))
    return type !== undefined && mayInherit(graph, type, missing)
  })
  const [first, ...others] = heirs
  if (first === undefined) return null
  const which = `${first[1].owner}${others.length === 0 ? "" : ` and ${others.length} more`}`
  return `${which} may be an implementation: it has some of the methods of ${name}, and the others may come from a type of another project that it embeds`
}

/** True if a Go struct embeds a type of another project that may have these methods. */
function mayInherit(
  graph: SymbolGraph,
  { symbol, file }: SymbolDefinition,
  methods: readonly string[],
): boolean {
  if (symbol.kind !== "struct") return false
  return embeddedIn(file, symbol.name).some(({ name, written }) => {
    if (name === written || LOCKS.has(written)) return false
    const isProjects = graph
      .definitionsOf(name)
      .some((each) => each.file.family === "go" && isType(each.symbol))
    if (isProjects && !isOfLibrary(file, written)) return false
    const known = LIBRARY_INTERFACES.get(written)
    return known === undefined || methods.every((method) => known.includes(method))
  })
}

/** True for a type of a package of Go's library, such as `os.File`; the paths of other packages begin with a host. */
function isOfLibrary(file: FileView, written: string): boolean {
  const modules = file.modulesNamed(written.slice(0, written.indexOf(".")))
  return modules.some((module) => !module.split("/", 1)[0]!.includes(".") && !file.isOfProject(module))
}

/** Types of Go's library that many structs embed, and whose methods no interface of a project is about. */
const LOCKS: ReadonlySet<string> = new Set(["sync.Mutex", "sync.RWMutex", "sync.WaitGroup", "sync.Once"])

/** True for a type other than the target. In Go, this includes another interface that has the target's methods. */
function mayImplement(other: SymbolDefinition, target: SymbolDefinition): boolean {
  if (!isType(other.symbol) || definitionKey(other) === definitionKey(target)) return false
  return other.file.family === "go" || !isStructural(other)
}

/** A type that has a method. */
type MethodOwner = { readonly owner: string; readonly place: string }

/** Types that have a method of one name. The key joins the place of the type's methods and the type's name. */
type MethodOwners = Map<string, MethodOwner>

/** The types with a method of this name; only those whose method has the arity, if it is known. */
function ownersOf(
  graph: SymbolGraph,
  name: string,
  family: string,
  arity: string | null | undefined,
): MethodOwners {
  return new Map(
    graph
      .definitionsOf(name)
      .filter(
        ({ symbol, file }) => file.family === family && symbol.owner !== null && symbol.kind === "method",
      )
      .filter(({ symbol }) => arity == null || (goArity(symbol.signature, name) ?? arity) === arity)
      .map((method) => keyed({ owner: method.symbol.owner!, place: methodsPlaceOf(method) })),
  )
}

function typeKey(type: SymbolDefinition): string {
  return `${methodsPlaceOf(type)}:${type.symbol.name}`
}

function keyed(owner: MethodOwner): [key: string, owner: MethodOwner] {
  return [`${owner.place}:${owner.owner}`, owner]
}

/** Adds to each method's owners the Go structs and interfaces that embed one of them, which have its methods too. */
function addEmbedding(graph: SymbolGraph, methods: readonly MethodOwners[]): void {
  const names = new Set(methods.flatMap((owners) => Array.from(owners.values(), ({ owner }) => owner)))
  const embedding = new Map<string, ReturnType<typeof embeddingOf>>()
  for (let layer = [...names], level = 0; level < MAX_LEVELS && layer.length > 0; level++) {
    graph.prepareExtending(layer)
    graph.prepareCandidates(layer.flatMap((name) => graph.heirsOf(name)))
    for (const name of layer) embedding.set(name, embeddingOf(graph, name))
    layer = layer.flatMap((name) => embedding.get(name)!.map(({ owner }) => owner))
    layer = [...new Set(layer)].filter((name) => !embedding.has(name))
  }
  // A map's loop also reaches the entries that are added meanwhile.
  for (const owners of methods)
    for (const { owner, place } of owners.values())
      for (const each of (embedding.get(owner) ?? []).filter(({ embedded }) => embedded.has(place))) {
        const [key, type] = keyed(each)
        if (!owners.has(key)) owners.set(key, type)
      }
}

/** The Go types that embed a type of this name, with the places of the types that are meant. */
function embeddingOf(graph: SymbolGraph, name: string) {
  return graph.heirsOf(name).flatMap((heir) =>
    graph
      .definitionsOf(heir)
      .filter(({ symbol, file }) => file.family === "go" && isType(symbol) && file.basesOf(heir).has(name))
      .map((definition) => {
        const embedded = new Set(basesNamed(graph, definition.file, heir, name).map(methodsPlaceOf))
        return { owner: heir, place: methodsPlaceOf(definition), embedded }
      }),
  )
}

/** The place that contains all methods of a type: its folder in Go, else its file. */
function methodsPlaceOf({ file }: SymbolDefinition): string {
  return file.family === "go" ? file.folder : file.path
}

type Implementation = {
  readonly definition: SymbolDefinition
  readonly certainty: Certainty
  /** Place that names the base, such as Rust's `impl Trait for Type`; absent if only the methods were compared. */
  readonly declaredAt?: Edge
}

type Implementations = {
  readonly found: readonly Implementation[]
  /** Places where types that the project does not define implement the type: Rust's `impl Trait for Vec<T>`. */
  readonly foreign: readonly Edge[]
  /** Number of files that name the type, or a type below it, but were not read because the budget was spent. */
  readonly unseen: number
}

const MAX_LEVELS = 6

/**
 * Names of the types on the inheritance paths that lead from some types down to others. The inheritance is what any
 * file declares. Types on no such path are left out.
 */
function pathsDown(
  graph: SymbolGraph,
  from: readonly string[],
  to: ReadonlySet<string>,
): ReadonlySet<string> {
  const above = new Map<string, string[]>(from.map((name) => [name, []]))
  for (let layer = [...above.keys()], level = 0; level < MAX_LEVELS && layer.length > 0; level++) {
    const next: string[] = []
    graph.prepareExtending(layer)
    for (const base of layer) {
      for (const heir of graph.heirsOf(base)) {
        const known = above.get(heir)
        if (known) known.push(base)
        else {
          above.set(heir, [base])
          next.push(heir)
        }
      }
    }
    layer = next
  }
  const onPath = new Set<string>()
  for (let reached = [...above.keys()].filter((name) => to.has(name)); reached.length > 0; ) {
    for (const name of reached) onPath.add(name)
    // Duplicates are removed: otherwise a type appears once for every path that leads to it.
    reached = [...new Set(reached.flatMap((name) => above.get(name)!))].filter((name) => !onPath.has(name))
  }
  return onPath
}

/** The types below other types, for one query. Each result is cached, because several paths may lead to the same type. */
class Subtypes {
  readonly #graph: SymbolGraph
  readonly #budget: Budget
  readonly #among: ReadonlySet<string> | null
  readonly #known = new Map<string, Implementations>()

  /** `among`: names of the types that may be followed; null for all. */
  constructor(graph: SymbolGraph, budget: Budget, among: ReadonlySet<string> | null) {
    this.#graph = graph
    this.#budget = budget
    this.#among = among
  }

  /** Types that extend or implement the target, directly or through other types. */
  below(target: SymbolDefinition): Implementations {
    let unseen = 0
    const foreign: Edge[] = []
    const found = new Map<string, Implementation>()
    let layer: Implementation[] = [{ definition: target, certainty: "certain" }]
    for (let level = 0; level < MAX_LEVELS && layer.length > 0; level++) {
      const next: Implementation[] = []
      this.#graph.prepareExtending(layer.map(({ definition }) => definition.symbol.name))
      for (const { definition, certainty } of layer) {
        const directly = this.#known.get(definitionKey(definition)) ?? this.#directlyBelow(definition)
        this.#known.set(definitionKey(definition), directly)
        unseen += directly.unseen
        foreign.push(...directly.foreign)
        for (const below of directly.found) {
          const key = definitionKey(below.definition)
          if (found.has(key) || key === definitionKey(target)) continue
          const implementation = { ...below, certainty: weaker(certainty, below.certainty) }
          found.set(key, implementation)
          next.push(implementation)
        }
      }
      layer = next
    }
    return { found: [...found.values()], foreign, unseen }
  }

  #directlyBelow(target: SymbolDefinition): Implementations {
    const graph = this.#graph
    const { edges, unseen } = inheritorsOf(graph, target, { budget: this.#budget, heirs: this.#among })
    const places = edges.flatMap((edge) => {
      if (edge.kind !== "inherits") return []
      const types = edge.file
        .inheritingOf(edge.name ?? target.symbol.name)
        .flatMap((use) => (use.line === edge.line ? (subtypeOf(use) ?? []) : []))
        .filter((type) => this.#among?.has(type) !== false)
      return Array.from(new Set(types), (type) => ({ type, edge }))
    })
    graph.prepareCandidates(new Set(places.map(({ type }) => type)))
    const foreign: Edge[] = []
    const found = places.flatMap(({ type, edge }) => {
      const definition = this.#heirAt(type, edge)
      if (definition === null) foreign.push(edge)
      return definition ? [{ definition, certainty: edge.certainty, declaredAt: edge }] : []
    })
    return { found, foreign, unseen }
  }

  /** The type that a place declares to extend another one; null for a type of another project. */
  #heirAt(type: string, { file, line }: Edge): SymbolDefinition | null {
    const all = this.#graph.definitionsOf(type).filter(({ symbol }) => isType(symbol))
    const own = all.filter((each) => each.file.id === file.id)
    const module = file.outline.moduleAround(line)
    const same =
      own.find(({ symbol }) => symbol.startLine <= line && line <= symbol.endLine) ??
      own.find(({ symbol }) => file.outline.moduleAround(symbol.startLine, symbol.endLine) === module)
    if (same !== undefined || file.family !== "rust") return same ?? own[0] ?? all[0] ?? null
    const { end, definitions } = this.#graph.types.names.type(type, null, file, line)
    return definitions[0] ?? (end === "open" ? (all[0] ?? null) : null)
  }
}

/** True when both files are in one folder or package. In Go, several folders may have packages of one name. */
function isNear(home: FileView, file: FileView): boolean {
  if (home.id === file.id || home.folder === file.folder) return true
  return home.package !== null && home.family !== "go" && home.package === file.package
}
