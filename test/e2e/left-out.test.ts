import { afterAll, beforeAll, expect, test } from "bun:test"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { connect } from "./connect.ts"
import { Workspace } from "./harness.ts"

const CODE = Array.from(
  { length: 300 },
  (_, i) => `export function node${i}(a: number) { return a + ${i} }\n`,
)

let shop: Workspace
beforeAll(async () => {
  shop = new Workspace({
    "use.ts": 'import { node7 } from "./big/checker"\nexport const total = node7(1)\n',
    "big/checker.ts": CODE.join(""),
    "gen/private.ts": "export const hidden = 1\n",
    "vendored/inner/nested.ts": "export const nested = 1\n",
    "data/yarn.lock": "left-pad@1:\n",
    "web/app.min.js": "var hidden=1\n",
    "web/bundle.js": `var hidden=1;${"call(1);".repeat(800)}\n`,
    "web/picture.ts": "\0\0\0\0 hidden",
    ".env": "HIDDEN=x\n",
    ".amanignore": "gen/\n",
    ".aman.yaml": "index:\n  max_file_size: 8000\n",
  })
  const git = (...args: string[]) => Bun.spawnSync(["git", "-C", shop.project, ...args], { env: shop.env })
  git("init", "-q")
  mkdirSync(join(shop.project, "lib/parser"), { recursive: true })
  git("update-index", "--add", "--cacheinfo", `160000,${"1".repeat(40)},lib/parser`)
  git("add", "gen/private.ts", "use.ts")
  git("init", "-q", "vendored/inner")
  await shop.run(["index"])
})
afterAll(() => shop[Symbol.dispose]())

/** A file, and how every answer that names it says why it is not indexed. */
const LEFT_OUT: readonly (readonly [path: string, note: string])[] = [
  [
    "big/checker.ts",
    "big/checker.ts is not indexed: it is skipped (too large); to index it: aman config set index.max_file_size 1MB",
  ],
  [
    "gen/private.ts",
    "gen/private.ts is not indexed: its folder gen is skipped (excluded); to index it, change .amanignore, paths.include or paths.exclude",
  ],
  [
    "vendored/inner/nested.ts",
    "vendored/inner/nested.ts is not indexed: its folder vendored/inner is skipped (nested repository); to index it, add !/vendored/inner to .amanignore",
  ],
  [
    "data/yarn.lock",
    "data/yarn.lock is not indexed: it is skipped (lock file); to index it, add !/data/yarn.lock to .amanignore",
  ],
  [
    "web/app.min.js",
    "web/app.min.js is not indexed: it is skipped (minified); to index it, add !/web/app.min.js to .amanignore",
  ],
  [
    "web/bundle.js",
    'web/bundle.js is not indexed: it is skipped (minified); to index it, add "web/bundle.js -linguist-generated" to .gitattributes',
  ],
  ["web/picture.ts", "web/picture.ts is not indexed: it is skipped (binary)"],
  [
    "lib/parser/parse.c",
    "lib/parser/parse.c is not indexed: its folder lib/parser is skipped (submodule not checked out); to bring it in: git submodule update --init lib/parser",
  ],
]

test.each(LEFT_OUT)("search and context say why %s is not indexed", async (path, note) => {
  const found = await shop.json(["search", `where is ${path} used`])
  expect(found.notices).toContain(note)
  const { hints } = await shop.json(["context", `mend ${path}:3`])
  expect(hints.join("\n")).toContain(note.slice(0, 60))
})

test.each(LEFT_OUT)("symbol says why %s is not indexed, with --outline and without", async (path, note) => {
  for (const flags of [["--outline"], []]) {
    const { stderr, code } = await shop.run(["symbol", path, ...flags])
    expect([code, stderr.replaceAll("hint: ", "")]).toEqual([1, expect.stringContaining(note.split(";")[0]!)])
  }
})

test.each(["checker.ts", "private.ts", "yarn.lock", "app.min.js", "bundle.js"])(
  "search finds the path of %s by its name",
  async (name) => {
    const path = LEFT_OUT.find(([each]) => each.endsWith(`/${name}`))![0]
    const { notices } = await shop.json(["search", name])
    expect(notices.join("\n")).toContain(`${path} is not indexed: `)
  },
)

test("a symbol defined only in such a file is said to be in it", async () => {
  const { stderr, code } = await shop.run(["symbol", "node7"])
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining(
      "big/checker.ts contains the name, but is not indexed: it is skipped (too large)",
    ),
  ])
  expect((await shop.run(["symbol", "node70000"])).stderr).not.toContain("checker.ts")
})

test("a text search says which files a pattern or a path leaves out", async () => {
  const byGlob = await shop.run(["grep", "hidden", "-g", "private.ts"])
  expect(byGlob.stderr).toContain("gen/private.ts is not indexed: its folder gen is skipped (excluded)")
  const bySubmodule = await shop.run(["grep", "hidden", "lib/parser/parse.c"])
  expect(bySubmodule.stderr).toContain("lib/parser is skipped (submodule not checked out)")
  const nothing = await shop.run(["grep", "nested = 1"])
  expect(nothing.stderr).toContain("not searched: 1 excluded, 1 nested repository")
})

test("a read says how to bring in a file that is too large or not checked out", async () => {
  expect((await shop.run(["read", "big/checker.ts"])).stderr).toContain(
    "aman config set index.max_file_size 1MB",
  )
  expect((await shop.run(["read", "lib/parser/parse.c"])).stderr).toContain(
    "git submodule update --init lib/parser",
  )
})

test("a file with secrets is not mentioned, and names of indexed files cause no notice", async () => {
  for (const query of [".env", "use.ts", "use.ts:2", "total/node7", "Shop.open"]) {
    const { notices } = await shop.json(["search", query])
    expect(notices.join("\n")).not.toContain("is not indexed")
  }
})

test("status lists a submodule that is not checked out", async () => {
  const { skipped } = await shop.json(["status", "--skipped", "submodule not checked out"])
  expect(skipped).toEqual([{ path: "lib/parser", reason: "submodule not checked out" }])
})

test("a server gives agents the same sentences", async () => {
  await using server = await connect(shop)
  const path = "gen/private.ts"
  const note = "gen/private.ts is not indexed: its folder gen is skipped (excluded)"
  for (const [tool, args] of [
    ["search", { query: `what does ${path} do` }],
    ["search", { query: "hidden", mode: "exact", paths: ["gen/priv*.ts", path] }],
    ["context", { task: `mend ${path}` }],
    ["symbol", { path, relation: "outline" }],
    ["symbol", { name: path }],
  ] as const) {
    const { content } = await server.call(tool, args)
    expect([tool, content.map(({ text }) => text).join("\n")]).toEqual([tool, expect.stringContaining(note)])
  }
})
