import { eventProblem } from "../formats/export/event-shape.ts"
import type { ImportRemark } from "../formats/imported.ts"
import { linesIn } from "../formats/input-lines.ts"
import { parseJson } from "../formats/json-value.ts"
import type { KnowledgeEvent } from "../log/event.ts"
import { SHARED_LIMITS, type SharedFile } from "./shared-folder.ts"

/** Placeholder for the project's id in shared files, because each store has its own id for the project. */
export const THIS_PROJECT = "."

export type SharedLine = { readonly file: string; readonly line: number; readonly event: KnowledgeEvent }

/**
 * The events of the files. Lines that are no event, such as conflict markers of a merge, give a remark
 * instead.
 */
export function readSharedLines(files: readonly SharedFile[]): {
  lines: SharedLine[]
  remarks: ImportRemark[]
} {
  const lines: SharedLine[] = []
  const remarks: ImportRemark[] = []
  for (const { name, text } of files) {
    for (const { number, text: line } of linesIn(text)) {
      const read = line.length > SHARED_LIMITS.lineChars ? "is too long" : readSharedLine(line)
      if (typeof read === "string") remarks.push({ file: name, line: number, message: read })
      else lines.push({ file: name, line: number, event: read })
    }
  }
  return { lines, remarks }
}

function readSharedLine(line: string): KnowledgeEvent | string {
  const value = parseJson(line)
  if (value === undefined) return "is not JSON"
  return eventProblem(value) ?? (value as KnowledgeEvent)
}
