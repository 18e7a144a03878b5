import { expect, test } from "bun:test"
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join, posix } from "node:path"

const ROOT = join(import.meta.dir, "..")
const PAGES = [
  "CONTRIBUTING.md",
  "docs/architecture.md",
  ...filesBelow("docs/decisions").filter((path) => path.endsWith(".md")),
]
const CODE = ["src", "packages", "scripts", "test"]
  .flatMap(filesBelow)
  .filter((path) => path.endsWith(".ts") && path !== "test/docs-names.test.ts")

/** Names in backquotes that belong to another program or to the code of an example. */
const FOREIGN = new Set(
  `ForOptimizeAfterWarmUp heapGrowthMaxIncrease largeHeapSize maximumOMGCandidateCost thresholdForFTLOptimizeAfterWarmUp
  thresholdForJITAfterWarmUp thresholdForOptimizeAfterWarmUp`.split(/\s+/),
)

/** Names of several words: getUser, OpenFolder, MAX_FILES. A single word may be plain English. */
const NAME =
  /(?<![\w.$@-])(?:[a-z]+(?:[A-Z][a-z0-9]*)+|(?:[A-Z][a-z0-9]+){2,}|[A-Z]{2,}(?:_[A-Z0-9]+)+)(?![\w-])/g
const SOURCE_PATH = /^[\w.-]+(?:\/[\w.-]+)*\.ts$/

test("every source file that a decision or the architecture names exists", () => {
  const isThere = (path: string) => CODE.some((file) => file === path || file.endsWith(`/${path}`))
  const missing = quotedIn(PAGES).filter(
    ({ text }) => SOURCE_PATH.test(text) && !FOREIGN.has(text) && !isThere(text),
  )
  expect(missing).toEqual([])
})

test("every identifier that a decision or the architecture names occurs in the code", () => {
  const used = new Set(CODE.flatMap((path) => read(path).match(/[A-Za-z_]\w+/g) ?? []))
  const missing = quotedIn(PAGES)
    .filter(({ text }) => !SOURCE_PATH.test(text))
    .flatMap(({ page, text }) => (text.match(NAME) ?? []).map((name) => ({ page, name })))
    .filter(({ name }) => !used.has(name) && !FOREIGN.has(name))
  expect(missing).toEqual([])
})

test("a decision has at most 900 words, and the figures have at most 4,000", () => {
  const tooLong = filesBelow("docs/decisions").filter(
    (path) => wordsIn(path) > (path.endsWith("/figures.md") ? 4_000 : 900),
  )
  expect(tooLong).toEqual([])
})

test("all pages of docs together have at most 45,000 words", () => {
  const pages = filesBelow("docs").filter((path) => path.endsWith(".md"))
  expect(pages.length).toBeGreaterThan(20)
  expect(pages.reduce((sum, path) => sum + wordsIn(path), 0)).toBeLessThanOrEqual(45_000)
})

test("every test that the soak runs exists", () => {
  const named = read("scripts/soak.ts").match(/(?<=")\.\/[\w./-]+\.test\.ts(?=")/g) ?? []
  expect(named.length).toBeGreaterThan(5)
  expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
})

test("every decision that the code names exists", () => {
  const named = CODE.flatMap((path) => read(path).match(/docs\/decisions\/[\w./-]*\w/g) ?? [])
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
})

test("docs/architecture.md lists every version constant of a stored format, with its file", () => {
  const section = read("docs/architecture.md").split("## Version constants")[1]!
  const listed = [...section.matchAll(/^\| (`[^|]+`) \| `([^`]+)` \|/gm)].flatMap(([, names, path]) =>
    [...names!.matchAll(/`(\w+)`/g)].map(([, name]) => `${path} ${name}`),
  )
  const declared = CODE.filter((path) => path.startsWith("src/") && !path.endsWith(".test.ts")).flatMap(
    (path) =>
      [
        ...read(path).matchAll(/^(?:export )?const (\w*(?:VERSION|FORMAT)) = (?:\d+|\w+_VERSION \* .+)$/gm),
      ].map(([, name]) => `${path} ${name}`),
  )
  expect(listed.toSorted()).toEqual(declared.toSorted())
})

test("docs/architecture.md has a row for every package of the binary", () => {
  const section = read("docs/architecture.md").split("## Packages")[1]!.split("\n## ")[0]!
  const rows = [...section.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name)
  expect(rows).toEqual(Object.keys(JSON.parse(read("package.json")).dependencies))
})

test.each([
  [
    "docs/ui.md",
    ["packages/page/server/reads.ts", "packages/page/serve-ui.ts"],
    /"(?:(?:GET|POST) )?(\/api\/[\w-]+)"/g,
  ],
  ["docs/team.md", ["packages/team/serve-team.ts"], /"(?:GET|POST) (\/v1\/[\w/-]+)"/g],
])("%s has a row for every request", (page, files, declaration) => {
  const requests = files.flatMap((path) =>
    [...read(path).matchAll(declaration)].map(([, request]) => request!),
  )
  const rows = [...read(page).matchAll(/^\| `(?:GET|POST) (\/[\w/-]+)/gm)].map(([, request]) => request!)
  expect(requests.length).toBeGreaterThan(5)
  expect(requests.filter((request) => !rows.includes(request))).toEqual([])
})

test("every recipe of CONTRIBUTING.md is a table of files that exist and contain the given names", () => {
  const section = read("CONTRIBUTING.md").split("## How to add …")[1]!.split("\n## ")[0]!
  const recipes = section.split(/^### /m).slice(1)
  expect(recipes.length).toBeGreaterThan(10)
  const wrong = recipes.flatMap((recipe) => {
    const title = recipe.split("\n", 1)[0]!
    const rows = recipe.split("\n").filter((line) => line.startsWith("| ") && line !== RECIPE_HEAD)
    if (!recipe.includes(`\n${RECIPE_HEAD}\n`) || rows.length < 3) return [`${title}: no table of steps`]
    return rows.filter((row) => !isStep(row)).map((row) => `${title}: ${row}`)
  })
  expect(wrong).toEqual([])
})

const RECIPE_HEAD = "| step | file | name |"

/** True if the file of a recipe's row declares its name. Only folders and pages need no name. */
function isStep(row: string): boolean {
  const [, path, name] = /\| `([^`|]+)` \| (?:`(\w+)` )?\|$/.exec(row) ?? []
  if (path === undefined || !existsSync(join(ROOT, path))) return false
  if (name === undefined) return path.endsWith(".md") || statSync(join(ROOT, path)).isDirectory()
  const before = path.endsWith(".ts") ? "\\b(?:const|function|type|class) " : '"'
  return new RegExp(`${before}${name}\\b`).test(read(path))
}

/** The texts in backquotes of the pages, without fenced blocks. */
function quotedIn(pages: readonly string[]): { readonly page: string; readonly text: string }[] {
  return pages.flatMap((page) =>
    [
      ...read(page)
        .replace(/```[\s\S]*?```/g, "")
        .matchAll(/`([^`\n]+)`/g),
    ].map(([, text]) => ({
      page,
      text: text!,
    })),
  )
}

function filesBelow(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => posix.join(parentPath.slice(ROOT.length + 1).replaceAll("\\", "/"), name))
}

function wordsIn(path: string): number {
  return read(path).trim().split(/\s+/).length
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), "utf8")
}
