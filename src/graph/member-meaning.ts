import { posix } from "node:path"
import { COMMON_MEMBERS } from "../code/common-members.ts"
import { importsNames } from "../code/family.ts"
import { namedAfter, plainName } from "./candidates.ts"
import type { Definition } from "./definition.ts"
import type { FileView } from "./file-view.ts"
import { isCallable, isType } from "./kinds.ts"
import type { MeaningContext } from "./meaning-context.ts"
import { isNear, wholesale } from "./nearness.ts"

/** How likely a name behind a dot, an arrow or two colons means a definition. */
export function memberConfidence(definition: Definition, context: MeaningContext): number {
  const { use } = context
  const confidence =
    definition.symbol.owner === null
      ? ofModule(definition, context)
      : ofOwner(definition, definition.symbol.owner, context)
  return COMMON_MEMBERS.has(use.name) && confidence < 0.8 ? confidence / 2 : confidence
}

/** `module.name`: a function or type behind the name of what defines it. */
function ofModule({ symbol, file: home }: Definition, context: MeaningContext): number {
  const { use, file } = context
  const { qualifier } = use
  if (qualifier === null || qualifier === "?") return 0.1
  if (qualifier === "this") return home.id === file.id ? 0.5 : 0.1
  if (`.${symbol.name}`.endsWith(`.${qualifier}.${use.name}`)) return 0.9
  const fit = file.fit(context.modules, home)
  if (fit >= 0.5) return 0.7 + 0.25 * fit
  if (home.package === qualifier || stemOf(home) === qualifier.toLowerCase()) return 0.7
  if (file.family === "rust" && home.place.stem.includes(qualifier)) return 0.7
  // Rust's and PHP's paths, C++'s and Ruby's namespaces.
  return isType(symbol) && !importsNames(file.family) ? 0.5 * context.alone : 0.1
}

function ofOwner(definition: Definition, owner: string, context: MeaningContext): number {
  const { qualifier } = context.use
  if (qualifier === "this") return ofOwnType(definition, owner, context)
  const { file } = context
  const home = definition.file
  if (file.family === "lua" && isName(qualifier)) return ofLuaTable(definition, owner, context)
  if (qualifier === owner || isAlias(qualifier, owner, file)) return 0.92
  const told = byQualifier(definition, owner, context)
  if (told !== null) return told
  const knows = home.id === file.id || file.modulesOf(owner).length > 0 || wholesale(file, home) >= 0.7
  // What is written out or taken apart has any name that somebody likes.
  const isTold = knows && (qualifier !== null || !context.use.path)
  if (file.family === "js" && isField(definition) && !isTold) return 0.35 * context.alone
  return (knows ? 0.65 : 0.5) * context.alone
}

/** A table is known by its own name in its own file only; elsewhere by what `require` is bound to, or as a global. */
function ofLuaTable(
  { file: home }: Definition,
  owner: string,
  { use, file, modules, alone }: MeaningContext,
): number {
  const { qualifier } = use
  if (home.id === file.id && qualifier === owner) return 0.95
  if (modules.length > 0 && file.modulesOf(qualifier!).length > 0) {
    const fit = file.fit(modules, home)
    return fit >= 0.5 ? 0.7 + 0.25 * fit : 0.1
  }
  if (qualifier !== owner) return namedAfter(plainName(qualifier!), owner) || 0.5 * alone
  return file.symbols.some(({ name, owner: of }) => of === owner || name === owner) ? 0 : 0.7 * alone
}

/** `alias Shop.Cart` makes a `Cart` of that. */
function isAlias(qualifier: string | null, owner: string, { imports }: FileView): boolean {
  return isName(qualifier) && owner.endsWith(`.${qualifier}`) && imports.includes(owner)
}

/** A name for data is less a name of its own than what is called. */
function isField({ symbol }: Definition): boolean {
  return !isCallable(symbol) && !isType(symbol)
}

function isName(qualifier: string | null): qualifier is string {
  return qualifier !== null && qualifier !== "?"
}

/** By what the name before the dot is declared as, else by that name; null where neither says anything. */
function byQualifier({ file: home }: Definition, owner: string, context: MeaningContext): number | null {
  const { declared } = context
  if (declared === null)
    return (isName(context.use.qualifier) && namedAfter(context.plainQualifier, owner)) || null
  if (context.isDeclared(owner)) return context.declaredConfidence(owner, home)
  return context.isAbove(owner, declared) ? 0.6 : 0
}

/** Behind `this` and the like: of the type around, or of what that extends. */
function ofOwnType({ file: home }: Definition, owner: string, context: MeaningContext): number {
  const { file, around } = context
  if (around === owner) return isNear(home, file) ? 0.96 : 0.6 * context.alone
  if (around === null) return 0.25 * context.alone
  return context.isAround(owner) ? 0.85 : 0.25 * context.alone
}

function stemOf({ path }: FileView): string {
  return posix.basename(path).replace(/\..*$/, "").toLowerCase()
}
