import { expect, test } from "bun:test"
import { Workspace } from "./harness.ts"

const first = async (project: Workspace, query: string) =>
  (await project.json(["search", "--limit", "5", "--", query])).results[0]

test("finds a file route by its URL path, in any framework's spelling", async () => {
  const page = (name: string) => `export default function ${name}() {\n  return null\n}\n`
  using site = new Workspace({
    "app/blog/[slug]/page.tsx": page("Page"),
    "app/blog/page.tsx": page("Page"),
    "app/api/users/[id]/route.ts": "export async function GET() {\n  return new Response()\n}\n",
    "lib/users.ts": "export const users = []\n// slug of the blog page\n",
    "lib/blog.ts": "export function slug(blog: string) {\n  return blog\n}\n",
  })
  expect(await first(site, "/api/users/[id]")).toMatchObject({ path: "app/api/users/[id]/route.ts" })
  expect(await first(site, "/api/users/:id")).toMatchObject({ path: "app/api/users/[id]/route.ts" })
  expect(await first(site, "/blog/[slug] page")).toMatchObject({ path: "app/blog/[slug]/page.tsx" })
  const { results } = await site.json(["search", "--kind", "route", "blog"])
  expect(
    results
      .slice(0, 2)
      .map(({ symbol }: { symbol: string }) => symbol)
      .sort(),
  ).toEqual(["/blog", "/blog/[slug]"])
})

test("returns a module for several platforms once, with the names of its variants", async () => {
  const button = (system: string) => `export function renderButton() {\n  return "${system}"\n}\n`
  using app = new Workspace({
    "ui/button.ios.tsx": button("ios"),
    "ui/button.android.tsx": button("android"),
    "ui/button.tsx": button("any"),
    "ui/list.tsx": "export function renderList() {\n  return renderButton()\n}\n",
  })
  const { results } = await app.json(["search", "renderButton"])
  expect(results.map(({ path }: { path: string }) => path)).toHaveLength(2)
  expect([results[0].path, ...results[0].variants].sort()).toEqual([
    "ui/button.android.tsx",
    "ui/button.ios.tsx",
    "ui/button.tsx",
  ])
  const { stdout } = await app.run(["search", "renderButton"])
  expect(stdout).toContain("variants ui/button.")
})

test("returns a page in several languages once, in the language of the query, and the newest version of code first", async () => {
  using app = new Workspace({
    "docs/en/limits.md": "# Limits\n\nHow failed logins are limited.\n",
    "docs/de/limits.md": "# Grenzen\n\nWie fehlgeschlagene Anmeldungen begrenzt werden (failed logins).\n",
    "docs/en/start.md": "# Start\n\nWhere logins begin.\n",
    "src/v3/schema.ts": "export function parseSchema(input: string) {\n  return input\n}\n",
    "src/v4/schema.ts": "export function parseSchema(input: string) {\n  return input\n}\n",
  })
  const { results } = await app.json(["search", "failed logins limited"])
  const paths = results.map(({ path }: { path: string }) => path)
  expect(paths[0]).toBe("docs/en/limits.md")
  expect(results[0].variants).toEqual(["docs/de/limits.md"])
  expect(paths).not.toContain("docs/de/limits.md")
  const german = await app.json(["search", "--path", "docs/de", "failed logins limited"])
  expect(german.results.map(({ path }: { path: string }) => path)).toEqual(["docs/de/limits.md"])
  // The same code in a folder of an older version comes after the newer one, unless the query names a version.
  const schemas = async (query: string) =>
    (await app.json(["search", "--lang", "typescript", query])).results.map(
      ({ path }: { path: string }) => path,
    )
  expect(await schemas("where is a schema parsed")).toEqual(["src/v4/schema.ts", "src/v3/schema.ts"])
  expect((await schemas("where does v3 parse a schema"))[0]).toBe("src/v3/schema.ts")
})

test("a #! line or a modeline determines the language when the name does not", async () => {
  using tools = new Workspace({
    "bin/deploy": "#!/usr/bin/env python3\ndef deploy_everything():\n    return 1\n",
    "bin/release": "# vim: ft=ruby\ndef release_everything\n  1\nend\n",
  })
  expect(await first(tools, "deploy_everything")).toMatchObject({ language: "python", kind: "function" })
  expect(await first(tools, "release_everything")).toMatchObject({
    language: "ruby",
    symbol: "release_everything",
  })
})

test("splits files without a working grammar by rules, then by lines, and status says so", async () => {
  const rubbish = "%% ?? ** ]] )) }} not go at all $$ ((\n".repeat(20)
  using project = new Workspace({
    "db/schema.sql":
      "-- Who buys.\nCREATE TABLE customers (\n  id int\n);\n\nCREATE VIEW buyers AS SELECT 1;\n",
    "broken.go": `${rubbish}func Greet(name string) string {\n\treturn name\n}\n${rubbish}`,
    "worse.go": rubbish,
  })
  expect(await first(project, "customers table")).toMatchObject({
    path: "db/schema.sql",
    symbol: "customers",
  })
  expect(await first(project, "Greet")).toMatchObject({
    path: "broken.go",
    symbol: "Greet",
    kind: "function",
  })
  const { notices } = await project.json(["status"])
  expect(notices).toEqual([
    "1 file was split by lines: the grammar does not recognise most of it",
    "1 file was split by rules: the grammar does not recognise most of it",
  ])
})

test("finds and shows a notebook by its cells, on the lines that read shows", async () => {
  const json = JSON.stringify(
    {
      cells: [
        {
          cell_type: "markdown",
          id: "a",
          metadata: {},
          source: ["# Forecast\n", "\n", "Predicts the harvest."],
        },
        {
          cell_type: "code",
          execution_count: 3,
          id: "b",
          metadata: {},
          outputs: [{ output_type: "stream", name: "stdout", text: ["the harvest of zanzibar\n"] }],
          source: ["def predict_harvest(rain):\n", '    """Tons of a year."""\n', "    return rain * 2"],
        },
      ],
      metadata: { language_info: { name: "python" } },
      nbformat: 4,
      nbformat_minor: 5,
    },
    null,
    1,
  )
  using project = new Workspace({ "study.ipynb": `${json}\n`, "other.py": "def other():\n    return 1\n" })
  const best = await first(project, "predict_harvest")
  expect(best).toMatchObject({ path: "study.ipynb", language: "notebook" })
  expect([best, ...best.also].map(({ symbol }: { symbol: string }) => symbol)).toContain("predict_harvest")
  expect(best.text).toContain('def predict_harvest(rain):\n    """Tons of a year."""\n    return rain * 2')
  expect(best.text).not.toContain('\\"')
  const row = best.text.split("\n").findIndex((line: string) => line.startsWith("def predict_harvest"))
  const line = best.start_line + row
  const { text } = await project.json(["read", `study.ipynb:${line}-${line}`])
  expect(text).toContain('"def predict_harvest(rain):\\n"')
  const outputs = await project.json(["search", "--mode", "keyword", "predict zanzibar"])
  expect(outputs.results[0].text).not.toContain("zanzibar")
  const shown = await project.run(["search", "predict_harvest"])
  expect(shown.stdout).toContain("return rain * 2")
})

test("finds a page by the title and the tags of its front matter", async () => {
  using site = new Workspace({
    "content/a.mdx": `---\ntitle: "Zero downtime: rolling deploys"\ntags: [kubernetes, blue-green]\n---\n\nimport { Note } from "./note"\n\n<Note>\n\n## Steps\n\nFirst do this.\n\n</Note>\n`,
    "content/b.md": '+++\ntitle = "Backups"\ntags = ["cron"]\n+++\n\n## Steps\n\nThen do that.\n',
    "content/c.md": "# Steps\n\nDo nothing.\n",
  })
  expect(await first(site, "zero downtime rolling deploys")).toMatchObject({ path: "content/a.mdx" })
  expect(await first(site, "blue-green kubernetes")).toMatchObject({
    path: "content/a.mdx",
    symbol: "Zero downtime: rolling deploys",
  })
  expect(await first(site, "cron")).toMatchObject({ path: "content/b.md", symbol: "Backups" })
})
