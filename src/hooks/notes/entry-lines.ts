import type { Entry, EntrySource } from "../../memory/entries/entry.ts"
import type { HookSources } from "../hook-sources.ts"
import { sanitizeLine } from "../page.ts"
import { hasChanged } from "./stale-entries.ts"

const MAX_CHARACTERS = 400

/** An entry as one line: its text, and topic, kind, date and source to judge it by. */
export function entryLine(entry: Entry, sources: HookSources, most: number = MAX_CHARACTERS): string {
  return lineOf(entry, hasChanged(sources, entry) ? ", where the code has changed since" : "", most)
}

/** Like entryLine, below a heading that already says that the code has changed. */
export function staleLine(entry: Entry, most: number): string {
  return lineOf(entry, "", most)
}

function lineOf({ id, topic, kind, recordedAt, source, text }: Entry, changed: string, most: number): string {
  const about = source === null ? "" : `; about ${placeOf(source)}${changed}`
  const head = `${sanitizeLine(topic, 60)}, ${kind}, ${recordedAt.slice(0, 10)}${about}`
  return `- ${sanitizeLine(text, most)} (${head}) [${id}]`
}

function placeOf({ path, startLine, symbol }: EntrySource): string {
  const at = startLine !== null ? `:${startLine}` : symbol !== null ? `#${symbol}` : ""
  return sanitizeLine(`${path}${at}`, 200)
}
