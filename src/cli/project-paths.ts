import { posix, relative, resolve, sep } from "node:path"
import { belowRoot, withoutMark } from "../app/below-root.ts"
import type { Project } from "../app/open-project.ts"

/**
 * Paths as typed in the folder of the project that we are in, as the project spells them; none typed: that folder.
 * Whoever is outside the project, with --root, names paths from its root.
 */
export function inProject({ root, folder }: Project, typed: readonly string[]): string[] {
  if (typed.length === 0) return folder === "" ? [] : [folder]
  return typed.map(
    (path) => belowRoot(root, path) ?? relative(root, resolve(root, folder, path)).replaceAll(sep, "/"),
  )
}

/** Filters count from the root, and what begins with . or .. from the folder of the project that we are in. */
export function asFilters({ root, folder }: Project, typed: readonly string[]): string[] {
  const isHere = (path: string) => /^\.{1,2}(?:[\\/]|$)/.test(path)
  const fromRoot = (path: string) =>
    isHere(path) ? relative(root, resolve(root, folder, path)).replaceAll(sep, "/") : path
  return typed.map((path) => withoutMark(path, fromRoot))
}

/** A path of the project as seen from the folder that we are in. */
export function fromFolder({ folder }: Project, path: string): string {
  return folder === "" ? path : posix.relative(folder, path)
}

export const PATH_HELP =
  "Only below this folder, or matching this glob, counted from the root (./ and ../: from here); !PATH leaves out"
