/** React Native's and Expo's suffixes: a bundler takes the file of its platform in place of the plain one. */
const PLATFORM = /\.(?:ios|android|native|web|windows|macos)(?=\.[cm]?[jt]sx?$)/

// Documentation is translated into these, and few folders are called so for another reason: "cs" is C# as often as
// Czech. Countries stand for languages in names like README_CN.md.
const LANGUAGE =
  "(?:ar|az|be|bg|bn|ca|cn|da|de|el|en|es|et|fa|fi|fil|fr|he|hi|hr|hu|id|it|ja|jp|ko|kr|lt|lv|ms|nb|nl|pl|pt|ro|ru|" +
  "sk|sl|sr|sv|ta|th|tr|uk|ur|uz|vi|zh|cs[-_]cz)(?:[-_](?:[a-z]{2}|[a-z]{4}|\\d{3}))?"
const DOCUMENT = /\.(?:mdx?|markdown|rst|adoc|asciidoc|txt|html?)$/i
const LANGUAGE_FOLDER = new RegExp(`(?:^|(?<=/))${LANGUAGE}/`, "i")
const LANGUAGE_SUFFIX = new RegExp(`[._-]${LANGUAGE}(?=\\.\\w+$)`, "i")

/**
 * Files that are one thing in several forms: a module for several platforms (button.tsx, button.ios.tsx), a page in
 * several languages (docs/en/guide.md, docs/ja/guide.md; README.md, README.zh-CN.md).
 * Keys are the paths of files that have another form; the groups keep the order given.
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
  if (!DOCUMENT.test(path)) return path.replace(PLATFORM, "")
  const anyFolder = path.replace(LANGUAGE_FOLDER, "")
  return anyFolder === path ? path.replace(LANGUAGE_SUFFIX, "") : anyFolder
}
