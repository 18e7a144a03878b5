import { DECLARED_GLOBAL, importsNames, USE, type Use, WITHOUT_OPTIONS } from "../parse/index.ts"
import type { OutlineRow, SymbolRow } from "../store/index.ts"
import { countPlaces } from "./candidate-definitions.ts"
import { TIE, type Tie } from "./certainty.ts"
import {
  isAnonymousMethod,
  isAssociatedType,
  isCallable,
  isConstructor,
  isImportedType,
  isSelfReference,
  isType,
  isWithin,
  type SymbolDefinition,
} from "./definition.ts"
import { AROUND, type FileView } from "./file-view.ts"
import { followsImports } from "./imports.ts"
import { HEADER, includes, type Lead, type Lineage } from "./names.ts"
import type { Types } from "./types.ts"
import { type Declared, memberTie } from "./values.ts"
import { namespaceOf } from "./whole-names.ts"

/** A use, with facts that the comparison with several candidates needs; each is computed once. */
export class MeaningContext {
  readonly use: Use
  readonly file: FileView
  readonly types: Types
  readonly #inScope: readonly SymbolDefinition[]
  readonly #places: () => number | null
  #isAlone: boolean | null = null
  #declared: Declared | null | undefined
  #around: string | null | undefined
  #owners: ReadonlySet<string> | null = null
  #lineAround: Lineage | null | undefined
  #ownersAround: ReadonlySet<string> | null = null

  constructor(
    use: Use,
    file: FileView,
    types: Types,
    inScope: readonly SymbolDefinition[],
    places: () => number | null,
  ) {
    this.use = use
    this.file = file
    this.types = types
    this.#inScope = inScope
    this.#places = places
  }

  /** This tie if only one place of the project defines the name. */
  ifAlone(tie: Tie): Tie {
    this.#isAlone ??= (this.#places() ?? countPlaces(this.#inScope)) === 1
    return this.#isAlone ? tie : TIE.shared
  }

  /** The declared types of the value before the dot; null when no declaration states them. */
  get declared(): Declared | null {
    if (this.#declared === undefined) this.#declared = this.types.declared(this.use, this.file)
    return this.#declared
  }

  /** The type that encloses the use, or that owns the enclosing method; null when there is none. */
  get around(): string | null {
    if (this.#around === undefined) this.#around = this.file.outline.enclosingType(this.use.line)
    return this.#around
  }

  /** The modules that the name is imported from where it is used. */
  get imported(): readonly string[] {
    return this.file.modulesOf(this.use.name)
  }

  /** The tie by what the name leads to after the path before it; null if that is not known. */
  pathTie({ symbol }: SymbolDefinition): Tie | null {
    const { use, file } = this
    const path = use.path ?? use.qualifier ?? ""
    if (!/^[?:]?[\w$]+(?:\.[\w$]+)*$/.test(path) || isSelfReference(use.qualifier)) return null
    if ((use.flags & USE.local) !== 0) return null
    const { end, definitions } = this.types.names.member(path, use.name, file, use.line)
    if (end === "outside") return TIE.none
    if (end === "open" || !followsImports(file.family)) return null
    return includes(definitions, symbol) ? TIE.certain : TIE.none
  }

  /** True when the declared type of the value before the dot is this type, or one that extends it. */
  isDeclared(owner: string): boolean {
    this.#owners ??= this.#lineagesOf(this.declared?.keys() ?? [])
    return this.#owners.has(owner)
  }

  /** The tie of a member to the declared types of the value before the dot. */
  declaredTie(member: SymbolDefinition): Tie {
    return this.declared === null ? TIE.none : memberTie(this.declared, member, this.types.names)
  }

  /** The type around the use with the types that it extends; null if there is none. */
  get lineAround(): Lineage | null {
    if (this.#lineAround === undefined)
      this.#lineAround = this.types.names.lineAround(this.file, this.use.line)
    return this.#lineAround
  }

  /** True if the name of a type, where the use is, leads to the owner of a member. */
  isNamedOwner(member: SymbolDefinition, type: string): boolean {
    const { names } = this.types
    const { end, definitions } = names.type(type, null, this.file, this.use.line)
    return end === "certain" && names.lineage(definitions).levels.has(names.ownerOf(member))
  }

  /** The steps from the type around the use to the owner of a member; null if the member is not of these types. */
  levelAround(member: SymbolDefinition): number | null {
    return this.lineAround?.levels.get(this.types.names.ownerOf(member)) ?? null
  }

  /** What the name of the use leads to as a name without an owner, or as the name of a type. */
  lead({ symbol }: SymbolDefinition): Lead {
    const { names } = this.types
    const { use, file } = this
    if ((use.flags & USE.import) !== 0 && use.qualifier !== null && (use.flags & USE.call) === 0)
      return names.imported(use.name, [use.qualifier], file, use.line)
    return isType(symbol) || isConstructor(symbol)
      ? names.type(use.name, null, file, use.line)
      : names.global(use.name, file, use.line)
  }

  /** True when the enclosing type is `owner` or extends it. */
  isAround(owner: string): boolean {
    this.#ownersAround ??= this.#lineagesOf(this.around === null ? [] : [this.around])
    return this.#ownersAround.has(owner)
  }

  /**
   * True when the owner of a member extends or implements one of the declared types: a call on a value of the declared
   * type may then reach the member.
   */
  isAbove({ symbol, file }: SymbolDefinition, types: Declared): boolean {
    const { names } = this.types
    const some = [...types].filter(([type]) => this.types.heirsOf(type).has(symbol.owner!))
    const line = some.length === 0 ? null : names.lineAround(file, symbol.startLine)
    const leads = some.flatMap(([, naming]) => naming.leads)
    const isBase = (each: SymbolDefinition) => line?.levels.has(names.identityOf(each)) === true
    return line?.isOpen === true || leads.some((lead) => lead.end === "open" || lead.definitions.some(isBase))
  }

  #lineagesOf(types: Iterable<string>): ReadonlySet<string> {
    const lines = Array.from(types, (type) => this.types.lineageOf(type, this.file))
    return lines.length === 1 ? lines[0]! : new Set(lines.flatMap((line) => [...line]))
  }
}

/** The tie of a name without a qualifier to a definition. */
export function plainTie(definition: SymbolDefinition, context: MeaningContext): Tie {
  const { use, file } = context
  const { symbol } = definition
  // A local variable hides all definitions.
  if (isDeclaredNear(use) || isAssociatedType(definition)) return TIE.none
  const isImport = (use.flags & (USE.import | USE.call)) === USE.import
  if (namespaceOf(definition) !== null) return leadTie(definition, context)
  if (symbol.owner !== null && !isConstructor(symbol) && !isNestedType(definition))
    return ownedTie(definition, context)
  const isInner = file.family === "rust" && file.outline.isInModule(use.line)
  const isOwn = definition.file.id === file.id && !isImport && !isInner
  if (isOwn && (symbol.owner === null || context.lead(definition).end !== "certain"))
    return ownTie(definition, context)
  if (!isOwn && isHiddenNestedType(definition, context)) return isImport ? TIE.none : TIE.shared
  return leadTie(definition, context)
}

/** True for one of these definitions, and for a constructor of one of these types. */
function isAmong(
  definition: SymbolDefinition,
  all: readonly SymbolDefinition[],
  { types: { names } }: MeaningContext,
): boolean {
  if (!isConstructor(definition.symbol)) return includes(all, definition.symbol)
  return all.some((each) => names.identityOf(each) === names.ownerOf(definition))
}

/** The tie to a definition of another file, by what the name leads to. */
function leadTie(definition: SymbolDefinition, context: MeaningContext): Tie {
  const { end, definitions, isByName } = context.lead(definition)
  if (end === "certain") return isAmong(definition, definitions, context) ? TIE.certain : TIE.shared
  if (end === "outside") return TIE.none
  const { use, imported } = context
  const isImport = (use.flags & (USE.import | USE.call)) === USE.import
  if (isByName && !isImport && imported.length === 0) return byNameTie(definition, context)
  return includes(definitions, definition.symbol) ? TIE.open : TIE.shared
}

/** The tie to a definition with which only the name connects a use. */
function byNameTie(definition: SymbolDefinition, context: MeaningContext): Tie {
  const { symbol } = definition
  const { use, file } = context
  if (isGlobalType(definition)) return TIE.open
  // A component that is registered for the whole project needs no import.
  if (importsNames(file.family) && symbol.kind !== "macro")
    return symbol.kind === "component" && (use.flags & USE.call) !== 0
      ? context.ifAlone(TIE.similar)
      : TIE.shared
  return isExplicit(symbol, context) ? context.ifAlone(TIE.name) : TIE.shared
}

/** The tie of a name to a definition without an owner in its own file. */
function ownTie({ symbol }: SymbolDefinition, { use, file, imported }: MeaningContext): Tie {
  if (file.family === "js" && isAnonymousMethod(symbol)) {
    // Only the template of a component with options names it alone.
    const hasOptions = file.language === "vue" && file.usesOf(WITHOUT_OPTIONS).length === 0
    const around = hasOptions ? file.outline.around(use.line) : symbol
    return around === null || !isCallable(around) ? TIE.local : TIE.none
  }
  const isParameter = file.family === "js" && (use.flags & USE.declares) !== 0
  if (isParameter && !(isImportedType(symbol) && imported.length > 0)) return TIE.shared
  return symbol.local === 0 ? TIE.certain : TIE.local
}

/**
 * True if the definition is a type nested in another type (Java, Kotlin or Scala) and its bare name must mean something
 * else at the use: the use is not inside the outer type or a type that extends it, and its file does not import the
 * nested type.
 */
function isHiddenNestedType({ symbol, file: home }: SymbolDefinition, context: MeaningContext): boolean {
  const { owner } = symbol
  if (owner === null || home.family !== "jvm" || !isType(symbol)) return false
  if (context.around === owner || context.isAround(owner)) return false
  const { file, imported } = context
  if (imported.length > 0)
    return !imported.some(
      (module) => module.endsWith(`.${owner}.${symbol.name}`) || module === `${owner}.${symbol.name}`,
    )
  return !file.imports.some(
    (module) => module === owner || module.replace(/\.[*_]$/, "").endsWith(`.${owner}`),
  )
}

/** True if code on a line may name a member without its owner: it is imported, as by Java's static imports. */
export function isNamedAlone(
  { symbol }: SymbolDefinition,
  line: number,
  file: FileView,
  { names }: Types,
): boolean {
  if (!followsImports(file.family) || isConstructor(symbol)) return false
  const { end, definitions } = names.global(symbol.name, file, line)
  return end === "certain" && includes(definitions, symbol)
}

/** The tie to a method or field that is used without naming its owner. */
function ownedTie({ symbol, file: home }: SymbolDefinition, context: MeaningContext): Tie {
  const { use, file, around } = context
  const owner = symbol.owner!
  if (isNamedAlone({ symbol, file: home }, context.use.line, file, context.types)) return TIE.certain
  if (MODULES.has(file.family)) return moduleFunctionTie({ symbol, file: home }, context)
  if (isOfInnerModule({ symbol, file: home })) return innerModuleTie({ symbol, file: home }, context)
  // A parameter or local variable of that name hides the member, and its type may have that name: `Cart Cart { get; }`.
  const isItsType =
    use.line === symbol.startLine &&
    symbol.signature.split(NAME_END).filter((each) => each === symbol.name).length > 1
  if ((use.flags & USE.declares) !== 0 || around === null || isItsType) return TIE.shared
  const level = context.levelAround({ symbol, file: home })
  if (level !== null) return TIE.member - level
  return around !== owner && context.isAround(owner) ? TIE.unknown : TIE.shared
}

const NAME_END = /[^\p{L}\p{N}_$]+/u

/** The tie of a bare name to a definition of a module inside a file: the use is in that module. */
function innerModuleTie({ symbol, file: home }: SymbolDefinition, context: MeaningContext): Tie {
  const { use, file } = context
  if (home.id !== file.id || (use.flags & USE.declares) !== 0) return TIE.shared
  const { startLine, endLine } = home.outline.moduleAround(symbol.startLine, symbol.endLine)!
  return startLine <= use.line && use.line <= endLine ? TIE.certain : TIE.shared
}

/** True when a name without a qualifier may well refer to a member of a type that does not enclose the use. */
export function ownedByName({ name }: Use, file: FileView): boolean {
  return MODULES.has(file.family) || file.modulesOf(name).length > 0
}

/** Language families in which functions belong to modules that are imported by name. */
const MODULES: ReadonlySet<string> = new Set(["elixir", "fsharp", "julia", "perl", "verilog"])

/** The families among MODULES in which a call has no brackets. */
const BARE_MODULES: ReadonlySet<string> = new Set(["fsharp", "perl"])

/** Languages whose local variables begin with a sign such as `$`, so that a bare name is a command or a function. */
const SIGNED_LOCALS: ReadonlySet<string> = new Set(["fish", "perl", "powershell"])

/**
 * The tie to a module's function that is used without the name of the module. In Elixir, a local variable looks like a
 * call without brackets, and the names that a `use` statement imports are not known.
 */
function moduleFunctionTie(member: SymbolDefinition, context: MeaningContext): Tie {
  const { use, file, around } = context
  const isImport = (use.flags & USE.import) !== 0
  if ((use.flags & USE.call) === 0 && !isImport && !BARE_MODULES.has(file.family)) return TIE.shared
  if (context.levelAround(member) !== null) return TIE.certain
  const owner = member.symbol.owner!
  const { end, definitions } = context.lead(member)
  if (end === "outside") return TIE.none
  if (end === "certain") return includes(definitions, member.symbol) ? TIE.certain : TIE.none
  const isImported = file.imports.some((module) => module.replace(/^\.+/, "") === owner)
  return around === owner || isImported ? TIE.certain : context.ifAlone(TIE.name)
}

/** False for a bare word that may be a local variable, which in Ruby and similar languages looks like a call. */
function isExplicit({ kind }: SymbolRow, { use, file: { family } }: MeaningContext): boolean {
  if ((use.flags & (USE.call | USE.base)) !== 0 || isType({ kind }) || kind === "macro") return true
  return family === "c" || SIGNED_LOCALS.has(family)
}

function isNestedType({ symbol, file }: SymbolDefinition): boolean {
  return isType(symbol) && file.family !== "js"
}

/**
 * True when the definition of the same file is visible at the use. A function inside a function is visible only in the
 * outer function, where it hides what has the same name outside.
 */
export function isInScope({ symbol }: SymbolDefinition, use: Use, file: FileView): boolean {
  const { line, flags } = use
  const isInner = (flags & USE.inner) !== 0
  if (symbol.local === 0) return !isInner || symbol.owner !== null
  const isKnown = HAS_INNER.test(file.family) && symbol.owner === null && isCallable(symbol)
  if (isKnown && !isInner && (flags & (USE.member | USE.import | USE.template)) === 0) return false
  const around = enclosingFunction(symbol, file)
  return around === null || (around.startLine <= line && around.endLine >= line)
}

/** Languages whose grammars capture all names of functions inside of functions. */
const HAS_INNER = /^(?:js|python)$/

/**
 * True for a JavaScript function that its enclosing function returns in an object, as hooks and factories do: `return {
 * open, close }`. Other code reaches it through that object.
 */
export function isReturned({ symbol, file: home }: SymbolDefinition): boolean {
  if (symbol.local === 0 || symbol.owner !== null || home.family !== "js") return false
  let known = RETURNED.get(symbol)
  if (known === undefined) {
    known = isInReturned(symbol, home)
    RETURNED.set(symbol, known)
  }
  return known
}

/** Cached results of `isReturned`, because it is called for the same definition for many uses. */
const RETURNED = new WeakMap<SymbolRow, boolean>()

function isInReturned(symbol: SymbolRow, home: FileView): boolean {
  const around = enclosingFunction(symbol, home)
  if (around === null) return false
  return home
    .usesOf(symbol.name)
    .some(
      ({ flags, qualifier, path, line }) =>
        (flags & USE.member) !== 0 &&
        qualifier === null &&
        path?.startsWith("<") === true &&
        around.startLine <= line &&
        line <= around.endLine,
    )
}

/**
 * True when code in `file` cannot name the definition, because it is private to another file: a static function of C,
 * or a private definition of a JVM language, JavaScript or TypeScript. Other languages are not checked; in C# and PHP,
 * for example, partial types and traits spread private members over several files.
 */
export function isHiddenFrom({ symbol, file: home }: SymbolDefinition, file: FileView): boolean {
  if (home.id === file.id) return false
  const { signature } = symbol
  if (home.family === "c")
    return symbol.owner === null && /^static\b/.test(signature) && !HEADER.test(home.path)
  return (home.family === "jvm" || home.family === "js") && PRIVATE.test(signature)
}

/** Matches a private definition, but not Scala's `private[shop]`, which is visible in a package. */
const PRIVATE =
  /^(?:@\w+(?:\([^)]*\))?\s+|(?:static|final|abstract|override|open|inline|suspend)\s+)*private(?!\[)\s/

/**
 * True for a type of TypeScript that every file sees without an import: in a `declare global` block, or in a declaration
 * file that is no module.
 */
export function isGlobalType({ symbol, file: home }: SymbolDefinition): boolean {
  if (home.family !== "js" || symbol.owner !== null || !isType(symbol)) return false
  let known = GLOBAL.get(symbol)
  if (known === undefined) {
    known = isInGlobalScope(symbol, home)
    GLOBAL.set(symbol, known)
  }
  return known
}

/** Answers of `isGlobalType`, because many uses ask about one definition. */
const GLOBAL = new WeakMap<SymbolRow, boolean>()

function isInGlobalScope({ startLine, signature }: SymbolRow, home: FileView): boolean {
  if (home.path.endsWith(".d.ts") && home.imports.length === 0 && !/^export\b/.test(signature)) return true
  return home
    .usesOf(DECLARED_GLOBAL)
    .some(({ line, qualifier }) => line <= startLine && startLine <= Number(qualifier))
}

/**
 * True for a definition in a module that is part of a file, such as Rust's `mod tests { … }` and TypeScript's
 * `namespace Shop { … }`: code of that module names it without the module.
 */
export function isOfInnerModule({ symbol, file }: SymbolDefinition): boolean {
  const { owner, startLine, endLine } = symbol
  if (owner === null || !HAS_INNER_MODULES.test(file.family)) return false
  return file.outline.moduleAround(startLine, endLine)?.name === owner
}

const HAS_INNER_MODULES = /^(?:rust|js)$/

/** The function that a local symbol is defined in; null when there is none. */
export function enclosingFunction(symbol: SymbolRow, file: FileView): OutlineRow | null {
  const { startLine, endLine, local } = symbol
  const around = file.outline.innermost(startLine - 1, AROUND.callable, endLine)
  if (around >= 0) return file.outline.at(around)
  // A function that begins on the same line; the outermost is the first.
  return local === 0
    ? null
    : (file.symbols.find((each) => isCallable(each) && isWithin(symbol, each)) ?? null)
}

export function hasBlocks(family: string): boolean {
  return family === "js" || family === "python"
}

/**
 * Removes definitions in other blocks of the same file. A file that defines a name several times usually does so in
 * separate blocks, such as the tests of a suite; a use means the last definition before it. Overloads, which follow
 * each other, stay together. A type and a value with the same name both stay.
 */
export function inNearestBlock(
  possible: readonly SymbolDefinition[],
  { line }: Use,
  file: FileView,
): readonly SymbolDefinition[] {
  if (!hasBlocks(file.family)) return possible
  const own = possible.filter((each) => each.file.id === file.id && each.symbol.owner === null)
  if (own.length < 2) return possible
  const kept = new Set(
    [...Map.groupBy(own, ({ symbol }) => symbol.kind).values()].flatMap((same) => nearestOf(same, line)),
  )
  return possible.filter((each) => each.file.id !== file.id || each.symbol.owner !== null || kept.has(each))
}

/** The last definition that begins at or before a line, with its overloads. If all begin later, the first one. */
function nearestOf(same: readonly SymbolDefinition[], line: number): readonly SymbolDefinition[] {
  const inOrder = same.toSorted((one, other) => one.symbol.startLine - other.symbol.startLine)
  const lastBefore = inOrder.findLastIndex(({ symbol }) => symbol.startLine <= line)
  let [from, to] = [Math.max(0, lastBefore), Math.max(0, lastBefore)]
  while (from > 0 && areTogether(inOrder[from - 1]!, inOrder[from]!)) from--
  while (to + 1 < inOrder.length && areTogether(inOrder[to]!, inOrder[to + 1]!)) to++
  return inOrder.slice(from, to + 1)
}

function areTogether({ symbol: one }: SymbolDefinition, { symbol: other }: SymbolDefinition): boolean {
  return isCallable(one) && other.startLine - one.endLine <= 2
}

/** True when the name is that of a local variable, which hides a definition at the use. */
export function isDeclaredNear({ flags }: Use): boolean {
  return (flags & (USE.local | USE.member)) === USE.local
}
