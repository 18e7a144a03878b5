import { closeSync, readSync } from "node:fs"
import { createFile } from "../../base/files/create-file.ts"
import { openRegularFile, writeAll } from "../../base/files/files.ts"
import type { VectorsRow } from "../../store/index/vectors.ts"

/*
 * The vectors that one task has computed, file after file. For each file:
 *
 *   head      f64 × 3     file id, bytes of ordinals, bytes of rows
 *   ordinals  and rows, as in a row of the store
 *
 * It is written by one thread and read by another of the same run. The next sweep of the index folder removes it.
 */
const HEAD_BYTES = 24

/** Writes rows as they are produced. The file is complete when the returned promise is fulfilled. */
export async function writePart(path: string, rows: AsyncIterable<VectorsRow>): Promise<void> {
  const file = createFile(path)
  try {
    for await (const { fileId, ordinals, rows: bytes } of rows) {
      const head = Float64Array.of(fileId, ordinals.length, bytes.length)
      for (const part of [new Uint8Array(head.buffer), ordinals, bytes]) writeAll(file, part)
    }
  } finally {
    closeSync(file)
  }
}

/** Yields the rows of a file in order. Throws if the file ends in the middle of a row. */
export function* readRows(path: string): Generator<VectorsRow> {
  const file = openRegularFile(path)
  try {
    const head = new Float64Array(HEAD_BYTES / 8)
    while (readFully(file, new Uint8Array(head.buffer)) > 0) {
      const [fileId, ordinalBytes, rowBytes] = head as unknown as [number, number, number]
      const body = new Uint8Array(ordinalBytes + rowBytes)
      if (readFully(file, body) < body.length) throw new Error(`${path} is cut`)
      yield { fileId, ordinals: body.subarray(0, ordinalBytes), rows: body.subarray(ordinalBytes) }
    }
  } finally {
    closeSync(file)
  }
}

/** Fills `bytes` and returns the number of bytes read. The number is smaller only at the end of the file. */
function readFully(file: number, bytes: Uint8Array): number {
  let at = 0
  for (let read = -1; read !== 0 && at < bytes.length; at += read) {
    read = readSync(file, bytes, at, bytes.length - at, null)
  }
  return at
}
