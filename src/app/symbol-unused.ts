import type { SymbolGraph } from "../graph/symbol-graph.ts"
import { type Unused, unusedSymbols } from "../graph/unused.ts"
import { readSource } from "../text/read-source.ts"
import type { Project } from "./open-project.ts"
import type { Found } from "./symbol-found.ts"

/** Of files whose uses nothing tells: a grammar for yacc, assembly, a template, a build file. */
const MOST_FILES = 2_000
const MOST_CHARS = 8_000_000
const IDENTIFIER = /[\p{L}_$][\p{L}\p{N}_$]*/gu

/** As sure as a name can be unused that stands in a file whose uses nothing tells. */
const NAMED_SOMEWHERE = 0.2

const NOTES = [
  "nothing in the project's code uses these names; strings, templates, configuration and other projects may",
]

/** Candidates that no code uses; those that stand in a file that is only text to us come last. */
export function unusedIn(graph: SymbolGraph, project: Project, isWanted: (path: string) => boolean): Found {
  const all = unusedSymbols(graph, isWanted)
  const named = namedInTexts(project, graph.store.files.withoutUses(MOST_FILES), new Set(all.map(nameOf)))
  const related = all.map((each) =>
    named.has(nameOf(each)) ? { ...each, confidence: Math.min(each.confidence, NAMED_SOMEWHERE) } : each,
  )
  return {
    definitions: [],
    related: related.sort((one, other) => other.confidence - one.confidence),
    notices: NOTES,
  }
}

function nameOf({ definition }: Unused): string {
  return definition.symbol.name.replace(/^[#~]|[!?=]$/g, "")
}

/** Those of the names that stand anywhere in these files. */
function namedInTexts(
  { root, config }: Project,
  paths: readonly string[],
  names: ReadonlySet<string>,
): ReadonlySet<string> {
  const found = new Set<string>()
  let left = names.size === 0 ? 0 : MOST_CHARS
  for (const path of paths) {
    if (left <= 0) break
    const source = readSource(root, path, config.index.maxFileBytes)
    if ("reason" in source) continue
    left -= source.text.length
    for (const [word] of source.text.matchAll(IDENTIFIER)) if (names.has(word)) found.add(word)
  }
  return found
}
