import { describe, expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { relativeImports } from "./imports.ts"
import { layersTable, violations } from "./layer-rules.ts"

const project = join(import.meta.dir, "..")
const sources = [...new Bun.Glob("{src,packages}/**/*.ts").scanSync(project)]
  .map((path) => path.replaceAll("\\", "/"))
  // Tests are left out, because strings in them name paths and programs that are no imports.
  .filter((path) => !path.endsWith(".test.ts"))
  .sort()

test("every import leads to a lower row or stays in its folder", () => {
  expect(sources.length).toBeGreaterThan(50)
  expect(sources.flatMap((path) => violations(path, readFileSync(join(project, path), "utf8")))).toEqual([])
})

test.each(["docs/architecture.md", "CONTRIBUTING.md"])("%s shows the enforced table of layers", (page) => {
  const text = readFileSync(join(project, page), "utf8")
  expect(/<!-- layers -->\n([\s\S]*?)\n<!-- \/layers -->/.exec(text)?.[1]).toBe(layersTable())
})

test("every file named by a source exists", () => {
  const missing = sources
    .filter((path) => !path.startsWith("packages/lab/"))
    .flatMap((path) =>
      relativeImports(readFileSync(join(project, path), "utf8"))
        .filter((found) => /\.\w+$/.test(found.path))
        // Grammars are copied from their packages by the build.
        .filter((found) => !found.path.endsWith(".wasm"))
        .filter((found) => !existsSync(join(project, dirname(path), found.path)))
        .map((found) => `${path}:${found.line} ${found.path}`),
    )
  expect(missing).toEqual([])
})

describe("the check itself rejects", () => {
  const PLANTED: readonly (readonly [string, string, string])[] = [
    ["an import upwards", "src/store/open.ts", 'import { run } from "../index/run.ts"'],
    ["a neighbour", "src/doors/cli/run.ts", 'import { serveStdio } from "../mcp/server.ts"'],
    ["a type-only import", "src/search/rank.ts", 'import type { Plan } from "../index/plan.ts"'],
    ["a re-export", "src/text/words.ts", 'export { open } from "../store/open.ts"'],
    ["an import for its effects", "src/base/log.ts", 'import "../config/load.ts"'],
    ["an import over several lines", "src/base/log.ts", 'import {\n  load,\n} from\n  "../config/load.ts"'],
    ["a dynamic import", "src/search/rank.ts", 'const { plan } = await import("../index/plan.ts")'],
    ["an import type", "src/search/rank.ts", 'let plan: import("../index/plan.ts").Plan'],
    ["a require", "src/vector/open.ts", "const store = require('../embed/port.ts')"],
    ["a worker", "src/search/rank.ts", 'new Worker(new URL("../index/worker.ts", import.meta.url))'],
    ["the top itself", "src/app/open.ts", 'import { main } from "../main.ts"'],
    ["an unknown folder", "src/base/log.ts", 'import { x } from "../utils/x.ts"'],
    ["a file in an unknown folder", "src/utils/x.ts", ""],
    ["a file in an unknown folder inside a known one", "src/search/utils/x.ts", ""],
    ["a file outside the sources", "src/base/log.ts", 'import { x } from "../../scripts/x.ts"'],
    [
      "another folder's asset",
      "src/search/rank.ts",
      'import path from "../../models/table.bin" with { type: "file" }',
    ],
    ["a package of another folder", "src/search/rank.ts", 'import { Database } from "bun:sqlite"'],
    ["a part of such a package", "src/app/x.ts", 'await import("@modelcontextprotocol/server/stdio")'],
    ["a computed import", "src/search/rank.ts", "await import(name)"],
    ["a computed path", "src/search/rank.ts", "const path = `../index/${name}.ts`"],
  ]
  test.each(PLANTED)("%s", (_, path, source) => {
    expect(violations(path, source)).toHaveLength(1)
  })
})

describe("the check accepts", () => {
  const ALLOWED: readonly (readonly [string, string, string])[] = [
    ["a lower row", "src/doors/cli/run.ts", 'import { search } from "../app/search.ts"'],
    ["the same folder", "src/doors/cli/commands/ui.ts", 'import { run } from "../run.ts"'],
    ["the top importing a door", "src/main.ts", 'await import("./cli/run.ts")'],
    ["its own asset", "src/code/languages.ts", 'import { paths } from "../../grammars/assets.ts"'],
    [
      "an import in a comment",
      "src/base/log.ts",
      '// import { run } from "../index/run.ts"\n/* "../app/x.ts" */',
    ],
    ["a folder", "src/code/all.test.ts", 'const project = new URL("../../", import.meta.url)'],
    ["a URL in a string", "src/base/log.ts", 'const url = "https://x.org/../a" // from "./x"'],
  ]
  test.each(ALLOWED)("%s", (_, path, source) => {
    expect(violations(path, source)).toEqual([])
  })
})
