import { asMember, nameRules, subtypeOf, TEMPLATE_LANGUAGES, USE, type Use } from "../parse/index.ts"
import { Candidates, countPlaces } from "./candidate-definitions.ts"
import { isCertain, TIE, type Tie } from "./certainty.ts"
import {
  Budget,
  definitionKey,
  type Edge,
  edgeOf,
  isAnonymousField,
  isAnonymousMethod,
  isNamed,
  isType,
  mayCall,
  namesOtherModule,
  type SymbolDefinition,
  storedName,
  UNBOUNDED,
} from "./definition.ts"
import { isMemberOfModule, type OtherNames, otherNamesAmong, usesOfOtherNames } from "./exported-names.ts"
import type { FileView } from "./file-view.ts"
import { type FileUses, ImportedUses } from "./imported-uses.ts"
import { followsImports } from "./imports.ts"
import { isDeclaredNear, isHiddenFrom, isNamedAlone, isOfInnerModule, isReturned } from "./meanings.ts"
import {
  type BoundProperty,
  boundPropertiesAmong,
  type LiteralMember,
  literalMembersAmong,
  membersImplementedBy,
  type PropertyUse,
  usesOfProperty,
} from "./object-members.ts"
import { isAnnotationElement } from "./outside-callers.ts"
import { Receivers } from "./receivers.ts"
import { FileMeanings, isResolved, type ResolvedMeaning, sharedLength } from "./resolve.ts"
import type { SymbolGraph } from "./symbol-graph.ts"
import type { Types } from "./types.ts"

export type References = {
  /** By path and line, for each name searched; if very many files use a name, nearest files first instead. */
  readonly edges: readonly Edge[]
  /** Uses of the name that are not decided: they may or may not refer to the targets. */
  readonly unresolved: readonly Edge[]
  /** Number of uses of the name, in the files read so far, that refer to something else than the targets. */
  readonly others: number
  /** Number of files that use the name but were not read, because enough edges were found or the budget was spent. */
  readonly unseen: number
}

/**
 * Which edges the caller needs. `enough`: number of edges to find. `from`: number of edges on earlier pages; until more
 * than this many are found, a spent budget of files or work does not end the search.
 */
export type ReferencePage = { readonly from: number; readonly enough: number }

const EVERYTHING: ReferencePage = { from: -1, enough: Number.POSITIVE_INFINITY }

/**
 * Returns the uses of definitions, or only their calls. Uses of their names that cannot be resolved to any
 * definition are reported separately, never dropped.
 */
export function referencesTo(
  graph: SymbolGraph,
  targets: SymbolDefinition | readonly SymbolDefinition[],
  budget: Budget = new Budget(UNBOUNDED),
  { from, enough }: ReferencePage = EVERYTHING,
  wanted: Exclude<ReferenceKind, "bases"> = "uses",
): References {
  const asked = "symbol" in targets ? [targets] : targets
  const walks = walksTo(graph, asked, { wanted, makers: makersAmong(graph, asked) })
  let found = 0
  for (const walk of walks) {
    walk.go(enough - found, budget, from - found)
    found += walk.edges.length
  }
  return {
    edges: walks.flatMap(({ edges }) => edges),
    unresolved: walks.flatMap(({ unresolved }) => unresolved),
    others: walks.reduce((sum, { others }) => sum + others, 0),
    unseen: walks.reduce((sum, { unseen }) => sum + unseen, 0),
  }
}

/** Returns the places where a type is extended or implemented; with `heirs`, only by types with these names. */
export function inheritorsOf(
  graph: SymbolGraph,
  type: SymbolDefinition,
  { budget, heirs }: { readonly budget: Budget; readonly heirs: ReadonlySet<string> | null },
): Pick<References, "edges" | "unseen"> {
  const { name } = type.symbol
  const begin = () => new ReferenceWalk(graph, name, [type], { wanted: "bases", makers: NO_MAKERS, heirs })
  const walk = heirs === null ? graph.walk(`: ${name} ${definitionKey(type)}`, begin) : begin()
  walk.go(Number.POSITIVE_INFINITY, budget)
  return walk
}

/**
 * Returns one walk per name, because a use is resolved against all definitions of its name. Types come before their
 * constructors, which are seldom called by name.
 */
function walksTo(
  graph: SymbolGraph,
  asked: readonly SymbolDefinition[],
  { wanted, makers }: { readonly wanted: ReferenceKind; readonly makers: Makers },
): ReferenceWalk[] {
  const byName = Map.groupBy([...makers.keys(), ...asked], ({ symbol }) => symbol.name)
  return Array.from(byName, ([name, same]) =>
    graph.walk(
      `${wanted} ${name} ${same.map((target) => `${definitionKey(target)}${madeBy(makers.get(target))}`)}`,
      () => new ReferenceWalk(graph, name, same, { wanted, makers }),
    ),
  )
}

/** The part of a walk's cache key that names the constructor to which calls of a type are attributed. */
function madeBy(maker: SymbolDefinition | undefined): string {
  return maker === undefined ? "" : `(${definitionKey(maker)})`
}

const NO_MAKERS: Makers = new Map()

/** Matches the names of constructors. In Java and similar languages a constructor has the name of its type. */
export const CONSTRUCTORS = /^(?:constructor|__init__|__construct|initialize)$/

/** True for the element of an annotation of Java that `@Size(3)` sets without a name. */
function isSetAlone(target: SymbolDefinition, graph: SymbolGraph): boolean {
  return target.symbol.name === "value" && isAnnotationElement(target, graph)
}

/**
 * Maps the type of each constructor among the targets to the constructor, because a call of the type is a call of its
 * constructor; also an annotation to the element that it sets without a name.
 */
function makersAmong(graph: SymbolGraph, targets: readonly SymbolDefinition[]): Makers {
  const makers = new Map<SymbolDefinition, SymbolDefinition>()
  const asked = new Set(targets.map(definitionKey))
  const constructors = targets.filter(
    (each) => each.symbol.owner !== null && (CONSTRUCTORS.test(each.symbol.name) || isSetAlone(each, graph)),
  )
  graph.prepareCandidates(constructors.map(({ symbol }) => symbol.owner!))
  for (const target of constructors) {
    for (const type of graph.definitionsOf(target.symbol.owner!))
      if (type.file.id === target.file.id && isType(type.symbol) && !asked.has(definitionKey(type)))
        makers.set(type, target)
  }
  return makers
}

/**
 * Uses that would refer to the deleted definition `gone` if it still existed, rather than to another definition of its
 * name. The deletion breaks these uses. `types` are those with everything that is deleted.
 */
export function usesOfDeleted(
  graph: SymbolGraph,
  types: Types,
  gone: SymbolDefinition,
  budget: Budget,
): Edge[] {
  const { name } = gone.symbol
  const candidates = new Candidates([...graph.definitionsOf(name), gone])
  const edges: Edge[] = []
  for (const file of graph.filesUsing(storedName(name))) {
    if (budget.isSpent) break
    if (file.family !== gone.file.family) continue
    budget.spend()
    const meanings = new FileMeanings(file, candidates, types)
    for (const use of file.usesOf(storedName(name))) {
      if (!followsImports(file.family) && namesOtherModule(name, use)) continue
      const mine = meanings.of(asMember(use)).find(({ definition }) => definition === gone)
      if (isResolved(mine)) edges.push(edgeOf(use, file, { tie: mine.tie, target: gone }))
    }
  }
  return edges
}

/**
 * Finds the uses of definitions, file by file. For each file that uses the name: take the uses from an imported index
 * if it covers the file; otherwise resolve each use of the name and compare the result with the targets. A use is then
 * an edge, unresolved (it may refer to a target), or counted in `others`. A walk keeps its position, so that the next
 * page continues where it stopped.
 */

/** Files read in one batch. */
const BATCH_FILES = 32
/** If more files than this use the name, the files nearest to the definitions are read first; otherwise in path order. */
const MAX_BY_PATH = 200

/**
 * Two costs in units of opening one file: this many bytes of packed uses, or this many different uses, take as long.
 * Measured with 2,200 files of 60 names.
 */
const BYTES_AS_A_FILE = 1_500
const KINDS_AS_A_FILE = 3

/** Which uses of a name are searched: all; those in `extends` and `implements` clauses; or those that may be calls. */
type ReferenceKind = "uses" | "bases" | "calls"

/**
 * From each type that is searched because its constructor was asked for to that constructor, because a call of the type is a
 * call of its constructor.
 */
type Makers = ReadonlyMap<SymbolDefinition, SymbolDefinition>

type WalkOptions = {
  readonly wanted: ReferenceKind
  readonly makers: Makers
  /** For "bases": names of the types whose uses count; null for all. */
  readonly heirs?: ReadonlySet<string> | null
}

/**
 * Searches the files that use a name, one after the other, until a given number of edges is found. The next call
 * continues from there.
 */
export class ReferenceWalk {
  readonly edges: Edge[] = []
  readonly unresolved: Edge[] = []
  #others = 0
  readonly #graph: SymbolGraph
  readonly #wanted: ReferenceKind
  readonly #makers: Makers
  readonly #heirs: ReadonlySet<string> | null
  readonly #name: string
  readonly #all: readonly SymbolDefinition[]
  readonly #targets: ReadonlyMap<string, SymbolDefinition>
  readonly #homes: ReadonlySet<number>
  readonly #families: ReadonlySet<string>
  /** Uses according to an imported index; null if no imported index contains a target. */
  readonly #imported: ImportedUses | null
  /** The names beside their own under which files know the targets. */
  readonly #otherNames: readonly OtherNames[]
  /** The properties that hold a target. */
  readonly #properties: readonly BoundProperty[]
  /** Methods of object literals that implement a target: a use through the constant is a use of the target. */
  readonly #literals: ReadonlyMap<string, LiteralMember>
  /** Targets in object literals, with the member of an interface: a use of that member through the constant means both. */
  readonly #implemented: readonly LiteralMember[]
  /** The targets, and the definitions whose uses may be uses of a target. */
  readonly #sought: readonly SymbolDefinition[]
  #ids: readonly number[]
  readonly #receivers: Receivers
  #isOrdered = false
  #at = 0

  constructor(
    graph: SymbolGraph,
    name: string,
    targets: readonly SymbolDefinition[],
    { wanted, makers, heirs = null }: WalkOptions,
  ) {
    this.#graph = graph
    this.#wanted = wanted
    this.#makers = makers
    this.#heirs = heirs
    this.#name = name
    this.#all = targets
    this.#targets = new Map(targets.map((target) => [definitionKey(target), target]))
    this.#homes = new Set(targets.map(({ file }) => file.id))
    this.#families = new Set(targets.map(({ file }) => file.family))
    this.#imported = wanted === "bases" ? null : ImportedUses.of(graph.store, name, targets)
    this.#ids = wanted === "bases" ? graph.idsExtending(name, heirs) : graph.idsUsing(storedName(name))
    if (this.#imported !== null) this.#ids = [...new Set([...this.#ids, ...this.#imported.ids()])]
    this.#otherNames = otherNamesAmong(graph, targets)
    this.#literals = new Map(
      wanted === "bases"
        ? []
        : literalMembersAmong(graph, targets)
            .filter(({ definition }) => definition.symbol.owner !== null)
            .map((each) => [definitionKey(each.definition), each]),
    )
    this.#implemented = wanted === "bases" ? [] : membersImplementedBy(graph, targets)
    this.#sought = [
      ...targets,
      ...Array.from(this.#literals.values(), ({ definition }) => definition),
      ...this.#implemented.map(({ target }) => target),
    ]
    this.#receivers = new Receivers(graph, targets)
    this.#properties = wanted === "bases" ? [] : boundPropertiesAmong(graph, targets)
    const others = this.#otherNames.flatMap(({ names, users }) =>
      wanted === "bases" ? names.flatMap((each) => graph.idsExtending(each, heirs)) : users,
    )
    const users = [...others, ...this.#properties.flatMap((each) => each.users)]
    if (users.length > 0) this.#ids = [...new Set([...this.#ids, ...users])]
  }

  /**
   * Number of uses of the name that refer to something else than the targets: another definition, a local variable, or
   * a member of another type.
   */
  get others(): number {
    return this.#others
  }

  /** Number of files that use the name and have not been read yet. */
  get unseen(): number {
    return this.#ids.length - this.#at
  }

  /**
   * Searches until there are `enough` edges, the budget is spent or no file is left. A spent budget of files or work
   * ends the search only once more than `from` edges are found; a spent time budget ends it at once.
   */
  go(enough: number, budget: Budget, from = -1): void {
    const isDone = () =>
      this.edges.length >= enough || budget.isLate || (budget.isSpent && this.edges.length > from)
    while (this.unseen > 0 && !isDone()) {
      const ids = this.#inOrder().slice(this.#at, this.#at + BATCH_FILES)
      const views = new Map(this.#graph.files(ids).map((file) => [file.id, file]))
      for (const id of ids) {
        if (isDone()) return
        const file = views.get(id)
        const work = file && this.#mayUse(file) ? this.#searchFile(file, budget) : 1
        this.#at++
        budget.spend(work)
      }
    }
  }

  /**
   * File ids in path order, or nearest first if there are many. Computed on first use, because a request whose page is
   * already full does not need the order.
   */
  #inOrder(): readonly number[] {
    if (!this.#isOrdered) {
      const near = this.#ids.length > MAX_BY_PATH ? this.#all.map(({ file }) => file.path) : []
      this.#ids = this.#graph.inOrder(this.#ids, near)
      this.#isOrdered = true
    }
    return this.#ids
  }

  /**
   * True for a file in a target's language family that may refer to it. When uses are searched, also for a template,
   * which may contain code of any language.
   */
  #mayUse(file: FileView): boolean {
    if (this.#wanted !== "bases" && TEMPLATE_LANGUAGES.has(file.language)) return true
    return this.#families.has(file.family) && this.#all.some((target) => !isHiddenFrom(target, file))
  }

  /** Searches one file. Returns the cost of the search, which is the same whether or not the file is cached. */
  #searchFile(file: FileView, budget: Budget): number {
    const { types } = this.#graph
    const candidates = this.#graph.candidatesOf(this.#name)
    const meanings = new FileMeanings(file, candidates, types)
    const imported = this.#imported?.inFile(file.path) ?? null
    if (imported !== null) this.#addImported(file, imported)
    const ofProperties = this.#usesOfProperties(file)
    for (const use of this.#usesIn(file).filter((each) => !isAmong(each, ofProperties))) {
      if (imported?.named.has(use.line)) {
        if (!imported.uses.has(use.line)) this.#others++
        continue
      }
      if (!followsImports(file.family) && namesOtherModule(this.#name, use)) {
        this.#others++
        continue
      }
      // The time may run out within one file. Its remaining uses are then reported as unresolved.
      if (budget.isLate) this.#reportUnresolved(use, file)
      else this.#weigh(use, file, meanings)
    }
    this.#addOtherNames(file)
    this.#addProperties(ofProperties, file)
    return 1 + file.packedBytes / BYTES_AS_A_FILE + meanings.kinds / KINDS_AS_A_FILE
  }

  /**
   * Adds the uses of a file that the imported index has. A use that our own index lacks, for example inside a macro,
   * may or may not be a call, so that it counts as unresolved when calls are searched.
   */
  #addImported(file: FileView, { uses }: FileUses): void {
    const own = Map.groupBy(this.#usesIn(file), ({ line }) => line)
    for (const [line, { target, isImport }] of uses) {
      const flags = isImport ? USE.import : 0
      const [use] = own.get(line) ?? []
      const unseen: Use = { name: this.#name, line, flags, qualifier: null }
      if (use !== undefined || this.#wanted === "uses")
        this.#add(use ?? unseen, file, { definition: target, tie: TIE.certain })
      else if (!isImport && !this.#isRecorded(file, line))
        this.unresolved.push(edgeOf(unseen, file, { tie: TIE.none, target: null }))
    }
  }

  #usesOfProperties(file: FileView): readonly PropertyUse[] {
    return this.#properties.flatMap((each) => usesOfProperty(each, file, this.#graph))
  }

  /** Adds the uses of properties that hold a target; those of a value of unknown type are unresolved. */
  #addProperties(uses: readonly PropertyUse[], file: FileView): void {
    for (const { use, target, tie } of uses) {
      if (isResolved({ tie })) this.#addRenamed([use], file, { definition: target, tie })
      else this.#reportUnresolved(use, file)
    }
  }

  /** Adds the uses of the targets under the names that imports and exports give them. */
  #addOtherNames(file: FileView): void {
    for (const each of this.#otherNames)
      this.#addRenamed(usesOfOtherNames(each, file, this.#graph), file, {
        definition: each.target,
        tie: TIE.certain,
      })
  }

  /** Adds the uses of a target under another name. */
  #addRenamed(uses: readonly Use[], file: FileView, meaning: ResolvedMeaning): void {
    const isWanted = (use: Use) =>
      this.#wanted === "bases"
        ? subtypeOf(use) !== null && this.#heirs?.has(subtypeOf(use)!) !== false
        : this.#wanted === "uses" || mayCall(use.flags, file.family)
    for (const use of uses.filter(isWanted)) this.#add(use, file, meaning)
  }

  /** True when our own index has a use of the name on the line. Used for a line that has no call according to it. */
  #isRecorded(file: FileView, line: number): boolean {
    return file.usesOf(storedName(this.#name)).some((use) => use.line === line)
  }

  #weigh(use: Use, file: FileView, meanings: FileMeanings): void {
    if ((use.flags & USE.template) !== 0) {
      this.#weighName(use, file)
      return
    }
    if (!this.#families.has(file.family)) return
    const outcome = this.#outcomeOf(use, file, meanings)
    const isFollowed = typeof outcome !== "string" && isCertain(outcome.tie)
    // Other code may show that the value before the use has another type.
    if (outcome === "other" || !(isFollowed || this.#receivers.mayHaveMember(asMember(use), file)))
      this.#countOther(use)
    else if (outcome !== "undecided") this.#add(use, file, outcome)
    else if (!isBinding(use)) this.unresolved.push(edgeOf(use, file, { tie: TIE.none, target: null }))
  }

  /** What following a use ends in: a target, something else, or neither. */
  #outcomeOf(use: Use, file: FileView, meanings: FileMeanings): ResolvedMeaning | "other" | "undecided" {
    const exported = this.#all.find((target) => isMemberOfModule(target, use, file, this.#graph))
    if (exported !== undefined) return { definition: exported, tie: TIE.certain }
    const asked = asMember(use)
    // An `extends` clause nearly always refers to one of the types, so it is always decided.
    const isBase = this.#wanted === "bases"
    const tie = meanings.tieTo(asked, this.#sought)
    const isOpen = !isBase && tie !== TIE.none && this.#mightBeMeant(asked, file)
    if (!isOpen && !isResolved({ tie }))
      return !isBase && this.#isDestructured(use, file, meanings) ? "undecided" : "other"
    const best = meanings.of(asked)
    const mine = this.#targetMeant(use, best)
    if (isResolved(mine)) return mine
    const isHidden = isResolved({ tie }) && !isCertain(best[0]?.tie ?? TIE.none)
    const isUndecided = isHidden || ((best[0]?.tie ?? TIE.none) <= TIE.name && isOpen)
    return isUndecided && !isBase ? "undecided" : "other"
  }

  /**
   * True for a JavaScript local variable that was destructured from an object and may hold a target: `open()` after
   * `const { open } = shop`. The variable may have been reassigned before that line.
   */
  #isDestructured(use: Use, file: FileView, meanings: FileMeanings): boolean {
    if (file.family !== "js" || (use.flags & USE.member) !== 0 || isBinding(use)) return false
    const binding = file.usesOf(use.name).find(({ flags }) => (flags & DESTRUCTURED) === DESTRUCTURED)
    if (binding === undefined || binding === use || !isDeclaredNear(use)) return false
    return isResolved(this.#targetAmong(meanings.of(asMember(binding))))
  }

  /** Counts a use that does not refer to a target. */
  #countOther(use: Use): void {
    if (!isBinding(use)) this.#others++
  }

  /** Weighs a use in a template. Only the name connects it with a definition. */
  #weighName(use: Use, file: FileView): void {
    const places = countPlaces(this.#graph.candidatesOf(this.#name).all)
    const [target] = this.#targets.values()
    if (places < 2 && target) this.#add(use, file, { definition: target, tie: TIE.name })
    else this.unresolved.push(edgeOf(use, file, { tie: TIE.none, target: null }))
  }

  /** Reports a use as unresolved, so that it is not lost: the time has run out, or the type of its value is unknown. */
  #reportUnresolved(use: Use, file: FileView): void {
    const named = use.name === storedName(this.#name) ? {} : { name: use.name }
    if (this.#wanted !== "bases")
      this.unresolved.push(edgeOf(use, file, { tie: TIE.none, target: null, ...named }))
  }

  #usesIn(file: FileView): readonly Use[] {
    if (this.#wanted === "bases") return this.#basesIn(file)
    const uses = file.usesOf(storedName(this.#name))
    return this.#wanted === "uses" ? uses : uses.filter(({ flags }) => mayCall(flags, file.family))
  }

  #basesIn(file: FileView): readonly Use[] {
    const heirs = this.#heirs
    const uses = file.inheritingOf(this.#name)
    return heirs === null ? uses : uses.filter((use) => heirs.has(subtypeOf(use) ?? ""))
  }

  /** The tie to one of several overloads: certain if all of them are asked for. */
  #ofOverloads(meanings: readonly ResolvedMeaning[]): Tie {
    const isEach = meanings.every(
      (each) => each.isOverload !== true || this.#targets.has(definitionKey(each.definition)),
    )
    return isEach ? TIE.certain : meanings[0]!.tie
  }

  #targetAmong(meanings: readonly ResolvedMeaning[]): ResolvedMeaning | null {
    for (const { definition, tie, isOverload } of meanings) {
      const target = this.#homes.has(definition.file.id)
        ? this.#targets.get(definitionKey(definition))
        : undefined
      if (target) return { definition: target, tie: isOverload ? this.#ofOverloads(meanings) : tie }
      const literal = this.#literals.get(definitionKey(definition))
      if (literal) return { definition: literal.target, tie: Math.min(tie, literal.tie) }
      const prototype = definition.file.family === "c" ? this.#prototypeOf(definition) : undefined
      if (prototype) return { definition: prototype, tie }
    }
    return null
  }

  /** The target that is one function with a definition of C. */
  #prototypeOf(definition: SymbolDefinition): SymbolDefinition | undefined {
    return this.#all.find((each) => isOneFunction(each, definition, this.#graph.definitionsOf(this.#name)))
  }

  /**
   * The target that a use means, from its meanings. The use of an interface's member through a constant also means the
   * target in the object literal of that constant.
   */
  #targetMeant({ qualifier }: Use, meanings: readonly ResolvedMeaning[]): ResolvedMeaning | null {
    const [best] = meanings
    const held = this.#implemented.find(
      ({ definition, target }) => definition.symbol.owner === qualifier && target === best?.definition,
    )
    const inLiteral = held === undefined ? null : { definition: held.definition, tie: best!.tie }
    return this.#targetAmong(meanings) ?? inLiteral
  }

  #add(use: Use, file: FileView, { definition, tie }: ResolvedMeaning): void {
    const maker = this.#makers.get(definition)
    const named = use.name === storedName(this.#name) ? {} : { name: use.name }
    if (!maker) this.edges.push(edgeOf(use, file, { tie, target: definition, ...named }))
    else if ((use.flags & USE.call) !== 0 && (use.args === 1 || !isSetAlone(maker, this.#graph)))
      this.edges.push(edgeOf(use, file, { tie, target: maker, name: use.name }))
  }

  /**
   * True when a use that cannot be resolved may refer to a target. A target with an owner can be used as a member or by
   * its name alone; a target without an owner only by its name. False for local variables and their bindings, and for a
   * member of a value whose declared type is not the target's.
   */
  #mightBeMeant(use: Use, file: FileView): boolean {
    const { flags, qualifier } = use
    if (isBinding(use)) return false
    const isMember = (flags & USE.member) !== 0
    if (!isMember && isDeclaredNear(use)) return false
    // `shop.open()` may call the function `open` of the module `shop`, not a method.
    const mayBeModule = (name: string) => file.modulesOf(name).length > 0 || !followsImports(file.family)
    const isModules = isMember && isNamed(qualifier) && mayBeModule(qualifier)
    const isBare = nameRules(file.family).namesOwners !== true
    const isAlone = (target: SymbolDefinition) =>
      isOfInnerModule(target) || isNamedAlone(target, use.line, file, this.#graph.types)
    return [...this.#targets.values()].some((target) => {
      if (target.symbol.owner !== null) return isMember || flags === 0 || isBare || isAlone(target)
      const isAnonymous = isAnonymousField(target.symbol) || isAnonymousMethod(target.symbol)
      return !isMember || isModules || isAnonymous || isReturned(target) || mayBeKey(use, file, target)
    })
  }
}

/**
 * True for a key in a literal of Go that may be a constant of the same package: if the type before the literal is a map, its
 * keys are values and no fields.
 */
function mayBeKey(use: Use, file: FileView, { symbol, file: home }: SymbolDefinition): boolean {
  const { flags, qualifier, path } = use
  if (file.family !== "go" || home.folder !== file.folder || qualifier !== null) return false
  const isValue = symbol.kind === "constant" || symbol.kind === "variable"
  return isValue && (flags & USE.member) !== 0 && path?.startsWith(":") === true
}

/**
 * True for a C function and its prototype, by which other files know it. If several definitions have the name, only
 * those in the nearest folder count, because a repository may contain two programs with functions of the same name.
 */
function isOneFunction(
  one: SymbolDefinition,
  other: SymbolDefinition,
  all: readonly SymbolDefinition[],
): boolean {
  const isSame = ({ symbol }: SymbolDefinition) =>
    symbol.kind === "function" && symbol.owner === other.symbol.owner && other.symbol.kind === "function"
  if (!isSame(one) || !(isHeader(one) || isHeader(other))) return false
  const near = sharedLength(one.file, other.file)
  return all.every(
    (each) =>
      !isSame(each) || isHeader(each) !== isHeader(one) || sharedLength(each.file, other.file) <= near,
  )
}

function isHeader({ file }: SymbolDefinition): boolean {
  return /\.(?:h|hh|hpp|hxx)$/.test(file.path)
}

/** Flags of a name in a destructuring pattern: `const { name } = value`. */
const DESTRUCTURED = USE.declares | USE.member

function isAmong({ name, line, flags }: Use, uses: readonly PropertyUse[]): boolean {
  return uses.some(({ use }) => use.line === line && use.flags === flags && use.name === name)
}

/** True for the binding of a local variable, which is not a use of a definition. */
function isBinding({ flags }: Use): boolean {
  return (flags & (USE.declares | USE.member)) === USE.declares
}
