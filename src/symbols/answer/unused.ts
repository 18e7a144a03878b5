/*
 * Finds symbols that no code uses. `unusedIn`: 1. the symbol graph lists definitions without uses; 2. each is checked
 * for callers outside of the code: published API, frameworks, names in strings, templates and files whose uses are
 * not read; 3. a symbol with such a possible caller gets a reason; 4. the rest is listed, most certain first.
 */

import { posix } from "node:path"
import { compareTexts, FILE_FLAG, isObject, NOT_MAIN_FLAGS, parseJson } from "../../base/index.ts"
import type { Project } from "../../index/index.ts"
import { importsOfDefault, useHash } from "../../parse/index.ts"
import type { FileAmount } from "../../store/index.ts"
import { byCertainty, type Certainty } from "../certainty.ts"
import {
  byPathAndPlace,
  isCallable,
  isConstructor,
  isDeclarationOnly,
  isType,
  type SymbolDefinition,
  storedName,
} from "../definition.ts"
import { isDefaultExport } from "../exported-names.ts"
import { headOf, type OutsideCaller, outsideCaller } from "../outside-callers.ts"
import type { SymbolGraph } from "../symbol-graph.ts"
import { FileTexts } from "./answer-lines.ts"
import { type Mentions, mentionsOf } from "./mentions.ts"
import type { RelatedDefinition, SymbolResults } from "./symbol-answer.ts"
import { unreadLanguagesNote, unreadNotices } from "./unread-notices.ts"

const BESIDE = FILE_FLAG.example | FILE_FLAG.bench | FILE_FLAG.docs | FILE_FLAG.compat
/** Matches a first line that says no more than which program wrote the file. */
const GENERATED = /^\s*(?:\/\/|\/\*|#|--|;)\W*generated (?:by|from|with)\b/i
/** Matches a folder that has "test" as one word of its name, such as "test cases" or "app-integration-tests". */
const TEST_FOLDER = /(?:^|\/)(?:[^/]*[^a-z/])?tests?(?![a-z])[^/]*\//i

/**
 * Symbols that no code uses, most certain first. Those that something outside of the code may call are counted by
 * reason; `isAll` lists them too.
 */
export function unusedIn(
  graph: SymbolGraph,
  project: Project,
  isWanted: (path: string) => boolean,
  isAll: boolean,
): SymbolResults {
  const all = unusedSymbols(graph, isWanted)
  const files = graph.store.files.amounts()
  // Every file is read, so that only the last one is kept.
  const texts = new FileTexts(project, graph.store, Number.POSITIVE_INFINITY, 1)
  graph.prepareCandidates(all.map(({ definition }) => definition.symbol.name))
  const read = (path: string) => texts.text(path)
  const mentions = mentionsOf(
    all.map(({ definition }) => definition),
    files,
    graph,
    read,
  )
  const api = new PublishedApi(graph, files, read)
  const weighed = all.map((each): RelatedDefinition => {
    const reason = outsideReason(each.definition, { graph, api, texts, mentions })
    return reason === null ? each : { ...each, reason, certainty: "possible" }
  })
  const listed = weighed.filter(({ reason }) => isAll || reason === undefined)
  return {
    definitions: [],
    related: listed.sort(
      (one, other) =>
        Number(one.reason !== undefined) - Number(other.reason !== undefined) || byCertainty(one, other),
    ),
    notices: [
      ...leftOutNotes(weighed, isAll),
      ...(mentions.isComplete
        ? []
        : ["the project is too large: not every string was searched for the names"]),
      ...unreadNotices(graph.store, []),
      ...unreadLanguagesNote(graph.store, []),
    ],
  }
}

function leftOutNotes(all: readonly RelatedDefinition[], isAll: boolean): string[] {
  const counts = new Map<string, number>()
  for (const { reason } of all) if (reason !== undefined) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  if (counts.size === 0) return []
  const total = [...counts.values()].reduce((sum, each) => sum + each, 0)
  const why = [...counts]
    .sort(([one, a], [other, b]) => b - a || compareTexts(one, other))
    .map(([reason, count]) => `${count} ${reason}`)
    .join(", ")
  return [
    isAll
      ? `${total} of them may be called from outside of the code: ${why}`
      : `${total} more may be called from outside of the code (--all lists them): ${why}`,
  ]
}

type UsageReader = {
  readonly graph: SymbolGraph
  readonly api: PublishedApi
  readonly texts: FileTexts
  readonly mentions: Mentions
}

function outsideReason(
  definition: SymbolDefinition,
  { graph, api, texts, mentions }: UsageReader,
): OutsideCaller | null {
  const { path, flags } = definition.file
  if ((flags & BESIDE) !== 0 || TEST_FOLDER.test(path)) return "in an example, a benchmark or a test"
  const lines = texts.lines(path)
  if (GENERATED.test(lines[0] ?? "")) return "in generated code"
  const reason = outsideCaller(definition, lines, graph)
  if (reason !== null) return reason
  const mention = mentions.reasonFor(definition)
  if (mention !== null) return mention
  return api.has(definition, headOf(definition, lines)) ? "public API of a library" : null
}

type Unused = { readonly definition: SymbolDefinition; readonly certainty: Certainty }

/**
 * Names of definitions that are called from outside the project's code: entry points, tests, and functions that a
 * language or framework calls by name.
 */
const CALLED_FROM_OUTSIDE =
  /^(?:main|wmain|init|setup|teardown|constructor|subscript|deinit|callAsFunction|initialize|new|default|__(?:init|new|post_init|init_subclass|class_getitem|set_name|main|getattr)__|_+|test.*|Test.*|Benchmark.*|Example.*|bench.*|on[A-Z]\w*|operator.*|~\w+|render|up|down|handle|boot|register)$/

/**
 * Functions and types whose names no code of the project uses. Another project or a string may still use such a name;
 * only a private name of a language whose files are all read is certain to be unused.
 */
function unusedSymbols(graph: SymbolGraph, isWanted: (path: string) => boolean): Unused[] {
  const used = graph.usedHashes()
  const unread = graph.store.files.unreadLanguages()
  const found: Unused[] = []
  const calledMacros = new Set<string>()
  for (const file of graph.files(graph.store.uses.ids())) {
    if (!isWanted(file.path) || (file.flags & SKIPPED_FILES) !== 0) continue
    for (const symbol of file.symbols) {
      if (file.family === "c" && isMacroCall(symbol)) calledMacros.add(symbol.name)
      if (!isCandidate({ symbol, file }, used) || isUsed({ symbol, file }, used, graph)) continue
      found.push({ definition: { symbol, file }, certainty: unusedCertainty(symbol, file, unread) })
    }
  }
  return withoutPrototypes(found.filter((each) => !calledMacros.has(definitionName(each)))).sort(
    (one, other) => byCertainty(one, other) || byPathAndPlace(one.definition, other.definition),
  )
}

/** True for a function or a type whose uses the index records by its name. */
function isCandidate({ symbol, file }: SymbolDefinition, used: ReadonlySet<number>): boolean {
  if (!(isCallable(symbol) || isType(symbol)) || isConstructor(symbol) || isHolder(symbol, file)) return false
  if (file.family === "c" && isSecondName(symbol, used)) return false
  if (file.language === "scala" && IMPLICIT.test(symbol.signature)) return false
  return !isMostlyUnrecorded(symbol.name, file.language)
}

/** True when some file uses the name, or may import the definition as the default of its file, by any name. */
function isUsed({ symbol, file }: SymbolDefinition, used: ReadonlySet<number>, graph: SymbolGraph): boolean {
  if (used.has(useHash(storedName(symbol.name)))) return true
  return (
    file.family === "js" &&
    importsOfDefault(file.path).some((name) => used.has(useHash(name))) &&
    isDefaultExport({ symbol, file }, graph)
  )
}

/**
 * True for a type whose members can be used without naming the type: an extension, an enumeration of C, a static class
 * of C#, a companion object of Kotlin, a Rust module, a namespace of C++, a component whose name comes from its folder, a type of a language
 * that infers types from constructors and fields.
 */
function isHolder(
  { kind, signature, name }: SymbolDefinition["symbol"],
  { family }: SymbolDefinition["file"],
): boolean {
  if (kind === "module") return family === "rust" || family === "c" || /^declare module\b/.test(signature)
  if (INFERRED_TYPES.test(family) && isType({ kind })) return true
  if (kind === "component") return name.includes("-")
  if (family === "c") return kind === "enum"
  if (kind !== "class") return false
  return HOLDER.test(signature) || (family === "csharp" && STATIC_CLASS.test(signature))
}

/** True for the tag of a C type that has another name: `typedef struct tag_s {…} tag_t`, or `_Tag` beside `Tag`. */
function isSecondName(symbol: SymbolDefinition["symbol"], used: ReadonlySet<number>): boolean {
  if (!isType(symbol) || symbol.kind === "type") return false
  return (
    /^typedef\b/.test(symbol.signature) || (symbol.name[0] === "_" && used.has(useHash(symbol.name.slice(1))))
  )
}

/** True for a call of a macro with a block, which is read as a function, such as `TEST_F(Suite, Name) {`. */
function isMacroCall({ kind, signature, name, owner }: SymbolDefinition["symbol"]): boolean {
  const head = signature.trimStart()
  return head.startsWith(`${name}(`) ? kind === "function" && owner === null : MACRO_CALL.test(head)
}

const MACRO_CALL = /^[A-Z][A-Z0-9_]+\(/

/** Matches a definition of Scala that the compiler finds by its type. */
const IMPLICIT = /^[^(:=]*\b(?:implicit|given)\b/
/** Language families in which code rarely writes the type of a value. */
const INFERRED_TYPES = /^(?:haskell|ocaml|ocaml-interface|fsharp|elm|gleam|rescript)$/
const HOLDER = /^\s*extension\b|\bcompanion object\b/
const STATIC_CLASS = /\bstatic\b.*\bclass\b/

/** Removes declarations of functions that the project also defines, such as prototypes in a C header. */
function withoutPrototypes(found: readonly Unused[]): Unused[] {
  const defined = new Set(found.filter((each) => !isDeclarationOnly(each.definition)).map(definitionName))
  return found.filter((each) => !isDeclarationOnly(each.definition) || !defined.has(definitionName(each)))
}

function definitionName({ definition }: Unused): string {
  return definition.symbol.name
}

/**
 * Matches names whose uses are not recorded as one word: shell names with punctuation, names of C with a "$", keys of
 * Lua's tables that are no names.
 */
const NO_NAME: Readonly<Record<string, RegExp>> = { bash: /\W/, c: /\$/, cpp: /\$/, lua: /[^\w.:]/ }

/**
 * True for a name whose uses the index mostly does not record: a name of one letter (only its calls and members are
 * stored), an operator, and a name that is called from outside the code.
 */
function isMostlyUnrecorded(name: string, language: string): boolean {
  if (name.length === 1 || !/[\p{L}\p{N}]/u.test(name) || CALLED_FROM_OUTSIDE.test(name)) return true
  return NO_NAME[language]?.test(name) === true
}

const SKIPPED_FILES = FILE_FLAG.generated | FILE_FLAG.vendored | FILE_FLAG.declaration | FILE_FLAG.test

function unusedCertainty(
  symbol: SymbolDefinition["symbol"],
  file: SymbolDefinition["file"],
  unread: ReadonlySet<string>,
): Certainty {
  return isPrivate(symbol, file) && !unread.has(file.language) ? "certain" : "possible"
}

function isPrivate(
  { name, kind, signature, owner }: SymbolDefinition["symbol"],
  { family }: SymbolDefinition["file"],
): boolean {
  if (/\bprivate\b|\bstatic\b(?=.*\()/.test(signature) && (family !== "jvm" || /\bprivate\b/.test(signature)))
    return true
  const isPublic =
    /\b(?:export|pub|public|override|abstract|open)\b|^@|@Override/.test(signature) ||
    (family === "go" && /^\p{Lu}/u.test(name)) ||
    (family === "python" && !name.startsWith("_")) ||
    // Routers and folder conventions refer to a component by the path of its file.
    kind === "component" ||
    family === "ruby" ||
    family === "php"
  return !isPublic && owner === null
}

/*
 * Decides whether other projects may use a definition. The manifests show which packages other projects can depend
 * on; for each language family a rule tells from a definition's text whether it is public. A definition of C is
 * public if a header declares it.
 */

/**
 * Manifests by their file name, with the language family of their packages and whether other projects can depend on such a
 * package.
 */
const PACKAGINGS: readonly (readonly [name: RegExp, family: string, isLibrary: (text: string) => boolean])[] =
  [
    [/^package\.json$/, "js", isNpmLibrary],
    [/^Cargo\.toml$/, "rust", (text) => !/^publish\s*=\s*false/m.test(text)],
    [/^pyproject\.toml$/, "python", (text) => /^\[(?:project|tool\.poetry)\]/m.test(text)],
    [/^setup\.(?:py|cfg)$/, "python", (text) => /\bname\s*=|setup\(/.test(text)],
    [/^composer\.json$/, "php", (text) => !/"type"\s*:\s*"project"/.test(text)],
    [/^pom\.xml$/, "jvm", (text) => !/spring-boot-maven-plugin|<packaging>war</.test(text)],
    [/^(?!settings\.|init\.)[\w.-]+\.gradle(?:\.kts)?$/, "jvm", (text) => /publish|java-library/i.test(text)],
    [/\.csproj$/, "csharp", isNuGetLibrary],
    [/\.fsproj$/, "fsharp", isNuGetLibrary],
    [/^Package\.swift$/, "swift", (text) => text.includes(".library(")],
    [/^pubspec\.yaml$/, "dart", (text) => !/^publish_to:\s*['"]?none/m.test(text)],
    [/^mix\.exs$/, "elixir", (text) => /\bpackage:/.test(text)],
    [/\.rockspec$/, "lua", () => true],
    [/^Project\.toml$/, "julia", (text) => /^uuid\s*=/m.test(text)],
  ]

/** Matches the plugins of Gradle that build a program. */
const GRADLE_APPLICATION =
  /com\.android\.application|org\.springframework\.boot|^\s*(?:id[\s(]*["']|`)?application["'`)]*\s*$|plugin:\s*["']application\b/m

function isNuGetLibrary(text: string): boolean {
  return !/<OutputType>\s*(?:Win)?Exe|Sdk\.(?:Web|Worker)|<IsPackable>\s*false/i.test(text)
}

function isNpmLibrary(text: string): boolean {
  const fields = parseJson(text)
  if (!isObject(fields) || fields["private"] === true) return false
  return ["main", "module", "exports", "types", "typings", "bin", "svelte"].some(
    (each) => fields[each] !== undefined,
  )
}

/** Tells which definitions other projects may use, by the manifests of the packages in this project. */
class PublishedApi {
  readonly #graph: SymbolGraph
  readonly #files: readonly FileAmount[]
  readonly #byFolder = new Map<string, Map<string, boolean>>()
  #hasProgram: boolean | null = null

  constructor(graph: SymbolGraph, files: readonly FileAmount[], textOf: (path: string) => string | null) {
    this.#graph = graph
    this.#files = files
    const manifests = files.filter(isManifest).sort((one, other) => one.path.length - other.path.length)
    const isPublishing = manifests.some(
      ({ path }) =>
        path.endsWith(".gradle") ||
        (path.endsWith(".kts") && /maven.?publish|signing/i.test(textOf(path) ?? "")),
    )
    for (const { path } of manifests.slice(0, 400)) {
      const text = textOf(path)
      if (text !== null) this.#note(path, text, isPublishing)
    }
  }

  #note(path: string, text: string, isPublishing: boolean): void {
    const name = posix.basename(path)
    if (name === "go.mod") this.#set(posix.dirname(path), "go", this.#isGoLibrary(posix.dirname(path)))
    for (const [pattern, family, isLibrary] of PACKAGINGS) {
      if (!pattern.test(name)) continue
      const isGradle = /\.gradle(?:\.kts)?$/.test(name)
      const isOne = isGradle
        ? !GRADLE_APPLICATION.test(text) && (isPublishing || isLibrary(text))
        : isLibrary(text)
      this.#set(posix.dirname(path), family, isOne)
    }
  }

  #set(folder: string, family: string, isLibrary: boolean): void {
    const known = this.#byFolder.get(folder) ?? new Map<string, boolean>()
    this.#byFolder.set(folder, known.set(family, (known.get(family) ?? false) || isLibrary))
  }

  /**
   * True for a Go module that other projects can import: a package other than main is at its top; or there is no
   * package at the top and none named main below it.
   */
  #isGoLibrary(folder: string): boolean {
    const mains = this.#graph
      .definitionsOf("main")
      .filter(({ file }) => file.family === "go" && file.package === "main")
    const below = folder === "." ? "" : `${folder}/`
    const top = this.#files.find(
      ({ path, flags }) =>
        path.endsWith(".go") && posix.dirname(path) === folder && (flags & NOT_MAIN_FLAGS) === 0,
    )
    if (top !== undefined) return this.#graph.store.files.byPath(top.path)?.package !== "main"
    return !mains.some(({ file }) => file.path.startsWith(below) && (file.flags & NOT_MAIN_FLAGS) === 0)
  }

  /** True for a definition that other projects may use. `head` is its text up to its name. */
  has({ symbol, file }: SymbolDefinition, head: string): boolean {
    const isPublic = PUBLIC[file.family] ?? anyIs
    if (!isPublic(head, symbol.name, file.path) && !this.#isMemberOfInterface({ symbol, file })) return false
    if (file.family === "c") return this.#isInHeader(symbol.name, this.#isProgram())
    for (let folder = file.folder; ; folder = posix.dirname(folder)) {
      const isLibrary = this.#byFolder.get(folder)?.get(file.family)
      if (isLibrary !== undefined) return isLibrary
      if (folder === ".") return false
    }
  }

  /** True for a member of an interface of Java or C#, which is public without a modifier. */
  #isMemberOfInterface({ symbol, file }: SymbolDefinition): boolean {
    const { owner } = symbol
    if (owner === null || !/^(?:java|csharp)$/.test(file.language)) return false
    const types = this.#graph.definitionsOf(owner)
    return types.some((type) => type.file.id === file.id && type.symbol.kind === "interface")
  }

  /** True if a header declares the name. In a program, only headers below `include` count. */
  #isInHeader(name: string, isProgram: boolean): boolean {
    const header = isProgram ? /(?:^|\/)include\/.*\.h\w*$/ : /\.h\w*$/
    return this.#graph.definitionsOf(name).some(({ file }) => header.test(file.path))
  }

  #isProgram(): boolean {
    this.#hasProgram ??= this.#graph
      .definitionsOf("main")
      .some(({ file }) => file.family === "c" && (file.flags & NOT_MAIN_FLAGS) === 0)
    return this.#hasProgram
  }
}

function isManifest({ path, flags }: FileAmount): boolean {
  const name = posix.basename(path)
  const isOne = name === "go.mod" || PACKAGINGS.some(([pattern]) => pattern.test(name))
  return isOne && (flags & NOT_MAIN_FLAGS) === 0
}

type IsPublic = (head: string, name: string, path: string) => boolean

const anyIs: IsPublic = () => true
const notPrivate: IsPublic = (head) => !/\b(?:private|internal)\b/.test(head)
const isMarkedPublic: IsPublic = (head) => /\b(?:public|protected|open)\b/.test(head)

/** For each language family, a function that tells from a definition's text whether it is public. */
const PUBLIC: Readonly<Record<string, IsPublic>> = {
  js: (head, name) => /\bexports?\b/.test(head) || /^\s/.test(head.split("\n").at(-1)!) || name === "default",
  python: (_, name, path) => !name.startsWith("_") && !/(?:^|\/)_[a-z]/.test(path),
  rust: (head) => /\bpub\b(?!\s*\()/.test(head) || /\bmacro_rules!/.test(head),
  go: (_, name, path) => /^\p{Lu}/u.test(name) && !/(?:^|\/)internal\//.test(path),
  jvm: (head, _, path) =>
    path.endsWith(".java") ? isMarkedPublic(head, _, path) : notPrivate(head, _, path),
  csharp: isMarkedPublic,
  fsharp: notPrivate,
  swift: isMarkedPublic,
  dart: (_, name) => !name.startsWith("_"),
  php: notPrivate,
  elixir: (head) => !/\bdefp|\bdefmacrop/.test(head),
  c: (head) => !/\bstatic\b/.test(head),
}
