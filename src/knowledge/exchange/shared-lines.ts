import type { KnowledgeEvent } from "../event.ts"
import { eventProblem } from "./event-shape.ts"
import type { Remark } from "./imported.ts"
import { parseJson } from "./json-value.ts"
import { linesIn } from "./lines.ts"
import { SHARED_LIMITS, type SharedFile } from "./shared-folder.ts"

/** How the project to which a shared file belongs is called in it, whatever its id is in a store. */
export const THIS_PROJECT = "."

export type SharedLine = { readonly file: string; readonly line: number; readonly event: KnowledgeEvent }

/** The events of the files; a line that is none is left out with a remark, as what a merge may leave behind. */
export function readSharedLines(files: readonly SharedFile[]): { lines: SharedLine[]; remarks: Remark[] } {
  const lines: SharedLine[] = []
  const remarks: Remark[] = []
  for (const { name, text } of files) {
    for (const { number, text: line } of linesIn(text)) {
      const read = line.length > SHARED_LIMITS.lineChars ? "is too long" : readLine(line)
      if (typeof read === "string") remarks.push({ file: name, line: number, message: read })
      else lines.push({ file: name, line: number, event: read })
    }
  }
  return { lines, remarks }
}

function readLine(line: string): KnowledgeEvent | string {
  const value = parseJson(line)
  if (value === undefined) return "is not JSON"
  return eventProblem(value) ?? (value as KnowledgeEvent)
}
