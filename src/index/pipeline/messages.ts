import type { PhaseTimes } from "../../base/log.ts"
import type { ErrorFields } from "../../base/system-error.ts"
import type { RowRange } from "../../code/chunk/chunk.ts"
import type { Config } from "../../config/load.ts"
import type { CodeModel } from "../../embed/static.ts"
import type { DerivedRow } from "../../store/derived/derived.ts"
import type { FileRank, NameRank } from "../../store/index/centrality.ts"
import type { ChunkRow } from "../../store/index/chunks.ts"
import type { DividedFileRow } from "../../store/index/divided-files.ts"
import type { FileRow } from "../../store/index/file-rows.ts"
import type { SegmentRow } from "../../store/index/segments.ts"
import type { SkippedRow } from "../../store/index/skipped.ts"
import type { NewSymbol } from "../../store/index/symbols.ts"
import type { UsesRow } from "../../store/index/uses.ts"
import type { VectorsRow } from "../../store/index/vectors.ts"
import type { SourceText, Unreadable } from "../../text/files/read-source.ts"
import type { Quantization } from "../../vector/port.ts"
import type { PackedChangeScan } from "../changes/detect-changes.ts"
import type { EmbeddableFile } from "../embedding/embed-source.ts"

/** A file to read. `id` is the id for its new version; `knownHash` is the hash of the version in the index. */
export type FileTask = {
  readonly id: number
  readonly path: string
  readonly knownHash: string | null
  /** FILE_FLAG bits that `.gitattributes` sets for the file; absent if it sets none. */
  readonly attributeFlags?: number
  /** True for a file that is read without its syntax tree, because the tree takes too much memory. */
  readonly isPlain?: true
  /** The extracted text of a document, or why it has none; absent for other files, and before it was read. */
  readonly document?: SourceText | Unreadable
  /** The answer of the user's chunker program about the file; absent if it was not asked, or leaves the file to aman. */
  readonly givenChunks?: GivenChunks
}

export type GivenChunks = {
  /** Name of the program. */
  readonly program: string
  /** Hash of the content that the program was sent. */
  readonly hash: string
  /** Rows of its chunks in ascending order; null if it failed, then `failure` says why. */
  readonly rows: readonly RowRange[] | null
  readonly failure: string | null
}

export type ReadLimits = {
  readonly maxFileBytes: number
  readonly chunkTokens: number
  readonly mergeTokens: number
  /** Maximum time for parsing one file; a file that takes longer is chunked by lines. */
  readonly parseTimeoutMs: number
  /** Maximum WebAssembly memory of the thread's parser. */
  readonly maxParserBytes: number
  /** Resident memory of the process in bytes; above it, the worker ends its batch early. */
  readonly pauseBytes: number
}

export type ParseTask = {
  readonly kind: "parse"
  readonly root: string
  readonly files: readonly FileTask[]
  readonly limits: ReadLimits
}

export type FileOutcome =
  | {
      readonly status: "indexed"
      readonly file: FileRow
      readonly chunks: readonly ChunkRow[]
      readonly symbols: readonly NewSymbol[]
      /** Null when there is no syntax tree, from which the uses are derived. */
      readonly uses: UsesRow | null
      /** Null if the user's chunker program was not asked about the file, or left it to aman. */
      readonly divided: DividedFileRow | null
      /** The extracted text of a document; null for other files. */
      readonly documentText: string | null
    }
  | { readonly status: "same"; readonly path: string; readonly size: number; readonly mtimeMs: number }
  | ({ readonly status: "skipped" } & SkippedRow)

export type ParsedBatch = {
  readonly outcomes: readonly FileOutcome[]
  /** The keyword segments of the files that were indexed; usually one. */
  readonly segments: readonly Omit<SegmentRow, "id">[]
  readonly times: PhaseTimes
}

/** Files to embed. `folder` is the folder of the index. The worker only reads index.db. */
export type EmbedTask = EmbedWork & { readonly kind: "embed" }

/** Like EmbedTask, but the result is written to a file in the folder, because it may be large (vector/part-file.ts). */
export type EmbedPartTask = EmbedWork & { readonly kind: "embed-part"; readonly name: string }

export type EmbedWork = {
  readonly root: string
  readonly folder: string
  readonly model: CodeModel
  readonly quantization: Quantization
  readonly maxFileBytes: number
  readonly files: readonly EmbeddableFile[]
}

export type EmbeddedBatch = {
  readonly vectors: readonly VectorsRow[]
}

export type MergeKeywordTask = {
  readonly kind: "merge-keyword"
  readonly folder: string
  readonly generation: number
  /** True to merge all delta segments with the base; false to merge only the deltas, into one more part of the base. */
  readonly isWhole: boolean
}

export type MergedKeyword = {
  readonly row: DerivedRow
  /** The new file contains the segments with ids up to this one. The deleted files in `dead` are dropped. */
  readonly upTo: number
  readonly dead: readonly number[]
}

export type MergeVectorsTask = {
  readonly kind: "merge-vectors"
  readonly folder: string
  readonly generation: number
  readonly spaceId: number
  readonly quantization: Quantization
  readonly memoryLimitBytes: number
  readonly threads: number
  /** Names of files in the folder whose rows go directly into the new table. */
  readonly parts: readonly string[]
}

export type MergedVectors = {
  readonly rows: readonly DerivedRow[]
  /** `files`: ids of files whose delta rows are in the new tables; `tombstones`: ids whose deletion was applied. */
  readonly files: readonly number[]
  readonly dead: readonly number[]
}

export type ScanTask = {
  readonly kind: "scan"
  readonly root: string
  readonly config: Config
  /** The open folder of the index. */
  readonly folder: string
  /** True when the stored snapshot is valid, so that the scan may be compared with it. */
  readonly usable: boolean
  /** The worker sets element 0 to 1 as soon as any difference is found. */
  readonly changeFlag?: Int32Array<SharedArrayBuffer>
}

export type RankTask = { readonly kind: "rank"; readonly folder: string }

export type ProjectRanks = { readonly files: readonly FileRank[]; readonly names: readonly NameRank[] }

export type WorkerTask =
  | ScanTask
  | ParseTask
  | EmbedTask
  | EmbedPartTask
  | MergeKeywordTask
  | MergeVectorsTask
  | RankTask

export type WorkerResults = {
  readonly scan: PackedChangeScan
  readonly parse: ParsedBatch
  readonly embed: EmbeddedBatch
  readonly "embed-part": null
  readonly "merge-keyword": MergedKeyword
  readonly "merge-vectors": MergedVectors
  readonly rank: ProjectRanks
}

/** A message to a worker that is no task; the worker does not reply. */
export type Notice = "parse soon"

/** A compiled parser that a worker requested; `module` is null when the worker must compile it itself. */
export type ParserModule = { readonly key: string; readonly module: WebAssembly.Module | null }

/**
 * A message from a worker. `wasmBytes` is the WebAssembly memory of the worker. It never shrinks, so a worker with a
 * large one is replaced.
 */
export type WorkerReply =
  | { readonly result: WorkerResults[keyof WorkerResults]; readonly wasmBytes: number }
  | { readonly error: ErrorFields; readonly wasmBytes: number }
  /**
   * Progress: number of items of the task that are done. While vectors are added to a graph, `linking` is their total
   * number.
   */
  | { readonly progress: number; readonly linking?: number | undefined }
  /** A request for the compiled parser with this key. */
  | { readonly neededModule: string }
