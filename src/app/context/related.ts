import { isType, qualifiedName } from "../../symbols/definition.ts"
import type { Candidate } from "./pack.ts"
import { isFollowed, type SourceFile } from "./pieces/source-file.ts"
import { recentChanges } from "./recent-changes.ts"
import { type Relations, relationsOf } from "./relations.ts"
import type { ContextRequest, ContextSnippet } from "./request.ts"

/** Number of definitions whose callers, callees, tests and commits are reported. */
const MAX_FOLLOWED = 3

/** Lines about a definition, shown below the code of its file. */
export type RelatedSnippet = { readonly file: SourceFile; readonly snippet: ContextSnippet }

/** Callees, callers, tests and latest commits of the likeliest definitions, in this order. */
export async function relatedSnippets(
  ordered: readonly Candidate[],
  { related, tests }: ContextRequest,
): Promise<readonly RelatedSnippet[]> {
  if (!related && !tests) return []
  const followed = likeliest(ordered)
  const changes = related
    ? await Promise.all(followed.map(({ file, symbol }) => recentChanges(file, symbol)))
    : []
  return followed.flatMap(({ file, symbol }, i) => {
    const relations = relationsOf(file.graph, file.path, symbol)
    const name = qualifiedName({ symbol })
    const lines = `${symbol.startLine}-${symbol.endLine}`
    const about = (why: string, told: readonly string[]) =>
      told.length === 0 ? [] : [{ file, snippet: { text: told.join("\n"), lines, why } }]
    return [
      ...(related ? about(`what ${name} calls`, relations.callees) : []),
      ...(related
        ? about(`what ${isType(symbol) ? "uses" : "calls"} ${name}`, callersOf(relations, symbol.name))
        : []),
      ...(tests ? about(`tests of ${name}`, relations.tests) : []),
      ...about("recent changes", changes[i] ?? []),
    ]
  })
}

function likeliest(ordered: readonly Candidate[]) {
  const followed = new Map<
    string,
    { readonly file: SourceFile; readonly symbol: NonNullable<Candidate["piece"]["symbol"]> }
  >()
  for (const {
    file,
    piece: { symbol },
  } of ordered) {
    if (followed.size === MAX_FOLLOWED) break
    if (!isFollowed(symbol)) continue
    const key = `${file.result.repository ?? ""}\0${file.path}\0${symbol.ordinal}\0${symbol.index}`
    if (!followed.has(key)) followed.set(key, { file, symbol })
  }
  return [...followed.values()]
}

function callersOf({ callers, users }: Relations, name: string): readonly string[] {
  return users === 0 ? callers : [`${users} files use ${name}: see the symbol tool`]
}
