import { expect, test } from "bun:test"
import { indexedGraph } from "../../test/indexed-graph.ts"
import type { Lead } from "./imports.ts"

const json = JSON.stringify

const SCRIPT = {
  "web/package.json": json({
    name: "web",
    dependencies: { "@acme/telemetry": "1", "@acme/kit": "workspace:*" },
    imports: { "#utils": { "@acme/source": "./src/utils.ts", default: "./dist/utils.js" } },
  }),
  "web/packages/app/tsconfig.json": json({
    compilerOptions: { customConditions: ["@acme/source"], paths: { "@/*": ["./src/*"] } },
  }),
  "web/src/utils.ts": "export class Tool {}\n",
  "web/fixtures/utils.ts": "export class Tool {}\n",
  "web/src/nest/index.ts": "export function trace() {}\n",
  "web/src/nest/use.ts":
    'import { trace } from "@acme/telemetry/nest"\nimport { Client } from "pg"\nimport { Kit } from "@acme/kit/part"\nimport { made } from "./generated/client"\nimport { Aliased } from "@/model"\ntrace()\n',
  "web/src/client.ts":
    "export class Client {\n  connect() {}\n}\nexport class Aliased {}\nexport const made = 1\n",
  "web/src/model.ts": "export class Aliased {}\n",
  "web/kit/package.json": json({ name: "@acme/kit", exports: { "./part": "./dist/part.js" } }),
  "web/kit/src/part.ts": "export class Kit {}\n",
  "web/other/part.ts": "export class Kit {}\n",
  "web/packages/app/src/x.ts":
    "export class X {}\nexport default class Shop {}\nclass Hidden {}\nexport { Hidden as Seen }\n",
  "web/packages/app/src/y.ts": "class X {}\nexport const other = new X()\n",
  "web/packages/app/src/barrel.ts":
    'import type { X } from "./x"\nimport Shop, { Seen as Again } from "./x"\nexport { X, Shop, Again as Twice, Shop as default }\nexport * as all from "./x"\nexport * from "./more"\n',
  "web/packages/app/src/more.ts":
    'import { X } from "./y"\nexport * from "./barrel"\nexport * from "react"\nexport const deep = X\n',
  "web/packages/app/src/main.ts":
    'import { X, Shop, Twice, all, deep, missing } from "@/barrel"\nimport D from "./barrel"\nimport * as ns from "./barrel"\nimport { Tool } from "#utils"\nimport fs, { join as joined } from "node:fs"\nimport { X as Y } from "./barrel"\n',
  "web/old/a.js": "function run() {}\nmodule.exports = { start: run }\n",
  "web/old/b.js":
    'const { start } = require("./a")\nconst a = require("./a")\nconst C = require("./c")\nstart()\n',
  "web/old/c.js": "class Box {}\nmodule.exports = Box\n",
}

const PYTHON = {
  "py/pk/__init__.py": "from .m import Sess\nfrom .u import *\n",
  "py/pk/m.py": "class Sess:\n    def send(self): pass\n\nclass Other:\n    pass\n",
  "py/pk/u/__init__.py": "from pk.u.db import Sess as Renamed\n__all__ = ['Renamed']\n",
  "py/pk/u/db.py": "from pk.m import Sess\n",
  "py/pk/u/req.py": "class Sess:\n    pass\n",
  "py/pk/lazy.py": "def __getattr__(name):\n    return 1\n",
  "py/app/main.py":
    "from pk.u.db import Sess\nimport pk.m as models\nimport pk.u.req\nfrom pk import u, Renamed, lazy\nfrom pk.lazy import thing\nfrom requests import Session\nimport os.path\nfrom pk.m import Other as O, gone\n",
  "py/lib/src/box/__init__.py": "",
  "py/lib/src/box/core.py": "class Box:\n    pass\n",
  "py/lib/tests/test_box.py": "from box.core import Box\nfrom . import helper\n",
  "py/lib/tests/helper.py": "def help_me():\n    pass\n",
}

const GO = {
  "go/go.mod": "module example.org/m\nreplace example.org/tools => ../tools\n",
  "go/a/a.go": "package alpha\n\nconst limit = 1\n\nfunc Run() {}\n",
  "go/b/b.go": "package b\n\nfunc Run() {}\n",
  "tools/go.mod": "module example.org/tools\n",
  "tools/cut/cut.go": "package cut\n\nfunc Cut() {}\n",
  "go/main.go":
    'package main\n\nimport (\n\t_ "example.org/m/b"\n\t. "example.org/m/a"\n\t"example.org/m/a"\n\tbee "example.org/m/b"\n\t"example.org/tools/cut"\n\t"time"\n)\n\nfunc main() { alpha.Run() }\n',
  "go/blank.go": 'package main\n\nimport _ "example.org/m/a"\n\nfunc use() { limit := 3; _ = limit }\n',
}

const RUST = {
  "rs/Cargo.toml": '[workspace]\nmembers = ["core", "app"]\n',
  "rs/core/Cargo.toml": '[package]\nname = "shop-core"\n',
  "rs/core/src/lib.rs":
    "pub mod store;\nmod deep;\npub use deep::inner::Hidden as Shown;\npub use store::*;\npub mod prelude {\n    pub use crate::store::Row;\n}\n",
  "rs/core/src/store.rs": "pub struct Row;\npub enum Shape { Circle, Square }\npub fn open_store() {}\n",
  "rs/core/src/deep/mod.rs":
    "pub mod inner;\nuse super::store::Row;\nmod tests {\n    use super::*;\n    use crate::store::Shape::*;\n    fn check() {\n        Row;\n    }\n}\n",
  "rs/core/src/deep/inner.rs":
    "pub struct Hidden;\nuse super::super::store;\nuse self::part::Part;\npub mod part {\n    pub struct Part;\n    fn x() {}\n}\n",
  "rs/app/Cargo.toml":
    '[package]\nname = "app"\n[dependencies]\nbase = { package = "shop-core", path = "../core" }\n',
  "rs/app/src/main.rs":
    "mod local;\nuse base::{store::open_store, Shown, prelude::*};\nuse serde::Serialize;\nuse local::thing as other;\nfn main() {}\n",
  "rs/app/src/local.rs": "pub fn thing() {}\npub struct Row;\n",
}

const { graph } = await indexedGraph({ ...SCRIPT, ...PYTHON, ...GO, ...RUST })

function shown(lead: Lead | null): string {
  if (lead === null) return "no import"
  if (lead.kind === "outside") return "outside"
  if (lead.kind === "module")
    return `module ${[...lead.module.files.map(({ path }) => path), lead.module.files.length === 0 ? lead.module.folder : ""].join(" ").trim()}`
  const all = lead.kind === "unknown" ? lead.candidates : lead.definitions
  const places = all.map(({ symbol, file }) => `${file.path}:${symbol.startLine}`).join(" ")
  return lead.kind === "unknown" ? `unknown ${places}`.trim() : [places, ...lead.rest].join(" ")
}

test.each<[path: string, name: string, wanted: string, line?: number]>([
  ["web/packages/app/src/main.ts", "X", "web/packages/app/src/x.ts:1"],
  ["web/packages/app/src/main.ts", "Shop", "web/packages/app/src/x.ts:2"],
  ["web/packages/app/src/main.ts", "Twice", "web/packages/app/src/x.ts:3"],
  ["web/packages/app/src/main.ts", "D", "web/packages/app/src/x.ts:2"],
  ["web/packages/app/src/main.ts", "ns", "module web/packages/app/src/barrel.ts"],
  ["web/packages/app/src/main.ts", "ns.all.X", "web/packages/app/src/x.ts:1"],
  ["web/packages/app/src/main.ts", "all.X.open", "web/packages/app/src/x.ts:1 open"],
  ["web/packages/app/src/main.ts", "deep", "web/packages/app/src/more.ts:4"],
  ["web/packages/app/src/main.ts", "missing", "outside"],
  ["web/packages/app/src/main.ts", "fs", "outside"],
  ["web/packages/app/src/main.ts", "join", "outside"],
  ["web/packages/app/src/main.ts", "nothing", "no import"],
  ["web/packages/app/src/main.ts", "Tool", "web/src/utils.ts:1"],
  ["web/src/nest/use.ts", "trace", "outside"],
  ["web/src/nest/use.ts", "Client.connect", "outside"],
  ["web/src/nest/use.ts", "Kit", "web/kit/src/part.ts:1"],
  ["web/src/nest/use.ts", "made", "outside"],
  ["web/src/nest/use.ts", "Aliased", "unknown web/src/model.ts:1"],
  ["web/old/b.js", "start", "web/old/a.js:1"],
  ["web/old/b.js", "a.start", "web/old/a.js:1"],
  ["web/old/b.js", "C", "web/old/c.js:1"],
  ["py/app/main.py", "Sess", "py/pk/m.py:1"],
  ["py/app/main.py", "Sess.send", "py/pk/m.py:1 send"],
  ["py/app/main.py", "models.Sess", "py/pk/m.py:1"],
  ["py/app/main.py", "pk.u.req.Sess", "py/pk/u/req.py:1"],
  ["py/app/main.py", "u.req.Sess", "py/pk/u/req.py:1"],
  ["py/app/main.py", "u.db.Sess", "py/pk/m.py:1"],
  ["py/app/main.py", "Renamed", "py/pk/m.py:1"],
  ["py/app/main.py", "thing", "unknown"],
  ["py/app/main.py", "Session", "outside"],
  ["py/app/main.py", "os.path.join", "outside"],
  ["py/app/main.py", "O", "py/pk/m.py:4"],
  ["py/app/main.py", "Other", "py/pk/m.py:4"],
  ["py/app/main.py", "gone", "outside"],
  ["py/lib/tests/test_box.py", "Box", "py/lib/src/box/core.py:1"],
  ["py/lib/tests/test_box.py", "helper.help_me", "py/lib/tests/helper.py:1"],
  ["go/main.go", "alpha.Run", "go/a/a.go:5"],
  ["go/main.go", "bee.Run", "go/b/b.go:3"],
  ["go/main.go", "cut.Cut", "tools/cut/cut.go:3"],
  ["go/main.go", "cut", "module tools/cut"],
  ["go/main.go", "time.Duration", "outside"],
  ["go/main.go", "Run", "go/a/a.go:5"],
  ["go/blank.go", "limit", "no import"],
  ["rs/app/src/main.rs", "open_store", "rs/core/src/store.rs:3"],
  ["rs/app/src/main.rs", "Shown", "rs/core/src/deep/inner.rs:1"],
  ["rs/app/src/main.rs", "Row", "rs/core/src/store.rs:1"],
  ["rs/app/src/main.rs", "other", "rs/app/src/local.rs:1"],
  ["rs/app/src/main.rs", "Serialize", "outside"],
  ["rs/app/src/main.rs", "local::Row", "rs/app/src/local.rs:2"],
  ["rs/app/src/main.rs", "base::Row::open", "rs/core/src/store.rs:1 open"],
  ["rs/core/src/deep/inner.rs", "store::Row", "rs/core/src/store.rs:1"],
  ["rs/core/src/deep/inner.rs", "Part", "rs/core/src/deep/inner.rs:5"],
  ["rs/core/src/deep/inner.rs", "super::inner::Hidden", "rs/core/src/deep/inner.rs:1"],
  ["rs/core/src/deep/mod.rs", "Row", "rs/core/src/store.rs:1", 7],
  ["rs/core/src/deep/mod.rs", "Circle", "rs/core/src/store.rs:2", 7],
  ["rs/core/src/deep/mod.rs", "Circle", "no import", 2],
])("the imports of %s lead from %s to %s", (path, name, wanted, line = 0) => {
  expect(shown(graph.imports.leadsTo(name, graph.file(path)!, line || null))).toBe(wanted)
})
