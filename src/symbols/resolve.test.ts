import { describe, expect, test } from "bun:test"
import { indexedGraph } from "../../test/indexed-graph.ts"
import { TempProject } from "../../test/temp-project.ts"
import { calleesOf, callersOf, impactOf } from "./calls.ts"
import type { Edge } from "./definition.ts"
import { Budget, qualifiedName, type SymbolDefinition } from "./definition.ts"
import { implementationsOf } from "./implementations.ts"
import { referencesTo } from "./references.ts"
import { SymbolGraph } from "./symbol-graph.ts"

/** More namesakes than are weighed one by one. */
const SHOPS = 30
const USERS = 60

const shops = Object.fromEntries(
  Array.from({ length: SHOPS }, (_, at) => [
    `shop${at}/open.ts`,
    `export function open(): void {}\nexport class Shop${at} {\n  serve(): void {}\n}\n`,
  ]),
)
const customers = Object.fromEntries(
  Array.from({ length: SHOPS }, (_, at) => [
    `customer${at}.ts`,
    `import { open, Shop${at} } from "./shop${at}/open"\nexport function visit${at}(shop: Shop${at}): void {\n  open()\n  shop.serve()\n}\n`,
  ]),
)
const users = Object.fromEntries(
  Array.from({ length: USERS }, (_, at) => [
    `use/user${String(at).padStart(2, "0")}.ts`,
    `import { tool } from "../tool"\nexport function use${at}(): void {\n  tool()\n}\n`,
  ]),
)
const chain = Object.fromEntries(
  Array.from({ length: 7 }, (_, at) => [
    `chain/step${at}.ts`,
    `import { step${at + 1} } from "./step${at + 1}"\nexport function step${at}(): void {\n  step${at + 1}()\n}\n`,
  ]),
)

const FILES = {
  ...shops,
  ...customers,
  ...users,
  ...chain,
  "tool.ts": "export function tool(): void {}\n",
  "lost.ts": "open()\n",
  "one/twin.ts": "export function twin(): void {}\n",
  "two/twin.ts": "export function twin(): void {}\n",
  "either.ts": 'import * as twins from "twin"\ntwins.twin()\n',
  "both.ts":
    "export interface Both {}\nexport const Both = wrap()\nBoth()\nexport function show(one: Both): void {}\n",
  "over.ts":
    "export function load(one: string): void\nexport function load(one: number): void\nexport function load(one: unknown): void {}\nload(1)\n",
  "Hours.scala":
    "class Hours {\n  def first(): Int = {\n    def rounded(): Int = 1\n    rounded()\n  }\n  def last(): Int = {\n    rounded()\n  }\n}\n",
  "blocks.test.ts":
    'test("a", () => {\n  const make = () => 1\n  make()\n})\ntest("b", () => {\n  const make = () => 2\n  make()\n})\n',
  ...Object.fromEntries(
    ["north", "south"].map((side) => [
      `${side}.ts`,
      `export class Till {\n  constructor() {}\n}\nexport const tills: Till[] = [new Till(), new Till()]\n`,
    ]),
  ),
  "screen.ts": "export class Screen {}\n",
  ...Object.fromEntries(
    Array.from({ length: USERS }, (_, at) => [
      `screens/screen${at}.ts`,
      `import { Screen } from "../screen"\nexport class Screen${at} extends Screen {}\nexport const all: Screen[] = []\n`,
    ]),
  ),
  "local.ts":
    'import fs from "node:fs"\nexport function copy(): void {}\nexport function other(copy: string): string {\n  const tool = copy\n  return { copy: tool, fs }\n}\n',
}

const { project, graph } = await indexedGraph(FILES)

function the(name: string, path?: string): SymbolDefinition {
  return graph.definitionsOf(name).find(({ file }) => path === undefined || file.path === path)!
}

const at = (edges: readonly Edge[]) => edges.map(({ file, line }) => `${file.path}:${line}`)

describe("among many definitions of one name", () => {
  test("each definition is found from the files that import it, and from no others", () => {
    for (const shop of [0, 7, 29]) {
      const { edges } = referencesTo(graph, the("open", `shop${shop}/open.ts`))
      expect(at(edges)).toEqual([`customer${shop}.ts:1`, `customer${shop}.ts:3`])
      expect(edges.every(({ certainty }) => certainty === "certain")).toBe(true)
    }
  })

  test("a method is found by the declared type", () => {
    const { edges } = referencesTo(graph, the("serve", "shop7/open.ts"))
    expect(at(edges)).toEqual(["customer7.ts:4"])
  })

  test("a use without evidence is listed as unresolved for each of them", () => {
    for (const shop of [0, 29]) {
      const { unresolved } = referencesTo(graph, the("open", `shop${shop}/open.ts`))
      expect(at(unresolved)).toEqual(["lost.ts:1"])
    }
  })
})

test("neither of two equally likely ones is certain", () => {
  const { edges } = referencesTo(graph, the("twin", "one/twin.ts"))
  expect(edges.every(({ certainty }) => certainty === "by name")).toBe(true)
})

test("a call means the value, not the type of that name", () => {
  const [type, value] = ["interface", "constant"].map((kind) => {
    return graph.definitionsOf("Both").find(({ symbol }) => symbol.kind === kind)!
  })
  expect(at(referencesTo(graph, value!).edges)).toContain("both.ts:3")
  expect(at(referencesTo(graph, type!).edges)).toEqual(["both.ts:4"])
})

test("a use means each of several overloads", () => {
  for (const { symbol } of graph.definitionsOf("load")) {
    const { edges } = referencesTo(graph, { symbol, file: the("load").file })
    expect(at(edges)).toEqual(["over.ts:4"])
  }
})

test("a local inside a method is resolved in that method only", () => {
  expect(at(referencesTo(graph, the("rounded")).edges)).toEqual(["Hours.scala:4"])
})

test("a parameter, a local and a key with a function's name are not uses of it", () => {
  const { edges } = referencesTo(graph, the("tool"))
  expect(at(edges)).not.toContain("local.ts:5")
  expect(at(edges)).toHaveLength(2 * USERS)
})

describe("page by page", () => {
  test("reads no more files than a page needs, and the next page continues", () => {
    using other = new TempProjectGraph(project)
    const tool = other.graph.definitionsOf("tool")
    const first = referencesTo(other.graph, tool, undefined, { from: 0, enough: 11 })
    expect(first.edges.length).toBeLessThan(14)
    expect(first.unseen).toBeGreaterThan(USERS - 10)
    const all = referencesTo(other.graph, tool)
    expect(all.unseen).toBe(0)
    expect(at(all.edges).slice(0, first.edges.length)).toEqual(at(first.edges))
    expect(at(all.edges)).toEqual(at(referencesTo(graph, tool).edges))
  })

  test("a spent budget ends the search unless the page is still empty", () => {
    using other = new TempProjectGraph(project)
    const tool = other.graph.definitionsOf("tool")
    const few = () => new Budget({ files: 3, ms: 1000, now: () => 0 })
    const first = referencesTo(other.graph, tool, few(), { from: 0, enough: 1000 })
    // The first of the three has a local of that name.
    expect(first.edges).toHaveLength(4)
    const second = referencesTo(other.graph, tool, few(), { from: 4, enough: 1000 })
    expect(second.edges.length).toBeGreaterThan(4)
  })
})

describe("constructors", () => {
  const makers = (from: SymbolGraph) => from.definitionsOf("constructor")

  test("are called where their types are called, in the same order", () => {
    const { edges } = referencesTo(graph, makers(graph))
    expect(at(edges)).toEqual(["north.ts:4", "south.ts:4"])
    expect(edges.every(({ kind, name }) => kind === "call" && name === "Till")).toBe(true)
  })

  test("are kept apart if a type has several", async () => {
    using python = new TempProject({
      "till.py":
        "class Till:\n    def __init__(self):\n        pass\n\n    def __init__(self, coins):\n        pass\n",
      "shop.py": "from till import Till\n\ntill = Till(1)\n",
    })
    await python.index()
    using other = new TempProjectGraph(python)
    const both = other.graph.definitionsOf("__init__")
    expect(both).toHaveLength(2)
    for (const maker of both) {
      const { edges } = referencesTo(other.graph, maker)
      expect(edges.map(({ target }) => target)).toEqual([maker])
    }
  })

  test("fill one page together", () => {
    using other = new TempProjectGraph(project)
    const few = new Budget({ files: 1, ms: 1000, now: () => 0 })
    const first = referencesTo(other.graph, makers(other.graph), few, { from: 0, enough: 2 })
    expect(at(first.edges)).toEqual(["north.ts:4"])
    expect(first.unseen).toBe(1)
  })
})

test("reads no more callees of several definitions than a page needs", () => {
  const steps = Array.from({ length: 6 }, (_, at) => the(`step${at}`))
  const first = calleesOf(graph, steps, 1, { enough: 2 })
  expect(first.calls.map(({ definition }) => definition.symbol.name)).toEqual(["step1", "step2"])
  expect(first.unseen).toBe(4)
  const alone = calleesOf(graph, [the("visit0"), ...steps], 1, { enough: 2 })
  expect(alone.calls.map(({ definition }) => qualifiedName(definition))).toEqual(["open", "Shop0.serve"])
  expect(alone.unseen).toBe(steps.length)
})

describe("implementations", () => {
  test("are found in any number of files; unread files are counted", () => {
    const whole = implementationsOf(graph, the("Screen", "screen.ts"))
    expect(whole.found).toHaveLength(USERS)
    expect(whole.unseen).toBe(0)
    using other = new TempProjectGraph(project)
    const [screen] = other.graph.definitionsOf("Screen")
    const cut = implementationsOf(other.graph, screen!, new Budget({ files: 3, ms: 1000, now: () => 0 }))
    expect(cut.found).toHaveLength(3)
    expect(cut.unseen).toBe(USERS - 3)
  })
})

describe("implementations of a method", () => {
  const files = {
    "base.ts":
      "export class Base {\n  draw(): void {}\n  fill(): void {}\n}\nexport class Other {\n  draw(): void {}\n}\n",
    // Middle has no such method itself, but a type that extends it has one.
    "middle.ts": 'import { Base } from "./base"\nexport class Middle extends Base {}\n',
    "leaf.ts":
      'import { Middle } from "./middle"\nexport class Leaf extends Middle {\n  draw(): void {}\n}\n',
    "bare.ts": 'import { Middle } from "./middle"\nexport class Bare extends Middle {}\n',
    "heir.ts": 'import { Other } from "./base"\nexport class Heir extends Other {\n  draw(): void {}\n}\n',
  }

  test("are found also below types that have none; only types on a path to one are read", async () => {
    using drawn = new TempProject(files)
    await drawn.index()
    using other = new TempProjectGraph(drawn)
    const [base, twin] = other.graph.definitionsOf("draw")
    const found = (of: SymbolDefinition | readonly SymbolDefinition[], budget?: Budget) =>
      implementationsOf(other.graph, of, budget).found.map(({ definition }) => qualifiedName(definition))
    expect(found(base!)).toEqual(["Leaf.draw"])
    expect(found([base!, twin!])).toEqual(["Leaf.draw", "Heir.draw"])
    // With a budget of three files, Bare is not read.
    expect(found([base!, twin!], new Budget({ files: 3, ms: 1000, now: () => 0 }))).toHaveLength(2)
    expect(found(other.graph.definitionsOf("fill"))).toEqual([])
  })
})

test("a bare name refers to a member of an enclosing type; for other types nothing but the name ties it", async () => {
  const types = Array.from({ length: 20 }, (_, at) => [
    `Type${at}.java`,
    `class Type${at} {\n  void run() {}\n  void go() {\n    run();\n  }\n}\n`,
  ])
  using java = new TempProject({
    ...Object.fromEntries(types),
    "Heir.java": "class Heir extends Type7 {\n  void start() {\n    run();\n  }\n}\n",
    "Alien.java": "class Alien {\n  void start() {\n    run();\n  }\n}\n",
  })
  await java.index()
  using other = new TempProjectGraph(java)
  const { edges, unresolved } = referencesTo(other.graph, other.graph.definitionsOf("run"))
  expect(edges).toHaveLength(21)
  const heir = edges.find(({ file }) => file.path === "Heir.java")!
  expect([qualifiedName(heir.target!), heir.certainty]).toEqual(["Type7.run", "certain"])
  expect(unresolved.map(({ file, certainty }) => [file.path, certainty])).toEqual([["Alien.java", "by name"]])
})

test("resolves a base to the type of the named module, not to a namesake of another", async () => {
  using python = new TempProject({
    "nn.py": "class Module:\n    pass\n",
    "other/parts.py": "class Module:\n    pass\n",
    "net.py": "import nn\n\n\nclass Net(nn.Module):\n    pass\n",
    "part.py": "from other import parts\n\n\nclass Part(parts.Module):\n    pass\n",
  })
  await python.index()
  using other = new TempProjectGraph(python)
  const modules = other.graph.definitionsOf("Module")
  const heirs = Object.fromEntries(
    modules.map((each) => [
      each.file.path,
      implementationsOf(other.graph, each).found.map(({ definition }) => qualifiedName(definition)),
    ]),
  )
  expect(heirs).toEqual({ "nn.py": ["Net"], "other/parts.py": ["Part"] })
  const { edges } = referencesTo(other.graph, modules.find(({ file }) => file.path === "nn.py")!)
  expect(edges.map(({ file, line, kind }) => `${file.path}:${line} ${kind}`)).toEqual(["net.py:4 inherits"])
})

test("resolves a name by the line in one function", async () => {
  using python = new TempProject({
    "alpha.py": "class Alpha:\n    def run_it(self):\n        pass\n",
    "beta.py": "class Beta:\n    def run_it(self):\n        pass\n",
    "use.py":
      "from alpha import Alpha\nfrom beta import Beta\n\n\ndef both():\n    x = Alpha()\n    x.run_it()\n    x = Beta()\n    x.run_it()\n",
  })
  await python.index()
  using other = new TempProjectGraph(python)
  const callers = other.graph
    .definitionsOf("run_it")
    .map((each) => [qualifiedName(each), at(referencesTo(other.graph, each).edges)])
  expect(Object.fromEntries(callers)).toEqual({ "Alpha.run_it": ["use.py:7"], "Beta.run_it": ["use.py:9"] })
})

describe("over several steps", () => {
  const names = (calls: readonly { definition: SymbolDefinition; depth: number }[]) =>
    calls.map(({ definition, depth }) => `${depth} ${qualifiedName(definition)}`)

  test("returns callers and callees once each, at the smallest depth, up to depth five", () => {
    const callers = callersOf(graph, [the("step6")], { depth: 5 })
    expect(names(callers.calls)).toEqual(["1 step5", "2 step4", "3 step3", "4 step2", "5 step1"])
    expect(callers.isCut).toBe(false)
    expect(names(calleesOf(graph, the("step1"), 9).calls)).toEqual(
      names(callers.calls.map((call, depth) => ({ ...call, definition: the(`step${depth + 2}`) }))),
    )
  })

  test("returns complete results up to a reported depth when time is up", () => {
    using other = new TempProjectGraph(project)
    let now = 0
    const budget = new Budget({ files: 1000, ms: 8, now: () => now++ })
    const cut = impactOf(other.graph, other.graph.definitionsOf("step6"), budget)
    expect(cut.isCut).toBe(true)
    expect(cut.wholeDepth).toBeLessThan(5)
    expect(cut.affected.length).toBeLessThan(5)
    const late = impactOf(
      other.graph,
      other.graph.definitionsOf("step6"),
      new Budget({ files: 0, ms: 0, now: () => now++ }),
    )
    expect(late.isCut).toBe(true)
  })
})

/** A symbol graph without anything cached by other tests. */
class TempProjectGraph implements Disposable {
  readonly graph: SymbolGraph
  readonly #close: () => void

  constructor(of: TempProject) {
    const reader = of.open().reader()!
    this.graph = new SymbolGraph(reader.store).follow()
    this.#close = () => reader.close()
  }

  [Symbol.dispose](): void {
    this.#close()
  }
}
