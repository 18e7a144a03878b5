import { compareTexts } from "../../../base/index.ts"
import type { Entry } from "../../../memory/index.ts"
import type { HookCall } from "../agents/hook-call.ts"
import type { HookSources } from "../hook-sources.ts"
import { entryLines, settledEntries, staleLine } from "../notes/entry-lines.ts"
import { staleEntries } from "../notes/stale-entries.ts"
import { HookPage } from "../page.ts"
import { projectMap } from "../project-map.ts"
import { CONTEXT_CLEARED, pruneSessions, type SessionLog } from "../session-log.ts"
import { howToAsk, topicLines } from "./subagent-start.ts"

/**
 * Factor for the character budget of lines with ids and places, which have about 3.1 characters per token, other text
 * 3.5.
 */
const IDS_SHARE = 0.85

const MAX_DECISIONS = 3
const HOW_TO_INDEX = ["This project has no index yet; to build it: aman index"]

/**
 * Text for a session start: what the project is, topics of the notes and how to ask, recent decisions, notes whose code
 * has changed, and the most used definitions.
 */
export async function sessionStart(
  call: HookCall,
  sources: HookSources,
  session: SessionLog,
): Promise<string | null> {
  // At a session start, the model's context is empty or reduced to a summary, so texts shown earlier may be shown
  // again.
  if (call.source !== "resume") session.note(CONTEXT_CLEARED)
  pruneSessions(sources.now.getTime())
  const max = sources.config.hooks.sessionTokens
  const page = new HookPage(max * IDS_SHARE)
  const map = sources.isLate ? null : await projectMap(sources)
  const [name = [], kind = [], ...places] = map?.lines.map((line) => [line]) ?? []
  page.add(name)
  page.add(kind)
  page.add(topicLines(sources))
  page.add(howToAsk(sources))
  const newest = newestEntries(sources.entries.filter(({ kind }) => kind === "decision"))
  const decisions = settledEntries("", newest.slice(0, MAX_DECISIONS), sources).slice(0, MAX_DECISIONS)
  page.section(
    "Decided lately:",
    await entryLines(decisions, sources, 140),
    // The entry is recorded as shown, so that the first prompt does not show it again.
    (at) => session.claims("entry", decisions[at]!.entry.id) || true,
  )
  const shownIds = new Set(decisions.map(({ entry }) => entry.id))
  const stale = sources.isLate ? [] : await staleEntries(sources, 3, shownIds)
  page.section(
    "Notes whose code has changed since:",
    stale.map((found) => staleLine(found, 100)),
  )
  for (const place of places) page.add(place)
  if (!sources.isIndexed && sources.root !== null && call.source !== "compact") page.add(HOW_TO_INDEX)
  // If this process has just built the map, it leaves the word index to the first prompt, so that one hook does not
  // have to build both.
  if (map?.isNew !== true) sources.keepNoteWords()
  return page.text
}

function newestEntries(entries: readonly Entry[]): Entry[] {
  return [...entries].sort((a, b) => compareTexts(b.revisedAt, a.revisedAt))
}
