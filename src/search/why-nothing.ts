import { endsIn } from "./extensions.ts"
import { type FilterRequest, idsIn, pathTest } from "./filter.ts"
import type { Operators } from "./operators.ts"
import { MOST_READ } from "./phrases.ts"
import type { SearchSources } from "./sources.ts"
import { placesOfKinds } from "./symbol-places.ts"

/** Why an answer holds no file: operators, filters that let nothing through, or a query without a word. */
export function whyNothing(operators: Operators, asked: FilterRequest, { store }: SearchSources): string[] {
  const { files } = store.files.totals()
  // Of an empty index that is said instead.
  if (files === 0) return []
  const said = [...byOperators(operators, files), ...byFilters(asked, store)]
  if (said.length > 0) return said
  const names = namesOf(asked)
  if (names.length > 0) return [`nothing was found within ${names.join(" and ")}`]
  return /[\p{L}\p{N}]/u.test(operators.text)
    ? []
    : ["there is no word in the query; aman grep -F finds signs as they stand"]
}

export function quoted(phrases: readonly string[]): string {
  return phrases.map((phrase) => `"${phrase}"`).join(" and ")
}

function byOperators({ wanted, applied }: Operators, files: number): string[] {
  if (applied.length === 0) return []
  const where =
    files > MOST_READ ? `; of ${files} files ${MOST_READ} were looked at, aman grep looks at all` : ""
  const nothing =
    wanted.phrases.length > 0 ? `nothing contains ${quoted(wanted.phrases)}` : "nothing was found"
  const others = applied.filter((raw) => !raw.startsWith('"'))
  const also = others.length > 0 ? ` with ${others.join(" ")}` : ""
  return [`${nothing}${also}${wanted.phrases.length > 0 ? where : ""}`]
}

/** Values of a filter that fit nothing in the whole index. */
function byFilters(
  { paths, languages, kinds, extensions = [] }: FilterRequest,
  store: SearchSources["store"],
) {
  const names = paths.length + extensions.length > 0 ? store.files.paths().map(([, path]) => path) : []
  const fits = (test: ((path: string) => boolean) | null) => test === null || names.some((name) => test(name))
  const inRoot = "; paths count from the project's root"
  return [
    ...paths
      .filter((path) => !fits(pathTest(path)))
      .map((path) => `no indexed file is at or below ${JSON.stringify(path)}${inRoot}`),
    ...extensions
      .filter((name) => !fits(endsIn([name])))
      .map((name) => `no indexed file ends in ${JSON.stringify(name)}`),
    ...languages
      .filter((name) => idsIn(store, [name]).size === 0)
      .map((name) => `no indexed file is of the language ${JSON.stringify(name)}`),
    ...kinds
      .filter((kind) => placesOfKinds(store, [kind]).size === 0)
      .map((kind) => `nothing indexed is of the kind ${JSON.stringify(kind)}`),
  ]
}

function namesOf({ paths, languages, kinds, extensions = [], content }: FilterRequest): string[] {
  const given = { path: paths, language: languages, kind: kinds, extension: extensions }
  const names = Object.entries(given).flatMap(([name, values]) =>
    values.length === 0 ? [] : [`${name} ${values.map((value) => JSON.stringify(value)).join(", ")}`],
  )
  return content === "all" ? names : [...names, `content ${JSON.stringify(content)}`]
}
