import { isNotebook } from "../text/files/read-source.ts"
import { LINE_MARK, type Notebook, readNotebook } from "./notebook/notebook-text.ts"

/**
 * The text of a file that is searched and shown, row by row of the file itself: the sources of a notebook's
 * cells, or the whole text of any other file.
 */
export function readableText(path: string, text: string): string {
  return notebookOf(path, text)?.text ?? text
}

/** The notebook in a file; null if the file is not a notebook. */
export function notebookOf(path: string, text: string): Notebook | null {
  return isNotebook(path) ? readNotebook(text) : null
}

/** Replaces the marks between lines that share one row of the file by a visible sign. */
export function displayText(text: string): string {
  return text.replaceAll(LINE_MARK, " ⏎ ")
}
