import type { Entry, EntrySource } from "../knowledge/entry.ts"
import { neutral } from "./facts.ts"
import type { HookPlace } from "./place.ts"
import { hasChanged } from "./stale-entries.ts"

const MOST_CHARACTERS = 400

/** A note in a line: what it says, and what one has to know to judge that. */
export function entryLine(entry: Entry, place: HookPlace, most: number = MOST_CHARACTERS): string {
  return lineOf(entry, hasChanged(place, entry) ? ", where the code has changed since" : "", most)
}

/** The same below a heading that says of all that their code has changed. */
export function staleLine(entry: Entry, most: number): string {
  return lineOf(entry, "", most)
}

function lineOf({ id, topic, kind, recordedAt, source, text }: Entry, changed: string, most: number): string {
  const about = source === null ? "" : `; about ${placeOf(source)}${changed}`
  const head = `${neutral(topic, 60)}, ${kind}, ${recordedAt.slice(0, 10)}${about}`
  return `- ${neutral(text, most)} (${head}) [${id}]`
}

function placeOf({ path, startLine, symbol }: EntrySource): string {
  const at = startLine !== null ? `:${startLine}` : symbol !== null ? `#${symbol}` : ""
  return neutral(`${path}${at}`, 200)
}
