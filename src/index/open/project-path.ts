import { existsSync } from "node:fs"
import { isAbsolute, join, posix, relative } from "node:path"
import {
  AmanError,
  editDistance,
  isInside,
  nearest,
  pathOfUri,
  realPlace,
  spelledOnDisk,
  toPosix,
} from "../../base/index.ts"
import type { FilesTable, Store } from "../../store/index.ts"
import { type InnerPath, innerPath, leftOutNamed, leftOutNote } from "../../tree/index.ts"
import type { Project } from "./open-project.ts"

/** Hint about the paths of agents, and of commands in the project's top folder. */
export const FROM_ROOT = "paths are relative to the project root"

/** The parts of a project that resolve a path; `reader` serves hints only. */
export type ProjectPlace = Pick<Project, "root" | "config" | "reader" | "pathRule">

/** Lines of a file, counted from 1; `last` null: to the end. */
export type NamedLines = { readonly first: number; readonly last: number | null }

/**
 * Resolves a user's path to a file or folder of the project that may be shown. The path may be absolute or a file URI,
 * and have lines attached as in `a.ts:10-20`, or a symbol as in `a.ts#Shop.open`, which stands for its lines; `lines`
 * is null if it has none, or if a file has this name. Throws
 * OUTSIDE_ROOT if it leads to another place, links followed, or to secrets, and NOT_FOUND if nothing exists there.
 */
export function projectPath(
  project: ProjectPlace,
  typed: string,
): InnerPath & { readonly lines: NamedLines | null } {
  const { root, config } = project
  const find = (path: string) => innerPath(root, belowRoot(root, path) ?? pathOfUri(path), [config.index.dir])
  const whole = find(typed)
  const [, before, symbol] = whole === "missing" ? (/^(.+?)#(?!L\d)(.+)$/u.exec(typed) ?? []) : []
  if (before !== undefined) {
    const inner = find(before)
    if (typeof inner === "object") return { ...inner, lines: linesOfSymbol(project, inner.path, symbol!) }
  }
  const { path: named, lines } = whole === "missing" ? withoutLines(typed) : { path: typed, lines: null }
  const insidePath = lines === null ? whole : find(named)
  if (insidePath === "outside") throw outside(project, named)
  if (insidePath === "missing") {
    throw new AmanError("NOT_FOUND", `no file ${JSON.stringify(named)} in ${root}`, {
      hint: hintFor(project, named),
    })
  }
  if (insidePath === "private") throw secretFileError(named)
  return { ...insidePath, lines }
}

/** The lines of a symbol in an indexed file, by `name` or `Owner.name`. Throws NOT_FOUND if there is none. */
function linesOfSymbol(project: ProjectPlace, path: string, symbol: string): NamedLines {
  const store = project.reader()?.store
  const file = store?.files.byPath(path)
  const all = file ? store!.symbols.ofFile(file.id) : []
  const found =
    all.find(({ name, owner }) => `${owner}.${name}` === symbol) ?? all.find(({ name }) => name === symbol)
  if (found !== undefined) return { first: found.startLine, last: found.endLine }
  throw new AmanError("NOT_FOUND", `no definition of ${JSON.stringify(symbol)} in ${path}`, {
    hint: `to list its symbols: aman symbol --outline ${JSON.stringify(path)}`,
  })
}

/** Splits `a.ts:10-20`, `a.ts:10-`, `a.ts:10:5` and `a.ts#L10-L20` into path and lines; `lines` is null if there are none. */
export function withoutLines(typed: string): { readonly path: string; readonly lines: NamedLines | null } {
  const [, path, first, dash, last] = /^(.+?)(?::|#L)(\d{1,9})(?:(-)L?(\d{0,9})|:\d+)?$/su.exec(typed) ?? []
  if (path === undefined || Number(first) === 0) return { path: typed, lines: null }
  const end = dash === undefined ? Number(first) : Number(last) || null
  return { path, lines: { first: Number(first), last: end } }
}

function outside({ pathRule }: ProjectPlace, named: string): AmanError {
  return new AmanError("OUTSIDE_ROOT", `${JSON.stringify(named)} is outside the project`, {
    hint: `use a path in it; ${pathRule}`,
    isUnknownName: true,
  })
}

const MAX_CANDIDATES = 50
const MAX_COMPARED = 200

/** A hint for a path that does not exist: the file may be in another folder. */
function hintFor(project: ProjectPlace, named: string): string {
  const { root, config } = project
  const [leftOut] = leftOutNamed({ root, config, store: storeOf(project) }, [named])
  if (leftOut !== undefined) return leftOutNote(leftOut)
  const files = storeOf(project)?.files
  const name = posix.basename(named)
  const others = name === "" ? [] : (files?.pathsWith(name, MAX_CANDIDATES) ?? [])
  const same = others.filter((path) => posix.basename(path) === name).slice(0, 3)
  if (same.length === 0) {
    const alike = files === undefined ? undefined : likelyPath(files, named)
    return alike === undefined ? project.pathRule : `did you mean ${alike}?`
  }
  return `${project.pathRule}; files with that name: ${same.join(", ")}`
}

/**
 * An indexed file whose path resembles the given one: a file or folder with the same name without extension, otherwise
 * a file with a similar name.
 */
function likelyPath(files: FilesTable, named: string): string | undefined {
  const paths = files.paths().map(([, path]) => path)
  const stem = posix.basename(named, posix.extname(named))
  const sameStem = paths.filter((path) =>
    path.split("/").some((part) => part === stem || part.startsWith(`${stem}.`)),
  )
  if (stem !== "" && sameStem.length > 0 && sameStem.length <= MAX_CANDIDATES)
    return mostAlike(named, sameStem)
  const name = nearest(posix.basename(named), [...new Set(paths.map((path) => posix.basename(path)))])
  const sameName = paths.filter((path) => posix.basename(path) === name)
  return nearest(named, sameName) ?? sameName[0]
}

function mostAlike(named: string, paths: readonly string[]): string {
  const distances = paths.map((path) =>
    editDistance(named.slice(0, MAX_COMPARED), path.slice(0, MAX_COMPARED)),
  )
  return paths[distances.indexOf(Math.min(...distances))]!
}

/** Null if the index cannot be read: a hint must not cause an error. */
function storeOf(project: ProjectPlace): Store | null {
  try {
    return project.reader()?.store ?? null
  } catch {
    return null
  }
}

/** Error for a file that may hold keys or passwords, by its name or its text. */
export function secretFileError(path: string): AmanError {
  return new AmanError("OUTSIDE_ROOT", `${JSON.stringify(path)} may hold secrets and is never read`, {
    hint: "open it yourself",
  })
}

/**
 * An absolute path or a file URI relative to the root, even if reached through links; "" for the root, null outside.
 * The path need not exist and may end in a glob.
 */
export function belowRoot(root: string, typed: string): string | null {
  const path = pathOfUri(typed)
  if (!isAbsolute(path)) return null
  const place = [path, realPlace(path)].find((each) => isInside(root, each))
  if (place !== undefined) return toPosix(relative(root, place))
  // The folders above the root may be spelled otherwise, too (`spelledOnDisk`).
  const [folder, composed] = [root.normalize("NFC"), path.normalize("NFC")]
  return isInside(folder, composed) ? toPosix(relative(folder, composed)) : null
}

/**
 * The path filters relative to the root: absolute paths and file URIs inside the root are made relative, and lines are
 * removed from the path of a file. Others stay as they are.
 */
export function filtersIn(root: string, typed: readonly string[]): string[] {
  return typed.map((path) => withoutMark(path, (bare) => fileIn(root, belowRoot(root, bare) ?? bare)))
}

/** The path as it is on disk, without attached lines if only the file without them exists. */
function fileIn(root: string, typed: string): string {
  const path = spelledOnDisk(root, typed)
  const { path: written, lines } = withoutLines(typed)
  const file = spelledOnDisk(root, written)
  const isFile = lines !== null && !existsSync(join(root, path)) && existsSync(join(root, file))
  return isFile ? file : path
}

/** Applies `change` to a pattern without its leading `!`, which marks an excluding pattern and is put back. */
export function withoutMark(path: string, change: (bare: string) => string): string {
  return path.startsWith("!") ? `!${change(path.slice(1))}` : change(path)
}
