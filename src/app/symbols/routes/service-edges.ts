/*
 * Edges between services: which definitions declare or use the same route, table, topic or other text as a definition.
 * `textsOf` finds the texts of a definition: in its own lines, in the lines that register it as a handler, and by the
 * conventions of frameworks. `otherSides` looks for each text in the files that contain its words by the keyword index.
 */

import { compareTexts } from "../../../base/compare-texts.ts"
import { FILE_FLAG } from "../../../base/files/file-flag.ts"
import { displayText } from "../../../code/readable-text.ts"
import type { Edge } from "../../../symbols/definition.ts"
import { isCallable, isType, type SymbolDefinition } from "../../../symbols/definition.ts"
import type { FileView } from "../../../symbols/file-view.ts"
import {
  GRAPHQL,
  isParameter,
  type Literal,
  type LiteralInCode,
  type LiteralUse,
  literalOf,
  literalsIn,
  routeOf,
  routeText,
} from "../../../symbols/literals.ts"
import { headOf } from "../../../symbols/outside-callers.ts"
import type { SymbolGraph } from "../../../symbols/symbol-graph.ts"
import { readLines, readSource } from "../../../text/files/read-source.ts"
import type { Project } from "../../project/open-project.ts"
import { idsWithLiteral } from "../literal-files.ts"
import { railsMembers, railsRoutes } from "./rails-routes.ts"
import { INLINE_NEST, RouteMounts } from "./route-mounts.ts"
import {
  declaredRoute,
  hasParameter,
  isDeclaredRoute,
  isSamePath,
  methodAnd,
  passedOn,
  pathOf,
  withoutApiPath,
  withoutFirstPart,
  writesPrefix,
} from "./route-texts.ts"

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

/** Number of lines of a definition that are read; longer definitions are types with many methods. */
const MAX_LINES = 400
const MAX_TEXTS = 8
/** Number of uses of a definition that are checked for a line that registers it as a handler. */
const MAX_USES = 8
/** Maximum number of files that one `ServiceEdges` reads for one text, and for all texts together. */
type FileLimits = { readonly forText: number; readonly inAll: number }

/** Number of steps from a type to the types that it inherits from, and of types read in each, to find a route. */
const MAX_BASE_STEPS = 3
const MAX_BASES = 4
const MAX_LINE_CHARS = 500
const MAX_NAMES = 40
/** Larger files are mostly generated or data, and reading them takes longer than all others. */
const MAX_FILE_BYTES = 300_000

const SCHEMAS = ["*.proto", "*.graphql", "*.graphqls", "*.gql"]

/** Finds the texts that connect definitions of a project, such as routes and topics, and the places of these texts. */
export class ServiceEdges {
  readonly #project: Project
  readonly #graph: SymbolGraph
  readonly #texts = new Map<string, string>()
  readonly #lines = new Map<string, readonly string[]>()
  readonly #maxFiles: number
  #filesLeft: number
  /** Ids of the files with the words of a text that were not read. */
  readonly #unread = new Set<number>()
  /** For paths without parameters: whether a line of the project declares exactly this route. */
  readonly #declared = new Map<string, boolean>()
  readonly #mounts: RouteMounts
  #hasSchemas: boolean | null = null

  constructor(project: Project, graph: SymbolGraph, { forText, inAll }: FileLimits) {
    this.#project = project
    this.#graph = graph
    this.#maxFiles = forText
    this.#filesLeft = inAll
    this.#mounts = new RouteMounts(
      graph,
      (path) => this.#textOf(path),
      (path) => this.#linesOf(path),
    )
  }

  /** Number of files with the words of a text that were not read. */
  get unreadFiles(): number {
    return this.#unread.size
  }

  /** The texts that a definition declares or uses, at most MAX_TEXTS. `uses` are some of the uses of the definition. */
  textsOf(definition: SymbolDefinition, uses: readonly Edge[]): LiteralInCode[] {
    const { symbol, file } = definition
    if (!(isCallable(symbol) || isType(symbol)) || (file.flags & FILE_FLAG.test) !== 0) return []
    const lines = this.#linesOf(file.path)
    const ownLines = lines.slice(symbol.startLine - 1, Math.min(symbol.endLine, symbol.startLine + MAX_LINES))
    const prefix = isType(symbol) ? this.#typePrefix(file, symbol.name) : ""
    const inBody = ownLines.flatMap((line) => literalsIn(line, file.path, prefix))
    const all = [...this.servedTexts(definition, uses), ...inBody, ...this.#inSchemas(definition, ownLines)]
    return distinct(all).slice(0, MAX_TEXTS)
  }

  /** The texts by which a framework finds a definition: its routes, their names, and actions of Rails. */
  servedTexts(definition: SymbolDefinition, uses: readonly Edge[]): LiteralInCode[] {
    const { symbol, file } = definition
    if (!(isCallable(symbol) || isType(symbol)) || (file.flags & FILE_FLAG.test) !== 0) return []
    const lines = this.#linesOf(file.path)
    const head = headOf(definition, lines)
    return distinct([
      ...this.#inHead(definition, head),
      ...uses.slice(0, MAX_USES).flatMap((use) => this.#whereRegistered(use, symbol.name)),
      ...this.#byConvention(definition, head),
    ])
  }

  /** Texts by which data of a definition is used: the table of a type, and what a schema declares. */
  storedTexts(definition: SymbolDefinition): LiteralInCode[] {
    const { symbol, file } = definition
    if (file.language === "sql") return [{ kind: "table", role: "declared", text: symbol.name }]
    const ofSchema = schemaKind(definition)
    if (ofSchema !== null) return [{ kind: ofSchema, role: "declared", text: symbol.name }]
    if (!isType(symbol) || (file.flags & FILE_FLAG.test) !== 0) return []
    const end = Math.min(symbol.endLine, symbol.startLine + MAX_LINES)
    const lines = [
      headOf(definition, this.#linesOf(file.path)),
      ...this.#linesOf(file.path).slice(symbol.startLine - 1, end),
    ]
    return distinct(lines.flatMap((line) => literalsIn(line, file.path))).filter(
      ({ kind, role }) => kind === "table" && role === "declared",
    )
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
  #withPrefixes(
    literals: readonly LiteralInCode[],
    place: RoutePlace & { readonly type?: string | null },
  ): LiteralInCode[] {
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
      ...full.map(withoutApiPath).filter((each) => each !== null),
      ...literals.map((each) => (isDeclaredRoute(each) ? { ...each, isBelowPrefix: true } : each)),
    ]
  }

  /** The paths that come before the routes of a line: that of the type around it, or those of its routers. */
  #prefixesAt({ file, line, text, type }: RoutePlace & { readonly type?: string | null }): readonly string[] {
    const around = type === undefined ? file.outline.enclosing(line) : null
    const owner = around !== null && isType(around) ? around.name : (around?.owner ?? null)
    const ofType = this.#typePrefix(file, type ?? owner)
    return ofType === "" ? this.#mounts.prefixesOf(file.path, line, text) : [ofType]
  }

  /** The route in the annotations of a type, or of the nearest type that it inherits from; "" if there is none. */
  #typePrefix(file: FileView, name: string | null): string {
    if (name === null) return ""
    let types = this.#graph.definitionsOf(name).filter((each) => each.file.id === file.id)
    for (let step = 0; step <= MAX_BASE_STEPS; step++) {
      types = types.filter(({ symbol, file: own }) => isType(symbol) && own.family === file.family)
      for (const type of types.slice(0, MAX_BASES)) {
        const route = firstGroup(PREFIX_MARK, headOf(type, this.#linesOf(type.file.path)))
        const controller = name.replace(/Controller$/, "")
        if (route !== undefined) return routeText(route.replace("[controller]", controller), true) ?? ""
      }
      const bases = new Set(
        types.slice(0, MAX_BASES).flatMap((type) => [...type.file.basesOf(type.symbol.name)]),
      )
      types = [...bases].slice(0, MAX_BASES).flatMap((base) => this.#graph.definitionsOf(base))
    }
    return ""
  }

  /** The routes that a definition serves by its place or name: an action of a Rails controller, a file of a routes folder. */
  #byConvention({ symbol, file }: SymbolDefinition, head: string): LiteralInCode[] {
    const { name, owner } = symbol
    if (file.family === "ruby" && owner?.endsWith("Controller")) {
      const controller = owner
        .replace(/Controller$/, "")
        .replaceAll("::", "/")
        .replace(/([a-z\d])([A-Z])/g, "$1_$2")
        .toLowerCase()
      const action = `${controller}#${name}`
      return [{ kind: "route", role: "mentioned", text: action }, ...this.#railsRoutes(action)]
    }
    const route = routeOf(file.path)
    if (route === null) return []
    const isMethod = /^(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)$/.test(name)
    if (!isMethod && !/\bexport\s+default\b/.test(head)) return []
    return [declaredRoute(isMethod ? `${name} ${route}` : route)]
  }

  /** The routes by which the lines of Rails' routes lead to an action. */
  #railsRoutes(action: string): LiteralInCode[] {
    const literal = literalOf(action)
    if (literal === null) return []
    const [controller = "", name = ""] = action.split("#")
    const prefixAt = (path: string, line: number) =>
      this.#mounts.prefixesOf(path, line, this.#linesOf(path)[line - 1] ?? "")[0] ?? ""
    const written = this.#placesOf(literal, action, "").places.flatMap(({ path, line }) =>
      railsRoutes(this.#linesOf(path)[line - 1] ?? "", name).map((route) =>
        route.replace("/", `${prefixAt(path, line)}/`),
      ),
    )
    const members = this.#graph.store.files.placed(this.#candidates(literal)).flatMap(({ path }) =>
      railsMembers(this.#linesOf(path), controller.replace(/^.*\//, ""), name).map(
        ({ at, method, isOfAll }) => {
          const prefix = prefixAt(path, at + 1)
          return `${method} ${isOfAll ? prefix.replace(/\/:\w+$/, "") : prefix}/${name}`
        },
      ),
    )
    return [...written, ...members].map(declaredRoute)
  }

  /** Texts in the line that registers a definition, such as `app.get("/orders", showOrders)`. */
  #whereRegistered({ file, line, kind }: Edge, name: string): LiteralInCode[] {
    if (kind === "import" || kind === "inherits") return []
    const lines = this.#linesOf(file.path)
    const at = lines[line - 1] ?? ""
    if (!at.includes(name)) return []
    let text = at.replace(INLINE_NEST, "")
    let literals = [...literalsIn(text, file.path), ...passedOn(text, name)]
    let end = line
    const isWhole = literals.some(isDeclaredRoute) || ROOT_ROUTE.test(at)
    let first = line
    if (!isWhole) {
      const start = [line - 2, line - 3].find((each) => OPENS_CALL.test(lines[each] ?? ""))
      if (start === undefined) return []
      first = start + 1
      text = lines.slice(start, line).join(" ")
      literals = literalsIn(text, file.path)
    }
    const routes = this.#withPrefixes(literals, { file, line: first, text: isWhole ? at : text })
    if (!routes.some(isDeclaredRoute)) return []
    // The name of the route may be on the lines below.
    const isEnd = isWhole ? /\)[,;]?\s*$/ : /^\s*\)/
    while (end < line + 3 && !isEnd.test(lines[end - 1] ?? ")")) end++
    const below = lines.slice(line, end).flatMap((each) => literalsIn(each, file.path))
    const single = REGISTERS_RESOURCE.test(at)
      ? routes
          .filter(isDeclaredRoute)
          .map((each) => ({ ...each, text: `${each.text.replace(/\/$/, "")}/:id` }))
      : []
    return [...routes, ...single, ...below].filter(
      ({ kind, role }) => role === "declared" && (kind === "route" || kind === "route name"),
    )
  }

  /** Remote procedures and fields of GraphQL that a schema of the project declares. */
  #inSchemas({ symbol, file }: SymbolDefinition, ownLines: readonly string[]): LiteralInCode[] {
    this.#hasSchemas ??= this.#graph.store.files.matching(SCHEMAS).length > 0
    if (!this.#hasSchemas) return []
    const kindOf = schemaKind({ symbol, file })
    if (kindOf !== null) return [{ kind: kindOf, role: "declared", text: symbol.name }]
    const called = ownLines.flatMap((line) =>
      [...line.slice(0, MAX_LINE_CHARS).matchAll(CALL_OR_FIELD)].map(nameOf),
    )
    const names = [symbol.name.replace(/^resolve_/, ""), ...new Set(called)].slice(0, MAX_NAMES)
    this.#graph.prepareCandidates(names.flatMap(asDeclared))
    return names.flatMap((name, at) => {
      for (const text of asDeclared(name))
        for (const other of this.#graph.definitionsOf(text)) {
          const kind = schemaKind(other)
          const role = at === 0 ? "mentioned" : "called"
          if (kind !== null) return [{ kind, role, text }]
        }
      return []
    })
  }

  /**
   * The lines elsewhere that use a text of a definition: for a text that the definition declares, those that call or
   * mention it; for another, those that declare it.
   */
  otherSides(text: LiteralInCode, definition: SymbolDefinition): OtherSides {
    const exact = this.#otherSides(text, definition)
    const mounted = exact.places.length === 0 && text.role === "called" ? this.mountedAt(text) : null
    if (mounted !== null && mounted.places.length > 0) return mounted
    const shorter = text.kind === "route" && text.role === "called" ? withoutFirstPart(text.text) : null
    // A router may be mounted below a path that its own routes do not repeat.
    if (exact.places.length > 0 || shorter === null) return exact
    const { places, unread } = this.otherSides({ ...text, text: shorter }, definition)
    return {
      places: places.map((each) => ({ ...each, confidence: each.confidence * SHORTENED })),
      unread,
    }
  }

  /** The lines that declare the end of a route on a router that is put below the start of the route. */
  mountedAt({ kind, text }: Pick<LiteralInCode, "kind" | "text">): OtherSides {
    if (kind !== "route") return { places: [], unread: 0 }
    const [, method = "", path = ""] = /^([A-Z]+ |)(.*)$/.exec(text)!
    const parts = path.split("/").filter((each) => each !== "")
    let unread = 0
    for (let from = 1; from < parts.length; from++) {
      const suffix = parts.slice(from)
      const literal = suffix.every(isParameter) ? null : literalOf(`${method}/${suffix.join("/")}`)
      if (literal === null) continue
      const found = this.#placesOf(literal, text, "")
      const before = parts.slice(0, from)
      const cut = new Set<string>()
      const places = found.places
        .filter(({ role, confidence }) => role === "declared" && confidence >= MIN_EXACT)
        .slice(0, MAX_MOUNTED)
        .filter((place) => {
          const file = this.#graph.file(place.path)
          const line = this.#linesOf(place.path)[place.line - 1] ?? ""
          const prefixes = file === null ? [] : this.#prefixesAt({ file, line: place.line, text: line })
          if (this.#mounts.wasCut) cut.add(place.path)
          return prefixes.some((prefix) => isSamePath(prefix.split("/").slice(1), before))
        })
      unread = Math.max(unread, found.unread + cut.size)
      if (places.length > 0) return { places, unread }
    }
    return { places: [], unread }
  }

  #otherSides(text: LiteralInCode, { symbol, file }: SymbolDefinition): OtherSides {
    const literal = literalOf(text.text)
    if (literal === null) return { places: [], unread: 0 }
    const { places, unread } = this.#placesOf(literal, text.text, file.path)
    const isOwn = ({ path, line }: OtherSide) =>
      path === file.path && line >= symbol.startLine - 3 && line <= symbol.endLine
    // A route of one part may be a part of many routes, so only a call of exactly this route counts then.
    const isShort = text.kind === "route" && text.role === "declared" && !/\/[^/]+\/[^/]/.test(text.text)
    const min = isShort ? MIN_WHOLE : MIN_MENTION
    const wanted = places.filter(
      (place) =>
        place.kind === text.kind &&
        place.confidence >= min &&
        !isOwn(place) &&
        isOtherSide(text, place) &&
        !(text.isBelowPrefix === true && writesPrefix(text, place)) &&
        !this.#meansOtherRoute(text, place),
    )
    const factor = text.isBelowPrefix === true ? SHORTENED : 1
    return {
      places: wanted
        .map((place) => ({ ...place, confidence: place.confidence * factor }))
        .sort((one, other) => other.confidence - one.confidence),
      unread,
    }
  }

  /** True for a call of `/users/me` where `/users/:id` is asked for and `/users/me` is declared as well. */
  #meansOtherRoute({ kind, role, text }: LiteralInCode, place: OtherSide): boolean {
    if (kind !== "route" || role !== "declared" || place.role === "declared" || !hasParameter(text))
      return false
    return literalsIn(place.text, place.path).some(({ kind: other, text: called }) => {
      if (other !== "route" || hasParameter(called)) return false
      const path = pathOf(called)
      let isDeclared = this.#declared.get(path)
      if (isDeclared === undefined) {
        const literal = literalOf(path)
        const places = literal === null ? [] : this.#placesOf(literal, path, place.path).places
        isDeclared = places.some((each) => each.role === "declared" && each.confidence >= MIN_EXACT)
        this.#declared.set(path, isDeclared)
      }
      return isDeclared
    })
  }

  /** The lines with a literal, read from at most `forText` files, those near the file `near` first. */
  #placesOf(literal: Literal, name: string, near: string): { places: OtherSide[]; unread: number } {
    const ids = this.#candidates(literal)
    const ordered = ids.length > this.#maxFiles ? this.#graph.inOrder(ids, [near]) : ids
    const rows = this.#graph.store.files.placed(ordered.slice(0, this.#maxFiles))
    const unread = new Set(ordered.slice(this.#maxFiles))
    const places: OtherSide[] = []
    for (const { id, path, language } of rows) {
      if (literal.isDeclaredBy?.(path))
        places.push({ ...DECLARED_BY_PATH, literal: name, path, language, line: 1, text: "" })
      const whole = this.#texts.has(path) || this.#filesLeft-- > 0 ? this.#textOf(path) : ""
      if (whole === "") unread.add(id)
      places.push(
        ...placesIn(whole, path, literal).map((each) => ({ ...each, literal: name, path, language })),
      )
    }
    for (const id of unread) this.#unread.add(id)
    return { places: places.sort(byPlace), unread: unread.size }
  }

  /** Ids of the files that may contain a literal; none if its words do not tell. */
  #candidates(literal: Literal): number[] {
    const reader = this.#project.reader()
    return reader === null ? [] : [...(idsWithLiteral(reader, literal) ?? [])]
  }

  #linesOf(path: string): readonly string[] {
    let lines = this.#lines.get(path)
    if (lines === undefined) {
      lines = this.#textOf(path).split("\n")
      this.#lines.set(path, lines)
    }
    return lines
  }

  /** The text of a file as it is now, with "\n" as line ends; "" if it cannot be read. */
  #textOf(path: string): string {
    let text = this.#texts.get(path)
    if (text === undefined) {
      text = this.#read(path)
      this.#texts.set(path, text)
    }
    return text
  }

  #read(path: string): string {
    const { root, config } = this.#project
    const maxBytes = Math.min(config.index.maxFileBytes, MAX_FILE_BYTES)
    const { files, documentTexts } = this.#graph.store
    const hash = files.byPath(path)?.hash
    const indexedText = documentTexts.find
    // A file with the indexed hash needs no check for secrets, because indexing has checked it.
    const asIndexed =
      hash === undefined ? null : readLines(root, path, { maxBytes, hash, indexedText }, [ALL_LINES])
    if (asIndexed !== null) return asIndexed[0]!
    const source = readSource(root, path, maxBytes)
    return "reason" in source ? "" : source.text.replaceAll("\r\n", "\n")
  }
}

const ALL_LINES = { first: 1, last: Number.MAX_SAFE_INTEGER - 1 }

/** The lines of a file that use a literal, and how. */
function placesIn(
  whole: string,
  path: string,
  literal: Literal,
): (LiteralUse & { line: number; text: string })[] {
  return [...linesWith(whole, literal.parts)].flatMap(({ line, text }) => {
    const use = text.length > MAX_LINE_CHARS ? null : literal.useIn(text, path)
    return use === null ? [] : [{ ...use, line, text: displayText(text.trim()) }]
  })
}

/** The lines of a text that contain at least one of `parts`, with their 1-based numbers. */
function* linesWith(text: string, parts: readonly string[]): Generator<{ line: number; text: string }> {
  let [line, counted, end] = [1, 0, -1]
  const starts = parts.flatMap((part) => occurrences(text, part)).sort((one, other) => one - other)
  for (const at of starts) {
    if (at <= end) continue
    for (let next = text.indexOf("\n", counted); next >= 0 && next < at; next = text.indexOf("\n", counted)) {
      line++
      counted = next + 1
    }
    end = text.indexOf("\n", at)
    if (end < 0) end = text.length
    yield { line, text: text.slice(counted, end) }
  }
}

function occurrences(text: string, part: string): number[] {
  const positions: number[] = []
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) positions.push(at)
  return positions
}

const DECLARED_BY_PATH = { kind: "route", role: "declared", confidence: 0.9 } as const

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
/** Number of declarations of the end of a route whose routers are followed. */
const MAX_MOUNTED = 40
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

function nameOf([, called, field]: RegExpMatchArray): string {
  return called ?? field ?? ""
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

/** A line that declares routes. */
type RoutePlace = { readonly file: FileView; readonly line: number; readonly text: string }

/** Factor for the confidence of a route that was found without its first parts. */
const SHORTENED = 0.8

/** Confidence of a line that declares exactly the route, not one that ends with it. */
const MIN_EXACT = 0.9

/** Minimum confidence of a place: a link to a route has it, other text does not. */
const MIN_MENTION = 0.6
/** Minimum confidence of a call whose string is nothing but the route. */
const MIN_WHOLE = 0.85

/** True if a place is the counterpart of a definition's text: a declaration for a call, a call for a declaration. */
function isOtherSide({ kind, role }: LiteralInCode, place: OtherSide): boolean {
  if (place.role === "declared") return role !== "declared" || kind === "table"
  if (role === "declared") return true
  // The code of a remote procedure, or of a field, is neither its declaration nor its call.
  return (kind === "remote procedure" || kind === "GraphQL field") && place.role !== role
}

/** One literal for each kind and text; of equal ones the last. */
function distinct(all: readonly LiteralInCode[]): LiteralInCode[] {
  const byText = new Map(all.map((each) => [`${each.kind} ${each.text}`, each]))
  return [...byText.values()]
}

function byPlace(one: OtherSide, other: OtherSide): number {
  return compareTexts(one.path, other.path) || one.line - other.line
}
