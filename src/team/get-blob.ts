import { AmanError } from "../base/errors.ts"
import { sha256 } from "../base/files/files.ts"

/** Where blobs are read, each by the SHA-256 of its bytes (64 hexadecimal digits). */
export type BlobSource = {
  /** The blob's bytes; null if there is none. The caller checks the bytes against the hash. */
  get(hash: string): Promise<Uint8Array | null>
}

/** The blob; throws TEAM if it is missing or its bytes do not have this hash. */
export async function getBlob(store: BlobSource, hash: string): Promise<Uint8Array> {
  const bytes = await store.get(hash)
  if (bytes !== null && sha256(bytes) === hash) return bytes
  throw new AmanError(
    "TEAM",
    `segment ${hash.slice(0, 12)} of the team is ${bytes === null ? "missing" : "damaged"}`,
    { hint: "ask for the repository to be indexed again: aman team sync NAME" },
  )
}
