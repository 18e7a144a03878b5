import type { ErrorFields } from "../../base/system-error.ts"
import type { Config } from "../../config/load.ts"
import type { CodeModel } from "../../embed/builtin/static.ts"
import type { DerivedRow } from "../../store/derived/derived.ts"
import type { FileRank, NameRank } from "../../store/index/centrality.ts"
import type { ChunkRow } from "../../store/index/chunks.ts"
import type { FileRow } from "../../store/index/file-rows.ts"
import type { SegmentRow } from "../../store/index/segments.ts"
import type { SkippedRow } from "../../store/index/skipped.ts"
import type { NewSymbol } from "../../store/index/symbols.ts"
import type { UsesRow } from "../../store/index/uses.ts"
import type { VectorsRow } from "../../store/index/vectors.ts"
import type { Quantization } from "../../vector/port.ts"
import type { PackedChangeScan } from "../changes/detect-changes.ts"
import type { EmbeddableFile } from "../embedding/embed-source.ts"

/** A file to read; `id` is the id its new version will have, `knownHash` that of the version in the index. */
export type FileTask = {
  readonly id: number
  readonly path: string
  readonly knownHash: string | null
  /** FILE_FLAG bits that `.gitattributes` sets for the file; absent where it sets none. */
  readonly attributeFlags?: number
  /** True for a file whose syntax tree takes too much memory. */
  readonly isPlain?: true
}

export type ReadLimits = {
  readonly maxFileBytes: number
  readonly chunkTokens: number
  readonly mergeTokens: number
  /** Per file; a file that takes longer is chunked by lines. */
  readonly parseTimeoutMs: number
  /** Maximum WebAssembly memory of the thread's parser. */
  readonly maxParserBytes: number
  /** Resident memory of the process above which a batch ends early. */
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
      /** Null when there is no syntax tree to derive the file's uses from. */
      readonly uses: UsesRow | null
    }
  | { readonly status: "same"; readonly path: string; readonly size: number; readonly mtimeMs: number }
  | ({ readonly status: "skipped" } & SkippedRow)

export type ParsedBatch = {
  readonly outcomes: readonly FileOutcome[]
  /** The keyword segments of the indexed files; usually one. */
  readonly segments: readonly Omit<SegmentRow, "id">[]
}

/** Files to embed; `folder` is the index's folder. The worker only reads index.db. */
export type EmbedTask = EmbedWork & { readonly kind: "embed" }

/**
 * Like EmbedTask, but the result goes into a file of the folder, because it may be large
 * (vector/part-file.ts).
 */
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
  /** True merges all delta segments with the base; false merges the deltas into one more part of the base. */
  readonly isWhole: boolean
}

export type MergedKeyword = {
  readonly row: DerivedRow
  /** The new file contains the segments up to this id, and has dropped these dead files. */
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
  /** Files in the folder whose rows go straight into the new table. */
  readonly parts: readonly string[]
}

export type MergedVectors = {
  readonly rows: readonly DerivedRow[]
  /** Files whose delta rows are in the new tables, and tombstones that were applied. */
  readonly files: readonly number[]
  readonly dead: readonly number[]
}

export type ScanTask = {
  readonly kind: "scan"
  readonly root: string
  readonly config: Config
  /** The open folder of the index. */
  readonly folder: string
  /** True when the stored snapshot may be compared with. */
  readonly usable: boolean
  /** Set to 1 as soon as any difference is found. */
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

/** A message to a worker that is no task, so that the worker does not reply. */
export type Notice = "parse soon"

/** A compiled parser that a worker requested; null when the worker must compile it itself. */
export type ParserModule = { readonly key: string; readonly module: WebAssembly.Module | null }

/**
 * `wasmBytes`: WebAssembly memory of the worker. It never shrinks, so a worker with much of it is replaced.
 */
export type WorkerReply =
  | { readonly result: WorkerResults[keyof WorkerResults]; readonly wasmBytes: number }
  | { readonly error: ErrorFields; readonly wasmBytes: number }
  /**
   * Progress: how many items of the task are done. `linking` is present while vectors are added to a graph: their
   * total number.
   */
  | { readonly progress: number; readonly linking?: number | undefined }
  /** A request: the key of a compiled parser that the worker needs. */
  | { readonly neededModule: string }
