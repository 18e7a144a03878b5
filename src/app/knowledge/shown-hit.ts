import type { Entry } from "../../knowledge/entry.ts"
import type { RecallHit as RankedHit } from "../../knowledge/recall/recall-index.ts"
import { relativeDates } from "../../knowledge/truth/relative-dates.ts"
import type { Mark } from "../../knowledge/truth/settle.ts"
import type { RecallHit } from "./answers.ts"
import { lookAtSource, sourceNow } from "./freshness.ts"
import type { Memory } from "./memory.ts"
import { shownEntry } from "./shown-entry.ts"

/** Of a long text dates are resolved in what is likely to be shown. */
const AROUND = 2000

/** A hit as it leaves the product: its source looked at, its dates resolved, its standing to the others marked. */
export async function shownHit(
  memory: Memory,
  { score, terms, window, entry: found }: RankedHit & { readonly entry: Entry },
  mark: Mark,
  { explain }: { readonly explain: boolean },
): Promise<RecallHit> {
  const { entry, state } = await lookAtSource(memory, found)
  const near = entry.text.slice(Math.max(0, window.start - AROUND), window.end + AROUND)
  const dates = await relativeDates(near, entry.recordedAt)
  return {
    ...shownEntry(entry, memory.project(), state?.freshness),
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
