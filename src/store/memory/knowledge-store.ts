import { Database } from "bun:sqlite"
import { chmodSync, existsSync, readdirSync, rmSync, statSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import {
  AmanError,
  cannotWrite,
  displayPath,
  type FileInFolder,
  fileIdentity,
  type OpenFolder,
  openFolderOf,
} from "../../base/index.ts"
import { limitedWaitMs } from "../lock/lead.ts"
import { openDatabase } from "../open-database.ts"
import { SharedMemoryFile } from "../shared-memory.ts"
import { isFull, knowledgeError, migrate, openFrozen, schemaVersion } from "../sqlite-error.ts"
import {
  BEGIN_WRITING,
  BUSY_TIMEOUT_MS,
  beginWritingIfFree,
  isBusy,
  isNewer,
  refuseNewer,
  runWhenFree,
} from "./begin.ts"
import { damagesOf, truthDamages } from "./check-store.ts"
import { KNOWLEDGE_MIGRATIONS } from "./migrations/list.ts"
import { damagedStore, hasTable, isCorrupt, sealRows } from "./seal.ts"
import { EntitiesTable, EntriesTable, EventsTable, ProjectsTable, RelationsTable } from "./tables.ts"

/** SQLite's page cache, in KiB, while the recall index is read. */
const IMAGE_CACHE_KIB = 512

/** Maximum time in ms that `scrub` waits for other connections. Most reads finish within milliseconds. */
const SCRUB_TIMEOUT_MS = 1000

/** One open knowledge.db: access to its tables, and operations on the whole file. */
export class KnowledgeStore {
  readonly path: string
  readonly readonly: boolean
  readonly events: EventsTable
  readonly entries: EntriesTable
  readonly entities: EntitiesTable
  readonly relations: RelationsTable
  readonly computed: ComputedTables
  readonly vectors: EntryVectorsTable
  readonly readings: EntryReadingsTable
  readonly projects: ProjectsTable
  readonly derived: DerivedTables
  readonly #db: Database
  readonly #folder: OpenFolder | null
  readonly #identity: string
  readonly #sharedMemory: SharedMemoryFile

  /**
   * The store closes `folder` when it is closed. `identity` identifies the file as it was before it was opened; "" if
   * it did not exist.
   */
  constructor(db: Database, path: string, readonly: boolean, folder: OpenFolder | null, identity = "") {
    this.#db = db
    this.#folder = folder
    this.#identity = identity === "" ? fileIdentity(path) : identity
    this.#sharedMemory = new SharedMemoryFile(path)
    this.path = path
    this.readonly = readonly
    this.events = new EventsTable(db)
    this.entries = new EntriesTable(db)
    this.entities = new EntitiesTable(db)
    this.relations = new RelationsTable(db)
    this.computed = new ComputedTables(db)
    this.vectors = new EntryVectorsTable(db)
    this.readings = new EntryReadingsTable(db)
    this.projects = new ProjectsTable(db)
    this.derived = new DerivedTables(db)
  }

  /**
   * Repairs the -shm file if it was truncated. Returns false once the folder of the file was replaced by another folder
   * or a link.
   */
  get isInPlace(): boolean {
    this.#sharedMemory.mend()
    return this.#folder?.isInPlace !== false
  }

  /** Like `isInPlace`; also false once the file itself was replaced, as `memory recover` does. */
  get isCurrent(): boolean {
    return this.isInPlace && (this.#identity === "" || fileIdentity(this.path) === this.#identity)
  }

  /**
   * Runs `write` as one transaction. The write lock is taken first, so that the transaction cannot fail half-way
   * because another process holds the lock.
   */
  transaction<T>(write: () => T): T {
    return this.#guarded(() => {
      if (this.#db.inTransaction) return write()
      this.#folder?.requireInPlace()
      runWhenFree(this.#db, BEGIN_WRITING)
      return this.#finish(() => {
        // A write to a file that has been replaced would seem to succeed and then be lost.
        if (!this.isCurrent) throw replaced(this.path)
        refuseNewer(this.#db, this.path)
        return write()
      })
    })
  }

  get inTransaction(): boolean {
    return this.#db.inTransaction
  }

  /** Like `transaction`, but does nothing if another process holds the write lock. */
  transactionIfFree(write: () => void): void {
    this.#guarded(() => {
      if (this.isCurrent && beginWritingIfFree(this.#db)) {
        this.#finish(() => {
          // If a newer aman has migrated the file, the write is skipped instead of failing, because only caches are
          // written here.
          if (!isNewer(this.#db)) write()
        })
      }
    })
  }

  /** Runs several reads on one state of the database. */
  consistently<T>(read: () => T): T {
    return this.#guarded(() => (this.#db.inTransaction ? read() : this.#db.transaction(read).deferred()))
  }

  /** Paths of the copies that `memory recover` has kept of a damaged file beside this one, or left when it was killed. */
  damagedCopies(): string[] {
    const [folder, name] = [dirname(this.path), RegExp.escape(basename(this.path))]
    const copy = new RegExp(`^${name}\\.(?:damaged-\\d{14}|reading|recovered)(?:-wal|-shm|-journal)?$`)
    const files = readdirSync(folder, { withFileTypes: true }).filter(
      (each) => each.isFile() && copy.test(each.name),
    )
    return files.map((file) => join(folder, file.name)).sort()
  }

  /**
   * Erases deleted data from the disk: removes the copies of a damaged file, rewrites the file and empties the log. False if
   * other processes kept the database busy, so that some deleted data remains.
   */
  scrub(): boolean {
    this.#db.run(`PRAGMA busy_timeout = ${SCRUB_TIMEOUT_MS}`)
    try {
      for (const copy of this.damagedCopies()) rmSync(copy, { force: true })
      return this.#guarded(() => {
        this.#db.run("VACUUM")
        const row = this.#db.query<{ busy: number }, []>("PRAGMA wal_checkpoint(TRUNCATE)").get()
        return row?.busy === 0
      })
    } catch (error) {
      // On Windows, a file that another process has open cannot be removed.
      if (["KNOWLEDGE_BUSY", "EBUSY", "EPERM"].includes((error as { code: string }).code)) return false
      throw error
    } finally {
      this.#db.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
    }
  }

  /** The damages of the file, one line each. Reads the whole file. */
  damages(): string[] {
    return this.#guarded(() => this.consistently(() => damagesOf(this.#db)))
  }

  /** Throws KNOWLEDGE_CORRUPT if the file is damaged. Called when a lookup found nothing, because damage may be the cause. */
  requireSound(): void {
    const [first] = this.damages()
    if (first !== undefined) throw damagedStore(first)
  }

  /** The damages in tables that cannot be rebuilt from other tables. Call it inside a transaction. */
  truthDamages(): string[] {
    return this.#guarded(() => truthDamages(this.#db))
  }

  close(): void {
    this.#db.close()
    this.#sharedMemory[Symbol.dispose]()
    this.#folder?.[Symbol.dispose]()
  }

  [Symbol.dispose](): void {
    this.close()
  }

  #finish<T>(write: () => T): T {
    try {
      const result = write()
      this.#db.run("COMMIT")
      return result
    } catch (error) {
      // SQLite may already have rolled back the transaction, for example because the disk is full.
      if (this.#db.inTransaction) this.#db.run("ROLLBACK")
      throw error
    }
  }

  #guarded<T>(act: () => T): T {
    try {
      return act()
    } catch (error) {
      throw knowledgeError(error, this.path)
    }
  }
}

function replaced(path: string): AmanError {
  const hint = "nothing was written; try again"
  return new AmanError("KNOWLEDGE_BUSY", `${path} was replaced by another file`, { hint })
}

/**
 * The columns of each table that is folded from the log, with the id first. Columns that depend on when the table was
 * folded are left out.
 */
const CONTENTS: Readonly<Record<string, string>> = {
  entries: `SELECT id, project, topic, kind, key, author, role, session, ordinal, path, recorded_at, revised_at,
    valid_from, valid_until, superseded_at, superseded_by, deleted_at, text_hash, body FROM main.entries`,
  entry_tags: "SELECT entry, tag FROM main.entry_tags",
  entry_entities: "SELECT entry, name FROM main.entry_entities",
  entry_likeness: `SELECT coalesce(e.id, 'row ' || l.entry), l.key
    FROM main.entry_likeness AS l LEFT JOIN main.entries AS e ON e.row = l.entry`,
  entities: "SELECT id, project, merged_into, deleted_at, body FROM main.entities",
  entity_names: "SELECT entity, name FROM main.entity_names",
  relations: "SELECT id, deleted_at, body FROM main.relations",
}

/** All derived tables together. They can be emptied, filled again from the log, and compared with their former content. */
class DerivedTables {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** Copies the tables to temporary tables and empties them. Call it inside the transaction that fills them again. */
  clear(): void {
    for (const [table, contents] of Object.entries(CONTENTS))
      this.#db.run(`CREATE TEMP TABLE former_${table} AS ${contents}`)
    for (const table of Object.keys(CONTENTS)) this.#db.run(`DELETE FROM main.${table}`)
  }

  /** Sorted ids of the rows that differ from the temporary copies. Drops the copies afterwards. */
  differing(): string[] {
    const ids = new Set<string>()
    for (const [table, contents] of Object.entries(CONTENTS)) {
      const former = `SELECT * FROM temp.former_${table}`
      for (const sql of [`${former} EXCEPT ${contents}`, `${contents} EXCEPT ${former}`])
        for (const [id] of this.#db.query<never, []>(sql).values() as [string][]) ids.add(id)
      this.#db.run(`DROP TABLE temp.former_${table}`)
    }
    return [...ids].sort()
  }
}

/** Cached results that are computed from all entries and expensive to compute. They are cleared when an entry is purged. */
class ComputedTables {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** The stored parts of the recall index and of the graph, by name; null if none are stored. */
  parts(): Map<string, Uint8Array> | null {
    if (!hasTable(this.#db, "recall_image")) return null
    // Each page is read only once. Keeping the pages would use as much memory as the page cache may have.
    const { cache_size: usual } = this.#db.query<{ cache_size: number }, []>("PRAGMA cache_size").get()!
    this.#db.run(`PRAGMA cache_size = ${-IMAGE_CACHE_KIB}`)
    const rows = this.#db.query<never, []>("SELECT name, blob FROM recall_image").values()
    this.#db.run(`PRAGMA cache_size = ${usual}`)
    return rows.length === 0 ? null : new Map(rows as unknown as [string, Uint8Array][])
  }

  /** Replaces all parts by those of a recall index. */
  putImage(parts: ReadonlyMap<string, Uint8Array>): void {
    this.clear()
    this.#put(parts)
  }

  /** Replaces the parts of the graph; their names begin with "graph.". */
  putGraph(parts: ReadonlyMap<string, Uint8Array>): void {
    this.#db.run("DELETE FROM recall_image WHERE name LIKE 'graph.%'")
    this.#put(parts)
  }

  #put(parts: ReadonlyMap<string, Uint8Array>): void {
    // In a damaged file, a deleted row may still be in the index of the names.
    const put = this.#db.query("INSERT OR REPLACE INTO recall_image (name, blob) VALUES (?, ?)")
    for (const [name, blob] of parts) put.run(name, blob)
  }

  clear(): void {
    this.#db.run("DELETE FROM recall_image")
  }
}

type EntryVectorsRow = { readonly entry: string; readonly textHash: string; readonly blob: Uint8Array }

/** Vectors of entries in a configured space. A vector is valid until the text of its entry changes. */
class EntryVectorsTable {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** The name of the space, as passed to `enter`; null if there is none. */
  space(): string | null {
    if (!hasTable(this.#db, "entry_vectors")) return null
    return this.#db.query<{ body: string }, []>("SELECT body FROM vector_space").get()?.body ?? null
  }

  /** Sets the space, and removes the vectors of the previous one. */
  enter(space: string): void {
    this.#db.run("DELETE FROM entry_vectors")
    this.#db
      .query(
        "INSERT INTO vector_space (one, body) VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET body = excluded.body",
      )
      .run(space)
  }

  /** Stores a vector, unless the entry was removed or its text has changed in the meantime. */
  put({ entry, textHash, blob }: EntryVectorsRow): void {
    this.#db
      .query(
        `INSERT OR REPLACE INTO entry_vectors (entry, text_hash, blob)
         SELECT id, text_hash, ?3 FROM entries WHERE id = ?1 AND text_hash = ?2`,
      )
      .run(entry, textHash, blob)
  }

  /** Vectors of the given entries, except entries whose text has changed since. */
  of(entries: readonly string[]): { entry: string; blob: Uint8Array }[] {
    if (!hasTable(this.#db, "entry_vectors")) return []
    return this.#db
      .query<{ entry: string; blob: Uint8Array }, [string]>(
        `SELECT v.entry, v.blob FROM json_each(?) AS wanted JOIN entry_vectors AS v ON v.entry = wanted.value
         JOIN entries AS e ON e.id = v.entry AND e.text_hash = v.text_hash`,
      )
      .all(JSON.stringify(entries))
  }

  /** Number of entries that are not deleted and have a vector for their current text. */
  count(): number {
    if (!hasTable(this.#db, "entry_vectors")) return 0
    return this.#db
      .query<{ n: number }, []>(
        `SELECT count(*) AS n FROM entry_vectors AS v
         JOIN entries AS e ON e.id = v.entry AND e.text_hash = v.text_hash WHERE e.deleted_at IS NULL`,
      )
      .get()!.n
  }
}

/** Two entries, and the log odds that the newer one makes the older one untrue. */
export type EntryPair = Readonly<Record<"older" | "newer", string> & { odds: number }>

/** A pair, and the hashes of the texts that were read. */
export type ReadPair = EntryPair & Readonly<Record<"olderHash" | "newerHash", string>>

/** Entries that were read, each together with others. An entry counts as read by its reader until it changes. */
class EntryReadingsTable {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** Stores what was read of an entry, without what has changed in the meantime. */
  put(reader: string, entry: string, textHash: string, pairs: readonly ReadPair[]): void {
    this.#db
      .query(
        "INSERT OR REPLACE INTO entry_readings SELECT id, ?, text_hash FROM entries WHERE id = ? AND text_hash = ?",
      )
      .run(reader, entry, textHash)
    const isSame = (side: string) =>
      `EXISTS (SELECT 1 FROM entries WHERE id = value ->> '${side}' AND text_hash = value ->> '${side}Hash')`
    this.#db
      .query(
        `INSERT OR REPLACE INTO entry_pairs
         SELECT value ->> 'older', value ->> 'newer', value ->> 'olderHash', value ->> 'newerHash', ?2, value ->> 'odds'
         FROM json_each(?1) WHERE ${isSame("older")} AND ${isSame("newer")}`,
      )
      .run(JSON.stringify(pairs), reader)
  }

  /** The notes that hold and were not read since they changed. */
  unread(reader: string): { id: string; project: string | null }[] {
    if (!hasTable(this.#db, "entry_pairs")) return []
    const rows = this.#db.query<{ id: string; project: string | null }, [string]>(
      `SELECT e.id, e.project FROM entries AS e LEFT JOIN entry_readings AS r
       ON r.entry = e.id AND r.text_hash = e.text_hash AND r.reader = ?
       WHERE r.entry IS NULL AND e.session IS NULL AND e.deleted_at IS NULL AND e.superseded_at IS NULL`,
    )
    return rows.all(reader)
  }

  /** What was read of the given entries, together with any others, with at least these odds, unless a text has changed since. */
  pairsOf(reader: string, entries: readonly string[], least: number): EntryPair[] {
    if (!hasTable(this.#db, "entry_pairs")) return []
    const by = (side: string) =>
      `SELECT p.older, p.newer, p.odds FROM json_each(?1) AS wanted JOIN entry_pairs AS p ON p.${side} = wanted.value
       JOIN entries AS o ON o.id = p.older AND o.text_hash = p.older_hash
       JOIN entries AS n ON n.id = p.newer AND n.text_hash = p.newer_hash WHERE p.reader = ?2 AND p.odds >= ?3`
    const rows = this.#db.query<EntryPair, [string, string, number]>(`${by("older")} UNION ${by("newer")}`)
    return rows.all(JSON.stringify(entries), reader, least)
  }
}

/** Options for the file: its user only may read it. Hard links are allowed, because users may keep them as backups. */
const OWN = { rights: 0o600, maxHardLinks: Number.POSITIVE_INFINITY }

const CACHE_KIB = 16_384
const WAL_LIMIT_BYTES = 4 << 20

/**
 * Opens the user's knowledge. Creates the file if it is missing; with `readonly`, a missing file counts as an empty
 * store. Throws KNOWLEDGE_CORRUPT or KNOWLEDGE_NEWER without changing the file, because it cannot be rebuilt.
 */
export function openKnowledgeStore(path: string, options: { readonly?: boolean } = {}): KnowledgeStore {
  const readonly = options.readonly ?? false
  let db: Database | undefined
  let file: FileInFolder | null = null
  try {
    if (path !== ":memory:") file = readonly ? openFolderOf(path) : openNew(path)
    const at = file?.at ?? path
    if (readonly && !existsSync(at) && sizeOf(`${at}-wal`) === 0) {
      file?.[Symbol.dispose]()
      return new KnowledgeStore(empty(), path, true, null)
    }
    // The identity is read before opening: while a recovery runs, opening may wait and then return the file that the
    // recovery has replaced.
    const identity = fileIdentity(at)
    // SQLite would delete the log.
    if (sizeOf(at) === 0 && sizeOf(`${at}-wal`) > 0)
      throw damagedStore("the file is empty, but its log is not")
    db = readonly ? openForReading(at) : openForWriting(at)
    return new KnowledgeStore(db, path, readonly, file?.folder ?? null, identity)
  } catch (error) {
    db?.close()
    file?.[Symbol.dispose]()
    throw knowledgeError(error, path)
  }
}

/** The size in bytes; 0 if there is no file. */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

function openForWriting(path: string): Database {
  const db = openDatabase(path, "create", OWN)
  try {
    if (path !== ":memory:") keepPrivate(path)
    // This comes first, because every later statement may have to wait for another process.
    db.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
    refuseNewer(db, path)
    runWhenFree(db, "PRAGMA journal_mode = WAL")
    // The log is synced at each commit, so that data survives a power failure once a write has succeeded. Measured:
    // 0.25 ms per commit.
    db.run("PRAGMA synchronous = FULL")
    migrate(db, KNOWLEDGE_MIGRATIONS)
    sealRows(db)
    db.run(`PRAGMA journal_size_limit = ${WAL_LIMIT_BYTES}`)
    tune(db)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** Opens the file for reading. If the folder is read-only or the disk is full, a file without a log is opened as immutable. */
function openForReading(path: string): Database {
  const db = openDatabase(path, "read", OWN)
  try {
    db.run(`PRAGMA busy_timeout = ${limitedWaitMs(BUSY_TIMEOUT_MS)}`)
    return openReadable(db, path)
  } catch (error) {
    db.close()
    if (!isAllInTheFile(error, path)) throw error
    return openReadable(openFrozen(path), path)
  }
}

/**
 * True if the file can be read without its log: in a folder that cannot be written to, if there is none. On a full disk
 * a failed writer leaves an empty log, which contains no data.
 */
function isAllInTheFile(error: unknown, path: string): boolean {
  const code = (error as { code?: string }).code ?? ""
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false })
  if (/CANTOPEN|READONLY/.test(code)) return log === undefined
  return isFull(code) && (log?.size ?? 0) === 0
}

function openReadable(db: Database, path: string): Database {
  refuseNewer(db, path)
  if (schemaVersion(db) === 0) {
    // The file has no tables, because the process that created it was killed before its first transaction.
    db.close()
    return empty()
  }
  tune(db)
  return db
}

function empty(): Database {
  const db = new Database(":memory:")
  migrate(db, KNOWLEDGE_MIGRATIONS)
  return db
}

function tune(db: Database): void {
  db.run(`PRAGMA cache_size = -${CACHE_KIB}`)
  db.run("PRAGMA temp_store = MEMORY")
  // Detects more kinds of damaged pages before their content is used.
  db.run("PRAGMA cell_size_check = ON")
}

/** Makes the file readable by the user only; throws if that is not possible. */
function keepPrivate(path: string): void {
  try {
    chmodSync(path, 0o600)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const hint = "set AMAN_DATA_DIR to a folder of your own"
    if (code !== "EPERM" && code !== "ENOTSUP") throw cannotWrite(path, error, hint)
    // The file belongs to another user, or its file system has no permissions. It may still be writable.
    throw new AmanError("IO", `${displayPath(path)} cannot be made private: ${message}`, {
      hint,
      cause: error,
    })
  }
}

function openNew(path: string): FileInFolder {
  try {
    return openFolderOf(path, { make: 0o700 })
  } catch (error) {
    throw cannotWrite(dirname(path), error, "set AMAN_DATA_DIR to another folder")
  }
}

const WAIT_MS = 3000

/**
 * Runs `act` while no other process has the file open, and passes it the highest event number, or null if that cannot
 * be read. Afterwards there is no log beside the file. Throws KNOWLEDGE_BUSY if another process has the file open. A
 * file that is too damaged for SQLite to open cannot be locked, but then no process can write it either.
 */
export function exclusively<T>(path: string, act: (lastSeq: number | null) => T): T {
  const db = locked(path)
  try {
    return act(db === null ? null : lastSeq(db))
  } finally {
    db?.close()
  }
}

function locked(path: string): Database | null {
  let db: Database | undefined
  try {
    db = openDatabase(path, "write", { maxHardLinks: Number.POSITIVE_INFINITY })
    db.run(`PRAGMA busy_timeout = ${WAIT_MS}`)
    // SQLite leaves write-ahead logging only on the last connection, so this fails while another process has the file
    // open.
    db.query("PRAGMA journal_mode = DELETE").get()
    db.run("BEGIN EXCLUSIVE")
    return db
  } catch (error) {
    db?.close()
    if (isCorrupt(error)) return null
    if (!isBusy(error)) throw error
    throw new AmanError("KNOWLEDGE_BUSY", `another process has ${displayPath(path)} open`, {
      hint: "stop all programs that use it (agents with an aman server, aman serve), then try again",
      cause: error,
    })
  }
}

function lastSeq(db: Database): number | null {
  try {
    return db.query<{ seq: number | null }, []>("SELECT max(seq) AS seq FROM events").get()?.seq ?? 0
  } catch {
    return null
  }
}
