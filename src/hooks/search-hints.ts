import { matchFiles } from "../search/channels/word-match.ts"
import type { IndexReader } from "../search/reader.ts"
import { codeLine, symbolLine } from "./code-lines.ts"
import type { HookSources } from "./hook-sources.ts"
import { entryLine } from "./notes/entry-lines.ts"
import { entriesWithNames, isCodeName, namesIn } from "./notes/pattern-names.ts"
import type { Page } from "./page.ts"
import type { SessionLog } from "./session-log.ts"

const MAX_HITS = 4
/**
 * Max number of sections with a name; high enough for code names that also head sections of many documents.
 */
const MAX_OF_NAME = 50
const MAX_ENTRIES = 3
const MAX_CHARACTERS = 300

/**
 * Adds definitions of the searched names, else files with these words; and notes about them. Once per
 * session.
 */
export function aboutPattern(page: Page, pattern: string, sources: HookSources, session: SessionLog): void {
  const names = namesIn(pattern)
  if (names.length === 0) return
  const { threshold } = sources.config.hooks
  const defined = sources.fromIndex((index, root) => definitions(index, root, names), [])
  const named =
    defined.length > 0 ? [] : sources.fromIndex((index, root) => withWords(index, root, names, threshold), [])
  const codeNames = names.filter(isCodeName)
  const isAsked = !sources.isLate && codeNames.length > 0 && sources.mayName(codeNames)
  const notes = isAsked ? entriesWithNames(sources.entries, codeNames).slice(0, MAX_ENTRIES) : []
  if (defined.length + named.length + notes.length === 0 || !session.claims("pattern", pattern)) return
  page.section("In the index:", defined)
  page.section("In the index, with these words:", named)
  page.section(
    "Memories about this search:",
    notes.map((entry) => entryLine(entry, sources, MAX_CHARACTERS)),
    (at) => session.claims("entry", notes[at]!.id),
  )
}

function definitions(index: IndexReader, root: string, names: readonly string[]): string[] {
  const symbols = names.flatMap((name) => {
    const found = index.store.symbols.findByName(name, MAX_OF_NAME)
    const code = found.filter(({ kind }) => kind !== "section")
    const meant = code.length > 0 ? code : found
    // Names with many definitions are left to the agent's own search.
    return meant.length > MAX_HITS ? [] : meant
  })
  const lines = symbols.slice(0, MAX_HITS).map((symbol) => symbolLine(index, root, symbol))
  return lines.filter((line) => line !== null)
}

function withWords(index: IndexReader, root: string, names: readonly string[], threshold: number): string[] {
  const { files, strength } = matchFiles(index.keyword(), names.join(" "), MAX_HITS, threshold)
  if (strength < threshold) return []
  return files.map((file) => codeLine(index, root, file)).filter((line) => line !== null)
}
