import { type ChunkSizes, partChars } from "../chunk/chunk.ts"
import { type Cut, cutUnits } from "../chunk/cut.ts"
import { definitionUnits } from "../chunk/definition-units.ts"
import { isTypeLike, type NestedDefinition, nestDefinitions } from "../definitions.ts"
import { listedNames } from "../listed-names.ts"
import { MAX_IMPORTS } from "../parsed-file.ts"
import type { TextLines } from "../text-lines.ts"
import { ruleDefinitions } from "./rule-definitions.ts"
import { rulesOf } from "./table.ts"

/** Cuts a file by the rules of its language; null if there are no rules, or if they find nothing. */
export function cutByRules(languageId: string, lines: TextLines, options: ChunkSizes): Cut | null {
  const rules = rulesOf(languageId)
  if (!rules) return null
  const found = ruleDefinitions(lines, rules)
  if (found.definitions.length === 0) return null
  const { comments, code } = found
  const definitions = nestDefinitions(listedNames(found.definitions)).filter(isInPlace)
  const rows = { startRow: 0, endRow: lines.count - 1 }
  const units = definitionUnits({ lines, definitions, comments, runChars: partChars(options) }, rows)
  const captures = {
    comments,
    docs: new Uint32Array(0),
    imports: importsOf(lines.text, code, rules.imports),
    package: rules.package?.exec(lines.text)?.[1] ?? null,
  }
  return cutUnits("rules", { units, definitions }, captures, lines, options)
}

/**
 * True for a definition that should be listed. False for a field outside of a type, because in GraphQL such a field is
 * part of a query and not of a schema.
 */
function isInPlace({ kind, owner, parent }: NestedDefinition): boolean {
  return kind !== "field" || owner !== null || isTypeLike(parent?.kind ?? null)
}

function importsOf(text: string, code: string, pattern: RegExp | undefined): string[] {
  const found = new Set<string>()
  if (!pattern) return []
  for (const { index, 0: row, 1: name } of text.matchAll(pattern)) {
    const isCode = code.startsWith(row.trimStart()[0] ?? "", index + row.length - row.trimStart().length)
    if (isCode && name && found.add(name).size === MAX_IMPORTS) break
  }
  return [...found]
}
