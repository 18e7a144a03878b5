import type { ChangedFile } from "../git/changed-lines.ts"
import { type Definition, isWithin, qualifiedName } from "../graph/definition.ts"
import type { FileView } from "../graph/file-view.ts"
import { isCallable, isType } from "../graph/kinds.ts"
import type { SymbolGraph } from "../graph/symbol-graph.ts"
import type { SymbolRow } from "../store/symbols.ts"
import { hashOf } from "../text/read-source.ts"
import { MOST_CHARS, MOST_FILES, symbolsIn } from "./symbols-gone.ts"

/** What a change wrote, as its file was at the end of it. */
export type Written = {
  /** Definitions of today. */
  readonly definitions: readonly Definition[]
  /** Kind and name of all whose declaration the change wrote. */
  readonly declared: ReadonlySet<string>
  /** Names of what changed and is defined there no more. */
  readonly lost: readonly string[]
  /** Files that became others since and were too many or too large to be read as they were. */
  readonly unread: number
}

/** The symbols that these lines are of. Of a file that has changed since, they are looked for in the text of then. */
export async function symbolsChanged(graph: SymbolGraph, changed: readonly ChangedFile[]): Promise<Written> {
  const { files, unread } = await asTheyWere(graph, changed)
  const declared = files.flatMap(({ symbols, lines }) =>
    symbols.filter((symbol) => isDeclaredIn(symbol, lines)).map(kindAndName),
  )
  const today = files.map(inToday)
  const definitions = today.flatMap((each) => each.definitions)
  return {
    definitions: [...new Map(definitions.map((each) => [each.symbol, each])).values()],
    declared: new Set(declared),
    lost: today.flatMap((each) => each.lost),
    unread,
  }
}

type FileThen = {
  readonly file: FileView
  readonly lines: Lines
  readonly symbols: readonly Ranged[]
}

/** Of a file that is today what it was then, the index knows. */
async function asTheyWere(
  graph: SymbolGraph,
  changed: readonly ChangedFile[],
): Promise<{ readonly files: FileThen[]; readonly unread: number }> {
  const files: FileThen[] = []
  let parsed = 0
  let unread = 0
  for (const { path, lines, after } of changed) {
    const file = graph.file(path)
    if (file === null) continue
    const isSame = after === null || graph.store.files.byPath(path)?.hash === hashOf(after)
    if (isSame) files.push({ file, lines, symbols: file.symbols })
    else if (after.length > MOST_CHARS || ++parsed > MOST_FILES) unread++
    else files.push({ file, lines, symbols: await symbolsIn(path, after) })
  }
  return { files, unread }
}

/** What was written then, as it is defined today, and the names of what is defined in its file no more. */
function inToday({ file, lines, symbols }: FileThen): Pick<Written, "definitions" | "lost"> {
  const written = innermost(symbols, lines)
  if (symbols === file.symbols)
    return { definitions: (written as SymbolRow[]).map((symbol) => ({ symbol, file })), lost: [] }
  const now = Map.groupBy(file.symbols, kindAndName)
  return {
    definitions: written.flatMap((symbol) =>
      (now.get(kindAndName(symbol)) ?? []).map((found) => ({ symbol: found, file })),
    ),
    lost: written
      .filter((symbol) => !now.has(kindAndName(symbol)))
      .map((symbol) => qualifiedName({ symbol })),
  }
}

export function kindAndName(symbol: Pick<SymbolRow, "kind" | "name" | "owner">): string {
  return `${symbol.kind} ${qualifiedName({ symbol })}`
}

type Ranged = Pick<SymbolRow, "kind" | "name" | "owner" | "startLine" | "endLine">
type Lines = ChangedFile["lines"]

function isDeclaredIn({ startLine }: Ranged, lines: Lines): boolean {
  return lines.some(([start, end]) => start <= startLine && startLine <= end)
}

/** The innermost is what changed; what encloses it did not change as a whole. */
function innermost(symbols: readonly Ranged[], lines: Lines): readonly Ranged[] {
  const touched = symbols.filter((symbol) =>
    lines.some(([start, end]) => symbol.startLine <= end && symbol.endLine >= start),
  )
  const isWhole = (symbol: Ranged) => isCallable(symbol) || isType(symbol)
  return touched
    .filter((symbol) => isWhole(symbol) || symbol.owner === null)
    .filter(
      (symbol) => !touched.some((other) => other !== symbol && isWhole(other) && isWithin(other, symbol)),
    )
}
