import { readBoundedFile, TOO_LARGE } from "../config-file.ts"
import { parseIgnoreFile } from "./ignore-pattern.ts"
import { tableOf } from "./pattern-table.ts"

/** The ignore rules that apply in one folder: its own rules and, through `outer`, those of its parent folders. */
export type IgnoreScope = {
  readonly rules: IgnoreRules
  readonly outer: IgnoreScope | null
  /** Length of the path from the top of the work tree to the folder of these rules, including the final "/". */
  readonly base: number
}

/**
 * True (ignored) or false, by the innermost file with a matching rule; null if no rule matches. `path` is relative to
 * the top of the work tree. Must not be called for a path inside an ignored folder, because git does not look into such
 * folders.
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

/** True when comparing the patterns of one of the files took too long. Results are then not reliable. */
export function isSpent(scope: IgnoreScope | null): boolean {
  for (let at = scope; at; at = at.outer) if (at.rules.isSpent) return true
  return false
}

/** Adds the rules in a text. They apply in `folder`, a path relative to the top of the work tree ("" for the top). */
export function addIgnoreText(
  outer: IgnoreScope | null,
  text: string | null,
  folder: string,
  ignoreCase: boolean,
): IgnoreScope | null {
  const rules = text === null ? null : compileIgnoreRules(text, ignoreCase)
  return rules ? { rules, outer, base: folder === "" ? 0 : folder.length + 1 } : outer
}

/**
 * Adds the rules in an ignore file. The file may have at most 8 MiB and, if `within` is given, must be inside one of
 * these folders. A larger file is not read; its rules then count as undecided (`isSpent`), so that the files it may
 * ignore are left out instead of indexed.
 */
export function addIgnoreFile(
  outer: IgnoreScope | null,
  path: string,
  folder: string,
  { ignoreCase, within = null }: { readonly ignoreCase: boolean; readonly within?: readonly string[] | null },
): IgnoreScope | null {
  const text = readBoundedFile(path, within)
  if (text === TOO_LARGE) return { rules: UNREAD_RULES, outer, base: 0 }
  return addIgnoreText(outer, text, folder, ignoreCase)
}

const UNREAD_RULES: IgnoreRules = { verdict: () => null, isSpent: true }

/** The compiled rules of one ignore file. */
export type IgnoreRules = {
  /**
   * True (ignored) or false if a rule matches; null if none does. `path` is relative to the folder of the ignore file.
   */
  verdict(path: string, name: string, isFolder: boolean): boolean | null
  /**
   * True once comparing the patterns has taken too long, and for a file that is too large to read. Verdicts are then not
   * reliable.
   */
  readonly isSpent: boolean
}

/** Compiles the text of an ignore file; null if it contains no rules. */
export function compileIgnoreRules(text: string, ignoreCase = false): IgnoreRules | null {
  const patterns = parseIgnoreFile(text)
  if (patterns.length === 0) return null
  const table = tableOf(patterns, ignoreCase)
  return {
    verdict(path, name, isFolder) {
      const position = table.last(path, name, isFolder)
      return position < 0 ? null : !patterns[position]!.isNegated
    },
    get isSpent() {
      return table.isSpent
    },
  }
}
