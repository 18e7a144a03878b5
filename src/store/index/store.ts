import type { Database, Statement } from "bun:sqlite"
import { dirname, join } from "node:path"
import { fileIdentity } from "../../base/index.ts"
import type { IndexedTexts } from "../../text/index.ts"
import { type DerivedKind, DerivedTable } from "../derived/derived-files.ts"
import { areDatabaseFiles } from "../open-database.ts"
import { SharedMemoryFile } from "../shared-memory.ts"
import { storeError } from "../sqlite-error.ts"
import { Table } from "../table.ts"
import { ExactStore } from "./exact-places.ts"
import { FilesTable } from "./files.ts"
import { SymbolsTable } from "./symbols.ts"
import {
  CentralityTable,
  ChunksTable,
  DividedFilesTable,
  DocumentTextsTable,
  EmbeddedTable,
  HistoryTable,
  PathWordsTable,
  SegmentsTable,
  SkippedTable,
  SpacesTable,
  UsesTable,
  VectorsTable,
} from "./tables.ts"

const readers = new Set<Store>()

/** Frees the page caches of open readers, up to 2 MiB each. The pages stay in the page cache of the system. */
export function releaseCaches(): void {
  for (const store of readers) store.releasePages()
}

/** Clears what is kept in memory about open readers. The next answers read again what they need. */
export function releaseKept(): void {
  for (const store of readers) store.releaseKept()
}

/** Data about a store that is kept in memory for the next answers. */
type Kept = { clear(): void }

/** One open index.db: access to its tables, and operations on the whole file. */
export class Store {
  readonly path: string
  readonly readonly: boolean
  /**
   * True if the file was opened as immutable, because its folder is read-only. Later commits of other processes are
   * then not visible.
   */
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
  readonly divided: DividedFilesTable
  readonly documentTexts: DocumentTextsTable
  /** What readers of files need of the index. */
  readonly texts: IndexedTexts
  readonly history: HistoryTable
  readonly #db: Database
  readonly #identity: string
  readonly #sharedMemory: SharedMemoryFile
  readonly #dataVersion: Statement<{ data_version: number }, []>
  #exact: ExactStore | null = null
  readonly #kept = new Map<object, Kept>()

  constructor(db: Database, path: string, options: { readonly: boolean; frozen: boolean }) {
    this.#db = db
    this.path = path
    this.#identity = fileIdentity(path)
    this.#sharedMemory = new SharedMemoryFile(path)
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
    this.divided = new DividedFilesTable(db)
    this.documentTexts = new DocumentTextsTable(db)
    this.texts = { find: this.documentTexts.find, encoding: (path, hash) => this.files.encoding(path, hash) }
    this.history = new HistoryTable(db)
    this.#dataVersion = db.query("PRAGMA data_version")
    if (options.readonly) readers.add(this)
  }

  /** The data kept under a key, which `make` makes at first. It is cleared at rest, and dropped with this store. */
  kept<T extends Kept>(key: object, make: () => T): T {
    const kept = (this.#kept.get(key) as T | undefined) ?? make()
    this.#kept.set(key, kept)
    return kept
  }

  releaseKept(): void {
    for (const kept of this.#kept.values()) kept.clear()
  }

  releasePages(): void {
    this.#db.run("PRAGMA shrink_memory")
  }

  /**
   * Runs `write` as one transaction. The write lock is taken first, so that the transaction cannot fail half-way
   * because another process holds the lock.
   */
  transaction<T>(write: () => T): T {
    return this.#guarded(() => this.#db.transaction(write).immediate())
  }

  /**
   * Runs several reads on one state of the database. Keep it short: the log cannot shrink while a read transaction is
   * open.
   */
  consistently<T>(read: () => T): T {
    return this.#guarded(() => this.#db.transaction(read).deferred())
  }

  /**
   * Repairs the -shm file if it was truncated. Returns false once the database or its -shm file was replaced, or when a
   * file that SQLite keeps beside the database is not a plain file, for example a link.
   */
  get isInPlace(): boolean {
    return (
      this.#sharedMemory.mend() &&
      this.#identity !== "" &&
      fileIdentity(this.path) === this.#identity &&
      areDatabaseFiles(this.path)
    )
  }

  /**
   * A number that changes when another connection commits. Commits of this connection do not change it. Reading it
   * takes 3 to 5 µs.
   */
  dataVersion(): number {
    return this.#dataVersion.get()!.data_version
  }

  /** Path of the file with imported places of symbols. The file may not exist. */
  get exactPath(): string {
    return join(dirname(this.path), "exact.db")
  }

  /** The id of this index. The file with its imported places has the same id. */
  get id(): number {
    return this.#number("application_id")
  }

  /** The imported places of symbols; null if there are none. Opens the file again only if it was replaced. */
  exact(): ExactStore | null {
    const identity = fileIdentity(this.exactPath)
    if (this.#exact?.identity !== identity) {
      this.#exact?.close()
      this.#exact = identity === "" ? null : ExactStore.open(this.exactPath, this.id)
    }
    return this.#exact
  }

  /**
   * Removes file versions: deletes their rows, and adds tombstones for their data in derived files and segments. Call
   * it inside a transaction.
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
      this.divided.removeFile(id)
      this.documentTexts.removeFile(id)
      this.tombstones.add("keyword", 0, id)
      for (const space of spaces) this.tombstones.add("vectors", space.id, id)
    }
  }

  /** Removes an embedding space with all its vectors. Call it inside a transaction. */
  removeSpace(id: number): void {
    this.vectors.removeSpace(id)
    this.embedded.removeSpace(id)
    this.tombstones.removeSpace(id)
    this.derived.replace("vectors", id, [])
    this.spaces.remove(id)
  }

  /**
   * Moves the content of the log into the file and empties the log. False if a reader prevented that, which does no
   * harm. Before that, free pages are returned to the file system if they are more than an eighth of the file.
   */
  checkpoint(): boolean {
    return this.#guarded(() => {
      if (this.#number("freelist_count") * 8 > this.#number("page_count"))
        this.#db.query("PRAGMA incremental_vacuum").all()
      const row = this.#db.query<{ busy: number }, []>("PRAGMA wal_checkpoint(TRUNCATE)").get()
      return row?.busy === 0
    })
  }

  /**
   * Runs SQLite's quick_check on the whole file; the content of database indexes is not checked. Takes 1 s for some
   * hundred megabytes.
   */
  isSound(): boolean {
    return this.#guarded(() => {
      const row = this.#db.query<{ quick_check: string }, []>("PRAGMA quick_check(1)").get()
      return row?.quick_check === "ok"
    })
  }

  close(): void {
    readers.delete(this)
    this.#exact?.close()
    this.#exact = null
    this.#db.close()
    this.#sharedMemory[Symbol.dispose]()
  }

  [Symbol.dispose](): void {
    this.close()
  }

  #number(pragma: "application_id" | "freelist_count" | "page_count"): number {
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

/** Stores the packed file list (snapshot) of the last completed run. */
class SnapshotTable extends Table {
  get(): Uint8Array | null {
    return this.row<{ bytes: Uint8Array }>("SELECT bytes FROM snapshot")?.bytes ?? null
  }

  set(bytes: Uint8Array): void {
    this.run("INSERT OR REPLACE INTO snapshot (id, bytes) VALUES (1, ?)", bytes)
  }

  /** Removes the snapshot. The next run that completes stores a new one. */
  clear(): void {
    this.run("DELETE FROM snapshot")
  }
}

/** Removed file versions whose data is still in a derived file or segment. */
class TombstonesTable extends Table {
  add(kind: DerivedKind, spaceId: number, fileId: number): void {
    this.run(
      "INSERT OR IGNORE INTO tombstones (kind, space_id, file_id) VALUES (?, ?, ?)",
      kind,
      spaceId,
      fileId,
    )
  }

  /** File ids in ascending order. */
  all(kind: DerivedKind, spaceId = 0): number[] {
    return this.column<number>(
      "SELECT file_id FROM tombstones WHERE kind = ? AND space_id = ? ORDER BY file_id",
      kind,
      spaceId,
    )
  }

  /** Removes the tombstones of files whose data a merge has left out of the new base. */
  remove(kind: DerivedKind, spaceId: number, fileIds: readonly number[]): void {
    const remove = this.db.query("DELETE FROM tombstones WHERE kind = ? AND space_id = ? AND file_id = ?")
    for (const id of fileIds) remove.run(kind, spaceId, id)
  }

  removeSpace(spaceId: number): void {
    this.run("DELETE FROM tombstones WHERE kind = 'vectors' AND space_id = ?", spaceId)
  }
}

/** Facts about the whole index, as key and value. */
class MetaTable extends Table {
  get(key: string): string | null {
    return this.row<{ value: string }>("SELECT value FROM meta WHERE key = ?", key)?.value ?? null
  }

  set(key: string, value: string): void {
    this.run(
      "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
      key,
      value,
    )
  }

  remove(key: string): void {
    this.run("DELETE FROM meta WHERE key = ?", key)
  }

  all(): Map<string, string> {
    return new Map(this.tuples<[string, string]>("SELECT key, value FROM meta"))
  }

  /** The generation of the newest derived files; 0 before the first merge. */
  generation(): number {
    return Number(this.get("generation") ?? 0)
  }

  /**
   * Increments and returns the generation, so that no two merges use the same one. Call it inside the transaction that
   * records it.
   */
  advanceGeneration(): number {
    const next = this.generation() + 1
    this.set("generation", String(next))
    return next
  }
}
