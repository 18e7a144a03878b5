import { lastName } from "../store/fold-name.ts"
import type { Store } from "../store/store.ts"
import type { QueriedName } from "./query.ts"
import { ownersOf } from "./symbol-places.ts"

/** Where the names of a query are defined. */
export type ExactNames = {
  /** Share of the query's names that a file defines, by file id: spelled as typed, and by letters alone. */
  readonly exact: ReadonlyMap<number, number>
  readonly folded: ReadonlyMap<number, number>
  /** Chunks that define one, by file id. */
  readonly exactChunks: ReadonlyMap<number, ReadonlySet<number>>
  readonly foldedChunks: ReadonlyMap<number, ReadonlySet<number>>
}

// A heading, a key of data, a rule for a class bear a name; they do not define it.
const LABELS: ReadonlySet<string> = new Set(["section", "key", "selector", "element"])

// A name defined in more places than this (get, init) says little about where to look.
const MAX_DEFINITIONS = 2_000

/** Looks the query's names up among the symbols. A qualifier that is the owner's name counts as a name itself. */
export function findExactNames(store: Store, names: readonly QueriedName[]): ExactNames {
  const found = new Finder()
  for (const [index, name] of names.entries()) {
    for (const row of store.symbols.findByFolded(name.last, MAX_DEFINITIONS)) {
      found.add("folded", index, row.fileId, row.ordinal)
      if (LABELS.has(row.kind) || spelled(lastName(row.name)) !== spelled(name.last)) continue
      // Qualified and owned by what qualifies it: as good as two names, so it outweighs namesakes elsewhere.
      const owned = name.owner !== null && ownersOf(row).includes(name.owner)
      if (name.owner === null || owned || !names.some((other) => other.last === name.owner)) {
        found.add("exact", index, row.fileId, row.ordinal)
      }
    }
  }
  return found.shares(names.length)
}

/** Without the mark that a sentence may end with; Ruby's own `empty?` loses nothing it is told apart by. */
function spelled(name: string): string {
  return name.replace(/[?!]$/u, "")
}

type Spelling = "exact" | "folded"
type Found = { readonly names: Map<number, Set<number>>; readonly chunks: Map<number, Set<number>> }

class Finder {
  readonly #bySpelling: Readonly<Record<Spelling, Found>> = {
    exact: { names: new Map(), chunks: new Map() },
    folded: { names: new Map(), chunks: new Map() },
  }

  add(spelling: Spelling, nameIndex: number, fileId: number, ordinal: number): void {
    const found = this.#bySpelling[spelling]
    addTo(found.names, fileId, nameIndex)
    addTo(found.chunks, fileId, ordinal)
  }

  shares(total: number): ExactNames {
    const { exact, folded } = this.#bySpelling
    return {
      exact: shareOf(exact.names, total),
      folded: shareOf(folded.names, total),
      exactChunks: exact.chunks,
      foldedChunks: folded.chunks,
    }
  }
}

function addTo(sets: Map<number, Set<number>>, key: number, value: number): void {
  const set = sets.get(key)
  if (set === undefined) sets.set(key, new Set([value]))
  else set.add(value)
}

function shareOf(sets: ReadonlyMap<number, ReadonlySet<number>>, total: number): Map<number, number> {
  const shares = new Map<number, number>()
  for (const [key, set] of sets) shares.set(key, set.size / total)
  return shares
}
