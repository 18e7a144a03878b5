import { type Config, firstAndMore } from "../../base/index.ts"
import { MEMORY_REASON } from "../../index/index.ts"
import { contentKindOf, familyOf, GRAMMAR_ERRORS, isLimitNote, languageOf } from "../../parse/index.ts"
import type { Store, UnreadFiles } from "../../store/index.ts"
import { largeFilesLeftOut, leftOutAt, leftOutNote } from "../../tree/index.ts"
import type { SymbolDefinition } from "../definition.ts"

type IndexedProject = { readonly root: string; readonly config: Config; readonly store: Store }

/** Maximum number of files of one language that are searched for the name of a definition. */
const MAX_SEARCHED = 8
/** The same for files whose syntax tree lacks a large part. */
const MAX_UNCLEAR = 64

/**
 * Notices about files that may use these definitions although no use of theirs is known: files that could not
 * be parsed and files read only in part. With no definitions, files of every language count. Where these files are
 * few, those for which `mayName` is false are left out.
 */
export function unreadNotices(
  store: Store,
  definitions: readonly SymbolDefinition[],
  mayName: ((path: string) => boolean) | null = null,
): string[] {
  const families = new Set(definitions.map(({ file }) => file.family))
  const unread = store.files
    .unread()
    .filter(({ language }) => families.size === 0 || families.has(familyOf(language)))
    .flatMap((each) => {
      const limit = each.reason === GRAMMAR_ERRORS ? MAX_UNCLEAR : MAX_SEARCHED
      if (mayName === null || each.reason === null || each.files > limit) return noteOf(each) ?? []
      const [first, ...others] = store.files.unreadPaths(each, limit).filter(mayName)
      return first === undefined ? [] : (noteOf({ ...each, files: 1 + others.length, first }) ?? [])
    })
  return [...unread, ...failedNotes(store, mayName)]
}

/** Reasons for which a file that should be in the index is not. */
const FAILURES: readonly string[] = ["parser failed", "too slow", MEMORY_REASON]

/** At most one notice: the files that could not be read for the index, those for which `mayName` is true if they are few. */
function failedNotes(store: Store, mayName: ((path: string) => boolean) | null): string[] {
  const failed = FAILURES.flatMap((reason) => store.skipped.ofReason(reason))
  const named = mayName === null || failed.length > MAX_SEARCHED ? failed : failed.filter(mayName)
  if (named.length === 0) return []
  return [
    `${firstAndMore(named[0]!, named.length)} could not be read for the index, so definitions and uses there are missing`,
  ]
}

/** A notice for a name without a definition: files that contain it and are not in the index, or only in part. */
export function unclearNote(indexed: IndexedProject, mayName: (path: string) => boolean): string | null {
  const { store } = indexed
  const paths = store.files
    .unread()
    .filter(({ reason }) => reason === GRAMMAR_ERRORS)
    .flatMap((each) => store.files.unreadPaths(each, MAX_UNCLEAR))
    .filter(mayName)
  if (paths.length === 0) return failedNotes(store, mayName)[0] ?? tooLargeNote(indexed, mayName)
  return `${firstAndMore(paths[0]!, paths.length)} contains the name, but ${GRAMMAR_ERRORS}`
}

/** A notice for a name without a definition that a large file of code contains, which is not indexed. */
function tooLargeNote(indexed: IndexedProject, mayName: (path: string) => boolean): string | null {
  const isCode = (path: string) => contentKindOf(languageOf(path, "")) === "code"
  const path = largeFilesLeftOut(indexed.store).filter(isCode).slice(0, MAX_SEARCHED).find(mayName)
  const leftOut = path === undefined ? null : leftOutAt(indexed, path)
  return leftOut && leftOutNote(leftOut, `${leftOut.path} contains the name, but`)
}

/** Languages whose code calls definitions of another family, and whose uses are not read. */
const CALLING: Readonly<Record<string, ReadonlySet<string>>> = {
  "visual-basic": new Set(["csharp"]),
  notebook: new Set(["python"]),
  assembly: new Set(["c"]),
  xml: new Set(["jvm", "csharp"]),
}

/** A notice for an answer without results: files in languages whose uses are not read may use the definitions. */
export function unreadLanguagesNote(
  store: Store,
  definitions: readonly SymbolDefinition[],
  mayName: (path: string) => boolean = () => true,
): string[] {
  const families = new Set(definitions.map(({ file }) => file.family))
  const files = store.files.unread().filter((each) => {
    const called = each.reason === null ? CALLING[each.language] : undefined
    if (called === undefined || (families.size > 0 && called.isDisjointFrom(families))) return false
    return each.files > MAX_SEARCHED || store.files.unreadPaths(each, MAX_SEARCHED).some(mayName)
  })
  if (files.length === 0) return []
  const which = files.map((each) => `${each.files} in ${each.language} (${each.first})`).join(", ")
  return [`files whose uses are not read may use it: ${which}`]
}

function noteOf({ language, reason, method, files, first }: UnreadFiles): string | null {
  if (reason === null) return null
  const which = firstAndMore(first, files)
  if (isLimitNote(reason)) return `in ${which}, ${reason}: there may be further uses`
  if (reason === GRAMMAR_ERRORS) return `${which}: ${reason}, so definitions and uses there may be missing`
  // If the file has a syntax tree, only a script or style inside the page could not be parsed.
  if (method === "tree-sitter") return `${which}: ${reason}, so uses there are not known`
  return `${files === 1 ? "1 file" : `${files} files`} in ${language} could not be parsed, so uses there are not known: ${which}`
}
