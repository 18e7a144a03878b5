import type { Database } from "bun:sqlite"
import { zstdDecompressSync } from "node:zlib"

/** The texts extracted from the indexed documents, compressed. */
export class DocumentTextsTable {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  add(fileId: number, text: string): void {
    this.#db
      .query("INSERT INTO document_texts (file_id, text) VALUES (?, ?)")
      .run(fileId, Bun.zstdCompressSync(Buffer.from(text)))
  }

  removeFile(fileId: number): void {
    this.#db.query("DELETE FROM document_texts WHERE file_id = ?").run(fileId)
  }

  /** The text of the document with this path and hash; null if the index has none or it is damaged. */
  readonly find = (path: string, hash: string): string | null => {
    const row = this.#db
      .query<{ text: Uint8Array }, [string, string]>(
        `SELECT text FROM document_texts JOIN files ON files.id = file_id WHERE path = ? AND hash = ?`,
      )
      .get(path, hash)
    try {
      return row && zstdDecompressSync(row.text, { maxOutputLength: MAX_BYTES }).toString("utf8")
    } catch {
      return null
    }
  }
}

/** More than any text has, so that a damaged row takes no more memory. */
const MAX_BYTES = 256 << 20
