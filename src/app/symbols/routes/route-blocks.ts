/*
 * Reads from the lines of a file which path a router puts before the routes of a block, of a variable, or of another
 * router. `blocksAround` finds the blocks around a line by their indentation, `bindingOf` the line that makes a router,
 * `mountsIn` the calls that put one router below another.
 */

import { RAILS_ROUTES } from "../../../symbols/literals.ts"

/** A block that puts a path before the routes in it. */
export type RouteBlock = {
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
export type RouterBinding = {
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
export function bindingOf(lines: readonly string[], name: string, at: number): RouterBinding | null {
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
export type Mount = {
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
export const MOUNT_CALLS = [
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
const MAX_CALL_CHARS = 600

/** The calls in a file that put a router below another one. */
export function mountsIn(text: string): Mount[] {
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
  for (let at = opened; at < Math.min(text.length, opened + MAX_CALL_CHARS); at++) {
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
