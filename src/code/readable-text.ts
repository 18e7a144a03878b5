import { isNotebook } from "../text/notebook-file.ts"
import { LINE_MARK, type Notebook, readNotebook } from "./notebook/notebook-text.ts"

/**
 * What of a file is searched and shown, row by row of the file itself: the sources of a notebook's cells; of any
 * other file its text.
 */
export function readableText(path: string, text: string): string {
  return notebookOf(path, text)?.text ?? text
}

/** Null for a file that is no notebook. */
export function notebookOf(path: string, text: string): Notebook | null {
  return isNotebook(path) ? readNotebook(text) : null
}

/** Lines that stand on one row of a file, parted by a sign that says so. */
export function shownText(text: string): string {
  return text.replaceAll(LINE_MARK, " ⏎ ")
}
