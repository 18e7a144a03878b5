import { isAbsolute, relative } from "node:path"
import { isInside, realPlace, toPosix } from "../base/paths.ts"

/**
 * An absolute path as the project spells it, by whatever links it was reached; "" for the root, null outside. It need
 * not be there, and may go on as a glob.
 */
export function belowRoot(root: string, path: string): string | null {
  if (!isAbsolute(path)) return null
  const place = [path, realPlace(path)].find((each) => isInside(root, each))
  return place === undefined ? null : toPosix(relative(root, place))
}

/** Path filters count from the root; absolute ones in it may be written, too. */
export function filtersIn(root: string, typed: readonly string[]): string[] {
  return typed.map((path) => withoutMark(path, (bare) => belowRoot(root, bare) ?? bare))
}

/** Changes what stands behind the `!` that excludes. */
export function withoutMark(path: string, change: (bare: string) => string): string {
  return path.startsWith("!") ? `!${change(path.slice(1))}` : change(path)
}
