import { createReadStream } from "node:fs"
import { resolve } from "node:path"
import { AmanError } from "../../base/errors.ts"
import { type BatchEntry, readBatch } from "../../knowledge/exchange/batch.ts"
import type { AskedEntry } from "./new-entry.ts"

/** Entries of a file of JSON Lines, or of what comes in on stdin. */
export async function readBatchFile(
  file: string,
  cwd: string,
  stdin: AsyncIterable<Uint8Array>,
  options: { skipBad?: boolean } = {},
): Promise<AskedEntry[]> {
  const { entries } = await readBatch(file === "-" ? stdin : bytesOf(resolve(cwd, file)), file, options)
  return entries.map(({ line: _, ...entry }: BatchEntry) => entry)
}

async function* bytesOf(path: string): AsyncIterable<Uint8Array> {
  try {
    yield* createReadStream(path)
  } catch (cause) {
    throw new AmanError("NOT_FOUND", `cannot read ${path}: ${(cause as Error).message}`, {
      hint: "name a file of JSON Lines, or - for stdin",
      cause,
    })
  }
}
