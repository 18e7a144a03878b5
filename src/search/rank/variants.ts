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
