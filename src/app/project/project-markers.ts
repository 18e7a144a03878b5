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
