import { expect, test } from "bun:test"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { writeDocument, writeMetadata } from "../../src/symbols/scip-format.ts"
import { Workspace } from "./harness.ts"
import { Remotes } from "./remotes.ts"

const FILES = {
  "shop.ts": "export class Shop {\n  open() {}\n}\n\nexport class Door {\n  open() {}\n}\n",
  "main.ts":
    'import { Shop } from "./shop.ts"\n\nexport function start(shop: Shop) {\n  shop.open()\n}\n\nexport function other(value: any) {\n  value.open()\n}\n',
}

type Place = { path: string; line: number; certainty: string }
const placesOf = (answer: { references: Place[] }) =>
  answer.references.map(({ path, line, certainty }) => `${path}:${line} ${certainty}`)

test("a SCIP index is exported, imported, used for unchanged files and set aside for changed ones", async () => {
  using space = new Workspace(FILES)
  const ask = (name: string) => space.json(["symbol", name, "--references"])
  expect(placesOf(await ask("Door.open"))).toEqual([])
  const written = await space.json(["symbol", "export", "--scip", "own.scip"])
  expect([written.documents, written.symbols]).toEqual([2, 6])
  const path = join(space.project, "own.scip")
  const exported = readFileSync(path, "latin1")
  expect(exported).toContain("aman . . . `main.ts`/start().")

  // The index of a tool that resolves more: the call in line 8 (row 7, counted from 0) is a use of Door.open.
  const door = "npm . . . `shop.ts`/Door#open()."
  const shop = "npm . . . `shop.ts`/Shop#open()."
  const places = [
    ["shop.ts", shop, [1, 2, 6], 1],
    ["shop.ts", door, [5, 2, 6], 1],
    ["main.ts", shop, [3, 7, 11], 0],
    ["main.ts", door, [7, 8, 12], 0],
    ["../secret.ts", door, [0, 0, 4], 0],
    ["/etc/passwd", door, [0, 0, 4], 0],
    ["gone.ts", door, [0, 0, 4], 0],
  ] as const
  writeFileSync(path, scipOf(places))
  const imported = await space.json(["symbol", "import", "own.scip"])
  expect([imported.files, imported.places]).toEqual([2, 4])
  expect(imported.left_out).toEqual([
    { reason: "outside", files: 2, paths: ["../secret.ts", "/etc/passwd"] },
    { reason: "not indexed", files: 1, paths: ["gone.ts"] },
  ])
  expect(placesOf(await ask("Door.open"))).toEqual(["main.ts:8 certain"])
  expect(placesOf(await ask("Shop.open"))).toEqual(["main.ts:4 certain"])
  const callers = await space.json(["symbol", "Door.open", "--callers"])
  expect(callers.related.map(({ name }: { name: string }) => name)).toEqual(["other"])

  writeFileSync(
    join(space.project, "main.ts"),
    FILES["main.ts"].replace("export function other", "\nexport function other"),
  )
  expect(placesOf(await ask("Door.open"))).toEqual([])
  writeFileSync(join(space.project, "shop.ts"), `// moved\n${FILES["shop.ts"]}`)
  const changed = await ask("Door.open")
  expect(changed.notices.join()).toContain("shop.ts has changed since the SCIP index was imported")

  writeFileSync(path, "no index")
  const refused = await space.run(["symbol", "import", "own.scip"])
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("no SCIP index")])
})

test("an index at a configured place is imported when it changes, and only from inside the project", async () => {
  using space = new Workspace(FILES)
  const path = join(space.project, "index.scip")
  const env = { AMAN_SYMBOLS_INDEXES: "index.scip,gone.scip,../outside.scip" }
  const ask = () => space.json(["symbol", "Door.open", "--references"], { env })
  expect(placesOf(await ask())).toEqual([])
  writeFileSync(path, "no index")
  expect((await ask()).notices.join()).toContain("index.scip of symbols.indexes was not imported")
  const door = "npm . . . `shop.ts`/Door#open()."
  const definition = ["shop.ts", door, [5, 2, 6], 1] as const
  const use = ["main.ts", door, [7, 8, 12], 0] as const
  writeFileSync(path, scipOf([definition, use]))
  const { notices, ...answer } = await ask()
  expect([placesOf(answer), notices]).toEqual([["main.ts:8 certain"], []])
  writeFileSync(path, scipOf([definition, ["main.ts", door, [3, 7, 11], 0]]))
  expect(placesOf(await ask())).toEqual(["main.ts:4 certain"])
  writeFileSync(join(space.dir, "outside.scip"), scipOf([definition, use]))
  const outside = await ask()
  expect(placesOf(outside)).toEqual(["main.ts:4 certain"])
  expect(outside.notices.join()).toContain(
    "outside.scip of symbols.indexes was not imported: it is outside of the project",
  )
})

type Row = readonly [path: string, symbol: string, range: readonly [number, number, number], roles: number]

/** A SCIP index with these occurrences. */
function scipOf(rows: readonly Row[]): Buffer {
  const documents = [...Map.groupBy(rows, ([path]) => path)].map(([path, own]) =>
    writeDocument({
      path,
      language: "typescript",
      occurrences: own.map(([, symbol, [line, start, end], roles]) => ({ symbol, roles, line, start, end })),
      symbols: [],
    }),
  )
  return Buffer.concat([writeMetadata({ version: "1", root: "file:///build/shop" }), ...documents])
}

test("uses in another repository are found by the package and symbol in both SCIP indexes", async () => {
  using space = new Remotes()
  const core = {
    "package.json": '{ "name": "@shop/core", "version": "1.2.0" }',
    "cart.ts": "export function totalCart() {}\n",
  }
  space.bare("core", core)
  using own = new Workspace(core)
  await own.json(["symbol", "export", "--scip", "own.scip"])
  const exported = readFileSync(join(own.project, "own.scip"))
  const symbol = (version: string) => `aman npm @shop/core ${version} \`cart.ts\`/totalCart().`
  expect(exported.toString("latin1")).toContain(symbol("1.2.0"))
  const shop = {
    "page.ts": 'import { totalCart } from "@shop/core"\n\nexport function page() {\n  totalCart()\n}\n',
    "other.ts": "function totalCart() {}\n\nexport function other() {\n  totalCart()\n}\n",
  }
  const useOf = (version: string) => scipOf([["page.ts", symbol(version), [3, 2, 11], 0]])
  const indexes = { core: exported, same: useOf("1.2.0"), older: useOf("1.1.0") }
  for (const [name, index] of Object.entries(indexes)) {
    const url = name === "core" ? join(space.remotes, "core.git") : space.bare(name, shop)
    await space.json(["repos", "add", url])
    const clones = join(space.data, "repos")
    const clone = readdirSync(clones).find((folder) => folder.includes(name))!
    writeFileSync(join(clones, clone, "index.scip"), index)
  }
  const answer = await space.json(["symbol", "totalCart", "--references", "--repository", "*"], {
    env: { AMAN_SYMBOLS_INDEXES: "index.scip" },
  })
  const found = answer.references
    .filter(({ path }: Place) => path === "page.ts")
    .map(({ repository, line, certainty }: Place & { repository: string }) => [
      repository.replace(/^.*\//, ""),
      line,
      certainty,
    ])
  expect(found).toEqual([
    ["same.git", 4, "certain"],
    ["older.git", 4, "possible"],
  ])
  expect(answer.notices.join()).toContain("1 use by the package and symbol in its imported SCIP index")
})
