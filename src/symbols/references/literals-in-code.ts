/**
 * Finds the texts in code by which services refer to each other: routes that a line declares or calls, environment
 * variables, tables, topics and fields of GraphQL. `literals.ts` finds the lines that use a known text; this file finds
 * the texts that a line uses.
 */

import {
  CALLS,
  DECLARES,
  ENVIRONMENT,
  type LiteralKind,
  type LiteralRule,
  type LiteralUse,
  literalOf,
  methodsIn,
  NAMES,
  rulePattern,
} from "./literals.ts"

/** A text that a line uses: a route with its method if the line names one, or a name. */
export type LiteralInCode = Pick<LiteralUse, "kind" | "role"> & {
  readonly text: string
  /** True for a route before which a router puts a path that the text lacks. */
  readonly isBelowPrefix?: boolean
}

/** Longer lines are generated or data. */
const MAX_LINE_CHARS = 500
/** A lower confidence means that the words of the rule are common in code that does not use such a text. */
const MIN_CONFIDENCE = 0.7

/** The texts that a line of a file uses. `prefix` is put before a route that the line declares. */
export function literalsIn(line: string, path: string, prefix = ""): LiteralInCode[] {
  if (line.length > MAX_LINE_CHARS) return []
  const route = QUOTE.test(line) ? routeIn(line, path, prefix) : null
  const names = MAY_NAME.test(line) ? namesIn(line, path) : []
  return route === null ? names : [route, ...names]
}

const QUOTE = /["'`]/

type Extraction = LiteralRule & { readonly pattern: RegExp }

const NAME = "([A-Za-z_][\\w.:-]*)"
const VARIABLE = "([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)"

/** Kinds whose rules match any call or key; only a definition in a schema says that a name is one of them. */
const NEED_SCHEMA: ReadonlySet<LiteralKind> = new Set(["remote procedure", "GraphQL field"])

const EXTRACTIONS: readonly Extraction[] = [
  ...ENVIRONMENT.map((rule) => ({ ...rule, pattern: rulePattern(rule, VARIABLE) })),
  ...NAMES.map((rule) => ({ ...rule, pattern: rulePattern(rule, NAME) })),
].filter(({ kind, confidence }) => confidence >= MIN_CONFIDENCE && !NEED_SCHEMA.has(kind))

/** Every line that a rule for names matches has one of these; one test is faster than all rules. */
const MAY_NAME =
  /[Ee]nv|ENV|ARG|SERVER|[A-Z]\w*_\w+\s*[=:]|[cC]onfig|etting|viper|[gG]et[A-Z]|FROM|JOIN|INTO|UPDATE|REFERENCES|TABLE|[tT]able|[eE]ntity|schema|@@map|DB::|\.(?:from|into)|_(?:column|index|reference|foreign_key)|ubscribe|consume|Listener|Pattern|queue|Queue|ublish|broadcast|produce|convertAndSend|\.send|name|url|reverse|redirect|route|path|Value|Property|\$/

function namesIn(line: string, path: string): LiteralInCode[] {
  const found = new Map<string, LiteralInCode>()
  for (const { kind, role, confidence, path: paths, pattern } of EXTRACTIONS) {
    // In shells `$NAME` is a variable; in other languages it is mostly a constant.
    if (confidence === MIN_CONFIDENCE && kind === "environment variable" && !SHELL.test(path)) continue
    if (paths?.test(path) === false) continue
    const text = pattern
      .exec(line)
      ?.slice(1)
      .find((each) => each !== undefined)
    if (text === undefined || text.length < 2 || found.has(text)) continue
    if (kind === "configuration key" && !/\w[._-]\w/.test(text)) continue
    found.set(text, { kind, role, text })
  }
  return [...found.values()]
}

const SHELL = /(?:\.(?:sh|bash|zsh|ya?ml)|(?:^|\/)(?:Makefile|Dockerfile[\w.-]*))$/

const STRING = /["'`]([^"'`\s]*)["'`]/g
/** The host of a URL, or the expression that stands for it. */
const HOST = /^(?:\w+:\/\/[^/]*|\$\{[^}]*\}|#\{[^}]*\}|\{[^}]*\})(?=\/)/
/** Lines on which a route may be written without its first slash. */
const BARE_ROUTE =
  /(?:^|[[(,])\s*(?:(?:re_)?path|url)\s*\(|^\s*(?:get|post|put|patch|delete|match)\s*\(?\s*["']|@(?:Get|Post|Put|Patch|Delete|All|Controller|Path)\(|\[(?:Http\w+|Route)\(|\brouter\.register\(/

function routeIn(line: string, path: string, prefix: string): LiteralInCode | null {
  const isDeclaring = DECLARES.test(line)
  if (!isDeclaring && !CALLS.test(line)) return null
  for (const [, inner = ""] of line.matchAll(STRING)) {
    const route = routeText(inner, isDeclaring && BARE_ROUTE.test(line))
    if (route === null) continue
    const role = literalOf(route)?.useIn(line, path)?.role
    if (role !== "declared" && role !== "called") continue
    const methods = new Set(methodsIn(line.replace(inner, "")))
    const method = methods.size === 1 ? `${[...methods][0]} ` : ""
    return { kind: "route", role, text: `${method}${role === "declared" ? joined(prefix, route) : route}` }
  }
  return null
}

/** A name of a module, as `mock.patch("shop.views.show")` has it. */
const DOTTED = /^\w+(?:\.\w+)+$/

/** The route in a string: without host and query, with a slash at its start; null if the string holds no route. */
export function routeText(text: string, mayBeBare: boolean): string | null {
  const plain = text
    .replace(HOST, "")
    .replace(/\(\?P<(\w+)>[^)]*\)/g, ":$1")
    .replace(/[?].*$|^\^|\$$/g, "")
    .replaceAll(/#\{[^}]*\}/g, ":value")
  const bare = mayBeBare && !DOTTED.test(plain) ? `/${plain}` : ""
  const route = plain.startsWith("/") ? plain : bare
  return /^\/(?:[\w.~:{}<>[\]$*@-]+\/?)+$/.test(route) && /[A-Za-z]{2}/.test(route) ? route : null
}

function joined(prefix: string, route: string): string {
  const before = prefix.replace(/\/$/, "")
  return before === "" || route.startsWith(`${before}/`) ? route : `${before}${route}`
}
