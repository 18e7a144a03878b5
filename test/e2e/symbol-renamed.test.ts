import { expect, test } from "bun:test"
import { indexedOnce } from "./opened.ts"
import { referencesTo } from "./symbol-places.ts"

const FILES: Readonly<Record<string, string>> = {
  "js/shop.js": "export function openShop() {}\nfunction closeShop() {}\nexport { closeShop as endDay }\n",
  "js/index.js": 'export { openShop as startDay } from "./shop.js"\nexport { endDay } from "./shop.js"\n',
  "js/main.js":
    'import { startDay } from "./index.js"\nimport { endDay } from "./shop.js"\nstartDay()\nendDay()\nfunction other(startDay) {\n  startDay()\n}\n',
  "js/other.js": 'import { startDay } from "./elsewhere.js"\nstartDay()\n',
  "js/old.js": "function countRows() {}\nmodule.exports = {\n  rowCount: countRows,\n}\n",
  "js/older.js": 'const { rowCount } = require("./old.js")\nrowCount()\n',
  "py/shop/__init__.py": "from .store import open_store as start_store\n",
  "py/shop/store.py": "def open_store():\n    pass\n",
  "cs/conf.cs": "namespace Cb;\npublic class RowConf { }\n",
  "cs/use.cs": "using Rows = Cb.RowConf;\nnamespace U;\nclass X { void F(Rows rows) { } }\n",
  "php/conf.php": "<?php\nnamespace Cb;\nclass DayConf {}\n",
  "php/use.php": "<?php\nnamespace U;\nuse Cb\\DayConf as Days;\nfunction f(Days $days) {}\n",
  "py/main.py": "from shop import start_store\n\nstart_store()\n",
}

const space = indexedOnce(FILES)

test.each([
  ["openShop", "js", ["js/index.js:1", "js/main.js:1", "js/main.js:3"]],
  ["closeShop", "js", ["js/index.js:2", "js/main.js:2", "js/main.js:4", "js/shop.js:3"]],
  ["countRows", "js", ["js/old.js:3", "js/older.js:1", "js/older.js:2"]],
  ["open_store", "py", ["py/main.py:1", "py/main.py:3", "py/shop/__init__.py:1"]],
])("%s in %s is used under the name of its renamed export", async (name, path, wanted) => {
  expect(await referencesTo(space(), name, path)).toEqual(wanted)
})

test.each([
  ["RowConf", "cs/use.cs", [1, 3]],
  ["DayConf", "php/use.php", [3, 4]],
])(
  "%s is used under the name that an import gives it, and nothing is undecided",
  async (name, path, lines) => {
    const { references, unresolved } = await space().json(["symbol", name, "--references"])
    const places = new Set(
      references.map((each: { path: string; line: number }) => `${each.path}:${each.line}`),
    )
    expect([...places]).toEqual(lines.map((line) => `${path}:${line}`))
    expect(unresolved.total).toBe(0)
  },
)

test.each([
  ["startDay", "openShop js/shop.js"],
  ["endDay", "closeShop js/shop.js"],
  ["start_store", "open_store py/shop/store.py"],
])("%s, a name that only an export gives, can be asked for", async (name, wanted) => {
  const { definitions } = await space().json(["symbol", name])
  expect(definitions.map((each: { name: string; path: string }) => `${each.name} ${each.path}`)).toEqual([
    wanted,
  ])
})
