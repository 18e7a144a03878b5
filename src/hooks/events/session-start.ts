import type { Entry } from "../../memory/entries/entry.ts"
import type { HookCall } from "../agents/hook-call.ts"
import type { HookSources } from "../hook-sources.ts"
import { entryLine, staleLine } from "../notes/entry-lines.ts"
import { staleEntries } from "../notes/stale-entries.ts"
import { Page } from "../page.ts"
import { projectMap } from "../project-map.ts"
import { CONTEXT_CLEARED, pruneSessions, type SessionLog } from "../session-log.ts"
import { howToAsk, topicLines } from "./subagent-start.ts"

const MAX_DECISIONS = 5
const MAX_STALE = 5
/** Max share of the token budget for the map. */
const MAP_SHARE = 0.5
const HOW_TO_INDEX = ["This project has no index yet; to build it: aman index"]

/** Text for a session start: topics, recent decisions, notes whose code has changed, the project's map. */
export async function sessionStart(
  call: HookCall,
  sources: HookSources,
  session: SessionLog,
): Promise<string | null> {
  // The model's context is new or only a summary.
  if (call.source !== "resume") session.note(CONTEXT_CLEARED)
  pruneSessions(sources.now.getTime())
  const { session: max } = sources.config.hooks.tokens
  const page = new Page(max)
  page.add(topicLines(sources))
  page.add(howToAsk(sources))
  const decisions = newest(sources.entries.filter(({ kind }) => kind === "decision")).slice(0, MAX_DECISIONS)
  page.section(
    "Decided lately:",
    decisions.map((entry) => entryLine(entry, sources, 240)),
    // Claimed, so that the first prompt does not show the same entry again.
    (at) => session.claims("entry", decisions[at]!.id) || true,
  )
  const shownIds = new Set(decisions.map(({ id }) => id))
  const stale = sources.isLate ? [] : staleEntries(sources, MAX_STALE, shownIds)
  page.section(
    "Notes whose code has changed since:",
    stale.map((entry) => staleLine(entry, 120)),
  )
  const map = sources.isLate ? null : await projectMap(sources, Math.floor(max * MAP_SHARE))
  page.add(map?.lines ?? [])
  if (!sources.isIndexed && sources.root !== null && call.source !== "compact") page.add(HOW_TO_INDEX)
  // Building either the map or the word index is enough for one process; the first prompt builds the other.
  if (map?.isNew !== true) sources.keepNoteWords()
  return page.text
}

function newest(entries: readonly Entry[]): Entry[] {
  return [...entries].sort((a, b) => (a.revisedAt < b.revisedAt ? 1 : -1))
}
