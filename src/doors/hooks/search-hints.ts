import { FILE_FLAG, NOT_MAIN_FLAGS } from "../../base/index.ts"
import type { IndexReader } from "../../index/index.ts"
import { matchFiles } from "../../search/index.ts"
import type { FileRow, SymbolRow } from "../../store/index.ts"
import { isCallable, isType } from "../../symbols/index.ts"
import { codeLine, symbolLine } from "./code-lines.ts"
import { type HookSources, STRONG } from "./hook-sources.ts"
import { entryLines, settledEntries } from "./notes/entry-lines.ts"
import { entriesWithNames, isCodeName, namesInPattern } from "./notes/pattern-names.ts"
import type { HookPage } from "./page.ts"
import type { SessionLog } from "./session-log.ts"

const MAX_HITS = 4
const MAX_NOTES = 3
/** Max files found by the words of a search; those of main code are shown first. */
const MAX_MATCHES = 6
/**
 * Maximum number of definitions and sections with one name, so that code names that are also headings of many documents
 * are found.
 */
const MAX_OF_NAME = 50

const MAX_CHARACTERS = 300

/**
 * Adds definitions of the searched names or, without any, files that contain their words; then notes about the names.
 * Each line is added once per session.
 */
export async function aboutPattern(
  page: HookPage,
  pattern: string,
  sources: HookSources,
  session: SessionLog,
): Promise<void> {
  const names = namesInPattern(pattern)
  if (names.length === 0) return
  const defined = sources.fromIndex((index, root) => definitionLines(index, root, names), [])
  const byWords =
    defined.length > 0 ? [] : sources.fromIndex((index, root) => filesWithWords(index, root, names), [])
  const codeNames = names.filter(isCodeName)
  const mayHaveNotes = !sources.isLate && codeNames.length > 0 && sources.mayName(codeNames)
  const found = mayHaveNotes ? entriesWithNames(sources.entries, codeNames).slice(0, MAX_NOTES) : []
  const notes = settledEntries(pattern, found, sources).slice(0, MAX_NOTES)
  if (defined.length + byWords.length + notes.length === 0 || !session.claims("pattern", pattern)) return
  page.section("In the index:", defined)
  page.section("In the index, with these words:", byWords)
  page.section("Memories about this search:", await entryLines(notes, sources, MAX_CHARACTERS), (at) =>
    session.claims("entry", notes[at]!.entry.id),
  )
}

/**
 * Lines with the definitions of the names. Definitions in tests, factories and migrations are included only if there
 * is no other.
 */
function definitionLines(index: IndexReader, root: string, names: readonly string[]): string[] {
  const lines = names
    .flatMap((name) => definitionsOf(index, name))
    .slice(0, MAX_HITS)
    .map((symbol) => symbolLine(index, root, symbol))
  return lines.filter((line) => line !== null)
}

/** Definitions of a name. Empty for a name with many definitions, because the agent's own search finds those. */
function definitionsOf({ store }: IndexReader, name: string): SymbolRow[] {
  const { symbols, files } = store
  const found = symbols.findByName(name, MAX_OF_NAME)
  const code = found.filter(({ kind }) => kind !== "section")
  // A search for hat_request may mean the class HatRequest.
  const folded = isCodeName(name) ? symbols.findByFolded(name, MAX_OF_NAME) : []
  const respelled = folded.filter((each) => each.name !== name && (isType(each) || isCallable(each)))
  const isMain = ({ fileId }: SymbolRow) => isMainFile(files.get(fileId))
  const exact = code.filter(isMain)
  const main = [...exact, ...respelled.filter(isMain)]
  const choices = [main, exact, ...(main.length > 0 ? [] : [code, respelled, found])]
  return choices.find(({ length }) => length > 0 && length <= MAX_HITS) ?? []
}

const NOT_MAIN = NOT_MAIN_FLAGS & ~FILE_FLAG.scripts
/** Folders of test data and database migrations, whose files repeat names that the main code defines. */
const BESIDE = /(?:^|\/)(?:factor(?:y|ies)|fixtures?|seed(?:er)?s?|migrations?|migrate)\//i

function isMainFile(file: Pick<FileRow, "path" | "flags"> | null): boolean {
  return file !== null && (file.flags & NOT_MAIN) === 0 && !BESIDE.test(file.path)
}

/** Lines with the files that contain the words of the names, main code first. */
function filesWithWords(index: IndexReader, root: string, names: readonly string[]): string[] {
  const { files, strength } = matchFiles(index.keyword(), names.join(" "), MAX_MATCHES, STRONG)
  if (strength < STRONG) return []
  const [main, beside] = [true, false].map((isMain) =>
    files.filter(({ fileId }) => isMainFile(index.store.files.get(fileId)) === isMain),
  )
  return [...main!, ...beside!]
    .slice(0, MAX_HITS)
    .map((file) => codeLine(index, root, file))
    .filter((line) => line !== null)
}
