import { FILE_FLAG } from "../base/file-flag.ts"
import { useHash } from "../code/use-code.ts"
import type { Definition } from "./definition.ts"
import { isCallable, isType } from "./kinds.ts"
import type { SymbolGraph } from "./symbol-graph.ts"
import { writtenAs } from "./written-name.ts"

export type Unused = { readonly definition: Definition; readonly confidence: number }

/** Called by what runs them: entry points, tests, and what a language or framework calls by its name. */
const CALLED_BY_OTHERS =
  /^(?:main|init|setup|teardown|constructor|initialize|new|default|drop|fmt|__\w+__|_+|test.*|Test.*|Benchmark.*|Example.*|bench.*|on[A-Z]\w*|operator.*|~\w+|toString|equals|hashCode|dispose|render|up|down|handle|boot|register)$/

/**
 * Functions and types whose very name no code of the project uses anywhere. What another project or a string
 * may name is still among them: hence a confidence, lower where the name is public.
 */
export function unusedSymbols(graph: SymbolGraph, isWanted: (path: string) => boolean): Unused[] {
  const used = graph.usedHashes()
  const unread = graph.store.files.unreadLanguages()
  const found: Unused[] = []
  for (const file of graph.files(graph.store.uses.ids())) {
    if (!isWanted(file.path) || (file.flags & NOT_LOOKED_AT) !== 0) continue
    for (const symbol of file.symbols) {
      if (!isCallable(symbol) && !isType(symbol)) continue
      if (isMostlyUnseen(symbol.name) || used.has(useHash(writtenAs(symbol.name)))) continue
      const isKnownElsewhere = unread.has(file.language)
      found.push({
        definition: { symbol, file },
        confidence: confidenceOf(symbol, file, isKnownElsewhere),
      })
    }
  }
  return found.sort(
    (one, other) =>
      other.confidence - one.confidence || (one.definition.file.path < other.definition.file.path ? -1 : 1),
  )
}

/** Of names of one letter only calls and members are kept. */
function isMostlyUnseen(name: string): boolean {
  return name.length === 1 || CALLED_BY_OTHERS.test(name)
}

const NOT_LOOKED_AT = FILE_FLAG.generated | FILE_FLAG.vendored | FILE_FLAG.declaration | FILE_FLAG.test

function confidenceOf(
  { name, kind, signature, owner }: Definition["symbol"],
  { family }: Definition["file"],
  isHalfRead: boolean,
): number {
  const isPrivate =
    /\bprivate\b|\bstatic\b(?=.*\()/.test(signature) && (family !== "jvm" || /\bprivate\b/.test(signature))
  const isPublic =
    /\b(?:export|pub|public|override|abstract|open)\b|^@|@Override/.test(signature) ||
    (family === "go" && /^\p{Lu}/u.test(name)) ||
    (family === "python" && !name.startsWith("_")) ||
    // Routers and folders name it by its file.
    kind === "component" ||
    // A member of what is written out and handed on.
    (kind === "method" && owner === null) ||
    family === "ruby" ||
    family === "php"
  const plain = isPrivate || (!isPublic && owner === null) ? 0.9 : isPublic ? 0.5 : 0.7
  return isHalfRead ? plain / 2 : plain
}
