/**
 * What `file:` names: a glob from the root ("src/**"), a glob of names in any folder ("*_test.go"), the beginning
 * of a path ("./src", "/src"), or any part of one; its case does not count.
 */
export function fileMatcher(pattern: string): (path: string) => boolean {
  const rooted = pattern.replace(/^\.?\//u, "").toLowerCase()
  if (/[*?[\]{}]/u.test(rooted)) return globMatcher(rooted)
  if (rooted !== pattern.toLowerCase()) return (path) => path.toLowerCase().startsWith(rooted)
  return (path) => path.toLowerCase().includes(rooted)
}

/** A path may have brackets of its own: app/[id]/page.tsx. */
function globMatcher(pattern: string): (path: string) => boolean {
  const glob = new Bun.Glob(pattern.includes("/") ? pattern : `**/${pattern}`)
  return (path) => {
    const lower = path.toLowerCase()
    return glob.match(lower) || lower.includes(pattern)
  }
}
