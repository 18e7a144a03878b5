import { FILE_FLAG } from "../base/file-flag.ts"
import { pathFlags } from "../code/file-flags.ts"
import type { FileAmount } from "../store/file-rows.ts"
import { projectTypeOf } from "./project-markers.ts"

export type ProjectDescription = {
  /** From most to least telling; empty when nothing says. */
  readonly projectTypes: readonly string[]
  /** Where most of the code is, by amount; "." for the root itself. */
  readonly sourceFolders: readonly string[]
}

type File = Pick<FileAmount, "path" | "size" | "content" | "flags">

/** A marker deeper than "packages/a/package.json" belongs to a part, not to the project. */
const MARKER_DEPTH = 2
const MOST_TYPES = 4
const MOST_FOLDERS = 8
/** A folder with less of the code than this is not worth a name. */
const LEAST_SHARE = 0.03
/** A folder is described by its parts only if none of them holds nearly all of it. */
const WHOLE_SHARE = 0.9

/** Folders that hold projects: named by what they hold. */
const WORKSPACES: ReadonlySet<string> = new Set(
  "packages crates apps libs modules services projects components plugins".split(" "),
)

/** What kind of project this is, by marker files near its top, and where its source is, by the amount of code. */
export function describeProject(files: readonly File[]): ProjectDescription {
  const isAside = asideFolders()
  return { projectTypes: typesOf(files, isAside), sourceFolders: sourceFoldersOf(files, isAside) }
}

function typesOf(files: readonly File[], isAside: (file: File) => boolean): string[] {
  const depths = new Map<string, number>()
  for (const file of files) {
    const parts = file.path.split("/")
    const depth = parts.length - 1
    const type = depth > MARKER_DEPTH ? null : projectTypeOf(parts[depth]!)
    if (type === null || depth >= (depths.get(type) ?? Number.POSITIVE_INFINITY)) continue
    if (!isAside(file)) depths.set(type, depth)
  }
  const shallowest = Math.min(...depths.values())
  // "Make" and "Nix" say how something is built, and what it is only where nothing else does.
  const types = [...depths].filter(([, depth]) => depth === shallowest).map(([type]) => type)
  const telling = types.filter((type) => type !== "Make" && type !== "Nix")
  return (telling.length > 0 ? telling : types).sort().slice(0, MOST_TYPES)
}

function sourceFoldersOf(files: readonly File[], isAside: (file: File) => boolean): string[] {
  const code = files.filter((file) => file.content === "code" && !isAside(file))
  const total = code.reduce((sum, file) => sum + file.size, 0)
  if (total === 0) return []
  const folders = [...bySize(code, "")].flatMap(([folder, size]) =>
    folder === "." ? [[folder, size] as const] : narrow(code, folder, size),
  )
  return folders
    .filter(([, size]) => size >= total * LEAST_SHARE)
    .sort(([a, left], [b, right]) => right - left || (a < b ? -1 : 1))
    .slice(0, MOST_FOLDERS)
    .map(([folder]) => folder)
}

/** "packages" becomes "packages/a/src", "packages/b"; other folders stay what they are. */
function narrow(code: readonly File[], folder: string, size: number): (readonly [string, number])[] {
  const inside = code.filter(({ path }) => path.startsWith(`${folder}/`))
  const parts = bySize(inside, folder)
  if (WORKSPACES.has(folder)) {
    return [...parts].flatMap(([part, partSize]) =>
      part === "." ? [[folder, partSize] as const] : [conventional(inside, part, partSize)],
    )
  }
  return [[folder, size]]
}

/** "packages/a" becomes "packages/a/src" if nearly all is there. */
function conventional(code: readonly File[], folder: string, size: number): readonly [string, number] {
  for (const [part, partSize] of bySize(
    code.filter(({ path }) => path.startsWith(`${folder}/`)),
    folder,
  )) {
    if (part !== "." && partSize >= size * WHOLE_SHARE) return [part, partSize]
  }
  return [folder, size]
}

/** Bytes of code per folder directly in `parent`; "." for what lies in the parent itself. */
function bySize(code: readonly File[], parent: string): Map<string, number> {
  const sizes = new Map<string, number>()
  for (const { path, size } of code) {
    const slash = path.indexOf("/", parent === "" ? 0 : parent.length + 1)
    const folder = slash < 0 ? "." : path.slice(0, slash)
    sizes.set(folder, (sizes.get(folder) ?? 0) + size)
  }
  return sizes
}

/**
 * Judges by folders, as tests that lie beside the source say nothing about where the source is; each once, and only
 * where a file is known to be aside: reading 50,000 names would cost a third of a second.
 */
function asideFolders(): (file: File) => boolean {
  const { test, example, bench, docs, vendored, generated } = FILE_FLAG
  const aside = test | example | bench | docs | vendored | generated
  const known = new Map<string, boolean>()
  return ({ path, flags }) => {
    if ((flags & aside) === 0) return false
    const folder = path.slice(0, path.lastIndexOf("/") + 1)
    let isAside = known.get(folder)
    if (isAside === undefined) {
      isAside = (pathFlags(folder) & aside) !== 0
      known.set(folder, isAside)
    }
    return isAside
  }
}
