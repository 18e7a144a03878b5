/**
 * Resolves a use of a name to definitions. In order: take the candidates with this name (candidate-definitions.ts);
 * drop those that are not visible at the use or of the wrong kind (meanings.ts); follow the chain from the use to each, for
 * a name after a dot by `memberTie` in this file, otherwise by `plainTie` (meanings.ts); return those with the greatest
 * tie.
 */

import { arityOf, hasImplicitThis, importsNames, USE, type Use } from "../parse/index.ts"
import type { SymbolRow } from "../store/index.ts"
import { type Candidates, namedAfter, plainName } from "./candidate-definitions.ts"
import { isCertain, TIE, type Tie } from "./certainty.ts"
import {
  isAnonymousField,
  isAnonymousMethod,
  isCallable,
  isConstructor,
  isImportedType,
  isNamed,
  isSelfReference,
  isType,
  isWithin,
  type SymbolDefinition,
} from "./definition.ts"
import type { FileView } from "./file-view.ts"
import { followsImports } from "./imports.ts"
import {
  enclosingFunction,
  hasBlocks,
  inNearestBlock,
  isGlobalType,
  isHiddenFrom,
  isInScope,
  isNamedAlone,
  isOfInnerModule,
  isReturned,
  MeaningContext,
  ownedByName,
  plainTie,
} from "./meanings.ts"
import { includes, type Names } from "./names.ts"
import type { Types } from "./types.ts"
import { namespaceOf } from "./whole-names.ts"

/**
 * A definition that a use may refer to. `isOverload`: one of several overloads, of which the types of
 * the arguments choose one.
 */
export type ResolvedMeaning = {
  readonly definition: SymbolDefinition
  readonly tie: Tie
  readonly isOverload?: true
}

/** The definitions that a use most likely refers to. */
function likeliestMeanings(
  use: Use,
  file: FileView,
  candidates: Candidates,
  types: Types,
): readonly ResolvedMeaning[] {
  const isMember = (use.flags & USE.member) !== 0
  const isFree = isMember || hasImplicitThis(file.family)
  // Counts the places of all definitions of the name: if there are many, `weighed` contains only the likely ones.
  const places = () => candidates.places(file.family, isFree)
  const mayStandAlone = (candidate: SymbolDefinition) =>
    candidate.symbol.owner === null ||
    isType(candidate.symbol) ||
    isOfInnerModule(candidate) ||
    isNamedAlone(candidate, use.line, file, types)
  const weighed = (all: readonly SymbolDefinition[]) => {
    const possible = all.filter((candidate) => {
      const { symbol } = candidate
      if (!acceptsCall(candidate, use)) return false
      if (!isFree && !mayStandAlone(candidate)) return false
      if (isMember && isReturned(candidate)) return true
      if (candidate.file.id === file.id) return isInScope(candidate, use, file)
      return symbol.local === 0 && (use.flags & USE.inner) === 0 && !isHiddenFrom(candidate, file)
    })
    const inScope = inNearestBlock(ofFittingKind(possible, use, file), use, file)
    const context = new MeaningContext(use, file, types, inScope, places)
    const tieOf = isMember ? memberTie : plainTie
    const ties = shareAmongOverloads(inScope, (definition) => tieOf(definition, context))
    return ofOneIdentity(likeliest(inScope, ties, file), types.names)
  }
  const likely = isMember || ownedByName(use, file) ? null : candidates.likely(use, file, types)
  if (likely !== null && !likely.some(({ symbol }) => isConstructor(symbol))) {
    const meanings = weighed(likely)
    if (isResolved(meanings[0])) return meanings
  }
  return weighed(candidates.for(use, file, types))
}

/** False for a use whose best meaning shares only the name with it, as others do. */
export function isResolved(best: Pick<ResolvedMeaning, "tie"> | undefined | null): best is ResolvedMeaning {
  return (best?.tie ?? TIE.none) > TIE.shared
}

/**
 * The greatest tie of a use to one of the targets. Only they are weighed: other definitions of the name can make it less
 * likely that a target is meant, but none of them makes it likelier.
 */
function greatestTie(use: Use, file: FileView, { candidates, types, targets }: MayMean): Tie {
  const isMember = (use.flags & USE.member) !== 0
  const isFree = isMember || hasImplicitThis(file.family)
  const places = () => candidates.places(file.family, isFree) ?? 1
  const context = new MeaningContext(use, file, types, targets, places)
  const tieOf = isMember ? memberTie : plainTie
  const ties = targets
    .filter((target) => target.file.family === file.family)
    .map((target) => (acceptsCall(target, use) ? tieOf(target, context) : TIE.shared))
  return Math.max(TIE.none, ...ties)
}

type MayMean = {
  readonly candidates: Candidates
  readonly types: Types
  readonly targets: readonly SymbolDefinition[]
}

/** False for a call with another number of arguments than the function takes, and for a member after C++'s bare `::`. */
function acceptsCall({ symbol, file }: SymbolDefinition, { args, flags }: Use): boolean {
  if ((flags & USE.global) !== 0 && symbol.owner !== null && !isConstructor(symbol)) return false
  if (args === undefined || !isCallable(symbol)) return true
  const arity = arityOf(symbol.name, symbol.signature, file.language)
  return arity === null || (arity.min <= args && args <= arity.max)
}

/** Gives all overloads, which directly follow each other, the same tie. */
function shareAmongOverloads(
  definitions: readonly SymbolDefinition[],
  tieOf: (definition: SymbolDefinition) => Tie,
): Tie[] {
  let last: SymbolDefinition | null = null
  let tie: Tie = TIE.none
  return definitions.map((each) => {
    if (last === null || !haveOnePlace(last, each)) tie = tieOf(each)
    last = each
    return tie
  })
}

function haveOnePlace(one: SymbolDefinition, other: SymbolDefinition): boolean {
  return (
    one.file === other.file &&
    one.symbol.owner === other.symbol.owner &&
    one.symbol.kind === other.symbol.kind &&
    one.symbol.local === other.symbol.local
  )
}

/**
 * The definitions whose kind fits the use. A TypeScript type may have the same name as a value, and only the value can
 * be called; a constructor can only be called.
 */
function ofFittingKind(
  possible: readonly SymbolDefinition[],
  { flags }: Use,
  file: FileView,
): readonly SymbolDefinition[] {
  const isCall = (flags & USE.call) !== 0
  if (isCall && file.family !== "js") return possible
  const isFitting = ({ symbol }: SymbolDefinition) =>
    isCall ? symbol.kind !== "interface" && symbol.kind !== "type" : !isConstructor(symbol)
  if (possible.every(isFitting)) return possible
  const some = possible.filter(isFitting)
  return some.length > 0 ? some : possible
}

/**
 * Language families in which a name refers to definitions in one file: if several files are equally likely, none of
 * them is certain.
 */
const ONE_FILE = /^(?:js|python|rust)$/

/**
 * The definitions with the greatest tie. Several definitions may share it, such as overloads, or a prototype and its
 * definition. Where a name refers to one file only, candidates in several files are tied by their name.
 */
function likeliest(
  definitions: readonly SymbolDefinition[],
  ties: readonly Tie[],
  file: FileView,
): readonly ResolvedMeaning[] {
  const tie = ties.reduce((one, other) => Math.max(one, other), TIE.none)
  if (tie === TIE.none) return []
  const best = definitions.flatMap((definition, at) => (ties[at] === tie ? [{ definition, tie }] : []))
  // Declarations of one global interface are merged.
  if (best.length > 0 && best.every(({ definition }) => isGlobalType(definition)))
    return definitions.filter(isGlobalType).map((definition) => ({ definition, tie }))
  if (isCertain(tie) || !ONE_FILE.test(file.family)) return best
  const others = best.filter(({ definition }) => !isImportedType(definition.symbol))
  if (new Set(others.map(({ definition: { file: of, symbol } }) => `${of.id} ${symbol.owner}`)).size < 2)
    return best
  return best.map(({ definition }) => ({ definition, tie: tie > TIE.similar ? TIE.name : TIE.shared }))
}

/** The meanings, which are only certain if all of them are one thing. */
function ofOneIdentity(best: readonly ResolvedMeaning[], names: Names): readonly ResolvedMeaning[] {
  if (best.length < 2 || !isCertain(best[0]!.tie)) return best
  const own = best.filter(({ definition }) => !isImportedType(definition.symbol))
  const isOne = new Set(own.map(({ definition }) => names.keyOf(definition))).size < 2
  const rivals = best.filter(({ definition }) => isCallable(definition.symbol) && isOverloaded(definition))
  if (isOne && rivals.length < 2) return best
  return best.map((each): ResolvedMeaning => {
    if (!isOne) return { ...each, tie: TIE.open }
    return rivals.includes(each) ? { ...each, tie: TIE.open, isOverload: true } : each
  })
}

/** True in languages in which each definition of a name in a type is a function of its own. */
function isOverloaded({ symbol, file }: SymbolDefinition): boolean {
  if (!OVERLOADS.has(file.language)) return false
  // Several traits, or one with other type arguments, may give a type of Rust members of one name.
  if (file.language === "rust") return symbol.owner !== null
  return file.language !== "cpp" || isWithinOwner(symbol, file)
}

const OVERLOADS: ReadonlySet<string> = new Set("java kotlin csharp scala groovy swift cpp rust".split(" "))

/** True for a member in the body of its class, not for its definition outside. */
function isWithinOwner(symbol: SymbolRow, file: FileView): boolean {
  const owner = symbol.owner === null ? null : file.outline.ownerOf(symbol)
  return owner !== null && isWithin(symbol, owner)
}

/** Length of the leading folders that both paths share, in characters. */
export function sharedLength({ path }: FileView, { path: other }: FileView): number {
  let at = 0
  while (at < path.length && path[at] === other[at]) at++
  return at < path.length ? path.lastIndexOf("/", at - 1) + 1 : at
}

/** The tie of a name after a dot, an arrow or two colons to a definition. */
function memberTie(definition: SymbolDefinition, context: MeaningContext): Tie {
  const { use } = context
  const { owner } = definition.symbol
  if (namespaceOf(definition) !== null)
    return (isPath(use.path ?? use.qualifier) && moduleLeadTie(definition.symbol, context)) || TIE.shared
  return owner === null ? ownerlessTie(definition, context) : ownedMemberTie(definition, owner, context)
}

/** The tie of a member to a definition without an owner. */
function ownerlessTie(definition: SymbolDefinition, context: MeaningContext): Tie {
  const { symbol, file } = definition
  if (isAnonymousField(symbol)) return file.family === "js" ? TIE.shared : context.ifAlone(TIE.name)
  if (isAnonymousMethod(symbol) && file.family === "js")
    return context.declared === null
      ? context.ifAlone(file.id === context.file.id ? TIE.unknown : TIE.name)
      : TIE.shared
  if (isReturned(definition)) return returnedFunctionTie(definition, context)
  return isMemberOfTyped(context) ? TIE.shared : moduleMemberTie(definition, context)
}

/**
 * True for a member of an imported value of JavaScript whose type is known: it has the members of its type, not what its
 * module defines. A class of the name may be a namespace: `import * as Cart from "./cart"`.
 */
function isMemberOfTyped({ use, file, declared }: MeaningContext): boolean {
  const { qualifier } = use
  if (file.family !== "js" || declared === null || !isName(qualifier) || declared.has(qualifier)) return false
  return file.modulesOf(qualifier).length > 0
}

/**
 * The tie to a function that another function returns in an object: certain when the object comes from a call of that
 * function.
 */
function returnedFunctionTie(definition: SymbolDefinition, context: MeaningContext): Tie {
  const { use, file } = context
  const { symbol, file: home } = definition
  const around = enclosingFunction(symbol, home)
  if (use.path?.startsWith("<"))
    return file.id === home.id && isInScope(definition, use, file) ? TIE.certain : TIE.shared
  if (context.declared !== null) return TIE.shared
  const bound = use.path == null && isName(use.qualifier) ? file.boundBefore(use.qualifier, use.line) : null
  const path = use.path ?? bound?.qualifier ?? null
  if (around !== null && path !== null && `.${path}`.endsWith(`.${around.name}()`)) {
    const { end, definitions } = context.types.names.global(around.name, file)
    return end === "certain" && definitions.some((each) => each.file.id === home.id) ? TIE.certain : TIE.open
  }
  return context.ifAlone(context.types.names.knows(file, home) ? TIE.unknown : TIE.name)
}

/** The tie to a function or type after the name of its module, as in `module.name`. */
function moduleMemberTie({ symbol, file: home }: SymbolDefinition, context: MeaningContext): Tie {
  const { use } = context
  const { qualifier } = use
  if (!isName(qualifier)) return TIE.shared
  const isSelf = isSelfReference(qualifier)
  const mayLead = isSelf || (isPath(use.path ?? null) && (use.flags & USE.local) === 0)
  const byLead = mayLead ? moduleLeadTie(symbol, context) : null
  if (byLead !== null) return byLead
  if (isSelf) return home.id === context.file.id ? TIE.name : TIE.shared
  return pathTie({ symbol, file: home }, mayLead, context)
}

/** The tie to a definition behind a path that could not be followed. */
function pathTie({ symbol, file: home }: SymbolDefinition, mayLead: boolean, context: MeaningContext): Tie {
  const { use, file, types } = context
  const written = `${use.path ?? use.qualifier}.${use.name}`
  if (`.${symbol.name}`.endsWith(`.${written}`)) return written === symbol.name ? TIE.certain : TIE.open
  if (mayLead && !followsImports(file.family))
    return types.names.knows(file, home) ? TIE.open : context.ifAlone(TIE.name)
  const isUnknown = !isType(symbol) || isMemberOfValue(context) || importsNames(file.family)
  return isUnknown ? TIE.shared : context.ifAlone(TIE.name)
}

/** The tie by what the name leads to in the module before it; null if that is not known. */
function moduleLeadTie(symbol: SymbolRow, { use, file, types }: MeaningContext): Tie | null {
  const lead = types.names.member(use.path ?? use.qualifier!, use.name, file, use.line)
  if (lead.isByName || !includes(lead.definitions, symbol)) return lead.end === "open" ? null : TIE.none
  return lead.end === "open" ? TIE.open : TIE.certain
}

/** True for a path of names alone, without `this`, calls and elements. */
function isPath(path: string | null): boolean {
  return path === null || (/^\??[\w$.]+$/.test(path) && !path.startsWith("this."))
}

/**
 * True for a member of a value in languages whose types are never members of values: C's `conn->protocol` is a field,
 * and Go's `s.screen.Position()` a method, whatever types have these names.
 */
function isMemberOfValue({ use, file }: MeaningContext): boolean {
  if (file.language === "c" || file.family === "go") return true
  return file.language === "cpp" && (use.path ?? null) !== null && /[.()[\]]|^this$/.test(use.path!)
}

/** The tie of a member to a definition with an owner. */
function ownedMemberTie(definition: SymbolDefinition, owner: string, context: MeaningContext): Tie {
  const { qualifier } = context.use
  if (isSelfReference(qualifier)) return selfMemberTie(definition, owner, context)
  const { file } = context
  const home = definition.file
  const byPath = context.pathTie(definition)
  if (byPath !== null) return byPath
  if (file.family === "lua" && isName(qualifier)) return luaTableTie(definition, owner, context)
  const byName = ownerNameTie(definition, owner, context)
  if (byName !== null) return byName
  const byType = qualifierTie(definition, owner, context)
  if (byType !== null) return byType
  const knows = context.types.names.knows(file, home) || file.modulesOf(owner).length > 0
  // Object literals and destructuring may contain any name, so a field of that name proves little.
  const isKnownAccess =
    knows && (qualifier !== null || (!context.use.path && (context.use.flags & USE.declares) === 0))
  if (file.family === "js" && isField(definition) && !isKnownAccess) return TIE.shared
  return context.ifAlone(knows ? TIE.unknown : TIE.name)
}

/** The tie by the owner's name before the dot; null when the name is another one, or is declared as another type. */
function ownerNameTie(definition: SymbolDefinition, owner: string, context: MeaningContext): Tie | null {
  const { qualifier } = context.use
  const { use, types } = context
  if (use.path === owner) return TIE.certain
  const isRenamed = isName(qualifier) && types.originalNames(qualifier, context.file).includes(owner)
  if (qualifier !== owner) return isRenamed ? TIE.open : null
  // A local variable of that name is no type.
  if ((use.flags & USE.local) !== 0 || isGoField(context)) return null
  if (isDeclaredAsOtherType(owner, context)) return null
  if (isBoundValue(context)) return null
  const { names } = types
  let lead = names.type(qualifier, outerOf(use), context.file, use.line)
  if (lead.end === "open") lead = names.global(qualifier, context.file)
  if (lead.end === "open") return TIE.open
  const level = names.lineage(lead.definitions).levels.get(names.ownerOf(definition))
  return level === undefined ? TIE.none : TIE.certain - level
}

/** True if the name before the dot is bound to a value whose path is known. */
function isBoundValue({ use, file }: MeaningContext): boolean {
  return use.path == null && isName(use.qualifier) && file.boundBefore(use.qualifier, use.line) !== null
}

/** The names before the qualifier of a use, as `time` in `time.Duration.add`; null if there is none. */
function outerOf({ path }: Use): string | null {
  return /([\w$.]*[\w$])\.[\w$]+$/.exec(path ?? "")?.[1] ?? null
}

/**
 * True if the name before the dot is a field of a Go value, as in `r.opts.Progress.Add()`, and no type: a type has
 * only the name of its package before it.
 */
function isGoField({ use, file }: MeaningContext): boolean {
  if (file.family !== "go" || use.path == null || !/^\w+(?:\.\w+)+$/.test(use.path)) return false
  const [head, ...rest] = use.path.split(".")
  return rest.length > 1 || file.modulesNamed(head!).length === 0
}

/**
 * True when `shop` is declared as another type: in JavaScript `shop.open = () => …` defines a function whose owner is
 * `shop`, which does not hide the method of the type.
 */
function isDeclaredAsOtherType(owner: string, context: MeaningContext): boolean {
  return (
    context.file.family === "js" &&
    /^\p{Ll}/u.test(owner) &&
    context.declared !== null &&
    !context.isDeclared(owner)
  )
}

/**
 * The tie to a member of a Lua table by the name before the dot. The table has its own name in its file; elsewhere, a table
 * of that name may be a global.
 */
function luaTableTie({ file: home }: SymbolDefinition, owner: string, context: MeaningContext): Tie {
  const { use, file } = context
  const { qualifier } = use
  if (home.id === file.id && qualifier === owner) return TIE.certain
  if (qualifier !== owner) return namedAfter(plainName(qualifier!), owner) || context.ifAlone(TIE.name)
  return file.symbols.some(({ name, owner: of }) => of === owner || name === owner)
    ? TIE.none
    : context.ifAlone(TIE.similar)
}

/** True for data, whose names are less distinctive than those of functions and types. */
function isField({ symbol }: SymbolDefinition): boolean {
  return !isCallable(symbol) && !isType(symbol)
}

function isName(qualifier: string | null): qualifier is string {
  return qualifier !== null && qualifier !== "?"
}

/** The tie by the declared type of the qualifier, else by its name; null when neither says anything. */
function qualifierTie(member: SymbolDefinition, owner: string, context: MeaningContext): Tie | null {
  const { declared, use } = context
  if (declared === null) return (isName(use.qualifier) && namedAfter(plainName(use.qualifier), owner)) || null
  const tie = context.declaredTie(member)
  return tie <= TIE.shared && context.isAbove(member, declared) ? TIE.unknown : tie
}

/**
 * The tie to a member after `this` and similar words: it belongs to the enclosing type, or to one that the enclosing type
 * extends.
 */
function selfMemberTie(member: SymbolDefinition, owner: string, context: MeaningContext): Tie {
  const { around, use } = context
  const level = context.levelAround(member)
  if (level !== null && (level > 0 || use.qualifier !== "super")) return TIE.certain - level
  return around !== null && around !== owner && context.isAround(owner) ? TIE.unknown : TIE.shared
}

/** Cached results for a group of uses that must all have the same meaning. */
type CachedMeanings = { meanings: readonly ResolvedMeaning[] | null; tie: Tie | null }

/**
 * Resolves the uses of one name in one file. Uses that must have the same meaning are resolved once. These have the
 * same flags and qualifier, see the same definitions of the file, and have the same enclosing type or, with a name
 * before the dot, the same declared type of that name.
 */
export class FileMeanings {
  readonly #file: FileView
  readonly #candidates: Candidates
  readonly #types: Types
  readonly #known = new Map<string, CachedMeanings>()
  #last: { readonly use: Use; readonly known: CachedMeanings } | null = null
  #kinds = 0
  /** The lines on which definitions of the name begin in the file. */
  readonly #ownLines: ReadonlySet<number>
  /** True when the file defines the name several times, so that the line of a use decides which definition it means. */
  readonly #hasBlocks: boolean
  /** True when some of these definitions are inside functions and visible only in them. */
  readonly #hasLocals: boolean
  /** Lines in ascending order. All uses between two of these lines see the same definitions of the file. */
  readonly #borders: readonly number[]

  constructor(file: FileView, candidates: Candidates, types: Types) {
    this.#file = file
    this.#candidates = candidates
    this.#types = types
    const own = candidates.inFile(file.id)
    this.#ownLines = new Set(own.map(({ symbol }) => symbol.startLine))
    this.#hasBlocks = own.length > 1 && hasBlocks(file.family)
    this.#hasLocals = own.some(({ symbol }) => symbol.local !== 0)
    this.#borders = this.#hasBlocks || this.#hasLocals ? bordersOf(own, file) : []
  }

  /** Number of groups of uses, found so far, that may differ in meaning. */
  get kinds(): number {
    return this.#kinds
  }

  of(use: Use): readonly ResolvedMeaning[] {
    const known = this.#cacheEntryOf(use)
    known.meanings ??= likeliestMeanings(use, this.#file, this.#candidates, this.#types)
    return known.meanings
  }

  /**
   * The greatest tie of a use to one of the targets. This is faster than `of`, because it does not weigh all definitions of
   * the name. Every call must pass the same targets.
   */
  tieTo(use: Use, targets: readonly SymbolDefinition[]): Tie {
    const known = this.#cacheEntryOf(use)
    const given = { candidates: this.#candidates, types: this.#types, targets }
    known.tie ??= greatestTie(use, this.#file, given)
    return known.tie
  }

  /**
   * The cache entry for a use. The last one is remembered, because callers call `tieTo` and then `of` with the same
   * use.
   */
  #cacheEntryOf(use: Use): CachedMeanings {
    if (this.#last?.use === use) return this.#last.known
    const around = this.#around(use)
    const key = around === null ? null : `${use.flags} ${use.path ?? use.qualifier} ${use.args} ${around}`
    let known = key === null ? undefined : this.#known.get(key)
    if (known === undefined) {
      known = { meanings: null, tie: null }
      this.#kinds++
      if (key !== null) this.#known.set(key, known)
    }
    this.#last = { use, known }
    return known
  }

  /** A key for the surroundings that may affect the meaning of a use; null when every line may differ. */
  #around(use: Use): string | null {
    const { flags, qualifier, line } = use
    const isMember = (flags & USE.member) !== 0
    const hasValue = isMember && ((use.path ?? null) !== null || isNamed(qualifier))
    if (hasValue && this.#hasBlocks) return null
    const seen = this.#borders.length === 0 ? 0 : this.#borders.findLastIndex((border) => border <= line)
    if (hasValue) return `${seen} ${this.#declaredAs(use)}`
    if (isMember)
      return isSelfReference(qualifier) ? `${seen} ${this.#file.outline.enclosingType(line)}` : `${seen}`
    // A local variable hides a definition of the file and, without `this`, a member.
    const inModule = this.#file.family === "rust" ? this.#file.outline.moduleAround(line, line) : null
    if (this.#ownLines.has(line)) return null
    if (this.#ownLines.size === 0 && !hasImplicitThis(this.#file.family) && inModule === null) return ""
    // Only the template of a component, outside of its functions, names the methods of the component alone.
    const around = this.#file.language === "vue" ? this.#file.outline.around(line) : inModule
    return `${seen} ${around?.startLine} ${this.#file.outline.enclosingType(line)}`
  }

  #declaredAs(use: Use): string {
    const declared = this.#types.declared(use, this.#file)
    return declared === null
      ? ""
      : [...declared].map(([type, { files }]) => `${type} ${files.map(({ id }) => id)}`).join()
  }
}

/**
 * Lines at which the visible definitions may change: the first line of each definition and, for a definition inside a
 * function, the function's first line and the line after its end.
 */
function bordersOf(own: readonly SymbolDefinition[], file: FileView): number[] {
  const lines = own.flatMap(({ symbol }) => {
    const around = symbol.local === 0 ? null : enclosingFunction(symbol, file)
    return [symbol.startLine, ...(around === null ? [] : [around.startLine, around.endLine + 1])]
  })
  return lines.sort((one, other) => one - other)
}
