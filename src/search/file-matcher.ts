/**
 * What `file:` names: a glob from the root ("src/**"), a glob of names in any folder ("*_test.go"), the beginning
 * of a path ("./src", "/src"), or any part of one; its case does not count.
 */
export function fileMatcher(pattern: string): (path: string) => boolean {
  const rooted = comparable(pattern.replace(/^\.?\//u, ""))
  if (/[*?[\]{}]/u.test(rooted)) return globMatcher(rooted)
  if (rooted !== comparable(pattern)) return (path) => comparable(path).startsWith(rooted)
  return (path) => comparable(path).includes(rooted)
}

/** Case does not count, nor whether an accent is a character of its own, as in names made by macOS. */
function comparable(path: string): string {
  return path.normalize("NFC").toLowerCase()
}

/** A path may have brackets of its own: app/[id]/page.tsx. */
function globMatcher(pattern: string): (path: string) => boolean {
  const glob = new Bun.Glob(pattern.includes("/") ? pattern : `**/${pattern}`)
  return (path) => {
    const lower = comparable(path)
    return glob.match(lower) || lower.includes(pattern)
  }
}
