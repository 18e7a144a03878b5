import type { PathOfFile } from "../../index/index.ts"
import { lastName, type Store, type SymbolRow } from "../../store/index.ts"
import { identifiersOf } from "../query/query.ts"

/**
 * How clearly a text names a file, each 0 to 1. `name`: the file name appears; `path`: the file name appears with at
 * least one folder before it.
 */
export type NamedFile = { readonly name: number; readonly path: number }

/**
 * Finds the files whose paths a text mentions: in prose, in the frames of a stack trace, in links. If several files
 * have the mentioned name, each gets an equal share. In a stack trace, the frame nearest to the error counts in full,
 * and frames farther from it count less.
 */
export function namedFiles(text: string, files: readonly PathOfFile[]): ReadonlyMap<number, NamedFile> {
  const mentions = mentionsIn(text)
  if (mentions.size === 0) return NOTHING_NAMED
  const byName = Map.groupBy(files, ({ path }) => lastPart(path.toLowerCase()))
  const found = new Map<number, NamedFile>()
  for (const { path, weight } of withWeights([...mentions.values()], byName)) {
    const namesakes = byName.get(lastPart(path)) ?? []
    const shared = namesakes.map((file) => sharedParts(file.path.toLowerCase(), path))
    const max = Math.max(0, ...shared)
    const meant = namesakes.filter((_, at) => shared[at] === max)
    for (const { id } of meant) {
      const known = found.get(id) ?? NOT_NAMED
      const name = Math.max(known.name, weight / meant.length)
      found.set(id, { name, path: max > 1 ? Math.max(known.path, name) : known.path })
    }
  }
  return found
}

const NOTHING_NAMED: ReadonlyMap<number, NamedFile> = new Map()
const NOT_NAMED: NamedFile = { name: 0, path: 0 }

type Mention = {
  /** The mentioned path, lower case, with "/" as separator. */
  readonly path: string
  /**
   * Null outside a stack trace. Otherwise the frame that is nearest to the error: "last" as in Python, "first" as in
   * most languages.
   */
  readonly frame: "first" | "last" | null
}

// Matches folders, a name, and an extension that begins with a letter. "1.5" does not match. "e.g" and "v2.x" may
// match, but no file has such a name.
const PATH = /[\p{L}\p{N}_@+.-][\p{L}\p{N}_@+./\\[\]-]{0,200}\.[\p{L}]\w{0,9}(?![\w])/gu
const PYTHON_FRAME = /^\s*File "[^"]+", line \d+/
const FRAME = /^\s*(?:at\s|#\d+\s|from \S+:\d+|\S+\.\w{1,5}:\d+)/

function mentionsIn(text: string): ReadonlyMap<string, Mention> {
  const mentions = new Map<string, Mention>()
  for (const line of text.split(/\r\n?|\n/)) {
    const frame = frameOf(line)
    for (const [raw] of line.slice(0, MAX_LINE).matchAll(PATH)) {
      const path = raw
        .replaceAll("\\", "/")
        .replace(/^\.?\//, "")
        .toLowerCase()
      const known = mentions.get(path)
      if (known === undefined && mentions.size >= 64) return mentions
      // If a Python trace mentions a file twice, its last frame is the one nearest to the error.
      if (known?.frame === "last") mentions.delete(path)
      if (known === undefined || known.frame === "last") mentions.set(path, { path, frame })
    }
  }
  return mentions
}

function frameOf(line: string): Mention["frame"] {
  if (PYTHON_FRAME.test(line)) return "last"
  return FRAME.test(line) ? "first" : null
}

/**
 * Maximum number of characters that are read of a line, because a minified line has thousands of parts that look like
 * paths.
 */
const MAX_LINE = 2_000

/**
 * The mentions for which a file exists, with weights: 1 in prose and for the stack frame nearest to the error; ½, ⅓ …
 * for the frames after it.
 */
function withWeights(
  mentions: readonly Mention[],
  byName: ReadonlyMap<string, readonly PathOfFile[]>,
): { readonly path: string; readonly weight: number }[] {
  const known = mentions.filter(({ path }) => byName.has(lastPart(path)))
  const inward = known.filter(({ frame }) => frame === "last").reverse()
  const outward = known.filter(({ frame }) => frame === "first")
  return known.map((mention) => {
    const frames = mention.frame === "last" ? inward : outward
    return { path: mention.path, weight: mention.frame === null ? 1 : 1 / (1 + frames.indexOf(mention)) }
  })
}

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1)
}

/** Number of path parts that are equal, counted from the ends of both paths. */
function sharedParts(path: string, other: string): number {
  const parts = path.split("/").reverse()
  const others = other.split("/").reverse()
  let count = 0
  while (count < parts.length && count < others.length && parts[count] === others[count]) count++
  return count
}

/** Ordinals of chunks, by file id. */
export type Places = ReadonlyMap<number, ReadonlySet<number>>

// Maximum number of definitions read for one name. In large projects, names such as get and init have more.
const MAX_DEFINITIONS = 20_000

export function hasPlace(places: Places, fileId: number, ordinal: number): boolean {
  return places.get(fileId)?.has(ordinal) ?? false
}

/**
 * Chunks that define a symbol of one of these kinds. The result is cached for the current state of the index, because
 * computing it reads all symbols.
 */
export function placesOfKinds(store: Store, kinds: readonly string[]): Places {
  const version = store.dataVersion()
  let cached = placesCache.get(store)
  if (cached === undefined || cached.version !== version || cached.places.size > 4) {
    cached = { version, places: new Map() }
    placesCache.set(store, cached)
  }
  const key = [...kinds].sort().join()
  const places = cached.places.get(key) ?? placesOf(store.symbols.placesOfKinds(kinds))
  cached.places.set(key, places)
  return places
}

const placesCache = new WeakMap<Store, { readonly version: number; readonly places: Map<string, Places> }>()

/** Chunks that define one of these names. If `kinds` is not empty, the symbol must be of one of these kinds. */
export function placesOfSymbols(store: Store, names: readonly string[], kinds: readonly string[]): Places {
  const rows = names.flatMap((name) => definitionsOf(store, name))
  const found = kinds.length === 0 ? rows : rows.filter(({ kind }) => kinds.includes(kind))
  return placesOf(found.map(({ fileId, ordinal }) => [fileId, ordinal]))
}

/** Names of the type or module that a symbol belongs to, from its owner and its own qualified name. */
export function ownersOf(row: SymbolRow): string[] {
  const parts = row.name.split(/[.:#]+/u).slice(0, -1)
  return row.owner === null ? parts : [...parts, lastName(row.owner)]
}

/**
 * The definitions with exactly this spelling whose owner is the qualifier. If there are none, those that are equal when
 * only letters and digits are compared.
 */
function definitionsOf(store: Store, name: string): readonly SymbolRow[] {
  const { last, owner } = identifiersOf(name)[0] ?? { last: name, owner: null }
  const rows = store.symbols.findByFolded(last, MAX_DEFINITIONS)
  const owned = owner === null ? rows : rows.filter((row) => ownersOf(row).includes(owner))
  const spelled = owned.filter((row) => lastName(row.name) === last)
  return spelled.length > 0 ? spelled : owned
}

function placesOf(found: readonly (readonly [number, number])[]): Places {
  const places = new Map<number, Set<number>>()
  for (const [fileId, ordinal] of found) {
    const set = places.get(fileId)
    if (set === undefined) places.set(fileId, new Set([ordinal]))
    else set.add(ordinal)
  }
  return places
}
