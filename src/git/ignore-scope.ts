import { compileIgnoreRules, type IgnoreRules } from "./ignore-rules.ts"

/** The ignore files that hold in one folder: its own and, through `outer`, those of the folders above. */
export type IgnoreScope = {
  readonly rules: IgnoreRules
  readonly outer: IgnoreScope | null
  /** Length of the way from the top of the work tree to the rules' folder, "/" included. */
  readonly base: number
}

/**
 * True or false as the innermost file with a rule that matches says, null if none does. `path` is relative to the
 * top of the work tree; nobody asks about what lies in an ignored folder, because git never looks there.
 */
export function ignoreVerdict(
  scope: IgnoreScope | null,
  path: string,
  name: string,
  isFolder: boolean,
): boolean | null {
  for (let at = scope; at; at = at.outer) {
    const verdict = at.rules.verdict(at.base === 0 ? path : path.slice(at.base), name, isFolder)
    if (verdict !== null) return verdict
  }
  return null
}

/** Adds the rules of a text that holds in `folder`, relative to the top of the work tree ("" for the top). */
export function addIgnoreText(
  outer: IgnoreScope | null,
  text: string | null,
  folder: string,
  ignoreCase: boolean,
): IgnoreScope | null {
  const rules = text === null ? null : compileIgnoreRules(text, ignoreCase)
  return rules ? { rules, outer, base: folder === "" ? 0 : folder.length + 1 } : outer
}
