import type { NormalizedLines } from "./normalized-lines.ts"
import type { Definition, LocalProject } from "./place.ts"

/** A longer text is not parsed; its anchors are found by their lines alone. */
const MAX_PARSED_CHARS = 500_000

const TIMEOUT_MS = 1000

/**
 * The definitions of a file, in file order. Parsing takes 10 ms, and more the first time, when the parser is
 * loaded.
 */
export async function definitionsIn(
  place: LocalProject,
  path: string,
  { raw }: NormalizedLines,
): Promise<readonly Definition[]> {
  const known = place.definitionsOf?.(path)
  if (known) return known
  const text = raw.join("\n")
  if (text.length > MAX_PARSED_CHARS) return []
  const { DEFAULT_PARSE_OPTIONS, parseFile } = await import("../../code/parse/parse.ts")
  const { chunks } = await parseFile(path, text, { ...DEFAULT_PARSE_OPTIONS, timeoutMs: TIMEOUT_MS })
  return chunks.flatMap((chunk) => chunk.symbols)
}

/**
 * Definitions of `name`, `Owner.name`, `Owner::name` or `Owner#name`; the owner selects one of several
 * definitions of the same name.
 */
export function definitionsNamed(definitions: readonly Definition[], symbol: string): Definition[] {
  const exact = definitions.filter((definition) => definition.name === symbol)
  if (exact.length > 0) return exact
  const [name, owner] = symbol.split(/\.|::|#/u).reverse()
  const ofName = definitions.filter((definition) => lastPart(definition.name) === name)
  if (owner === undefined) return ofName
  const owned = ofName.filter(
    (definition) => definition.owner !== null && lastPart(definition.owner) === owner,
  )
  return owned.length > 0 ? owned : ofName.filter((definition) => definition.owner === null)
}

/** The name of the innermost definition around these lines; null at the top level. */
export function enclosing(
  definitions: readonly Definition[],
  startLine: number,
  endLine: number,
): string | null {
  const around = definitions.filter(
    (definition) => definition.startLine <= startLine && endLine <= definition.endLine,
  )
  const inner = around.sort((a, b) => a.endLine - a.startLine - (b.endLine - b.startLine))[0]
  if (inner === undefined) return null
  return inner.owner === null ? inner.name : `${inner.owner}.${inner.name}`
}

/** Returns `name` for `Owner.name`. */
export function lastPart(name: string): string {
  return name.split(/\.|::|#/u).at(-1)!
}
