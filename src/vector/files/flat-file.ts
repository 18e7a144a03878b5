import { closeSync, fstatSync, readSync } from "node:fs"
import { openRegularFile } from "../../base/files/files.ts"
import { mapFile } from "../../store/derived/derived-files.ts"
import type { VectorTable } from "../exact/exact.ts"
import { RowsInFile, type RowsPlace, rowsInMemory, storedRows } from "../exact/rows.ts"

/*
 * One file of vectors, little-endian, each part on a multiple of 8 bytes:
 *
 *   scan    i8 × dimensions × searched            the chunk rows rounded to i8, for the scan
 *   chunks  i8, f16 or f32 × dimensions × searched
 *   files   i8 × dimensions × (count − searched)  vectors of whole files
 *   keys    f64 × count                           chunk keys, in the order of the rows
 *   order   u32 × count                           row numbers by ascending key
 *   footer  u32 × 8                               magic, format, dimensions, width, count, searched, has scan, 0
 *
 * The scan rows come first, because usearch always scans from the start of a buffer. They are absent if a graph is used
 * instead of the scan. If the chunk rows are i8 already, they also serve as the scan rows. `count` is the number of all
 * rows, `searched` the number of chunk rows.
 */
const MAGIC = 0x564e_4d41 // "AMNV"
const FORMAT = 3
export const FOOTER_BYTES = 32

export type FlatShape = {
  readonly dimensions: number
  /** Number of bytes per number in the chunk rows. */
  readonly width: number
  readonly count: number
  readonly searched: number
  /** True if the file contains rows that can be scanned; false if there are so many chunks that a graph is used. */
  readonly hasScan: boolean
}

/** Maximum size of a file that is mapped and used in place. Rows of a larger file are read when needed. */
const MAPPED_BYTES = 64 << 20

export type FlatFileOptions = {
  /** Maximum size in bytes of a file that is mapped completely. */
  readonly mappedBytes?: number
  /** True to map the vectors of whole files in a larger table, which is faster when many of them are scored. */
  readonly isMapped?: boolean
}

/** Opens the table in a verified file; null if it is invalid or has another number of dimensions. */
export function openFlat(
  path: string,
  dimensions: number,
  options: FlatFileOptions = {},
): VectorTable | null {
  const { mappedBytes = MAPPED_BYTES, isMapped = true } = options
  const file = openRegularFile(path)
  try {
    const size = fstatSync(file).size
    const shape = readShape(file, size)
    if (shape === null || shape.dimensions !== dimensions) return null
    return size > mappedBytes ? readTable(path, shape, isMapped) : mapTable(path, shape)
  } finally {
    closeSync(file)
  }
}

type ReadShape = FlatShape & { readonly width: RowsPlace["width"] }

function readShape(file: number, size: number): ReadShape | null {
  if (size < FOOTER_BYTES) return null
  const words = new Uint32Array(FOOTER_BYTES / 4)
  readSync(file, words, 0, FOOTER_BYTES, size - FOOTER_BYTES)
  const [magic, format, dimensions, width, count, searched, scan] = words as unknown as number[]
  if (magic !== MAGIC || format !== FORMAT || (width !== 1 && width !== 2 && width !== 4)) return null
  const shape = {
    dimensions: dimensions!,
    width,
    count: count!,
    searched: searched!,
    hasScan: scan === 1,
  } as const
  return shape.searched > shape.count || layout(shape).end !== size ? null : shape
}

function mapTable(path: string, shape: ReadShape): VectorTable | null {
  const bytes = mapFile(path)
  if (bytes === null) return null
  const { dimensions, width, count, searched, hasScan } = shape
  const at = layout(shape)
  const { buffer, byteOffset } = bytes
  const rows = (offset: number, width: number, count: number) =>
    rowsInMemory(storedRows(buffer, byteOffset + offset, width, count * dimensions), dimensions)
  return {
    dimensions,
    scan: hasScan ? new Int8Array(buffer, byteOffset, searched * dimensions) : null,
    chunks: rows(at.chunks, width, searched),
    fileVectors: rows(at.fileVectors, 1, count - searched),
    searched,
    keys: new Float64Array(buffer, byteOffset + at.keys, count),
    order: new Uint32Array(buffer, byteOffset + at.order, count),
  }
}

/**
 * Reads the table in a file. Of a large file, only the scan rows and the keys are mapped through the JavaScript engine,
 * because it counts mapped bytes as its own memory and then collects garbage later. Vectors of whole files are mapped
 * without the engine.
 */
function readTable(path: string, shape: ReadShape, isMapped: boolean): VectorTable | null {
  const { dimensions, width, count, searched, hasScan } = shape
  const at = layout(shape)
  const scan = hasScan ? mapFile(path, { offset: 0, size: searched * dimensions }) : null
  const names = mapFile(path, { offset: at.keys, size: at.order + count * 4 - at.keys })
  if (names === null || (hasScan && scan === null)) return null
  const table = {
    dimensions,
    scan: scan === null ? null : new Int8Array(scan.buffer, scan.byteOffset, scan.length),
    searched,
    keys: new Float64Array(names.buffer, names.byteOffset, count),
    order: new Uint32Array(names.buffer, names.byteOffset + count * 8, count),
  }
  const chunks = new RowsInFile({
    ...{ path, offset: at.chunks, count: searched },
    ...{ dimensions, width, isMapped: false },
  })
  try {
    const fileVectors = { path, offset: at.fileVectors, count: count - searched, dimensions }
    return { ...table, chunks, fileVectors: new RowsInFile({ ...fileVectors, width: 1, isMapped }) }
  } catch (error) {
    chunks.close()
    throw error
  }
}

/** The footer of a file with this shape. */
export function footer({ dimensions, width, count, searched, hasScan }: FlatShape): Uint32Array {
  return Uint32Array.of(MAGIC, FORMAT, dimensions, width, count, searched, hasScan ? 1 : 0, 0)
}

/** The offset of each part in bytes. */
export function layout({ dimensions, width, count, searched, hasScan }: FlatShape) {
  const chunks = align(hasScan && width > 1 ? searched * dimensions : 0)
  const fileVectors = align(chunks + searched * dimensions * width)
  const keys = align(fileVectors + (count - searched) * dimensions)
  const order = keys + count * 8
  return { chunks, fileVectors, keys, order, end: align(order + count * 4) + FOOTER_BYTES }
}

function align(bytes: number): number {
  return Math.ceil(bytes / 8) * 8
}
