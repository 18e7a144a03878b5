import { compareTexts } from "../../base/compare-texts.ts"
import { FILE_FLAG } from "../../base/files/file-flag.ts"
import { pathFlags } from "../../code/languages/file-flags.ts"
import type { FileAmount } from "../../store/index/file-rows.ts"
import { projectTypeOf } from "./project-markers.ts"

export type ProjectDescription = {
  /** Types of the project, sorted by name; empty when no marker file is found. */
  readonly projectTypes: readonly string[]
  /** Folders with most of the code, by bytes; "." is the root itself. */
  readonly sourceFolders: readonly string[]
}

type File = Pick<FileAmount, "path" | "size" | "content" | "flags">

/** A marker file deeper than "packages/a/package.json" describes a part, not the project. */
const MARKER_DEPTH = 2

const MAX_TYPES = 4
const MAX_FOLDERS = 8
/** Folders with a smaller share of the code are not listed. */
const MIN_SHARE = 0.03
/**
 * A package is listed as its subfolder, such as "packages/a/src", if that subfolder holds at least this share of its
 * code.
 */
const WHOLE_SHARE = 0.9

/** Folders whose subfolders are projects; those are listed in place of the folder. */
const WORKSPACES: ReadonlySet<string> = new Set(
  "packages crates apps libs modules services projects components plugins".split(" "),
)

/** Returns project types, by marker files near the root, and source folders, by bytes of code. */
export function describeProject(files: readonly File[]): ProjectDescription {
  const isAside = asideFolders()
  return { projectTypes: projectTypesIn(files, isAside), sourceFolders: sourceFoldersOf(files, isAside) }
}

function projectTypesIn(files: readonly File[], isAside: (file: File) => boolean): string[] {
  const depths = new Map<string, number>()
  for (const file of files) {
    const parts = file.path.split("/")
    const depth = parts.length - 1
    const type = depth > MARKER_DEPTH ? null : projectTypeOf(parts[depth]!)
    if (type === null || depth >= (depths.get(type) ?? Number.POSITIVE_INFINITY)) continue
    if (!isAside(file)) depths.set(type, depth)
  }
  const shallowest = Math.min(...depths.values())
  // "Make" and "Nix" are build tools; they are reported only when no other type is found.
  const types = [...depths].filter(([, depth]) => depth === shallowest).map(([type]) => type)
  const specific = types.filter((type) => type !== "Make" && type !== "Nix")
  return (specific.length > 0 ? specific : types).sort().slice(0, MAX_TYPES)
}

function sourceFoldersOf(files: readonly File[], isAside: (file: File) => boolean): string[] {
  const code = files.filter((file) => file.content === "code" && !isAside(file))
  const total = code.reduce((sum, file) => sum + file.size, 0)
  if (total === 0) return []
  const folders = [...bySize(code, "")].flatMap(([folder, size]) =>
    folder === "." ? [[folder, size] as const] : narrow(code, folder, size),
  )
  return folders
    .filter(([, size]) => size >= total * MIN_SHARE)
    .sort(([a, left], [b, right]) => right - left || compareTexts(a, b))
    .slice(0, MAX_FOLDERS)
    .map(([folder]) => folder)
}

/**
 * Replaces a folder of packages by its packages: "packages" becomes "packages/a/src", "packages/b". Other folders are
 * unchanged.
 */
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

/**
 * Replaces a folder by its subfolder, "packages/a" by "packages/a/src", if the subfolder holds nearly all of its
 * code.
 */
function conventional(code: readonly File[], folder: string, size: number): readonly [string, number] {
  for (const [part, partSize] of bySize(
    code.filter(({ path }) => path.startsWith(`${folder}/`)),
    folder,
  )) {
    if (part !== "." && partSize >= size * WHOLE_SHARE) return [part, partSize]
  }
  return [folder, size]
}

/** Bytes of code per folder directly in `parent`; "." counts files directly in the parent. */
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
 * Returns a function that is true for a file whose folder is for tests, examples, documentation, vendored or generated
 * code. Only the folder counts, because a test file beside its source does not make the folder a test folder. Files
 * without any of these flags are answered without looking at their folder, and each folder is checked once: checking
 * 50,000 names would take a third of a second.
 */
function asideFolders(): (file: File) => boolean {
  const { test, example, bench, docs, vendored, generated } = FILE_FLAG
  const aside = test | example | bench | docs | vendored | generated
  const cache = new Map<string, boolean>()
  return ({ path, flags }) => {
    if ((flags & aside) === 0) return false
    const folder = path.slice(0, path.lastIndexOf("/") + 1)
    let isAside = cache.get(folder)
    if (isAside === undefined) {
      isAside = (pathFlags(folder) & aside) !== 0
      cache.set(folder, isAside)
    }
    return isAside
  }
}
