import { basename } from "node:path"
import { revertedChanges } from "../../../index/index.ts"
import type { Entry } from "../../../memory/index.ts"
import type { HookCall } from "../agents/hook-call.ts"
import type { HookSources } from "../hook-sources.ts"
import { entryLines, settledEntries } from "../notes/entry-lines.ts"
import { entriesWithNames, MIN_NAME_CHARACTERS } from "../notes/pattern-names.ts"
import { HookPage, sanitizeLine, TOOL_TOKENS } from "../page.ts"
import { aboutPattern } from "../search-hints.ts"
import type { SessionLog } from "../session-log.ts"

/** Notes about the files a tool uses, or index results for its search pattern. */
export async function beforeTool(
  { tool, cwd }: HookCall,
  sources: HookSources,
  session: SessionLog,
): Promise<string | null> {
  if (tool === null) return null
  const page = new HookPage(TOOL_TOKENS)
  if (tool.kind === "search") await aboutPattern(page, tool.pattern, sources, session)
  for (const named of tool.paths) {
    const path = sources.pathOf(named, cwd)
    if (path !== null && !sources.isLate) await aboutFile(page, path, sources, session)
  }
  return page.text
}

const MAX_CHARACTERS = 300
const MAX_NOTES = 4

/**
 * Adds changes of the file that were reverted, and notes that mention it: it is their source, or their text contains its path or a name that it defines. Once
 * per file in a session.
 */
async function aboutFile(
  page: HookPage,
  path: string,
  sources: HookSources,
  session: SessionLog,
): Promise<void> {
  const reverted = session.claims("reverts", path) ? await revertedChanges(sources.root ?? "") : []
  const lines = reverted
    .filter(({ paths }) => paths.includes(path))
    .map(({ line }) => `- ${sanitizeLine(line, MAX_CHARACTERS)}`)
  page.section(`Changes of ${sanitizeLine(path, 200)} that were taken back:`, lines.slice(0, 2))
  const names = definedNames(sources, path)
  if (!sources.mayName(names, path)) return
  const { entries } = sources
  const found = [...new Set([...ofFile(entries, path), ...entriesWithNames(entries, names)])]
  if (found.length === 0 || !session.claims("file", path)) return
  const best = settledEntries(path, found.slice(0, MAX_NOTES), sources).slice(0, MAX_NOTES)
  page.section(
    `Memories about ${sanitizeLine(path, 200)}:`,
    await entryLines(best, sources, MAX_CHARACTERS),
    (at) => session.claims("entry", best[at]!.entry.id),
  )
}

function ofFile(entries: readonly Entry[], path: string): Entry[] {
  const name = basename(path)
  // A common file name, such as index.ts, does not identify the file.
  const isDistinctive = name.includes(".") && !/^(?:index|main|mod|lib|__init__|readme|test)\./i.test(name)
  return entries.filter(
    ({ source, text }) =>
      source?.path === path || text.includes(path) || (isDistinctive && text.includes(name)),
  )
}

function definedNames(sources: HookSources, path: string): string[] {
  return sources.fromIndex(({ store }) => {
    const file = store.files.byPath(path)
    if (file === null) return []
    const names = store.symbols.namesOf(file.id).filter((name) => name.length >= MIN_NAME_CHARACTERS)
    return names.slice(0, 60)
  }, [])
}
