import { FILE_FLAG } from "../../base/index.ts"
import { languageOf } from "../../parse/index.ts"
import { isDocument, isSvg, maxBytesOf } from "../../text/index.ts"
import type { ScannedFile, ScanOptions, SkipReason } from "./scan-snapshot.ts"

/** Size in bytes above which only files that people have written are indexed: no data, and nothing generated. */
export const LARGE_BYTES = 1 << 20

/** True for a file that is skipped because of its size. */
export function isTooLarge(
  { path, size, attributeFlags = 0 }: Omit<ScannedFile, "mtimeMs">,
  { maxFileBytes, everyName = false }: ScanOptions,
): boolean {
  if (size > maxFileBytes && size > maxBytesOf(path, maxFileBytes)) return true
  const isKept = size <= LARGE_BYTES || everyName || (attributeFlags & FILE_FLAG.deniedGenerated) !== 0
  return !isKept && isData(path)
}

function isData(path: string): boolean {
  const { kind } = languageOf(path, "")
  return isDocument(path) ? isSvg(path) : kind === "data"
}

/** Why a file of this name is skipped in every folder; null if it is not. */
export function skipFileName(name: string): SkipReason | null {
  if (LOCK_FILES.has(name)) return "lock file"
  const dot = name.lastIndexOf(".")
  if (dot < 0) return null
  return EXTENSIONS.get(name.slice(dot + 1).toLowerCase()) ?? (isMinified(name) ? "minified" : null)
}

/** Why a folder of this name is skipped wherever it is; null if it is not. */
export function skipFolderName(name: string): SkipReason | null {
  return FOLDERS.get(name) ?? null
}

/**
 * True when the name on disk is not valid UTF-8. Such a file cannot be opened by its decoded name; see `fs.readdir`.
 */
export function isInvalidName(name: string): boolean {
  return name.includes("\ufffd")
}

/**
 * True for the index, for shared memories and for the data of version control. They are not part of the project, so
 * they are not counted as skipped.
 */
export function isMetadataFolder(name: string): boolean {
  return METADATA.has(name)
}

const METADATA: ReadonlySet<string> = new Set(
  ".git .hg .svn .jj .bzr CVS _darcs .pijul .aman .aman-memory".split(" "),
)

const DEPENDENCIES =
  "node_modules bower_components jspm_packages web_modules .pnpm-store .yarn site-packages __pypackages__ " +
  ".venv .virtualenv .tox .nox .eggs .pixi .bundle .gradle .m2 .ivy2 .cargo-home .pub-cache elm-stuff " +
  ".terraform .direnv"

const BUILD_OUTPUT =
  "__pycache__ .mypy_cache .pytest_cache .ruff_cache .hypothesis .ipynb_checkpoints htmlcov .next .nuxt " +
  ".output .svelte-kit .angular .turbo .parcel-cache .cache .nyc_output storybook-static .docusaurus " +
  ".vercel .netlify .serverless .sass-cache .dart_tool .stack-work dist-newstyle .zig-cache zig-cache " +
  "zig-out DerivedData xcuserdata .vs .metals .bloop .bsp .scala-build .elixir_ls .ccls-cache .clangd"

const FOLDERS: ReadonlyMap<string, SkipReason> = new Map([
  ...DEPENDENCIES.split(" ").map((name): [string, SkipReason] => [name, "dependencies"]),
  ...BUILD_OUTPUT.split(" ").map((name): [string, SkipReason] => [name, "build output"]),
])

const LOCK_FILES: ReadonlySet<string> = new Set(
  (
    "package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb deno.lock Cargo.lock " +
    "poetry.lock Pipfile.lock pdm.lock uv.lock pixi.lock conda-lock.yml pylock.toml go.sum go.work.sum " +
    "Gopkg.lock glide.lock Gemfile.lock gems.locked composer.lock mix.lock rebar.lock pubspec.lock " +
    "Podfile.lock Package.resolved Cartfile.resolved packages.lock.json paket.lock project.assets.json " +
    "gradle.lockfile buildscript-gradle.lockfile stack.yaml.lock cabal.project.freeze flake.lock conan.lock " +
    "vcpkg-lock.json shard.lock Berksfile.lock Chart.lock .terraform.lock.hcl MODULE.bazel.lock " +
    "Brewfile.lock.json lazy-lock.json"
  ).split(" "),
)

const MEDIA =
  "png jpg jpeg jpe gif bmp ico icns cur webp avif apng tif tiff psd xcf heic heif jxl svgz eps ai sketch fig " +
  "mp3 mp4 m4a m4v wav ogg oga ogv opus flac aac aiff mid midi webm mov avi mkv wmv mpg mpeg " +
  "ttf otf woff woff2 eot ttc doc xls ppt mobi " +
  "zip gz tgz bz2 tbz2 xz txz zst lz4 br 7z rar tar cab jar war ear aar whl egg gem nupkg snupkg vsix crx xpi crate " +
  "deb rpm apk ipa aab dmg iso msi msix flatpak appimage " +
  "glb fbx blend blend1 3ds stl dae"

const BINARY =
  "exe dll so dylib lib a o ko obj lo la pdb ilk exp idb class pyc pyo pyd wasm elc beam hi dyn_o dyn_hi rlib rmeta " +
  "swp swo ds_store suo xcuserstate nib car db db3 sqlite sqlite3 sqlite-wal sqlite-shm mdb accdb realm " +
  "parquet arrow feather avro orc npy npz pkl pickle joblib h5 hdf5 mat rds rdata onnx pt pth ckpt safetensors gguf " +
  "tflite usearch mo gmo pcap pcapng dmp pprof"

const EXTENSIONS: ReadonlyMap<string, SkipReason> = new Map([
  ...MEDIA.split(" ").map((extension): [string, SkipReason] => [extension, "media"]),
  ...BINARY.split(" ").map((extension): [string, SkipReason] => [extension, "binary"]),
  // Snapshots of Jest, Vitest or insta: test output that repeats texts of the code.
  ["snap", "test snapshot"],
])

/** True for minified code, and for source maps, which repeat the text of other files. */
function isMinified(name: string): boolean {
  return /[.-]min\.(js|mjs|cjs|css|html|json)$|\.(js|mjs|cjs|ts|css)\.map$/i.test(name)
}

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
  ...output(beside, inside),
  ...{ reason: "dependencies", evenTracked: true },
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
