import type { Entry } from "../knowledge/entry.ts"
import { entryLine, staleLine } from "./entry-lines.ts"
import { Page } from "./facts.ts"
import type { HookCall } from "./hook-call.ts"
import type { HookPlace } from "./place.ts"
import { projectMap } from "./project-map.ts"
import { FORGOTTEN, pruneSessions, type Session } from "./session.ts"
import { staleEntries } from "./stale-entries.ts"
import { howToAsk, topicLines } from "./subagent-start.ts"

const MOST_DECISIONS = 5
const MOST_STALE = 5
/** Of what may be said the map takes at most so much. */
const MAP_SHARE = 0.5
const HOW_TO_INDEX = ["This project has no index yet; the command that makes one: aman index"]

/** A page to begin with: what is known, what was decided lately, what may no longer be so, the project. */
export async function sessionStart(
  call: HookCall,
  place: HookPlace,
  session: Session,
): Promise<string | null> {
  // The model's context is empty, or only a summary of itself.
  if (call.source !== "resume") session.note(FORGOTTEN)
  pruneSessions(place.now.getTime())
  const { session: most } = place.config.hooks.tokens
  const page = new Page(most)
  page.add(topicLines(place))
  page.add(howToAsk(place))
  const decisions = newest(place.entries.filter(({ kind }) => kind === "decision")).slice(0, MOST_DECISIONS)
  page.section(
    "Decided lately:",
    decisions.map((entry) => entryLine(entry, place, 240)),
    // Said here, it need not be said beside the first prompt.
    (at) => session.claims("entry", decisions[at]!.id) || true,
  )
  const isSaid = new Set(decisions.map(({ id }) => id))
  const stale = place.isLate ? [] : staleEntries(place, MOST_STALE, isSaid)
  page.section(
    "Notes whose code has changed since:",
    stale.map((entry) => staleLine(entry, 120)),
  )
  const map = place.isLate ? null : await projectMap(place, Math.floor(most * MAP_SHARE))
  page.add(map?.lines ?? [])
  if (!place.isIndexed && place.root !== null && call.source !== "compact") page.add(HOW_TO_INDEX)
  // One of the two is enough for one process; the first prompt makes the other.
  if (map?.isNew !== true) place.keepNoteWords()
  return page.text
}

function newest(entries: readonly Entry[]): Entry[] {
  return [...entries].sort((a, b) => (a.revisedAt < b.revisedAt ? 1 : -1))
}
