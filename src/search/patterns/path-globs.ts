import { compileGlob } from "./glob.ts"

/**
 * Tests paths against globs like ripgrep's `-g`: a path must match one of the globs without "!", if there are any,
 * and none of those with "!". A glob without "/" matches a name in any folder; a folder matches everything below it.
 */
export function pathGlobs(globs: readonly string[]): (path: string) => boolean {
  const wanted = globs.filter((glob) => !glob.startsWith("!")).map(globTest)
  const unwanted = globs.filter((glob) => glob.startsWith("!")).map((glob) => globTest(glob.slice(1)))
  return (path) => {
    const matches = (test: (path: string) => boolean) => test(path)
    return (wanted.length === 0 || wanted.some(matches)) && !unwanted.some(matches)
  }
}

function globTest(glob: string): (path: string) => boolean {
  const clean = glob.replace(/^(\.\/)+/, "").replace(/\/+$/, "")
  const anchored = clean.includes("/") ? clean.replace(/^\/+/, "") : `**/${clean}`
  const isFile = compileGlob(anchored, { crossesAnywhere: true })
  const isBelow = compileGlob(`${anchored}/**`, { crossesAnywhere: true })
  return (path) => isFile(path) || isBelow(path)
}
