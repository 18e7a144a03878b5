import { type ExactStore, ROLE, type Store } from "../store/index.ts"
import type { SymbolDefinition } from "./definition.ts"

/** Maximum number of lines between a definition's first line and the line of its name. */
const MAX_LINES = 60

/** Uses of some definitions according to an imported index (SCIP), for the files that have not changed since the import. */
export class ImportedUses {
  readonly #store: Store
  readonly #imported: ExactStore
  readonly #name: string
  readonly #files = new Map<string, Map<number, ImportedUse>>()
  readonly #known = new Map<string, FileUses | null>()
  readonly #current = new Map<string, boolean>()

  private constructor(store: Store, imported: ExactStore, name: string) {
    this.#store = store
    this.#imported = imported
    this.#name = name
  }

  /**
   * The uses of these definitions, which all have the name `name`; null if the imported index contains none of the
   * definitions.
   */
  static of(store: Store, name: string, targets: readonly SymbolDefinition[]): ImportedUses | null {
    const imported = store.exact()
    if (imported === null) return null
    const uses = new ImportedUses(store, imported, name)
    const known = targets.map((target) => uses.#add(target))
    return known.some(Boolean) ? uses : null
  }

  /** Ids of the files that contain a use. */
  ids(): number[] {
    return [...this.#files.keys()].flatMap((path) => this.#store.files.byPath(path)?.id ?? [])
  }

  /**
   * The uses in a file, and the lines on which the imported index replaces our own uses; null if the index was made
   * from another version of the file.
   */
  inFile(path: string): FileUses | null {
    let found = this.#known.get(path)
    if (found === undefined) {
      found = isCurrent(this.#store, this.#imported, path)
        ? {
            uses: this.#files.get(path) ?? NONE,
            named: new Set(this.#imported.linesNaming(path, this.#name)),
          }
        : null
      this.#known.set(path, found)
    }
    return found
  }

  /** Adds the uses of a definition; false if the imported index does not contain the definition. */
  #add(target: SymbolDefinition): boolean {
    const { path } = target.file
    const { startLine, endLine, name } = target.symbol
    if (!isCurrent(this.#store, this.#imported, path)) return false
    const [symbol] = this.#imported.definedIn(path, name, startLine, Math.min(endLine, startLine + MAX_LINES))
    if (symbol === undefined) return false
    for (const place of this.#imported.placesOf(symbol)) {
      if ((place.roles & (ROLE.definition | ROLE.forwardDefinition)) !== 0) continue
      if (!this.#isAsImported(place)) continue
      const lines = this.#files.get(place.path) ?? new Map<number, ImportedUse>()
      this.#files.set(place.path, lines)
      lines.set(place.line, { target, isImport: (place.roles & ROLE.import) !== 0 })
    }
    return true
  }

  #isAsImported({ path, hash }: { readonly path: string; readonly hash: string }): boolean {
    let is = this.#current.get(path)
    if (is === undefined) {
      is = this.#store.files.byPath(path)?.hash === hash
      this.#current.set(path, is)
    }
    return is
  }
}

export type ImportedUse = { readonly target: SymbolDefinition; readonly isImport: boolean }

export type FileUses = {
  readonly uses: ReadonlyMap<number, ImportedUse>
  /** Lines on which the imported index has a use of any symbol with the name of the requested one. */
  readonly named: ReadonlySet<number>
}

const NONE: ReadonlyMap<number, ImportedUse> = new Map()

function isCurrent(store: Store, imported: ExactStore, path: string): boolean {
  const hash = imported.hashOf(path)
  return hash !== null && hash === store.files.byPath(path)?.hash
}

/** Definitions that implement or override these definitions, according to an imported index. */
export function importedImplementations(
  store: Store,
  targets: readonly SymbolDefinition[],
): { readonly path: string; readonly line: number; readonly name: string }[] {
  const imported = store.exact()
  if (imported === null) return []
  return symbolsOfDefinitions(store, targets).flatMap(({ id }) =>
    imported.implementing(id).filter(({ path, hash }) => store.files.byPath(path)?.hash === hash),
  )
}

/** Ids and names of the symbols that an imported index has for these definitions. */
export function symbolsOfDefinitions(
  store: Store,
  targets: readonly SymbolDefinition[],
): { readonly id: number; readonly name: string }[] {
  const imported = store.exact()
  if (imported === null) return []
  return targets.flatMap(({ file, symbol: { name, startLine, endLine } }) => {
    if (!isCurrent(store, imported, file.path)) return []
    const end = Math.min(endLine, startLine + MAX_LINES)
    return imported
      .definedIn(file.path, name, startLine, end)
      .slice(0, 1)
      .map((id) => ({ id, name }))
  })
}

/** Paths of the definitions whose files have changed since the index was imported. */
export function outdatedIn(store: Store, definitions: readonly SymbolDefinition[]): string[] {
  const imported = store.exact()
  if (imported === null) return []
  const paths = [...new Set(definitions.map(({ file }) => file.path))]
  return paths.filter((path) => imported.hashOf(path) !== null && !isCurrent(store, imported, path))
}
