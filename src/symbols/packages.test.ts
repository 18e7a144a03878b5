import { expect, test } from "bun:test"
import { posix } from "node:path"
import { Packages } from "../index/index.ts"
import { familyOf } from "../parse/languages/family.ts"

type Files = Readonly<Record<string, string>>

function packagesOf(files: Files): Packages {
  const isMatch = (path: string, glob: string) =>
    new RegExp(`^${glob.split("*").map(RegExp.escape).join(".*")}$`).test(path)
  return new Packages(
    (globs) => Object.keys(files).filter((path) => globs.some((glob) => isMatch(path, glob))),
    (path) => files[path] ?? null,
  )
}

const LANGUAGES: Readonly<Record<string, string>> = {
  ts: "typescript",
  tsx: "typescript",
  go: "go",
  rs: "rust",
}

/** 1 if an import leads to a file, 0.7 if the package that it names may export the file again, else 0. */
function fitOf(files: Files, module: string, from: string, path: string): number {
  const family = familyOf(LANGUAGES[from.slice(from.lastIndexOf(".") + 1)]!)
  const targets = packagesOf(files).targetsOf(module, from, family)
  if (targets === null) return 0
  const { paths, within, isFolder } = targets
  const bare = path.replace(/(?:\.d)?\.\w+$/, "")
  const names = isFolder ? [posix.dirname(path)] : [path, bare, bare.replace(/\/(?:index|mod|lib|main)$/, "")]
  if (paths.some((each) => names.includes(each) || each.replace(/\.\w+$/, "") === bare)) return 1
  return within !== null && path.startsWith(`${within}/`) ? 0.7 : 0
}

const json = JSON.stringify

const WORKSPACE: Files = {
  "package.json": json({ private: true, workspaces: ["packages/*"] }),
  "packages/core/package.json": json({
    name: "@shop/core",
    exports: {
      ".": { types: "./dist/index.d.ts", import: "./dist/index.mjs" },
      "./features/*": { node: { import: "./dist/features/*.js" }, default: "./dist/features/*.cjs" },
      "./internal": null,
      "./styles/": "./src/styles/",
    },
    imports: { "#db": { node: "./src/db/node.ts", default: "./src/db/web.ts" }, "#lib/*": "./src/lib/*.ts" },
  }),
  "packages/plain/package.json": json({ name: "plain", main: "lib/main.js" }),
  "apps/web/package.json": json({ name: "web", dependencies: { "@shop/core": "workspace:*" } }),
  "apps/web/tsconfig.json":
    '{\n  // shared\n  "extends": ["../../tsconfig.base.json"],\n  "files": [],\n  "references": [{ "path": "./tsconfig.app.json" }],\n}',
  "apps/web/tsconfig.app.json": json({
    compilerOptions: {
      baseUrl: ".",
      paths: { "@/*": ["src/*", "generated/*"], "~config": ["./config/main.ts"] },
    },
  }),
  "apps/api/tsconfig.json": json({ extends: "../../tsconfig.base.json" }),
  "apps/old/tsconfig.json": json({ compilerOptions: { baseUrl: "src" } }),
  "tsconfig.base.json": json({ compilerOptions: { paths: { "@base/*": ["./libs/*/src/index.ts"] } } }),
}
const GO: Files = {
  "go.work": "go 1.22\nuse (\n\t./api\n\t./lib\n)\n",
  "api/go.mod":
    "module example.org/shop/api\n\nrequire example.org/tools v1.0.0\n\nreplace (\n\texample.org/tools v1.0.0 => ../tools\n)\n",
  "lib/go.mod": "module example.org/shop/lib/v2\nreplace example.org/away => ../../outside\n",
}
const RUST: Files = {
  "Cargo.toml": '[workspace]\nmembers = ["crates/*"]\n',
  "crates/core/Cargo.toml": '[package]\nname = "shop-core"\n',
  "crates/net/Cargo.toml": '[package]\nname = "shop-net"\n\n[lib]\nname = "wire"\n',
  "crates/app/Cargo.toml":
    '[package]\nname = "app"\n\n[dependencies]\nbase = { package = "shop-core", path = "../core" }\nwire = { package = "shop-net", path = "../net" }\n',
}

test.each<[string, Files, string, string, string, string]>([
  [
    "exports",
    WORKSPACE,
    "@shop/core",
    "apps/web/src/a.ts",
    "packages/core/src/index.ts",
    "packages/plain/src/index.ts",
  ],
  [
    "exports with a pattern and conditions",
    WORKSPACE,
    "@shop/core/features/cart",
    "apps/web/src/a.ts",
    "packages/core/src/features/cart.ts",
    "apps/web/src/features/cart.ts",
  ],
  [
    "exports of a folder",
    WORKSPACE,
    "@shop/core/styles/dark.ts",
    "apps/web/src/a.ts",
    "packages/core/src/styles/dark.ts",
    "apps/web/src/styles/dark.ts",
  ],
  [
    "main of a build folder",
    WORKSPACE,
    "plain",
    "apps/web/src/a.ts",
    "packages/plain/src/main.ts",
    "apps/web/src/main.ts",
  ],
  [
    "a file of a package without exports",
    WORKSPACE,
    "plain/tools/cut",
    "apps/web/src/a.ts",
    "packages/plain/tools/cut.ts",
    "apps/web/tools/cut.ts",
  ],
  [
    "a subpath import",
    WORKSPACE,
    "#db",
    "packages/core/src/a.ts",
    "packages/core/src/db/web.ts",
    "apps/web/src/db/web.ts",
  ],
  [
    "a subpath import with a pattern",
    WORKSPACE,
    "#lib/money",
    "packages/core/src/deep/a.ts",
    "packages/core/src/lib/money.ts",
    "apps/web/src/lib/money.ts",
  ],
  [
    "paths of a referenced configuration",
    WORKSPACE,
    "@/cart",
    "apps/web/src/pages/a.ts",
    "apps/web/src/cart.ts",
    "apps/api/src/cart.ts",
  ],
  [
    "the second target of paths",
    WORKSPACE,
    "@/cart",
    "apps/web/src/pages/a.ts",
    "apps/web/generated/cart.ts",
    "generated/cart.ts",
  ],
  [
    "paths without a pattern",
    WORKSPACE,
    "~config",
    "apps/web/src/a.ts",
    "apps/web/config/main.ts",
    "config/main.ts",
  ],
  [
    "paths of an extended configuration",
    WORKSPACE,
    "@base/money",
    "apps/api/src/a.ts",
    "libs/money/src/index.ts",
    "apps/api/src/index.ts",
  ],
  [
    "baseUrl",
    WORKSPACE,
    "store/open",
    "apps/old/src/deep/a.ts",
    "apps/old/src/store/open.ts",
    "apps/old/src/shop/pay.ts",
  ],
  [
    "a package of a Go workspace",
    GO,
    "example.org/shop/lib/v2/store",
    "api/main.go",
    "lib/store/open.go",
    "api/store/open.go",
  ],
  [
    "a Go module's own package",
    GO,
    "example.org/shop/api/store",
    "api/main.go",
    "api/store/open.go",
    "lib/store/open.go",
  ],
  ["a replaced Go module", GO, "example.org/tools/cut", "api/main.go", "tools/cut/cut.go", "api/cut/cut.go"],
  [
    "a renamed Rust dependency",
    RUST,
    "base::store::open",
    "crates/app/src/main.rs",
    "crates/core/src/store.rs",
    "crates/app/src/store.rs",
  ],
  [
    "a Rust library with a name of its own",
    RUST,
    "wire::frame::Frame",
    "crates/app/src/main.rs",
    "crates/net/src/frame.rs",
    "crates/core/src/frame.rs",
  ],
  [
    "a Rust crate's own module",
    RUST,
    "crate::store::open",
    "crates/app/src/main.rs",
    "crates/app/src/store.rs",
    "crates/core/src/store.rs",
  ],
])("%s", (_, files, module, from, target, other) => {
  expect(fitOf(files, module, from, target)).toBe(1)
  expect(fitOf(files, module, from, other)).toBe(0)
})

test("a file that a package re-exports fits less than the one that is imported", () => {
  expect(fitOf(WORKSPACE, "@shop/core", "apps/web/a.ts", "packages/core/src/cart/total.ts")).toBe(0.7)
  expect(fitOf(RUST, "base::Store", "crates/app/src/main.rs", "crates/core/src/deep/store.rs")).toBe(0.7)
})

test("an import of a library that no manifest mentions is resolved by its words", () => {
  for (const [files, module, from] of [
    [WORKSPACE, "react", "apps/web/src/a.ts"],
    [WORKSPACE, "node:fs", "packages/core/src/a.ts"],
    [GO, "github.com/spf13/cobra", "api/main.go"],
    [GO, "example.org/away/x", "lib/main.go"],
    [RUST, "serde::de", "crates/app/src/main.rs"],
  ] as const)
    expect(
      packagesOf(files).targetsOf(module, from, familyOf(LANGUAGES[from.split(".").at(-1)!]!)),
    ).toBeNull()
})

test("hostile manifests cost a bounded amount and name nothing outside of the project", () => {
  let deep: unknown = "./dist/deep.js"
  for (let level = 0; level < 500; level++) deep = { node: deep }
  const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`c${at}`, `./dist/${at}.js`]))
  const files: Files = {
    "a/package.json": json({
      name: "a",
      exports: { ".": wide, "./deep": deep, "./out": "../../../etc/passwd" },
    }),
    "b/package.json": "{ not json",
    "c/package.json": json([1]),
    "d/package.json": json({ name: "d", exports: { "./*": 7 }, imports: "x" }),
    "t/tsconfig.json": json({ extends: "./tsconfig.a.json" }),
    "t/tsconfig.a.json": json({
      extends: ["./tsconfig.json", "../../../../etc/tsconfig.json"],
      references: [7],
    }),
    "t/deep/tsconfig.json": json({
      compilerOptions: { baseUrl: "../../..", paths: { "*": "x", "@/*": [7] } },
    }),
    "g/go.mod": `module ${"g/".repeat(10_000)}\n${" \n".repeat(50_000)}replace x => ${"../".repeat(99)}\n`,
    "r/Cargo.toml": "[package]\nname = 7\n[dependencies]\nx = { package = 7 }\n",
  }
  const packages = packagesOf(files)
  expect(packages.targetsOf("a", "z.ts", "js")!.paths.length).toBeLessThanOrEqual(32)
  const all = ["a", "a/deep", "a/out", "b", "c", "d/x", "#x", "@/x", "x", "g/x", "x::y"].flatMap((module) =>
    ["t/deep/z.ts", "t/z.ts", "d/z.ts"].flatMap((from) =>
      ["js", "go", "rust"].flatMap((family) => packages.targetsOf(module, from, family)?.paths ?? []),
    ),
  )
  expect(all.filter((path) => path.startsWith("..") || path.startsWith("/"))).toEqual([])
})
