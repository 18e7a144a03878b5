import type { Entry, EntrySource } from "../../knowledge/entry.ts"
import type { ShownEntry } from "./answers.ts"

/** An entry as it leaves the product. Without a freshness: whoever asked did not look at its source. */
export function shownEntry(
  entry: Entry,
  project: string | null,
  freshness: string = entry.source === null ? "none" : "unchecked",
): ShownEntry {
  return {
    id: entry.id,
    topic: entry.topic,
    text: entry.text,
    tags: entry.tags,
    kind: entry.kind,
    key: entry.key,
    source: entry.source === null ? null : placeOf(entry.source),
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
    scope: entry.project === null ? "global" : entry.project === project ? "project" : "other",
  }
}

function placeOf({ path, startLine, endLine, symbol }: EntrySource): string {
  const lines = startLine === null ? "" : startLine === endLine ? `:${startLine}` : `:${startLine}-${endLine}`
  return symbol === null || startLine !== null ? `${path}${lines}` : `${path}#${symbol}`
}
