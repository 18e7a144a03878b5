import { existsSync, readdirSync, realpathSync, statSync } from "node:fs"
import { dirname, relative, resolve } from "node:path"
import { AmanError, homeDir, isInside, keepProgramsOutOf, resolvedOr, toPosix } from "../../base/index.ts"
import { findWorkTree } from "../../tree/index.ts"

export type Root = {
  /** Absolute, with symbolic links resolved. */
  readonly root: string
  /** Working directory relative to the root, with "/"; "" at the root or outside it. */
  readonly folder: string
}

export type RootChoice = {
  /** Root given by the user, which is always used; absent: found from `cwd`. */
  readonly root?: string | undefined
  readonly cwd: string
  readonly home?: string
  /** Folder of the plugin that starts this process, where clients of Agent Plugins start servers. */
  readonly plugin?: string | undefined
}

/**
 * Finds the project root: the folder the user named, else the top of the git work tree, else the nearest
 * parent with a project marker, else the working directory. Throws NO_ROOT instead of choosing the home
 * folder, a folder above it, the top of a drive, or aman's own plugin by accident. From then on no program is looked for
 * in the root.
 */
export function findRoot({
  root,
  cwd,
  home = homeDir(),
  plugin = process.env["PLUGIN_ROOT"],
}: RootChoice): Root {
  const start = realFolder(cwd)
  if (root === undefined && plugin && start === resolvedOr(plugin))
    throw noRoot(start, "the folder of a plugin")
  const foundRoot = root === undefined ? discover(start, realHome(home)) : realFolder(resolve(cwd, root))
  // The user's own programs are below the home folder.
  if (!isTooWide(foundRoot, realHome(home))) keepProgramsOutOf(foundRoot)
  return { root: foundRoot, folder: isInside(foundRoot, start) ? toPosix(relative(foundRoot, start)) : "" }
}

/** Throws NO_ROOT if the folder of an open project no longer exists. */
export function requireFolder(root: string): void {
  if (existsSync(root)) return
  throw new AmanError("NO_ROOT", `the project folder does not exist: ${root}`, {
    hint: "restore the folder, then try again",
  })
}

/** True for the top of a drive, the home folder, and the folders above it, which hold more than one project. */
export function isTooWide(folder: string, home = realHome(homeDir())): boolean {
  return folder === dirname(folder) || (home !== "" && isInside(folder, home))
}

function discover(start: string, home: string): string {
  const isWide = (folder: string) => isTooWide(folder, home)
  if (isWide(start)) throw noRoot(start, start === home ? "the home folder" : "not a single project")
  const top = workTreeBelow(start, isWide)
  if (top !== null) return top
  for (let at = start; !isWide(at); at = dirname(at)) if (holdsMarker(at)) return at
  return start
}

/**
 * The innermost work tree, unless it is the home folder or a folder around it: some users keep their settings in git
 * there.
 */
function workTreeBelow(start: string, isWide: (folder: string) => boolean): string | null {
  const top = findWorkTree(start)?.top
  return top === undefined || isWide(top) ? null : top
}

function holdsMarker(folder: string): boolean {
  try {
    return readdirSync(folder).some(isTopMarker)
  } catch {
    return false
  }
}

function realFolder(path: string): string {
  try {
    const real = realpathSync(path)
    if (statSync(real).isDirectory()) return real
  } catch (cause) {
    throw new AmanError("NOT_FOUND", `no such folder: ${path}`, {
      hint: path.includes("\ufffd")
        ? "a name in the path is not valid UTF-8: rename it, or use a symbolic link"
        : "give an existing folder with --root",
      cause,
    })
  }
  throw new AmanError("NOT_FOUND", `not a folder: ${path}`, { hint: "give a folder with --root" })
}

function realHome(home: string): string {
  // An empty path is returned unchanged, because realpath of "" is the working directory.
  return home === "" ? "" : resolvedOr(home)
}

function noRoot(folder: string, what: string): AmanError {
  return new AmanError("NO_ROOT", `no project found: ${folder} is ${what}`, {
    hint: "start aman inside a project, or use --root DIR",
  })
}

/** The root of the project, or null outside of projects. Throws if the folder that the user named is no project. */
export function projectRoot(choice: RootChoice): string | null {
  try {
    return findRoot(choice).root
  } catch (error) {
    if (choice.root === undefined && error instanceof AmanError && error.code === "NO_ROOT") return null
    throw error
  }
}

/** The answer of `act`; `otherwise` if it throws NO_ROOT, because the client is in no project. */
export async function unlessNoProject<T>(otherwise: T, act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    if (error instanceof AmanError && error.code === "NO_ROOT") return otherwise
    throw error
  }
}

/** Project types by marker files at the root: by exact name, then by ending. */
const BY_NAME: readonly (readonly [type: string, names: string])[] = [
  ["Go", "go.mod go.work"],
  ["Rust", "Cargo.toml"],
  ["Node", "package.json"],
  ["Deno", "deno.json deno.jsonc"],
  ["Python", "pyproject.toml setup.py setup.cfg Pipfile requirements.txt"],
  ["Maven", "pom.xml"],
  ["Gradle", "build.gradle build.gradle.kts settings.gradle settings.gradle.kts"],
  ["sbt", "build.sbt"],
  ["Mill", "build.sc build.mill"],
  ["Clojure", "project.clj deps.edn"],
  ["PHP", "composer.json"],
  ["Ruby", "Gemfile"],
  ["Elixir", "mix.exs"],
  ["Erlang", "rebar.config"],
  ["Haskell", "stack.yaml cabal.project"],
  ["OCaml", "dune-project"],
  ["Swift", "Package.swift"],
  ["Xcode", "Podfile"],
  ["Dart", "pubspec.yaml"],
  ["CMake", "CMakeLists.txt"],
  ["Meson", "meson.build"],
  ["Autotools", "configure.ac configure.in"],
  ["Bazel", "MODULE.bazel WORKSPACE WORKSPACE.bazel"],
  ["Zig", "build.zig"],
  ["Julia", "Project.toml"],
  ["R", "DESCRIPTION"],
  ["Perl", "Makefile.PL Build.PL cpanfile"],
  ["Nix", "flake.nix"],
  ["Terraform", "main.tf"],
  ["Make", "Makefile GNUmakefile"],
]

const BY_ENDING: readonly (readonly [type: string, endings: string])[] = [
  [".NET", ".sln .slnx .csproj .fsproj .vbproj"],
  ["Haskell", ".cabal"],
  ["Ruby", ".gemspec"],
  ["Xcode", ".xcodeproj .xcworkspace .podspec"],
  ["Lua", ".rockspec"],
  ["Nim", ".nimble"],
]

const names = new Map(BY_NAME.flatMap(([type, list]) => list.split(" ").map((name) => [name, type] as const)))

/** Markers that show the type of a project but can be in any folder, so that they do not mark its root. */
const NO_TOP: ReadonlySet<string> = new Set([
  "requirements.txt",
  "DESCRIPTION",
  "main.tf",
  "Makefile",
  "GNUmakefile",
  "setup.cfg",
])

/** Project type for a marker file of this name; null if it is not a marker. */
export function projectTypeOf(name: string): string | null {
  const exact = names.get(name)
  if (exact !== undefined) return exact
  return (
    BY_ENDING.find(([, endings]) => endings.split(" ").some((ending) => name.endsWith(ending)))?.[0] ?? null
  )
}

/** True if a folder with an entry of this name counts as a project root. */
export function isTopMarker(name: string): boolean {
  return !NO_TOP.has(name) && projectTypeOf(name) !== null
}
