/*
 * Decides whether other projects may use a definition. The manifests show which packages other projects can depend
 * on; for each language family a rule tells from a definition's text whether it is public. A definition of C is
 * public if a header declares it.
 */

import { posix } from "node:path"
import { NOT_MAIN_FLAGS } from "../../../base/files/file-flag.ts"
import { isObject, parseJson } from "../../../memory/formats/json-value.ts"
import type { FileAmount } from "../../../store/index/file-rows.ts"
import type { SymbolDefinition } from "../../../symbols/definition.ts"
import type { SymbolGraph } from "../../../symbols/symbol-graph.ts"

const MAX_MANIFESTS = 400

/**
 * Manifests of one kind: their file name, the language family of their packages, and whether other projects can
 * depend on such a package.
 */
type Packaging = {
  readonly name: RegExp
  readonly family: string
  readonly isLibrary: (text: string) => boolean
}

const PACKAGINGS: readonly Packaging[] = [
  { name: /^package\.json$/, family: "js", isLibrary: isNpmLibrary },
  { name: /^Cargo\.toml$/, family: "rust", isLibrary: (text) => !/^publish\s*=\s*false/m.test(text) },
  {
    name: /^pyproject\.toml$/,
    family: "python",
    isLibrary: (text) => /^\[(?:project|tool\.poetry)\]/m.test(text),
  },
  { name: /^setup\.(?:py|cfg)$/, family: "python", isLibrary: (text) => /\bname\s*=|setup\(/.test(text) },
  { name: /^composer\.json$/, family: "php", isLibrary: (text) => !/"type"\s*:\s*"project"/.test(text) },
  {
    name: /^pom\.xml$/,
    family: "jvm",
    isLibrary: (text) => !/spring-boot-maven-plugin|<packaging>war</.test(text),
  },
  {
    name: /^(?!settings\.|init\.)[\w.-]+\.gradle(?:\.kts)?$/,
    family: "jvm",
    isLibrary: (text) => /publish|java-library/i.test(text),
  },
  { name: /\.csproj$/, family: "csharp", isLibrary: isNuGetLibrary },
  { name: /\.fsproj$/, family: "fsharp", isLibrary: isNuGetLibrary },
  { name: /^Package\.swift$/, family: "swift", isLibrary: (text) => text.includes(".library(") },
  { name: /^pubspec\.yaml$/, family: "dart", isLibrary: (text) => !/^publish_to:\s*['"]?none/m.test(text) },
  { name: /^mix\.exs$/, family: "elixir", isLibrary: (text) => /\bpackage:/.test(text) },
  { name: /\.rockspec$/, family: "lua", isLibrary: () => true },
  { name: /^Project\.toml$/, family: "julia", isLibrary: (text) => /^uuid\s*=/m.test(text) },
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
export class PublishedApi {
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
    for (const { path } of manifests.slice(0, MAX_MANIFESTS)) {
      const text = textOf(path)
      if (text !== null) this.#note(path, text, isPublishing)
    }
  }

  #note(path: string, text: string, isPublishing: boolean): void {
    const name = posix.basename(path)
    if (name === "go.mod") this.#set(posix.dirname(path), "go", this.#isGoLibrary(posix.dirname(path)))
    for (const each of PACKAGINGS) {
      if (!each.name.test(name)) continue
      const isApp = GRADLE_APPLICATION.test(text)
      const isLibrary = /\.gradle(?:\.kts)?$/.test(name)
        ? !isApp && (isPublishing || each.isLibrary(text))
        : each.isLibrary(text)
      this.#set(posix.dirname(path), each.family, isLibrary)
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
  const isOne = name === "go.mod" || PACKAGINGS.some((each) => each.name.test(name))
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
