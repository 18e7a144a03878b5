import { isNotebook } from "../text/files/read-source.ts"
import { LINE_MARK, type Notebook, readNotebook } from "./notebook/notebook-text.ts"

/**
 * The text of a file that is searched and shown, with the same rows as the file: for a notebook the sources of
 * its cells, otherwise the whole text.
 */
export function readableText(path: string, text: string): string {
  return notebookOf(path, text)?.text ?? text
}

/** The notebook in a file; null if the file is not a notebook. */
export function notebookOf(path: string, text: string): Notebook | null {
  return isNotebook(path) ? readNotebook(text) : null
}

/** Replaces each LINE_MARK, between lines that share one row of the file, by a visible sign. */
export function displayText(text: string): string {
  return text.replaceAll(LINE_MARK, " ⏎ ")
}
