import type { Entry, EntrySource } from "../../memory/entries/entry.ts"
import type { HookSources } from "../hook-sources.ts"
import { sanitizeLine } from "../page.ts"
import { hasChanged } from "./stale-entries.ts"

const MAX_CHARACTERS = 400

/** An entry as one line: its text, and topic, kind, date and source to judge it by. */
export function entryLine(entry: Entry, sources: HookSources, max: number = MAX_CHARACTERS): string {
  return lineOf(entry, hasChanged(sources, entry) ? ", where the code has changed since" : "", max)
}

/** Like entryLine, below a heading that already says that the code has changed. */
export function staleLine(entry: Entry, max: number): string {
  return lineOf(entry, "", max)
}

function lineOf({ id, topic, kind, recordedAt, source, text }: Entry, changed: string, max: number): string {
  const about = source === null ? "" : `; about ${placeOf(source)}${changed}`
  const head = `${sanitizeLine(topic, 60)}, ${kind}, ${recordedAt.slice(0, 10)}${about}`
  return `- ${sanitizeLine(text, max)} (${head}) [${id}]`
}

function placeOf({ path, startLine, symbol }: EntrySource): string {
  const at = startLine !== null ? `:${startLine}` : symbol !== null ? `#${symbol}` : ""
  return sanitizeLine(`${path}${at}`, 200)
}
