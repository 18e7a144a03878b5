import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs"
import { dirname, isAbsolute, join } from "node:path"
import type { BlobSource } from "../../../src/ask/index.ts"
import { AmanError, replaceFile } from "../../../src/base/index.ts"
import type { Catalogue } from "../catalogue/catalogue.ts"
import { S3Blobs } from "./s3-blobs.ts"

/** Stores blobs, each under the SHA-256 of its bytes (64 hexadecimal digits). A stored blob never changes. */
export type BlobStore = BlobSource & {
  put(hash: string, bytes: Uint8Array): Promise<void>
  /**
   * Removes the bytes of a blob. Null for a store in which the database removes the bytes together with the blob's
   * row.
   */
  readonly remove: ((hashes: readonly string[]) => Promise<void>) | null
}

/**
 * Max bytes of a row. A blob is stored in several rows, because rows of more than about a megabyte slow PostgreSQL
 * down.
 */
const PART_BYTES = 256 * 1024

/**
 * The store that `place` names: "" for the database itself, s3://BUCKET/PREFIX, or a folder that all workers and nodes
 * share. `env` has the credentials of an S3 store.
 */
export function openBlobStore(
  catalogue: Catalogue,
  place: string,
  env: Readonly<Record<string, string | undefined>>,
): BlobStore {
  if (place === "") return new DatabaseBlobs(catalogue)
  if (place.startsWith("s3:")) return new S3Blobs(place, env)
  if (isAbsolute(place)) return new FolderBlobs(place)
  throw new AmanError("USAGE", `${JSON.stringify(place)} is not a place for the team's segments`, {
    hint: "set AMAN_TEAM_BLOBS to an absolute folder or to s3://BUCKET, or leave it out to keep them in the database",
  })
}

class DatabaseBlobs implements BlobStore {
  readonly #catalogue: Catalogue

  constructor(catalogue: Catalogue) {
    this.#catalogue = catalogue
  }

  async put(hash: string, bytes: Uint8Array): Promise<void> {
    const key = Buffer.from(hash, "hex")
    await this.#catalogue.transaction(async (sql) => {
      await sql`INSERT INTO aman.blobs (hash, size) VALUES (${key}, ${bytes.length}) ON CONFLICT DO NOTHING`
      for (let part = 0; part * PART_BYTES < bytes.length; part++) {
        const data = Buffer.from(bytes.subarray(part * PART_BYTES, (part + 1) * PART_BYTES))
        await sql`INSERT INTO aman.blob_parts VALUES (${key}, ${part}, ${data}) ON CONFLICT DO NOTHING`
      }
    })
  }

  async get(hash: string): Promise<Uint8Array | null> {
    const key = Buffer.from(hash, "hex")
    const rows: { data: Buffer }[] = await this.#catalogue.run(
      (sql) => sql`SELECT data FROM aman.blob_parts WHERE hash = ${key} ORDER BY part`,
    )
    return rows.length === 0 ? null : Buffer.concat(rows.map(({ data }) => data))
  }

  /** The parts of a blob are removed by the database together with the blob's row. */
  readonly remove = null
}

class FolderBlobs implements BlobStore {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  async put(hash: string, bytes: Uint8Array): Promise<void> {
    const path = this.#path(hash)
    if (existsSync(path)) return
    try {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      replaceFile(path, Buffer.from(bytes))
    } catch (error) {
      throw this.#failure("written", error)
    }
  }

  async get(hash: string): Promise<Uint8Array | null> {
    try {
      return readFileSync(this.#path(hash))
    } catch (error) {
      if ((error as { code?: string }).code === "ENOENT") return null
      throw this.#failure("read", error)
    }
  }

  readonly remove = async (hashes: readonly string[]): Promise<void> => {
    for (const hash of hashes) rmSync(this.#path(hash), { force: true })
  }

  #failure(act: "read" | "written", cause: unknown): AmanError {
    const why = cause instanceof Error ? cause.message : String(cause)
    return new AmanError("TEAM", `the team's segments cannot be ${act} in ${this.#folder}: ${why}`, {
      hint: "check the folder, its owner and the space on its disk",
      cause,
    })
  }

  #path(hash: string): string {
    return join(this.#folder, hash.slice(0, 2), hash)
  }
}
