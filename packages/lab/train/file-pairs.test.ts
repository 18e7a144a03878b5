import { expect, test } from "bun:test"
import { DEFAULT_PARSE_OPTIONS, parseFile } from "../../../src/parse/file/parse.ts"
import { termOf } from "../../../src/text/terms/abbreviations.ts"
import { hashTerm } from "../../../src/text/terms/hash.ts"
import { commitPairs } from "./commit-pairs.ts"
import { distinctPairs } from "./distinct-pairs.ts"
import { codePairs } from "./file-pairs.ts"
import { type Pair, type PairKind, packPairs, unpackPairs } from "./pair.ts"
import { prosePairs } from "./prose-pairs.ts"

const CODE = `/**
 * How requests find their handler: a tree of path segments.
 */
import { Segment } from "./segment"

/** Finds the handler of a request by its path and method. */
export function route(path: string, method: string): Handler {
  const segments = path.split("/") // cut at slashes
  for (const segment of segments) descend(segment, method)
  return current.handlers.get(method) ?? notFound
}

export function descend(segment: string, method: string) {}
export class Tree {}

test("answers 404 where no route matches", () => {
  const tree = new Tree()
  tree.insert("/users", list)
  expect(tree.find("/orders").status).toBe(404)
})
`

const PROSE = `# Routing

A router keeps the paths of an application in a tree of their segments.
Each request descends from the root until a leaf has a handler for it.
See [how the tree is kept](../src/tree.ts) for all that a node of the tree holds.
`

const always = () => 0

test("pairs a definition's comment with its code and its place, and its name with its code", async () => {
  const pairs = codePairs("src/http/router.ts", await parsed("src/http/router.ts", CODE), always)
  const [left, right] = sidesOf(pairs, "doc → body")
  for (const word of ["finds", "handler", "request"]) expect(left!.has(hash(word))).toBe(true)
  for (const word of ["segments", "split", "route"]) expect(right!.has(hash(word))).toBe(true)
  // Words of a comment inside the code are left out.
  expect(right!.has(hash("slashes"))).toBe(false)
  expect(sidesOf(pairs, "doc → name and path")[1]!.has(hash("router"))).toBe(true)
  expect(sidesOf(pairs, "name → body")[0]!.has(hash("route"))).toBe(true)
  expect(sidesOf(pairs, "head comment → names")[1]!.has(hash("descend"))).toBe(true)
  expect(sidesOf(pairs, "test title → body")[0]!.has(hash("matches"))).toBe(true)
})

test("pairs a heading with its section, a sentence with the next and with its link target", async () => {
  const files = new Map([["src/tree.ts", ["insertNode"]]])
  const pairs = prosePairs("docs/routing.md", await parsed("docs/routing.md", PROSE), files)
  expect(sidesOf(pairs, "heading → section")[0]!.has(hash("routing"))).toBe(true)
  expect(sidesOf(pairs, "sentence → next sentence")[1]!.has(hash("leaf"))).toBe(true)
  expect(sidesOf(pairs, "sentence → file it links")[1]!.has(hash("insert"))).toBe(true)
})

test("pairs a commit's subject with its changes, unless it is noise", () => {
  const diff =
    "\n\ndiff --git a/src/a.ts b/src/a.ts\n--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1 +1 @@ function parseHeader\n-old value of things\n+new words that were added here today\n"
  const commit = (subject: string) => `\u0001${subject}\u0002\u0003${diff}`
  const pairs = commitPairs(
    `${commit("fix(http): read folded header lines (#12)")}${commit("Bump version to 2")}`,
  )
  expect(pairs).toHaveLength(1)
  expect(pairs[0]!.left.has(hash("folded"))).toBe(true)
  expect(pairs[0]!.left.has(hash("12"))).toBe(false)
  for (const word of ["header", "added", "old"]) expect(pairs[0]!.right.has(hash(word))).toBe(true)
})

test("merges pairs of the same words, and packing keeps them", () => {
  const bag = (...words: string[]) => new Map(words.map((word) => [hash(word), 1]))
  const pair = (left: string[], right: string[]): Pair => ({
    kind: "name → body",
    left: bag(...left),
    right: bag(...right),
  })
  const pairs = distinctPairs([
    pair(["a1", "b1"], ["c1"]),
    pair(["b1", "a1"], ["c1"]),
    pair(["c1"], ["a1", "b1"]),
  ])
  expect(pairs).toHaveLength(2)
  const { hashes, pairs: unpacked, data } = unpackPairs(packPairs(pairs))
  expect(unpacked.map(({ sides }) => sides.map(([from, to]) => to - from))).toEqual([
    [2, 1],
    [1, 2],
  ])
  const first = data[unpacked[0]!.sides[1][0]]! >>> 8
  expect((BigInt(hashes[2 * first + 1]!) << 32n) | BigInt(hashes[2 * first]!)).toBe(hash("c1"))
})

function parsed(path: string, text: string) {
  return parseFile(path, text, DEFAULT_PARSE_OPTIONS)
}

function sidesOf(pairs: readonly Pair[], kind: PairKind) {
  const pair = pairs.find((one) => one.kind === kind)
  return pair === undefined ? [] : [pair.left, pair.right]
}

function hash(word: string): bigint {
  return hashTerm(termOf(word))
}
