import { indentOf, type TextLines } from "../text-lines.ts"
import type { Brackets } from "./brackets.ts"
import type { DefinitionRule } from "./rule.ts"

/** A row that matches a rule and so may begin a definition. */
export type CandidateDefinition = {
  readonly rule: DefinitionRule
  readonly name: string
  readonly owner: string | null
  readonly row: number
  readonly start: number
  /** Offset of the end of the match. The text after it decides where the definition ends. */
  readonly from: number
  readonly indent: number
  readonly depth: number
}

/**
 * Maximum number of characters that a pattern is matched against. It is enough for a declaration, and it bounds the
 * time.
 */
const WINDOW_CHARS = 500

/** Maximum number of open brackets. Code that is nested more deeply is generated or hostile. */
const MAX_DEPTH = 40

const MAX_NAME_CHARS = 120

/** Finds the lines that begin a definition. If several rules match a line, the first one in the list applies. */
export function findCandidates(
  lines: TextLines,
  code: string,
  brackets: Brackets,
  rules: readonly DefinitionRule[],
): CandidateDefinition[] {
  const candidates: CandidateDefinition[] = []
  for (let row = 0; row < lines.count; row++) {
    const indent = indentOf(lines, row)
    const depth = brackets.depths[row]!
    const rowStart = lines.starts[row]!
    // Skips a row that begins inside a comment or string.
    if (indent < 0 || depth > MAX_DEPTH || code[rowStart + indent] !== lines.text[rowStart + indent]) continue
    const window = lines.text.slice(rowStart, rowStart + WINDOW_CHARS)
    const found = firstMatch(rules, window, depth)
    if (!found) continue
    const [rule, match] = found
    candidates.push({
      rule,
      name: cleaned(match.groups!["name"]!),
      owner: match.groups!["owner"] ?? null,
      row,
      start: rowStart + indent,
      from: rowStart + match[0].length,
      indent,
      depth,
    })
  }
  return candidates
}

function firstMatch(
  rules: readonly DefinitionRule[],
  window: string,
  depth: number,
): [DefinitionRule, RegExpExecArray] | null {
  for (const rule of rules) {
    if (depth > (rule.maxDepth ?? MAX_DEPTH) || depth < (rule.minDepth ?? 0)) continue
    const match = rule.pattern.exec(window)
    if (match?.groups?.["name"]) return [rule, match]
  }
  return null
}

/** The name without the quotes of SQL, R and Nix, and with white space collapsed. */
function cleaned(name: string): string {
  return name
    .replace(/["'`[\]]/g, "")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, MAX_NAME_CHARS)
}
