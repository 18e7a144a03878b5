/**
 * A rule by which a framework finds code: by the path of the file and, if `names` is given, by these names in it.
 * `isStart`: users or machines start the program at this place, so it is an entry point.
 */
type Convention = {
  readonly what: string
  readonly path: RegExp
  readonly names?: RegExp
  readonly isStart?: true
}

const SCRIPT = "[cm]?[jt]sx?"
const PAGE_EXPORTS =
  /^(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS|all|fallback|load|actions|loader|action|meta|links|headers|entries|match|default|config|middleware|proxy|clientLoader|clientAction|shouldRevalidate|ErrorBoundary|HydrateFallback|Layout|reroute|transport|init|handle\w*|on[A-Z]\w*|get(?:ServerSideProps|StaticProps|StaticPaths|InitialProps)|generate\w+|metadata|viewport|revalidate|prerender|ssr|csr)$/

const CONVENTIONS: readonly Convention[] = [
  {
    what: "Next.js route",
    path: new RegExp(
      `(?:^|/)app/(?:.*/)?(?:page|layout|route|template|default|loading|error|global-error|not-found|sitemap|robots|manifest|icon|opengraph-image)\\.${SCRIPT}$`,
    ),
    isStart: true,
  },
  { what: "page", path: new RegExp(`(?:^|/)pages/.*\\.(?:${SCRIPT}|astro|vue|mdx)$`), isStart: true },
  {
    what: "SvelteKit route",
    path: /(?:^|\/)\+(?:page|layout|server|error)[\w.@()-]*\.(?:[jt]s|svelte)$/,
    isStart: true,
  },
  {
    what: "route",
    path: new RegExp(`(?:^|/)(?:app|src)/routes/.*\\.(?:${SCRIPT}|svelte|vue)$`),
    names: PAGE_EXPORTS,
    isStart: true,
  },
  {
    what: "hook of the framework",
    path: new RegExp(
      `(?:^|/)(?:src/)?(?:hooks(?:\\.server|\\.client)?|middleware|proxy|instrumentation(?:-client)?|entry[.-](?:server|client))\\.${SCRIPT}$`,
    ),
    names: PAGE_EXPORTS,
  },
  {
    what: "Nuxt server route",
    path: new RegExp(`(?:^|/)server/(?:api|routes|middleware|plugins)/.*\\.${SCRIPT}$`),
    isStart: true,
  },
  {
    what: "configuration",
    path: new RegExp(`(?:^|[/.])(?:[\\w-]+\\.)?(?:config|conf|setup|stories)\\.${SCRIPT}$`),
  },
  { what: "Rails controller", path: /(?:^|\/)app\/controllers\/.*_controller\.rb$/, isStart: true },
  {
    what: "Rails convention",
    path: /(?:^|\/)app\/(?:helpers|jobs|mailers|channels|policies|serializers|validators|views|components|graphql|resolvers)\/.*\.rb$/,
  },
  {
    what: "Rails convention",
    path: /(?:^|\/)(?:config\/.*|lib\/(?:.*\/)?generators\/.*|test\/mailers\/previews\/.*)\.rb$/,
  },
  {
    what: "migration",
    path: /(?:^|\/)(?:migrations?|migrate|db\/(?:migrate|post_migrate|data|seeds)|database\/(?:seeders|factories)|alembic\/versions)\/[^/]+\.(?:py|rb|php|ts|js|exs|go|cs)$/i,
  },
  { what: "Django command", path: /(?:^|\/)management\/commands\/\w+\.py$/, isStart: true },
  {
    what: "Django convention",
    path: /(?:^|\/)(?:apps|admin|signals|templatetags\/\w+|context_processors|wagtail_hooks|conftest|settings|asgi|wsgi|middleware)\.py$/,
  },
  {
    what: "Laravel controller",
    path: /(?:^|\/)(?:app\/(?:.*\/)?Controllers?|src\/Controller)\/.*\.php$/,
    isStart: true,
  },
  {
    what: "Laravel convention",
    path: /(?:^|\/)app\/(?:.*\/)?(?:Providers|Policies|Observers|Listeners|Console\/Commands|Middleware|Casts|Rules|Mail|Notifications|Jobs|Events|View\/Components|Livewire|Filament)\/.*\.php$/,
  },
  {
    what: "Phoenix controller",
    path: /(?:^|\/)lib\/\w+_web\/(?:controllers|live|channels|views|components)\/.*\.ex$/,
    isStart: true,
  },
  { what: "Mix project", path: /(?:^|\/)mix\.exs$/ },
  {
    what: "template",
    path: /(?:^|\/)(?:_layouts|_includes|layouts|templates)\/.*\.(?:astro|vue|svelte|[jt]sx)$/,
  },
]

/** The convention by which a framework finds the file or, in the file, this name; null if there is none. */
export function conventionOf(path: string, name: string): string | null {
  for (const { what, path: pattern, names } of CONVENTIONS)
    if (pattern.test(path) && names?.test(name) !== false) return what
  return null
}
/** The convention that makes the file an entry point of the program; null if there is none. */
export function startConvention(path: string): string | null {
  return CONVENTIONS.find(({ path: pattern, isStart }) => isStart && pattern.test(path))?.what ?? null
}

/** A framework in which the path of a file determines its route. */
type Router = {
  /**
   * The group `route` of the pattern matches the path below the folder of routes, without parts that only mark the file
   * as a route.
   */
  readonly pattern: RegExp
  readonly read: (route: string) => string | null
}

const ROUTERS: readonly Router[] = [
  {
    // Next.js.
    pattern: /(?:^|\/)app\/(?<route>(?:.*\/)?)(?:page\.(?:[jt]sx|js|mdx?)|route\.[jt]s)$/,
    read: bySegments,
  },
  {
    // SvelteKit.
    pattern: /(?:^|\/)routes\/(?<route>(?:.*\/)?)\+(?:page|server|page\.server)(?:@\w*)?\.(?:svelte|ts|js)$/,
    read: bySegments,
  },
  {
    // Nuxt.
    pattern: new RegExp(
      `(?:^|/)server/(?<route>(?:api|routes)/.*?)(?:\\.(?:get|post|put|patch|delete|head|options))?\\.${SCRIPT}$`,
    ),
    read: (route) => bySegments(route.replace(/^routes\//, "")),
  },
  {
    // Remix.
    pattern: new RegExp(`(?:^|/)app/routes/(?<route>.*?)(?:/route)?\\.${SCRIPT}$`),
    read: byDots,
  },
  {
    // A folder named `pages` contains routes if its files are named in lower case, and components if they are
    // capitalized.
    pattern: new RegExp(
      `(?:^|/)pages/(?<route>(?:[^A-Z[\\]]|\\[[^\\]/]*\\])*)\\.(?:vue|astro|mdx?|${SCRIPT})$`,
    ),
    read: (route) => (/(?:^|\/)_(?:app|document|error|middleware)$/.test(route) ? null : bySegments(route)),
  },
]

/**
 * The URL path that a file serves, derived from the file's path alone, with parameters in brackets as in Next.js:
 * "app/(shop)/cart/[id]/page.tsx" serves "/cart/[id]". Null for a file that is no route.
 */
export function fileRoute(path: string): string | null {
  for (const { pattern, read } of ROUTERS) {
    const match = pattern.exec(path)
    if (match) return read(match.groups!["route"]!)
  }
  return null
}

/**
 * Converts folder names to URL segments. Groups, slots and `index` add no segment. Null if a folder is private, because
 * it then serves no route.
 */
function bySegments(route: string): string | null {
  const segments = route.split("/").filter((segment) => segment !== "")
  if (segments.some((segment) => /^_[^_]/.test(segment))) return null
  const named = segments
    // An intercepting route, such as (.)photo or (...)photo, has the URL of the route that it intercepts.
    .map((segment) => segment.replace(/^(?:\(\.{1,3}\))+/, ""))
    .filter((segment) => !/^\(.*\)$|^@/.test(segment))
  if (named.at(-1) === "index") named.pop()
  return `/${named.join("/")}`
}

/**
 * Converts the dots of a flat file name to URL segments: "blog.$slug.tsx" serves "/blog/[slug]", "_auth.login.tsx"
 * serves "/login".
 */
function byDots(route: string): string | null {
  const segments = route
    .replace(/\/?(?:_index|index)$/, "")
    .split(/[./]/)
    .filter((segment) => segment !== "" && !/^_|^\(.*\)$/.test(segment))
    .map((segment) => segment.replace(/_$/, "").replace(/^\((.*)\)$/, "$1"))
    .map((segment) => (segment === "$" ? "[...]" : segment.replace(/^\$(\w+)/, "[$1]")))
  return `/${segments.join("/")}`
}
