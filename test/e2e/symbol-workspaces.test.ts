import { expect, test } from "bun:test"
import { indexedOnce } from "./opened.ts"

const json = JSON.stringify

/**
 * Several packages in one repository. For each function that is asked about, there is another one of the same name that
 * its caller does not import.
 */
const space = indexedOnce({
  // C: include paths are in compile_commands.json; the header is included through another header.
  "c/compile_commands.json": json([
    { directory: "/build/c", file: "../c/app/main.c", command: "cc -I../c/libs/net/include -c main.c" },
    {
      directory: "/build/c",
      file: "../c/tool/main.c",
      arguments: ["cc", "-I", "../c/libs/old/include", "-c"],
    },
  ]),
  "c/app/main.c": "#include <net/all.h>\n\nint run_app(void) {\n  return open_link();\n}\n",
  "c/tool/main.c": "#include <net/all.h>\n\nint run_tool(void) {\n  return open_link();\n}\n",
  "c/libs/net/include/net/all.h": '#include "link.h"\n',
  "c/libs/net/include/net/link.h": "int open_link(void);\n",
  "c/libs/net/src/link.c": '#include "net/link.h"\n\nint open_link(void) {\n  return 1;\n}\n',
  "c/libs/old/include/net/all.h": '#include "link.h"\n',
  "c/libs/old/include/net/link.h": "int open_link(void);\n",
  "c/libs/old/src/link.c": '#include "net/link.h"\n\nint open_link(void) {\n  return 2;\n}\n',
  // Gradle modules: the same package and class in two modules, of which each caller depends on one.
  "gradle/settings.gradle.kts": 'include(":app", ":tool", ":data:fast", ":data:slow")\n',
  "gradle/app/build.gradle.kts": 'dependencies {\n  implementation(project(":data:fast"))\n}\n',
  "gradle/tool/build.gradle.kts": 'dependencies {\n  implementation(project(":data:slow"))\n}\n',
  "gradle/data/fast/build.gradle.kts": "",
  "gradle/data/slow/build.gradle.kts": "",
  "gradle/app/src/main/kotlin/App.kt":
    "package shop.app\n\nimport shop.data.readRows\n\nfun runApp() {\n  readRows()\n}\n",
  "gradle/tool/src/main/kotlin/Tool.kt":
    "package shop.tool\n\nimport shop.data.readRows\n\nfun runTool() {\n  readRows()\n}\n",
  "gradle/data/fast/src/main/kotlin/Rows.kt": "package shop.data\n\nfun readRows() {\n}\n",
  "gradle/data/slow/src/main/kotlin/Rows.kt": "package shop.data\n\nfun readRows() {\n}\n",
  // TypeScript project references.
  "ts/tsconfig.json": json({ files: [], references: [{ path: "./core" }, { path: "./site" }] }),
  "ts/core/tsconfig.json": json({ compilerOptions: { composite: true, outDir: "../out/core" } }),
  "ts/site/tsconfig.json": json({ files: [], references: [{ path: "./tsconfig.app.json" }] }),
  "ts/site/tsconfig.app.json": json({
    compilerOptions: { paths: { "core/*": ["../core/src/*"] } },
    references: [{ path: "../core" }],
  }),
  "ts/core/src/cache.ts": "export function warmCache() {}\n",
  "ts/other/src/cache.ts": "export function warmCache() {}\n",
  "ts/site/src/start.ts":
    'import { warmCache } from "core/cache"\nexport function startSite() {\n  warmCache()\n}\n',
  // Workspaces of pnpm, yarn and bun.
  "pnpm/pnpm-workspace.yaml": "packages:\n  - packages/*\n",
  "pnpm/packages/ui/package.json": json({ name: "@pnpm-shop/ui", main: "./src/entry.ts" }),
  "pnpm/packages/ui/src/entry.ts": 'export * from "./button"\n',
  "pnpm/packages/ui/src/button.ts": "export function drawButton() {}\n",
  "pnpm/packages/old/src/button.ts": "export function drawButton() {}\n",
  "pnpm/packages/web/package.json": json({
    name: "web",
    dependencies: { "@pnpm-shop/ui": "workspace:*", kit: "workspace:@pnpm-shop/kit@*" },
  }),
  "pnpm/packages/web/page.ts":
    'import { drawButton } from "@pnpm-shop/ui"\nimport { cutKit } from "kit"\nexport function pnpmPage() {\n  drawButton()\n  cutKit()\n}\n',
  "pnpm/packages/kit/package.json": json({ name: "@pnpm-shop/kit" }),
  "pnpm/packages/kit/index.ts": "export function cutKit() {}\n",
  "pnpm/packages/old/kit.ts": "export function cutKit() {}\n",
  "yarn/package.json": json({ private: true, workspaces: { packages: ["libs/*"] } }),
  "yarn/libs/math/package.json": json({ name: "yarn-math", module: "./esm/index.js" }),
  "yarn/libs/math/src/index.ts": "export function addAll() {}\n",
  "yarn/libs/old/math.ts": "export function addAll() {}\n",
  "yarn/libs/app/package.json": json({ name: "app", dependencies: { "yarn-math": "link:../math" } }),
  "yarn/libs/app/main.ts":
    'import { addAll } from "yarn-math"\nexport function yarnMain() {\n  addAll()\n}\n',
  // Go workspaces.
  "go/go.work": "go 1.22\n\nuse (\n\t./api\n\t./tools\n)\n\nreplace example.org/text => ./text-fork\n",
  "go/api/go.mod": "module example.org/api\n",
  "go/api/main.go":
    'package main\n\nimport (\n\t"example.org/text/wrap"\n\t"example.org/tools/clean"\n)\n\nfunc main() {\n\tclean.CleanUp()\n\twrap.WrapText()\n}\n',
  "go/tools/go.mod": "module example.org/tools\n",
  "go/tools/clean/clean.go": "package clean\n\nfunc CleanUp() {}\n",
  "go/old/clean/clean.go": "package clean\n\nfunc CleanUp() {}\n",
  "go/text-fork/wrap/wrap.go": "package wrap\n\nfunc WrapText() {}\n",
  "go/old/wrap/wrap.go": "package wrap\n\nfunc WrapText() {}\n",
  // Rust: the workspace renames a crate for its members.
  "rs/Cargo.toml":
    '[workspace]\nmembers = ["engine", "app"]\n[workspace.dependencies]\nmotor = { package = "shop-engine", path = "engine" }\n',
  "rs/engine/Cargo.toml": '[package]\nname = "shop-engine"\n',
  "rs/engine/src/gears.rs": "pub fn shift_gear() {}\n",
  "rs/engine/src/lib.rs": "pub mod gears;\n",
  "rs/app/Cargo.toml": '[package]\nname = "app"\n[dependencies]\nmotor.workspace = true\n',
  "rs/app/src/main.rs": "use motor::gears::shift_gear;\n\nfn main() {\n    shift_gear();\n}\n",
  "rs/old/src/gears.rs": "pub fn shift_gear() {}\n",
  // Python: a src layout, and a namespace package in two folders.
  "py/pkg/src/shop/prices.py": "def read_price():\n    pass\n",
  "py/pkg/tests/test_prices.py":
    "from shop.prices import read_price\n\n\ndef test_price():\n    read_price()\n",
  "py/old/prices.py": "def read_price():\n    pass\n",
  "py/ns/one/acme/sales/report.py": "def write_report():\n    pass\n",
  "py/ns/two/acme/stock/report.py": "def write_report():\n    pass\n",
  "py/ns/two/acme/stock/main.py":
    "from acme.sales.report import write_report\n\n\ndef run_stock():\n    write_report()\n",
})

const callersOf = async (name: string, path: string): Promise<string[]> => {
  const { stdout } = await space().run(["symbol", name, "--callers", "--path", path, "--json"])
  const { related }: { related: { path: string; name: string; certainty: string }[] } = JSON.parse(stdout)
  return related
    .filter(({ certainty }) => certainty !== "by name")
    .map((each) => `${each.path} ${each.name}`)
    .sort()
}

test.each<[what: string, name: string, path: string, callers: string[]]>([
  ["C include paths", "open_link", "c/libs/net", ["c/app/main.c run_app"]],
  ["C include paths", "open_link", "c/libs/old", ["c/tool/main.c run_tool"]],
  ["Gradle modules", "readRows", "gradle/data/fast", ["gradle/app/src/main/kotlin/App.kt runApp"]],
  ["Gradle modules", "readRows", "gradle/data/slow", ["gradle/tool/src/main/kotlin/Tool.kt runTool"]],
  ["TypeScript project references", "warmCache", "ts/core", ["ts/site/src/start.ts startSite"]],
  ["TypeScript project references", "warmCache", "ts/other", []],
  ["pnpm workspaces", "drawButton", "pnpm/packages/ui", ["pnpm/packages/web/page.ts pnpmPage"]],
  ["pnpm workspaces", "drawButton", "pnpm/packages/old", []],
  ["pnpm aliases", "cutKit", "pnpm/packages/kit", ["pnpm/packages/web/page.ts pnpmPage"]],
  ["pnpm aliases", "cutKit", "pnpm/packages/old", []],
  ["yarn workspaces", "addAll", "yarn/libs/math", ["yarn/libs/app/main.ts yarnMain"]],
  ["yarn workspaces", "addAll", "yarn/libs/old", []],
  ["Go workspaces", "CleanUp", "go/tools", ["go/api/main.go main"]],
  ["Go workspaces", "CleanUp", "go/old", []],
  ["replace in go.work", "WrapText", "go/text-fork", ["go/api/main.go main"]],
  ["replace in go.work", "WrapText", "go/old", []],
  ["Rust workspace renames", "shift_gear", "rs/engine", ["rs/app/src/main.rs main"]],
  ["Rust workspace renames", "shift_gear", "rs/old", []],
  ["Python src layouts", "read_price", "py/pkg", ["py/pkg/tests/test_prices.py test_price"]],
  ["Python src layouts", "read_price", "py/old", []],
  ["Python namespace packages", "write_report", "py/ns/one", ["py/ns/two/acme/stock/main.py run_stock"]],
  ["Python namespace packages", "write_report", "py/ns/two", []],
])("%s: callers of %s in %s", async (_, name, path, callers) => {
  expect(await callersOf(name, path)).toEqual(callers)
})
