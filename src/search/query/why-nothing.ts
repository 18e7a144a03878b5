import { placesOfKinds } from "../channels/symbol-places.ts"
import type { SearchSources } from "../sources.ts"
import { endsIn, type FilterRequest, idsIn, pathTest } from "./filter.ts"
import type { Operators } from "./operators.ts"
import { MAX_READ } from "./phrases.ts"

/** A filter of a request that can exclude files. */
export type FilterName = "paths" | "languages" | "kinds" | "extensions" | "content"

/** The filters that a request sets. */
export function filtersGiven(request: FilterRequest): FilterName[] {
  const lists = (["paths", "languages", "kinds", "extensions"] as const).filter(
    (name) => (request[name] ?? []).length > 0,
  )
  return request.content === "all" ? lists : [...lists, "content"]
}

/**
 * Messages that explain why an answer contains no file: because of operators, of filters that exclude everything, or of
 * a query without words. `emptying` lists filters each of which alone excludes every result.
 */
export function whyNothing(
  operators: Operators,
  request: FilterRequest & { readonly pathRule?: string },
  { store }: SearchSources,
  emptying: readonly FilterName[],
): string[] {
  const { files } = store.files.totals()
  // Another message explains that the index is empty.
  if (files === 0) return []
  const messages = [...byOperators(operators, files), ...byFilters(request, store)]
  if (emptying.length > 0 && messages.length === 0) {
    const one = emptying.length === 1 ? "it" : "any one of them"
    return [
      `nothing found with ${filterValues(request, emptying).join(" and ")}; without ${one} there are results`,
    ]
  }
  if (messages.length > 0) return messages
  const names = filterValues(request, filtersGiven(request))
  if (names.length > 0) return [`nothing found with ${names.join(" and ")}`]
  return /[\p{L}\p{N}]/u.test(operators.text)
    ? []
    : ["the query has no words; to search for punctuation: aman grep -F"]
}

export function quoted(phrases: readonly string[]): string {
  return phrases.map((phrase) => `"${phrase}"`).join(" and ")
}

function byOperators({ wanted, applied }: Operators, files: number): string[] {
  if (applied.length === 0) return []
  const where =
    files > MAX_READ ? `; only ${MAX_READ} of ${files} files were checked; aman grep checks all` : ""
  const nothing =
    wanted.phrases.length > 0 ? `nothing contains ${quoted(wanted.phrases)}` : "nothing was found"
  const others = applied.filter((raw) => !raw.startsWith('"'))
  const also = others.length > 0 ? ` with ${others.join(" ")}` : ""
  return [`${nothing}${also}${wanted.phrases.length > 0 ? where : ""}`]
}

/** Messages about filter values that match nothing anywhere in the index. */
function byFilters(
  {
    paths,
    languages,
    kinds,
    extensions = [],
    pathRule = "paths are relative to the project root",
  }: FilterRequest & { readonly pathRule?: string },
  store: SearchSources["store"],
) {
  const names = paths.length + extensions.length > 0 ? store.files.paths().map(([, path]) => path) : []
  const fits = (test: ((path: string) => boolean) | null) => test === null || names.some((name) => test(name))
  return [
    ...paths
      .filter((path) => !fits(pathTest(path)))
      .map((path) => `no indexed file is in ${JSON.stringify(path)}; ${pathRule}`),
    ...extensions
      .filter((name) => !fits(endsIn([name])))
      .map((name) => `no indexed file ends in ${JSON.stringify(name)}`),
    ...languages
      .filter((name) => idsIn(store, [name]).size === 0)
      .map((name) => `no indexed file has the language ${JSON.stringify(name)}`),
    ...kinds
      .filter((kind) => placesOfKinds(store, [kind]).size === 0)
      .map((kind) => `no indexed symbol has the kind ${JSON.stringify(kind)}`),
  ]
}

const NAMES: Readonly<Record<FilterName, string>> = {
  paths: "path",
  languages: "language",
  kinds: "kind",
  extensions: "extension",
  content: "content",
}

function filterValues(request: FilterRequest, filters: readonly FilterName[]): string[] {
  return filters.map((name) => {
    const values = name === "content" ? [request.content] : (request[name] ?? [])
    return `${NAMES[name]} ${values.map((value) => JSON.stringify(value)).join(", ")}`
  })
}
