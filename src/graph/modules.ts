import { posix } from "node:path"

/** How well what an import names fits a file; 1: that file, less: somewhere about it, 0: elsewhere. */
export function moduleFits(module: string, from: string, path: string): number {
  const relative = relativeTo(module, from)
  if (relative !== null) return fitsPath(relative, path)
  const wanted = segmentsOf(module)
  const stem = stemOf(path)
  return Math.max(
    bestTail(wanted, stem),
    // `a.b.C`, `crate::a::b::C`: what is imported may be a definition of the module before it.
    wanted.length > 1 ? 0.95 * bestTail(wanted.slice(0, -1), stem) : 0,
  )
}

export function isRelative(module: string): boolean {
  return module.startsWith(".") || /^(?:crate|self|super)::/.test(module)
}

/** `./x` and `../x` as paths; Python's `.x` and `..x`, too. */
function relativeTo(module: string, from: string): string | null {
  const folder = posix.dirname(from)
  if (/^\.\.?(?:\/|$)/.test(module)) return posix.normalize(posix.join(folder, module))
  const dots = /^\.+/.exec(module)?.[0].length ?? 0
  if (dots === 0) return null
  const rest = module.slice(dots).replaceAll(".", "/")
  return posix.normalize(posix.join(folder, "../".repeat(dots - 1), rest))
}

const INDEX = /\/(?:index|mod|__init__|lib|main)$/

function fitsPath(wanted: string, path: string): number {
  const bare = withoutExtension(path)
  const target = wanted.replace(/\/$/, "")
  if (path === target || bare === target || bare === withoutExtension(target)) return 1
  if (bare.replace(INDEX, "") === target) return 1
  // What a folder's index passes on.
  return target !== "." && path.startsWith(`${target}/`) ? 0.7 : 0
}

function withoutExtension(path: string): string {
  return path.replace(/(?:\.d)?\.\w+$/, "")
}

function stemOf(path: string): string[] {
  return withoutExtension(path).replace(INDEX, "").split("/")
}

const ROOTS: ReadonlySet<string> = new Set(["crate", "self", "super", "src", "@", "~", "std", "*"])

function segmentsOf(module: string): string[] {
  return module
    .replace(/\{[\s\S]*$/, "")
    .replace(/\.(?:h|hpp|hh|hxx|js|mjs|cjs|ts|tsx|py|rb|php)$/, "")
    .split(/[/\\.:]+|\s+/)
    .filter((segment) => segment !== "" && !ROOTS.has(segment))
}

/** The end of one is the whole of the other, or they share an end; a module may be a file or a folder. */
function bestTail(wanted: readonly string[], stem: readonly string[]): number {
  if (wanted.length === 0) return 0
  const file = sharedTail(wanted, stem)
  if (file === wanted.length || (file > 0 && file === stem.length)) return 1
  const folder = sharedTail(wanted, stem.slice(0, -1))
  if (folder > 0 && (folder === wanted.length || folder === stem.length - 1)) return 0.8
  if (file > 1 || folder > 1) return 0.6
  if (folder === 1 || file === 1) return 0.5
  // A folder of that name further up, as of a package that passes on what its files define.
  return stem.includes(wanted.at(-1)!) && wanted.length === 1 ? 0.5 : 0
}

function sharedTail(one: readonly string[], other: readonly string[]): number {
  let shared = 0
  while (
    shared < one.length &&
    shared < other.length &&
    one[one.length - 1 - shared]!.toLowerCase() === other[other.length - 1 - shared]!.toLowerCase()
  ) {
    shared++
  }
  return shared
}
