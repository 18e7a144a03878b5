import { expect, test } from "bun:test"
import { indexedGraph } from "../../test/indexed-graph.ts"
import { qualifiedName } from "./definition.ts"
import { referencesTo } from "./references.ts"

const FILES = {
  "types.ts": `export interface Row {
  key: string
  cells: readonly Cell[]
}
export interface Cell {
  text: string
}
export interface Other {
  key: string
  text: string
}
export type AnyRow = Row | null
export type Visit = (row: Row) => void
export class Table extends Base {
  readonly rows: Row[] = []
  constructor(options: Options) {}
  get first(): Row {
    return this.rows[0]!
  }
  byKey(key: string): Promise<AnyRow> {}
  each(visit: Visit): this {}
}
export class Base {
  cell: Cell
}
export interface Options {
  row: Row
  label?: string
}
export function load(options: Options): Table {}
export function visitAll(visit: (row: Row) => void): void {}
export const table = new Table(1)
`,
  "twin.ts":
    "export interface Row {\n  key: number\n}\nexport function twin(row: Row): number {\n  return row.key\n}\n",
  "use.ts": `import { type Cell, load, type Options, type Row, Table, table, visitAll } from "./types.ts"
class Screen {
  #table: Table
  async show(): Promise<void> {
    this.#table.first.key
    const row = await this.#table.byKey("a")
    row?.key
    const { key, cells: all } = table.first
    for (const cell of all) cell.text
    all.map((each) => each.text)
    visitAll((row) => row.key)
    this.#table.each(({ key }) => key).first.key
    table.cell.text
    all.length.text
    return
  }
}
function made({ row, label }: Options): Row {
  const list = [{ key: 1 }]
  load({ row: { key: "a", cells: [{ text: "b" }] }, label })
  const one: Row = { key: "a", cells: [] }
  each(() => {
    return { key: 2 }
  })
  return { key: row.key, cells: [] }
}
`,
  "view.tsx": `import type { Options } from "./types.ts"
export function View({ label }: Options) {
  return label
}
const page = <View label="a" row={1} />
`,
  "Shop.java": `class Shop {
  private Till till;
  Till till() { return till; }
  void close() { this.till.drawer.lock(); till().drawer.lock(); other.drawer.lock(); }
}
class Till {
  Drawer drawer;
}
class Drawer {
  void lock() {}
}
class Door {
  void lock() {}
}
class Gate {
  void lock() {}
}
`,
  "shop.go": `package shop
type Drawer struct { Size int }
func (d *Drawer) Lock() {}
type Gate struct { Size int }
func (g *Gate) Lock() {}
type Till struct { drawer *Drawer }
func open() *Till { return nil }
func run() {
  t := open()
  t.drawer.Lock()
  use(Drawer{Size: 1})
}
`,
  "shop.rs": `struct Drawer {}
impl Drawer {
  fn new() -> Self { Drawer {} }
  fn lock(&self) {}
}
struct Gate {}
impl Gate {
  fn lock(&self) {}
}
struct Till { drawer: Drawer }
fn run(till: Till) {
  till.drawer.lock();
  Drawer::new().lock();
}
`,
}

const { graph } = await indexedGraph(FILES)

/** "file:line" of the certain uses of a member, and of the possible ones. */
function usesOf(name: string, path: string): { readonly sure: string[]; readonly unsure: string[] } {
  const definition = graph
    .definitionsOf(name.slice(name.indexOf(".") + 1))
    .find((each) => qualifiedName(each) === name && each.file.path === path)!
  const { edges, unresolved } = referencesTo(graph, definition)
  const places = (all: typeof edges) => [...new Set(all.map(({ file, line }) => `${file.path}:${line}`))]
  return { sure: places(edges), unsure: places(unresolved) }
}

const lines = (path: string, ...all: number[]) => all.map((line) => `${path}:${line}`)

test("resolves a member through the declarations on the way to it", () => {
  const { sure } = usesOf("Row.key", "types.ts")
  // These lines reach `key` through a field, a getter, an awaited alias type, patterns, callbacks and written
  // types.
  expect(sure).toEqual(lines("use.ts", 5, 7, 8, 11, 12, 20, 21, 25))
})

test("resolves the elements of a list, but not members of the list itself", () => {
  expect(usesOf("Cell.text", "types.ts").sure).toEqual(lines("use.ts", 9, 10, 13, 20))
  expect(usesOf("Row.cells", "types.ts").sure).toEqual(lines("use.ts", 8, 20, 21, 25))
})

test("does not take the object literal in a callback for the result of the enclosing function", () => {
  const { sure, unsure } = usesOf("Row.key", "types.ts")
  for (const place of lines("use.ts", 19, 23)) {
    expect(sure).not.toContain(place)
    expect(unsure).toContain(place)
  }
})

test("ignores a type of the same name in another file", () => {
  expect(usesOf("Row.key", "twin.ts").sure).toEqual(lines("twin.ts", 5))
})

test("resolves attributes of markup to the properties of the component", () => {
  expect(usesOf("Options.label", "types.ts").sure).toEqual([
    ...lines("use.ts", 18, 20),
    ...lines("view.tsx", 2, 5),
  ])
})

test.each([
  ["Drawer.lock", "Shop.java", [4], ["Door.lock", "Gate.lock"]],
  ["Drawer.Lock", "shop.go", [10], ["Gate.Lock"]],
  ["Drawer.Size", "shop.go", [11], ["Gate.Size"]],
  ["Drawer.lock", "shop.rs", [12, 13], ["Gate.lock"]],
])("%s of %s: resolves chains through fields and results", (name, path, wanted, others) => {
  expect(usesOf(name, path).sure).toEqual(lines(path, ...wanted))
  for (const other of others) expect(usesOf(other, path).sure).toEqual([])
})

test("keys of Go literals are fields of the type of another package, also where the type is left out", async () => {
  const { graph } = await indexedGraph({
    "go.mod": "module example.org/m\n",
    "tests/api.go": "package tests\n\ntype Scenario struct {\n\tTitle string\n}\n",
    "apis/a.go":
      'package apis\n\nimport "example.org/m/tests"\n\nvar all = []tests.Scenario{\n\t{Title: "a"},\n}\nvar one = &tests.Scenario{Title: "b"}\n',
  })
  const file = graph.file("tests/api.go")!
  const symbol = file.symbols.find(({ name }) => name === "Title")!
  const { edges } = referencesTo(graph, { symbol, file })
  expect(edges.map(({ line, certainty }) => `${line} ${certainty}`)).toEqual(["6 certain", "8 certain"])
})
