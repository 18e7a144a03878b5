import { parseIgnoreFile } from "./ignore-pattern.ts"
import { tableOf } from "./pattern-table.ts"

/** The rules of one ignore file, compiled. */
export type IgnoreRules = {
  /** True or false if a rule decides, null if none speaks of it. `path` is below the file's folder. */
  verdict(path: string, name: string, isFolder: boolean): boolean | null
}

/** Null where there is none. */
export function compileIgnoreRules(text: string, ignoreCase = false): IgnoreRules | null {
  const patterns = parseIgnoreFile(text)
  if (patterns.length === 0) return null
  const table = tableOf(patterns, ignoreCase)
  return {
    verdict(path, name, isFolder) {
      const position = table.last(path, name, isFolder)
      return position < 0 ? null : !patterns[position]!.isNegated
    },
  }
}
