import { lastName } from "../../store/fold-name.ts"
import type { Store } from "../../store/index/store.ts"
import type { SymbolRow } from "../../store/index/symbols.ts"
import { identifiersOf } from "../query/identifiers.ts"

/** Ordinals of chunks, by file id. */
export type Places = ReadonlyMap<number, ReadonlySet<number>>

// Maximum number of definitions read for one name. In large projects, names such as get and init have more.
const MAX_DEFINITIONS = 20_000

export function hasPlace(places: Places, fileId: number, ordinal: number): boolean {
  return places.get(fileId)?.has(ordinal) ?? false
}

/**
 * Chunks that define a symbol of one of these kinds. The result is cached for the current state of the index, because
 * computing it reads all symbols.
 */
export function placesOfKinds(store: Store, kinds: readonly string[]): Places {
  const version = store.dataVersion()
  let cached = placesCache.get(store)
  if (cached === undefined || cached.version !== version || cached.places.size > MAX_CACHED) {
    cached = { version, places: new Map() }
    placesCache.set(store, cached)
  }
  const key = [...kinds].sort().join()
  const places = cached.places.get(key) ?? placesOf(store.symbols.placesOfKinds(kinds))
  cached.places.set(key, places)
  return places
}

const MAX_CACHED = 4
const placesCache = new WeakMap<Store, { readonly version: number; readonly places: Map<string, Places> }>()

/** Chunks that define one of these names. If `kinds` is not empty, the symbol must be of one of these kinds. */
export function placesOfSymbols(store: Store, names: readonly string[], kinds: readonly string[]): Places {
  const rows = names.flatMap((name) => definitionsOf(store, name))
  const found = kinds.length === 0 ? rows : rows.filter(({ kind }) => kinds.includes(kind))
  return placesOf(found.map(({ fileId, ordinal }) => [fileId, ordinal]))
}

/** Names of the type or module that a symbol belongs to, from its owner and its own qualified name. */
export function ownersOf(row: SymbolRow): string[] {
  const parts = row.name.split(/[.:#]+/u).slice(0, -1)
  return row.owner === null ? parts : [...parts, lastName(row.owner)]
}

/**
 * The definitions with exactly this spelling whose owner is the qualifier. If there are none, those that are equal when
 * only letters and digits are compared.
 */
function definitionsOf(store: Store, name: string): readonly SymbolRow[] {
  const { last, owner } = identifiersOf(name)[0] ?? { last: name, owner: null }
  const rows = store.symbols.findByFolded(last, MAX_DEFINITIONS)
  const owned = owner === null ? rows : rows.filter((row) => ownersOf(row).includes(owner))
  const spelled = owned.filter((row) => lastName(row.name) === last)
  return spelled.length > 0 ? spelled : owned
}

function placesOf(found: readonly (readonly [number, number])[]): Places {
  const places = new Map<number, Set<number>>()
  for (const [fileId, ordinal] of found) {
    const set = places.get(fileId)
    if (set === undefined) places.set(fileId, new Set([ordinal]))
    else set.add(ordinal)
  }
  return places
}
