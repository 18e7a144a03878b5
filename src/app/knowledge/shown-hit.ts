import type { Entry } from "../../knowledge/entry.ts"
import type { TextWindow } from "../../knowledge/recall/document.ts"
import type { RecallHit as RankedHit } from "../../knowledge/recall/hits.ts"
import { type DateSpan, relativeDates } from "../../knowledge/truth/relative-dates.ts"
import type { Mark } from "../../knowledge/truth/settle.ts"
import type { RecallHit } from "./answers.ts"
import { lookAtSource, sourceNow } from "./freshness.ts"
import type { Memory } from "./memory.ts"
import { shownEntry } from "./shown-entry.ts"

/** Of a long text dates are resolved in what is likely to be shown. */
const AROUND = 2000

/** Parsing dates takes longer than finding the entry, and the same entries are shown again and again. */
const known = new WeakMap<Entry, Promise<readonly DateSpan[]>>()

/** A hit as it leaves the product: its source looked at, its dates resolved, its standing to the others marked. */
export async function shownHit(
  memory: Memory,
  { score, terms, window, entry: found }: RankedHit & { readonly entry: Entry },
  mark: Mark,
  { explain, project = memory.project() }: { readonly explain: boolean; readonly project?: string | null },
): Promise<RecallHit> {
  const { entry, state } = await lookAtSource(memory, found)
  const dates = await datesIn(found, window)
  return {
    ...shownEntry(entry, project, state?.freshness),
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
  if (entry.text.length > AROUND) {
    const near = entry.text.slice(Math.max(0, window.start - AROUND), window.end + AROUND)
    return relativeDates(near, entry.recordedAt)
  }
  const dates = known.get(entry) ?? relativeDates(entry.text, entry.recordedAt)
  known.set(entry, dates)
  return dates
}
