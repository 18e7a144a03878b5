/**
 * Finds the files of the project that an import names, in the way of each language: by the path of a relative import, by
 * manifests (packages.ts), or by the roots below which a language looks for modules. An import that nothing in the
 * project can be is said to lead outside.
 */

import { builtinModules } from "node:module"
import { posix } from "node:path"
import { foldersAbove, type Packages } from "../index/index.ts"

/** The files of one module. */
export type ModuleFiles = {
  readonly paths: readonly string[]
  /** The folder that holds the module's parts: a package of Go or Python. */
  readonly folder?: string
  /** The package or namespace that files name. */
  readonly package?: string
  /** True when nothing but the likeness of paths leads to the files. */
  readonly isGuess?: true
}

/** The files of a module; "outside" for a module that is not in the project; null when that cannot be said. */
export type ModuleTarget = ModuleFiles | "outside" | null

/** What the search needs to know about the files of the index. */
export type ProjectFiles = {
  readonly has: (path: string) => boolean
  /** True when the folder, at any depth, has a file of the index. */
  readonly hasFolder: (folder: string) => boolean
  readonly matching: (globs: readonly string[]) => readonly string[]
}

const PYTHON = ["py", "pyi", "pyx", "pxd"]

export class ModuleFinder {
  readonly #files: ProjectFiles
  readonly #packages: Packages
  readonly #known = new Map<string, ModuleTarget>()
  #pythonTops: ReadonlyMap<string, readonly string[]> | null = null
  #headers: ReadonlyMap<string, readonly string[]> | null = null

  constructor(files: ProjectFiles, packages: Packages) {
    this.#files = files
    this.#packages = packages
  }

  /** The files of a module that a file of a language family imports. */
  moduleOf(module: string, from: string, family: string): ModuleTarget {
    const key = `${family} ${posix.dirname(from)} ${module}`
    let target = this.#known.get(key)
    if (target === undefined) {
      target = this.#find(module, from, family)
      this.#known.set(key, target)
    }
    return target
  }

  #find(module: string, from: string, family: string): ModuleTarget {
    if (family === "js") return this.#ofScript(module, from)
    if (family === "python") return this.#ofPython(module, from)
    if (family === "go") return this.#ofGo(module, from)
    if (family === "dart") return this.#ofDart(module, from)
    if (family === "ruby") return this.#ofRuby(module, from)
    if (family === "c") return this.#ofC(module, from)
    if (family === "lua") return this.#ofLua(module, from)
    if (family === "rust") return null
    return BY_PACKAGE.has(family)
      ? { paths: [], package: module.replaceAll("\\", ".") }
      : this.#ofAny(module, from)
  }

  /** The files that a module names in a language without rules: beside the importing file, or below any folder. */
  #ofAny(module: string, from: string): ModuleTarget {
    const path = module.replaceAll("::", "/").replace(/^(?:\w+:\/\/|(?:\.\/)+|\.+(?=\w))/, "")
    if (!/^[\w./@+-]{1,200}$/.test(path)) return null
    const beside = posix.join(posix.dirname(from), path)
    const own = this.#files.matching([beside, `${beside}.*`])
    if (own.length > 0 || path.startsWith("..")) return { paths: own }
    // The name of a module of OCaml begins with a capital letter, and that of its file may not.
    const either = (first: string) => `[${first}${first.toLowerCase()}]`
    const below = [path, path.replaceAll(".", "/").replace(/(?<=^|\/)[A-Z](?=[^/]*$)/, either)]
    const paths = this.#files.matching(
      below.flatMap((each) => [each, `*/${each}`, `${each}.*`, `*/${each}.*`]),
    )
    if (paths.length === 0) return null
    return paths.length === 1 ? { paths } : { paths: paths.slice(0, 32), isGuess: true }
  }

  #ofScript(module: string, from: string): ModuleTarget {
    const plain = module.replace(/[?#](?!\/).*$/, (end) => (module.startsWith("#") ? end : ""))
    if (/^\.{1,2}(?:\/|$)/.test(plain))
      return this.#scriptAt(posix.join(posix.dirname(from), plain)) ?? "outside"
    if (SCHEME.test(plain)) return "outside"
    if (plain.startsWith("/")) return this.#scriptAt(plain.slice(1)) ?? null
    const targets = this.#packages.targetsOf(plain, from, "js")
    for (const path of targets?.paths ?? []) {
      const found = this.#scriptAt(path)
      if (found !== null) return found
    }
    const name = plain.startsWith("@") ? plain.split("/", 2).join("/") : plain.split("/", 1)[0]!
    if (this.#packages.ofProject(name)) return null
    if (BUILTIN.has(plain) || BUILTIN.has(name) || this.#packages.declares(name, from)) return "outside"
    if (targets !== null && targets.isGuess !== true) return "outside"
    return this.#aliasOf(plain, from)
  }

  /**
   * The files that an alias of a build may mean, which no manifest explains: `@/shop`, `~/shop`, `src/shop`. A name that
   * is no folder of the project belongs to a library.
   */
  #aliasOf(module: string, from: string): ModuleTarget {
    const sign = /^[@~$#](?:\w*\/)?/.exec(module)?.[0]
    const isScoped = sign !== undefined && /^@\w/.test(sign)
    const rest = sign === undefined || isScoped ? module : module.slice(sign.length)
    if (isScoped || rest === "") return "outside"
    const paths = foldersAbove(from).flatMap((folder) =>
      ["", "src", "app", "lib"].flatMap(
        (inner) => this.#scriptAt(posix.join(folder, inner, rest))?.paths ?? [],
      ),
    )
    if (sign === undefined && (!module.includes("/") || paths.length === 0)) return "outside"
    return { paths: [...new Set(paths)], isGuess: true }
  }

  /** The files of JavaScript at a path without its extension, or with that of the built file. */
  #scriptAt(target: string): ModuleFiles | null {
    const path = target.replace(/\/$/, "")
    if (path.startsWith("../")) return null
    const bare = path.replace(/\.([cm]?)jsx?$/, "")
    const candidates = [
      ...(bare === path ? [] : SOURCES.map((ending) => bare + ending)),
      path,
      ...ENDINGS.map((ending) => path + ending),
      ...ENDINGS.map((ending) => posix.join(path, `index${ending}`)),
    ]
    const found = candidates.find((each) => /\.\w+$/.test(each) && this.#files.has(each))
    if (found === undefined) return null
    // The declarations of a JavaScript file name the same things.
    const pair = found.endsWith(".d.ts")
      ? `${found.slice(0, -5)}.js`
      : found.replace(/\.([cm]?)jsx?$/, ".d.$1ts")
    return { paths: pair !== found && this.#files.has(pair) ? [found, pair] : [found] }
  }

  #ofPython(module: string, from: string): ModuleTarget {
    const dots = /^\.*/.exec(module)![0].length
    const steps = module
      .slice(dots)
      .split(".")
      .filter((step) => step !== "")
    if (dots === 0) return this.#ofPythonRoot(steps, from)
    const folder = posix.join(posix.dirname(from), "../".repeat(dots - 1)).replace(/\/$/, "")
    return folder.startsWith("..") ? "outside" : (this.#pythonAt(folder, steps) ?? "outside")
  }

  /**
   * A module by its path from a root: a folder around the file that is no package, or `src` or `lib` in it, or a folder
   * with the only package of the project that has the name.
   */
  #ofPythonRoot(steps: readonly string[], from: string): ModuleTarget {
    const [top = ""] = steps
    const roots = foldersAbove(from)
      .filter((folder) => !this.#isPackage(folder))
      .flatMap((folder) => [folder, posix.join(folder, "src"), posix.join(folder, "lib")])
    // A file beside the importing one, such as poetry.py in the package poetry, has no modules inside.
    const mayHave = (folder: string) =>
      steps.length === 1 || this.#isPackage(posix.join(folder, top)) || this.#pythonAt(folder, steps) !== null
    const root = roots.find((each) => this.#pythonFile(posix.join(each, top)) !== null && mayHave(each))
    if (root !== undefined) return this.#pythonAt(root, steps) ?? "outside"
    const owners = new Set(
      this.#topPackages()
        .get(top)
        ?.map((folder) => posix.dirname(folder)),
    )
    const found = [...owners].flatMap((each) => this.#pythonAt(each, steps) ?? [])
    if (owners.size === 1) return found[0] ?? "outside"
    if (owners.size > 1) return { paths: found.flatMap(({ paths }) => paths), isGuess: true }
    // A namespace package has no file of its own, and may have its parts below several roots.
    const namespace = roots.find((each) => this.#files.hasFolder(posix.join(each, top)))
    const isBare = steps.length === 1 && namespace !== "."
    if (namespace === undefined || isBare) return "outside"
    const own = this.#pythonAt(namespace, steps)
    if (own !== null) return own
    const path = steps.join("/")
    const parts = this.#files.matching([`*/${path}.py`, `*/${path}/__init__.py`]).toSorted()
    if (parts.length === 0) return "outside"
    return parts.length === 1
      ? { paths: parts, folder: parts[0]!.replace(/(?:\/__init__)?\.py$/, "") }
      : { paths: parts, isGuess: true }
  }

  /** The module at the end of the steps from a folder. */
  #pythonAt(folder: string, steps: readonly string[]): ModuleFiles | null {
    const path = posix.join(folder, ...steps)
    const file = this.#pythonFile(path)
    if (file !== null) return { paths: file, folder: path }
    return this.#files.hasFolder(path) ? { paths: [], folder: path } : null
  }

  /** The files of a module: `a/__init__.py` or `a.py`, with their stubs. */
  #pythonFile(path: string): readonly string[] | null {
    for (const bare of [posix.join(path, "__init__"), path]) {
      const found = PYTHON.map((ending) => `${bare}.${ending}`).filter((each) => this.#files.has(each))
      if (found.length > 0) return found
    }
    return null
  }

  #isPackage(folder: string): boolean {
    return this.#files.has(posix.join(folder, "__init__.py"))
  }

  /** The folders of packages that are in no other package, by their names. */
  #topPackages(): ReadonlyMap<string, readonly string[]> {
    if (this.#pythonTops === null) {
      const folders = new Set(
        this.#files.matching(["__init__.py", "*/__init__.py"]).map((path) => posix.dirname(path)),
      )
      const tops = [...folders].filter((folder) => folder !== "." && !folders.has(posix.dirname(folder)))
      this.#pythonTops = Map.groupBy(tops, (folder) => posix.basename(folder))
    }
    return this.#pythonTops
  }

  #ofGo(module: string, from: string): ModuleTarget {
    const targets = this.#packages.targetsOf(module, from, "go")
    if (targets !== null) {
      const [folder = "."] = targets.paths
      return { paths: [], folder }
    }
    if (this.#packages.hasGoModules()) return "outside"
    // Without go.mod, the path of the project below the root of all imports is not known.
    const parts = module.split("/")
    if (parts.length === 1 || GO_STANDARD.has(parts[0]!)) return "outside"
    const tails = parts.map((_, at) => parts.slice(at).join("/"))
    const folders = foldersAbove(from).flatMap((folder) => tails.map((tail) => posix.join(folder, tail)))
    const known = folders.find((folder) => this.#files.hasFolder(folder))
    return known === undefined ? "outside" : { paths: [], folder: known }
  }

  #ofDart(module: string, from: string): ModuleTarget {
    const [, name, rest = ""] = /^package:([^/]+)\/(.+)$/.exec(module) ?? []
    const paths =
      name === undefined
        ? [posix.join(posix.dirname(from), module)]
        : this.#packages.dartPackages(name).map((folder) => posix.join(folder, "lib", rest))
    const found = paths.filter((path) => this.#files.has(path))
    if (name === undefined || paths.length > 0 || !/^[\w./-]+$/.test(rest))
      return found.length === 0 ? "outside" : { paths: found.slice(0, 1) }
    const alike = this.#files.matching([`lib/${rest}`, `${name}/lib/${rest}`, `*/${name}/lib/${rest}`])
    return alike.length === 0 ? "outside" : { paths: alike, isGuess: true }
  }

  /** A file or folder with this path below a folder around the importing file, or below a source folder there. */
  #ofLua(module: string, from: string): ModuleTarget {
    const path = module.replaceAll(".", "/")
    const found = foldersAbove(from)
      .flatMap((folder) => ["", "src", "lib", "lua"].map((inner) => posix.join(folder, inner, path)))
      .flatMap((each) => [`${each}.lua`, `${each}/init.lua`])
      .find((each) => !each.startsWith("..") && this.#files.has(each))
    return found === undefined ? "outside" : { paths: [found] }
  }

  /**
   * The header that an include names: beside the including file, as compile_commands.json says, or the only one of the
   * project with this path below some folder. Several such headers may be meant.
   */
  #ofC(module: string, from: string): ModuleTarget {
    const beside = posix.join(posix.dirname(from), module)
    if (this.#files.has(beside)) return { paths: [beside] }
    const targets = this.#packages.targetsOf(module, from, "c")
    if (targets !== null) return { paths: targets.paths }
    const alike = (this.#headersNamed(posix.basename(module)) ?? []).filter((path) =>
      `/${path}`.endsWith(`/${module}`),
    )
    if (alike.length === 0 || C_STANDARD.has(module)) return "outside"
    return alike.length === 1 ? { paths: alike } : { paths: alike, isGuess: true }
  }

  #headersNamed(name: string): readonly string[] | undefined {
    this.#headers ??= Map.groupBy(this.#files.matching(HEADERS), (path) => posix.basename(path))
    return this.#headers.get(name)
  }

  /** A file beside the importing one, or below `lib` or another root in a folder around it. */
  #ofRuby(module: string, from: string): ModuleTarget {
    const path = module.endsWith(".rb") ? module : `${module}.rb`
    const roots = foldersAbove(from).flatMap((folder) => [posix.join(folder, "lib"), folder])
    const found = [posix.dirname(from), ...roots].map((root) => posix.join(root, path))
    const known = found.find((each) => !each.startsWith("..") && this.#files.has(each))
    return known === undefined ? "outside" : { paths: [known] }
  }

  /** The files that may be the root of the crate that has a file of Rust: a program and a library can share their files. */
  rustRoots(from: string): readonly string[] {
    const folder = this.#packages.crateAround(from) ?? this.#rustFolder(from)
    const inside = folder === "." ? from : from.slice(folder.length + 1)
    const own = /^(?:src\/bin|tests|examples|benches)\/[^/]+(?:\/main)?\.rs$|^build\.rs$|^src\/main\.rs$/
    if (own.test(inside)) return [from]
    const program = /^((?:src\/bin|tests|examples|benches)\/[^/]+)\//.exec(inside)?.[1]
    const main = program === undefined ? null : posix.join(folder, program, "main.rs")
    if (main !== null && this.#files.has(main)) return [main]
    return this.#rustRootsIn(folder)
  }

  /** The root of the library of a crate of the project, by the name that a file of Rust gives it; null for another crate. */
  rustCrate(name: string, from: string): readonly string[] | null {
    const folder = this.#packages.crateNamed(name, from)
    return folder === null ? null : this.#rustRootsIn(folder)
  }

  /** True for a file in a folder with the name of a crate, if no manifest around `from` says which crates there are. */
  mayBeOfCrate(name: string, from: string, path: string): boolean {
    if (this.#packages.crateAround(from) !== null) return false
    const folder = posix.basename(this.#rustFolder(path))
    return folder.replaceAll("-", "_") === name && path.endsWith(".rs")
  }

  #rustRootsIn(folder: string): readonly string[] {
    const paths = ["src/lib.rs", "src/main.rs", "lib.rs", "main.rs"].map((path) => posix.join(folder, path))
    const known = paths.filter((path) => this.#files.has(path))
    return known.length > 0 ? known : paths.slice(0, 1)
  }

  /** The folder of a crate without a manifest: the nearest one with the file of a root, else the one around `src`. */
  #rustFolder(from: string): string {
    const folders = foldersAbove(from)
    const isRoot = (folder: string) => this.#rustRootsIn(folder).some((path) => this.#files.has(path))
    return (
      folders.find(isRoot) ?? posix.dirname(folders.find((each) => posix.basename(each) === "src") ?? ".")
    )
  }

  /** The file of a module that a file of Rust declares by `mod name;`. */
  rustChild(path: string, name: string, isRoot: boolean): string | null {
    const isFolder = isRoot || /(?:^|\/)(?:mod|lib|main)\.rs$/.test(path)
    const folder = isFolder ? posix.dirname(path) : path.replace(/\.rs$/, "")
    const plain = name.replace(/^r#/, "")
    return (
      [`${plain}.rs`, `${plain}/mod.rs`]
        .map((each) => posix.join(folder, each))
        .find((each) => each !== path && this.#files.has(each)) ?? null
    )
  }

  /** The file of the Rust module above the module in a file; null at the root of a crate. */
  rustParent(path: string): string | null {
    const folder = posix.dirname(path)
    const of = posix.basename(path) === "mod.rs" ? posix.dirname(folder) : folder
    const paths = [`${of}.rs`, ...["mod.rs", "lib.rs", "main.rs"].map((name) => posix.join(of, name))]
    return paths.find((each) => each !== path && this.#files.has(each)) ?? null
  }

  /** The module of a name inside a folder: a module of a Python package. */
  innerModule(folder: string, name: string): ModuleFiles | null {
    return this.#pythonAt(folder, [name])
  }
}

/** The families in which an import names a package or namespace, whatever the files are called. */
const BY_PACKAGE: ReadonlySet<string> = new Set(["jvm", "csharp", "php", "elixir", "swift"])
/** First parts of Go's standard packages whose paths have several parts. */
const GO_STANDARD: ReadonlySet<string> = new Set(
  "archive compress container crypto database debug encoding go hash html image index io log math mime net os path regexp runtime sync testing text time unicode".split(
    " ",
  ),
)
const HEADERS = "h hh hpp hxx inc inl ipp tcc".split(" ").map((ending) => `*.${ending}`)
/** Headers of the standard library of C and of POSIX whose names a project may have, too. */
const C_STANDARD: ReadonlySet<string> = new Set(
  `assert.h complex.h ctype.h errno.h fcntl.h float.h limits.h locale.h math.h poll.h pthread.h sched.h setjmp.h signal.h
  stdarg.h stdatomic.h stdbool.h stddef.h stdint.h stdio.h stdlib.h string.h strings.h threads.h time.h uchar.h unistd.h
  wchar.h wctype.h`.split(/\s+/),
)
const SCHEME = /^(?:node|bun|deno|https?|data|virtual|npm|jsr):/
const BUILTIN: ReadonlySet<string> = new Set(builtinModules)
/** Endings of the sources from which JavaScript is built. */
const SOURCES = [".ts", ".tsx", ".mts", ".cts", ".d.ts"]
const ENDINGS = [...SOURCES, ".js", ".jsx", ".mjs", ".cjs", ".vue", ".svelte"]
