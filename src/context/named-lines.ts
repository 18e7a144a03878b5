import type { SearchAnswer } from "../base/index.ts"
import { type NamedLine, namedLines } from "../text/index.ts"
import type { LocateResult } from "./assemble.ts"
import type { ContextRequest } from "./bundle.ts"
import { SourceFile, type WordedPiece } from "./pieces.ts"

/** Files of which a task names lines, those nearest to an error first, with the pieces that hold these lines. */
export type NamedPieces = ReadonlyMap<SourceFile, readonly WordedPiece[]>

/** Max pieces that come first, and max file names that are looked up. */
const [MAX_PIECES, MAX_NAMES] = [8, 100]
/** Packages of others, whose files may have the names of ours. */
const FOREIGN = /(?:^|\/)(?:node_modules|site-packages|dist-packages|gems)\//

/** The named lines in the project, or in the repository of the first result. */
export function namedPieces(
  { query, paths }: ContextRequest,
  { results: [first] }: SearchAnswer,
  places: LocateResult,
  candidates: readonly SourceFile[],
): NamedPieces {
  const named = new Map<SourceFile, readonly WordedPiece[]>()
  const at = first === undefined ? null : places(first)
  const lines = namedLines(query).filter(({ path }) => !FOREIGN.test(path))
  if (!first || !at || lines.length === 0) return named
  const { files } = at.graph.store
  const names = [...new Set(lines.map(({ path }) => path.split("/").at(-1)!))].slice(0, MAX_NAMES)
  const known = files.matching(names.flatMap((name) => [name, `*/${name}`]))
  const own = candidates.filter(({ project }) => project === at.project)
  const found = new Map(own.map((file) => [file.path, file]))
  for (const mention of lines) {
    const path = fileMeant(mention, known)
    // Outside the wanted paths, only results of the search count.
    if (path === null || (paths.length > 0 && !found.has(path))) continue
    const { line } = mention
    const result = { ...first, path, kind: "block", symbol: null, start_line: line, end_line: line, also: [] }
    const file =
      found.get(path) ?? new SourceFile({ ...result, text: path, score: 1 }, files.byPath(path)!, at)
    const piece = file.pieces.find(({ startLine, endLine }) => startLine <= line && endLine >= line)
    found.set(path, file)
    if (piece) named.set(file, [...new Set([...(named.get(file) ?? []), piece])])
    if ([...named.values()].flat().length === MAX_PIECES) break
  }
  return named
}

/**
 * The known path that a mention means: it ends with the same folders or, if only a file name is written, has most of its
 * folders in the row, as the package in a frame of Java. Null if there is none, or several.
 */
function fileMeant({ path, row }: NamedLine, known: readonly string[]): string | null {
  const wanted = path.split("/")
  const scored = known.flatMap((each) => {
    const own = each.split("/")
    let shared = 0
    while (shared < own.length && own.at(-1 - shared) === wanted.at(-1 - shared)) shared++
    const isBare = wanted.length === 1 && (!row.includes(`(${path}`) || row.includes(own.at(-2) ?? ""))
    const folders = own.filter((part) => row.includes(part)).length
    const isMeant = shared > 1 || (shared > 0 && (own.length === 1 || isBare))
    return isMeant ? [{ each, score: 100 * shared + folders }] : []
  })
  const [best, next] = scored.sort((one, other) => other.score - one.score)
  return best === undefined || best.score === next?.score ? null : best.each
}
