import { fileRoute } from "../parse/index.ts"
import { TIE, type Tie } from "./certainty.ts"

/** Kinds of texts by which services refer to each other, such as routes and environment variables. */
type LiteralKind =
  | "route"
  | "route name"
  | "environment variable"
  | "table"
  | "topic"
  | "remote procedure"
  | "GraphQL field"
  | "configuration key"

/** How a line uses a literal, and how its words tie it to the literal. */
export type LiteralUse = {
  readonly kind: LiteralKind
  readonly role: "declared" | "called" | "mentioned"
  readonly tie: Tie
}

/** A literal text to search for. */
export type Literal = {
  /** True when the text cannot be the name of a symbol. */
  readonly isOnlyText: boolean
  /** True when the text is searched for as text even if a symbol has that name. */
  readonly isAlsoText: boolean
  /** Every file that uses the literal contains all names of one of these lists, as whole words. */
  readonly names: readonly (readonly string[])[]
  /** GLOB patterns, one of which matches the path of every file that uses the literal; null if any file may. */
  readonly files: readonly string[] | null
  /** Every line that uses the literal contains one of these. */
  readonly parts: readonly string[]
  /** How a line of a file uses the literal; null when it does not. */
  readonly useIn: (line: string, path: string) => LiteralUse | null
  /** True when the file's path declares the route, as in Next.js, Astro and SvelteKit; null for other literals. */
  readonly isDeclaredBy: ((path: string) => boolean) | null
}

/**
 * How to search for a route (`/users/:id`, `GET /users`), an environment variable, or the name of a table, topic,
 * remote procedure or configuration key. Null for a text that can be none of these.
 */
export function literalOf(text: string): Literal | null {
  const name = text.trim()
  if (name.length < 2 || name.length > 200) return null
  const route = /^(?:(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)\s+)?(\/[^\s"'`]*)$/.exec(name)
  if (route !== null) return routeLiteral(route[2]!, route[1] ?? null)
  if (/^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/.test(name)) return wordLiteral(name, ENVIRONMENT)
  if (/^[a-z_][\w/]*#[a-z_]\w*[?!]?$/.test(name)) return actionLiteral(name)
  return /^[A-Za-z_][\w.:-]*$/.test(name) ? wordLiteral(name, NAMES) : null
}

/** A pattern for lines that use a name; the text NAME in `at` stands for it. */
type LiteralRule = LiteralUse & {
  readonly at: string
  readonly flags?: string
  readonly path?: RegExp
}

const ENVIRONMENT: readonly LiteralRule[] = [
  {
    kind: "environment variable",
    role: "declared",
    tie: TIE.certain,
    at: "^\\s*(?:export\\s+|ENV\\s+|ARG\\s+|-\\s+|set\\s+)?NAME\\s*[=:]",
    path: /(?:^|\/)(?:\.env[\w.-]*|[\w.-]*\.env|Dockerfile[\w.-]*|Makefile|Procfile|[\w.-]+\.(?:ya?ml|sh|bash|zsh|toml|service|dockerfile))$/i,
  },
  {
    kind: "environment variable",
    role: "declared",
    tie: TIE.certain,
    at: `name:\\s*["']?NAME["']?\\s*$|"NAME"\\s*:\\s*["{]`,
    path: /\.(?:ya?ml|json)$/,
  },
  {
    kind: "environment variable",
    role: "mentioned",
    tie: TIE.certain,
    at: `(?:process\\.env|import\\.meta\\.env|Deno\\.env|Bun\\.env|\\benv)(?:\\?\\.|\\.|\\[\\s*["'\`])(?:get\\(\\s*["'])?NAME\\b`,
  },
  {
    kind: "environment variable",
    role: "mentioned",
    tie: TIE.certain,
    at: `(?:environ(?:\\.get|\\.setdefault)?|getenv|Getenv|LookupEnv|GetEnvironmentVariable|ENV(?:\\.fetch)?|\\benv|env::var(?:_os)?|env!|get_env|fetch_env!?|System\\.get_env|_ENV|\\$_SERVER|fromEnvironment|config)\\s*[([]\\s*["'\`]NAME["'\`]`,
  },
  { kind: "environment variable", role: "mentioned", tie: TIE.similar, at: "\\$\\{?NAME\\b" },
]

export const GRAPHQL = /\.(?:graphqls?|gql)$/
const SCRIPTS = /\.[cm]?[jt]sx?$/

const NAMES: readonly LiteralRule[] = [
  {
    kind: "table",
    role: "declared",
    tie: TIE.certain,
    at: `CREATE\\s+TABLE\\s+(?:IF\\s+NOT\\s+EXISTS\\s+)?["'\`[]?(?:\\w+["'\`\\]]?\\.["'\`[]?)?NAME\\b`,
    flags: "i",
  },
  {
    kind: "table",
    role: "declared",
    tie: TIE.certain,
    at: `(?:create_table|Schema::create|createTable|(?:pg|mysql|sqlite|\\w+)Table|__tablename__\\s*=|db_table\\s*=|table_name\\s*=|\\$table\\s*=|@Entity|@Table\\(\\s*name\\s*=|\\bschema|create\\s+table|@@map|\\[Table)\\s*\\(?\\s*[:"'\`]NAME\\b`,
  },
  {
    kind: "table",
    role: "mentioned",
    tie: TIE.open,
    at: `\\b(?:FROM|JOIN|INTO|UPDATE|REFERENCES|TABLE)\\s+["'\`[]?(?:\\w+["'\`\\]]?\\.["'\`[]?)?NAME\\b`,
  },
  {
    kind: "table",
    role: "mentioned",
    tie: TIE.similar,
    at: `(?:\\.from|\\.table|\\.into|DB::table|add_column|add_index|remove_column|change_table|add_reference|add_foreign_key|drop_table|rename_column)\\s*\\(?\\s*[:"'\`]NAME\\b`,
  },
  {
    kind: "topic",
    role: "declared",
    tie: TIE.open,
    at: `(?:subscribe|[sS]ubscribe\\w*|consume\\w*|KafkaListener\\w*\\([^)]*|@RabbitListener\\([^)]*|@SubscribeMessage|@(?:Event|Message)Pattern|queue_declare|psubscribe|PubSub\\.subscribe)\\b[^"'\`]*["'\`]NAME["'\`]`,
  },
  {
    kind: "topic",
    role: "called",
    tie: TIE.open,
    at: `(?:publish\\w*|[pP]ublish\\w*|broadcast\\w*|produce\\w*|basic_publish|convertAndSend|sendToQueue|kafkaTemplate\\.send)\\b[^"'\`]*["'\`]NAME["'\`]`,
  },
  {
    kind: "remote procedure",
    role: "declared",
    tie: TIE.certain,
    at: "^\\s*rpc\\s+NAME\\s*\\(",
    path: /\.proto$/,
  },
  {
    kind: "remote procedure",
    role: "called",
    tie: TIE.unknown,
    at: "(?:\\.|->|::)NAME\\s*\\(",
  },
  {
    kind: "remote procedure",
    role: "mentioned",
    tie: TIE.unknown,
    at: "(?:\\bfunc\\s*\\([^)]*\\)|\\b(?:def|fun|fn|override|async|void|public))\\s+(?:[\\w<>.]+\\s+)*NAME\\s*[(<]",
  },
  // Names that a framework gives to routes: Django and Symfony, Laravel.
  {
    kind: "route name",
    role: "declared",
    tie: TIE.certain,
    at: `\\b(?:(?:re_)?path|url|Route)\\([^#]*\\bname\\s*[=:]\\s*["']NAME["']|^\\s*name\\s*=\\s*["']NAME["'],?\\s*\\)*,?\\s*$|->name\\(\\s*["']NAME["']`,
    path: /(?:^|\/)(?:\w*urls\w*(?:\/\w+)?|routers?|routes)\.py$|\.php$/,
  },
  {
    kind: "route name",
    role: "called",
    tie: TIE.certain - 1,
    at: `\\{%-?\\s*url\\s+["'](?:[\\w-]+:)*NAME["']|\\b(?:reverse|reverse_lazy|redirect|resolve_url|redirectToRoute|generateUrl|to_route|route)\\(\\s*["'](?:[\\w-]+:)*NAME["']`,
  },
  {
    kind: "route name",
    role: "called",
    tie: TIE.certain - 1,
    at: `\\b(?:path|url)\\(\\s*["']NAME["']`,
    path: /\.twig$/,
  },
  {
    kind: "route name",
    role: "called",
    tie: TIE.certain - 1,
    at: `\\burl_for\\(\\s*["'](?:[\\w-]*\\.)*NAME["']`,
  },
  {
    kind: "GraphQL field",
    role: "declared",
    tie: TIE.certain,
    at: "^\\s*NAME\\s*(?:\\([^)]*\\))?\\s*:\\s*[[\\w]",
    path: GRAPHQL,
  },
  {
    kind: "GraphQL field",
    role: "called",
    tie: TIE.similar,
    at: "(?:^|[{}])\\s*(?:\\w+:\\s*)?NAME\\s*(?:\\([^)]*\\))?\\s*\\{(?!.*=>)",
    path: /\.(?:graphqls?|gql|[cm]?[jt]sx?|vue|svelte)$/,
  },
  {
    kind: "GraphQL field",
    role: "mentioned",
    tie: TIE.unknown,
    at: "^\\s*(?:async\\s+)?NAME\\s*(?::\\s*(?:async\\b|\\(|\\w+\\s*=>|\\{)|\\()|@(?:Query|Mutation|Subscription|ResolveField)\\([^)]*NAME",
    path: SCRIPTS,
  },
  {
    kind: "GraphQL field",
    role: "mentioned",
    tie: TIE.unknown,
    at: "\\bdef\\s+(?:resolve_)?NAME\\(|\\bfield\\s*\\(?:?NAME\\b",
    path: /\.(?:py|rb)$/,
  },
  {
    kind: "configuration key",
    role: "declared",
    tie: TIE.certain,
    at: "^\\s*NAME\\s*[=:]",
    path: /\.(?:properties|conf|cfg|ini|toml|ya?ml)$/,
  },
  {
    kind: "configuration key",
    role: "mentioned",
    tie: TIE.certain - 1,
    at: `(?:@Value\\(\\s*["']\\$\\{|(?:getProperty|[cC]onfig(?:uration)?(?:\\.\\w+)?|settings?(?:\\.\\w+)?|viper\\.\\w+|getString|getInt|getBoolean|GetValue\\w*|GetSection|ConfigProperty\\(\\s*name\\s*=)\\s*[([]?\\s*["'\`])NAME\\b`,
  },
]

function wordLiteral(name: string, rules: readonly LiteralRule[]): Literal {
  const spellings = rules === NAMES ? spellingsOf(name) : [name]
  const patternOf = ({ kind, at, flags = "" }: LiteralRule) => {
    const names = kind === "remote procedure" ? spellings : [name]
    return rulePattern({ at, flags }, `(?:${names.map((each) => RegExp.escape(each)).join("|")})(?![\\w-])`)
  }
  // Most names have a definition, so that no line is examined.
  let own: readonly (LiteralRule & { readonly pattern: RegExp })[] | null = null
  return {
    names: spellings.map((each) => [each]),
    files: null,
    parts: spellings,
    useIn: (line, path) => {
      own ??= rules.map((rule) => ({ ...rule, pattern: patternOf(rule) }))
      const found = own.find((rule) => (rule.path?.test(path) ?? true) && rule.pattern.test(line))
      return found ? { kind: found.kind, role: found.role, tie: found.tie } : null
    },
    isDeclaredBy: null,
    isOnlyText: false,
    isAlsoText: rules === ENVIRONMENT,
  }
}

/** The pattern of a rule, with `name` in place of NAME. */
function rulePattern({ at, flags = "" }: Pick<LiteralRule, "at" | "flags">, name: string): RegExp {
  return new RegExp(at.replaceAll("NAME", name), flags)
}

/** The actions of a controller to which a line `resources :orders` of Rails leads. */
const RESOURCE_ACTIONS: ReadonlySet<string> = new Set("index show new create edit update destroy".split(" "))

/** An action of a Rails controller as its routes write it: `orders#show`. */
function actionLiteral(name: string): Literal {
  const [controller = "", action = ""] = name.split("#")
  const resource = controller.split("/").at(-1)!
  const written = new RegExp(`["'\`](?:[\\w/]*/)?${escaped(resource)}#${escaped(action)}["'\`]`)
  // The controller of `resource :session` is SessionsController.
  const single = `resource\\b[^#"'\`]*:${escaped(resource.replace(/s$/, ""))}`
  const resources = new RegExp(
    `^\\s*(?:resources?\\b[^#"'\`]*:${escaped(resource)}|${single})(?:\\s*(?:do\\b.*|,.*))?$`,
  )
  const isStandard = RESOURCE_ACTIONS.has(action)
  const use = (tie: Tie) => ({ kind: "route", role: "declared", tie }) as const
  return {
    names: [],
    files: ["config/routes.rb", "*/config/routes.rb", "config/routes/*.rb", "*/config/routes/*.rb"],
    parts: [resource.replace(/s$/, "")],
    isOnlyText: true,
    isAlsoText: true,
    isDeclaredBy: null,
    useIn: (line, path) => {
      if (!RAILS_ROUTES.test(path)) return null
      if (written.test(line)) return use(TIE.certain)
      const isListed = isStandard && resources.test(line) && isActionOf(line, action)
      return isListed ? use(TIE.open) : null
    },
  }
}

export const RAILS_ROUTES = /(?:^|\/)config\/(?:routes\/.*|routes)\.rb$/

/** False if `only:` or `except:` of a line with `resources` leaves the action out. */
function isActionOf(line: string, action: string): boolean {
  const [, which, list = ""] =
    /\b(only|except):?\s*(?:=>)?\s*(\[[^\]]*\]?|%i\[[^\]]*\]|:\w+)/.exec(line) ?? []
  if (which === undefined) return true
  return new RegExp(`\\b${escaped(action)}\\b`).test(list) === (which === "only")
}

/** The spellings that code generators give a remote procedure's name: `PayOrder`, `payOrder`, `pay_order`. */
function spellingsOf(name: string): string[] {
  if (!/^[A-Z]\w*[a-z]\w*$/.test(name)) return [name]
  const words = name.replace(/([a-z\d])([A-Z])/g, "$1_$2").toLowerCase()
  return [...new Set([name, name[0]!.toLowerCase() + name.slice(1), words])]
}

/** A route segment that stands for any value, in the spellings of frameworks and callers: `:id`, `{id}` and so on. */
const PARAMETER =
  /^(?::\w+\??|\{[^}]*\}|<[^>]*>|\[[^\]]*\]|\$\{[^}]*\}|\*+|%[sd]|\d+|[\da-f]{8}-[\da-f-]{27})$/
/** True for a route segment that stands for any value. */
export function isParameter(segment: string): boolean {
  return PARAMETER.test(segment)
}

const ANY_VALUE =
  "(?::\\w+\\??|\\{[^}/]*\\}|<[^>/]*>|\\[[^\\]/]*\\]|\\$\\{[^}]*\\}|#\\{[^}]*\\}|\\*+|%[sd]|\\(\\?P<\\w+>[^)]*\\)|[\\w.-]+)"

/** Calls and annotations by which frameworks declare a route. */
const DECLARES = new RegExp(
  [
    "@(?:Get|Post|Put|Patch|Delete|Request)Mapping\\b|@(?:Get|Post|Put|Patch|Delete|All|Controller|Path|Route)\\(",
    "@\\w+(?:\\.\\w+)?\\.(?:get|post|put|patch|delete|route|websocket|api_route|options|head)\\(",
    "\\b(?:app|router|server|r|e|m|mux|g|group|routes?|Route|fastify|engine|http|Router|srv|web|blueprint|bp|\\w*[rR]outer|\\w*App|\\w*Mux|\\w*Group)(?:\\.|::|->)(?:get|post|put|patch|delete|all|use|any|options|head|resource|apiResource|match|view|redirect|add_url_rule|add_route|route|GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS|Handle\\w*|Get|Post|Put|Patch|Delete|Any|Head|Options|Mount|Route|Group|Combo)\\s*[(<]",
    "(?:^|[[(,]|=\\s*\\[)\\s*(?:(?:re_)?path|url)\\s*\\(\\s*r?[\"']|\\bHandleFunc\\(|\\bMap(?:Get|Post|Put|Patch|Delete)\\(|\\[(?:Http(?:Get|Post|Put|Patch|Delete)|Route)\\(",
    "^\\s*(?:get|post|put|patch|delete|match|resources?|root|scope|live|forward|namespace)\\s*\\(?\\s*[\"':]",
    "\\bgoogle\\.api\\.http\\b|#\\[(?:get|post|put|patch|delete|route)\\(|\\.route\\(|\\bwarp::path",
    '\\b\\w+\\.(?:GET|POST|PUT|PATCH|DELETE)\\(\\s*"|\\brouter\\.register\\(\\s*r?["\']',
  ].join("|"),
)
const CALLS =
  /\b\w*(?:[hH]ttp|[aA]pi|[aA]xios)(?:Client|Service|Instance)\.\w+\s*(?:<[^>]*>)?\(|\bfetch\w*\s*\(|\$fetch|\b(?:axios|requests?|session|httpx|client|ky|got|superagent|api|apiClient|http|https|Faraday|HTTParty|RestClient|restTemplate|webClient|HttpClient|Http|useFetch|useSWR|urlopen|http_client|conn)(?:(?:\.|::)\w+)*\s*(?:<[^>]*>)?\s*[({]|NewRequest\w*\(|\bcurl\b|URLSession|\bwget\b/
const LINKS =
  /\bhref=|\baction=|\bto=|router\.(?:push|replace)|navigate\w*\(|redirect\w*[\s(]|link_to|\bLink\b|\burl\b/i
const METHODS =
  /\b(?:get|post|put|patch|delete|head|options)\b|(?:Get|Post|Put|Patch|Delete)(?:Mapping)?\(|\b(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)\b/g

function routeLiteral(route: string, method: string | null): Literal {
  const segments = route.split("/").filter((each) => each !== "")
  const body = segments.map((each) => (PARAMETER.test(each) ? ANY_VALUE : escaped(each))).join("/")
  const before = "[\"'`](?:[^\"'`\\s]*/|\\^)?"
  const pattern =
    segments.length === 0 ? `["'\`]/["'\`]` : `${before}${body}/?\\$?(?:[?#][^"'\`{][^"'\`]*)?["'\`]`
  const whole = new RegExp(`["'\`](?:\\^)?/?${body}/?(?:\\$)?(?:[?#][^"'\`{][^"'\`]*)?["'\`]`, "i")
  // ASP.NET ignores case, and puts the name of a class into its routes; routes that differ only in case are rare.
  const any = new RegExp(pattern, "i")
  const fixed = segments.filter((each) => !PARAMETER.test(each))
  const longest = fixed.toSorted((one, other) => other.length - one.length)[0]
  return {
    names: [fixed],
    files: null,
    parts: longest === undefined ? ["/"] : casesOf(longest),
    isOnlyText: true,
    isAlsoText: true,
    isDeclaredBy: (path) => {
      const own = fileRoute(path)
      return own !== null && new RegExp(`^/${body}$`).test(own)
    },
    useIn: (line) => {
      const at = any.exec(line)?.index
      if (at === undefined || !mayHaveMethod(line, method)) return null
      const part = whole.test(line) ? 0 : PART_OF_TEXT
      const isCall = CALLS.test(line.slice(0, at))
      // `http.get("/x")` calls a route. With a function after the path, the same call declares a route.
      if (DECLARES.test(line) && !(isCall && !HANDLER.test(line)))
        return { kind: "route", role: "declared", tie: TIE.certain - part }
      if (isCall) return { kind: "route", role: "called", tie: TIE.certain - 1 - part }
      return { kind: "route", role: "mentioned", tie: (LINKS.test(line) ? TIE.similar : TIE.name) - part }
    },
  }
}

/** The usual spellings of a part of a route where case is ignored: `OrderLines`, `orderLines`, `orderlines`. */
function casesOf(part: string): string[] {
  const rest = part.slice(1)
  return [
    ...new Set([part, part[0]!.toUpperCase() + rest, part[0]!.toLowerCase() + rest, part.toLowerCase()]),
  ]
}

/** Subtracted from the tie to a text that is only a part of the one asked for, or only has it as a part. */
export const PART_OF_TEXT = TIE.certain - TIE.similar

/** Matches a function or a function's name after the path, or a decorator: signs that the line declares a route. */
const HANDLER = /["'`]\s*,\s*(?:async\b|function\b|\(|\w+\s*=>|[\w.:]+\s*[,)])|^\s*@|#\[|\bto:/

/** False when the line names an HTTP method, but not this one. */
function mayHaveMethod(line: string, method: string | null): boolean {
  if (method === null) return true
  const named = methodsIn(line)
  return named.length === 0 || named.includes(method)
}

/** The HTTP methods that a line names, in capitals. */
function methodsIn(line: string): string[] {
  return [...line.matchAll(METHODS)].map(([each]) => each.replace(/Mapping|\(/g, "").toUpperCase())
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")
}

/** A text that a line uses: a route with its method if the line names one, or a name. */
export type LiteralInCode = Pick<LiteralUse, "kind" | "role"> & {
  readonly text: string
  /** True for a route before which a router puts a path that the text lacks. */
  readonly isBelowPrefix?: boolean
}

/** Longer lines are generated or data. */
const MAX_LINE_CHARS = 500
/** A weaker tie means that the words of the rule are common in code that does not use such a text. */
const MIN_TIE = TIE.similar

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
].filter(({ kind, tie }) => tie >= MIN_TIE && !NEED_SCHEMA.has(kind))

/** Every line that a rule for names matches has one of these; one test is faster than all rules. */
const MAY_NAME =
  /[Ee]nv|ENV|ARG|SERVER|[A-Z]\w*_\w+\s*[=:]|[cC]onfig|etting|viper|[gG]et[A-Z]|FROM|JOIN|INTO|UPDATE|REFERENCES|TABLE|[tT]able|[eE]ntity|schema|@@map|DB::|\.(?:from|into)|_(?:column|index|reference|foreign_key)|ubscribe|consume|Listener|Pattern|queue|Queue|ublish|broadcast|produce|convertAndSend|\.send|name|url|reverse|redirect|route|path|Value|Property|\$/

function namesIn(line: string, path: string): LiteralInCode[] {
  const found = new Map<string, LiteralInCode>()
  for (const { kind, role, tie, path: paths, pattern } of EXTRACTIONS) {
    // In shells `$NAME` is a variable; in other languages it is mostly a constant.
    if (tie === MIN_TIE && kind === "environment variable" && !SHELL.test(path)) continue
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
