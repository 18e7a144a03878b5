import { expect, test } from "bun:test"
import { conventionOf, startConvention } from "./conventions.ts"

test.each<[path: string, name: string, what: string | null]>([
  ["apps/shop/mix.exs", "Shop.MixProject", "Mix project"],
  ["web/app/users/[id]/page.tsx", "Page", "Next.js route"],
  ["web/src/routes/users/+page.svelte", "load", "SvelteKit route"],
  ["app/controllers/users_controller.rb", "show", "Rails controller"],
  ["shop/management/commands/sync.py", "Command", "Django command"],
  ["src/routes/users.ts", "loader", "route"],
  ["src/routes/users.ts", "sortUsers", null],
  ["lib/shop/cart.ex", "total", null],
])("%s: %s is found by the convention %p", (path, name, what) => {
  expect(conventionOf(path, name)).toBe(what)
})

test("treats a route as an entry point of the program, but not a project file of Mix", () => {
  expect([startConvention("pages/index.astro"), startConvention("mix.exs")]).toEqual(["page", null])
})
