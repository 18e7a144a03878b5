import type { Entry } from "../../../memory/entries/entry.ts"
import { entryOutput } from "../entries/entry-output.ts"
import { storeFilterFor } from "../entries/entry-scope.ts"
import { entryCount, plainEntry } from "../entries/entry-text.ts"
import type { Memory } from "../memory.ts"
import { checkSource, type SourceNow, sourceNow } from "../sources/freshness.ts"
import type { KnowledgeAnswer } from "./answer.ts"

const STALE: ReadonlySet<string> = new Set(["changed", "gone", "unknown"])

/** Lines of a difference that a list of stale entries shows; refresh shows all. */
const MAX_DIFF_LINES = 20

/** Compares entries with the current code they refer to. */
export const handlers = { stale, refresh }

async function stale(
  memory: Memory,
  { topic }: { readonly topic?: string | undefined },
): Promise<KnowledgeAnswer> {
  const { entries } = memory.knowledge.list(storeFilterFor(memory, { topic, scope: "project" }))
  const sourced = entries.filter(({ source, supersededAt }) => source !== null && supersededAt === null)
  const checked: CheckedEntry[] = []
  for (const entry of sourced) checked.push(await checkedEntry(memory, entry))
  const stale = checked.filter(({ freshness }) => STALE.has(freshness))
  const counts = Object.fromEntries(
    [...Map.groupBy(checked, ({ freshness }) => freshness)].map(([name, group]) => [name, group.length]),
  )
  const tally = Object.entries(counts).map(([name, count]) => `${count} ${name}`)
  return {
    data: { entries: stale, checked: sourced.length, counts, notices: memory.notices },
    text: [
      ...stale.map((entry) => staleText(entry, MAX_DIFF_LINES)),
      `${entryCount(sourced.length)} about code${tally.length === 0 ? "" : `: ${tally.join(", ")}`}`,
      ...memory.notices,
    ].join("\n\n"),
    found: true,
  }
}

/**
 * Checks the source of entries again and records where moved lines are now; with `accept` the current lines are
 * confirmed.
 */
async function refresh(
  memory: Memory,
  { ids, accept = false }: { readonly ids: readonly string[]; readonly accept?: boolean | undefined },
): Promise<KnowledgeAnswer> {
  const refreshed: CheckedEntry[] = []
  for (const entry of memory.knowledge.get(ids)) {
    const { state } = await checkSource(memory, entry)
    const isAccepted = accept && state?.freshness === "changed"
    const isFollowed = !memory.knowledge.readonly && state !== null
    const found = isAccepted ? state.anchored : isFollowed ? state.followed : null
    refreshed.push(
      await checkedEntry(memory, found === null ? entry : memory.knowledge.anchor(entry.id, found)),
    )
  }
  return {
    data: { entries: refreshed },
    text: refreshed.map((entry) => staleText(entry)).join("\n\n"),
    found: true,
  }
}

type CheckedEntry = ReturnType<typeof entryOutput> & {
  readonly reason: string | null
  readonly source_then: string | null
  readonly source_now: SourceNow | null
  /** Places where the entry's symbol is defined now, as "path:line". */
  readonly elsewhere: readonly string[]
}

async function checkedEntry(memory: Memory, stored: Entry): Promise<CheckedEntry> {
  const { entry, state } = await checkSource(memory, stored)
  const now = await sourceNow(entry, state)
  return {
    ...entryOutput(entry, memory.project(), state?.freshness),
    reason: state?.reason ?? null,
    source_then: entry.source?.text ?? null,
    source_now: now,
    elsewhere: now?.elsewhere ?? [],
  }
}

/**
 * The entry and the state of its source lines as text. A difference is cut to its first `maxLines` lines, and the
 * number of further lines is added.
 */
function staleText(entry: CheckedEntry, maxLines = Number.POSITIVE_INFINITY): string {
  const { reason, source_then, source_now, freshness } = entry
  const lines = [plainEntry(entry)]
  if (reason !== null) lines.push(`  ${reason}`)
  if (source_now?.diff) lines.push(head(source_now.diff))
  else if (freshness === "gone" && source_then !== null) lines.push(`then:\n${head(source_then)}`)
  else if (freshness === "changed" && source_then !== null)
    lines.push(
      `  the first ${source_then.split("\n").length} lines, the only ones stored, are unchanged; later lines differ`,
    )
  return lines.join("\n")

  function head(text: string): string {
    const all = text.split("\n")
    const more = all.length - maxLines
    return more > 0
      ? [...all.slice(0, maxLines), `… ${more} more lines: refresh ${entry.id}`].join("\n")
      : text
  }
}
