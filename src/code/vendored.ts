/**
 * Whether a file is a copy of somebody else's library or build tool, by the name under which it is handed out. Those
 * that Linguist knows and that could not as well be a project's own file: `jquery-3.7.1.js`, but not `react.js`.
 */
export function isBundledLibrary(path: string): boolean {
  return RELEASE.test(path) || KNOWN.test(path)
}

/** A whole version in the name of a script or style: "bootstrap-5.3.0.css", "knockout-3.5.1.debug.js". */
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
