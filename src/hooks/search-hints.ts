import type { IndexReader } from "../search/reader.ts"
import { matchFiles } from "../search/word-match.ts"
import { codeLine, symbolLine } from "./code-lines.ts"
import { entriesWithNames } from "./entries-with-names.ts"
import { entryLine } from "./entry-lines.ts"
import type { Page } from "./facts.ts"
import { isCodeName, namesIn } from "./pattern-names.ts"
import type { HookPlace } from "./place.ts"
import type { Session } from "./session.ts"

const MOST_HITS = 4
/** A name of the code may head sections of as many documents. */
const MOST_OF_NAME = 50
const MOST_ENTRIES = 3
const MOST_CHARACTERS = 300

/** Where what is searched for is defined; failing that, files with its words; and notes on it. Once a session. */
export function aboutPattern(page: Page, pattern: string, place: HookPlace, session: Session): void {
  const names = namesIn(pattern)
  if (names.length === 0) return
  const { threshold } = place.config.hooks
  const defined = place.ofIndex((index, root) => definitions(index, root, names), [])
  const named =
    defined.length > 0 ? [] : place.ofIndex((index, root) => withWords(index, root, names, threshold), [])
  const codeNames = names.filter(isCodeName)
  const isAsked = !place.isLate && codeNames.length > 0 && place.mayName(codeNames)
  const notes = isAsked ? entriesWithNames(place.entries, codeNames).slice(0, MOST_ENTRIES) : []
  if (defined.length + named.length + notes.length === 0 || !session.claims("pattern", pattern)) return
  page.section("In the index:", defined)
  page.section("In the index, with these words:", named)
  page.section(
    "Remembered of that:",
    notes.map((entry) => entryLine(entry, place, MOST_CHARACTERS)),
    (at) => session.claims("entry", notes[at]!.id),
  )
}

function definitions(index: IndexReader, root: string, names: readonly string[]): string[] {
  const symbols = names.flatMap((name) => {
    const found = index.store.symbols.findByName(name, MOST_OF_NAME)
    const code = found.filter(({ kind }) => kind !== "section")
    const meant = code.length > 0 ? code : found
    // What has many definitions is best searched for, as the agent does.
    return meant.length > MOST_HITS ? [] : meant
  })
  const lines = symbols.slice(0, MOST_HITS).map((symbol) => symbolLine(index, root, symbol))
  return lines.filter((line) => line !== null)
}

function withWords(index: IndexReader, root: string, names: readonly string[], threshold: number): string[] {
  const { files, strength } = matchFiles(index.keyword(), names.join(" "), MOST_HITS, threshold)
  if (strength < threshold) return []
  return files.map((file) => codeLine(index, root, file)).filter((line) => line !== null)
}
