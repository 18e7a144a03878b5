import { posix } from "node:path"
import { COMMON_MEMBERS } from "../code/common-members.ts"
import { hasImplicitThis, importsNames, sharesFolder } from "../code/family.ts"
import { USE, type Use } from "../code/use-code.ts"
import type { Definition } from "./definition.ts"
import { type FileView, isCallable, isType } from "./file-view.ts"
import { isRelative, moduleFits } from "./modules.ts"
import { isOneOf, typesOf } from "./types.ts"

/** What a use may mean; confidence 0 to 1. */
export type Meaning = { readonly definition: Definition; readonly confidence: number }

export type Bases = (type: string) => Iterable<string>

/** Below this a meaning is as good as any other. */
export const DOUBTFUL = 0.4

/**
 * Which of the definitions of its name a use means: by scope (the type or file around it), by what the file imports, by
 * the file's neighbours, and last by name alone, where the number of candidates divides the confidence. Best first.
 */
export function meaningsOf(
  use: Use,
  file: FileView,
  candidates: readonly Definition[],
  bases: Bases,
): Meaning[] {
  const isMember = (use.flags & USE.member) !== 0
  const isFree = isMember || hasImplicitThis(file.family)
  const possible = candidates.filter(
    (candidate) =>
      candidate.file.family === file.family &&
      (isFree || candidate.symbol.owner === null || isType(candidate.symbol)) &&
      (candidate.file.id === file.id
        ? isInScope(candidate, use, file)
        : !candidate.file.isLocal(candidate.symbol)),
  )
  const inScope = nearest(possible, use, file)
  const context = new Context(use, file, bases, inScope)
  const confidenceOf = isMember ? memberConfidence : plainConfidence
  return inScope
    .map((definition) => ({ definition, confidence: confidenceOf(definition, context) }))
    .filter(({ confidence }) => confidence > 0)
    .sort((one, other) => other.confidence - one.confidence)
}

/** The best of them, and those that are as good: overloads, a prototype and its definition. */
export function likeliest(meanings: readonly Meaning[]): readonly Meaning[] {
  const best = meanings[0]
  return best ? meanings.filter(({ confidence }) => confidence >= best.confidence - 0.01) : []
}

/**
 * A file that defines a type or value several times does so in blocks of its own, such as the tests of a suite: the one
 * that stands last before the use is meant.
 */
function nearest(possible: readonly Definition[], { line }: Use, file: FileView): readonly Definition[] {
  if (file.family !== "js" && file.family !== "python") return possible
  const own = possible.filter((each) => each.file.id === file.id && isValue(each))
  if (own.length < 2) return possible
  // A type and a value may share a name.
  const kept = new Set(
    [...Map.groupBy(own, ({ symbol }) => symbol.kind).values()].map(
      (same) => same.findLast(({ symbol }) => symbol.startLine <= line) ?? same[0],
    ),
  )
  return possible.filter((each) => each.file.id !== file.id || !isValue(each) || kept.has(each))
}

function isValue({ symbol }: Definition): boolean {
  return symbol.owner === null && !isCallable(symbol)
}

/** A use, and what several candidates ask of it. */
class Context {
  readonly use: Use
  readonly file: FileView
  readonly bases: Bases
  readonly #candidates: readonly Definition[]
  #alone: number | null = null
  #types: ReadonlySet<string> | null | undefined

  constructor(use: Use, file: FileView, bases: Bases, candidates: readonly Definition[]) {
    this.use = use
    this.file = file
    this.bases = bases
    this.#candidates = candidates
  }

  /** 1, divided among the places that define the name. */
  get alone(): number {
    this.#alone ??=
      1 / new Set(this.#candidates.map(({ symbol, file: { path } }) => `${path}:${symbol.owner}`)).size
    return this.#alone
  }

  /** What the name before the dot is declared as; null where nothing says so. */
  get types(): ReadonlySet<string> | null {
    if (this.#types === undefined) {
      const { qualifier, line } = this.use
      this.#types = qualifier === null || qualifier === "?" ? null : typesOf(qualifier, line, this.file)
    }
    return this.#types
  }
}

/** A function inside a function is known there only. */
function isInScope({ symbol }: Definition, { line }: Use, file: FileView): boolean {
  if (!file.isLocal(symbol)) return true
  const around = file.enclosing(
    symbol.startLine,
    (other) =>
      isCallable(other) &&
      other !== symbol &&
      other.endLine >= symbol.endLine &&
      other.startLine < symbol.startLine,
  )
  return around === null || (around.startLine <= line && around.endLine >= line)
}

function plainConfidence(definition: Definition, context: Context): number {
  const { use, file } = context
  const { symbol } = definition
  const isImport = (use.flags & USE.import) !== 0
  if (symbol.owner !== null && !isNestedType(definition)) return ownedConfidence(definition, context)
  if (definition.file.id === file.id) {
    if (isImport) return 0.1
    return isDeclaredNear(use, file) ? 0.1 : 0.95
  }
  const imported = importConfidence(definition, context)
  if (imported !== null) return imported
  return isImport ? 0.1 : neighbourConfidence(definition, context)
}

/** A method or field without what it belongs to. */
function ownedConfidence({ symbol, file: home }: Definition, { use, file, bases }: Context): number {
  const owner = symbol.owner!
  const imported = file.modulesOf(use.name)
  if (imported.some((module) => module.endsWith(`${owner}.${symbol.name}`))) return 0.9
  const around = enclosingType(use, file)
  if (around === null) return 0.1
  if (around === owner && isNear(home, file)) return 0.9
  return isOneOf(owner, new Set(bases(around)), bases) ? 0.8 : 0.1
}

/** Null where no import says anything of the name. */
function importConfidence({ file: home }: Definition, { use, file, alone }: Context): number | null {
  const modules = file.modulesOf(use.name)
  if (modules.length === 0) return null
  const fit = Math.max(...modules.map((module) => moduleFits(module, file.path, home.path)))
  if (fit >= 0.95) return 0.97
  if (fit >= 0.7) return 0.9
  if (fit > 0) return 0.75
  // Passed on by another module of the project, or a namesake from elsewhere.
  return modules.some(isRelative) ? 0.7 * alone : 0.45 * alone
}

function neighbourConfidence({ symbol, file: home }: Definition, context: Context): number {
  const { use, file, alone } = context
  const { family } = file
  const whole = wholesale(file, home)
  if (family === "c") return Math.max(whole * 0.9, 0.7 * alone)
  if (sharesFolder(family) && isNear(home, file)) return family === "go" ? 0.93 : 0.88
  if (importsNames(family) && symbol.kind !== "macro")
    return whole >= 1 && STAR.test(family) ? 0.5 * alone : 0.1
  if (whole >= 0.95) return 0.85
  // Ruby and its kin write a local as they write a call.
  const isTold = (use.flags & (USE.call | USE.base)) !== 0 || isType(symbol) || symbol.kind === "macro"
  return (isTold ? 0.6 : 0.3) * alone
}

const STAR = /^(?:python|rust)$/

/** How well anything that the file imports as a whole fits another file. */
function wholesale(file: FileView, home: FileView): number {
  let best = file.fits.get(home.id)
  if (best === undefined) {
    best = bestFit(file, home)
    file.fits.set(home.id, best)
  }
  return best
}

function bestFit(file: FileView, home: FileView): number {
  if (home.package !== null && file.imports.includes(home.package)) return 1
  return Math.max(0, ...file.imports.map((module) => moduleFits(module, file.path, home.path)))
}

function memberConfidence(definition: Definition, context: Context): number {
  const { use } = context
  const confidence =
    definition.symbol.owner === null
      ? ofModule(definition, context)
      : ofOwner(definition, definition.symbol.owner, context)
  return COMMON_MEMBERS.has(use.name) && confidence < 0.8 ? confidence / 2 : confidence
}

/** `module.name`: a function or type behind the name of what defines it. */
function ofModule({ symbol, file: home }: Definition, { use, file, alone }: Context): number {
  const { qualifier } = use
  if (qualifier === null || qualifier === "?") return 0.1
  if (qualifier === "this") return home.id === file.id ? 0.5 : 0.1
  const modules = [
    ...file.modulesOf(qualifier),
    ...file.imports.filter((module) => lastOf(module) === qualifier.toLowerCase()),
  ]
  const fit = Math.max(0, ...modules.map((module) => moduleFits(module, file.path, home.path)))
  if (fit >= 0.5) return 0.7 + 0.25 * fit
  if (home.package === qualifier || stemOf(home) === qualifier.toLowerCase()) return 0.7
  // Rust's and PHP's paths, C++'s and Ruby's namespaces.
  return isType(symbol) && !importsNames(file.family) ? 0.5 * alone : 0.1
}

function ofOwner(definition: Definition, owner: string, context: Context): number {
  const { qualifier } = context.use
  if (qualifier === "this") return ofOwnType(definition, owner, context)
  if (qualifier === owner) return 0.92
  const { file, bases } = context
  if (qualifier !== null && qualifier !== "?") {
    const { types } = context
    if (types !== null) return isOneOf(owner, types, bases) ? 0.9 : 0.1
    const named = namedAfter(qualifier, owner)
    if (named > 0) return named
  }
  const home = definition.file
  const knows = home.id === file.id || file.modulesOf(owner).length > 0 || wholesale(file, home) >= 0.7
  return (knows ? 0.65 : 0.5) * context.alone
}

/** Behind `this` and the like: of the type around, or of what that extends. */
function ofOwnType({ file: home }: Definition, owner: string, { use, file, bases, alone }: Context): number {
  const around = enclosingType(use, file)
  if (around === owner) return isNear(home, file) ? 0.96 : 0.6 * alone
  if (around === null) return 0.25 * alone
  return isOneOf(owner, new Set([...file.basesOf(around), ...bases(around)]), bases) ? 0.85 : 0.25 * alone
}

/** `userService` and `UserService`; less for `store` and `KeyStore`. */
function namedAfter(qualifier: string, owner: string): number {
  const [name, type] = [qualifier.replace(/[_$#]/g, "").toLowerCase(), owner.toLowerCase()]
  if (name === type) return 0.75
  return name.length > 2 && (type.endsWith(name) || name.endsWith(type)) ? 0.7 : 0
}

function enclosingType({ line }: Use, file: FileView): string | null {
  const around = file.enclosing(
    line,
    (symbol) => isType(symbol) || (isCallable(symbol) && symbol.owner !== null),
  )
  if (around === null) return null
  return isType(around) ? around.name : around.owner
}

function isNestedType({ symbol, file }: Definition): boolean {
  return isType(symbol) && file.family !== "js"
}

/** A local of that name is bound in the function around. */
function isDeclaredNear({ name, line }: Use, file: FileView): boolean {
  const around = file.enclosing(line, isCallable)
  if (around === null) return false
  return file
    .usesOf(name)
    .some(
      (use) => (use.flags & USE.declares) !== 0 && use.line >= around.startLine && use.line <= around.endLine,
    )
}

function isNear(home: FileView, file: FileView): boolean {
  if (home.id === file.id || posix.dirname(home.path) === posix.dirname(file.path)) return true
  return home.package !== null && home.package === file.package
}

function lastOf(module: string): string {
  const parts = module.split(/[/\\.:]+/).filter((part) => part !== "" && !/^v\d+$/.test(part))
  return (parts.at(-1) ?? "").toLowerCase()
}

function stemOf({ path }: FileView): string {
  return posix.basename(path).replace(/\..*$/, "").toLowerCase()
}
