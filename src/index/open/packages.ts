/**
 * Reads the manifests of a project to find out which files an import refers to: `exports` and `imports` of
 * package.json, `paths` of tsconfig.json, go.mod, go.work, Cargo.toml, pubspec.yaml and compile_commands.json. Each language family has
 * one method (`#ofScript`, `#ofGo`, `#ofRust`, `#ofC`); the functions below the class read single manifests. An import that no manifest mentions is
 * resolved by path alone (modules.ts).
 */

import { posix } from "node:path"
import { isObject } from "../../base/index.ts"

/** Reads a file of the project; null when it cannot be read. */
export type ReadText = (path: string) => string | null

/** Paths of the files whose names match one of these GLOB patterns. */
type ManifestPaths = (globs: readonly string[]) => readonly string[]

/** The files that an import may refer to. */
export type Targets = {
  /** Paths relative to the root, with or without extension, most likely first. */
  readonly paths: readonly string[]
  /** Folder whose other files the import may also refer to, through a re-export; null when there is none. */
  readonly within: string | null
  /** True for languages whose modules are folders: the import refers to every file directly inside `paths`. */
  readonly isFolder?: true
  /**
   * True when `paths` comes from a pattern that matches every import. The import may then also name a package from
   * outside the project.
   */
  readonly isGuess?: boolean
}

/** Limits per project, so that a hostile project costs a bounded amount of work. */
const MAX_MANIFESTS = 2_000
const MAX_MANIFEST_CHARS = 1_000_000
const MAX_TARGETS = 32
const MAX_EXTENDS = 8

type Json = { readonly [key: string]: unknown }
type NpmPackage = { readonly folder: string; readonly fields: Json }
type TsConfig = {
  readonly folder: string
  /** Patterns with the paths that each maps to, relative to the root. */
  readonly paths: readonly (readonly [pattern: string, targets: readonly string[]])[]
  readonly baseUrl: string | null
  /** The conditions of `exports` and `imports` that it adds. */
  readonly conditions: readonly string[]
}
type Crate = {
  readonly folder: string
  readonly names: readonly string[]
  readonly aliases: ReadonlyMap<string, string>
}

/**
 * The packages of a project by their manifests. Manifests are read when the first import needs them.
 */
export class Packages {
  readonly #pathsOf: ManifestPaths
  readonly #read: ReadText
  readonly #byKind = new Map<Kind, ReadonlyMap<string, readonly string[]>>()
  readonly #texts = new Map<string, Json | null>()
  #npm: ReadonlyMap<string, NpmPackage> | null = null
  readonly #configs = new Map<string, TsConfig | null>()
  #goModules: readonly (readonly [prefix: string, folder: string])[] | null = null
  #crates: readonly Crate[] | null = null
  #dart: ReadonlyMap<string, readonly string[]> | null = null
  #gradle: GradleModules | null = null
  readonly #includePaths: IncludePaths

  constructor(pathsOf: ManifestPaths, read: ReadText) {
    this.#pathsOf = pathsOf
    this.#read = read
    this.#includePaths = new IncludePaths(read)
  }

  /** False if the build of Gradle does not let the code of a file use another file; see GradleModules. */
  mayUse(from: string, home: string): boolean {
    this.#gradle ??= new GradleModules(this.#each("gradle"), this.#read)
    return this.#gradle.mayUse(from, home)
  }

  /** The files that an import in a file refers to; null when no manifest mentions the import. */
  targetsOf(module: string, from: string, family: string): Targets | null {
    if (module === "" || module.startsWith(".")) return null
    if (family === "js") return this.#ofScript(module, from)
    if (family === "go") return this.#ofGo(module, from)
    if (family === "c") return this.#ofC(module, from)
    return family === "rust" ? this.#ofRust(module, from) : null
  }

  /** True when a package of the project has this name. */
  ofProject(name: string): boolean {
    return this.#npmPackages().has(name)
  }

  /** True when a package.json around a file names a package as a dependency. */
  declares(name: string, from: string): boolean {
    return foldersAbove(from).some((folder) => {
      const path = this.#manifests("npm").get(folder)?.[0]
      const fields = path === undefined ? null : this.#json(path)
      return DEPENDENCIES.some((table) => {
        const entries = fields?.[table]
        return isObject(entries) && (Object.hasOwn(entries, name) || Object.hasOwn(entries, `@types/${name}`))
      })
    })
  }

  /** The folders of the packages of Dart with a name. */
  dartPackages(name: string): readonly string[] {
    this.#dart ??= Map.groupBy(
      this.#each("dart").map((path) => posix.dirname(path)),
      (folder) =>
        /^name:\s*["']?(\w+)/m.exec(this.#read(posix.join(folder, "pubspec.yaml")) ?? "")?.[1] ?? "",
    )
    return this.#dart.get(name) ?? []
  }

  /** True when the project has a go.mod or go.work, so that all its imports can be followed. */
  hasGoModules(): boolean {
    return this.#each("go").length > 0
  }

  /** Paths of all manifests of one kind, grouped by folder. */
  #manifests(kind: Kind): ReadonlyMap<string, readonly string[]> {
    let found = this.#byKind.get(kind)
    if (!found) {
      const own = (path: string) => !/(?:^|\/)node_modules\//.test(path)
      const paths = this.#pathsOf(KINDS[kind]).filter(own).sort().slice(0, MAX_MANIFESTS)
      found = Map.groupBy(paths, (path) => posix.dirname(path))
      this.#byKind.set(kind, found)
    }
    return found
  }

  #each(kind: Kind): readonly string[] {
    return [...this.#manifests(kind).values()].flat()
  }

  #json(path: string): Json | null {
    let fields = this.#texts.get(path)
    if (fields === undefined) {
      fields = this.#texts.size < 2 * MAX_MANIFESTS ? parseManifestJson(path, this.#read(path)) : null
      this.#texts.set(path, fields)
    }
    return fields
  }

  #ofScript(module: string, from: string): Targets | null {
    if (/^(?:node|bun|https?|data|virtual):/.test(module)) return null
    if (module.startsWith("#")) {
      const inner = this.#ofSubpathImport(module, from)
      if (inner !== null) return inner
    }
    const alias = this.#ofAlias(module, from)
    const named = this.#ofPackage(module, from) ?? this.#ofRenamed(module, from)
    if (alias === null || named === null) return alias ?? named
    return { paths: [...alias.paths, ...named.paths], within: named.within }
  }

  #npmPackages(): ReadonlyMap<string, NpmPackage> {
    this.#npm ??= new Map(
      this.#each("npm").flatMap((path): [string, NpmPackage][] => {
        const fields = this.#json(path)
        const name = fields?.["name"]
        return typeof name === "string" ? [[name, { folder: posix.dirname(path), fields: fields! }]] : []
      }),
    )
    return this.#npm
  }

  #ofPackage(module: string, from: string | null): Targets | null {
    const name = packageName(module)
    const found = this.#npmPackages().get(name)
    return found === undefined
      ? null
      : exportTargets(found, `.${module.slice(name.length)}`, this.#conditionsOf(from))
  }

  /** The conditions of `exports` and `imports` that hold for the code of a file. */
  #conditionsOf(from: string | null): ReadonlySet<string> {
    for (const folder of from === null ? [] : foldersAbove(from)) {
      const near = this.#manifests("config").get(folder) ?? []
      const conditions = near.flatMap((path) => this.#config(path)?.conditions ?? [])
      if (conditions.length > 0) return new Set([...conditions, ...CONDITIONS])
      if (near.length > 0) break
    }
    return CONDITIONS
  }

  /** The files of a dependency that the nearest package.json imports under another name than its own. */
  #ofRenamed(module: string, from: string): Targets | null {
    const name = packageName(module)
    for (const folder of foldersAbove(from)) {
      const path = this.#manifests("npm").get(folder)?.[0]
      const fields = path === undefined ? null : this.#json(path)
      for (const table of DEPENDENCIES) {
        const entries = fields?.[table]
        const version = isObject(entries) ? entries[name] : undefined
        const renamed = typeof version === "string" ? RENAMED.exec(version)?.[1] : undefined
        if (renamed !== undefined) return this.#ofPackage(`${renamed}${module.slice(name.length)}`, from)
      }
    }
    return null
  }

  #ofSubpathImport(module: string, from: string): Targets | null {
    for (const folder of foldersAbove(from)) {
      const path = this.#manifests("npm").get(folder)?.[0]
      if (path === undefined) continue
      const imports = this.#json(path)?.["imports"]
      if (!isObject(imports)) return null
      const leaves = leavesFor(imports, module, this.#conditionsOf(from))
      const own = leaves.filter((leaf) => leaf.startsWith("."))
      if (own.length > 0) return { paths: sourcesOf(own, folder), within: null }
      return leaves.length > 0 ? this.#ofPackage(leaves[0]!, from) : null
    }
    return null
  }

  /** The files that an import refers to by `paths` and `baseUrl` of the nearest TypeScript configurations. */
  #ofAlias(module: string, from: string): Targets | null {
    for (const folder of foldersAbove(from)) {
      const near = this.#manifests("config").get(folder) ?? []
      for (const path of near) {
        const config = this.#config(path)
        const found = config === null ? null : matching(config.paths, module)
        if (found !== null)
          return { paths: found.paths.slice(0, MAX_TARGETS), within: null, isGuess: found.length === 0 }
      }
      if (near.length > 0) break
    }
    return null
  }

  #config(path: string): TsConfig | null {
    let config = this.#configs.get(path)
    if (config === undefined) {
      config = this.#readConfig(path, new Set())
      this.#configs.set(path, config)
    }
    return config
  }

  /** A configuration, merged with those that it extends and references; its own `paths` come first. */
  #readConfig(path: string, seen: Set<string>): TsConfig | null {
    if (seen.has(path) || seen.size > MAX_EXTENDS) return null
    seen.add(path)
    const fields = this.#json(path)
    if (fields === null) return null
    const folder = posix.dirname(path)
    const options = isObject(fields["compilerOptions"]) ? fields["compilerOptions"] : {}
    const baseUrl = typeof options["baseUrl"] === "string" ? insidePath(folder, options["baseUrl"]) : null
    const own = options["customConditions"]
    const ownConditions = Array.isArray(own) ? own.filter((each) => typeof each === "string") : null
    const bases = this.#basesOf(fields, folder).flatMap((base) => this.#readConfig(base, seen) ?? [])
    const conditions = ownConditions ?? bases.find((base) => base.conditions.length > 0)?.conditions ?? []
    if (isObject(options["paths"]))
      return { folder, baseUrl, paths: patternsIn(options["paths"], baseUrl ?? folder), conditions }
    const base = bases.find(({ paths }) => paths.length > 0)
    if (base !== undefined) return { ...base, conditions }
    return { folder, baseUrl, paths: baseUrl === null ? [] : [["*", [posix.join(baseUrl, "*")]]], conditions }
  }

  #basesOf(fields: Json, folder: string): string[] {
    const bases = [fields["extends"]].flat().filter((each) => typeof each === "string")
    const references = [fields["references"]]
      .flat()
      .flatMap((each) => (isObject(each) && typeof each["path"] === "string" ? [each["path"]] : []))
    return [...bases, ...references].slice(0, MAX_EXTENDS).flatMap((each) => {
      const own = each.startsWith(".")
        ? insidePath(folder, each)
        : (this.#ofPackage(each, null)?.paths[0] ?? null)
      if (own === null) return []
      return own.endsWith(".json") ? [own] : [posix.join(own, "tsconfig.json"), `${own}.json`]
    })
  }

  #ofGo(module: string, from: string): Targets | null {
    this.#goModules ??= this.#each("go")
      .flatMap((path) => goModulesIn(path, this.#read(path)))
      .sort(([one], [other]) => other.length - one.length)
    // Example folders often contain several modules of the same name; the nearest one is used.
    const named = this.#goModules.filter(([prefix]) => module === prefix || module.startsWith(`${prefix}/`))
    const longest = named.filter(([prefix]) => prefix === named[0]![0])
    const found = longest.find(([, folder]) => isBelow(from, folder)) ?? longest[0]
    if (found === undefined) return null
    return { paths: [posix.join(found[1], module.slice(found[0].length + 1))], within: null, isFolder: true }
  }

  /** The folder of the innermost crate around a file; null when there is none. */
  crateAround(from: string): string | null {
    return this.#crateOf(from)?.folder ?? null
  }

  /** The folder of the crate to which a name leads in a file: its own crate's name, or that of a dependency. */
  crateNamed(name: string, from: string): string | null {
    const wanted = this.#crateOf(from)?.aliases.get(name) ?? name
    return this.#crates?.find(({ names }) => names.includes(wanted))?.folder ?? null
  }

  #crateOf(from: string): Crate | undefined {
    this.#crates ??= this.#readCrates()
    return this.#crates
      .filter(({ folder }) => isBelow(from, folder))
      .sort((one, other) => other.folder.length - one.folder.length)[0]
  }

  #ofRust(module: string, from: string): Targets | null {
    const own = this.#crateOf(from)
    const [first = "", ...rest] = module
      .replace(/\{[\s\S]*$/, "")
      .split("::")
      .filter((word) => word !== "")
    const folder = first === "crate" ? own?.folder : this.crateNamed(first, from)
    if (folder === undefined || folder === null || (first === "crate" && this.#crates!.length < 2))
      return null
    const source = posix.join(folder, "src")
    const words = rest.filter((word) => word !== "*")
    // The last word may be a definition in the module named before it.
    const paths = [0, 1].flatMap((fewer) =>
      words.length >= fewer ? [posix.join(source, ...words.slice(0, words.length - fewer))] : [],
    )
    return { paths: words.length === 0 ? [source] : paths, within: source }
  }

  #readCrates(): Crate[] {
    const manifests = this.#each("rust").map((path) => ({ path, fields: this.#json(path) }))
    const workspaces = manifests.flatMap(({ path, fields }) => {
      const workspace = fields?.["workspace"]
      const table = isObject(workspace) ? workspace["dependencies"] : null
      return isObject(table) ? [{ folder: posix.dirname(path), table }] : []
    })
    return manifests.flatMap(({ path, fields }) =>
      crateOf(path, fields, workspaces.find(({ folder }) => isBelow(path, folder))?.table ?? {}),
    )
  }

  /** The headers that an include reaches; code that implements them is in the folder around their include folder. */
  #ofC(module: string, from: string): Targets | null {
    const headers = this.#includePaths.headersOf(module, from)
    if (headers === null) return null
    const around = /^(.+)\/(?:include|inc|public|headers)\//.exec(headers[0]!)?.[1]
    return { paths: headers, within: around ?? null }
  }
}

function packageName(module: string): string {
  return /^(?:@[^/]+\/)?[^/]+/.exec(module)?.[0] ?? module
}

/** A version that names another package: `npm:@shop/kit@1` or `workspace:@shop/kit@*`. */
const RENAMED = /^(?:npm|workspace):((?:@[^/@]+\/)?[^@]+)@/

const KINDS = {
  npm: ["package.json", "*/package.json"],
  config: ["tsconfig*.json", "*/tsconfig*.json", "jsconfig*.json", "*/jsconfig*.json"],
  go: ["go.mod", "*/go.mod", "go.work", "*/go.work"],
  rust: ["Cargo.toml", "*/Cargo.toml"],
  dart: ["pubspec.yaml", "*/pubspec.yaml"],
  gradle: ["build.gradle", "*/build.gradle", "build.gradle.kts", "*/build.gradle.kts"],
} as const

type Kind = keyof typeof KINDS

function parseManifestJson(path: string, text: string | null): Json | null {
  if (text === null || text.length > MAX_MANIFEST_CHARS) return null
  try {
    const value: unknown = path.endsWith(".toml") ? Bun.TOML.parse(text) : Bun.JSONC.parse(text)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

/** The folders around a file, innermost first; "." is the root. */
export function foldersAbove(path: string): string[] {
  const folders: string[] = []
  for (let folder = posix.dirname(path); ; folder = posix.dirname(folder)) {
    folders.push(folder)
    if (folder === ".") return folders
  }
}

function isBelow(path: string, folder: string): boolean {
  return folder === "." || path.startsWith(`${folder}/`)
}

/** The normalized path if it is inside the project; null for one that leads out of it. */
function insidePath(folder: string, path: string): string | null {
  const joined = posix.join(folder, path)
  return joined.startsWith("..") || joined.startsWith("/") ? null : joined.replace(/\/$/, "")
}

function exportTargets(
  { folder, fields }: NpmPackage,
  subpath: string,
  conditions: ReadonlySet<string>,
): Targets {
  const exports = fields["exports"]
  let leaves: string[] = []
  if (isObject(exports) && Object.keys(exports).some((key) => key.startsWith(".")))
    leaves = leavesFor(exports, subpath, conditions)
  else if (subpath === ".") leaves = leavesOf(exports, conditions)
  const main =
    subpath !== "."
      ? []
      : ["source", "types", "module", "main", "svelte"].flatMap((field) =>
          leavesOf(fields[field], conditions),
        )
  const usual = subpath === "." ? ["index", "src/index"] : [subpath, posix.join("src", subpath)]
  const named = leaves.length > 0 ? leaves : [...main, ...usual]
  return { paths: sourcesOf(named, folder), within: folder === "." ? null : folder }
}

/**
 * The paths to which `exports` or `imports` of a package.json map a subpath: those of the exact key, else those of the
 * longest matching pattern.
 */
function leavesFor(table: Json, subpath: string, conditions: ReadonlySet<string>): string[] {
  const exact = table[subpath]
  if (exact !== undefined) return leavesOf(exact, conditions)
  const patterns = Object.keys(table)
    .filter((key) => key.includes("*") || key.endsWith("/"))
    .sort((one, other) => other.length - one.length)
  for (const key of patterns) {
    const rest = restOf(key.endsWith("/") ? `${key}*` : key, subpath)
    if (rest !== null)
      return leavesOf(table[key], conditions).map((leaf) =>
        leaf.endsWith("/") ? leaf + rest : leaf.replaceAll("*", rest),
      )
  }
  return []
}

/** The part of a text that the `*` of a pattern matches; null when the pattern does not match. */
function restOf(pattern: string, text: string): string | null {
  const at = pattern.indexOf("*")
  if (at < 0) return pattern === text ? "" : null
  const [head, tail] = [pattern.slice(0, at), pattern.slice(at + 1)]
  const isMatch = text.length >= head.length + tail.length && text.startsWith(head) && text.endsWith(tail)
  return isMatch ? text.slice(head.length, text.length - tail.length) : null
}

/**
 * The first MAX_TARGETS paths in a value of `exports`: first those of the conditions that hold, then the others, because
 * the file of a condition that holds may be built from that of another one.
 */
function leavesOf(value: unknown, conditions: ReadonlySet<string>, depth = 0): string[] {
  if (typeof value === "string") return [value]
  if (depth > 8 || typeof value !== "object" || value === null) return []
  const holds = ([condition]: [string, unknown]) => Array.isArray(value) || conditions.has(condition)
  const entries = Object.entries(value).slice(0, 1_000)
  const inner: string[] = []
  for (const [, each] of [...entries.filter(holds), ...entries.filter((entry) => !holds(entry))]) {
    inner.push(...leavesOf(each, conditions, depth + 1))
    if (inner.length >= MAX_TARGETS) break
  }
  return inner.slice(0, MAX_TARGETS)
}

/** The conditions that hold without a configuration. */
const CONDITIONS: ReadonlySet<string> = new Set(["types", "import", "require", "node", "default"])
const DEPENDENCIES = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"]

const BUILT =
  /^(?:\.\/)?(?:dist|build|lib|out|es|esm|cjs|output|generated|types)\/(?:(?:esm|cjs|es|types|node|browser|src)\/)?/

/**
 * Paths, inside the project, of the files that a manifest names, and of the sources from which these files are probably
 * built.
 */
function sourcesOf(leaves: readonly string[], folder: string): string[] {
  const all = leaves.flatMap((leaf) => {
    const source = leaf.replace(BUILT, "")
    return source === leaf ? [leaf] : [leaf, `src/${source}`, source]
  })
  const paths = all.flatMap((leaf) => insidePath(folder, leaf) ?? [])
  return [...new Set(paths)].slice(0, MAX_TARGETS)
}

function patternsIn(paths: Json, base: string): TsConfig["paths"] {
  return Object.entries(paths)
    .slice(0, 1_000)
    .map(([pattern, targets]) => [
      pattern,
      (Array.isArray(targets) ? targets : [])
        .filter((each) => typeof each === "string")
        .flatMap((each) => insidePath(base, each) ?? []),
    ])
}

/**
 * The targets of the matching pattern with the longest text before its `*`, and the length of that text; null when no
 * pattern matches.
 */
function matching(
  patterns: TsConfig["paths"],
  module: string,
): { readonly length: number; readonly paths: readonly string[] } | null {
  let best: { readonly length: number; readonly paths: readonly string[] } | null = null
  for (const [pattern, targets] of patterns) {
    const rest = restOf(pattern, module)
    const length = pattern.includes("*") ? pattern.indexOf("*") : Number.POSITIVE_INFINITY
    if (rest !== null && (best === null || length > best.length))
      best = { length, paths: targets.map((target) => posix.normalize(target.replace("*", rest))) }
  }
  return best
}

const GO_REPLACE = /^(?:replace )?(\S+)(?: v\S+)? => (\.{1,2}(?:\/\S*)?)(?: |$)/

/**
 * Pairs of import prefix and folder from a go.mod or go.work: the module itself, and modules that a `replace` directive maps to a
 * folder.
 */
function goModulesIn(path: string, text: string | null): [string, string][] {
  if (text === null || text.length > MAX_MANIFEST_CHARS) return []
  const folder = posix.dirname(path)
  return text.split("\n", 10_000).flatMap((line): [string, string][] => {
    if (line.length > 500) return []
    const plain = line.replace(/\s+/g, " ").trim()
    const own = /^module "?([^ "]+)/.exec(plain)?.[1]
    if (own !== undefined) return [[own, folder]]
    const [, name, target] = GO_REPLACE.exec(plain) ?? []
    const to = target === undefined ? null : insidePath(folder, target)
    return name === undefined || to === null ? [] : [[name, to]]
  })
}

/**
 * The crate that a Cargo.toml describes, with the names by which it is imported, and the names under which it imports
 * its dependencies. `shared`: the dependencies that its workspace declares for all members.
 */
function crateOf(path: string, fields: Json | null, shared: Json): Crate[] {
  const own = fields?.["package"]
  if (fields === null || !isObject(own) || typeof own["name"] !== "string") return []
  const library = isObject(fields["lib"]) ? fields["lib"]["name"] : null
  const names = [own["name"], ...(typeof library === "string" ? [library] : [])].map(asIdentifier)
  return [{ folder: posix.dirname(path), names, aliases: cratesRenamedIn(fields, shared) }]
}

/** The names of crates by the names under which a Cargo.toml imports them, where the two differ. */
function cratesRenamedIn(fields: Json, shared: Json): Map<string, string> {
  const aliases = new Map<string, string>()
  for (const table of ["dependencies", "dev-dependencies", "build-dependencies"]) {
    const entries = isObject(fields[table]) ? Object.entries(fields[table]) : []
    for (const [alias, own] of entries) {
      const value = isObject(own) && own["workspace"] === true ? shared[alias] : own
      if (isObject(value) && typeof value["package"] === "string")
        aliases.set(asIdentifier(alias), asIdentifier(value["package"]))
    }
  }
  return aliases
}

function asIdentifier(name: string): string {
  return name.replaceAll("-", "_")
}

type Module = {
  readonly folder: string
  /** Paths of the modules that the build file names, such as `data/fast` for `:data:fast`. */
  readonly needs: readonly string[]
}

/** The modules of Gradle builds, and which of them the code of a module may use. */
class GradleModules {
  readonly #modules: readonly Module[]
  readonly #reached = new Map<Module, ReadonlySet<Module>>()

  /** `builds`: the paths of all build files. */
  constructor(builds: readonly string[], read: ReadText) {
    this.#modules = builds
      .map((path) => ({ folder: posix.dirname(path), needs: neededIn(read(path)) }))
      .sort((one, other) => other.folder.length - one.folder.length)
  }

  /**
   * False if the module of `from` needs other modules, but not that of `home`, not even through others. True if nothing
   * is known: build files may also get their dependencies from plugins.
   */
  mayUse(from: string, home: string): boolean {
    const [own, other] = [this.#moduleOf(from), this.#moduleOf(home)]
    if (own === null || other === null || own === other || own.needs.length === 0) return true
    return this.#reachedFrom(own).has(other)
  }

  #moduleOf(path: string): Module | null {
    return this.#modules.find(({ folder }) => folder !== "." && path.startsWith(`${folder}/`)) ?? null
  }

  #reachedFrom(module: Module): ReadonlySet<Module> {
    let reached = this.#reached.get(module)
    if (!reached) {
      const found = new Set([module])
      for (const each of found)
        for (const needed of each.needs)
          for (const other of this.#modules) if (isNamed(other, needed)) found.add(other)
      reached = found
      this.#reached.set(module, reached)
    }
    return reached
  }
}

/** True if a module of the build may have this path: builds may be below the project's root. */
function isNamed({ folder }: Module, needed: string): boolean {
  return folder === needed || folder.endsWith(`/${needed}`)
}

const PROJECT = /\bproject\(\s*(?:path\s*[:=]\s*)?["']:([\w:.-]+)["']|\bprojects\.([\w.]+)/g

function neededIn(text: string | null): string[] {
  if (text === null || text.length > 200_000) return []
  const names = Array.from(text.matchAll(PROJECT), ([, path, accessor]) =>
    path === undefined ? pathOfAccessor(accessor!) : path.replaceAll(":", "/"),
  )
  return [...new Set(names)]
}

/** The path that a type-safe accessor stands for: `projects.data.fastRows` is `:data:fast-rows`. */
function pathOfAccessor(accessor: string): string {
  return accessor
    .split(".")
    .map((part) => part.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`))
    .join("/")
}

/** Maximum number of headers that an include may lead to through further includes. */
const MAX_HEADERS = 64

/** Places of the compilation database below a folder that contains a source file. */
const DATABASES = ["compile_commands.json", "build/compile_commands.json"]

type Command = { readonly file: string; readonly directories: readonly string[] }

/**
 * The include directories of C and C++ files, from `compile_commands.json`, and the headers that an include reaches. The
 * database has absolute paths, perhaps of another machine; the end of a path says which file of the project is meant.
 */
class IncludePaths {
  readonly #read: ReadText
  readonly #databases = new Map<string, ReadonlyMap<string, readonly Command[]> | null>()
  readonly #directories = new Map<string, readonly string[] | null>()
  readonly #includes = new Map<string, readonly string[] | null>()

  constructor(read: ReadText) {
    this.#read = read
  }

  /** The header that an include in a source file names, then those that it includes; null if no database knows it. */
  headersOf(include: string, from: string): readonly string[] | null {
    const directories = this.#directoriesOf(from)
    if (directories === null) return null
    const first = this.#find(include, from, directories)
    if (first === null) return null
    const found = new Set([first])
    // The loop also visits the headers that it adds.
    for (const header of found) {
      for (const each of this.#includesIn(header) ?? []) {
        if (found.size >= MAX_HEADERS) return [...found]
        const inner = this.#find(each, header, directories)
        if (inner !== null) found.add(inner)
      }
    }
    return [...found]
  }

  #find(include: string, from: string, directories: readonly string[]): string | null {
    for (const directory of [posix.dirname(from), ...directories]) {
      const path = posix.join(directory, include)
      if (!path.startsWith("..") && this.#includesIn(path) !== null) return path
    }
    return null
  }

  /** The includes in a header; null if there is no such file. */
  #includesIn(path: string): readonly string[] | null {
    let includes = this.#includes.get(path)
    if (includes === undefined) {
      const text = this.#read(path)
      includes = text === null ? null : Array.from(text.matchAll(INCLUDE), ([, name]) => name!)
      this.#includes.set(path, includes)
    }
    return includes
  }

  #directoriesOf(from: string): readonly string[] | null {
    let directories = this.#directories.get(from)
    if (directories === undefined) {
      directories = this.#findDirectories(from)
      this.#directories.set(from, directories)
    }
    return directories
  }

  #findDirectories(from: string): readonly string[] | null {
    for (let folder = posix.dirname(from); ; folder = posix.dirname(folder)) {
      for (const name of DATABASES) {
        const commands = this.#database(posix.join(folder, name))?.get(posix.basename(from)) ?? []
        const own = commands.find(({ file }) => file === from || file.endsWith(`/${from}`))
        if (own === undefined) continue
        const root = own.file.slice(0, own.file.length - from.length)
        return own.directories.flatMap((path) => (path.startsWith(root) ? [path.slice(root.length)] : []))
      }
      if (folder === ".") return null
    }
  }

  /** The commands of a database by the base name of their source file; null if there is none. */
  #database(path: string): ReadonlyMap<string, readonly Command[]> | null {
    let database = this.#databases.get(path)
    if (database === undefined) {
      const commands = commandsIn(this.#read(path))
      database =
        commands === null ? null : Map.groupBy(commands.slice(0, 20_000), ({ file }) => posix.basename(file))
      this.#databases.set(path, database)
    }
    return database
  }
}

const INCLUDE = /^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]{1,200})[>"]/gm

function commandsIn(text: string | null): Command[] | null {
  if (text === null) return null
  try {
    const entries: unknown = JSON.parse(text)
    return Array.isArray(entries) ? entries.flatMap(commandOf) : null
  } catch {
    return null
  }
}

function commandOf(entry: unknown): Command[] {
  const { directory, file, command, arguments: words } = (entry ?? {}) as Record<string, unknown>
  if (typeof file !== "string") return []
  const base = typeof directory === "string" ? directory.replaceAll("\\", "/") : "/"
  const options = Array.isArray(words) ? words.filter((word) => typeof word === "string") : wordsOf(command)
  const directories = includeDirectories(options).map((path) => posix.resolve("/", base, path))
  return [{ file: posix.resolve("/", base, file.replaceAll("\\", "/")), directories }]
}

/** The words of a command line, in which quotes may contain spaces; none if it is no text. */
function wordsOf(command: unknown): string[] {
  if (typeof command !== "string") return []
  return (command.match(/(?:"[^"]*"|[^\s"])+/g) ?? []).map((word) => word.replaceAll('"', ""))
}

const DIRECTORY_FLAG = /^(?:-I|-isystem|-iquote|-idirafter|\/I)(.*)$/

/** The directories in the options of a compiler: `-Iinclude` and `-I include`. */
function includeDirectories(words: readonly string[]): string[] {
  return words
    .flatMap((word, at) => {
      const path = DIRECTORY_FLAG.exec(word)?.[1]
      const directory = path === "" ? words[at + 1] : path
      return directory === undefined ? [] : [directory.replaceAll("\\", "/")]
    })
    .slice(0, 64)
}
