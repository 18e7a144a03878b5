import { type StoreWords, storeError } from "../sqlite-error.ts"

/** SQLite's reasons in our terms, where the file is the truth and nothing may be made anew. */
export function knowledgeError(error: unknown, path: string): unknown {
  return storeError(error, path, WORDS)
}

const WORDS: StoreWords = {
  corrupt: [
    "KNOWLEDGE_CORRUPT",
    "nothing was changed; to make a new file of what can be read, and keep this one: aman memory recover",
  ],
  busy: "KNOWLEDGE_BUSY",
  moreRoom: "nothing of this was stored; make room, or move the folder with AMAN_DATA_DIR",
  unwritable: "the folder must be writable, or name another with AMAN_DATA_DIR",
}
