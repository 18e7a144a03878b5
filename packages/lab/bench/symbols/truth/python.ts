import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Definition, Fact } from "../facts.ts"
import { LanguageServer } from "../language-server.ts"

/** A line of names.py. */
type Name = { readonly path: string; readonly line: number; readonly col: number } & (
  | { readonly use: string; readonly call?: boolean }
  | (Pick<Definition, "from" | "to" | "name" | "owner"> & { readonly kind: Definition["kind"] | "attribute" })
)
type Base = { readonly path: string; readonly base: Position; readonly sub: Position }
type Position = { readonly line: number; readonly col: number }

/** Questions under way at the same time. */
const BATCH = 64

/** The facts of a Python project: names.py finds its names, and pyright says which definitions they mean. */
export async function* pythonFacts(
  root: string,
  names: string,
  pyright: readonly string[],
  packages: string,
): AsyncGenerator<Fact> {
  const lines = names
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { readonly file: string } | Name | Base)
  const settings = {
    analysis: { diagnosticMode: "openFilesOnly", autoSearchPaths: true, extraPaths: [packages] },
  }
  using server = await LanguageServer.start(root, pyright, settings)
  const ids = new Map<string, number>()
  const attributes = new Map<string, number>()
  const own = new Map<number, Definition>()
  for (const each of lines) {
    if ("file" in each) yield each
    if (!("kind" in each)) continue
    // An attribute is one definition, however often it is assigned.
    const key =
      each.kind === "local" ? placeOf(each, each) : JSON.stringify([each.path, each.owner, each.name])
    const id = attributes.get(key) ?? attributes.size
    attributes.set(key, id)
    ids.set(placeOf(each, each), id)
    const { kind, path, line, from, to, name, owner } = each
    const definition: Definition = {
      def: id,
      path,
      line,
      from,
      to,
      kind: kind === "attribute" ? "field" : kind,
      name,
      owner,
    }
    if (kind !== "attribute" || !own.has(id)) {
      if (!own.has(id)) own.set(id, definition)
      yield definition
    }
  }
  const asked = new Set(Array.from(own.values(), ({ name }) => name))
  const wanted = lines.filter((each) => "base" in each || ("use" in each && asked.has(each.use))) as (
    | Base
    | Extract<Name, { use: string }>
  )[]
  const supers = new Map<number, number[]>()
  for (const [path, names] of Map.groupBy(wanted, (each) => each.path)) {
    server.open(path, "python", readFileSync(join(root, path), "utf8"))
    for (let at = 0; at < names.length; at += BATCH) {
      const batch = names.slice(at, at + BATCH)
      const found = await Promise.all(
        batch.map((each) => {
          const { line, col } = "base" in each ? each.base : each
          return server.definitions(path, { line: line - 1, character: col }).catch(() => [])
        }),
      )
      for (const [index, each] of batch.entries()) {
        const places = found[index]!
        const defs = [
          ...new Set(
            places.flatMap(
              (place) => ids.get(placeOf(place, { line: place.line + 1, col: place.character })) ?? [],
            ),
          ),
        ]
        if ("base" in each) {
          const sub = ids.get(placeOf(each, each.sub))
          if (sub !== undefined) supers.set(sub, [...(supers.get(sub) ?? []), ...defs])
        } else {
          const { use, line, col, call } = each
          yield { use, path, line, col: col + 1, ...(places.length > 0 && { defs }), ...(call && { call }) }
        }
      }
    }
    server.close(path)
  }
  yield* inherited(own, supers)
}

function placeOf({ path }: { readonly path: string }, { line, col }: Position): string {
  return `${path}:${line}:${col}`
}

function* inherited(
  own: ReadonlyMap<number, Definition>,
  supers: ReadonlyMap<number, readonly number[]>,
): Generator<Fact> {
  const members = Map.groupBy(own.values(), ({ path, owner, kind }) =>
    kind === "method" || kind === "field" ? `${path}:${owner}` : "",
  )
  const membersOf = (id: number) => {
    const type = own.get(id)!
    return (members.get(`${type.path}:${type.name}`) ?? []).filter(
      ({ line }) => type.from <= line && line <= type.to,
    )
  }
  for (const [sub, bases] of supers) {
    const seen = new Set(bases)
    for (const base of bases) yield { sub, super: base }
    for (const base of seen) for (const further of supers.get(base) ?? []) seen.add(further)
    for (const each of membersOf(sub))
      for (const base of seen)
        for (const above of membersOf(base))
          if (above.name === each.name) yield { sub: each.def, super: above.def }
  }
}
