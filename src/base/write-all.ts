import { writeSync } from "node:fs"

/** All of it, at that place or where the file stands: one call may write less. */
export function writeAll(file: number, data: NodeJS.TypedArray, at: number | null = null): void {
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
  for (let done = 0; done < bytes.length; )
    done += writeSync(file, bytes, done, bytes.length - done, at === null ? null : at + done)
}
