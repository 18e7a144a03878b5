import type { Database, Statement } from "bun:sqlite"
import { CentralityTable } from "./centrality.ts"
import { ChunksTable } from "./chunks.ts"
import { DerivedTable } from "./derived.ts"
import { EmbeddedTable } from "./embedded.ts"
import { FilesTable } from "./files.ts"
import { MetaTable } from "./meta.ts"
import { PathWordsTable } from "./path-words.ts"
import { SegmentsTable } from "./segments.ts"
import { SkippedTable } from "./skipped.ts"
import { SnapshotTable } from "./snapshot.ts"
import { SpacesTable } from "./spaces.ts"
import { storeError } from "./sqlite-error.ts"
import { SymbolsTable } from "./symbols.ts"
import { TombstonesTable } from "./tombstones.ts"
import { UsesTable } from "./uses.ts"
import { VectorsTable } from "./vectors.ts"

const readers = new Set<Database>()

/** Pages that open readers hold to be quick, up to 2 MiB each, go; the system has them at hand. */
export function giveBackCaches(): void {
  for (const db of readers) db.run("PRAGMA shrink_memory")
}

/** One open index.db: its tables, and what concerns the file as a whole. */
export class Store {
  readonly path: string
  readonly readonly: boolean
  /** Read as it lies on a folder that cannot be written: later commits of others stay unseen. */
  readonly frozen: boolean
  readonly meta: MetaTable
  readonly files: FilesTable
  readonly chunks: ChunksTable
  readonly symbols: SymbolsTable
  readonly uses: UsesTable
  readonly centrality: CentralityTable
  readonly segments: SegmentsTable
  readonly skipped: SkippedTable
  readonly snapshot: SnapshotTable
  readonly spaces: SpacesTable
  readonly pathWords: PathWordsTable
  readonly vectors: VectorsTable
  readonly tombstones: TombstonesTable
  readonly derived: DerivedTable
  readonly embedded: EmbeddedTable
  readonly #db: Database
  readonly #dataVersion: Statement<{ data_version: number }, []>

  constructor(db: Database, path: string, options: { readonly: boolean; frozen: boolean }) {
    this.#db = db
    this.path = path
    this.readonly = options.readonly
    this.frozen = options.frozen
    this.meta = new MetaTable(db)
    this.files = new FilesTable(db)
    this.chunks = new ChunksTable(db)
    this.symbols = new SymbolsTable(db)
    this.uses = new UsesTable(db)
    this.centrality = new CentralityTable(db)
    this.segments = new SegmentsTable(db)
    this.skipped = new SkippedTable(db)
    this.snapshot = new SnapshotTable(db)
    this.pathWords = new PathWordsTable(db)
    this.spaces = new SpacesTable(db)
    this.vectors = new VectorsTable(db)
    this.tombstones = new TombstonesTable(db)
    this.derived = new DerivedTable(db)
    this.embedded = new EmbeddedTable(db)
    this.#dataVersion = db.query("PRAGMA data_version")
    if (options.readonly) readers.add(db)
  }

  /** All of `write` or nothing; takes the write lock at once, so that it never fails half-way for a rival. */
  transaction<T>(write: () => T): T {
    return this.#guarded(() => this.#db.transaction(write).immediate())
  }

  /** Several reads of one state. Keep it short: the log cannot shrink under an open one. */
  consistently<T>(read: () => T): T {
    return this.#guarded(() => this.#db.transaction(read).deferred())
  }

  /** Changes when another connection has committed since; 3 to 5 µs. Own commits do not count. */
  dataVersion(): number {
    return this.#dataVersion.get()!.data_version
  }

  /**
   * Removes versions of files: their rows now, and what derived files and segments hold of them by tombstones.
   * Call inside a transaction.
   */
  removeFiles(ids: readonly number[]): void {
    const spaces = this.spaces.all()
    for (const id of ids) {
      this.files.remove(id)
      this.chunks.removeFile(id)
      this.symbols.removeFile(id)
      this.uses.removeFile(id)
      this.centrality.removeFile(id)
      this.vectors.removeFile(id)
      this.embedded.removeFile(id)
      this.tombstones.add("keyword", 0, id)
      for (const space of spaces) this.tombstones.add("vectors", space.id, id)
    }
  }

  /** Forgets an embedding space with all its vectors. Call inside a transaction. */
  removeSpace(id: number): void {
    this.vectors.removeSpace(id)
    this.embedded.removeSpace(id)
    this.tombstones.removeSpace(id)
    this.derived.replace("vectors", id, [])
    this.spaces.remove(id)
  }

  /**
   * Moves the log into the file and empties it; false where a reader was in the way, which harms nothing. A file
   * that is more than a quarter free gives that back first.
   */
  checkpoint(): boolean {
    return this.#guarded(() => {
      if (this.#number("freelist_count") * 4 > this.#number("page_count"))
        this.#db.query("PRAGMA incremental_vacuum").all()
      const row = this.#db.query<{ busy: number }, []>("PRAGMA wal_checkpoint(TRUNCATE)").get()
      return row?.busy === 0
    })
  }

  /** SQLite's own look at the whole file, without the contents of indexes; a second for some hundred megabytes. */
  isSound(): boolean {
    return this.#guarded(() => {
      const row = this.#db.query<{ quick_check: string }, []>("PRAGMA quick_check(1)").get()
      return row?.quick_check === "ok"
    })
  }

  close(): void {
    readers.delete(this.#db)
    this.#db.close()
  }

  [Symbol.dispose](): void {
    this.close()
  }

  #number(pragma: "freelist_count" | "page_count"): number {
    return this.#db.query<Record<string, number>, []>(`PRAGMA ${pragma}`).get()![pragma]!
  }

  #guarded<T>(act: () => T): T {
    try {
      return act()
    } catch (error) {
      throw storeError(error, this.path)
    }
  }
}
