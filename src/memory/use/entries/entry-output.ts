import { oneLine } from "../../../text/index.ts"
import { type DateSpan, relativeDates } from "../../conflicts/relative-dates.ts"
import type { ConflictMark } from "../../conflicts/settle.ts"
import type { GraphEntity, GraphRelation, KnowledgeGraph } from "../../entities/entities.ts"
import type { Entry, EntrySource } from "../../entries/entry.ts"
import { jsonName } from "../../entries/entry-fields.ts"
import { inZone } from "../../entries/times.ts"
import { LIKELY } from "../../recall/chance.ts"
import type { TextWindow } from "../../recall/index/analyse.ts"
import type { RecallHit as RankedHit } from "../../recall/rank.ts"
import type { Memory } from "../memory.ts"
import { type EntryOutput, OUTPUT_FIELDS, type RecallHit } from "../requests.ts"
import { checkSource, sourceNow, withCommits } from "../sources.ts"

/** An entry in the format of answers. Without `freshness` an entry with a source counts as "unchecked". */
export function entryOutput(
  entry: Entry,
  project: string | null,
  freshness: string = entry.source === null ? "none" : "unchecked",
): EntryOutput {
  const values = {
    ...entry,
    source: entry.source === null ? null : sourceText(entry.source),
    freshness,
    recordedAt: inZone(entry.recordedAt, entry.zone),
    scope: entry.project === null ? "global" : entry.project === project ? "project" : "other",
  }
  return Object.fromEntries(OUTPUT_NAMES.map(([output, name]) => [output, values[name]])) as EntryOutput
}

/** Entries with their sources checked, except deleted ones; one after the other, because each may run git. */
export async function checkedOutputs(memory: Memory, entries: readonly Entry[]): Promise<EntryOutput[]> {
  const shown: EntryOutput[] = []
  for (const stored of entries) {
    const { entry, state } =
      stored.deletedAt === null ? await checkSource(memory, stored) : { entry: stored, state: null }
    shown.push(entryOutput(entry, memory.project(), state?.freshness))
  }
  return shown
}

export async function outputsWithCommits(memory: Memory, entries: readonly Entry[]): Promise<EntryOutput[]> {
  return withCommits(memory, entries, await checkedOutputs(memory, entries))
}

const OUTPUT_NAMES = OUTPUT_FIELDS.map((name) => [jsonName(name), name] as const)

function sourceText({ path, startLine, endLine, symbol }: EntrySource): string {
  if (startLine === null) return symbol === null ? path : `${path}#${symbol}`
  return `${path}:${startLine}${startLine === endLine ? "" : `-${endLine}`}`
}

type EntityOutput = ReturnType<typeof entityOutput>

export function entityOutput({ id, name, type, description, aliases, project, metadata }: GraphEntity) {
  return { id, name, type, description, aliases, metadata, scope: project === null ? "global" : "project" }
}

export function entityLine({ name, type, description, aliases }: EntityOutput): string {
  const kind = type === "" ? "" : ` (${type})`
  const also = aliases.length === 0 ? "" : `, also ${aliases.join(", ")}`
  return `${name}${kind}${also}${description === "" ? "" : `: ${description}`}`
}

type RelationOutput = ReturnType<typeof relationOutput>

export function relationOutput(graph: KnowledgeGraph, { from, to, relation, weight }: GraphRelation) {
  const name = (id: string) => graph.entities[graph.numbers.get(id)!]!.name
  return { from: name(from), type: relation, to: name(to), weight }
}

export function relationLine({ from, type, to, weight }: RelationOutput): string {
  return `${from} – ${type} → ${to}${weight === 1 ? "" : ` (${weight})`}`
}

/** In a text longer than this, dates are resolved only this many characters around the best window. */
const DATE_MARGIN = 2000

/**
 * Cache of the dates in each entry's text, because parsing dates takes longer than finding the entry, and the same
 * entries are shown repeatedly.
 */
const datesByEntry = new WeakMap<Entry, Promise<readonly DateSpan[]>>()

/** A hit in the format of answers: source checked, dates resolved, relations to the other hits marked. */
export async function hitOutput(
  memory: Memory,
  { score, terms, window, entry: stored }: RankedHit & { readonly entry: Entry },
  mark: ConflictMark,
  { explain, project = memory.project() }: { readonly explain: boolean; readonly project?: string | null },
): Promise<RecallHit> {
  const { entry, state } = await checkSource(memory, stored)
  const dates = await datesIn(stored, window)
  return {
    ...entryOutput(entry, project, state?.freshness),
    score,
    window,
    cut: false,
    dates: dates.map(({ text, start, end }) => ({ text, start, end })),
    outdated_by: mark.outdatedBy,
    updates: mark.updates,
    contradicts: mark.contradicts,
    perhaps_replaces: mark.replaces,
    source_now: await sourceNow(entry, state),
    ...(explain && { explanation: terms.map(({ name, value }) => ({ term: name, value })) }),
  }
}

function datesIn(entry: Entry, window: TextWindow): Promise<readonly DateSpan[]> {
  if (entry.text.length > DATE_MARGIN) {
    const near = entry.text.slice(Math.max(0, window.start - DATE_MARGIN), window.end + DATE_MARGIN)
    return relativeDates(near, dayOf(entry))
  }
  const dates = datesByEntry.get(entry) ?? relativeDates(entry.text, dayOf(entry))
  datesByEntry.set(entry, dates)
  return dates
}

/** The writer's day when the entry was recorded. */
function dayOf({ recordedAt, zone }: Entry): string {
  return inZone(recordedAt, zone).slice(0, 10)
}

/** The part of a hit that describes the current state of its source. */
type WithSource = Pick<RecallHit, "source_now">
/** The part of a hit that describes its relation to other hits of the answer. */
type WithRelations = Pick<
  RecallHit,
  "outdated_by" | "updates" | "contradicts" | "perhaps_replaces" | "cut" | "in_line"
> &
  Partial<Pick<RecallHit, "dates"> & WithSource>
/**
 * An entry for reading: heading with topic, kind, date and author; text; remarks on its validity. Without a heading, all is
 * in the text, which is one line.
 */
export function entryText(entry: EntryOutput | (EntryOutput & WithRelations) | (EntryOutput & WithSource)) {
  const hit = "outdated_by" in entry ? entry : null
  const relations = [...validity(entry), ...(hit === null ? [] : hitRemarks(hit))]
  if (hit?.in_line)
    return { id: entry.id, heading: null, text: oneLine([entry.text, ...relations].join("; ")), remarks: [] }
  const remarks = [...relations, ...source(entry, hit)]
  return { id: entry.id, heading: entryHeading(entry), text: entry.text, remarks }
}

/** The entry as plain text, one remark a line, for agents and pipes. */
export function plainEntry(entry: EntryOutput | RecallHit | (EntryOutput & WithSource)): string {
  const { id, heading, text, remarks } = entryText(entry)
  const lines = heading === null ? [`[${id}] ${text}`] : [`[${id}] ${heading}`, text]
  return [...lines, ...remarks.map((remark) => `  (${remark})`)].join("\n")
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

function hitRemarks(hit: EntryOutput & WithRelations): string[] {
  const { superseded_by, outdated_by, contradicts, perhaps_replaces, dates = [], cut, in_line } = hit
  const updates = hit.updates.filter((id) => !perhaps_replaces.includes(id))
  const remarks: string[] = []
  if (cut && !in_line) remarks.push("cut; use get for the full text")
  if (outdated_by !== null && outdated_by !== superseded_by)
    remarks.push(`contradicted by a newer entry: ${outdated_by}`)
  if (perhaps_replaces.length > 0) remarks.push(`perhaps replaces ${perhaps_replaces.join(", ")}`)
  if (updates.length > 0) remarks.push(`newer than ${updates.join(", ")}`)
  if (contradicts.length > 0) remarks.push(`contradicts ${contradicts.join(", ")}`)
  for (const { text, start, end } of in_line ? [] : dates)
    remarks.push(`«${text}»: ${end === null ? start : `${start} to ${end}`}`)
  return remarks
}

const FRESHNESS: Readonly<Record<string, string>> = {
  changed: "that code has changed since",
  gone: "that code is not there now",
  unknown: "cannot be checked from here",
}

function source(entry: EntryOutput | (EntryOutput & WithSource), hit: WithRelations | null): string[] {
  if (entry.source === null) return []
  const state = FRESHNESS[entry.freshness]
  const now = "source_now" in entry ? entry.source_now : null
  const remarks = `${state === undefined ? "" : `: ${state}`}${lost(now?.lost)}${elsewhere(now?.elsewhere)}`
  const lines = [`about ${entry.source}${remarks}`, ...(entry.led_to ? [`led to ${entry.led_to}`] : [])]
  const diff = hit?.source_now?.diff
  if (diff) lines.push(`now:\n${diff}`)
  return lines
}

/** The names in the entry's lines that were deleted from the code, as the end of a remark; "" if nothing is known. */
function lost(names: readonly string[] | null | undefined): string {
  if (!names) return ""
  return names.length === 0 ? "; the names in it still exist" : `; deleted: ${names.slice(0, 6).join(", ")}`
}

/** Maximum number of places that are listed. */
const MAX_PLACES = 3

/** Where the symbol of code that is gone is defined now, as the end of a remark. */
function elsewhere(places: readonly string[] = []): string {
  const more = places.length > MAX_PLACES ? ` and ${places.length - MAX_PLACES} more places` : ""
  return places.length === 0 ? "" : `; now defined in ${places.slice(0, MAX_PLACES).join(", ")}${more}`
}

/** The number of entries as text: "1 entry", "3 entries". */
export function entryCount(count: number): string {
  return `${count} ${count === 1 ? "entry" : "entries"}`
}

/**
 * A word for the confidence of an answer. It is low for questions about other subjects, but it cannot show that the
 * answer is missing from an entry about the right subject.
 */
export function confidenceWord(chance: number): "high" | "medium" | "low" {
  if (chance >= LIKELY) return "high"
  return chance >= MEDIUM ? "medium" : "low"
}

// With a chance of 0.2 to 0.3, the answer is among the first ten in 57 of 100 answers; below, in 29 or fewer.
const MEDIUM = 0.2
