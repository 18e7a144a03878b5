import { familyOf } from "../../code/languages/family.ts"
import { isLimitNote } from "../../code/parsed-file.ts"
import type { UnreadFiles } from "../../store/index/file-rows.ts"
import type { Store } from "../../store/index/store.ts"
import type { SymbolDefinition } from "../../symbols/definition.ts"

/** Maximum number of files of one language that are searched for the name of a definition. */
const MAX_SEARCHED = 8

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
  return store.files
    .unread()
    .filter(({ language }) => families.size === 0 || families.has(familyOf(language)))
    .flatMap((each) => {
      if (mayName === null || each.reason === null || each.files > MAX_SEARCHED) return noteOf(each) ?? []
      const [first, ...others] = store.files.unreadPaths(each, MAX_SEARCHED).filter(mayName)
      return first === undefined ? [] : (noteOf({ ...each, files: 1 + others.length, first }) ?? [])
    })
}

/** Languages whose code calls definitions of another family, and whose uses are not read. */
const CALLING: Readonly<Record<string, ReadonlySet<string>>> = {
  "visual-basic": new Set(["csharp"]),
  notebook: new Set(["python"]),
  assembly: new Set(["c"]),
  xml: new Set(["jvm", "csharp"]),
}

/** A notice for an answer without results: files in languages whose uses are not read may use the definitions. */
export function unreadLanguagesNote(store: Store, definitions: readonly SymbolDefinition[]): string[] {
  const families = new Set(definitions.map(({ file }) => file.family))
  const files = store.files.unread().filter(({ language, reason }) => {
    const called = CALLING[language]
    return (
      reason === null && called !== undefined && (families.size === 0 || !called.isDisjointFrom(families))
    )
  })
  if (files.length === 0) return []
  const which = files.map((each) => `${each.files} in ${each.language} (${each.first})`).join(", ")
  return [`files whose uses are not read may use it: ${which}`]
}

function noteOf({ language, reason, method, files, first }: UnreadFiles): string | null {
  if (reason === null) return null
  const which = files === 1 ? first : `${first} and ${files - 1} more`
  if (isLimitNote(reason)) return `in ${which}, ${reason}: there may be further uses`
  // If the file has a syntax tree, only a script or style inside the page could not be parsed.
  if (method === "tree-sitter") return `${which}: ${reason}, so uses there are not known`
  return `${files === 1 ? "1 file" : `${files} files`} in ${language} could not be parsed, so uses there are not known: ${which}`
}
