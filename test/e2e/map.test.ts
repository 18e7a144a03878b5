import { afterAll, beforeAll, expect, test } from "bun:test"
import { loadTokenizer } from "../../src/text/tokenizer.ts"
import { connect } from "./connect.ts"
import { Workspace } from "./harness.ts"

const FILES: Readonly<Record<string, string>> = {
  "package.json": JSON.stringify({
    name: "shop",
    description: "Sells books to people.",
    bin: { shop: "./dist/cli.js" },
    exports: { ".": { types: "./dist/index.d.ts", import: "./dist/index.js" } },
    scripts: { build: "tsc", test: "vitest" },
  }),
  Makefile: "VERSION := 1\nbuild: src\n\ttsc\nrelease:\n\tnpm publish\n",
  Dockerfile: 'FROM node\nENTRYPOINT ["node", "dist/cli.js"]\n',
  "src/cli.ts": 'import { openStore } from "./store/open-store.ts"\nopenStore("x")\n',
  "src/index.ts": 'import { openStore } from "./store/open-store.ts"\nexport const shop = openStore("y")\n',
  "src/store/open-store.ts": "export function openStore(path: string): string {\n  return path\n}\n",
  "cmd/server/main.go": "package main\n\nfunc main() {\n}\n",
  "tools/gen/main.go": "package main\n\nfunc main() {\n}\n",
  "py/pyproject.toml": '[project]\nname = "ledger"\n[project.scripts]\nledger = "ledger.run:main"\n',
  "py/ledger/run.py": "def main():\n    return 1\n",
  "rs/Cargo.toml": '[package]\nname = "till"\n',
  "rs/src/lib.rs": "pub fn total_price() -> u32 { 1 }\n",
  "test/store.test.ts": 'import { openStore } from "../src/store/open-store.ts"\nopenStore("z")\n',
}

let space: Workspace
beforeAll(() => {
  space = new Workspace(FILES)
})
afterAll(() => space[Symbol.dispose]())

type Place = { kind: string; name: string; path: string; line: number | null }

test("lists entry points, folders and central symbols", async () => {
  const map = await space.json(["map"])
  expect(map).toMatchObject({ name: "shop", about: "Sells books to people.", files: 13, partial: null })
  const points = map.entry_points.map(
    ({ kind, name, path, line }: Place) => `${kind} ${name} ${path}:${line}`,
  )
  expect(points).toEqual([
    "command shop src/cli.ts:null",
    "library shop src/index.ts:null",
    "library till rs/src/lib.rs:null",
    "command ledger py/ledger/run.py:null",
    "main server cmd/server/main.go:3",
    "scripts npm run build, test package.json:null",
    "targets make build, release Makefile:null",
    'container ENTRYPOINT ["node", "dist/cli.js"] Dockerfile:null',
  ])
  expect(map.symbols[0]).toMatchObject({ name: "openStore", path: "src/store/open-store.ts", start_line: 1 })
  expect(map.folders.map(({ path }: Place) => path)).toEqual(
    expect.arrayContaining(["src", "src/store", "test", "tools"]),
  )
})

test("applications without a main function have entry points, and central names say something", async () => {
  using apps = new Workspace({
    "README.md":
      "# Till\n\nJoin our newsletter and get 20 % off the hosted plan.\n\nTill counts what a shop sells.\n",
    "android/app/src/main/AndroidManifest.xml":
      '<manifest>\n<application android:name=".TillApp">\n<activity android:name=".main.MainActivity" />\n<activity android:name=".OtherActivity">\n<intent-filter><action android:name="x" /></intent-filter>\n</activity>\n<activity-alias android:name=".Icon" android:targetActivity=".main.MainActivity">\n<intent-filter><category android:name="android.intent.category.LAUNCHER" /></intent-filter>\n</activity-alias>\n</application>\n</manifest>\n',
    "android/app/src/main/java/shop/TillApp.kt": "package shop\n\nclass TillApp : Application()\n",
    "android/app/src/main/java/shop/main/MainActivity.kt":
      "package shop.main\n\nclass MainActivity : Activity() {\n    fun main(name: String) {}\n}\n",
    "android/app/src/main/java/shop/OtherActivity.kt": "package shop\n\nclass OtherActivity : Activity()\n",
    "ios/Till/TillApp.swift": "import SwiftUI\n\n@main\nstruct TillApp: App {\n}\n",
    "web/index.html": '<script type="module" src="/src/start.ts"></script>\n',
    "web/src/start.ts": 'import { assertPaid, openTill } from "./till.ts"\nassertPaid(openTill())\n',
    "web/src/till.ts":
      "export function assertPaid(x: string) {}\nexport function openTill(): string {\n  return ''\n}\n",
    "site/app/orders/page.tsx": "export default function Orders() {\n  return null\n}\n",
    "rails/config/routes.rb": "Rails.application.routes.draw do\nend\n",
    "rails/app/controllers/orders_controller.rb": "class OrdersController\nend\n",
  })
  const map = await apps.json(["map"])
  expect(map.about).toBe("Till counts what a shop sells.")
  expect(
    map.entry_points.map(({ kind, name, path, line }: Place) => `${kind} ${name} ${path}:${line}`),
  ).toEqual([
    "app TillApp android/app/src/main/java/shop/TillApp.kt:3",
    "app MainActivity android/app/src/main/java/shop/main/MainActivity.kt:3",
    "app TillApp ios/Till/TillApp.swift:3",
    "app web/index.html web/src/start.ts:null",
    "route routes rails/config/routes.rb:null",
    "route Rails controller rails/app/controllers/orders_controller.rb:null",
    "route Next.js route site/app/orders/page.tsx:null",
  ])
  expect(map.symbols.map(({ name }: Place) => name)).toContain("openTill")
  expect(map.symbols.map(({ name }: Place) => name)).not.toContain("assertPaid")
})

test("stays within the tokens as text, most informative first", async () => {
  const { stdout } = await space.run(["map"])
  expect(stdout).toStartWith("shop: Sells books to people.\n")
  expect(stdout).toContain("\n## Entry points\n\n- src/cli.ts command shop\n")
  expect(stdout).toContain("src/store/open-store.ts:1 export function openStore(path: string): string (")
  const short = await space.run(["map", "--max-tokens", "200"])
  const count = await loadTokenizer()
  expect(count(short.stdout)).toBeLessThanOrEqual(200)
  expect(short.stdout).toEndWith("There is more: use a larger budget.\n")
})

test("central symbols are used by their own name: no method, package, example or common library word", async () => {
  const user = (at: number) => ({
    [`tills/use_${at}.py`]:
      "import tills\nfrom tills.text import join, price_tag\nfrom tills.core import Till\nfrom tills.run import tills\n\n" +
      'def f(till):\n    till.ring_up()\n    tills.open()\n    return ", ".join(join(price_tag(Till())))\n',
  })
  using own = new Workspace({
    ...Object.assign({}, ...Array.from({ length: 30 }, (_, at) => user(at))),
    ...Object.fromEntries(
      Array.from({ length: 25 }, (_, at) => [`tills/own_${at}.py`, `def only_${at}():\n    return 1\n`]),
    ),
    "tills/all.py": Array.from(
      { length: 25 },
      (_, at) => `from tills.own_${at} import only_${at}\nonly_${at}()\n`,
    ).join(""),
    "tills/text.py": "def join(parts):\n    return parts\n\ndef price_tag(till):\n    return till\n",
    "tills/core.py": "class Till:\n    def ring_up(self):\n        return 1\n",
    "tills/run.py": "def tills():\n    return 1\n",
    "examples/demo.py": "def demo_helper():\n    return 1\n",
    "examples/use.py": "from demo import demo_helper\ndemo_helper()\n",
  })
  const { symbols } = await own.json(["map"])
  const names = symbols.map(({ name }: { name: string }) => name)
  expect(names.slice(0, 2).sort()).toEqual(["Till", "price_tag"])
  for (const name of ["ring_up", "join", "tills", "demo_helper"]) expect(names).not.toContain(name)
})

test("takes the name from the manifest of its language, or from the workspace member", async () => {
  const headOf = async (files: Readonly<Record<string, string>>) => {
    using own = new Workspace(files)
    return (await own.run(["map"])).stdout.split("\n")[0]
  }
  const gem =
    'Gem::Specification.new do |spec|\n  spec.name = "till"\n  spec.summary = "Counts money."\nend\n'
  const docs = JSON.stringify({ name: "till-docs", description: "Docs" })
  const ruby = { "lib/till.rb": "module Till\nend\n", "till.gemspec": gem }
  expect(await headOf({ ...ruby, "package.json": docs })).toBe("till: Counts money.")
  const quoted = gem.replace("Counts money.", "Ruby's own till.")
  expect(await headOf({ ...ruby, "till.gemspec": quoted })).toBe("till: Ruby's own till.")
  const computed = gem.replace("Counts money.", "till-#{Till::VERSION}")
  const told = "# Till\n\nA till that counts what is in it.\n"
  expect(await headOf({ ...ruby, "till.gemspec": computed, "README.md": told })).toBe(
    "till: A till that counts what is in it.",
  )
  const member = JSON.stringify({ name: "till", description: "Counts money in a browser." })
  const readme =
    "# till\n\nPlease check our documentation [here](https://x).\n\n## Security\n\nWrite to us by letter.\n"
  const web = { "packages/till/package.json": member, "packages/till/a.ts": "export const a = 1\n" }
  const top = JSON.stringify({ name: "till", private: true })
  expect(await headOf({ ...web, "package.json": top, "README.md": readme })).toBe(
    "till: Counts money in a browser.",
  )
  const scoped = JSON.stringify({ name: "@acme/till", private: true })
  expect(await headOf({ ...web, "package.json": scoped })).toBe("@acme/till: Counts money in a browser.")
  const root = JSON.stringify({ name: "root", description: "Counts all." })
  expect(await headOf({ ...web, "package.json": root })).toBe("project: Counts all.")
})

test("says that a folder is empty", async () => {
  using empty = new Workspace()
  const { code, stderr } = await empty.run(["map"])
  expect(code).toBe(1)
  expect(stderr).toBe(`note: nothing is indexed: there are no files in ${empty.project}\n`)
})

test("every command says that git ignores everything, and the suggested step works", async () => {
  using space = new Workspace({ ".gitignore": "/*\n", "src/a.py": "def plain(): pass\n" })
  const note =
    "note: nothing is indexed: all files and folders are excluded: 2 ignored by .gitignore; " +
    "to index files that git ignores, re-include them in .amanignore: !/src\n"
  expect((await space.run(["index"])).stderr).toBe(note)
  expect(await space.run(["search", "plain"])).toMatchObject({ code: 1, stderr: note })
  expect((await space.run(["status"])).stderr).toBe(note)
  expect((await space.run(["grep", "plain"])).stderr).toBe(
    "note: no file was searched: 2 ignored; to search ignored files, give their path\n",
  )
  expect((await space.run(["grep", "plain", "src"])).code).toBe(0)
  space.write(".amanignore", "!/src\n")
  // Only the notes are compared, because a slow first search also prints its progress.
  expect(await space.run(["search", "plain"])).toMatchObject({
    code: 0,
    stderr: expect.not.stringContaining("note:"),
  })
})

test("is available to a client as a resource", async () => {
  await using server = await connect(space)
  const { contents } = await server.client.readResource({ uri: "aman://map" })
  expect(contents).toEqual([
    {
      uri: "aman://map",
      mimeType: "text/markdown",
      text: expect.stringContaining("src/cli.ts command shop"),
    },
  ])
})

test("lists each compiled main once: no test of a C file, no excluded Go tool, no method of that name", async () => {
  const main = "int main(void) {\n  return 0;\n}\n"
  using own = new Workspace({
    "src/server.c": `#ifdef __linux__\n${main}#endif\n`,
    "src/shop-benchmark.c": main,
    "benchmarks/quick.c": main,
    "src/list.c": `int list;\n#ifdef LIST_TEST\n${main}#endif\n`,
    "src/map.c": `int map;\n#if 0\n${main}#endif\n`,
    "src/queue.c": `#ifndef QUEUE_TEST\nint queue;\n#else\n${main}#endif\n`,
    "src/tree.c": `#if defined(TREE_DEMO) // alone\nint a;\n#else\n${main}#endif\n`,
    "cmd/till/main.go": "package main\n\nfunc main() {\n}\n",
    "gen/gen.go": "//go:build ignore\n\npackage main\n\nfunc main() {\n}\n",
    "view/view.go": "package view\n\ntype V struct{}\n\nfunc (v V) Main() {\n}\n\nfunc Main() {\n}\n",
    "app/App.java": "class App {\n  public static void main(String[] args) {\n  }\n}\n",
    "rs/Cargo.toml": '[package]\nname = "book"\n[[bin]]\nname = "bk"\npath = "src/main.rs"\n',
    "rs/src/main.rs": "fn main() {}\n",
    "deep/er/still/src/lib.rs": "pub fn one() {}\n",
    "js/package.json": JSON.stringify({ name: "shelf", main: "./dist/node/index.js" }),
    "js/src/node/index.ts": "export const shelf = 1\n",
    "js/src/index.ts": "export const other = 1\n",
  })
  const { entry_points } = await own.json(["map"])
  expect(entry_points.map(({ kind, name, path }: Place) => `${kind} ${name} ${path}`)).toEqual([
    "library shelf js/src/node/index.ts",
    "command bk rs/src/main.rs",
    "main App app/App.java",
    "main till cmd/till/main.go",
    "main server src/server.c",
    "main tree src/tree.c",
    "main shop-benchmark src/shop-benchmark.c",
    "library still deep/er/still/src/lib.rs",
  ])
})

test("leaves reopened modules, definitions hidden in their file and Go's New out of the central symbols", async () => {
  const uses = (at: number): Record<string, string> => ({
    [`rb/use_${at}.rb`]:
      "class Use\n  include Faraday\n  include PriceTag\n  def run\n    Faraday.new\n  end\nend\n",
    [`rs/src/use_${at}.rs`]:
      "use crate::row::parse_row;\nuse crate::till::open_till;\n\nfn go() {\n    parse_row(open_till());\n}\n",
    [`go/use${at}/use.go`]:
      'package use\n\nimport "example.org/till"\n\nfunc Go() {\n\ttill.New()\n\ttill.OpenDrawer()\n}\n',
  })
  using own = new Workspace({
    ...Object.assign({}, ...Array.from({ length: 12 }, (_, at) => uses(at))),
    "rb/config/initializers/faraday_patch.rb": "module Faraday\n  def patched\n  end\nend\n",
    "rb/price_tag.rb": "module PriceTag\n  def tag\n  end\nend\n",
    "rs/src/row.rs": "fn parse_row(x: u8) -> u8 {\n    x\n}\n",
    "rs/src/till.rs": "pub fn open_till() -> u8 {\n    1\n}\n",
    "go/go.mod": "module example.org\n",
    "go/till/till.go": "package till\n\nfunc New() {}\n\nfunc OpenDrawer() {}\n",
  })
  const { symbols } = await own.json(["map"])
  const names = symbols.map(({ name }: Place) => name)
  expect(names).toEqual(expect.arrayContaining(["PriceTag", "open_till", "OpenDrawer"]))
  for (const name of ["Faraday", "parse_row", "New"]) expect(names).not.toContain(name)
})

test("leaves main functions, declared modules, preprocessor switches and prototypes out of the central symbols", async () => {
  using own = new Workspace({
    "a.h":
      "#define HAVE_SHELF 1\n#define shelf_of(x) (x)\nstruct shelf { int n; };\nint fill(struct shelf *s);\nint far_away(int n);\n",
    "a.c": '#include "a.h"\nint fill(struct shelf *s) {\n  return s->n;\n}\n',
    ...Object.fromEntries(
      ["b", "c", "d", "e"].map((name) => [
        `${name}.c`,
        `#include "a.h"\n#if HAVE_SHELF\nint ${name}(struct shelf *s) { return HAVE_SHELF + shelf_of(s->n) + main() + fill(s) + far_away(1); }\n#endif\n`,
      ]),
    ),
    "main.c": "int main(void) {\n  return 0;\n}\n",
  })
  const { symbols } = await own.json(["map"])
  const names = symbols.map(({ name }: Place) => name)
  expect(names).toEqual(expect.arrayContaining(["shelf", "shelf_of", "far_away"]))
  expect(symbols.filter(({ name }: Place) => name === "fill").map(({ path }: Place) => path)).toEqual(["a.c"])
  for (const name of ["HAVE_SHELF", "main"]) expect(names).not.toContain(name)
})
