import { describe, expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { relativeImports } from "./imports.ts"
import { layersTable, ROOMS, violations } from "./layer-rules.ts"

const project = join(import.meta.dir, "..")
const sources = [...new Bun.Glob("{src,packages}/**/*.ts").scanSync(project)]
  .map((path) => path.replaceAll("\\", "/"))
  // Tests are left out, because strings in them name paths and programs that are no imports.
  .filter((path) => !path.endsWith(".test.ts"))
  .sort()

test("every import stays in its room or enters a room below by its front door", () => {
  expect(sources.length).toBeGreaterThan(50)
  expect(sources.flatMap((path) => violations(path, readFileSync(join(project, path), "utf8")))).toEqual([])
})

test.each(ROOMS.map(({ name, lines }) => [name, lines] as const))(
  "%s has at most %d lines",
  (name, lines) => {
    const files = sources.filter((path) => path.startsWith(`src/${name}/`))
    const total = files.reduce(
      (sum, path) => sum + readFileSync(join(project, path), "utf8").split("\n").length - 1,
      0,
    )
    expect(total).toBeLessThanOrEqual(lines)
  },
)

test.each(ROOMS.map(({ name, names }) => [name, names] as const))(
  "%s exports at most %d names",
  (name, max) => {
    const door = readFileSync(join(project, `src/${name}/index.ts`), "utf8").replace(/\/\*[\s\S]*?\*\//g, "")
    const listed = [...door.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list]) =>
      list!.split(",").filter((each) => each.trim() !== ""),
    )
    const declared = door.match(/^export (?:const|function|class|type) \w/gm) ?? []
    expect(listed.length + declared.length).toBeLessThanOrEqual(max)
  },
)

test.each(["docs/architecture.md", "CONTRIBUTING.md"])("%s shows the enforced table of rooms", (page) => {
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
    ["an import upwards", "src/store/open.ts", 'import { run } from "../index/index.ts"'],
    ["an import past a front door", "src/search/rank.ts", 'import { plan } from "../index/plan.ts"'],
    ["its own front door", "src/search/rank/features.ts", 'import { search } from "../index.ts"'],
    ["a type-only import", "src/search/rank.ts", 'import type { Plan } from "../ask/index.ts"'],
    ["a re-export", "src/text/words.ts", 'export { open } from "../store/index.ts"'],
    ["an import for its effects", "src/base/log.ts", 'import "../text/index.ts"'],
    ["an import over several lines", "src/base/log.ts", 'import {\n  load,\n} from\n  "../text/index.ts"'],
    ["a dynamic import", "src/search/rank.ts", 'const { plan } = await import("../index/plan.ts")'],
    ["an import type", "src/search/rank.ts", 'let plan: import("../index/plan.ts").Plan'],
    ["a require", "src/store/open.ts", "const index = require('../index/port.ts')"],
    ["a worker", "src/search/rank.ts", 'new Worker(new URL("../index/worker.ts", import.meta.url))'],
    ["the top itself", "src/ask/open.ts", 'import { main } from "../main.ts"'],
    ["a package", "src/ask/open.ts", 'import { serveUi } from "../../packages/page/index.ts"'],
    ["a file of a package", "src/main.ts", 'import { serveUi } from "../packages/page/serve-ui.ts"'],
    ["another package", "packages/page/x.ts", 'import { worker } from "../team/index.ts"'],
    [
      "a file of a room, by a package",
      "packages/team/x.ts",
      'import { plan } from "../../src/index/plan.ts"',
    ],
    ["an unknown room", "src/base/log.ts", 'import { x } from "../utils/x.ts"'],
    ["a file in an unknown room", "src/utils/x.ts", ""],
    ["a file in an unknown folder of a room", "src/search/utils/x.ts", ""],
    ["a file outside the sources", "src/base/log.ts", 'import { x } from "../../scripts/x.ts"'],
    [
      "another room's asset",
      "src/search/rank.ts",
      'import path from "../../models/table.bin" with { type: "file" }',
    ],
    ["a package of another room", "src/search/rank.ts", 'import { Database } from "bun:sqlite"'],
    ["a part of such a package", "src/ask/x.ts", 'await import("@modelcontextprotocol/server/stdio")'],
    ["a package of another package", "packages/page/server/x.ts", 'import { Database } from "bun:sqlite"'],
    ["a computed import", "src/search/rank.ts", "await import(name)"],
    ["a computed path", "src/search/rank.ts", "const path = `../index/${name}.ts`"],
  ]
  test.each(PLANTED)("%s", (_, path, source) => {
    expect(violations(path, source)).toHaveLength(1)
  })
})

describe("the check accepts", () => {
  const ALLOWED: readonly (readonly [string, string, string])[] = [
    ["the door of a room below", "src/doors/cli/run.ts", 'import { search } from "../../search/index.ts"'],
    ["the same room", "src/doors/cli/commands/ui.ts", 'import { run } from "../run.ts"'],
    ["the top importing a door", "src/main.ts", 'await import("./doors/index.ts")'],
    ["the top importing a package", "src/main.ts", 'await import("../packages/page/index.ts")'],
    [
      "a package importing a room",
      "packages/team/x.ts",
      'import { search } from "../../src/search/index.ts"',
    ],
    ["its own asset", "src/parse/languages.ts", 'import { paths } from "../../grammars/assets.ts"'],
    [
      "an import in a comment",
      "src/base/log.ts",
      '// import { run } from "../index/run.ts"\n/* "../ask/x.ts" */',
    ],
    ["a folder", "src/parse/all.test.ts", 'const project = new URL("../../", import.meta.url)'],
    ["a URL in a string", "src/base/log.ts", 'const url = "https://x.org/../a" // from "./x"'],
  ]
  test.each(ALLOWED)("%s", (_, path, source) => {
    expect(violations(path, source)).toEqual([])
  })
})
