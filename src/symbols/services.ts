/*
 * Edges between services: which definitions declare or use the same route, table, topic or other text as a definition.
 * `textsOf` finds the texts of a definition: in its annotations, in the lines that register it as a handler, by the
 * conventions of frameworks, in its own lines, and in schemas. `otherSides` looks for a text in the files that contain
 * its words by the keyword index.
 */

import { compareTexts, FILE_FLAG } from "../base/index.ts"
import { displayText, fileRoute } from "../parse/index.ts"
import { isCertain, TIE } from "./certainty.ts"
import { type Edge, isCallable, isType, type SymbolDefinition } from "./definition.ts"
import type { FileView } from "./file-view.ts"
import {
  GRAPHQL,
  isParameter,
  type Literal,
  type LiteralInCode,
  type LiteralUse,
  literalOf,
  literalsIn,
  PART_OF_TEXT,
  RAILS_ROUTES,
  routeText,
} from "./literals.ts"
import { headOf } from "./outside-callers.ts"
import { blocksAround, INLINE_NEST, indentOf, Routers } from "./routers.ts"
import type { SymbolGraph } from "./symbol-graph.ts"

/** A line that uses a text of a definition. */
export type OtherSide = LiteralUse & {
  readonly literal: string
  readonly path: string
  readonly language: string
  readonly line: number
  readonly text: string
}

/** The lines found for one text. `unread`: number of files with its words that were not read. */
export type OtherSides = { readonly places: readonly OtherSide[]; readonly unread: number }

const NONE: OtherSides = { places: [], unread: 0 }

/** The files of a project in which literals are searched. */
export type LiteralFiles = {
  /** Ids of the files that may contain a literal. */
  readonly idsOf: (literal: Literal) => readonly number[]
  /** The text of a file as it is now; "" if it cannot be read. Each file is read once. */
  readonly text: (path: string) => string
  readonly lines: (path: string) => readonly string[]
  readonly isRead: (path: string) => boolean
}

/** Maximum number of files that are read for one text, and for all texts together. */
export type FileLimits = { readonly forText: number; readonly inAll: number }

/**
 * Which texts of a definition are wanted: those by which a framework finds it (`served`); those and the names under which
 * its data is stored, such as the table of a type (`stored`); or all.
 */
type Extent = "served" | "stored" | "all"

/** Number of lines of a definition that are read; longer definitions are types with many methods. */
const MAX_LINES = 400
const MAX_TEXTS = 8
/** Number of uses of a definition that are checked for a line that registers it as a handler. */
const MAX_USES = 8
/** Number of steps from a type to the types that it inherits from, and of types read in each, to find a route. */
const MAX_BASE_STEPS = 3
const MAX_BASES = 4
const MAX_LINE_CHARS = 500
/** Number of declarations of the end of a route whose routers are followed. */
const MAX_MOUNTED = 40

const SCHEMAS = ["*.proto", "*.graphql", "*.graphqls", "*.gql"]
/** Kinds of texts by which other code uses data that a definition declares. */
const STORED: ReadonlySet<string> = new Set(["table", "remote procedure", "GraphQL field"])

/** Finds the texts that connect definitions of a project, such as routes and topics, and the places of these texts. */
export class Services {
  readonly #graph: SymbolGraph
  readonly #files: LiteralFiles
  readonly #routers: Routers
  readonly #maxFiles: number
  #filesLeft: number
  /** Ids of the files with the words of a text that were not read. */
  readonly #unread = new Set<number>()
  /** For paths without parameters: whether a line of the project declares this route. */
  readonly #declared = new Map<string, boolean>()
  #hasSchemas: boolean | null = null

  constructor(graph: SymbolGraph, files: LiteralFiles, { forText, inAll }: FileLimits) {
    this.#graph = graph
    this.#files = files
    this.#routers = new Routers(graph, files)
    this.#maxFiles = forText
    this.#filesLeft = inAll
  }

  /** Number of files with the words of a text that were not read. */
  get unreadFiles(): number {
    return this.#unread.size
  }

  /** The texts of a definition; with "all" at most MAX_TEXTS. `uses` are some of the uses of the definition. */
  textsOf(definition: SymbolDefinition, uses: readonly Edge[], extent: Extent): LiteralInCode[] {
    const { symbol, file } = definition
    const isSchema = schemaKind(definition) !== null
    if (!(isCallable(symbol) || isType(symbol) || isSchema) || (file.flags & FILE_FLAG.test) !== 0) return []
    const lines = this.#files.lines(file.path)
    const head = headOf(definition, lines)
    const served = [
      ...this.#inHead(definition, head),
      ...uses.slice(0, MAX_USES).flatMap((use) => this.#whereRegistered(use, symbol.name)),
      ...this.#byConvention(definition, head),
    ]
    if (extent === "served") return distinct(served)
    const ownLines = lines.slice(symbol.startLine - 1, Math.min(symbol.endLine, symbol.startLine + MAX_LINES))
    const prefix = isType(symbol) ? this.#typePrefix(file, symbol.name) : ""
    const inBody = [
      ...(isType(symbol) ? literalsOfTables(head, file.path) : []),
      ...ownLines.flatMap((line) => literalsIn(line, file.path, prefix)),
      ...this.#inSchemas(definition, ownLines),
    ]
    if (extent === "all") return distinct([...served, ...inBody]).slice(0, MAX_TEXTS)
    const isStored = isType(symbol) || isSchema
    const stored = inBody.filter(({ kind, role }) => isStored && role === "declared" && STORED.has(kind))
    return distinct([...served, ...stored])
  }

  /** The uses, of those given, that register the definition as the handler of a route. */
  registrations({ symbol }: SymbolDefinition, uses: readonly Edge[]): Edge[] {
    return uses.slice(0, MAX_USES).filter((use) => this.#whereRegistered(use, symbol.name).length > 0)
  }

  /** Texts in the annotations of a definition: declared routes, and the name that Flask gives the route. */
  #inHead({ symbol, file }: SymbolDefinition, head: string): LiteralInCode[] {
    const marks = head.split("\n").filter((line) => MARK.test(line))
    if (marks.length === 0) return []
    const type = isType(symbol) ? symbol.name : symbol.owner
    const inMarks = marks.flatMap((line) =>
      this.#withPrefixes(literalsIn(line, file.path), { file, line: symbol.startLine, text: line, type }),
    )
    const bareMethod = firstGroup(BARE_MARK, marks.join("\n"))
    const prefix = bareMethod === undefined ? "" : this.#typePrefix(file, type)
    const atPrefix = prefix === "" ? [] : [declaredRoute(`${bareMethod!.toUpperCase()} ${prefix}`)]
    const isFlask = file.family === "python" && marks.some((line) => /\.route\(/.test(line))
    const routeNames = isFlask ? [{ kind: "route name", role: "declared", text: symbol.name } as const] : []
    return [...inMarks.filter(({ role }) => role === "declared"), ...atPrefix, ...routeNames]
  }

  /**
   * The literals of a line, with the paths that routers put before its routes. The route as written stays, because a
   * caller may add the rest of the address elsewhere.
   */
  #withPrefixes(literals: readonly LiteralInCode[], place: RoutePlace): LiteralInCode[] {
    const isRoot = ROOT_ROUTE.exec(place.text)
    const declared = literals.filter(isDeclaredRoute)
    if (declared.length === 0 && isRoot === null) return [...literals]
    const prefixes = this.#prefixesAt(place)
    if (prefixes.length === 0) return [...literals]
    const root = isRoot === null || declared.length > 0 ? [] : [methodAnd(isRoot[1])]
    const full = [...root, ...declared.map(({ text }) => text)].flatMap((text) =>
      prefixes.map((prefix) => declaredRoute(text.replace(/^([A-Z]+ |)/, `$1${prefix}`))),
    )
    return [
      ...full,
      ...full.flatMap((each) => withoutApiPath(each) ?? []),
      ...literals.map((each) => (isDeclaredRoute(each) ? { ...each, isBelowPrefix: true } : each)),
    ]
  }

  /** The paths that come before the routes of a line: that of the type around it, or those of its routers. */
  #prefixesAt({ file, line, text, type }: RoutePlace): readonly string[] {
    const around = type === undefined ? file.outline.enclosing(line) : null
    const owner = around !== null && isType(around) ? around.name : (around?.owner ?? null)
    const ofType = this.#typePrefix(file, type ?? owner)
    return ofType === "" ? this.#routers.prefixesOf(file.path, line, text) : [ofType]
  }

  /** The route in the annotations of a type, or of the nearest type that it inherits from; "" if there is none. */
  #typePrefix(file: FileView, name: string | null): string {
    if (name === null) return ""
    let types = this.#graph.definitionsOf(name).filter((each) => each.file.id === file.id)
    for (let step = 0; step <= MAX_BASE_STEPS; step++) {
      types = types.filter(({ symbol, file: own }) => isType(symbol) && own.family === file.family)
      types = types.slice(0, MAX_BASES)
      for (const type of types) {
        const route = firstGroup(PREFIX_MARK, headOf(type, this.#files.lines(type.file.path)))
        const controller = name.replace(/Controller$/, "")
        if (route !== undefined) return routeText(route.replace("[controller]", controller), true) ?? ""
      }
      const bases = new Set(types.flatMap((type) => [...type.file.basesOf(type.symbol.name)]))
      types = [...bases].slice(0, MAX_BASES).flatMap((base) => this.#graph.definitionsOf(base))
    }
    return ""
  }

  /** The routes that a definition serves by its place or name: an action of a Rails controller, a file of a routes folder. */
  #byConvention({ symbol, file }: SymbolDefinition, head: string): LiteralInCode[] {
    const { name, owner } = symbol
    if (file.family === "ruby" && owner?.endsWith("Controller")) {
      const controller = owner.replace(/Controller$/, "").replaceAll("::", "/")
      const action = `${controller.replace(/([a-z\d])([A-Z])/g, "$1_$2").toLowerCase()}#${name}`
      return [{ kind: "route", role: "mentioned", text: action }, ...this.#railsRoutes(action)]
    }
    const route = fileRoute(file.path)
    if (route === null) return []
    const isMethod = /^(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)$/.test(name)
    if (!isMethod && !/\bexport\s+default\b/.test(head)) return []
    return [declaredRoute(isMethod ? `${name} ${route}` : route)]
  }

  /** The routes by which the lines of Rails' routes lead to an action: `resources :orders`, `get "/new", to: "orders#new"`. */
  #railsRoutes(action: string): LiteralInCode[] {
    const literal = literalOf(action)
    if (literal === null) return []
    const [controller = "", name = ""] = action.split("#")
    const resource = controller.slice(controller.lastIndexOf("/") + 1)
    const paths = this.#graph.store.files.placed(this.#files.idsOf(literal)).map(({ path }) => path)
    return paths.flatMap((path) => {
      const lines = this.#files.lines(path)
      return lines.flatMap((text, at) => {
        const isUsed = RAILS_ROUTES.test(path) && literal.useIn(text, path) !== null
        const [route, isOfAll] =
          (isUsed ? [railsRoute(text, name), false] : railsMember(lines, at, resource, name)) ?? []
        if (!route) return []
        const prefix = this.#routers.prefixesOf(path, at + 1, text)[0] ?? ""
        return [declaredRoute(route.replace("/", `${isOfAll ? prefix.replace(/\/:\w+$/, "") : prefix}/`))]
      })
    })
  }

  /**
   * Texts in the call that registers a definition, such as `app.get("/orders", showOrders)`. The call may begin up to two
   * lines above, and the name of the route may be on the lines below.
   */
  #whereRegistered({ file, line, kind }: Edge, name: string): LiteralInCode[] {
    if (kind === "import" || kind === "inherits") return []
    const lines = this.#files.lines(file.path)
    const own = lines[line - 1] ?? ""
    if (!own.includes(name)) return []
    const bare = own.replace(INLINE_NEST, "")
    const inLine = [...literalsIn(bare, file.path), ...passedOn(bare, name)]
    const isWhole = inLine.some(isDeclaredRoute) || ROOT_ROUTE.test(own)
    const first = isWhole ? line : [line - 1, line - 2].find((each) => OPENS_CALL.test(lines[each - 1] ?? ""))
    if (first === undefined) return []
    const text = isWhole ? own : lines.slice(first - 1, line).join(" ")
    const routes = this.#withPrefixes(isWhole ? inLine : literalsIn(text, file.path), {
      file,
      line: first,
      text,
    })
    if (!routes.some(isDeclaredRoute)) return []
    const isEnd = isWhole ? /\)[,;]?\s*$/ : /^\s*\)/
    let end = line
    while (end < line + 3 && !isEnd.test(lines[end - 1] ?? ")")) end++
    const below = lines.slice(line, end).flatMap((each) => literalsIn(each, file.path))
    const members = REGISTERS_RESOURCE.test(own)
      ? routes.filter(isDeclaredRoute).map(({ text }) => declaredRoute(`${text.replace(/\/$/, "")}/:id`))
      : []
    return [...routes, ...members, ...below].filter(
      ({ kind, role }) => role === "declared" && (kind === "route" || kind === "route name"),
    )
  }

  /** Remote procedures and fields of GraphQL that a schema of the project declares. */
  #inSchemas(definition: SymbolDefinition, ownLines: readonly string[]): LiteralInCode[] {
    const { name } = definition.symbol
    this.#hasSchemas ??= this.#graph.store.files.matching(SCHEMAS).length > 0
    if (!this.#hasSchemas) return []
    const own = schemaKind(definition)
    if (own !== null) return [{ kind: own, role: "declared", text: name }]
    const called = ownLines.flatMap((line) =>
      Array.from(
        line.slice(0, MAX_LINE_CHARS).matchAll(CALL_OR_FIELD),
        ([, call, field]) => call ?? field ?? "",
      ),
    )
    const names = [name.replace(/^resolve_/, ""), ...new Set(called)].slice(0, 40)
    this.#graph.prepareCandidates(names.flatMap(asDeclared))
    return names.flatMap((each, at) => {
      const role = at === 0 ? "mentioned" : "called"
      const found = asDeclared(each).flatMap((text) =>
        this.#graph.definitionsOf(text).flatMap((other) => {
          const kind = schemaKind(other)
          return kind === null ? [] : [{ kind, role, text } as const]
        }),
      )
      return found.slice(0, 1)
    })
  }

  /**
   * The lines elsewhere that use a text of a definition: for a text that the definition declares, those that call or
   * mention it; for another, those that declare it.
   */
  otherSides(text: LiteralInCode, definition: SymbolDefinition): OtherSides {
    const whole = this.#otherSides(text, definition)
    if (whole.places.length > 0 || text.role !== "called") return whole
    const mounted = this.mountedAt(text)
    if (mounted.places.length > 0) return mounted
    // A router may be mounted below a path that its own routes do not repeat.
    const shorter = text.kind === "route" ? withoutFirstPart(text.text) : null
    if (shorter === null) return whole
    const { places, unread } = this.otherSides({ ...text, text: shorter }, definition)
    return { places: places.map((each) => weakened(each)), unread }
  }

  /** The lines that declare the end of a route on a router that is put below the start of the route. */
  mountedAt({ kind, text }: Pick<LiteralInCode, "kind" | "text">): OtherSides {
    if (kind !== "route") return NONE
    const [, method = "", path = ""] = /^([A-Z]+ |)(.*)$/.exec(text)!
    const parts = path.split("/").filter((each) => each !== "")
    let unread = 0
    for (let from = 1; from < parts.length; from++) {
      const suffix = parts.slice(from)
      const literal = suffix.every(isParameter) ? null : literalOf(`${method}/${suffix.join("/")}`)
      if (literal === null) continue
      const found = this.placesOf(literal, text, "")
      const cut = new Set<string>()
      const places = found.places
        .filter(({ role, tie }) => role === "declared" && tie === TIE.certain)
        .slice(0, MAX_MOUNTED)
        .filter(({ path, line }) => {
          const file = this.#graph.file(path)
          const own = this.#files.lines(path)[line - 1] ?? ""
          const prefixes = file === null ? [] : this.#prefixesAt({ file, line, text: own })
          if (this.#routers.wasCut) cut.add(path)
          return prefixes.some((prefix) => isSamePath(prefix.split("/").slice(1), parts.slice(0, from)))
        })
      unread = Math.max(unread, found.unread + cut.size)
      if (places.length > 0) return { places, unread }
    }
    return { places: [], unread }
  }

  #otherSides(text: LiteralInCode, { symbol, file }: SymbolDefinition): OtherSides {
    const literal = literalOf(text.text)
    if (literal === null) return NONE
    const { places, unread } = this.placesOf(literal, text.text, file.path)
    const isOwn = ({ path, line }: OtherSide) =>
      path === file.path && line >= symbol.startLine - 3 && line <= symbol.endLine
    // A route of one part may be a part of many routes, so only a call of exactly this route counts then.
    const isShort = isDeclaredRoute(text) && !/\/[^/]+\/[^/]/.test(text.text)
    const isBelowPrefix = text.isBelowPrefix === true
    const wanted = places.filter(
      (place) =>
        place.kind === text.kind &&
        (isShort ? isCertain(place.tie) : place.tie > TIE.name) &&
        !isOwn(place) &&
        isOtherSide(text, place) &&
        !(isBelowPrefix && writesPrefix(text, place)) &&
        !this.#meansOtherRoute(text, place),
    )
    return {
      places: wanted
        .map((place) => (isBelowPrefix ? weakened(place) : place))
        .sort((one, other) => other.tie - one.tie),
      unread,
    }
  }

  /** True for a call of `/users/me` where `/users/:id` is asked for and `/users/me` is declared as well. */
  #meansOtherRoute(text: LiteralInCode, place: OtherSide): boolean {
    if (!isDeclaredRoute(text) || place.role === "declared" || !hasParameter(text.text)) return false
    return literalsIn(place.text, place.path).some(({ kind, text: called }) => {
      if (kind !== "route" || hasParameter(called)) return false
      const path = pathOf(called)
      let isDeclared = this.#declared.get(path)
      if (isDeclared === undefined) {
        const literal = literalOf(path)
        const { places } = literal === null ? NONE : this.placesOf(literal, path, place.path)
        isDeclared = places.some((each) => each.role === "declared" && each.tie === TIE.certain)
        this.#declared.set(path, isDeclared)
      }
      return isDeclared
    })
  }

  /** The lines with a literal, read from at most `forText` files, those near the file `near` first. */
  placesOf(literal: Literal, name: string, near: string): OtherSides {
    const ids = this.#files.idsOf(literal)
    const ordered = ids.length > this.#maxFiles ? this.#graph.inOrder(ids, [near]) : ids
    const unread = new Set(ordered.slice(this.#maxFiles))
    const places: OtherSide[] = []
    for (const { id, path, language } of this.#graph.store.files.placed(ordered.slice(0, this.#maxFiles))) {
      const place = { literal: name, path, language }
      if (literal.isDeclaredBy?.(path))
        places.push({ ...place, kind: "route", role: "declared", tie: TIE.certain, line: 1, text: "" })
      const whole = this.#files.isRead(path) || this.#filesLeft-- > 0 ? this.#files.text(path) : ""
      if (whole === "") unread.add(id)
      for (const use of usesIn(whole, path, literal)) places.push({ ...use, ...place })
    }
    for (const id of unread) this.#unread.add(id)
    const byPlace = (one: OtherSide, other: OtherSide) =>
      compareTexts(one.path, other.path) || one.line - other.line
    return { places: places.sort(byPlace), unread: unread.size }
  }
}

/** The lines of a file that use a literal, and how. */
function usesIn(
  text: string,
  path: string,
  literal: Literal,
): (LiteralUse & { line: number; text: string })[] {
  const mayUse = (part: string) => literal.parts.some((each) => part.includes(each))
  if (!mayUse(text)) return []
  return text.split("\n").flatMap((line, at) => {
    const use = line.length > MAX_LINE_CHARS || !mayUse(line) ? null : literal.useIn(line, path)
    return use === null ? [] : [{ ...use, line: at + 1, text: displayText(line.trim()) }]
  })
}

/** A line that declares routes, and the type around it if that is known. */
type RoutePlace = {
  readonly file: FileView
  readonly line: number
  readonly text: string
  readonly type?: string | null
}

/** Matches an annotation or attribute. */
const MARK = /^\s*(?:@|#\[|\[\w)/
/** An annotation that gives a method no path of its own. */
const BARE_MARK =
  /@(Get|Post|Put|Patch|Delete)(?:Mapping)?(?:\(\s*\))?\s*$|\[Http(Get|Post|Put|Patch|Delete)\]/m
const PREFIX_MARK =
  /@(?:RequestMapping|Controller|Path|Route|RestController)\(\s*(?:(?:value|path)\s*=\s*)?\{?\s*["']([^"']*)["']|\[Route\("([^"]*)"\)/
/** A call that declares a route without a path of its own, such as `router.get("/", list)`. */
const ROOT_ROUTE =
  /(?:\.(get|post|put|patch|delete|all|route|GET|POST|PUT|PATCH|DELETE|Get|Post|Put|Patch|Delete)|^\s*(?:re_)?path)\(\s*r?["'`]\^?\/?\$?["'`]/
/** Django REST framework: the routes of a list and of its members. */
const REGISTERS_RESOURCE = /\brouter\.register\(/i
const OPENS_CALL =
  /(?:\b(?:re_)?path|\burl|\.(?:get|post|put|patch|delete|all|use|route|Get|Post|Put|Patch|Delete|Handle\w*))\(\s*(?:r?["'][^"']*["'],)?\s*$/
const CALL_OR_FIELD = /(?:\.|->|::)(\w{3,})\s*\(|(?:^|[{}])\s*(?:\w+:\s*)?(\w{3,})\s*(?:\([^)]*\))?\s*\{/g

/** The first group that took part in the match; undefined if there is no match. */
function firstGroup(pattern: RegExp, text: string): string | undefined {
  return pattern
    .exec(text)
    ?.slice(1)
    .find((group) => group !== undefined)
}

/** The spellings that a schema may use for a name in code: `payOrder` and `pay_order` are `PayOrder` in Protobuf. */
function asDeclared(name: string): string[] {
  const pascal = name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())
  const camel = pascal.replace(/^[A-Z]/, (letter) => letter.toLowerCase())
  return [...new Set([pascal, camel, name])]
}

const ROOT_TYPES: ReadonlySet<string | null> = new Set(["Query", "Mutation", "Subscription"])

/** Whether a schema declares this definition as a remote procedure or as a GraphQL field; null if neither. */
function schemaKind({ symbol, file }: SymbolDefinition): "remote procedure" | "GraphQL field" | null {
  if (file.language === "proto") return symbol.kind === "method" ? "remote procedure" : null
  return GRAPHQL.test(file.path) && ROOT_TYPES.has(symbol.owner) ? "GraphQL field" : null
}

/** The tables that the annotations above a type name. */
function literalsOfTables(head: string, path: string): LiteralInCode[] {
  return head.split("\n").flatMap((line) => literalsIn(line, path).filter(({ kind }) => kind === "table"))
}

/** True if a place is the counterpart of a definition's text: a declaration for a call, a call for a declaration. */
function isOtherSide({ kind, role }: LiteralInCode, place: OtherSide): boolean {
  if (place.role === "declared") return role !== "declared" || kind === "table"
  if (role === "declared") return true
  // The code of a remote procedure, or of a field, is neither its declaration nor its call.
  return (kind === "remote procedure" || kind === "GraphQL field") && place.role !== role
}

/** One literal for each kind and text; of equal ones the last. */
function distinct(all: readonly LiteralInCode[]): LiteralInCode[] {
  return [...new Map(all.map((each) => [`${each.kind} ${each.text}`, each])).values()]
}

function weakened(place: OtherSide): OtherSide {
  return { ...place, tie: place.tie - PART_OF_TEXT }
}

/** The text of a route as a declaration. */
function declaredRoute(text: string): LiteralInCode {
  return { kind: "route", role: "declared", text }
}

function isDeclaredRoute({ kind, role }: LiteralInCode): boolean {
  return kind === "route" && role === "declared"
}

/**
 * The route of a call that passes a function on, as `bricks.get("/bricks", listBricks)` does. The name of the router
 * alone does not show that the call declares a route.
 */
function passedOn(line: string, name: string): LiteralInCode[] {
  const [, method, path, rest = ""] =
    /\.(get|post|put|patch|delete|all)\(\s*["'`](\/[^"'`]*)["'`]\s*,(.*)$/.exec(line) ?? []
  const isPassed = new RegExp(`(?<![\\w$])${RegExp.escape(name)}(?![\\w$(])`).test(rest)
  const route = path !== undefined && isPassed ? routeText(path, false) : null
  return route === null ? [] : [declaredRoute(`${methodAnd(method)}${route}`)]
}

/** "GET " for `get`; nothing for a call that declares a route for any method. */
function methodAnd(call: string | undefined): string {
  return call === undefined || /^(?:all|route|match)$/i.test(call) ? "" : `${call.toUpperCase()} `
}

/** True if two paths are equal part by part, where a parameter equals any part. */
function isSamePath(one: readonly string[], other: readonly string[]): boolean {
  return (
    one.length === other.length &&
    one.every((part, at) => part === other[at] || isParameter(part) || isParameter(other[at]!))
  )
}

/** True if the line writes other parts before the route, so that it means another route than the one below a prefix. */
function writesPrefix({ text }: LiteralInCode, place: OtherSide): boolean {
  const parts = pathOf(text).split("/")
  const start = parts.find((each) => each !== "" && !isParameter(each)) ?? ""
  const at = place.text.toLowerCase().indexOf(start.toLowerCase())
  const before = /["'`]([^"'`\s]*)$/.exec(place.text.slice(0, at))?.[1] ?? ""
  return /[A-Za-z]/.test(before.replace(/^\w+:\/\/[^/]*|[$#]?\{[^}]*\}/g, ""))
}

/** A route without `/api` or `/v1` before it, which clients often write once for all routes; null if too little is left. */
function withoutApiPath(route: LiteralInCode): LiteralInCode | null {
  const text = route.text.replace(/^((?:[A-Z]+ )?)(?:\/(?:api|rest|v\d+))+(?=\/[^/]+\/[^/])/i, "$1")
  return text === route.text ? null : { ...route, text, isBelowPrefix: true }
}

/** A route without its first part; null if less than two parts would be left. */
function withoutFirstPart(route: string): string | null {
  const shorter = route.replace(/^((?:[A-Z]+ )?)\/[^/]+/, "$1")
  return /\/[^/]+\/[^/]/.test(shorter) && /\/[A-Za-z]{2}/.test(shorter) ? shorter : null
}

/** The path of a route, without its method. */
function pathOf(route: string): string {
  return route.replace(/^[A-Z]+ /, "")
}

/** True if a part of the route stands for any value. */
function hasParameter(route: string): boolean {
  return pathOf(route).split("/").some(isParameter)
}

/** The path of a Rails' resource that leads to an action, with its method. */
const RAILS_PATHS: Readonly<Record<string, string>> = {
  index: "GET /NAME",
  show: "GET /NAME/:id",
  new: "GET /NAME/new",
  edit: "GET /NAME/:id/edit",
  create: "POST /NAME",
  update: "PATCH /NAME/:id",
  destroy: "DELETE /NAME/:id",
}

/** The route that a line of Rails' routes declares for an action, without the paths around it; null if there is none. */
function railsRoute(line: string, action: string): string | null {
  const [, kind, name] = /^\s*(resources?)\b\s*\(?\s*:(\w+)/.exec(line) ?? []
  if (kind !== undefined)
    return RAILS_PATHS[action]?.replace("NAME", name!).replace(kind === "resource" ? "/:id" : "", "") ?? null
  const [, method, path] = /^\s*(get|post|put|patch|delete|match)\s*\(?\s*["':]\/?([\w/:-]+)/.exec(line) ?? []
  return method === undefined ? null : `${methodAnd(method)}/${path}`
}

/**
 * The route of a line that adds an action to the block of its resource, as `get :preview, on: :member` does, and whether
 * it is below the path of the resource, not below `/:id` of a member; null for another line.
 */
function railsMember(
  lines: readonly string[],
  at: number,
  resource: string,
  action: string,
): [route: string, isOfAll: boolean] | null {
  const text = lines[at]!
  const [, method, name] =
    /^\s*(get|post|put|patch|delete)\s*\(?\s*[:"'](\w+)\b["']?(?!.*\bto:)/.exec(text) ?? []
  const around = name === action ? blocksAround(lines, at, "config/routes.rb")[0] : undefined
  if (around === undefined) return null
  const opens = new RegExp(`^\\s*resources?\\b\\s*\\(?\\s*[:"']${RegExp.escape(resource)}\\b`)
  if (!opens.test(lines[around.at]!)) return null
  const between = lines
    .slice(around.at + 1, at)
    .findLast((each) => each.trim() !== "" && indentOf(each) < indentOf(text))
  return [
    `${methodAnd(method)}/${action}`,
    /\bon:\s*:collection\b/.test(text) || /^\s*collection\b/.test(between ?? ""),
  ]
}
