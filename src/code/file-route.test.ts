import { expect, test } from "bun:test"
import fc from "fast-check"
import { fileRoute } from "./file-route.ts"

test.each([
  ["app/page.tsx", "/"],
  ["app/blog/[slug]/page.tsx", "/blog/[slug]"],
  ["apps/web/src/app/(shop)/cart/@modal/[...all]/page.js", "/cart/[...all]"],
  ["app/api/users/[id]/route.ts", "/api/users/[id]"],
  ["app/feed/(..)photo/[id]/page.tsx", "/feed/photo/[id]"],
  ["src/pages/index.tsx", "/"],
  ["pages/api/users/[id].ts", "/api/users/[id]"],
  ["pages/blog/[postSlug].vue", "/blog/[postSlug]"],
  ["src/pages/about/index.astro", "/about"],
  ["src/routes/blog/[slug]/+page.svelte", "/blog/[slug]"],
  ["src/routes/(app)/api/items/+server.ts", "/api/items"],
  ["server/api/users/[id].get.ts", "/api/users/[id]"],
  ["server/routes/sitemap.xml.ts", "/sitemap.xml"],
  ["app/routes/_index.tsx", "/"],
  ["app/routes/blog.$slug.tsx", "/blog/[slug]"],
  ["app/routes/_auth.login.tsx", "/login"],
  ["app/routes/files.$.tsx", "/files/[...]"],
  ["app/routes/posts/$postId/route.tsx", "/posts/[postId]"],
])("%s answers %s", (path, route) => {
  expect(fileRoute(path)).toBe(route)
})

test.each([
  "src/page.tsx",
  "app/layout.tsx",
  "app/_lib/page.tsx",
  "pages/_app.tsx",
  "src/pages/HomePage.tsx",
  "src/pages/Checkout/Cart.vue",
  "src/routes/+layout.svelte",
  "server/app.ts",
  "docs/pages.md",
])("%s is no route", (path) => {
  expect(fileRoute(path)).toBeNull()
})

test("any path has a route or none", () => {
  const part = fc.constantFrom(
    "app",
    "pages",
    "routes",
    "server",
    "api",
    "[id]",
    "(x)",
    "page.tsx",
    "$a.b.ts",
    "A",
    "..",
    "",
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
      const route = fileRoute(parts.join("/"))
      expect(route === null || route.startsWith("/")).toBe(true)
    }),
  )
})
