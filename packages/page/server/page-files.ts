import { join } from "node:path"

// Replaced by a string literal when scripts/compile.ts builds the binary.
declare const AMAN_PAGE: string | undefined

/** The page's script and style sheet, bundled and minified. */
export type PageFiles = { readonly script: string; readonly style: string }

/** HTML of the page. The name in it is visible before the script has been loaded; the script then replaces it. */
export const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>aman</title>
<link rel="stylesheet" href="/page.css">
<script type="module" src="/page.js"></script>
</head>
<body><nav aria-label="Pages"><p class="brand">aman</p></nav><noscript>This page needs JavaScript.</noscript></body>
</html>
`

/** The bundle contained in the binary; when run from source, it is built at the first call. */
export async function pageFiles(): Promise<PageFiles> {
  return typeof AMAN_PAGE === "string" ? JSON.parse(AMAN_PAGE) : bundlePage()
}

/** Bundles packages/page/browser for browsers. */
export async function bundlePage(): Promise<PageFiles> {
  const { outputs } = await Bun.build({
    entrypoints: [join(import.meta.dir, "..", "browser", "main.ts")],
    target: "browser",
    minify: true,
  })
  const text = async (ending: string) =>
    (await outputs.find(({ path }) => path.endsWith(ending))?.text()) ?? ""
  return { script: await text(".js"), style: await text(".css") }
}
