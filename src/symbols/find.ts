import type { SymbolDefinition } from "./definition.ts"
import { isCallable, isType, NAMELESS } from "./definition.ts"
import type { SymbolGraph } from "./symbol-graph.ts"

/** A definition that a name may refer to. Definitions of a lower class are more likely to be meant. */
export type RankedDefinition = SymbolDefinition & { readonly class: number }

/**
 * Definitions that `name` or `Owner.name` may refer to: those with exactly this name; if there are none, those whose
 * names differ only in case and underscores. Order: functions and types before values; ordinary source files before
 * tests, generated and similar files.
 */
export function findDefinitions(
  graph: SymbolGraph,
  name: string,
  isWanted: (path: string) => boolean,
): readonly RankedDefinition[] {
  // In Elixir and Haskell, a name with dots may be the name of a module.
  const whole = /[.:]/.test(name) ? rankedMatches(graph.definitionsOf(name), undefined, isWanted) : []
  if (whole.length > 0) return ranked(whole)
  const [, owner, last] = /^(?:(.+?)(?:\.|::|->|#))?(#?[^.:#]+)$/.exec(name) ?? [undefined, undefined, name]
  const exact = rankedMatches(graph.definitionsOf(last ?? name), owner, isWanted)
  const found = exact.length > 0 ? exact : rankedMatches(graph.definitionsLike(last ?? name), owner, isWanted)
  return ranked(found)
}

function ranked(found: readonly SymbolDefinition[]): readonly RankedDefinition[] {
  return found
    .map((each) => ({ symbol: each.symbol, file: each.file, class: classOf(each) }))
    .sort((one, other) => one.class - other.class)
}

function rankedMatches(
  all: readonly SymbolDefinition[],
  owner: string | undefined,
  isWanted: (path: string) => boolean,
): SymbolDefinition[] {
  return all.filter(
    ({ symbol, file }) =>
      isWanted(file.path) &&
      !NAMELESS.has(symbol.kind) &&
      (owner === undefined ||
        isOwnedBy(symbol.owner, owner, file.path, file.package) ||
        isInside({ symbol, file }, owner)),
  )
}

/** True when `wanted` names the owner or, for a symbol without one, the module: `store.open` is `open` in store.ts. */
function isOwnedBy(owner: string | null, wanted: string, path: string, packageName: string | null): boolean {
  const last = wanted.replace(/^.*(?:\.|::|#)/, "")
  if (owner !== null) return owner === wanted || owner === last
  return packageName === wanted || path.replace(/^.*\//, "").replace(/\..*$/, "") === last
}

/**
 * True for a function inside a method of the type `wanted`: `Parser.check` finds `check`, a function inside
 * `Parser.parse`.
 */
function isInside({ symbol, file }: SymbolDefinition, wanted: string): boolean {
  return (
    symbol.local !== 0 &&
    file.outline.enclosingType(symbol.startLine) === wanted.replace(/^.*(?:\.|::|#)/, "")
  )
}

function classOf({ symbol, file }: SymbolDefinition): number {
  return (isCallable(symbol) || isType(symbol) ? 0 : 2) + (file.flags === 0 ? 0 : 1)
}
