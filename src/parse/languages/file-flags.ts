import { FILE_FLAG } from "../../base/index.ts"
import { saysGenerated } from "./generated.ts"
import { isGeneratedDocs } from "./generated-docs.ts"

/**
 * The FILE_FLAG bits of a file, from its path relative to the root and from its text. `attributes` contains the bits
 * that `.gitattributes` sets; they have precedence.
 */
export function fileFlags(path: string, text: string, attributes = 0): number {
  let flags = pathFlags(path) | attributes
  if (isBundledLibrary(path)) flags |= FILE_FLAG.vendored
  if (saysGenerated(path, text)) flags |= FILE_FLAG.generated
  if ((attributes & FILE_FLAG.deniedGenerated) === 0 && isGeneratedDocs(path, text))
    flags |= FILE_FLAG.generatedDocs
  for (const [flag, affirmed, denied] of OVERRIDES) {
    if (attributes & affirmed) flags |= flag
    if (attributes & denied) flags &= ~flag
  }
  return flags
}

const OVERRIDES: readonly (readonly [flag: number, affirmed: number, denied: number])[] = [
  [FILE_FLAG.generated, FILE_FLAG.markedGenerated, FILE_FLAG.deniedGenerated],
  [FILE_FLAG.vendored, FILE_FLAG.markedVendored, FILE_FLAG.deniedVendored],
  [FILE_FLAG.docs, FILE_FLAG.markedDocs, FILE_FLAG.deniedDocs],
]

/** The flags that a path alone implies. The path of a folder must end in "/". */
export function pathFlags(path: string): number {
  let flags = 0
  for (const [pattern, flag] of PATTERNS) if (pattern.test(path)) flags |= flag
  return flags
}

/** Creates a pattern for folders with exactly one of these names, anywhere in the path. */
function folder(names: string): RegExp {
  return new RegExp(`(?:^|/)(?:${names})/`, "i")
}

const TEST_FOLDERS =
  "tests?|testing|specs?|__tests__|__mocks__|__fixtures__|__snapshots__|testdata|fixtures?|mocks?|e2e|testutil\\w*|" +
  "regress|regressions|" +
  "(?:integration|unit|functional|acceptance|smoke|regression|e2e)[-_.]?tests?|" +
  "tests?[-_](?:utils?|helpers?|data|support|fixtures?|suites?|cases|resources|projects?|apps?)"

// Most of these patterns come from the ranking experiment in which they received a weight.
const PATTERNS: readonly (readonly [RegExp, number])[] = [
  [folder(TEST_FOLDERS), FILE_FLAG.test],
  // Matches "Project.Tests/", "androidTest/" and "IntegrationTests/", but not "latest/".
  [/(?:^|\/)(?:[\w-]+\.)*\w*(?:[a-z0-9]|\.)(?:Tests?|Specs?)\//, FILE_FLAG.test],
  [/(?:^|\/)test_[^/]*$|[._-](?:tests?|spec|test-d)\.\w+$|(?:^|\/)conftest\.py$|\.bats$/i, FILE_FLAG.test],
  [/(?:Tests?|Spec|TestCase|TestBase)\.\w+$/, FILE_FLAG.test],
  [folder("_?examples?|samples?|demos?|playgrounds?|showcases?|tutorials?|docs?_src"), FILE_FLAG.example],
  [
    /(?:^|[/._-])examples?\.\w+$|_example_test\.go$|(?:^|\/)example_[^/]*_test\.go$|\.stories\.\w+$/i,
    FILE_FLAG.example,
  ],
  [folder("bench|benches|benchmarks?|micro-?bench(?:marks?)?"), FILE_FLAG.bench],
  [/(?:[._-]bench(?:mark)?|(?:^|\/)bench(?:mark)?[._-][^/]*)\.\w+$|(?:Benchmarks?)\.\w+$/, FILE_FLAG.bench],
  [folder("docs?|documentation|website|www-docs|docs?[-_](?:src|site|website)"), FILE_FLAG.docs],
  [
    folder(
      "vendors?|vendored|_vendor|(?:third|3rd)[-_]?party|node_modules|bundled|deps|externals?|extern|godeps|carthage|pods|gradle/wrapper",
    ),
    FILE_FLAG.vendored,
  ],
  [/\.d\.[cm]?ts$|\.pyi$/, FILE_FLAG.declaration],
  [folder("compat|compatibility|legacy|deprecated|shims?|polyfills?|v0"), FILE_FLAG.compat],
  [
    folder(
      "tools?|scripts?|ci|\\.ci|\\.github|\\.gitlab|\\.circleci|\\.husky|stubs?|templates?|migrations?|hack",
    ),
    FILE_FLAG.scripts,
  ],
  // Hidden folders configure tools. Their files are about the project and no part of the program.
  [/(?:^|\/)\.[^/]+\//, FILE_FLAG.scripts],
  [folder("dist|public/assets"), FILE_FLAG.output],
  [folder("generated|__generated__|_generated|autogen|gen-src|generated-sources"), FILE_FLAG.generated],
  [
    /(?:\.pb(?:\.\w+)?\.(?:go|cc|h|swift|dart|rs)|_pb2(?:_grpc)?\.pyi?|_(?:grpc_)?pb\.(?:js|d\.ts|rb))$/i,
    FILE_FLAG.generated,
  ],
  [
    /\.(?:g|freezed|gr|config)\.dart$|\.(?:generated|designer|g|g\.i)\.\w+$|\.gen\.(?:go|[jt]sx?|py|rs|cs|cc|cpp|h|hpp|java|kt|swift)$|(?:^|\/)zz_generated|_generated\.\w+$|\.feature\.cs$|\.zep\.(?:c|h|php)$|_tlb\.pas$/i,
    FILE_FLAG.generated,
  ],
]

/**
 * True if the file is, by its name, a distributed copy of a library or build tool. The names come from GitHub's
 * Linguist, without those that a project may use for its own files: `jquery-3.7.1.js` is one, `react.js` is not.
 */
export function isBundledLibrary(path: string): boolean {
  return RELEASE.test(path) || KNOWN.test(path)
}

/**
 * Matches a complete version number in the name of a script or style sheet: "bootstrap-5.3.0.css",
 * "knockout-3.5.1.debug.js".
 */
const RELEASE =
  /(?:^|\/)[a-z][\w.]*[-.]v?\d+\.\d+\.\d+(?:[.-](?:debug|slim|full|core|umd|esm))*\.(?:[cm]?js|css)$/i

const KNOWN = new RegExp(
  [
    "jquery(?:[.-](?:\\d|ui|effects|fn|validate|unobtrusive|fancybox|fileupload|mobile)[^/]*|\\.slim)?\\.(?:js|css)",
    "bootstrap(?:[.-](?:grid|reboot|utilities|theme|bundle|datepicker)[^/]*)?\\.(?:js|css)",
    "(?:font-awesome|normalize|animate|foundation|fontello[^/]*)\\.(?:css|less|scss)",
    "(?:mootools|modernizr|ckeditor|tiny_?mce|html5shiv|yahoo-dom-event|d3\\.v\\d)(?:[.-][^/]*)?\\.js",
    "gradlew(?:\\.bat)?|mvnw(?:\\.cmd)?|configure|config\\.(?:guess|sub)|ltmain\\.sh|install-sh|depcomp",
    "(?:aclocal|libtool|ltoptions|ltsugar|ltversion|lt~obsolete)\\.m4|erlang\\.mk|cpplint\\.py|ppport\\.h",
    "catch(?:_amalgamated)?\\.hpp|sqlite3(?:ext)?\\.[ch]|stb_[a-z_]+\\.h|miniz\\.[ch]",
  ]
    .map((name) => `(?:^|/)(?:${name})$`)
    .join("|"),
  "i",
)
