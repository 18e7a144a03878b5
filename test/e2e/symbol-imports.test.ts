import { expect, test } from "bun:test"
import { indexedOnce } from "./opened.ts"

const json = JSON.stringify

/** Imports that lead to one of two definitions of a name, or to a library. */
const FILES: Readonly<Record<string, string>> = {
  "t1/tsconfig.json": json({ compilerOptions: { paths: { "@/*": ["./src/*"] } } }),
  "t1/src/x.ts": "export class Panel {}\n",
  "t1/src/y.ts": "class Panel {}\nexport const own = new Panel()\n",
  "t1/src/barrel.ts": 'import type { Panel } from "./x"\nexport { Panel }\n',
  "t1/src/all.ts": 'export * from "./barrel"\n',
  "t1/src/use.ts": 'import { Panel } from "@/all"\nexport const made = (one: Panel) => one\n',
  "t2/package.json": json({
    name: "t2",
    imports: { "#tools": { "@t2/source": "./src/tools.ts", default: "./dist/tools.js" } },
  }),
  "t2/app/tsconfig.json": json({ compilerOptions: { customConditions: ["@t2/source"] } }),
  "t2/src/tools.ts": "export class Wrench {}\n",
  "t2/fixtures/tools.ts": "export class Wrench {}\n",
  "t2/app/main.ts": 'import { Wrench } from "#tools"\nexport const made = new Wrench()\n',
  "p1/pk/__init__.py": "",
  "p1/pk/m.py": "class Sess:\n    def send_all(self):\n        pass\n",
  "p1/pk/u/__init__.py": "",
  "p1/pk/u/db.py": "from pk.m import Sess\n",
  "p1/pk/u/req.py": "class Sess:\n    def send_all(self):\n        pass\n",
  "p1/use.py": "from pk.u.db import Sess\n\n\ndef use():\n    return Sess().send_all()\n",
  "g6/go.mod": "module m\n",
  "g6/a/a.go": "package a\n\nconst limit = 2\n\nfunc Reach() int { return limit }\n",
  "g6/blank.go": 'package main\n\nimport _ "m/a"\n\nfunc use() int {\n\tlimit := 3\n\treturn limit\n}\n',
  "g6/dot.go": 'package main\n\nimport . "m/a"\n\nfunc dot() int {\n\treturn Reach()\n}\n',
  "f2/package.json": json({ name: "f2", dependencies: { "@acme/telemetry": "1" } }),
  "f2/src/nest/index.ts": "export function traceAll() {}\n",
  "f2/src/client.ts": "export class Client {\n  connectNow() {}\n}\n",
  "f2/src/use.ts":
    'import { traceAll } from "@acme/telemetry/nest"\nimport { Client } from "pg"\ntraceAll()\nnew Client().connectNow()\n',
  "ex/base.ts": "export class Router {\n  route() {}\n}\n",
  "ex/router.ts":
    'import { Router as BaseRouter } from "./base"\nexport class Router extends BaseRouter {\n  route() {}\n}\n',
  "al/a.ts": "export class Options {}\n",
  "al/b.ts": "export class Options {}\n",
  "al/use.ts":
    'import { Options as AOptions } from "./a"\nimport { Options as BOptions } from "./b"\nexport const a = new AOptions()\nexport const b = new BOptions()\n',
}

const space = indexedOnce(FILES)

test.each<[name: string, path: string, places: string[]]>([
  [
    "Panel",
    "t1/src/x.ts",
    ["t1/src/barrel.ts:1", "t1/src/barrel.ts:2", "t1/src/use.ts:1", "t1/src/use.ts:2"],
  ],
  ["Panel", "t1/src/y.ts", ["t1/src/y.ts:2"]],
  ["Wrench", "t2/src", ["t2/app/main.ts:1", "t2/app/main.ts:2"]],
  ["Wrench", "t2/fixtures", []],
  ["Sess", "p1/pk/m.py", ["p1/pk/u/db.py:1", "p1/use.py:1", "p1/use.py:5"]],
  ["Sess", "p1/pk/u/req.py", []],
  ["Sess.send_all", "p1/pk/m.py", ["p1/use.py:5"]],
  ["Sess.send_all", "p1/pk/u/req.py", []],
  ["limit", "g6/a", ["g6/a/a.go:5"]],
  ["Reach", "g6/a", ["g6/dot.go:6"]],
  ["traceAll", "f2/src", []],
  ["Client", "f2/src", []],
  ["Client.connectNow", "f2/src", []],
  ["Options", "al/a.ts", ["al/use.ts:1", "al/use.ts:3"]],
  ["Options", "al/b.ts", ["al/use.ts:2", "al/use.ts:4"]],
])("the certain uses of %s in %s are those to which imports lead", async (name, path, places) => {
  const { stdout } = await space().run(["symbol", name, "--references", "--path", path, "--json"])
  const { references } = JSON.parse(stdout)
  const certain = references.filter(({ certainty }: { certainty: string }) => certainty === "certain")
  const found = new Set(certain.map((each: { path: string; line: number }) => `${each.path}:${each.line}`))
  expect([...found].sort()).toEqual(places)
})

test("a class that extends an imported class of its own name implements that one", async () => {
  const { related } = await space().json(["symbol", "Router", "--implementations", "--path", "ex/base.ts"])
  expect(
    related.map(({ path, certainty }: { path: string; certainty: string }) => `${path} ${certainty}`),
  ).toEqual(["ex/router.ts certain"])
})
