import type { EntryOutput, RecallHit } from "../answers.ts"

/**
 * An entry formatted for reading: heading with topic, kind, date and author; text; remarks on its validity.
 */
export type EntryText = {
  readonly id: string
  readonly heading: string
  readonly text: string
  readonly remarks: readonly string[]
}

/** The part of a hit that describes the current state of its source. */
type WithSource = Pick<RecallHit, "source_now">
/** The part of a hit that describes its relation to other hits of the answer. */
type WithRelations = Pick<RecallHit, "outdated_by" | "updates" | "contradicts" | "cut"> &
  Partial<Pick<RecallHit, "dates"> & WithSource>

export function entryText(
  entry: EntryOutput | (EntryOutput & WithRelations) | (EntryOutput & WithSource),
): EntryText {
  const hit = "outdated_by" in entry ? entry : null
  return {
    id: entry.id,
    heading: entryHeading(entry),
    text: entry.text,
    remarks: [...validity(entry), ...(hit === null ? [] : hitRemarks(hit)), ...source(entry, hit)],
  }
}

/** The entry as plain text, one remark a line, for agents and pipes. */
export function plainEntry(entry: EntryOutput | RecallHit | (EntryOutput & WithSource)): string {
  const { id, heading, text, remarks } = entryText(entry)
  return [`[${id}] ${heading}`, text, ...remarks.map((remark) => `  (${remark})`)].join("\n")
}

function entryHeading({ topic, kind, tags, recorded_at, author, role, session, scope }: EntryOutput): string {
  const parts = [topic, kind, recorded_at.slice(0, 10)]
  if (author !== null) parts.push(role === null ? author : `${author} (${role})`)
  else if (role !== null) parts.push(role)
  if (session !== null) parts.push(`in ${session}`)
  if (scope !== "project") parts.push(scope === "global" ? "for all projects" : "of another project")
  return [...parts, ...tags.map((tag) => `#${tag}`)].join(" · ")
}

function validity(entry: EntryOutput): string[] {
  const { valid_from, valid_until, invalid_reason, superseded_by, deleted_at } = entry
  const remarks: string[] = []
  if (superseded_by !== null) remarks.push(`superseded by ${superseded_by}`)
  if (valid_from !== null && valid_until !== null)
    remarks.push(`valid from ${valid_from} until ${valid_until}`)
  else if (valid_until !== null) remarks.push(`valid until ${valid_until}`)
  else if (valid_from !== null) remarks.push(`valid since ${valid_from}`)
  if (invalid_reason !== null) remarks.push(`no longer valid: ${invalid_reason}`)
  if (deleted_at !== null) remarks.push(`deleted ${deleted_at}`)
  return remarks
}

function hitRemarks({
  superseded_by,
  outdated_by,
  updates,
  contradicts,
  dates = [],
  cut,
}: EntryOutput & WithRelations): string[] {
  const remarks: string[] = []
  if (cut) remarks.push("cut; use get for the full text")
  if (outdated_by !== null && outdated_by !== superseded_by)
    remarks.push(`contradicted by a newer entry: ${outdated_by}`)
  if (updates.length > 0) remarks.push(`newer than ${updates.join(", ")}`)
  if (contradicts.length > 0) remarks.push(`contradicts ${contradicts.join(", ")}`)
  for (const { text, start, end } of dates)
    remarks.push(`«${text}»: ${end === null ? start : `${start} to ${end}`}`)
  return remarks
}

const FRESHNESS: Readonly<Record<string, string>> = {
  changed: "that code has changed since",
  gone: "that code is not there now",
  unknown: "cannot be checked from here",
}

function source(entry: EntryOutput, hit: WithRelations | null): string[] {
  if (entry.source === null) return []
  const state = FRESHNESS[entry.freshness]
  const remarks = `${state === undefined ? "" : `: ${state}`}${lost(entry)}${elsewhere(entry)}`
  const lines = [`about ${entry.source}${remarks}`]
  const diff = hit?.source_now?.diff
  if (diff) lines.push(`now:\n${diff}`)
  return lines
}

/** Maximum number of names that are listed as deleted from an entry's lines. */
const MAX_LOST = 6

/** The names in the entry's lines that were deleted from the code, as the end of a remark; "" if nothing is known. */
function lost(entry: EntryOutput | (EntryOutput & WithSource)): string {
  const names = "source_now" in entry ? entry.source_now?.lost : null
  if (!names) return ""
  return names.length === 0
    ? "; the names in it still exist"
    : `; deleted: ${names.slice(0, MAX_LOST).join(", ")}`
}

/** Maximum number of places that are listed. */
const MAX_PLACES = 3

/** Where the symbol of code that is gone is defined now, as the end of a remark. */
function elsewhere(entry: EntryOutput | (EntryOutput & WithSource)): string {
  const places = ("source_now" in entry ? entry.source_now?.elsewhere : null) ?? []
  const more = places.length > MAX_PLACES ? ` and ${places.length - MAX_PLACES} more places` : ""
  return places.length === 0 ? "" : `; now defined in ${places.slice(0, MAX_PLACES).join(", ")}${more}`
}

/** The number of entries as text: "1 entry", "3 entries". */
export function entryCount(count: number): string {
  return `${count} ${count === 1 ? "entry" : "entries"}`
}

/**
 * A word for the confidence of an answer, from the share of the question's total idf that the best hit covers. It is
 * low for questions about other subjects, but it cannot show that the answer is missing from an entry about the right
 * subject. No hit is dropped because of it.
 */
export function confidenceWord(share: number): "high" | "medium" | "low" {
  if (share >= HIGH) return "high"
  return share >= MEDIUM ? "medium" : "low"
}

// Measured shares: for questions that use the words of the note that answers them, half are above 0.5; for questions
// in other words, nine in ten are above 0.15.
const HIGH = 0.5
const MEDIUM = 0.15
