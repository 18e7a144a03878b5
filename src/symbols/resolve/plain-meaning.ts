import { importsNames, sharesFolder } from "../../code/languages/family.ts"
import { USE, type Use } from "../../code/references/use-code.ts"
import { isConstructor, isImportedType, isType, type SymbolDefinition } from "../definition.ts"
import type { FileView } from "../file-view.ts"
import type { MeaningContext } from "./meaning-context.ts"
import { type ImportQuery, isParentFile, isRelative } from "./modules.ts"
import { isGlobalType, isOfInnerModule } from "./scope.ts"

/** Confidence (0 to 1) that a name without a qualifier refers to a definition. */
export function plainConfidence(definition: SymbolDefinition, context: MeaningContext): number {
  const { use, file } = context
  const { symbol } = definition
  const isImport = (use.flags & (USE.import | USE.call)) === USE.import
  if (symbol.owner !== null && !isConstructor(symbol) && !isNestedType(definition))
    return ownedConfidence(definition, context)
  if (definition.file.id === file.id)
    return isImport || (use.flags & USE.aliased) !== 0
      ? importedOwnConfidence(context)
      : ownConfidence(definition, context)
  if (isHiddenNestedType(definition, context)) return isImport ? 0 : NAME_ONLY_CONFIDENCE
  if (isHiddenByLocal(context)) return NAME_ONLY_CONFIDENCE
  const imported = importConfidence(definition, context)
  if (imported !== null) return imported
  return isImport ? 0.1 : neighbourConfidence(definition, context)
}

/**
 * Confidence that an imported name means what the file itself defines: high in a Rust module inside the file, such as
 * `mod tests`, with `use super::open` or `use crate::shop::open`.
 */
function importedOwnConfidence({ use, file, alone }: MeaningContext): number {
  const module = use.qualifier ?? ""
  if (file.family !== "rust" || !file.outline.isInModule(use.line)) return 0.1
  if (/^super(?:::super)*::\w+$/.test(module) || file.fit([module], file) >= 0.95) return 0.9
  // Another module of the crate may export it again.
  return module.startsWith("crate::") ? 0.7 * alone : 0.1
}

/**
 * True for a local variable, or its binding, that has the name of what the file imports. A call means the imported
 * function, because variables are seldom called.
 */
function isHiddenByLocal({ use, file, isDeclaredNear }: MeaningContext): boolean {
  if (!HAS_HIDING_LOCALS.test(file.family) || (use.flags & (USE.call | USE.import | USE.member)) !== 0)
    return false
  return (use.flags & USE.declares) !== 0 || isDeclaredNear
}

/** Languages in which an imported function and a local variable often have the same name. */
export const HAS_HIDING_LOCALS = /^(?:rust|python)$/

/** Confidence that a name refers to a definition without an owner in its own file. */
function ownConfidence({ symbol }: SymbolDefinition, context: MeaningContext): number {
  const { use, file, imported } = context
  // The type that this name stands for has the same confidence, so that a use means both.
  if (isImportedType(symbol) && imported.length > 0) return 0.97
  const isParameter = file.family === "js" && (use.flags & USE.declares) !== 0
  return context.isDeclaredNear || isParameter ? NAME_ONLY_CONFIDENCE : 0.95
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

/** Confidence when the name matches and nothing else. */
export const NAME_ONLY_CONFIDENCE = 0.1

/** Confidence for a method or field that is used without naming its owner. */
function ownedConfidence({ symbol, file: home }: SymbolDefinition, context: MeaningContext): number {
  const { use, file, around } = context
  const owner = symbol.owner!
  if (context.imported.length > 0 && file.importsMember(owner, use.name)) return 0.9
  if (file.importsAllOf(owner)) return context.isDeclaredNear ? NAME_ONLY_CONFIDENCE : 0.85
  if (MODULES.has(file.family)) return moduleFunctionConfidence(owner, context)
  if (isOfInnerModule({ symbol, file: home })) return innerModuleConfidence({ symbol, file: home }, context)
  // A parameter or local variable of that name hides the member.
  if ((use.flags & USE.declares) !== 0 || context.isDeclaredNear) return NAME_ONLY_CONFIDENCE
  if (around === null) return NAME_ONLY_CONFIDENCE
  if (around === owner && isNear(home, file)) return 0.9
  return around !== owner && context.isAround(owner) ? 0.8 : NAME_ONLY_CONFIDENCE
}

/** Confidence for a bare name and a definition of a module inside a file: the use is in that module, or imports it. */
function innerModuleConfidence({ symbol, file: home }: SymbolDefinition, context: MeaningContext): number {
  const { use, file, imported } = context
  const isOwn = home.id === file.id
  if (imported.length > 0) {
    const owner = symbol.owner!.toLowerCase()
    return imported.some((module) => module.toLowerCase().split(/\W+/).includes(owner)) &&
      (isOwn || file.importFit(use.name, home) > 0)
      ? 0.9
      : NAME_ONLY_CONFIDENCE
  }
  if (!isOwn || context.isDeclaredNear || (use.flags & USE.declares) !== 0) return NAME_ONLY_CONFIDENCE
  const { startLine, endLine } = home.outline.moduleAround(symbol.startLine, symbol.endLine)!
  return startLine <= use.line && use.line <= endLine ? 0.95 : NAME_ONLY_CONFIDENCE
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
 * Confidence for a use of a module's function without the name of the module. In Elixir, a local variable looks like a
 * call without brackets, and the names that a `use` statement imports are not known.
 */
function moduleFunctionConfidence(owner: string, { use, file, around, alone }: MeaningContext): number {
  if ((use.flags & USE.call) === 0 && !BARE_MODULES.has(file.family)) return 0.1
  if (around === owner) return 0.9
  return file.imports.some((module) => module.replace(/^\.+/, "") === owner) ? 0.85 : 0.5 * alone
}

/** Confidence according to the imports of the name; null when no import mentions it. */
function importConfidence({ symbol, file: home }: SymbolDefinition, context: MeaningContext): number | null {
  const { use, file } = context
  const modules = context.imported
  if (modules.length === 0) return null
  if (MODULES.has(file.family) && isType(symbol) && modules.includes(symbol.name)) return 0.97
  if (home.package !== null && modules.some((module) => isOfPackage(module, use.name, home.package!)))
    return file.mayUse(home) ? 0.97 : 0.6
  const fit = file.family === "rust" ? file.fit(modules, home) : file.importFit(use.name, home)
  if (fit >= 0.95) return 0.97
  if (fit >= 0.7) return 0.9
  if (fit > 0) return 0.75
  // The import leads to another module of the project, which may re-export the definition, or to a library.
  const isFromProject = modules.some((module) => isRelative(module) || "targets" in file.importQuery(module))
  if (isFromProject) return 0.7 * context.alone
  const isPartOfProject = modules.some((module) => namesPartOf(file.importQuery(module), home))
  return (isPartOfProject ? 0.45 : 0.3) * context.alone
}

/**
 * True when the package of the definition's file fits the import: `import shop.cart.total` and `package shop.cart`,
 * whatever the file name is.
 */
function isOfPackage(module: string, name: string, packageName: string): boolean {
  return (
    module.length === packageName.length + 1 + name.length &&
    module.startsWith(packageName) &&
    module.endsWith(name)
  )
}

/**
 * True for an import such as `@shop/server` when the file is below a folder `server`: it names a package of the same
 * project.
 */
function namesPartOf(wanted: ImportQuery, { place }: FileView): boolean {
  return "words" in wanted && wanted.words.some((word) => place.stem.includes(word))
}

function neighbourConfidence(definition: SymbolDefinition, context: MeaningContext): number {
  const { symbol, file: home } = definition
  const { use, file } = context
  const { family } = file
  const whole = bestImportFit(file, home)
  if (family === "c") return Math.max(whole * 0.9, 0.7 * context.alone)
  if (sharesFolder(family) && isNear(home, file)) return family === "go" ? 0.93 : 0.88
  if (family === "js" && context.imported.length === 0 && isGlobalType(definition)) return 0.8
  if (importsNames(family) && symbol.kind !== "macro") return notImported(definition, whole, context)
  if (whole >= 0.95) return 0.85
  if (whole >= 0.7 && family === "dart") return 0.75
  // In Ruby and similar languages, a local variable looks like a call.
  const isExplicit =
    (use.flags & (USE.call | USE.base)) !== 0 ||
    isType(symbol) ||
    symbol.kind === "macro" ||
    SIGNED_LOCALS.has(family)
  return (isExplicit ? 0.6 : 0.3) * context.alone
}

/** Confidence for a definition that the file does not import, in languages that import names one by one. */
function notImported(
  { symbol, file: home }: SymbolDefinition,
  whole: number,
  context: MeaningContext,
): number {
  const { use, file, alone } = context
  // A component that is registered for the whole project needs no import.
  if (symbol.kind === "component" && (use.flags & USE.call) !== 0) return 0.7 * alone
  const glob = file.family === "rust" ? globFit(home, context) : 0
  return Math.max(glob, whole >= 1 && WILDCARD_IMPORTS.test(file.family) ? 0.5 * alone : 0.1)
}

/**
 * Confidence that Rust code knows a name by an import of everything, `use crate::shop::*`. The imported module may also
 * export what another file of the crate defines.
 */
function globFit(home: FileView, { file, alone, isDeclaredNear }: MeaningContext): number {
  if (isDeclaredNear) return 0
  let best = 0
  for (const module of file.globs) {
    if (module === "super") best = Math.max(best, isParentFile(home.path, file.path) ? 0.85 : 0.5 * alone)
    else if (file.fit([module], home) >= 0.9) return 0.85
    else if (isRelative(module) || "targets" in file.importQuery(module)) best = Math.max(best, 0.5 * alone)
  }
  return best
}

const WILDCARD_IMPORTS = /^(?:python|rust)$/

function isNestedType({ symbol, file }: SymbolDefinition): boolean {
  return isType(symbol) && file.family !== "js"
}

/** How well the file `home` fits the imports of `file`; the best fit counts, 0 to 1. */
export function bestImportFit(file: FileView, home: FileView): number {
  let best = file.fits.get(home.id)
  if (best === undefined) {
    best = bestFit(file, home)
    file.fits.set(home.id, best)
  }
  return best
}

/** True when both files are in one folder or package. */
export function isNear(home: FileView, file: FileView): boolean {
  if (home.id === file.id || home.folder === file.folder) return true
  return isNamedByPackage(home) && home.package === file.package
}

/** True when the name of a package tells which package it is. In Go, several folders may have packages of one name. */
function isNamedByPackage(home: FileView): boolean {
  return home.package !== null && home.family !== "go"
}

function bestFit(file: FileView, home: FileView): number {
  if (isNamedByPackage(home) && file.imports.includes(home.package!)) return 1
  return file.fit(file.imports, home)
}
