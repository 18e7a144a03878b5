import { LRUCache } from "lru-cache"
import { inverseDocumentFrequency } from "../../base/index.ts"
import { type FileFactsRow, foldName, type Store } from "../../store/index.ts"
import {
  compoundOf,
  type FolderWords,
  hashTerm,
  type PathWords,
  pathWordsOf,
  stemName,
  words,
} from "../../text/index.ts"
import type { KeywordIndex } from "../keyword/keyword-index.ts"

/** Facts about a file that do not depend on the query: numeric features, and the words of its path. */
export type FileFeatures = {
  readonly language: string
  readonly content: string
  /**
   * `stem`: file name without its last extension, in lower case. `foldedStem`: only its letters and digits.
   * `stemWords`: the words that it consists of.
   */
  readonly stem: string
  readonly foldedStem: string
  readonly stemWords: readonly string[]
  /** Terms of the stem and of the whole path. */
  readonly stemTerms: readonly PathTerm[]
  readonly pathTerms: readonly PathTerm[]
  /** Terms of the folder that contains the file. */
  readonly folderTerms: readonly string[]
  readonly depth: number
  readonly flags: number
  /** Size in bytes. */
  readonly size: number
  /** True when the file's name consists only of words of the project's name. */
  readonly isNamedAsProject: boolean
  /**
   * `isCatalog`: the file contains the texts that a program shows in one language. `isTranslation`: it is such a file,
   * or a document, in a language other than English.
   */
  readonly isCatalog: boolean
  readonly isTranslation: boolean
  /** True if the file contains rows with which a database is filled. */
  readonly isSeed: boolean
  /**
   * ln(1 + number of documents that mention the file name's stem). `nameReferences` is the same for the mean over the
   * file's five most mentioned names. It is computed on first access, because it takes about sixty dictionary lookups.
   */
  readonly stemReferences: number
  readonly nameReferences: number
  /** log2 of the file's PageRank, relative to the average file. */
  readonly centrality: number
}

/**
 * A word in paths, with its IDF among file names and among whole paths. All files that contain the word share one
 * object.
 */
export type PathTerm = { readonly term: string; readonly stemIdf: number; readonly pathIdf: number }

export type PathOfFile = { readonly id: number; readonly path: string }

/** The part of the keyword index that estimates how many documents contain a term. */
type Mentions = Pick<KeywordIndex, "documents" | "estimate" | "mostMentioned">

/** A file's PageRank is stored as a whole number: this many steps for each doubling. */
const RANK_STEPS = 16
// Maximum number of files whose facts are cached, about 1 KB each. A query needs some 200 files, and forty questions about
// a project 3,000: with 1,000 of them a search takes 1.5 ms longer. More are not cached, because long-lived objects that
// lie among short-lived ones prevent four times their own size from being released.
const MAX_KNOWN = 4_000
/** Maximum number of cached reference counts, some 40 bytes each. */
const MAX_REFERENCES = 65_536
/** Maximum number of words of paths that are cached, some 150 bytes each. */
const MAX_TERMS = 8_192
/** Maximum number of folders whose words are cached, some 200 bytes each. */
const MAX_FOLDERS = 1_024

/** Facts cached from earlier queries. */
type CachedFacts = {
  readonly files: LRUCache<number, FileFeatures>
  readonly terms: Map<string, PathTerm>
  readonly folders: FolderWords
}

/**
 * The facts of files by file id, computed on first use. A changed file gets a new id. Reference counts and the list of
 * documents belong to one state of the index.
 */
export class FileFacts {
  readonly #store: Store
  readonly #mentions: Mentions
  readonly #projectTerms: ReadonlySet<string>
  readonly #files: number
  readonly #cache: CachedFacts = {
    files: new LRUCache({ max: MAX_KNOWN }),
    terms: new Map(),
    folders: new Map(),
  }
  /** `nameReferences` by file id. */
  readonly #nameReferences = new Map<number, number>()
  #documentIds: readonly number[] | null = null

  constructor(store: Store, mentions: Mentions, projectTerms: ReadonlySet<string>) {
    this.#store = store
    this.#mentions = mentions
    this.#projectTerms = projectTerms
    this.#files = store.files.totals().files
  }

  /** Ids of office documents and e-books. */
  documentIds(): readonly number[] {
    this.#documentIds ??= this.#store.files.documentIds()
    return this.#documentIds
  }

  /** Upper bound of every file's `nameReferences`. */
  get mostReferences(): number {
    return Math.log1p(this.#mentions.documents)
  }

  /** The facts of the given files, in the same order. */
  of(files: readonly PathOfFile[]): FileFeatures[] {
    const cache = this.#cache
    const known = new Map(files.map(({ id }) => [id, cache.files.get(id)]))
    const unknown = files.filter(({ id }) => known.get(id) === undefined)
    if (unknown.length > 0) this.#addFacts(unknown, known, cache)
    return files.map(({ id }) => known.get(id)!)
  }

  #addFacts(
    files: readonly PathOfFile[],
    known: Map<number, FileFeatures | undefined>,
    cache: CachedFacts,
  ): void {
    const rows = new Map(this.#store.files.facts(files.map(({ id }) => id)).map((row) => [row.id, row]))
    if (cache.folders.size > MAX_FOLDERS) cache.folders.clear()
    if (cache.terms.size > MAX_TERMS) cache.terms.clear()
    const split = pathWordsOf(
      files.map(({ path }) => path),
      cache.folders,
    )
    this.#count(
      split.flatMap(({ all }) => all),
      cache,
    )
    for (const [i, { id, path }] of files.entries()) {
      const facts = this.#compute(id, path, split[i]!, rows.get(id), cache)
      known.set(id, facts)
      cache.files.set(id, facts)
    }
  }

  #compute(
    id: number,
    path: string,
    { stem, folder, all }: PathWords,
    row: FileFactsRow | undefined,
    { terms }: CachedFacts,
  ): FileFeatures {
    const referencesOf = (file: number) => this.#referencesOf(file)
    const bare = stemName(path.slice(path.lastIndexOf("/") + 1))
    return {
      language: row?.language ?? "text",
      content: row?.content ?? "docs",
      stem: bare.toLowerCase(),
      foldedStem: foldName(bare),
      stemWords: words(bare),
      stemTerms: stem.map((term) => terms.get(term)!),
      pathTerms: all.map((term) => terms.get(term)!),
      folderTerms: folder,
      depth: path.split("/").length - 1,
      flags: row?.flags ?? 0,
      size: row?.size ?? 0,
      isNamedAsProject: this.#isNamedAsProject(stem, bare),
      isCatalog: isCatalog(path),
      isTranslation: isTranslation(path),
      isSeed: SEED.test(path),
      stemReferences: Math.log1p(this.#stemReferences(bare)),
      get nameReferences() {
        return referencesOf(id)
      },
      centrality: (row?.rank ?? 0) / RANK_STEPS,
    }
  }

  #rarity(count: number): number {
    return inverseDocumentFrequency(this.#files, count)
  }

  #isNamedAsProject(stem: readonly string[], bare: string): boolean {
    const isKnown = (term: string) => this.#projectTerms.has(term)
    return stem.length > 0 && (stem.every(isKnown) || isKnown(compoundOf(bare)))
  }

  #stemReferences(stem: string): number {
    const hash = hashTerm(compoundOf(stem))
    return this.#mentions.estimate(Number(hash >> 32n), Number(hash & 0xffff_ffffn))
  }

  #referencesOf(id: number): number {
    const known = this.#nameReferences.get(id)
    if (known !== undefined) return known
    if (this.#nameReferences.size > MAX_REFERENCES) this.#nameReferences.clear()
    const names = this.#store.files.names(id)
    const counts = names === null ? [] : this.#mentions.mostMentioned(names, 5)
    const mean = counts.reduce((sum, count) => sum + count, 0) / Math.max(1, counts.length)
    const references = Math.log1p(mean)
    this.#nameReferences.set(id, references)
    return references
  }

  #count(words: readonly string[], { terms }: CachedFacts): void {
    const unknown = [...new Set(words)].filter((word) => !terms.has(word))
    if (unknown.length === 0) return
    const counts = this.#store.pathWords.counts(unknown)
    for (const term of unknown) {
      const { stems, paths } = counts.get(term) ?? { stems: 0, paths: 0 }
      terms.set(term, { term, stemIdf: this.#rarity(stems), pathIdf: this.#rarity(paths) })
    }
  }
}

const SEED = /(?:^|\/)(?:seeds?|seeders?|seed[-_]?data)(?:\/|\.\w+$)|[-_.]seeds?(?:er)?\.\w+$|Seeder\.\w+$/

// File names of documents that do not explain the project: change logs, licences, authors, codes of conduct.
const RECORD_STEMS =
  /^(?:change-?log|changes|history|news|release-?notes|releases|licen[cs]es?|copying|copyright|notices?|authors|contributors|code.of.conduct)(?:[-_.].*)?$/

/** True if a document with this file name is a record (change log, licence, authors) rather than an explanation. */
export function isRecordStem(stem: string): boolean {
  return RECORD_STEMS.test(stem)
}

/** Query words that ask for such a record. */
export const RECORD_WORDS =
  "changelog change history news release introduced removed deprecated since license licence copyright author contributor conduct"

/** File suffixes of React Native and Expo: a bundler replaces the plain file with the one for the target platform. */
const PLATFORM = /\.(?:ios|android|native|web|windows|macos)(?=\.[cm]?[jt]sx?$)/

// Codes of languages that documentation is translated into, without codes that often name a folder for another reason:
// "cs" also means C#. Names such as README_CN.md use a country instead of a language.
const LANGUAGE =
  "(?:ar|az|be|bg|bn|bs|ca|cn|cy|da|de|el|en|es|et|fa|fi|fil|fr|gl|he|hi|hr|hu|id|it|ja|jp|ka|ko|kr|lt|lv|ms|nb|nl|nn|pl|" +
  "pt|ro|ru|sk|sl|sq|sr|sv|ta|th|tr|uk|ur|uz|vi|zh|cs[-_]cz)(?:[-_](?:[a-z]{2}|[a-z]{4}|\\d{3}))?"
const DOCUMENT = /\.(?:mdx?|markdown|rst|adoc|asciidoc|txt|html?)$/i
const LANGUAGE_FOLDER = new RegExp(`(?:^|(?<=/))${LANGUAGE}/`, "i")
const LANGUAGE_SUFFIX = new RegExp(`[._-]${LANGUAGE}(?=\\.\\w+$)`, "i")
const LANGUAGE_STEM = new RegExp(`(?<=/)(?:${LANGUAGE}|cs)(?=\\.\\w+$)`, "i")

/**
 * Matches folders that contain the texts which a program shows to its users. CATALOG_FORMAT matches file formats that
 * contain nothing else.
 */
const CATALOG_FOLDER = /(?:^|\/)(?:langs?|languages|locales?|i18n|l10n|translations?)\//i
const CATALOG_FORMAT =
  /\.(?:pot?|arb|xliff?|xlf|ftl|strings|stringsdict)$|\/values-[a-z]{2}(?:-r[A-Z]{2})?\/[^/]+\.xml$/
const CATALOG_DATA = /\.(?:json5?|ya?ml|toml|properties|resx|ini|pot?|arb|xliff?|xlf|ftl)$/i

/**
 * Groups variants of the same file: a module for several platforms (button.tsx, button.ios.tsx), and a document or a
 * catalog of messages in several languages (docs/en/guide.md, docs/ja/guide.md; README.md, README.zh-CN.md;
 * locales/de.json). The keys are the paths of files that have a variant. Each group keeps the given order.
 */
export function variantGroups(paths: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, readonly string[]>()
  for (const group of Map.groupBy(paths, withoutForm).values()) {
    if (group.length < 2) continue
    for (const path of group) groups.set(path, group)
  }
  return groups
}

function withoutForm(path: string): string {
  if (CATALOG_DATA.test(path) && isCatalog(path)) return withoutLanguage(path).replace(LANGUAGE_STEM, "")
  return DOCUMENT.test(path) ? withoutLanguage(path) : path.replace(PLATFORM, "")
}

function withoutLanguage(path: string): string {
  const anyFolder = path.replace(LANGUAGE_FOLDER, "")
  return anyFolder === path ? path.replace(LANGUAGE_SUFFIX, "") : anyFolder
}

/** True for a catalog: a file with the texts that a program shows to its users in one language, including English. */
export function isCatalog(path: string): boolean {
  if (CATALOG_FORMAT.test(path)) return true
  const folder = CATALOG_FOLDER.exec(path)
  if (folder === null) return false
  const inside = path.slice(folder.index + folder[0].length - 1)
  return LANGUAGE_STEM.test(inside) || LANGUAGE_FOLDER.test(inside.slice(1)) || LANGUAGE_SUFFIX.test(inside)
}

/** True for a document or a catalog in a language other than English. */
export function isTranslation(path: string): boolean {
  if (!DOCUMENT.test(path) && !isCatalog(path)) return false
  if (path.endsWith(".xml")) return !/\/values-en\b/.test(path)
  const code = LANGUAGE_FOLDER.exec(path) ?? LANGUAGE_SUFFIX.exec(path) ?? LANGUAGE_STEM.exec(path)
  return code !== null && !/^[._-]?en\b/i.test(code[0].replace("_", "-"))
}

/** The first folder of a path that is named as a version: `v3`. */
const VERSION_FOLDER = /^(.*?\/)?v(\d+)\//i

/**
 * The paths in a version folder for which another of the paths is in a newer version's folder beside it: v3/ beside
 * v4/.
 */
export function olderVersionPaths(paths: readonly string[]): ReadonlySet<string> {
  const versioned = paths.flatMap((path) => {
    const match = VERSION_FOLDER.exec(path)
    return match === null ? [] : [{ path, parent: match[1] ?? "", version: Number(match[2]) }]
  })
  const newest = new Map<string, number>()
  for (const { parent, version } of versioned) newest.set(parent, Math.max(newest.get(parent) ?? 0, version))
  return new Set(
    versioned.filter(({ parent, version }) => version < newest.get(parent)!).map(({ path }) => path),
  )
}
