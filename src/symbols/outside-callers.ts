import { conventionOf } from "../parse/index.ts"
import { isType, type SymbolDefinition } from "./definition.ts"
import type { FileView } from "./file-view.ts"
import type { SymbolGraph } from "./symbol-graph.ts"

/** Ways in which a definition without uses in the code may still be called or named from elsewhere. */
export type OutsideCaller =
  | "marked by an annotation, attribute or decorator"
  | "inherits from a type of a library"
  | "required by an interface"
  | "implements an interface of a library"
  | "found by a framework through its name or place"
  | "named in a string, a template or a configuration file"
  | "named in code that is not understood"
  | "in a file that calls by computed names"
  | "in a language that calls by names made at run time"
  | "passed on as part of an object"
  | "public API of a library"
  | "in an example, a benchmark or a test"
  | "in generated code"

/**
 * Which framework, test runner, reflection or interface may call an unused definition; null if nothing indicates a
 * caller. `lines` are the lines of its file.
 */
export function outsideCaller(
  definition: SymbolDefinition,
  lines: readonly string[],
  graph: SymbolGraph,
): OutsideCaller | null {
  const { symbol, file } = definition
  const unseen = unseenCall(definition, lines, graph)
  if (unseen !== null) return unseen
  if (isOfLibrary(definition)) return OF_LIBRARY
  const head = headOf(definition, lines)
  if (isMarked(head, file.family) || KEPT.test(head)) return "marked by an annotation, attribute or decorator"
  if (conventionOf(file.path, symbol.name) !== null || isCalledByName(definition)) return BY_FRAMEWORK
  if (isFieldOfTable(definition, head, lines)) return "passed on as part of an object"
  if (mayImplementForeign(definition, lines)) return "required by an interface"
  const required = interfaceOf(definition, head, lines, graph)
  if (required !== null) return required
  if (reopensForeign(definition, lines)) return "inherits from a type of a library"
  if (isType(symbol))
    return inheritsForeign(definition, symbol.name, graph) ? "inherits from a type of a library" : null
  if (symbol.kind === "method") return callerOfMethod(definition, head, graph)
  return EXPORT_DEFAULT.test(head) ? BY_FRAMEWORK : null
}

const OF_LIBRARY = "implements an interface of a library"
const BY_FRAMEWORK = "found by a framework through its name or place"

function callerOfMethod(
  definition: SymbolDefinition,
  head: string,
  graph: SymbolGraph,
): OutsideCaller | null {
  const { name, owner } = definition.symbol
  const { family } = definition.file
  if (isRequired(definition, head, graph)) return "required by an interface"
  // Laravel turns such a method into a field of the model, under a differently spelled name.
  if (family === "php" && /\)\s*:\s*Attribute\b/.test(definition.symbol.signature)) return BY_FRAMEWORK
  if (OBJECT_FAMILIES.test(family) && !isMemberOfType(definition, graph))
    return "passed on as part of an object"
  const isOwn = /\bprivate\b/.test(head) || /^(?:__|#)/.test(name) || (name[0] === "_" && family === "dart")
  const mayOverride = !isOwn && owner !== null && family !== "go"
  return mayOverride && inheritsForeign(definition, owner, graph) ? "inherits from a type of a library" : null
}

const MAX_HEAD_LINES = 12
// Limits of an attribute of several lines. They bound the time in which lines with many brackets are compared.
const MAX_MARK_LINES = 200

/** The annotations above a definition, and its first lines up to the line with its name. */
export function headOf({ symbol }: SymbolDefinition, lines: readonly string[]): string {
  const at = symbol.startLine - 1
  let from = at
  while (from > 0 && at - from < MAX_HEAD_LINES) {
    const mark = markEndingAt(from - 1, lines)
    if (mark === null && ENDS_HEAD.test(lines[from - 1]!)) break
    from = mark ?? from - 1
  }
  let to = at
  const name = symbol.name.replace(/^[#~]/, "")
  while (to < at + MAX_HEAD_LINES && to + 1 < lines.length && !lines[to]!.includes(name)) to++
  return lines.slice(from, to + 1).join("\n")
}

/** Index of the first line of an annotation or attribute of several lines that ends on a line; null if none does. */
function markEndingAt(end: number, lines: readonly string[]): number | null {
  if (!/[)\]]\s*$/.test(lines[end]!)) return null
  let text = lines[end]!
  let tries = 0
  for (let at = end - 1; at >= Math.max(0, end - MAX_MARK_LINES); at--) {
    text = `${lines[at]!}\n${text}`
    if (text.length > 8_000 || tries === 4) return null
    if (!OPENS_MARK.test(lines[at]!)) continue
    if (isOneBracket(text)) return at
    tries++
  }
  return null
}

const OPENS_MARK = /^\s*(?:#?\[|@\w)/
const STRING = /"(?:[^"\\]|\\.)*"|'(?:[^'\\\n]|\\.)*'/gs

/** True if the first bracket of a text closes at its last one. Brackets in strings do not count. */
function isOneBracket(text: string): boolean {
  const brackets = text.replace(STRING, "").replace(/[^()[\]{}]+/g, "")
  let depth = 0
  for (let at = 0; at < brackets.length; at++) {
    depth += "([{".includes(brackets[at]!) ? 1 : -1
    if (depth === 0) return at === brackets.length - 1
  }
  return false
}

/**
 * Matches a line that cannot be part of a definition's head, so that the head begins after it: a blank line, the end of
 * a statement or block, or the opening line of a type.
 */
const ENDS_HEAD = /^\s*$|[;{}]\s*$|^\s*(?:end|private|protected|public)\b\s*:?\s*$|[^)\]]:\s*$/

const MARKS: Readonly<Record<string, RegExp>> = {
  rust: /^\s*#\[\s*([\w:]+)/gm,
  csharp: /^\s*\[\s*(?:\w+\s*:\s*)?([\w.]+)/gm,
  php: /^\s*#\[\s*([\w\\]+)/gm,
  c: /\b__attribute__\s*\(\(\s*(\w+)|^\s*\[\[\s*([\w:]+)/gm,
  go: /^\/\/(go:(?:linkname|wasmexport)|export)\b/gm,
  elixir: /^\s*@(impl)\b/gm,
}
const AT_MARK = /(?:^\s*|[\s(])@(?:file:|get:|set:)?([\w.]+)/gm

/** Annotations that only a compiler or checker reads. They do not show that something else calls the definition. */
const PASSIVE = new RegExp(
  `^(?:${[
    "Override|Deprecated|SuppressWarnings|SafeVarargs|FunctionalInterface|Nullable|NotNull|NonNull|Nonnull|CheckForNull|CheckReturnValue|VisibleForTesting|Suppress|OptIn",
    "Composable|ReadOnlyComposable|Stable|Immutable|Jvm\\w+|Throws|Keep|RequiresApi|TargetApi|WorkerThread|MainThread|UiThread|AnyThread|PublishedApi|ExperimentalStdlibApi|Generated|Serial",
    "staticmethod|classmethod|property|(?:functools\\.)?(?:lru_cache|cache|cached_property|wraps|total_ordering|singledispatch)|(?:contextlib\\.)?(?:async)?contextmanager|(?:abc\\.)?abstractmethod|(?:typing\\.)?(?:overload|override|final|no_type_check|runtime_checkable)|(?:dataclasses\\.)?dataclass|attr\\.s|attrs\\.\\w+|define|deprecated",
    "inline|must_use|derive|allow|expect|warn|deny|cfg|cfg_attr|doc|cold|deprecated|repr|non_exhaustive|track_caller|rustfmt::skip|clippy::\\w+|target_feature|default",
    "Obsolete|MethodImpl|DebuggerStepThrough|DebuggerDisplay|ExcludeFromCodeCoverage|EditorBrowsable|Pure|Conditional|Serializable|Flags|StructLayout|SuppressMessage|return|NotNullWhen",
    "available|discardableResult|MainActor|inlinable|usableFromInline|frozen|escaping|autoclosure|Sendable|preconcurrency|unchecked",
    "doc|spec|moduledoc|typedoc|type|param|params|returns?|throws|see|since|internal|private|public|protected|deprecated|type|template|var|link|code|author|todo|example|default|readonly|static|const|constructor|class|function|memberof|override|hidden|ignore|abstract|async|name|summary|remarks|note|brief|ts-\\w+|final|final\\b",
    "unused|format|printf|noreturn|nodiscard|maybe_unused|always_inline|noinline|nonnull|pure|const|warn_unused_result|malloc|packed|aligned|hot|fallthrough|visibleForTesting|immutable|pragma|experimental|protected|optionalTypeArgs|nonVirtual|mustCallSuper",
  ].join("|")})$`,
)

function isMarked(head: string, family: string): boolean {
  // An underscore tells Rust's compiler that the name is not used on purpose.
  if (family === "rust" && /\bfn\s+_\w/.test(head)) return true
  for (const match of head.matchAll(MARKS[family] ?? AT_MARK)) {
    const mark = match[1] ?? match[2] ?? ""
    const last = mark.slice(Math.max(mark.lastIndexOf("."), mark.lastIndexOf("\\")) + 1)
    if (mark !== "" && !PASSIVE.test(mark) && !PASSIVE.test(last)) return true
  }
  return false
}

/** Matches a comment, annotation or attribute that keeps code which the project does not name. */
const KEPT =
  /__attribute__\s*\(\(\s*(?:constructor|destructor|used)\b|no-unused-vars|[sS]uppress(?:Warnings)?\(\s*\{?\s*"(?:unused|UnusedDeclaration)|noinspection\s+\w*[uU]nused|ReSharper disable (?:once )?(?:Unused|MemberCan)|periphery:ignore|ts-unused-exports|knip|@public\b|noqa:\s*F8/

const EXPORT_DEFAULT = /\bexport\s+default\b/

/** Names that a language, its libraries or a framework call by convention, by language family. */
const CALLED: Readonly<Record<string, RegExp>> = {
  go: /^(?:Test|Benchmark|Fuzz|Example)[A-Z_]|^TestMain$/,
  js: /^(?:ng[A-Z]\w*|component(?:Did|Will)\w+|shouldComponentUpdate|getDerived\w+|getSnapshotBefore\w+|(?:before|un)?[mM]ount(?:ed)?|beforeUnmount|beforeDestroy|destroyed|created|activated|deactivated|setup|data|render\w*|connected\w*|disconnected\w*|attributeChangedCallback|adoptedCallback|\w+TargetConnected|apply|has|ownKeys)$/,
  python:
    /^(?:pytest_\w+|visit_\w+|depart_\w+|generic_visit|do_[A-Z]+|setUp\w*|tearDown\w*|ready|run|forwards?|backwards?|upgrade|downgrade|clean_\w+|validate_\w+|get_\w+_display|formfield_\w+|handle_\w+|resolve_\w+|process_\w+|_repr_\w+_|Meta|Config|Media)$/,
  jvm: /^(?:premain|agentmain|valueOf|values|(?:get|set|is)[A-Z]\w*|Companion)$/,
  php: /^(?:__\w+|scope[A-Z]\w*|[gs]et\w+Attribute|boot\w*|init\w*|rules|authorize|mount|hydrate\w*|updated\w*|updating\w*|dehydrate\w*|definition|broadcast\w+|via|to[A-Z]\w*|envelope|content|attachments|messages|attributes|handle\w*|with[A-Z]\w*)$/,
  csharp:
    /^(?:Dispose\w*|Configure\w*|Main|Up|Down|On[A-Z]\w*|Invoke\w*|Execute\w*|Migration\w*|IsExternalInit|ShouldSerialize\w+|Awake|Start|Update|FixedUpdate|LateUpdate)$/,
  swift:
    /^(?:body|makeBody|makeUI\w+|updateUI\w+|makeNS\w+|updateNS\w+|makeCoordinator|main|setUp\w*|tearDown\w*|application\w*|scene\w*|build(?:Block|PartialBlock|Array|Optional|Either|Expression|FinalResult|LimitedAvailability|If|Do)|callAsFunction|dynamicallyCall|wrappedValue|projectedValue)$/,
  dart: /^(?:build|createState|initState|dispose|didChange\w+|didUpdate\w+|fromJson|copyWith|props)$/,
  elixir:
    /^(?:handle_\w+|mount|render|terminate|code_change|child_spec|start_link|start|stop|update|changeset|exception|message|perform|call|index|show|new|edit|create|delete|up|down|change|run|project|application|cli|__\w+__|sigil_\w+)$/,
  c: /^(?:LLVMFuzzer\w+|Java_\w+|PyInit_\w+|Init_\w+|luaopen_\w+|DllMain|WinMain|wWinMain|_start|.*_init|.*_exit|begin|end|swap|hash|what)$/,
  lua: /^(?:setup|config|health|check|__\w+|new|on_\w+)$/,
}

/** Methods that interfaces of the languages' libraries require, or that the language itself calls. */
const LIBRARY_METHODS: Readonly<Record<string, RegExp>> = {
  go: /^(?:String|Error|Unwrap|Is|As|Format|GoString|GobEncode|GobDecode|AppendText|AppendBinary|Bounds|ColorModel|At|Deadline|Done|Err|Lock|Unlock|ReadDir|Seed|Int63|Uint64|Sign|Public|SetCookies|Cookies|Visit|Exchange|LastInsertId|RowsAffected|NumInput|(?:Un)?[Mm]arshal\w*|Scan|Value|Read\w*|Write\w*|Close|Seek|ServeHTTP|RoundTrip|Len|Less|Swap|Push|Pop|Set|Get|Type|Name|Usage|Run|Help|Synopsis|Init|Update|View|Generate|Describe|Collect|Reset|Sum|Size|BlockSize|Open|Stat|Mode|ModTime|IsDir|Sys|Info|JSONSchema|DeepCopy\w*|Enabled|Handle|WithAttrs|WithGroup|TableName|(?:Before|After)\w+|IsBoolFlag|Levels|Fire|Timeout|Temporary|LogValue|Encode\w*|Decode\w*|Accept|Addr|Network|LocalAddr|RemoteAddr|SetDeadline|Flush|Hijack|ShortHelp|FullHelp|FilterValue|Title|Description)$/,
  js: /^(?:toString|toLocaleString|toJSON|valueOf|then|handleEvent|_(?:transform|flush|read|writev?|final|destroy|construct))$|^\[?Symbol\./,
  python: /^__\w+__$/,
  jvm: /^(?:equals|hashCode|toString|compareTo|compare|clone|finalize|iterator|hasNext|readResolve|readObject|writeObject|writeReplace|component\d+)$/,
  php: /^(?:__\w+|jsonSerialize|offset(?:Get|Set|Exists|Unset)|getIterator|count|current|key|next|rewind|valid|serialize|unserialize)$/,
  csharp:
    /^(?:Dispose(?:Async)?|Equals|GetHashCode|ToString|CompareTo|Compare|Clone|Get(?:Async)?Enumerator|MoveNext(?:Async)?|GetObjectData)$/,
  swift: /^(?:hash|encode|make(?:Async)?Iterator|append(?:Interpolation|Literal))$/,
  dart: /^(?:toString|noSuchMethod|hashCode|compareTo|toJson)$/,
  rust: /^(?:drop|fmt|from_str|try_from|deref_mut|index_mut|size_hint)$/,
}

const ITERATOR_STEPS = /^(?:next|return|throw)$/

/** True for a method by which a type implements an interface of a library, such as `equals` or `__len__`. */
function isOfLibrary({ symbol, file }: SymbolDefinition): boolean {
  const { kind, name, owner } = symbol
  if (owner === null || (kind !== "method" && kind !== "function")) return false
  if (LIBRARY_METHODS[file.family]?.test(name) === true) return true
  // A class of JavaScript that is its own iterator.
  if (file.family !== "js" || !ITERATOR_STEPS.test(name)) return false
  return file.symbols.some(
    (each) => each.owner === owner && /^\[?Symbol\.(?:asyncI|i)terator/.test(each.name),
  )
}

function isCalledByName({ symbol, file }: SymbolDefinition): boolean {
  return CALLED[file.family]?.test(symbol.name) === true && !isType(symbol)
}

/** True for a function that is a field of a table of Lua or of a set of Nix. */
function isFieldOfTable({ symbol, file }: SymbolDefinition, head: string, lines: readonly string[]): boolean {
  if (isType(symbol)) return false
  if (file.family === "lua")
    return /(?:^\s+|[{,]\s*)\w+\s*=\s*function\b/.test(head.slice(head.lastIndexOf("\n") + 1))
  if (file.family !== "nix") return false
  if (indentOf(lines[symbol.startLine - 1] ?? "") === 0) return false
  const above = lineAround(symbol.startLine, lines)
  return above === null || !/(?:^|\s)let$/.test(lines[above]!.trimEnd())
}

/** Language families in which a method may belong to an object or table without a declared type. */
const OBJECT_FAMILIES = /^(?:js|lua)$/

const OVERRIDES = /\boverride\b|@Override\b|\bimpl(?:ements)?\s+@/

/** True for a method that an interface, a trait or a base type also declares. */
function isRequired(definition: SymbolDefinition, head: string, graph: SymbolGraph): boolean {
  const { symbol, file } = definition
  if (OVERRIDES.test(head)) return true
  const namesakes = graph
    .definitionsOf(symbol.name)
    .filter(
      (other) =>
        other.file.family === file.family && other.symbol.owner !== null && other.symbol.kind === "method",
    )
  const owners = new Set(namesakes.map((other) => other.symbol.owner))
  // Several types have this method although the project never calls it: an unknown caller probably calls it on all
  // of them.
  return owners.size > 1
}

/** Matches the first lines of a block that implements a trait of Rust or a type class of Haskell. */
const INSTANCES: Readonly<Record<string, RegExp>> = {
  rust: /^\s*(?:unsafe\s+)?impl\b[\s\S]*?([\w!]+)\s*(?:<[^{;]*>)?\s+for\b/,
  haskell: /^\s*instance\s+(?:.*=>\s*)?(?:\w+\.)*(\w+)/,
}

/** If the block or type around a member names the interface that it implements: whose interface that is. Else null. */
function interfaceOf(
  definition: SymbolDefinition,
  head: string,
  lines: readonly string[],
  graph: SymbolGraph,
): OutsideCaller | null {
  const instance = instanceAround(definition, lines)
  if (instance !== null) return isProjects(instance, graph) ? "required by an interface" : OF_LIBRARY
  return isOfForeignProtocol(definition, head, lines, graph) ? OF_LIBRARY : null
}

/** The trait or type class of the block `impl Trait for Type` or `instance Class Type` around a definition; else null. */
function instanceAround({ symbol, file }: SymbolDefinition, lines: readonly string[]): string | null {
  const pattern = INSTANCES[file.family]
  if (pattern === undefined || (symbol.owner === null && isType(symbol))) return null
  const at = lineAround(symbol.startLine, lines)
  return at === null ? null : (pattern.exec(lines.slice(at, at + 4).join("\n"))?.[1] ?? null)
}

/** True if the project defines a type of this name. */
function isProjects(name: string, graph: SymbolGraph): boolean {
  return graph.definitionsOf(name).some((type) => isType(type.symbol))
}

/**
 * True for a Swift method in an extension that adds a protocol of a library, or one named after the object that calls it,
 * as methods of Cocoa's delegates are: `tableView(_ tableView: NSTableView)`.
 */
function isOfForeignProtocol(
  { symbol, file }: SymbolDefinition,
  head: string,
  lines: readonly string[],
  graph: SymbolGraph,
): boolean {
  if (file.family !== "swift" || isType(symbol)) return false
  const signature = [head, ...lines.slice(symbol.startLine - 1, symbol.startLine + 1)].join(" ")
  const [, name, , caller] = DELEGATED.exec(signature) ?? []
  if (name !== undefined && name.toLowerCase() === caller!.toLowerCase()) return true
  const at = lineAround(symbol.startLine, lines)
  const protocols = at === null ? undefined : EXTENSION.exec(lines[at]!)?.[1]
  return protocols?.split(/[,&]/).some((each) => !isProjects(each.trim().split(".").at(-1)!, graph)) ?? false
}

const DELEGATED = /\bfunc\s+(\w+)\s*\(\s*_\s+\w+\s*:\s*([A-Z]{2})([A-Z]\w*)/
const EXTENSION = /^\s*(?:\w+\s+)*extension\s+[\w.]+\s*:\s*([\w\s.,&]+?)\s*(?:where\b.*)?\{/

/** Index of the nearest line above a line (counted from 1) that is indented less and opens a block; null if none. */
function lineAround(startLine: number, lines: readonly string[]): number | null {
  const indent = indentOf(lines[startLine - 1] ?? "")
  for (let at = startLine - 2; at >= 0 && startLine - at < 2_000; at--) {
    const line = lines[at]!
    if (line.trim() === "" || indentOf(line) >= indent) continue
    if (!/^\s*[{)}>]|^\s*where\b/.test(line)) return at
  }
  return null
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length
}

function isMemberOfType({ symbol, file }: SymbolDefinition, graph: SymbolGraph): boolean {
  const { owner } = symbol
  return (
    owner !== null &&
    graph.definitionsOf(owner).some((other) => other.file.id === file.id && isType(other.symbol))
  )
}

/** Why calls of a definition cannot be found by its name; null if they can. */
function unseenCall(
  definition: SymbolDefinition,
  lines: readonly string[],
  graph: SymbolGraph,
): OutsideCaller | null {
  if (UNCERTAIN_LANGUAGES.test(definition.file.language))
    return "in a language that calls by names made at run time"
  if (callsByComputedName(definition, lines)) return "in a file that calls by computed names"
  if (isSetting(definition, lines) || isAnnotationElement(definition, graph)) return BY_FRAMEWORK
  return null
}

/**
 * Languages in which code often calls by a name that is made at run time, or in which another program or the user calls
 * a function by its name.
 */
const UNCERTAIN_LANGUAGES = /^(?:bash|zsh|fish|powershell|perl|ruby|emacs-lisp|awk|tex|objective-c)$/

/** Longer lines are skipped, because comparing them could take time that grows with the square of their length. */
const MAX_LINE_CHARS = 500

/**
 * True for a macro of C that other code than the project's reads: a reserved name, or one without parameters that is
 * set before a header is included. Also for a type that the C++ library looks up by its name.
 */
function isSetting({ symbol, file }: SymbolDefinition, lines: readonly string[]): boolean {
  if (file.family !== "c") return false
  if (isType(symbol)) return STL_TYPES.test(symbol.name)
  if (symbol.kind !== "macro") return false
  if (/^_(?:_|[A-Z])/.test(symbol.name)) return true
  if (symbol.signature.includes(`${symbol.name}(`)) return false
  const below = lines.slice(symbol.startLine)
  if (!/\.h\w*$/.test(file.path)) return below.some((line) => INCLUDE.test(line))
  return INCLUDE.test(below.find((line) => !/^\s*(?:$|#\s*define\b|\/\/)/.test(line)) ?? "")
}

const INCLUDE = /^\s*#\s*include\b/

/** Types that templates of C++'s library expect in a class. */
const STL_TYPES =
  /^(?:value|element|key|mapped|size|difference|result|(?:first_|second_)?argument|promise|allocator|char|traits|int|pos|off|state)_type$|^(?:const_|reverse_|const_reverse_)?(?:iterator|pointer|reference)$|^(?:iterator_(?:category|concept)|is_(?:transparent|always_equal|avalanching|steady)|rebind|duration|rep|period|time_point|propagate_on_\w+)$/

/** Library base types that neither call the members of their subtypes nor register the subtypes. */
const PASSIVE_BASES =
  /^(?:object|Object|Any|AnyObject|.*Error|.*Exception|Warning|Throwable|Enum|\w*Enum|IntFlag|Flag|NamedTuple|TypedDict|ABC|Protocol|Generic|Serializable|Cloneable|Sendable|Hashable|Equatable|Codable|Decodable|Encodable|Identifiable|CaseIterable|RawRepresentable|Comparable|Record|dict|list|set|str|int|tuple|String|Int|UInt8|UInt16|UInt32|Parcelable|Struct|Closeable|AutoCloseable|IDisposable|IEquatable)$/

/** True for a type that extends a base which the project does not define. */
function inheritsForeign(
  { file, symbol }: SymbolDefinition,
  type: string,
  graph: SymbolGraph,
  level = 0,
): boolean {
  if (file.family === "rust" || file.family === "go" || (file.family === "js" && isType(symbol))) return false
  for (const base of basesIn(file, type, graph)) {
    // The type and its base have the same name, as in `class Handler extends Framework\Handler`.
    if (base === type) return true
    if (PASSIVE_BASES.test(base)) continue
    const homes = graph
      .candidatesOf(base)
      .all.filter((each) => isType(each.symbol) && each.file.family === file.family)
    if (homes.length === 0) return true
    if (level < 6 && homes.some((home) => inheritsForeign(home, base, graph, level + 1))) return true
  }
  return false
}

/** The bases of a type that the file names; if it names none, those that any file names (a partial class, a reopened one). */
function basesIn(file: FileView, type: string, graph: SymbolGraph): ReadonlySet<string> {
  const own = file.basesOf(type)
  if (own.size > 0) return own
  const all = new Set(graph.types.lineageOf(type, file))
  all.delete(type)
  return all
}

/** Packages of Go's library that take values of any type and call no methods other than those of well-known names. */
const TAKES_ANY = /^(?:encoding\/\w+|errors|fmt|log(?:\/slog)?|reflect|sync(?:\/atomic)?|testing)$/
const IMPORT = /^\s*(?:import\s+)?(?:([\w.]+)\s+)?"([^"\s]+)"\s*(?:\/\/.*)?$/
const RESULT = /^func\b.*\)\s*\(?(?:\w+\s+)?(\w+)\.\p{Lu}\w*[^*{]*\{\s*$/u

/**
 * True for an exported Go method that an interface of a package outside of the project may require. Four signs on its
 * type in the same file: `var _ pkg.Interface = …` asserts it; a function with the result type `pkg.Interface` returns
 * it; a call of such a package takes it; it embeds a type of such a package. `lines` are the lines of the file.
 */
function mayImplementForeign({ symbol, file }: SymbolDefinition, lines: readonly string[]): boolean {
  const { name, owner } = symbol
  if (file.family !== "go" || owner === null || !/^\p{Lu}/u.test(name)) return false
  const names = foreignNames({ symbol, file }, lines)
  if (names.size === 0) return false
  const type = RegExp.escape(owner)
  const short = lines.filter((line) => line.length <= MAX_LINE_CHARS)
  return embedsForeign(type, short, names) || servesForeign(type, short, names)
}

/** True if the struct embeds a type of one of the packages. */
function embedsForeign(type: string, lines: readonly string[], names: ReadonlySet<string>): boolean {
  const declared = new RegExp(`^\\s*(?:type\\s+)?${type}\\s+struct\\s*\\{\\s*$`)
  const start = lines.findIndex((line) => declared.test(line)) + 1
  if (start === 0) return false
  const end = lines.findIndex((line, at) => at >= start && /^\s*\}/.test(line))
  const fields = lines.slice(start, end === -1 ? lines.length : end)
  return fields.some((line) => names.has(EMBEDDED.exec(line)?.[1] ?? ""))
}

const EMBEDDED = /^\s*\*?(\w+)\.\p{Lu}\w*\s*(?:`.*)?$/u

/** True if a value of the type is asserted to be, returned as, or passed to something of one of the packages. */
function servesForeign(type: string, lines: readonly string[], names: ReadonlySet<string>): boolean {
  const value = `(?:&?${type}\\{|new\\(${type}\\)|\\(\\*${type}\\)\\(|\\b${type}\\()`
  const asserted = new RegExp(`^\\s*(?:var\\s+)?_\\s+(\\w+)\\.\\p{Lu}\\w*\\s*=\\s*${value}`, "u")
  const returned = new RegExp(`^\\s*return\\s+${value}`)
  const passed = new RegExp(`\\b(\\w+)\\.\\p{Lu}\\w*\\((?:.*[\\s,(])?${value}`, "u")
  let result: string | undefined
  for (const line of lines) {
    if (line.startsWith("func")) result = RESULT.exec(line)?.[1]
    const by =
      asserted.exec(line)?.[1] ?? passed.exec(line)?.[1] ?? (returned.test(line) ? result : undefined)
    if (by !== undefined && names.has(by)) return true
  }
  return false
}

/** The names by which a file refers to packages outside of the project. */
function foreignNames({ file }: SymbolDefinition, lines: readonly string[]): ReadonlySet<string> {
  const names = new Set<string>()
  for (const line of lines) {
    if (/^(?:func|type|var|const)\b/.test(line)) break
    const [, alias, module] = IMPORT.exec(line) ?? []
    if (module === undefined || TAKES_ANY.test(module) || file.isOfProject(module)) continue
    names.add(alias ?? packageName(module))
  }
  return names
}

/** The usual name of the package at an import path: its last word that is not a version. */
function packageName(module: string): string {
  const last = module.replace(/\/v\d+$/, "").replace(/\.v\d+$/, "")
  return last.slice(last.lastIndexOf("/") + 1).replace(/^go-|-go$/g, "")
}

/** Matches code that calls a function or method of its own object or module by a name that is not written out. */
const COMPUTED_CALLS: Readonly<Record<string, RegExp>> = {
  python:
    /\b(?:get|has)attr\(\s*(?:self|cls|type\(self\)|super\(\)|sys\.modules\[__name__\]|self\.__class__)\s*,(?!\s*["'][\w.]+["']\s*[,)])|\b(?:globals|locals|vars)\(\)\s*(?:\[|\.get\()|\binspect\.getmembers\(/,
  js: /\bthis\[(?!\s*(?:["'][\w-]+["']|\d+)\s*\])[^\]]*\]\s*(?:\?\.)?\(/,
  php: /\$this->(?:\$|\{)[^=;]*?\(|\b(?:static|self)::\$\w+\(|\[\s*\$this\s*,\s*\$/,
}

/** True for a function or method in a file whose code calls its own functions by names that are not written out. */
function callsByComputedName({ symbol, file }: SymbolDefinition, lines: readonly string[]): boolean {
  const pattern = COMPUTED_CALLS[file.family]
  if (pattern === undefined || isType(symbol)) return false
  return lines.some((line) => line.length <= MAX_LINE_CHARS && pattern.test(line))
}

/** True for an element of an annotation of Java, which is read by reflection. */
export function isAnnotationElement({ symbol, file }: SymbolDefinition, graph: SymbolGraph): boolean {
  if (file.family !== "jvm" || symbol.owner === null) return false
  return graph
    .definitionsOf(symbol.owner)
    .some((type) => type.file.id === file.id && /@interface\b/.test(type.symbol.signature))
}

/** True for a type that adds to one of a library: an interface in `declare global`. */
function reopensForeign({ symbol, file }: SymbolDefinition, lines: readonly string[]): boolean {
  if (!isType(symbol) || file.family !== "js") return false
  const around = lineAround(symbol.startLine, lines)
  return around !== null && /^\s*declare\s+(?:global|module)\b/.test(lines[around]!)
}
