import { basename } from "node:path"
import type { Entry } from "../../memory/entries/entry.ts"
import type { HookCall } from "../agents/hook-call.ts"
import { neutral, Page } from "../facts.ts"
import { entryLine } from "../notes/entry-lines.ts"
import { entriesWithNames, LEAST_NAME } from "../notes/pattern-names.ts"
import type { HookPlace } from "../place.ts"
import { aboutPattern } from "../search-hints.ts"
import type { Session } from "../session.ts"

/** Notes about the files a tool uses, or index results for its search pattern. */
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

const MAX_ENTRIES = 4
const MAX_CHARACTERS = 300
const MAX_NAMES = 60

/** Adds notes that mention the file: by their source, its path, or a name it defines. Once per session. */
function aboutFile(page: Page, path: string, place: HookPlace, session: Session): void {
  const names = namesOf(place, path)
  if (!place.mayName(names, path)) return
  const { entries } = place
  const found = [...new Set([...ofFile(entries, path), ...entriesWithNames(entries, names)])]
  if (found.length === 0 || !session.claims("file", path)) return
  const best = found.slice(0, MAX_ENTRIES)
  page.section(
    `Remembered of ${neutral(path, 200)}:`,
    best.map((entry) => entryLine(entry, place, MAX_CHARACTERS)),
    (at) => session.claims("entry", best[at]!.id),
  )
}

function ofFile(entries: readonly Entry[], path: string): Entry[] {
  const name = basename(path)
  // Many files are called index.ts and the like.
  const isDistinctive = name.includes(".") && !/^(?:index|main|mod|lib|__init__|readme|test)\./i.test(name)
  return entries.filter(
    ({ source, text }) =>
      source?.path === path || text.includes(path) || (isDistinctive && text.includes(name)),
  )
}

function namesOf(place: HookPlace, path: string): string[] {
  return place.ofIndex(({ store }) => {
    const file = store.files.byPath(path)
    if (file === null) return []
    const names = store.symbols.namesOf(file.id).filter((name) => name.length >= LEAST_NAME)
    return names.slice(0, MAX_NAMES)
  }, [])
}
