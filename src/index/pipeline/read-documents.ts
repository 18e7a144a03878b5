import type { Config } from "../../config/load.ts"
import { type DocumentBudget, isDocument } from "../../text/documents/document-text.ts"
import { readDocument } from "../../text/files/read-source.ts"
import type { FileTask } from "./messages.ts"

type DocumentsOptions = {
  readonly root: string
  readonly config: Config
  /** Throws when the run must end. */
  readonly check: () => void
}

/** Maximum number of characters of the texts of all documents that an index run reads. */
const MAX_TEXT_CHARS = 256 << 20

/**
 * Returns a function that reads the documents among the files of an index run, and returns the files with their texts.
 * All documents of the run together have one budget; those beyond it are skipped and counted.
 */
export function documentReader({
  root,
  config,
  check,
}: DocumentsOptions): <T extends FileTask>(files: readonly T[]) => Promise<T[]> {
  const { maxFileBytes, documentSeconds } = config.index
  const { memoryLimitBytes } = config.performance
  const budget: DocumentBudget = { leftMs: documentSeconds * 1000, leftChars: MAX_TEXT_CHARS }
  return async (files) => {
    const read = []
    for (const file of files) {
      const { path, knownHash, document } = file
      const isRead = !isDocument(path) || document !== undefined
      if (!isRead) check()
      const options = { knownHash, budget, memoryLimitBytes }
      read.push(isRead ? file : { ...file, document: await readDocument(root, path, maxFileBytes, options) })
    }
    return read
  }
}
