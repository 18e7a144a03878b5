import type { Workspace } from "./harness.ts"

type Place = { readonly path: string; readonly line: number }
type Definition = { readonly path: string; readonly start_line: number }

/** `path:line` of each place, in their order. */
export function placesIn(places: readonly Place[]): string[] {
  return places.map(({ path, line }) => `${path}:${line}`)
}

/** `path:line` of the first line of each definition, in their order. */
export function startsOf(definitions: readonly Definition[]): string[] {
  return placesIn(definitions.map(({ path, start_line: line }) => ({ path, line })))
}

/** The places where a name is used that is defined below `path`: `path:line`, each once, sorted. */
export async function referencesTo(space: Workspace, name: string, path: string): Promise<string[]> {
  const { references } = await space.json(["symbol", name, "--references", "--path", path])
  return [...new Set(placesIn(references))].toSorted()
}
