import { expect, test } from "bun:test"
import { indexedOnce } from "./opened.ts"

const FILES: Readonly<Record<string, string>> = {
  "store.js":
    "export class Store {\n  openRows() {}\n}\nexport class Shelf {\n  openRows() {}\n}\n/**\n * @typedef {object} Setup\n * @property {Store} store\n * @property {number} size\n */\n/**\n * @callback Visit\n * @param {Setup} setup\n * @returns {void}\n */\n",
  "use.js":
    '/** @typedef {import("./store.js").Setup} Setup */\n/** @import { Visit, Store as Shop } from "./store.js" */\n/**\n * @param {Shop} store\n * @param {Setup} setup\n */\nexport function useAll(store, { store: other }) {\n  store.openRows()\n  other.openRows()\n  made().openRows()\n}\n/** @returns {Promise<import("./store.js").Store>} */\nasync function made() {\n  return load()\n}\n/** @type {Visit} */\nexport const visit = (setup) => setup\n',
  "typed.ts":
    'import { Shelf } from "./store.js"\n/** @param {Store} shelf */\nexport function tidy(shelf: Shelf) {\n  shelf.openRows()\n}\n',
}

const space = indexedOnce(FILES)

const linesOf = async (name: string) => {
  const { references } = await space().json(["symbol", name, "--references"])
  return references
    .filter(({ certainty }: { certainty: string }) => certainty === "certain")
    .map(({ path, line }: { path: string; line: number }) => `${path}:${line}`)
}

test.each([
  ["Setup", ["store.js:14", "use.js:1", "use.js:5"]],
  ["Visit", ["use.js:2", "use.js:16"]],
  ["Store.openRows", ["use.js:8", "use.js:9", "use.js:10"]],
  ["Shelf.openRows", ["typed.ts:4"]],
  ["Store", ["store.js:9", "use.js:2", "use.js:4", "use.js:12"]],
])("JSDoc comments of JavaScript tell what %s is used by", async (name, wanted) => {
  expect(await linesOf(name)).toEqual(wanted)
})

test("@typedef and @callback are definitions of types", async () => {
  const { definitions } = await space().json(["symbol", "Visit"])
  expect(definitions).toMatchObject([{ path: "store.js", kind: "type", start_line: 13 }])
})
