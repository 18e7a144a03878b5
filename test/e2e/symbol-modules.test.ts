import { expect, test } from "bun:test"
import { indexedOnce } from "./opened.ts"

const json = JSON.stringify

/** For each function that is asked about, another package has a function of the same name, which no import leads to. */
const FILES: Readonly<Record<string, string>> = {
  "package.json": json({ private: true, workspaces: ["js/*"] }),
  "js/core/package.json": json({
    name: "@shop/core",
    exports: { ".": "./dist/index.js", "./features/*": { import: "./dist/features/*.js" } },
    imports: { "#db": "./src/db/node.ts" },
  }),
  "js/core/src/features/cart.ts": "export function totalCart() {}\n",
  "js/core/src/db/node.ts": "export function openRows() {}\n",
  "js/core/src/run.ts": 'import { openRows } from "#db"\nexport function runCore() {\n  openRows()\n}\n',
  "js/web/tsconfig.json": '{ "extends": "./tsconfig.base.json" } // paths are there',
  "js/web/tsconfig.base.json": json({ compilerOptions: { paths: { "@/*": ["./missing/*", "./source/*"] } } }),
  "js/web/source/price.ts": "export function priceOf() {}\n",
  "js/web/source/page.ts":
    'import { totalCart } from "@shop/core/features/cart"\nimport { priceOf } from "@/price"\nexport function showPage() {\n  totalCart()\n  priceOf()\n}\n',
  "js/other/features/cart.ts": "export function totalCart() {}\n",
  "js/other/db/node.ts": "export function openRows() {}\n",
  "js/other/price.ts": "export function priceOf() {}\n",
  "go.work": "go 1.22\nuse ./go/api\n",
  "go/api/go.mod": "module example.org/api\nreplace example.org/tools => ../tools\n",
  "go/api/main.go":
    'package main\n\nimport "example.org/tools/cut"\n\nfunc main() {\n\tcut.CutAll()\n\tprepare()\n}\n\nfunc prepare() {}\n',
  "go/tools/cut/cut.go": "package cut\n\nfunc CutAll() {}\n",
  "go/old/cut/cut.go": "package cut\n\nfunc CutAll() {}\n",
  "go/worker/go.mod": "module example.org/worker\n",
  "go/worker/main.go": "package main\n\nfunc main() {\n\tprepare()\n}\n\nfunc prepare() {}\n",
  "rs/Cargo.toml": '[workspace]\nmembers = ["core", "app"]\n',
  "rs/core/Cargo.toml": '[package]\nname = "shop-core"\n',
  "rs/core/src/store.rs": "pub fn open_store() {}\n",
  "rs/app/Cargo.toml":
    '[package]\nname = "app"\n[dependencies]\nbase = { package = "shop-core", path = "../core" }\n',
  "rs/app/src/main.rs": "use base::store::open_store;\n\nfn main() {\n    open_store();\n}\n",
  "rs/old/src/store.rs": "pub fn open_store() {}\n",
  "py/one/main.py": "from jobs import start_job\n\n\ndef run_one():\n    start_job()\n",
  "py/one/jobs.py": "def start_job():\n    finish_job()\n\n\ndef finish_job():\n    pass\n",
  "py/two/main.py": "from jobs import start_job\n\n\ndef run_two():\n    start_job()\n",
  "py/two/jobs.py": "def start_job():\n    finish_job()\n\n\ndef finish_job():\n    pass\n",
  "c/one/main.c": '#include "util.h"\nint main(void) { return set_up(); }\n',
  "c/one/util.h": "int set_up(void);\n",
  "c/one/util.c": '#include "util.h"\nint set_up(void) { return 1; }\n',
  "c/two/main.c": '#include "util.h"\nint main(void) { return set_up(); }\n',
  "c/two/util.h": "int set_up(void);\n",
  "c/two/util.c": '#include "util.h"\nint set_up(void) { return 2; }\n',
}

const SHAPES: Readonly<Record<string, string>> = {
  "shapes/flow.py":
    "from typing import Protocol\n\n\nclass Pourable(Protocol):\n    def pour_out(self): ...\n    def fill_up(self): ...\n\n\nclass Jug:\n    def pour_out(self):\n        pass\n\n    def fill_up(self):\n        pass\n\n\nclass Sink:\n    def pour_out(self):\n        pass\n",
  "shapes/lamp.ts":
    "export interface Lamp {\n  lightUp(): void\n  dimDown(): void\n}\nexport class Torch {\n  lightUp(): void {}\n  dimDown(): void {}\n}\nexport class Desk implements Lamp {\n  lightUp(): void {}\n  dimDown(): void {}\n}\nexport class Fire {\n  lightUp(): void {}\n}\n",
  "shapes/door.go":
    "package shapes\n\ntype Door interface {\n\tOpenUp()\n\tShutDown()\n}\n\ntype Gate struct{}\n\nfunc (g Gate) OpenUp()   {}\nfunc (g Gate) ShutDown() {}\n\ntype Hatch struct{}\n\nfunc (h Hatch) OpenUp() {}\n\ntype Port interface {\n\tOpenUp()\n\tShutDown()\n\tLock()\n}\n",
}

const space = indexedOnce({ ...FILES, ...SHAPES })

const callersOf = async (name: string, path: string) => {
  const { related } = await space().json(["symbol", name, "--callers", "--path", path])
  return related
    .filter(({ certainty }: { certainty: string }) => certainty === "certain")
    .map((each: { path: string; name: string }) => `${each.path} ${each.name}`)
}

test.each([
  ["totalCart", "js/core", "js/web/source/page.ts showPage", "js/other"],
  ["priceOf", "js/web", "js/web/source/page.ts showPage", "js/other"],
  ["openRows", "js/core", "js/core/src/run.ts runCore", "js/other"],
  ["CutAll", "go/tools", "go/api/main.go main", "go/old"],
  ["open_store", "rs/core", "rs/app/src/main.rs main", "rs/old"],
])("manifests lead from an import to %s in %s, and to no namesake", async (name, path, caller, other) => {
  expect(await callersOf(name, path)).toEqual([caller])
  const { stdout, code } = await space().run(["symbol", name, "--callers", "--path", other, "--json"])
  expect(code).toBe(1)
  expect(JSON.parse(stdout)).toMatchObject({ related: [], unresolved: { total: 0 } })
})

test.each([
  ["prepare", "go/api", "go/api/main.go main"],
  ["prepare", "go/worker", "go/worker/main.go main"],
  ["start_job", "py/one", "py/one/main.py run_one"],
  ["start_job", "py/two", "py/two/main.py run_two"],
  ["finish_job", "py/two", "py/two/jobs.py start_job"],
  ["set_up", "c/one", "c/one/main.c main"],
  ["set_up", "c/two", "c/two/main.c main"],
])("two programs of one repository are kept apart: %s in %s", async (name, path, caller) => {
  const { related } = await space().json(["symbol", name, "--callers", "--path", path])
  expect(related.map((each: { path: string; name: string }) => `${each.path} ${each.name}`)).toEqual([caller])
})

test.each([
  ["Pourable", ["Jug possible"]],
  ["Pourable.fill_up", ["Jug.fill_up possible"]],
  ["Lamp", ["Desk certain", "Torch possible"]],
  ["Door", ["Gate certain", "Port certain"]],
])("%s is implemented by types that have its methods", async (name, wanted) => {
  const { related } = await space().json(["symbol", name, "--implementations"])
  const found = related.map((each: { name: string; certainty: string }) => `${each.name} ${each.certainty}`)
  expect(found.toSorted()).toEqual(wanted)
})
