import { type StoreWords, storeError } from "../sqlite-error.ts"

/** SQLite's reasons in our terms, where the file is the truth and nothing may be made anew. */
export function knowledgeError(error: unknown, path: string): unknown {
  return storeError(error, path, WORDS)
}

const WORDS: StoreWords = {
  corrupt: [
    "KNOWLEDGE_CORRUPT",
    (path) =>
      "nothing was changed or deleted. Copy it with its -wal first; then, with SQLite's own program: " +
      `sqlite3 ${JSON.stringify(path)} .recover | sqlite3 recovered.db, put that in its place, and run: aman memory rebuild`,
  ],
  busy: "KNOWLEDGE_BUSY",
  moreRoom: "nothing of this was stored; make room, or move the folder with AMAN_DATA_DIR",
  unwritable: "the folder must be writable, or name another with AMAN_DATA_DIR",
}
