import { type DateSpan, relativeDates } from "../../../memory/conflicts/relative-dates.ts"
import type { ConflictMark } from "../../../memory/conflicts/settle.ts"
import type { KnowledgeGraph } from "../../../memory/entities/graph/knowledge-graph.ts"
import type { GraphEntity, GraphRelation } from "../../../memory/entities/settle-entities.ts"
import type { Entry, EntrySource } from "../../../memory/entries/entry.ts"
import type { RecallHit as RankedHit } from "../../../memory/recall/hits.ts"
import type { TextWindow } from "../../../memory/recall/index/analyse.ts"
import type { EntryOutput, RecallHit } from "../answers.ts"
import type { Memory } from "../memory.ts"
import { checkSource, sourceNow } from "../sources/freshness.ts"

/** An entry in the format of answers. Without `freshness` an entry with a source counts as "unchecked". */
export function entryOutput(
  entry: Entry,
  project: string | null,
  freshness: string = entry.source === null ? "none" : "unchecked",
): EntryOutput {
  return {
    id: entry.id,
    topic: entry.topic,
    text: entry.text,
    tags: entry.tags,
    kind: entry.kind,
    key: entry.key,
    source: entry.source === null ? null : sourceText(entry.source),
    freshness,
    author: entry.author,
    role: entry.role,
    session: entry.session,
    entities: entry.entities,
    metadata: entry.metadata,
    recorded_at: entry.recordedAt,
    valid_from: entry.validFrom,
    valid_until: entry.validUntil,
    invalid_reason: entry.invalidReason,
    superseded_by: entry.supersededBy,
    deleted_at: entry.deletedAt,
    revision: entry.revision,
    scope: scopeOf(entry, project),
  }
}

function scopeOf(entry: Entry, project: string | null): EntryOutput["scope"] {
  if (entry.project === null) return "global"
  return entry.project === project ? "project" : "other"
}

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
    source_now: await sourceNow(entry, state),
    ...(explain && { explanation: terms.map(({ name, value }) => ({ term: name, value })) }),
  }
}

function datesIn(entry: Entry, window: TextWindow): Promise<readonly DateSpan[]> {
  if (entry.text.length > DATE_MARGIN) {
    const near = entry.text.slice(Math.max(0, window.start - DATE_MARGIN), window.end + DATE_MARGIN)
    return relativeDates(near, entry.recordedAt)
  }
  const dates = datesByEntry.get(entry) ?? relativeDates(entry.text, entry.recordedAt)
  datesByEntry.set(entry, dates)
  return dates
}
