import type { CodeSymbol, ParsedFile } from "./parsed-file.ts"

/** A framework whose files are its routes. */
type Router = {
  /** Its group `route` is the path below the routes' folder, without what only marks the file. */
  readonly pattern: RegExp
  readonly read: (route: string) => string | null
}

const SCRIPT = "(?:[cm]?[jt]sx?)"

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
    // A folder called pages holds routes in small letters, or components in capitals.
    pattern: new RegExp(
      `(?:^|/)pages/(?<route>(?:[^A-Z[\\]]|\\[[^\\]/]*\\])*)\\.(?:vue|astro|mdx?|${SCRIPT})$`,
    ),
    read: (route) => (/(?:^|\/)_(?:app|document|error|middleware)$/.test(route) ? null : bySegments(route)),
  },
]

/**
 * The URL path that a file answers, parameters in brackets as Next.js writes them, by its place alone:
 * "app/(shop)/cart/[id]/page.tsx" is "/cart/[id]". Null for a file that is no route.
 */
export function fileRoute(path: string): string | null {
  for (const { pattern, read } of ROUTERS) {
    const match = pattern.exec(path)
    if (match) return read(match.groups!["route"]!)
  }
  return null
}

/** A file that is a route is found by its URL path as by any name that it defines. */
export function withRoute(path: string, file: ParsedFile): ParsedFile {
  const name = fileRoute(path)
  const [first, ...rest] = file.chunks
  if (name === null || !first) return file
  const place = { startLine: first.startLine, endLine: file.chunks.at(-1)!.endLine }
  const route: CodeSymbol = { name, kind: "route", signature: name, ...place, owner: null, doc: null }
  const symbols = [...first.symbols, route]
  return { ...file, chunks: [{ ...first, symbols, kind: symbols[0]!.kind }, ...rest] }
}

/** Groups, slots and an index name nothing; a private folder is no route. */
function bySegments(route: string): string | null {
  const segments = route.split("/").filter((segment) => segment !== "")
  if (segments.some((segment) => /^_[^_]/.test(segment))) return null
  const named = segments
    // An intercepting route answers for what it stands in front of: (.)photo, (...)photo.
    .map((segment) => segment.replace(/^(?:\(\.{1,3}\))+/, ""))
    .filter((segment) => !/^\(.*\)$|^@/.test(segment))
  if (named.at(-1) === "index") named.pop()
  return `/${named.join("/")}`
}

/** Flat files: "blog.$slug.tsx" is "/blog/[slug]", "_auth.login.tsx" is "/login". */
function byDots(route: string): string | null {
  const segments = route
    .replace(/\/?(?:_index|index)$/, "")
    .split(/[./]/)
    .filter((segment) => segment !== "" && !/^_|^\(.*\)$/.test(segment))
    .map((segment) => segment.replace(/_$/, "").replace(/^\((.*)\)$/, "$1"))
    .map((segment) => (segment === "$" ? "[...]" : segment.replace(/^\$(\w+)/, "[$1]")))
  return `/${segments.join("/")}`
}
