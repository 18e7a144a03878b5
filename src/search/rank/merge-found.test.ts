import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import fc from "fast-check"
import { mergeFound } from "../../../test/merge-found.ts"
import { REQUEST, TempProject } from "../../../test/temp-project.ts"
import { searchQuery } from "../search-query.ts"
import { bestAndPage, type FoundIn, mergeRanked } from "./merge-found.ts"

const WEIGHTS = { error_code: 0.8, identifier: 0.7, natural: 0.25, mixed: 0.5, quoted: 0.9 }
const server = new TempProject({
  "src/handler.go":
    "package src\n\n// HandleRequest answers one request with its handler.\nfunc HandleRequest(r Request) Answer {\n\treturn r.Handler.Answer(r)\n}\n",
  "src/request.go":
    "package src\n\n// Request is what a client asked.\ntype Request struct { Path string }\n",
  "src/retry.go":
    "package src\n\n// Backoff waits longer after each failure of a request.\nfunc Backoff(try int) int { return try * try }\n",
})
const parser = new TempProject({
  "lib/header.py":
    "def parse_header(line):\n    '''Splits a header of a request.'''\n    return line.split(':')\n",
  "lib/date.py":
    "def parse_date(text):\n    '''Reads a date as it is written in a header.'''\n    return text\n",
})
const cooking = new TempProject({
  "soup.md": "# Soup\n\nBoil water, add salt, wait.\n",
  "bread.md": "# Bread\n\nFlour, water, yeast. Bake.\n",
})
const projects = [server, parser, cooking]
for (const project of projects) await project.index()
afterAll(() => {
  for (const project of projects) project[Symbol.dispose]()
})

async function findIn(
  project: TempProject,
  query: string,
  mode: "hybrid" | "semantic" | "keyword" = "hybrid",
) {
  const reader = project.open().reader()!
  const options = {
    ...REQUEST,
    query,
    mode,
    limit: 10,
    folder: "",
    weights: WEIGHTS,
    readText: () => null,
  }
  using sources = reader.sources({ vectors: mode !== "keyword" })
  const found = await searchQuery(sources, options)
  return { found, ...reader.store.files.totals() } satisfies FoundIn
}

const pathsOf = (merged: ReturnType<typeof mergeFound>) => merged.map(({ file }) => file.path)

test.each([
  ["Backoff", "src/retry.go"],
  ["where is a header split", "lib/header.py"],
  ["how are dates read", "lib/date.py"],
  ["boil water for soup", "soup.md"],
  ["HandleRequest", "src/handler.go"],
])("%s: the file that answers comes first, wherever it lies", async (query, path) => {
  const founds = await Promise.all(projects.map((project) => findIn(project, query)))
  const merged = mergeFound(founds)
  expect(merged[0]!.file.path).toBe(path)
  expect(merged[0]!.score).toBe(1)
  const scores = merged.map(({ score }) => score)
  expect(scores).toEqual(scores.toSorted((a, b) => b - a))
})

test("a single index keeps its order and scores", async () => {
  const alone = await findIn(server, "how is a request answered")
  const merged = mergeFound([alone])
  expect(pathsOf(merged)).toEqual(alone.found.files.map(({ path }) => path))
  for (const [at, { score }] of merged.entries()) {
    expect(score).toBeCloseTo(alone.found.files[at]!.score, 6)
  }
})

test("the order of the indexes does not matter, and no file is lost", async () => {
  const founds = await Promise.all(
    projects.map((project) => findIn(project, "parse the header of a request")),
  )
  const usual = pathsOf(mergeFound(founds))
  expect(usual.toSorted()).toEqual(
    founds.flatMap(({ found }) => found.files.map(({ path }) => path)).toSorted(),
  )
  fc.assert(
    fc.property(fc.shuffledSubarray(founds, { minLength: 3 }), (shuffled) => {
      expect(pathsOf(mergeFound(shuffled))).toEqual(usual)
    }),
    { numRuns: 20 },
  )
})

test("a search by meaning alone orders the files of all indexes by cosine", async () => {
  const founds = await Promise.all(
    projects.map((project) => findIn(project, "waiting after failures", "semantic")),
  )
  const sums = mergeFound(founds).map(({ file }) => file.ranked.sum)
  expect(sums).toEqual(sums.toSorted((a, b) => b - a))
})

test("a word that only one index contains does not lift the others, although they parsed the query differently", async () => {
  const founds = await Promise.all(projects.map((project) => findIn(project, "yeast", "keyword")))
  expect(pathsOf(mergeFound(founds))[0]).toBe("bread.md")
  expect(mergeFound([])).toEqual([])
})

describe("the best page of a question", () => {
  const NAMES = ["client", "pool", "socket", "server", "proxy", "tunnel"]
  const timeouts = new TempProject({
    ...Object.fromEntries(
      NAMES.map((name) => [
        `src/${name}.py`,
        `class ${name}:\n    """Sets the timeout that a ${name} waits."""\n    def set_timeout(self, timeout):\n        self.timeout = timeout\n`,
      ]),
    ),
    "docs/guide.md": "# Timeouts\n\nHow long a client waits: set the timeout of each request in seconds.\n",
  })
  beforeAll(() => timeouts.index())
  afterAll(() => timeouts[Symbol.dispose]())

  test("is the fourth file in one index and among several", async () => {
    const query = "how do I set the timeout that a request waits"
    const alone = await findIn(timeouts, query)
    expect(alone.found.files[3]!.path).toBe("docs/guide.md")
    expect(alone.found.files[3]!.ranked.lift).toBeGreaterThan(0)
    const others = [await findIn(parser, query), await findIn(cooking, query)]
    const merged = mergeFound([alone, ...others])
    expect(pathsOf(merged)[3]).toBe("docs/guide.md")
    expect(pathsOf(mergeFound([alone]))).toEqual(alone.found.files.map(({ path }) => path))
  })

  test("is kept beyond the best files that an index reports, because it may move up later", () => {
    const fileOf = (path: string, sum: number, sumAsCode: number | null = null) => ({
      ...{ path, sum, sumAsCode, source: 0 },
    })
    const [near, far] = [fileOf("near.md", 1, 8.5), fileOf("far.md", 1, 7.5)]
    const code = [10, 9, 8, 7, 6].map((sum, at) => fileOf(`${at}.ts`, sum))
    const paths = (files: readonly { readonly path: string }[]) => files.map(({ path }) => path)
    expect(paths(bestAndPage([near, ...code], 2))).toEqual(["0.ts", "1.ts", "near.md"])
    const moved = mergeRanked([near, ...code])[3]!
    expect(moved.path).toBe("near.md")
    expect(moved.sum).toBeCloseTo(7)
    expect(paths(mergeRanked([far, ...code])).at(-1)).toBe("far.md")
    const elsewhere = { ...fileOf("1.ts", 12), source: 1 }
    expect(paths(mergeRanked([near, elsewhere, ...code])).at(-1)).toBe("near.md")
  })
})
