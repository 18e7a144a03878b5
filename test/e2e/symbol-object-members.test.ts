import { expect, test } from "bun:test"
import { indexedOnce } from "./opened.ts"
import { placesIn } from "./symbol-places.ts"

/** Functions that properties hold, and object literals that implement an interface. */
const space = indexedOnce({
  "bound/board.js":
    "function addPairs(a, b) { return a + b }\nfunction joinAll(xs) { return xs }\nfunction render() { return 1 }\nfunction saveAll() {}\nfunction Board() {\n  this.addPairs = addPairs\n  this.sum = joinAll\n}\nBoard.prototype.draw = render\nBoard.prototype.run = function () {\n  return this.draw() + this.addPairs(1, 2)\n}\nexports.addPairs = addPairs\nexports.Board = Board\nexports.store = saveAll\n",
  "bound/use.js":
    'const { Board, store } = require("./board")\nconst lib = require("./board")\nconst b = new Board()\nb.addPairs(3, 4)\nb.sum([1])\nb.draw()\nlib.addPairs(5, 6)\nstore()\nlib.store()\n',
  "bound/other.js": "export function unknown(x) {\n  return x.sum([1])\n}\n",
  "bound/cart.ts":
    "export function computeTotal(n: number) {\n  return n\n}\nexport class Cart {\n  total = computeTotal\n  run() {\n    return this.total(1)\n  }\n}\nexport const prices = { total: computeTotal }\nexport const named = (computeTotal: string) => {\n  return { hidden: computeTotal }\n}\n",
  "bound/pay.ts":
    'import { Cart, named, prices } from "./cart"\nnew Cart().total(3)\nprices.total(5)\nnamed("x").hidden.trim()\n',
  "many/home.js": "export function everywhere() {\n  return 1\n}\n",
  ...Object.fromEntries(
    Array.from({ length: 103 }, (_, at) => [
      `many/use${at}.js`,
      'import { everywhere } from "./home"\nexport default everywhere()\n',
    ]),
  ),
  "typed/types.ts":
    'export interface Handler {\n  onOpen(id: string): void\n  onClose: () => void\n}\nexport function register(handler: Handler) {\n  handler.onOpen("1")\n  handler.onClose()\n}\n',
  "typed/impl.ts":
    'import { type Handler, register } from "./types"\nfunction onOpen(id: string) {}\nexport const typed: Handler = {\n  onOpen,\n  onClose() {},\n}\nregister({\n  onOpen(id) {},\n  onClose() {},\n})\nexport function make(): Handler {\n  return {\n    onOpen,\n    onClose() {},\n  }\n}\nexport const checked = {\n  onOpen(id) {},\n  onClose() {},\n} satisfies Handler\nexport const unrelated = {\n  onClose() {},\n}\n',
  "bare/api.ts": "export function save(x: number) {\n  return x\n}\n",
  "bare/options.ts":
    'import { save } from "./api"\nexport default {\n  methods: {\n    save(x: number) {\n      return save(x)\n    },\n    twice(x: number) {\n      return save(save(x))\n    },\n  },\n}\n',
  "bare/Shop.vue":
    '<script lang="ts">\nimport { save } from "./api"\nexport default {\n  methods: {\n    save(x: number) {\n      return save(x)\n    },\n  },\n}\n</script>\n<template><b @click="save(1)" /></template>\n',
  "typed/use.ts":
    'import { typed, unrelated } from "./impl"\ntyped.onClose()\ntyped.onOpen("2")\nunrelated.onClose()\n',
})

const placesOf = async (name: string, relation: string): Promise<string[]> => {
  const { references, related } = await space().json(["symbol", name, relation])
  return [
    ...references.map(({ path, line }: { path: string; line: number }) => `${path}:${line}`),
    ...related.map(({ path, start_line: line }: { path: string; start_line: number }) => `${path}:${line}`),
  ].sort()
}

test("a bare name in a method means no method of an object without a name, except in the template of a component", async () => {
  const placesAt = async (place: string) => {
    const { stdout } = await space().run(["symbol", place, "--references", "--json"])
    return placesIn(JSON.parse(stdout).references).sort()
  }
  expect(await placesAt("bare/api.ts:1")).toEqual([
    ...["bare/Shop.vue:2", "bare/Shop.vue:6"],
    ...["bare/options.ts:1", "bare/options.ts:5", "bare/options.ts:8"],
  ])
  expect(await placesAt("bare/Shop.vue:5")).toEqual(["bare/Shop.vue:11"])
  expect(await placesAt("bare/options.ts:4")).toEqual([])
})

test.each<[name: string, places: string[]]>([
  [
    "addPairs",
    ["bound/board.js:11", "bound/board.js:13", "bound/board.js:6", "bound/use.js:4", "bound/use.js:7"],
  ],
  ["joinAll", ["bound/board.js:7", "bound/use.js:5"]],
  ["render", ["bound/board.js:11", "bound/board.js:9", "bound/use.js:6"]],
  ["saveAll", ["bound/board.js:15", "bound/use.js:1", "bound/use.js:8", "bound/use.js:9"]],
  [
    "computeTotal",
    ["bound/cart.ts:10", "bound/cart.ts:5", "bound/cart.ts:7", "bound/pay.ts:2", "bound/pay.ts:3"],
  ],
])("uses of properties that hold %s are uses of it", async (name, places) => {
  expect(await placesOf(name, "--references")).toEqual(places)
})

test("a use of the property of a value of unknown type is unresolved", async () => {
  const { unresolved } = await space().json(["symbol", "joinAll", "--references"])
  expect(unresolved.places.map(({ path }: { path: string }) => path)).toEqual(["bound/other.js"])
})

test("where very many files use a function, a notice says that not all were read for properties", async () => {
  const noticesOf = async (name: string) => (await space().json(["symbol", name, "--references"])).notices
  expect(await noticesOf("everywhere")).toContainEqual(expect.stringMatching(/^3 files .* properties/))
  expect(await noticesOf("render")).not.toContainEqual(expect.stringContaining("properties"))
})

test.each<[name: string, places: string[]]>([
  ["Handler", ["typed/impl.ts:17", "typed/impl.ts:3"]],
  ["Handler.onOpen", ["typed/impl.ts:18", "typed/impl.ts:8"]],
  ["Handler.onClose", ["typed/impl.ts:14", "typed/impl.ts:19", "typed/impl.ts:5", "typed/impl.ts:9"]],
])("object literals with the type %s implement it", async (name, places) => {
  expect(await placesOf(name, "--implementations")).toEqual(places)
})

test.each<[name: string, places: string[]]>([
  ["Handler.onOpen", ["typed/impl.ts:13", "typed/impl.ts:4", "typed/types.ts:6", "typed/use.ts:3"]],
  ["Handler.onClose", ["typed/types.ts:7", "typed/use.ts:2"]],
  ["typed.onClose", ["typed/use.ts:2"]],
  ["unrelated.onClose", ["typed/use.ts:4"]],
])("uses of %s through a constant and by shorthand", async (name, places) => {
  expect(await placesOf(name, "--references")).toEqual(places)
})
