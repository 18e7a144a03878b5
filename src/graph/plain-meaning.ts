import { importsNames, sharesFolder } from "../code/family.ts"
import { USE, type Use } from "../code/use-code.ts"
import type { Definition } from "./definition.ts"
import type { FileView } from "./file-view.ts"
import { isConstructor, isType } from "./kinds.ts"
import type { MeaningContext } from "./meaning-context.ts"
import { isRelative, type Wanted } from "./modules.ts"
import { isNear, wholesale } from "./nearness.ts"

/** How likely a name that stands alone means a definition. */
export function plainConfidence(definition: Definition, context: MeaningContext): number {
  const { use, file } = context
  const { symbol } = definition
  const isImport = (use.flags & (USE.import | USE.call)) === USE.import
  if (symbol.owner !== null && !isConstructor(symbol) && !isNestedType(definition))
    return ownedConfidence(definition, context)
  if (definition.file.id === file.id) {
    if (isImport) return 0.1
    return context.isDeclaredNear ? 0.1 : 0.95
  }
  const imported = importConfidence(definition, context)
  if (imported !== null) return imported
  return isImport ? 0.1 : neighbourConfidence(definition, context)
}

/** Where nothing speaks for one but its name. */
export const BY_CHANCE = 0.1

/** A method or field without what it belongs to. */
function ownedConfidence({ symbol, file: home }: Definition, context: MeaningContext): number {
  const { use, file, around } = context
  const owner = symbol.owner!
  if (context.imported.length > 0 && file.importsMember(owner, use.name)) return 0.9
  if (MODULES.has(file.family)) return ofModuleAround(owner, context)
  if (around === null) return BY_CHANCE
  if (around === owner && isNear(home, file)) return 0.9
  return around !== owner && context.isAround(owner) ? 0.8 : BY_CHANCE
}

/** Whether a name that stands alone may mean what belongs to something that is not around it, by more than chance. */
export function ownedByName({ name }: Use, file: FileView): boolean {
  return MODULES.has(file.family) || file.modulesOf(name).length > 0
}

/** Where functions belong to modules, and those are imported by their names. */
const MODULES: ReadonlySet<string> = new Set(["elixir", "julia"])

/** Elixir's locals are written as its calls without brackets are; what `use` imports nobody says. */
function ofModuleAround(owner: string, { use, file, around, alone }: MeaningContext): number {
  if ((use.flags & USE.call) === 0) return 0.1
  if (around === owner) return 0.9
  return file.imports.some((module) => module.replace(/^\.+/, "") === owner) ? 0.85 : 0.5 * alone
}

/** Null where no import says anything of the name. */
function importConfidence({ symbol, file: home }: Definition, context: MeaningContext): number | null {
  const { use, file } = context
  const modules = context.imported
  if (modules.length === 0) return null
  if (MODULES.has(file.family) && isType(symbol) && modules.includes(symbol.name)) return 0.97
  if (home.package !== null && modules.some((module) => isOfPackage(module, use.name, home.package!)))
    return 0.97
  const fit = file.importFit(use.name, home)
  if (fit >= 0.95) return 0.97
  if (fit >= 0.7) return 0.9
  if (fit > 0) return 0.75
  // Passed on by another module of the project, or a namesake from elsewhere.
  const isOurs = modules.some((module) => isRelative(module))
  return (
    (isOurs ? 0.7 : modules.some((module) => namesPartOf(file.wanted(module), home)) ? 0.45 : 0.3) *
    context.alone
  )
}

/** `import shop.cart.total` of a file that says `package shop.cart`, whatever that is called. */
function isOfPackage(module: string, name: string, packageName: string): boolean {
  return (
    module.length === packageName.length + 1 + name.length &&
    module.startsWith(packageName) &&
    module.endsWith(name)
  )
}

/** `@shop/server` where the file lies somewhere below `server`: a package of the same project. */
function namesPartOf(wanted: Wanted, { place }: FileView): boolean {
  return "words" in wanted && wanted.words.some((word) => place.stem.includes(word))
}

function neighbourConfidence({ symbol, file: home }: Definition, context: MeaningContext): number {
  const { use, file } = context
  const { family } = file
  const whole = wholesale(file, home)
  if (family === "c") return Math.max(whole * 0.9, 0.7 * context.alone)
  if (sharesFolder(family) && isNear(home, file)) return family === "go" ? 0.93 : 0.88
  if (importsNames(family) && symbol.kind !== "macro") return notImported(symbol.kind, whole, context)
  if (whole >= 0.95) return 0.85
  if (whole >= 0.7 && family === "dart") return 0.75
  // Ruby and its kin write a local as they write a call.
  const isTold = (use.flags & (USE.call | USE.base)) !== 0 || isType(symbol) || symbol.kind === "macro"
  return (isTold ? 0.6 : 0.3) * context.alone
}

/** Where names are imported one by one. */
function notImported(kind: string, whole: number, { use, file, alone }: MeaningContext): number {
  // A component that is registered for all of a project is imported nowhere.
  if (kind === "component" && (use.flags & USE.call) !== 0) return 0.7 * alone
  return whole >= 1 && STAR.test(file.family) ? 0.5 * alone : 0.1
}

const STAR = /^(?:python|rust)$/

function isNestedType({ symbol, file }: Definition): boolean {
  return isType(symbol) && file.family !== "js"
}
