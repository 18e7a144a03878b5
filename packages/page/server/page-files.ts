import { createHash } from "node:crypto"
import { join } from "node:path"

// Replaced by string literals when scripts/compile.ts builds the binary.
declare const AMAN_PAGE: string | undefined
declare const AMAN_VIEW: string | undefined
declare const AMAN_MAP: string | undefined

/** The page's script and style sheet, bundled and minified. */
export type PageFiles = { readonly script: string; readonly style: string }

/** HTML of the page. The name in it is visible before the script has been loaded; the script then replaces it. */
const page = (place: Place) => `<!doctype html>
<html lang="en" data-place="${place}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>aman</title>
<link rel="stylesheet" href="page.css">
<script type="module" src="page.js"></script>
</head>
<body><nav aria-label="Pages"><p class="brand">aman</p></nav><noscript>This page needs JavaScript.</noscript></body>
</html>
`

/** The bundle contained in the binary; when run from source, it is built at the first call. */
let files: Promise<PageFiles> | null = null

/** What the page shows: an open project, or the repositories of a team. */
type Place = "project" | "team"

/**
 * The page itself, or its script or style; null for any other path. It is the same for every project and every person, so
 * that it needs no secret.
 */
export async function pageFile(place: Place, method: string, path: string): Promise<Response | null> {
  if (method !== "GET" && method !== "HEAD") return null
  if (path === "/") return textResponse(page(place), "text/html")
  // Browsers ask for it unasked; the page has none.
  if (path === "/favicon.ico") return new Response(null, { status: 204 })
  if (path !== "/page.js" && path !== "/page.css") return null
  files ??= typeof AMAN_PAGE === "string" ? Promise.resolve(JSON.parse(AMAN_PAGE)) : bundlePage()
  const { script, style } = await files
  return path === "/page.js" ? textResponse(script, "text/javascript") : textResponse(style, "text/css")
}

function textResponse(body: string, type: string): Response {
  return new Response(body, { headers: { "content-type": `${type}; charset=utf-8` } })
}

/** The view for hosts of MCP Apps, contained in the binary; when run from source, it is built at each call. */
export async function viewPage(): Promise<string> {
  return typeof AMAN_VIEW === "string" ? AMAN_VIEW : bundleView()
}

/** Bundles packages/page/browser for browsers. */
export function bundlePage(): Promise<PageFiles> {
  return bundle("main.ts")
}

/** The view as one page. */
export function bundleView(): Promise<string> {
  return bundleWhole("view/view.ts", "view")
}

/** The map as one page, without its data. */
export function bundleMap(): Promise<string> {
  return bundleWhole("map/exported-map.ts", "exported")
}

/** The map with its data as one page, which asks no server. */
export async function mapPage(data: object): Promise<string> {
  const page = typeof AMAN_MAP === "string" ? AMAN_MAP : await bundleMap()
  // No text of the project can end the element: "<" is written as an escape of JSON.
  const json = JSON.stringify(data).replaceAll("<", "\\u003c")
  const [head, ...rest] = page.split("<script")
  return `${head}<script type="application/json" id="data">${json}</script><script${rest.join("<script")}`
}

/** A page with its script and style, which alone its policy admits. */
async function bundleWhole(entry: string, look: string): Promise<string> {
  const { script, style } = await bundle(entry)
  const code = script.replaceAll("</script", "<\\/script")
  const hash = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`
  const policy = `default-src 'none'; script-src ${hash(code)}; style-src ${hash(style)}; base-uri 'none'; form-action 'none'`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>aman</title>
<style>${style}</style>
</head>
<body class="${look}"><script type="module">${code}</script></body>
</html>
`
}

async function bundle(entry: string): Promise<PageFiles> {
  const { outputs } = await Bun.build({
    entrypoints: [join(import.meta.dir, "..", "browser", entry)],
    target: "browser",
    minify: true,
  })
  const text = async (ending: string) =>
    (await outputs.find(({ path }) => path.endsWith(ending))?.text()) ?? ""
  return { script: await text(".js"), style: await text(".css") }
}
