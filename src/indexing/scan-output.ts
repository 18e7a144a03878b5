import type { SkipReason } from "./scan-result.ts"

/**
 * A folder whose name may mean output or dependencies, and may mean source just as well: what must stand beside
 * it, and what must be in it, before it is left out.
 */
type Rule = {
  readonly reason: SkipReason
  /** One of these stands in the same folder. */
  readonly beside: RegExp
  /** One of these is in it; absent where the name beside such a marker says enough. */
  readonly inside?: RegExp
  /** Left out even if somebody committed it: a copy of other people's code as their tool lays it out. */
  readonly evenTracked?: true
}

/** Whether `outputReason` could ever speak of a folder of this name, so that it has to be looked into. */
export function mayBeOutput(name: string): boolean {
  return RULES.has(name) || name.endsWith(".egg-info") || name.startsWith("cmake-build-")
}

/** Why a folder is left out, by its name, the names in its parent and the names in it; null if it is not. */
export function outputReason(
  name: string,
  siblings: readonly string[],
  inside: readonly string[],
): { readonly reason: SkipReason; readonly evenTracked: boolean } | null {
  if (inside.includes("pyvenv.cfg") || inside.includes("conda-meta"))
    return { reason: "dependencies", evenTracked: true }
  // https://bford.info/cachedir: a folder that says of itself that it can be made anew.
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

function holds(rule: Rule, inside: readonly string[]): boolean {
  return !rule.inside || inside.some((entry) => rule.inside?.test(entry))
}

const NODE = /^package\.json$/
const PYTHON = /^(setup\.py|setup\.cfg|pyproject\.toml)$/
const GRADLE = /^(build|settings)\.gradle(\.kts)?$/
const DOTNET = /\.(cs|fs|vb)proj$/

const output = (beside: RegExp, inside?: RegExp): Rule => ({
  reason: "build output",
  beside,
  ...(inside && { inside }),
})
const dependencies = (beside: RegExp, inside: RegExp): Rule => ({
  reason: "dependencies",
  beside,
  inside,
  evenTracked: true,
})

const RULES: ReadonlyMap<string, readonly Rule[]> = new Map([
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
