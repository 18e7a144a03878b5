import picomatch from "picomatch"
import { AmanError } from "../base/errors.ts"
import { languageNamed } from "../code/languages.ts"
import type { Store } from "../store/store.ts"

export type FilterRequest = {
  readonly content: "code" | "docs" | "all"
  /** Prefixes or globs, any of which must match; none: everything. */
  readonly paths: readonly string[]
  readonly languages: readonly string[]
  readonly kinds: readonly string[]
}

/** Keeps files and places out of an answer. */
export type FileFilter = {
  /** Undefined where every file passes: the fast path of the keyword index. */
  readonly accept?: (file: { readonly id: number; readonly path: string }) => boolean
  readonly acceptPlace: (fileId: number, ordinal: number) => boolean
}

export function createFilter(store: Store, request: FilterRequest): FileFilter {
  const byPath = request.paths.length === 0 ? null : pathMatcher(request.paths)
  const ids = idsOf(store, request)
  const places = request.kinds.length === 0 ? null : placesWith(store, request.kinds)
  const acceptPlace = (fileId: number, ordinal: number) =>
    places === null || (places.get(fileId)?.has(ordinal) ?? false)
  if (byPath === null && ids === null && places === null) return { acceptPlace }
  return {
    accept: ({ id, path }) => (ids?.has(id) ?? true) && (places?.has(id) ?? true) && (byPath?.(path) ?? true),
    acceptPlace,
  }
}

/** "src/app" is everything below it, "**\/*.test.ts" a glob; both relative to the root. */
function pathMatcher(patterns: readonly string[]): (path: string) => boolean {
  const tests = patterns.map((pattern) => {
    const clean = pattern.replace(/^\.\//u, "").replace(/\/+$/u, "")
    if (clean === "" || clean === ".") return () => true
    if (!/[*?[\]{}!]/u.test(clean)) return (path: string) => path === clean || path.startsWith(`${clean}/`)
    return picomatch(clean.includes("/") ? clean : `**/${clean}`, { dot: true })
  })
  return (path) => tests.some((test) => test(path))
}

function idsOf(store: Store, request: FilterRequest): Set<number> | null {
  const { content, languages } = request
  if (content === "all" && languages.length === 0) return null
  const wanted = languages.map(languageId)
  return new Set(store.files.idsWhere({ languages: wanted, contents: content === "all" ? [] : [content] }))
}

function languageId(name: string): string {
  const language = languageNamed(name)
  if (language !== null) return language.id
  throw new AmanError("USAGE", `no language is called ${JSON.stringify(name)}`, {
    hint: "aman status names the languages of a project; an extension such as ts does too",
  })
}

function placesWith(store: Store, kinds: readonly string[]): Map<number, Set<number>> {
  const places = new Map<number, Set<number>>()
  for (const [fileId, ordinal] of store.symbols.placesOfKinds(kinds)) {
    const set = places.get(fileId)
    if (set === undefined) places.set(fileId, new Set([ordinal]))
    else set.add(ordinal)
  }
  return places
}
