/*
 * Finds the paths that routers put before a route. `Routers.prefixesOf` starts at the line of the route and goes
 * outwards: the blocks around it, the variable of its router, the function that gets the router, and the calls in this
 * and other files that put that router, or the whole file, below a path.
 * The second half of the file reads lines: `blocksAround` finds the blocks around a line by their indentation,
 * `bindingOf` the line that makes a router, `mountsIn` the calls that put one router below another.
 */

import { Budget, isCallable, type SymbolDefinition } from "./definition.ts"
import type { FileView } from "./file-view.ts"
import { RAILS_ROUTES } from "./literals.ts"
import { referencesTo } from "./references.ts"
import type { LiteralFiles } from "./services.ts"
import type { SymbolGraph } from "./symbol-graph.ts"

/** Number of routers that are followed from a route; a router that contains itself ends there. */
const MAX_DEPTH = 6
/** Number of routers that are followed for one route. In tests that all name their router `app`, each leads to many others. */
const MAX_ROUTERS = 200
/** Number of files in which a call is sought that puts a router of one file below a path. */
const MAX_FILES = 60
const BOUNDS = { files: 16, work: 50, ms: 100, now: () => performance.now() }
const MAX_CALLS = { from: -1, enough: 8 }
/** Name of the list that Django reads of a file with routes. */
const DJANGO_ROUTES = "urlpatterns"

/** A router: the variable `name` at a line of a file, or the file's default export if the name is null. */
type Router = { readonly file: FileView; readonly at: number; readonly name: string | null }

/** Finds the paths before the routes of a project. Keeps what it has found. */
export class Routers {
  readonly #graph: SymbolGraph
  readonly #files: Pick<LiteralFiles, "text" | "lines">
  readonly #mounts = new Map<string, readonly Mount[]>()
  readonly #mounting = new Map<string, readonly FileView[]>()
  /** For each file, the names that an import gives to others. */
  readonly #renamed = new Map<string, ReadonlyMap<string, string>>()
  readonly #known = new Map<string, readonly string[]>()
  #routersLeft = MAX_ROUTERS
  /** True if more than MAX_ROUTERS routers may come before the last route, so that paths may be missing. */
  wasCut = false

  constructor(graph: SymbolGraph, files: Pick<LiteralFiles, "text" | "lines">) {
    this.#graph = graph
    this.#files = files
  }

  /**
   * The paths before a route that the given line of a file declares: `/api` for a route of a router below `/api`. Empty
   * if no router adds a path. `text` is the line, or the annotation above it, that contains the route.
   */
  prefixesOf(path: string, line: number, text: string): readonly string[] {
    const file = this.#graph.file(path)
    if (file === null) return []
    const nested = INLINE_NEST.exec(text)?.[1] ?? ""
    const receiver = RECEIVER.exec(text)?.groups?.["receiver"] ?? null
    this.#routersLeft = MAX_ROUTERS
    const outside = this.#outside({ file, at: line - 1, name: receiver }, [])
    this.wasCut = this.#routersLeft < 0
    const found = outside.length === 0 ? [""] : outside
    return [...new Set(found.map((each) => cleaned(`${each}/${nested}`)))]
      .filter((each) => each !== "")
      .slice(0, 4)
  }

  /** The paths before what a line adds to a router: those of the blocks around it, and those before the router. */
  #outside({ file, at, name }: Router, seen: readonly string[]): readonly string[] {
    const lines = this.#files.lines(file.path)
    const blocks = blocksAround(lines, at, file.path)
    const inBlocks = blocks
      .map(({ prefix }) => prefix)
      .reverse()
      .join("/")
    const outermost = blocks.at(-1)
    // A router that a block gets as its parameter is the router on which the block was opened.
    const router =
      outermost === undefined
        ? { file, at, name: name ?? variableOf(lines, at) }
        : { file, at: outermost.at, name: outermost.receiver ?? variableOf(lines, outermost.at) }
    return this.#ofRouter(router, seen).map((each) => `${each}/${inBlocks}`)
  }

  #ofRouter({ file, at, name }: Router, seen: readonly string[]): readonly string[] {
    if (seen.length >= MAX_DEPTH || this.#routersLeft-- <= 0) return []
    const lines = this.#files.lines(file.path)
    const around = this.#functionAround(file, at)
    const parameter = around === null || name === null ? -1 : parameterOf(around, name)
    const binding = name === null || parameter >= 0 ? null : bindingOf(lines, last(name), at)
    const key = `${file.path} ${name} ${parameter < 0 ? binding?.at : around?.symbol.startLine} ${name === null ? around?.symbol.name : ""}`
    if (seen.includes(key)) return []
    const known = this.#known.get(key)
    if (known) return known
    const now = [...seen, key]
    const outer =
      binding?.parent != null && binding.parent !== name
        ? this.#outside({ file, at: binding.at, name: binding.parent }, now)
        : this.#whereMounted(
            { file, at, name },
            { around, parameter, isLocal: isLocal(lines, binding?.at) },
            now,
          )
    const found = [
      ...new Set((outer.length === 0 ? [""] : outer).map((each) => `${each}/${binding?.prefix ?? ""}`)),
    ]
    // What was found below a router that contains itself is not the whole.
    if (seen.length === 0) this.#known.set(key, found)
    return found
  }

  /** The paths below which a router is put: by calls in its file, by calls of the function around it, and elsewhere. */
  #whereMounted(
    { file, at, name }: Router,
    { around, parameter, isLocal }: { around: SymbolDefinition | null; parameter: number; isLocal: boolean },
    seen: readonly string[],
  ): readonly string[] {
    const inFile =
      name === null || parameter >= 0
        ? []
        : this.#mountsOf(file.path).filter(
            (mount) => mount.at !== at && mount.targets.some((target) => last(target) === last(name)),
          )
    const prefixes = inFile.flatMap((mount) => this.#ofMount(file, mount, seen))
    if (prefixes.length > 0) return prefixes
    if (around !== null && (parameter >= 0 || name === null || isLocal))
      return this.#whereCalled(around, parameter, seen)
    const names =
      name !== null && isAddedTo(this.#files.text(file.path), name) ? [name, DJANGO_ROUTES] : [name]
    return this.#filesMounting(file).flatMap((other) =>
      this.#mountsOf(other.path)
        .filter((mount) => names.some((each) => this.#leadsTo(other, mount, file, each)))
        .flatMap((mount) => this.#ofMount(other, mount, seen)),
    )
  }

  #ofMount(file: FileView, mount: Mount, seen: readonly string[]): readonly string[] {
    const prefix = mount.constant === null ? mount.prefix : this.#valueOf(mount.constant)
    return this.#outside({ file, at: mount.at, name: mount.receiver }, seen).map(
      (each) => `${each}/${prefix}`,
    )
  }

  /** The text that a constant holds; "" if it is not known. */
  #valueOf(constant: string): string {
    const definitions = this.#graph.definitionsOf(last(constant))
    const values = definitions.flatMap(
      ({ symbol }) => /=\s*["'`](\/[^"'`]*)["'`]/.exec(symbol.signature)?.[1] ?? [],
    )
    return new Set(values).size === 1 ? values[0]! : ""
  }

  /** The paths before a router that the function gets as its parameter, or returns if `parameter` is -1. */
  #whereCalled(around: SymbolDefinition, parameter: number, seen: readonly string[]): readonly string[] {
    const { name } = around.symbol
    return referencesTo(this.#graph, around, new Budget(BOUNDS), MAX_CALLS).edges.flatMap(
      ({ file, line, kind }) => {
        if (kind === "import") return []
        const at = line - 1
        const mount = this.#mountsOf(file.path).findLast(
          (each) => each.at <= at && at <= each.end && each.targets.some((target) => last(target) === name),
        )
        if (mount !== undefined) return this.#ofMount(file, mount, seen)
        const text = this.#files.lines(file.path)[at] ?? ""
        const argument = parameter < 0 ? undefined : argumentsOf(text, name)[parameter]
        if (argument !== undefined && /^[\w.]+$/.test(argument))
          return this.#outside({ file, at, name: argument }, seen)
        const group = /^([\w.]+)\.[gG]roup\(\s*["'`]([^"'`]*)["'`]/.exec(argument ?? "")
        if (group)
          return this.#outside({ file, at, name: group[1]! }, seen).map((each) => `${each}/${group[2]}`)
        return parameter < 0 ? this.#outside({ file, at, name: null }, seen) : []
      },
    )
  }

  #functionAround(file: FileView, at: number): SymbolDefinition | null {
    const symbol = file.outline.enclosing(at + 1)
    return symbol !== null && isCallable(symbol) ? { symbol, file } : null
  }

  /** Files with a call that may put a router of another file below a path, the nearest first. */
  #filesMounting(file: FileView): readonly FileView[] {
    let files = this.#mounting.get(file.path)
    if (files === undefined) {
      const ids = new Set(MOUNT_CALLS.flatMap((call) => this.#graph.idsUsing(call)))
      ids.delete(file.id)
      files = this.#graph
        .files(this.#graph.inOrder([...ids], [file.path]).slice(0, MAX_FILES))
        .filter(({ family }) => family === file.family)
      this.#mounting.set(file.path, files)
    }
    return files
  }

  #mountsOf(path: string): readonly Mount[] {
    let mounts = this.#mounts.get(path)
    if (mounts === undefined) {
      mounts = mountsIn(this.#files.text(path))
      this.#mounts.set(path, mounts)
    }
    return mounts
  }

  /** True if a call in the file `from` puts the router `name` of the file `to`, or what that file exports, below a path. */
  #leadsTo(from: FileView, { modules, targets }: Mount, to: FileView, name: string | null): boolean {
    const isWhole = name === null || name === DJANGO_ROUTES || isDefaultOf(this.#files.text(to.path), name)
    if (isWhole && this.#graph.imports.isModule(modules, from, to)) return true
    return targets.some((target) => {
      const [root = "", ...members] = target.split(/\.|::/)
      const imported = this.#importedAs(from, root)
      const path = from
        .modulesOf(imported)
        .flatMap((module) => [module, ...(members.length > 0 || isWhole ? [joined(module, imported)] : [])])
      if (!this.#graph.imports.isModule(path, from, to)) return false
      return isWhole || (members.at(-1) ?? imported) === name
    })
  }

  /** The name under which a file imports what it calls `name`. */
  #importedAs(file: FileView, name: string): string {
    if (file.modulesOf(name).length > 0) return name
    let renamed = this.#renamed.get(file.path)
    if (renamed === undefined) {
      const pairs = this.#files.text(file.path).matchAll(/\b(\w+)(?:[ \t]+as[ \t]+|:[ \t]*)(\w+)\b/g)
      renamed = new Map([...pairs].map(([, original, local]) => [local!, original!] as const).reverse())
      this.#renamed.set(file.path, renamed)
    }
    return renamed.get(name) ?? name
  }
}

/** axum: a router with its own path on the line of its route. */
export const INLINE_NEST = /\.nest\(\s*"([^"]*)"\s*,\s*(?=Router::)/

/** The router on which a line declares a route. */
const RECEIVER =
  /(?:^|[^\w.])@?(?<receiver>[A-Za-z_][\w.]*?)(?:\.|->)(?:get|post|put|patch|delete|head|options|all|any|use|route|register|websocket|api_route|add_url_rule|add_api_route|add_route|match|GET|POST|PUT|PATCH|DELETE|Get|Post|Put|Patch|Delete|Any|All|Handle\w*|Map\w+|Method\w*|Add)\s*[(<]/

/** The variable whose value contains a line: a list of Django's routes, or a router that a chain of calls makes. */
function variableOf(lines: readonly string[], at: number): string | null {
  let indent = Number.POSITIVE_INFINITY
  for (let line = at; line >= Math.max(0, at - 400); line--) {
    const text = lines[line] ?? ""
    const own = text.search(/\S/)
    if (own < 0 || own >= indent) continue
    indent = own
    const found = VARIABLE.exec(text)
    if (found) return found[1]!
    if (own === 0) break
  }
  return null
}

const VARIABLE =
  /^\s*(?:let\s+(?:mut\s+)?|const\s+|var\s+|val\s+|export\s+const\s+)?(\w+)\s*(?::[^=]+)?\+?=\s*(?:\[|\w+\(\[?\s*$|.*(?:Router|Hono|Elysia|scope|express)\b)/

/** The 0-based number of a function's parameter; -1 if it has no such parameter. */
function parameterOf({ symbol }: SymbolDefinition, name: string): number {
  const parameters = argumentsOf(symbol.signature, symbol.name)
  return parameters.findIndex((each) =>
    new RegExp(`^(?:\\w+\\s+)?${RegExp.escape(name)}\\b|\\b${RegExp.escape(name)}$`).test(each),
  )
}

/** The arguments of the first call of `name` in a text, or the parameters of its definition. */
function argumentsOf(text: string, name: string): string[] {
  const start = new RegExp(`\\b${RegExp.escape(name)}\\s*\\(`).exec(text)
  if (start === null) return []
  const found = [""]
  let depth = 0
  for (const char of text.slice(start.index + start[0].length)) {
    if (depth === 0 && char === ")") break
    if (char === "(" || char === "[" || char === "{") depth++
    if (char === ")" || char === "]" || char === "}") depth--
    if (depth === 0 && char === ",") found.push("")
    else found[found.length - 1] += char
  }
  return found.map((each) => each.trim())
}

/** True for a variable in a function: a line that is indented binds it. */
function isLocal(lines: readonly string[], at: number | undefined): boolean {
  return at !== undefined && /^\s/.test(lines[at] ?? "")
}

/** True if Django's list of routes gets those of another list or router: `urlpatterns += router.urls`. */
function isAddedTo(text: string, name: string): boolean {
  return new RegExp(
    `\\b${DJANGO_ROUTES}\\s*\\+?=\\s*(?:.{0,200}[+*(\\[]\\s{0,20})?${RegExp.escape(name)}\\b`,
  ).test(text)
}

function isDefaultOf(text: string, name: string): boolean {
  return new RegExp(`(?:export\\s+default|module\\.exports\\s*=)\\s+${RegExp.escape(last(name))}\\b`).test(
    text,
  )
}

function last(name: string): string {
  return name.split(/\.|::/).at(-1)!
}

function joined(module: string, name: string): string {
  return module.endsWith(".") || module.endsWith("/")
    ? `${module}${name}`
    : `${module}${module.includes("::") ? "::" : "."}${name}`
}

/** A path with one slash at its start and between its parts, without the marks of regular expressions. */
function cleaned(path: string): string {
  const parts = path
    .replaceAll(/\(\?P<(\w+)>[^)]*\)/g, ":$1")
    .split("/")
    .map((each) => each.replace(/^\^|\$$/g, ""))
    .filter((each) => each !== "")
  return parts.map((each) => `/${each}`).join("")
}

/** A block that puts a path before the routes in it. */
type RouteBlock = {
  /** Index of its first line. */
  readonly at: number
  readonly prefix: string
  /** The router on which the block was opened; null if the block names none. */
  readonly receiver: string | null
}

/** Number of lines above a route that are read for blocks around it. */
const MAX_LINES_ABOVE = 2_000
const PATH = `["'\`]([^"'\`\\s]*)["'\`]`

/** Lines that open a block of routes in the syntax of a language; the group `path` is the path that the block adds. */
const OPENINGS: readonly RegExp[] = [
  // chi, gin, Elysia and similar: a function gets the router of the block.
  new RegExp(
    `(?<receiver>\\w+)\\.(?:Route|Group|group)\\(\\s*${named(PATH)}\\s*,\\s*(?:func\\b|\\(?\\w+\\)?\\s*=>)`,
  ),
  // Laravel.
  new RegExp(
    `(?:\\bRoute::|->)prefix\\(\\s*${named(PATH)}|\\bRoute::group\\(.*'prefix'\\s*=>\\s*${named(PATH)}`,
  ),
  // Ktor and Javalin.
  new RegExp(`^\\s*(?:route|path)\\(\\s*${named(PATH)}\\s*(?:\\)\\s*\\{|,\\s*\\(\\)\\s*->)`),
  // Phoenix and Sinatra.
  /^\s*(?:scope|namespace)\s*\(?\s*["'](?<path>\/[^"']*)["'].*\bdo\b/,
  // Django and axum: lists and routers inside of a call.
  new RegExp(`\\b(?:(?:re_)?path|url)\\(\\s*r?${named(PATH)}\\s*,\\s*include\\(`),
  new RegExp(`\\.nest\\(\\s*${named(PATH)}\\s*,\\s*Router::`),
]

/** A call whose path is on the next line. */
const OPENS_CALL = /(?:\b(?:(?:re_)?path|url)|\.nest)\(\s*$/
const FIRST_PATH = new RegExp(`^\\s*r?${PATH}\\s*,`)

/** The blocks around a line, innermost first. */
export function blocksAround(lines: readonly string[], at: number, path: string): RouteBlock[] {
  const blocks: RouteBlock[] = []
  let indent = indentOf(lines[at] ?? "")
  for (let line = at - 1; line >= Math.max(0, at - MAX_LINES_ABOVE) && indent > 0; line--) {
    const text = lines[line]!
    if (text.trim() === "" || indentOf(text) >= indent) continue
    indent = indentOf(text)
    const block = RAILS_ROUTES.test(path) ? railsBlock(text) : blockAt(lines, line)
    if (block !== null) blocks.push({ at: line, ...block })
  }
  return blocks
}

function blockAt(lines: readonly string[], at: number): Omit<RouteBlock, "at"> | null {
  const text = lines[at]!
  for (const opening of OPENINGS) {
    const found = opening.exec(text)?.groups
    if (found) return { prefix: found["path"]!, receiver: found["receiver"] ?? null }
  }
  const path = OPENS_CALL.test(text) ? FIRST_PATH.exec(lines[at + 1] ?? "")?.[1] : undefined
  return path === undefined ? null : { prefix: path, receiver: null }
}

function named(path: string): string {
  return path.replace("(", "(?<path>")
}

/** The path that a block of Rails' routes adds. */
function railsBlock(text: string): Omit<RouteBlock, "at"> | null {
  const [, kind = "", name = "", rest = ""] =
    /^\s*(namespace|scope|resources?)\b\s*\(?\s*(?::|["'])?([\w/:-]*)["']?(.*)\bdo\b/.exec(text) ?? []
  if (kind === "") return null
  const path = /\bpath(?::|\s*=>)\s*["']([^"']*)["']/.exec(`${name}${rest}`)?.[1]
  const isOption = /^\w+:$/.test(name)
  const own = path ?? (isOption ? "" : name)
  const parameter = /\bparam(?::|\s*=>)\s*:(\w+)/.exec(rest)?.[1] ?? "id"
  return { prefix: kind === "resources" ? `${own}/:${parameter}` : own, receiver: null }
}

/** The router that a line makes, as `const api = app.group("/api")` does. */
type RouterBinding = {
  readonly at: number
  readonly prefix: string
  /** The router from which it is made; null for a new one. */
  readonly parent: string | null
}

const OWN_PREFIX =
  /(?:\burl_prefix|\bprefix)\s*[=:]\s*["']([^"']*)["']|\.(?:basePath|prefix)\(\s*["'`]([^"'`]*)["'`]/
const MADE_FROM = new RegExp(
  `=\\s*(?:await\\s+)?([\\w.]+)\\.(?:Group|group|MapGroup|Party|PathPrefix|NewGroup|Subrouter|basePath)\\(\\s*(?:${PATH})?`,
)

/** The nearest line at or above `at` that binds the router `name`; null if there is none. */
function bindingOf(lines: readonly string[], name: string, at: number): RouterBinding | null {
  const pattern = new RegExp(`(?<![\\w.])${RegExp.escape(name)}\\s*(?::=|=(?!=)|:[^=]*=(?!=))`)
  for (let line = Math.min(at, lines.length - 1); line >= Math.max(0, at - MAX_LINES_ABOVE); line--) {
    if (!pattern.test(lines[line]!)) continue
    // The options of a call may be on the lines below.
    const call = /\(\s*$/.test(lines[line]!) ? lines.slice(line, line + 6).join(" ") : lines[line]!
    const [, parent, path] = MADE_FROM.exec(call) ?? []
    if (parent !== undefined) return { at: line, prefix: path ?? "", parent }
    const own = OWN_PREFIX.exec(call)
    return { at: line, prefix: own?.[1] ?? own?.[2] ?? "", parent: null }
  }
  return null
}

/** A call that puts a router below a path. */
type Mount = {
  readonly at: number
  readonly end: number
  readonly prefix: string
  /** The name of a constant that holds the prefix; null if the call has the path itself. */
  readonly constant: string | null
  /** The router that gets the other one; null if it is not a variable, as in Django. */
  readonly receiver: string | null
  /** The expressions that may be the router: names such as `users.router`. */
  readonly targets: readonly string[]
  /** The modules that the call names as strings. */
  readonly modules: readonly string[]
}

/** Names of the calls that `mountsIn` reads. */
const MOUNT_CALLS = [
  ...[
    "include",
    "include_router",
    "register_blueprint",
    "use",
    "route",
    "register",
    "nest",
    "Mount",
    "mount",
  ],
  ...["configure", "service"],
]

const MOUNT = new RegExp(
  [
    "\\b(?:(?:re_)?path|url)\\(\\s*r?[\"'][^\"']*[\"']\\s*,\\s*(?=include\\()",
    "([\\w.]*)(?:\\.|::)(?:include_router|register_blueprint|use|route|register|nest|[mM]ount|configure|service)\\(",
  ].join("|"),
  "g",
)

/** The calls in a file that put a router below another one. */
function mountsIn(text: string): Mount[] {
  const mounts: Mount[] = []
  let [line, counted] = [0, 0]
  for (const match of text.matchAll(MOUNT)) {
    for (
      let next = text.indexOf("\n", counted);
      next >= 0 && next < match.index;
      next = text.indexOf("\n", counted)
    ) {
      line++
      counted = next + 1
    }
    const opened = text.indexOf("(", match.index)
    const call = insideBrackets(text, opened)
    if (call === null) continue
    const scope = /::scope\(\s*["']([^"']*)["']\s*\)\s*$/.exec(
      text.slice(Math.max(0, match.index - 200), match.index),
    )
    const option = /(?:\burl_prefix|\bprefix)\s*[=:]\s*(?:f?["'`]([^"'`]*)["'`]|([\w.]+))/.exec(call)
    const first = /^\s*r?["'`]([^"'`]*)["'`]\s*,/.exec(call)
    const prefix = option?.[1] ?? first?.[1] ?? scope?.[1] ?? ""
    const rest = first === null ? call : call.slice(first[0].length)
    mounts.push({
      at: line,
      end: line + call.split("\n").length - 1,
      prefix,
      constant: option?.[2] ?? null,
      receiver: match[1] === undefined || match[1] === "" ? null : match[1],
      targets: [...rest.replaceAll(/["'`][^"'`]*["'`]/g, "").matchAll(/[A-Za-z_]\w*(?:(?:\.|::)\w+)*/g)].map(
        ([each]) => each.replace(/\.(?:urls|routes|default|Routes)$/, ""),
      ),
      modules: [...rest.matchAll(/["'`]([\w./@-]+)["'`]/g)].map(([, module]) => module!),
    })
  }
  return mounts
}

/** The text between the bracket at `opened` and the one that closes it; null if that is too far away. */
function insideBrackets(text: string, opened: number): string | null {
  let depth = 0
  for (let at = opened; at < Math.min(text.length, opened + 600); at++) {
    const char = text[at]
    if (char === "(" || char === "[" || char === "{") depth++
    if (char === ")" || char === "]" || char === "}") depth--
    if (depth === 0) return text.slice(opened + 1, at)
  }
  return null
}

/** Number of characters before the text of a line. */
export function indentOf(line: string): number {
  const indent = line.search(/\S/)
  return Math.max(indent, 0)
}
