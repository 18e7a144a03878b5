/**
 * index: how does a project become searchable, and who may read it meanwhile?
 *
 * Writing: changes → parse in worker threads → one transaction per batch → merge → vectors; an event of `watch` is only
 * a hint, `changes` decides what changed. Reading: `open` finds the
 * root and opens one state of the index, which does not change while it is read.
 *
 * Words: a batch becomes visible at once; a delta is its postings in the database; a segment is an immutable file into
 * which deltas are merged; the header document is a file's first document, with its path and names; an embedder makes
 * vectors; the built-in space always exists, the configured one when the user chose an embedder.
 *
 * Versions: INDEX_VERSION (everything is built again), FORMAT_VERSION of segments, FORMAT of vectors, graphs and the word
 * table, PREPARATION_VERSION of texts for an embedder.
 */

export { detectChanges, rescan, statAt, statDifferences } from "./changes/detect-changes.ts"
export {
  BATCH_TEXTS,
  configuredEmbedder,
  type QueryVector,
} from "./embed/embedder.ts"
export { askSearcher, commandWords, programName } from "./embed/line-program.ts"
export {
  detectModel,
  type EmbedderChoice,
  type EmbedderReport,
  embedderChoice,
  embedPolicies,
  modelName,
  probeEmbedder,
  unusedOllama,
} from "./embed/model.ts"
export { type Embedder, type EmbeddingSpace, isSameSpace } from "./embed/port.ts"
export { configuredReranker } from "./embed/reranker.ts"
export { createStaticEmbedder, isCodeSpace } from "./embed/static.ts"
export { embedStatic768, STATIC768_DIMENSIONS } from "./embed/static768.ts"
export const loadEncoderProcess = () => import("./encoder/encoder-process.ts")
export type { NearMeanings } from "./encoder/meanings.ts"
export { type ReadPairs, sentenceEncoder } from "./encoder/sentence-encoder.ts"
export {
  type PackedCommits,
  readEdits,
  recentCommits,
  revertedChanges,
  shortHash,
  shownHistoryOf,
} from "./history/commits.ts"
export { ensureIndexFolder, indexFolderSize, indexPath, openIndexFolder } from "./index-folder.ts"
export { INDEX_VERSION, type IndexState, readState } from "./index-state.ts"
export type { KeywordIndex } from "./keyword/keyword-index.ts"
export type { ChunkHit, FileHit, KeywordAnswer, QueryTerm, SymbolHit } from "./keyword/port.ts"
export {
  type FileFeatures,
  isCatalog,
  isRecordStem,
  isTranslation,
  olderVersionPaths,
  type PathOfFile,
  type PathTerm,
  RECORD_WORDS,
  variantGroups,
} from "./open/file-facts.ts"
export { chunkersOf, indexNotices, partialIndex, searchablePaths, whyEmpty } from "./open/notices.ts"
export { openProject, Project, type ProjectOptions } from "./open/open-project.ts"
export { foldersAbove, Packages, type ReadText } from "./open/packages.ts"
export {
  belowRoot,
  FROM_ROOT,
  filtersIn,
  type ProjectPlace,
  projectPath,
  withoutLines,
  withoutMark,
} from "./open/project-path.ts"
export { choiceFor, openQueryEmbedder } from "./open/query-embedders.ts"
export { type ListedFile, listFiles, type ReadRequest, readFile } from "./open/read-file.ts"
export { IndexReader } from "./open/reader.ts"
export {
  findRoot,
  isTopMarker,
  projectRoot,
  projectTypeOf,
  type RootChoice,
  requireFolder,
  unlessNoProject,
} from "./open/root.ts"
export { IndexFilesChanged, type SearchSources } from "./open/sources.ts"
export { priorityOrder } from "./pipeline/read-files.ts"
export { isSameShape } from "./pipeline/run.ts"
export { MEMORY_REASON } from "./pipeline/worker-pool.ts"
export {
  changedKey,
  fingerprint,
  isLoggedIn,
  type RevisionOffer,
  TeamClient,
  type TeamLogin,
  TeamUnreachable,
  teamClient,
  teamLogin,
  teamNameOf,
} from "./team/client.ts"
export { packedTree } from "./team/packed-tree.ts"
export {
  ALL,
  type PullAnswer,
  type PushAnswer,
  type PushedEntry,
  type ReadableRepository,
  requestOf,
  TEAM_PREFIX,
  teamName,
} from "./team/wire.ts"
export { ensureFresh, FreshnessCheck, type Snapshot } from "./update/ensure-fresh.ts"
export {
  type IndexOptions,
  indexContents,
  indexProject,
} from "./update/index-project.ts"
export {
  foreignIndexIn,
  isForeignIndex,
  openRegistry,
  type RemovedIndex,
  removeIndex,
} from "./update/index-trust.ts"
export { IndexUpdater, type WatchedRun } from "./update/index-updater.ts"
export { Indexer } from "./update/indexer.ts"
export {
  type AnswerOptions,
  type ReindexOutcome,
  reindex,
  snapshotFor,
  withIndexRepair,
} from "./update/with-index-repair.ts"
export { lastOfRun } from "./vector/exact.ts"
export { loadNative, nativeFailure } from "./vector/native.ts"
export {
  CHUNK_KEY_STRIDE,
  type ChunkKey,
  type ChunkScorer,
  NAMES_VECTOR,
  PATH_VECTOR,
  TEXT_VECTOR,
  type VectorHit,
  type VectorIndex,
} from "./vector/port.ts"
export { RowTable } from "./vector/products.ts"
export { dot, lengthOf, type Probe, probeOf, toScanRows } from "./vector/rows.ts"

// Loaded when first needed, so that a command starts fast.
export const loadTeamClient = () => import("./team/client.ts")
export const loadIndexProject = () => import("./update/index-project.ts")
export const loadIndexTrust = () => import("./update/index-trust.ts")
export const loadIndexUpdater = () => import("./update/index-updater.ts")
export const loadOpenProject = () => import("./open/open-project.ts")
export const loadReadFile = () => import("./open/read-file.ts")
export const loadWithIndexRepair = () => import("./update/with-index-repair.ts")
export const loadWorkerPool = () => import("./pipeline/worker-pool.ts")
