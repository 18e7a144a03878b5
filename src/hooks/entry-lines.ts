import { statSync } from "node:fs"
import { join } from "node:path"
import type { Entry, EntrySource } from "../knowledge/entry.ts"
import { neutral } from "./facts.ts"

const MOST_CHARACTERS = 400

/** A note in a line: what it says, and what one has to know to judge that. */
export function entryLine(entry: Entry, root: string | null, most: number = MOST_CHARACTERS): string {
  const { id, topic, kind, recordedAt, source } = entry
  const about = source === null ? "" : `; about ${placeOf(source)}${changedSince(entry, root)}`
  const head = `${neutral(topic, 60)}, ${kind}, ${recordedAt.slice(0, 10)}${about}`
  return `- ${neutral(entry.text, most)} (${head}) [${id}]`
}

function placeOf({ path, startLine, symbol }: EntrySource): string {
  const at = startLine !== null ? `:${startLine}` : symbol !== null ? `#${symbol}` : ""
  return neutral(`${path}${at}`, 200)
}

/** Only that the file was written since: whether it still says the same, `aman recall` looks up. */
function changedSince({ source, revisedAt }: Entry, root: string | null): string {
  if (root === null || source === null || source.path === "" || /^\w+:\/\//.test(source.path)) return ""
  try {
    const stat = statSync(join(root, source.path), { throwIfNoEntry: false })
    if (stat === undefined) return ", which is gone"
    return stat.mtimeMs > Date.parse(revisedAt) ? ", which was written since" : ""
  } catch {
    return ""
  }
}
