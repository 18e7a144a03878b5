import { existsSync } from "node:fs"
import { posix, relative, resolve, sep } from "node:path"
import type { Project } from "../../app/project/open-project.ts"
import { belowRoot, withoutLines, withoutMark } from "../../app/project/project-path.ts"

/**
 * Converts typed paths, which are relative to the working directory, to paths relative to the root. If none is typed,
 * returns the working directory. With --root and a working directory outside of that root, typed paths are relative
 * to the root.
 */
export function inProject({ root, folder }: Project, typed: readonly string[]): string[] {
  if (typed.length === 0) return folder === "" ? [] : [folder]
  return typed.map(
    (path) => belowRoot(root, path) ?? relative(root, resolve(root, folder, path)).replaceAll(sep, "/"),
  )
}

/**
 * Converts typed filters to paths relative to the root. Filters that begin with . or .., and those whose folder or
 * file exists in the working directory, are relative to the working directory; others, such as paths that aman
 * printed, are relative to the root already.
 */
export function asFilters({ root, folder }: Project, typed: readonly string[]): string[] {
  const isHere = (path: string) =>
    /^\.{1,2}(?:[\\/]|$)/.test(path) ||
    (folder !== "" && existsHere(resolve(root, folder), withoutLines(path).path))
  const fromRoot = (path: string) =>
    isHere(path) ? relative(root, resolve(root, folder, path)).replaceAll(sep, "/") : path
  return typed.map((path) => withoutMark(path, fromRoot))
}

/** True if the path exists in the folder `here`. Of a glob, the folder before its first wildcard must exist. */
function existsHere(here: string, path: string): boolean {
  const fixed = path.split(/[*?[{]/)[0]!
  const place = fixed === path ? path : fixed.slice(0, fixed.lastIndexOf("/") + 1)
  return place !== "" && existsSync(resolve(here, place))
}

/** Converts a path relative to the root to a path relative to the working directory. */
export function fromFolder({ folder }: Project, path: string): string {
  return folder === "" ? path : posix.relative(folder, path)
}
