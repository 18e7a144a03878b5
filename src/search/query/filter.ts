import { AmanError } from "../../base/index.ts"
import type { SearchSources } from "../../index/index.ts"
import { languageNamed, SYMBOL_KINDS } from "../../parse/index.ts"
import type { Store } from "../../store/index.ts"
import { compoundOf, hashTerm, MAX_IDENTIFIER_LENGTH, termOf, words } from "../../text/index.ts"
import { hasPlace, type Places, placesOfKinds, placesOfSymbols } from "../channels/named-places.ts"
import { compileGlob } from "../patterns/glob.ts"
import { type Conditions, MAX_READ, NO_OPERATORS, type Operators } from "./operators.ts"

export type FilterRequest = {
  readonly content: "code" | "docs" | "all"
  /** Prefixes or globs. A file's path must match one of them; if the list is empty, every path matches. */
  readonly paths: readonly string[]
  readonly languages: readonly string[]
  readonly kinds: readonly string[]
  /** Extensions. A file's path must end in one of them. */
  readonly extensions?: readonly string[]
}

/** The files and places that an answer may contain. */
export type FileFilter = {
  /** True for a file that passes the filter. Undefined if every file passes; the keyword index is then faster. */
  readonly accept?: (file: FileName) => boolean
  /** True for a chunk that passes. Undefined if every chunk of an accepted file passes. */
  readonly acceptPlace?: (fileId: number, ordinal: number) => boolean
  /** Paths, globs and parts of paths one of which a file must match. Their words may ask for a kind of file. */
  readonly paths?: readonly string[]
  /** True for a definition of a wanted kind. Used to choose which definition of an accepted chunk is shown. */
  readonly acceptSymbol?: (symbol: { readonly kind: string }) => boolean
}

type FileName = { readonly id: number; readonly path: string }
type FileTest = (file: FileName) => boolean

/**
 * Creates the filter from a request's flags and a query's operators. A file must pass both. `itself` is the chunk that
 * `like:` names, which is excluded; `files` lists the documents.
 */
export function createFilter(
  store: Store,
  request: FilterRequest,
  operators: Operators = NO_OPERATORS,
  holders: FilesByWord | null = null,
  itself: { readonly fileId: number; readonly ordinal: number } | null = null,
  files: DocumentList = store.files,
): FileFilter {
  const { wanted, unwanted } = operators
  request.kinds.forEach(checkKind)
  const requiredPlaces = [
    ...(request.kinds.length > 0 ? [placesOfKinds(store, request.kinds)] : []),
    ...placesWith(store, wanted),
  ]
  const excludedPlaces = placesWith(store, unwanted)
  if (itself !== null) excludedPlaces.push(new Map([[itself.fileId, new Set([itself.ordinal])]]))
  const ofPhrases = wanted.phrases.flatMap((phrase) => holders?.ofPhrase(phrase) ?? [])
  const ofWords = unwanted.words.flatMap((word) => holders?.ofWord(word) ?? [])
  const tests: FileTest[] = [
    ...contentTests(store, request),
    ...documentTests(files, request, wanted),
    ...pathTests(request.paths),
    ...extensionTests(request.extensions ?? []),
    ...testsOf(store, wanted, ofPhrases),
    ...testsOf(store, unwanted, ofWords).map(not),
    ...requiredPlaces.map(isAmong),
  ]
  const paths = [...request.paths.filter((path) => !EXCLUDES.test(path)), ...wanted.files]
  const kinds = [request.kinds, wanted.kinds].filter((list) => list.length > 0)
  return {
    ...(kinds.length === 0 ? {} : { acceptSymbol: ({ kind }) => kinds.every((list) => list.includes(kind)) }),
    ...(paths.length === 0 ? {} : { paths }),
    ...(tests.length === 0 ? {} : { accept: (file: FileName) => tests.every((test) => test(file)) }),
    ...(requiredPlaces.length + excludedPlaces.length === 0
      ? {}
      : { acceptPlace: placeTest(requiredPlaces, excludedPlaces) }),
  }
}

function placeTest(requiredPlaces: readonly Places[], excludedPlaces: readonly Places[]) {
  return (fileId: number, ordinal: number): boolean =>
    requiredPlaces.every((places) => hasPlace(places, fileId, ordinal)) &&
    !excludedPlaces.some((places) => hasPlace(places, fileId, ordinal))
}

function placesWith(store: Store, { kinds, symbols }: Conditions): Places[] {
  if (symbols.length > 0) return [placesOfSymbols(store, symbols, kinds)]
  return kinds.length > 0 ? [placesOfKinds(store, kinds)] : []
}

/** A test for each condition on files; `fileSets` are those that contain its words. */
function testsOf(
  store: Store,
  { languages, files }: Conditions,
  fileSets: readonly ReadonlySet<number>[],
): FileTest[] {
  return [
    ...(languages.length > 0 ? [inLanguages(store, languages)] : []),
    ...(files.length > 0 ? [byName(files)] : []),
    ...fileSets.map(isAmong),
  ]
}

function isAmong(ids: { has(id: number): boolean }): FileTest {
  return ({ id }) => ids.has(id)
}

function byName(patterns: readonly string[]): FileTest {
  const tests = patterns.map(fileMatcher)
  return ({ path }) => tests.some((test) => test(path))
}

/**
 * Creates tests for path patterns relative to the root: "src/app" matches everything below it, "**\/*.test.ts" is a
 * glob, and "!src" excludes.
 */
function pathTests(patterns: readonly string[]): FileTest[] {
  if (patterns.length === 0) return []
  const isUnwanted = (pattern: string) => EXCLUDES.test(pattern)
  const wanted = patterns.filter((pattern) => !isUnwanted(pattern)).map(pathTest)
  const exclusions = patterns.filter(isUnwanted).map(pathTest)
  const isWanted = ({ path }: FileName) => wanted.length === 0 || wanted.some((test) => test(path))
  return [(file) => isWanted(file) && exclusions.every((test) => test(file.path))]
}

export function pathTest(pattern: string): (path: string) => boolean {
  if (EXCLUDES.test(pattern)) {
    const test = pathTest(pattern.slice(1))
    return (path) => !test(path)
  }
  const clean = pattern.replace(/^\.\//u, "").replace(/\/+$/u, "").normalize("NFC")
  if (clean === "" || clean === ".") return () => true
  const isBelow = (path: string) => `${path.normalize("NFC")}/`.startsWith(`${clean}/`)
  if (!/[*?[\]{}!]/u.test(clean)) return isBelow
  const isNamed = compileGlob(clean.includes("/") ? clean : `**/${clean}`, { groups: true })
  // Brackets may also be part of a path: app/[id]/page.tsx.
  return (path) => isBelow(path) || isNamed(path)
}

/** Matches the "!" of an exclusion, but not the "!" of the glob `!(a|b)`. */
const EXCLUDES = /^!(?!\()/u

function extensionTests(extensions: readonly string[]): FileTest[] {
  const test = endsIn(extensions)
  return test === null ? [] : [({ path }) => test(path)]
}

/** Tests a path against all filters of paths and extensions, for a search without an index. */
export function pathFilter({
  paths,
  extensions = [],
  files,
  unwantedFiles,
}: Pick<FilterRequest, "paths" | "extensions"> & {
  /** Values of the operator `file:`, one of which must match, and of `-file:`. */
  readonly files: readonly string[]
  readonly unwantedFiles: readonly string[]
}): (path: string) => boolean {
  const tests = [
    ...pathTests(paths),
    ...extensionTests(extensions),
    ...(files.length > 0 ? [byName(files)] : []),
    ...(unwantedFiles.length > 0 ? [not(byName(unwantedFiles))] : []),
  ]
  return (path) => tests.every((test) => test({ id: 0, path }))
}

function not(test: FileTest): FileTest {
  return (file) => !test(file)
}

function contentTests(store: Store, { content, languages }: FilterRequest): FileTest[] {
  if (content === "all" && languages.length === 0) return []
  return [inLanguages(store, languages, content === "all" ? [] : [content])]
}

/**
 * Excludes office documents unless the request asks for them by content, language, path or extension. Otherwise a table
 * in a specification could be the answer to a question about code.
 */
function documentTests(files: DocumentList, request: FilterRequest, wanted: Conditions): FileTest[] {
  const documents = new Set(excludedDocuments(files, request, wanted))
  return documents.size === 0 ? [] : [not(isAmong(documents))]
}

/** A list of the ids of office documents and e-books. */
type DocumentList = { documentIds(): readonly number[] }

/** Ids of the documents that `documentTests` excludes. */
export function excludedDocuments(
  files: DocumentList,
  { content, languages, paths, extensions = [] }: FilterRequest,
  wanted: Conditions,
): readonly number[] {
  const selections = [languages, paths, extensions, wanted.files, wanted.languages]
  if (content !== "all" || selections.some(({ length }) => length > 0)) return []
  return files.documentIds()
}

function inLanguages(store: Store, languages: readonly string[], contents: readonly string[] = []): FileTest {
  return isAmong(idsIn(store, languages, contents))
}

export function idsIn(
  store: Store,
  languages: readonly string[],
  contents: readonly string[] = [],
): ReadonlySet<number> {
  return new Set(store.files.idsWhere({ languages: languages.map(languageId), contents }))
}

export function checkKind(name: string): void {
  if (SYMBOL_KINDS.some((kind) => kind === name)) return
  throw new AmanError("USAGE", `unknown symbol kind ${JSON.stringify(name)}`, {
    hint: `kinds are ${SYMBOL_KINDS.join(", ")}`,
  })
}

export function languageId(name: string): string {
  const language = languageNamed(name)
  if (language !== null) return language.id
  throw new AmanError("USAGE", `unknown language ${JSON.stringify(name)}`, {
    hint: "aman status lists the languages of a project; an extension such as ts also works",
  })
}

/**
 * Creates the test for the value of `file:`, ignoring case. The value is a glob from the root ("src/**"), a glob of
 * names in any folder ("*_test.go"), a path prefix ("./src", "/src"), or any part of a path.
 */
function fileMatcher(pattern: string): (path: string) => boolean {
  const rooted = comparable(pattern.replace(/^\.?\//u, ""))
  if (/[*?[\]{}]/u.test(rooted)) return globMatcher(rooted)
  if (rooted !== comparable(pattern)) return (path) => comparable(path).startsWith(rooted)
  return (path) => comparable(path).includes(rooted)
}

/**
 * The form in which paths are compared: lower case, and accents composed (NFC), because macOS stores them decomposed.
 */
function comparable(path: string): string {
  return path.normalize("NFC").toLowerCase()
}

/** Matches a glob, and also the same text as a plain path, because paths may contain brackets: app/[id]/page.tsx. */
function globMatcher(pattern: string): (path: string) => boolean {
  const isNegated = pattern.startsWith("!")
  const glob = isNegated ? pattern.slice(1) : pattern
  const matches = compileGlob(glob.includes("/") ? glob : `**/${glob}`)
  return (path) => {
    const lower = comparable(path)
    return matches(lower) !== isNegated || lower.includes(pattern)
  }
}

/**
 * Creates a test for a path's extension; null without extensions. "ts", ".ts" and "*.ts" are equal, and case is
 * ignored.
 */
export function endsIn(extensions: readonly string[]): ((path: string) => boolean) | null {
  const endings = extensions.map(bare).flatMap((name) => (name === "" ? [] : [`.${name}`]))
  if (endings.length === 0) return null
  return (path) => endings.some((ending) => path.toLowerCase().endsWith(ending))
}

function bare(extension: string): string {
  const name = extension.trim().toLowerCase()
  return name.replace(/^\*?\.+/u, "")
}

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

function filterValues(request: FilterRequest, filters: readonly FilterName[]): string[] {
  return filters.map((name) => {
    const values = name === "content" ? [request.content] : (request[name] ?? [])
    return `${name.replace(/s$/, "")} ${values.map((value) => JSON.stringify(value)).join(", ")}`
  })
}

/** Ids of the files that contain the words of a phrase. */
export type FilesByWord = {
  ofWord(word: string): ReadonlySet<number>
  /** One set of file ids for each of the rarest words. A file that contains the phrase is in all sets. */
  ofPhrase(phrase: string): readonly ReadonlySet<number>[]
  /**
   * Ids of the files that contain the words of all these names, such as `get_url` or `spring.datasource.url`. A file that
   * contains the names as whole words is among them. Null if a name is too long for the index, or if there are no words.
   */
  ofNames(names: readonly string[]): ReadonlySet<number> | null
}

// Building a set reads all postings of its word. After the three rarest words, further words exclude few files.
const RAREST_WORDS = 3
/** Reading this many files takes less time than reading the postings of a further word. */
const FEW_FILES = 16

export function filesByWord({ keyword }: Pick<SearchSources, "keyword">): FilesByWord {
  const documents = (hash: bigint) => keyword.estimate(Number(hash >> 32n), Number(hash & 0xffff_ffffn))
  return {
    ofWord: (word) => keyword.holders(hashTerm(compoundOf(word))),
    ofPhrase: (phrase) => {
      const hashes = [...new Set(words(phrase).map((word) => hashTerm(termOf(word))))]
      // A word that the index lacks may be the end of a longer word, as in the phrase "rror: cannot". It is skipped.
      const occurring = hashes.filter((hash) => documents(hash) > 0)
      const rarest = occurring.sort((a, b) => documents(a) - documents(b)).slice(0, RAREST_WORDS)
      return rarest.map((hash) => keyword.holders(hash))
    },
    ofNames: (names) => {
      const [rarest, ...others] = termsOfNames(names)?.sort((a, b) => documents(a) - documents(b)) ?? []
      if (rarest === undefined) return null
      let found: ReadonlySet<number> = keyword.holders(rarest)
      for (const hash of others) {
        if (found.size <= FEW_FILES) break
        found = found.intersection(keyword.holders(hash))
      }
      return found
    },
  }
}

/**
 * Hashes of the terms that every text has which contains all these names as whole words. Null if a name is too long for
 * the index, or if there are no words.
 */
function termsOfNames(names: readonly string[]): bigint[] | null {
  const parts = names.flatMap((name) => name.match(/[\w-]+/g) ?? [])
  if (parts.some((part) => part.length > MAX_IDENTIFIER_LENGTH)) return null
  const terms = new Set(parts.flatMap(termsOfPart))
  return terms.size === 0 ? null : [...terms].map((term) => hashTerm(term))
}

/** The terms that the index has for a whole identifier. A dash may join it to the next one, so it has no compound then. */
function termsOfPart(part: string): string[] {
  const terms = words(part).map(termOf)
  return terms.length === 0 || part.includes("-") ? terms : [compoundOf(part), ...terms]
}
