/**
 * store: what is true, and how does it survive a kill?
 *
 * `index.db` and `knowledge.db` are SQLite databases with write-ahead logs. Data that can be computed again lies in derived
 * files: written to a temporary name, synced, renamed, valid once their row (size, checksum) is committed.
 *
 * Words: the leader holds `lock.db` and is the only writer of an index; followers read. Every version of a file has an id
 * that is never reused. A space is the vectors of one embedder.
 *
 * Versions: the migrations of index and memory, SCHEMA_VERSION of the embedding cache and of imported places.
 */

export { type CachedVector, EmbeddingCache } from "./cache/embedding-cache.ts"
export {
  type CopyTarget,
  copyTargetOf,
  type DerivedRow,
  DerivedWatch,
  isAsVerified,
  mapFile,
  mapSmallDerived,
  openRandomAccessFile,
  openSequentialDerived,
  publishDerived,
  type RandomAccessFile,
  type SequentialFile,
  sweepDerived,
  verifyDerived,
} from "./derived/derived-files.ts"
export { foldName, lastName } from "./fold-name.ts"
export { type ExactFile, type ExactPlace, type ExactSource, ExactStore, ROLE } from "./index/exact-places.ts"
export {
  type FileAmount,
  type FileFactsRow,
  type FileRow,
  FilesTable,
  type KnownFile,
  type PlacedFile,
  type UnreadFiles,
} from "./index/files.ts"
export { isOfOlderSchema, openStore, readIndexId } from "./index/open.ts"
export { Store } from "./index/store.ts"
export type { NewSymbol, OutlineRow, SymbolRow } from "./index/symbols.ts"
export type {
  ChunkRow,
  DividedFileRow,
  FileRank,
  NameRank,
  PathWordCount,
  SegmentRow,
  SkippedRow,
  SpaceRow,
  UnembeddedFile,
  UsesRow,
  VectorsRow,
} from "./index/tables.ts"
export { LeaderLock, LeaderLockWatch, LOCK_FILE, lockPath, lockWait } from "./lock/lead.ts"
export { readEngramRows } from "./memory/engram.ts"
export {
  type EntryPair,
  exclusively,
  KnowledgeStore,
  openKnowledgeStore,
  type ReadPair,
} from "./memory/knowledge-store.ts"
export { type Salvaged, salvage } from "./memory/salvage/salvage.ts"
export {
  type ColumnFilter,
  type EntityRow,
  type EntryRow,
  type EventRow,
  MARK_KINDS,
  type MarkKind,
  type ProjectMark,
  type ProjectRow,
  ProjectsTable,
  type RelationRow,
  type SessionRow,
} from "./memory/tables.ts"
export { type CopyState, type OutboxEntry, TeamOutbox } from "./memory/team-outbox.ts"
export { DATABASE_SUFFIXES } from "./open-database.ts"
export { type IndexEntry, Registry } from "./registry.ts"
export {
  DamagedUses,
  damagedIndex,
  fileError,
  isDamage,
  isNoRoom,
  knowledgeError,
  readingUses,
  storeError,
} from "./sqlite-error.ts"

// Loaded when first needed, so that a command starts fast.
export const loadCrashReports = () => import("./crash-reports.ts")
export const loadReleasePages = () => import("./release-pages.ts")
export const loadStore = () => import("./index/store.ts")
