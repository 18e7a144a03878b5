import { basename } from "node:path"
import type { Entry } from "../knowledge/entry.ts"
import { entriesWithNames } from "./entries-with-names.ts"
import { entryLine } from "./entry-lines.ts"
import { neutral, Page } from "./facts.ts"
import type { HookCall } from "./hook-call.ts"
import { LEAST_NAME } from "./pattern-names.ts"
import type { HookPlace } from "./place.ts"
import { aboutPattern } from "./search-hints.ts"
import type { Session } from "./session.ts"

/** What is known of the files that a tool is about, or where the index has what it searches for. */
export function beforeTool({ tool, cwd }: HookCall, place: HookPlace, session: Session): string | null {
  if (tool === null) return null
  const page = new Page(place.config.hooks.tokens.tool)
  if (tool.kind === "search") aboutPattern(page, tool.pattern, place, session)
  for (const named of tool.paths) {
    const path = place.pathOf(named, cwd)
    if (path !== null && !place.isLate) aboutFile(page, path, place, session)
  }
  return page.text
}

const MOST_ENTRIES = 4
const MOST_CHARACTERS = 300
const MOST_NAMES = 60

/** Notes that speak of the file: by their source, by its path, by a name that it defines. Once a session. */
function aboutFile(page: Page, path: string, place: HookPlace, session: Session): void {
  const names = namesOf(place, path)
  if (!place.mayName(names, path)) return
  const { entries } = place
  const found = [...new Set([...ofFile(entries, path), ...entriesWithNames(entries, names)])]
  if (found.length === 0 || !session.claims("file", path)) return
  const best = found.slice(0, MOST_ENTRIES)
  page.section(
    `Remembered of ${neutral(path, 200)}:`,
    best.map((entry) => entryLine(entry, place, MOST_CHARACTERS)),
    (at) => session.claims("entry", best[at]!.id),
  )
}

function ofFile(entries: readonly Entry[], path: string): Entry[] {
  const name = basename(path)
  // index.ts and its like are the name of many files.
  const isTelling = name.includes(".") && !/^(?:index|main|mod|lib|__init__|readme|test)\./i.test(name)
  return entries.filter(
    ({ source, text }) => source?.path === path || text.includes(path) || (isTelling && text.includes(name)),
  )
}

function namesOf(place: HookPlace, path: string): string[] {
  return place.ofIndex(({ store }) => {
    const file = store.files.byPath(path)
    if (file === null) return []
    const names = store.symbols.namesOf(file.id).filter((name) => name.length >= LEAST_NAME)
    return names.slice(0, MOST_NAMES)
  }, [])
}
