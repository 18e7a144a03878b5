import { isNotebook } from "../text/index.ts"
import { LINE_MARK, type Notebook, readNotebook } from "./notebook/notebook-text.ts"

/**
 * The text of a file that is searched and shown. For a notebook, it consists of the sources of its cells; for other
 * files, it is the whole text. It has the same rows as the file.
 */
export function readableText(path: string, text: string): string {
  return notebookOf(path, text)?.text ?? text
}

/** The notebook in a file; null if the file is not a notebook. */
export function notebookOf(path: string, text: string): Notebook | null {
  return isNotebook(path) ? readNotebook(text) : null
}

/** Replaces each LINE_MARK, which separates lines that share one row of the file, by a visible sign. */
export function displayText(text: string): string {
  return text.replaceAll(LINE_MARK, " ⏎ ")
}
