import { type Entry, type EntrySource, inZone, loadedSettle } from "../../../memory/index.ts"
import type { HookSources } from "../hook-sources.ts"
import { sanitizeLine } from "../page.ts"
import type { StaleEntry } from "./stale-entries.ts"

/** An entry, and its relations to newer and older ones. */
type SettledEntry = { readonly entry: Entry; readonly mark: EntryMark }
type EntryMark = { readonly outdatedBy: string | null; readonly replaces: readonly string[] }
const NO_MARK: EntryMark = { outdatedBy: null, replaces: [] }

/** The entries as `recall` orders and marks them, without those that a newer one probably replaces. */
export function settledEntries(
  question: string,
  entries: readonly Entry[],
  { now, readings, entries: all }: HookSources,
): SettledEntry[] {
  if (entries.length === 0) return []
  const { settleRead, withoutReplaced } = loadedSettle()
  const hitOf = (entry: Entry) => ({ entry, score: 1, chance: 0 })
  const settled = settleRead(question, entries.map(hitOf), {
    ...{ at: now.toISOString(), readings },
    newerHit: (id) => all.filter((entry) => entry.id === id).map(hitOf)[0] ?? null,
  })
  return withoutReplaced(settled).map(({ hit, mark }) => ({ entry: hit.entry, mark }))
}

/** One line for each entry: text, topic, kind, date and source, and whether it or the code of the source has changed. */
export async function entryLines(
  entries: readonly SettledEntry[],
  sources: HookSources,
  max: number = 400,
): Promise<string[]> {
  const lines: string[] = []
  for (const { entry, mark } of entries) {
    const state = await sources.sourceState(entry)
    lines.push(
      entryLine(
        entry,
        state === null ? ", not checked now" : (CHANGES[state.freshness] ?? ""),
        max,
        mark,
        state && { path: state.path, startLine: state.startLine },
      ),
    )
  }
  return lines
}

/** Like entryLines, for one entry. It does not say that the code has changed, because the heading above it does. */
export function staleLine({ entry, now }: StaleEntry, max: number): string {
  return entryLine(entry, now.freshness === "gone" ? CHANGES["gone"]! : "", max, undefined, now)
}

/** Remarks on the source's state, worded like those in the answers of `recall`. */
const CHANGES: Readonly<Record<string, string>> = {
  changed: ", where the code has changed since",
  gone: ", which no longer has that code",
  unknown: ", which cannot be checked from here",
}

function entryLine(
  { id, topic, kind, recordedAt, zone, source, text }: Entry,
  changed: string,
  max: number,
  { outdatedBy, replaces }: EntryMark = NO_MARK,
  now: Pick<EntrySource, "path" | "startLine"> | null = null,
): string {
  const about = source === null ? "" : `; about ${sourcePlace({ ...source, ...now })}${changed}`
  const older = replaces.length === 0 ? "" : `; perhaps replaces ${replaces.join(", ")}`
  const mark = outdatedBy === null ? older : `; contradicted by a newer entry: ${outdatedBy}`
  const head = `${sanitizeLine(topic, 60)}, ${kind}, ${inZone(recordedAt, zone).slice(0, 10)}${about}${mark}`
  return `- ${sanitizeLine(text, max)} (${head}) [${id}]`
}

function sourcePlace({
  path,
  startLine,
  symbol,
}: Pick<EntrySource, "path" | "startLine" | "symbol">): string {
  const symbolPart = symbol === null ? "" : `#${symbol}`
  const at = startLine === null ? symbolPart : `:${startLine}`
  return sanitizeLine(`${path}${at}`, 200)
}
