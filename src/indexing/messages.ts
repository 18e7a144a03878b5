import type { ErrorCode } from "../base/errors.ts"
import type { Config } from "../config/load.ts"
import type { CodeModel } from "../embed/static.ts"
import type { FileRank, NameRank } from "../store/centrality.ts"
import type { ChunkRow } from "../store/chunks.ts"
import type { DerivedRow } from "../store/derived.ts"
import type { FileRow } from "../store/file-rows.ts"
import type { SegmentRow } from "../store/segments.ts"
import type { SkippedRow } from "../store/skipped.ts"
import type { NewSymbol } from "../store/symbols.ts"
import type { UsesRow } from "../store/uses.ts"
import type { VectorsRow } from "../store/vectors.ts"
import type { Quantization } from "../vector/port.ts"
import type { EmbeddableFile } from "./embed-source.ts"
import type { PackedLook } from "./look-task.ts"

/** A file to read; `id` is the id its new version will have, `knownHash` that of the version in the index. */
export type FileTask = {
  readonly id: number
  readonly path: string
  readonly knownHash: string | null
  /** FILE_FLAG bits of what `.gitattributes` says of it; absent where it says nothing. */
  readonly said?: number
}

export type ReadLimits = {
  readonly maxFileBytes: number
  readonly chunkTokens: number
  readonly mergeTokens: number
  /** Per file; what takes longer is cut by lines. */
  readonly parseTimeoutMs: number
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
      /** Absent where no syntax tree tells what it uses. */
      readonly uses: UsesRow | null
    }
  | { readonly status: "same"; readonly path: string; readonly size: number; readonly mtimeMs: number }
  | ({ readonly status: "skipped" } & SkippedRow)

export type ParsedBatch = {
  readonly outcomes: readonly FileOutcome[]
  /** The keyword segments of the files indexed; usually one. */
  readonly segments: readonly Omit<SegmentRow, "id">[]
}

/** Everything below `folder`: the index's own. The worker reads index.db, and never writes it. */
export type EmbedTask = EmbedWork & { readonly kind: "embed" }

/** The same into a file of the folder, which may be large (vector/part-file.ts). */
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

export type FoldKeywordTask = {
  readonly kind: "fold-keyword"
  readonly folder: string
  readonly generation: number
  /** True merges what waits with all that was folded; false makes one more part of what waits. */
  readonly isWhole: boolean
}

export type FoldedKeyword = {
  readonly row: DerivedRow
  /** Segments up to this id, and these tombstones, are in the new file. */
  readonly upTo: number
  readonly dead: readonly number[]
}

export type FoldVectorsTask = {
  readonly kind: "fold-vectors"
  readonly folder: string
  readonly generation: number
  readonly spaceId: number
  readonly quantization: Quantization
  readonly memoryLimitBytes: number
  readonly threads: number
  /** Files in the folder whose rows go straight into the new table. */
  readonly parts: readonly string[]
}

export type FoldedVectors = {
  readonly rows: readonly DerivedRow[]
  /** Files whose delta rows are in the new parts, and tombstones that they honour. */
  readonly files: readonly number[]
  readonly dead: readonly number[]
}

export type LookTask = {
  readonly kind: "look"
  readonly root: string
  readonly config: Config
  /** The stored snapshot may be compared with. */
  readonly usable: boolean
  /** Set to 1 as soon as anything is not as it was. */
  readonly sign?: Int32Array<SharedArrayBuffer>
}

export type RankTask = { readonly kind: "rank"; readonly folder: string }

export type Ranked = { readonly files: readonly FileRank[]; readonly names: readonly NameRank[] }

export type WorkerTask =
  | LookTask
  | ParseTask
  | EmbedTask
  | EmbedPartTask
  | FoldKeywordTask
  | FoldVectorsTask
  | RankTask

export type WorkerResults = {
  readonly look: PackedLook
  readonly parse: ParsedBatch
  readonly embed: EmbeddedBatch
  readonly "embed-part": null
  readonly "fold-keyword": FoldedKeyword
  readonly "fold-vectors": FoldedVectors
  readonly rank: Ranked
}

/** No task: nothing is answered. */
export type Notice = "parse soon"

/** A compiled parser that a worker asked for; null where it is to compile that itself. */
export type LentModule = { readonly key: string; readonly module: WebAssembly.Module | null }

/** An error's class does not survive the way out of a worker; `code` is that of an AmanError. */
export type WorkerError = {
  readonly message: string
  readonly code?: ErrorCode
  readonly hint?: string | undefined
}

/** `wasmBytes`: WebAssembly memory of the worker; it never shrinks, so a large one is replaced. */
export type WorkerReply =
  | { readonly result: WorkerResults[keyof WorkerResults]; readonly wasmBytes: number }
  | { readonly error: WorkerError; readonly wasmBytes: number }
  /** Not the end: how much of the task is done; `linking` where it counts vectors of so many in a graph. */
  | { readonly progress: number; readonly linking?: number | undefined }
  /** Nor is this: the key of a compiled parser that it needs. */
  | { readonly wants: string }
