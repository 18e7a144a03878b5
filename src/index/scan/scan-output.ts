import type { SkipReason } from "./scan-result.ts"

/**
 * A rule for a folder name that may be build output or dependencies, but also source code. It says which entries must
 * be beside and inside the folder for it to be skipped.
 */
type OutputFolderRule = {
  readonly reason: SkipReason
  /** An entry of the parent folder must match this. */
  readonly beside: RegExp
  /** An entry of the folder itself must match this; absent if the entry beside the folder is sufficient evidence. */
  readonly inside?: RegExp
  /**
   * True to skip the folder even if it is committed, because it is a copy of third-party code in the layout of a
   * package manager.
   */
  readonly evenTracked?: true
}

/** True when `outputReason` may apply to a folder of this name, so that its entries must be known. */
export function mayBeOutput(name: string): boolean {
  return RULES.has(name) || name.endsWith(".egg-info") || name.startsWith("cmake-build-")
}

/** Why a folder is skipped, judged by its name, its siblings and its entries; null if it is not skipped. */
export function outputReason(
  name: string,
  siblings: readonly string[],
  inside: readonly string[],
): { readonly reason: SkipReason; readonly evenTracked: boolean } | null {
  if (inside.includes("pyvenv.cfg") || inside.includes("conda-meta"))
    return { reason: "dependencies", evenTracked: true }
  // CACHEDIR.TAG marks a folder whose content can be generated again: https://bford.info/cachedir
  if (inside.includes("CACHEDIR.TAG")) return { reason: "build output", evenTracked: false }
  if (name.endsWith(".egg-info")) return { reason: "build output", evenTracked: false }
  const rules = name.startsWith("cmake-build-") ? RULES.get("build") : RULES.get(name)
  for (const rule of rules ?? []) {
    if (siblings.some((sibling) => rule.beside.test(sibling)) && holds(rule, inside)) {
      return { reason: rule.reason, evenTracked: rule.evenTracked ?? false }
    }
  }
  return null
}

function holds(rule: OutputFolderRule, inside: readonly string[]): boolean {
  return !rule.inside || inside.some((entry) => rule.inside?.test(entry))
}

const NODE = /^package\.json$/
const PYTHON = /^(setup\.py|setup\.cfg|pyproject\.toml)$/
const GRADLE = /^(build|settings)\.gradle(\.kts)?$/
const DOTNET = /\.(cs|fs|vb)proj$/

const output = (beside: RegExp, inside?: RegExp): OutputFolderRule => ({
  reason: "build output",
  beside,
  ...(inside && { inside }),
})
const dependencies = (beside: RegExp, inside: RegExp): OutputFolderRule => ({
  reason: "dependencies",
  beside,
  inside,
  evenTracked: true,
})

const RULES: ReadonlyMap<string, readonly OutputFolderRule[]> = new Map([
  [
    "target",
    [
      output(/^Cargo\.toml$/, /^(debug|release|doc|package|tmp|\.rustc_info\.json)$/),
      output(/^pom\.xml$/, /^(classes|test-classes|generated-sources|maven-\w+|surefire-reports)$|\.jar$/),
      output(/^build\.sbt$/, /^(scala-[\d.]+|streams|global-logging|task-temp-directory)$/),
      output(/^project\.clj$/, /^(classes|stale)$/),
    ],
  ],
  [
    "dist",
    [output(NODE), output(PYTHON, /\.(whl|tar\.gz|zip|egg)$/), output(/\.cabal$/, /^(build|setup-config)$/)],
  ],
  [
    "build",
    [
      output(
        GRADLE,
        /^(classes|libs|tmp|generated|intermediates|reports|outputs|kotlin|resources|test-results)$/,
      ),
      output(/^CMakeLists\.txt$/, /^(CMakeCache\.txt|CMakeFiles)$/),
      output(/^meson\.build$/, /^(meson-info|meson-private)$/),
      output(PYTHON, /^(lib|bdist|temp|scripts)(\.|-|$)/),
      output(
        NODE,
        /^(static|asset-manifest\.json|index\.html|index\.js|index\.cjs|index\.mjs|esm|cjs|lib\.js)$/,
      ),
      output(/^pubspec\.yaml$/, /^(app|web|ios|flutter_assets|[0-9a-f]{32})$/),
    ],
  ],
  [
    "out",
    [output(NODE, /^(_next|index\.html|index\.js|extension\.js)$/), output(GRADLE, /^(production|test)$/)],
  ],
  [
    "coverage",
    [output(/./, /^(lcov\.info|lcov-report|coverage-final\.json|clover\.xml|\.resultset\.json)$/)],
  ],
  ["obj", [output(DOTNET, /^(Debug|Release|project\.assets\.json)$|\.nuget\./)]],
  ["bin", [output(DOTNET, /^(Debug|Release|x64|x86)$/)]],
  [".build", [output(/^Package\.swift$/)]],
  ["_build", [output(/^(mix\.exs|dune-project|rebar\.config)$/), output(/^conf\.py$/)]],
  [
    "vendor",
    [
      dependencies(/^go\.(mod|work)$/, /^modules\.txt$/),
      dependencies(/^composer\.json$/, /^(autoload\.php|composer)$/),
    ],
  ],
  ["deps", [{ reason: "dependencies", beside: /^mix\.exs$/ }]],
  ["Pods", [dependencies(/^Podfile$/, /^(Manifest\.lock|Pods\.xcodeproj|Headers)$/)]],
  ["Carthage", [dependencies(/^Cartfile$/, /^(Build|Checkouts)$/)]],
])
