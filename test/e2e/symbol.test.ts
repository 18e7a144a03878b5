import { describe, expect, test } from "bun:test"
import { connect } from "./connect.ts"
import { Workspace } from "./harness.ts"
import { indexedOnce } from "./opened.ts"
import { STORE_FILES } from "./store-files.ts"

const FILES: Readonly<Record<string, string>> = {
  ...STORE_FILES,
  "web/cache.ts": `export class Cache {
  close(): void {}
  openStore(): void {}
}
export function drop(cache: Cache, other: unknown): void {
  cache.close()
  other.close()
}
`,
  "web/blocks.test.ts": `test("one", () => {
  type Row = { key: string }
  const row: Row = { key: "1" }
})
test("two", () => {
  type Row = { other: string }
  const row: Row = { other: "2" }
})
`,
  "web/tool.ts": `export function sharpen(): void {}
export class Saw {
  readonly #teeth: number
  constructor(teeth: number) {
    this.#teeth = teeth
  }
  cut(): number {
    return this.#count()
  }
  #count(): number {
    return this.#teeth
  }
}
export function makeSaw(): Saw {
  return new Saw(3)
}
`,
  "web/late.ts": `export async function late(): Promise<void> {
  const { sharpen } = await import("./tool.ts")
  sharpen()
}
export async function later(): Promise<void> {
  const saw = (await import("./tool.ts")).makeSaw()
  saw.cut()
}
`,
  "web/axe.ts": `export class Axe {
  cut(): void {}
}
export function chop(): void {
  const axe = new Axe()
  axe.cut()
}
`,
  "go/shape.go": `package shape

type Shape interface {
	Area() float64
	Name() string
}

type Square struct{ side float64 }

func (s *Square) Area() float64 { return s.side }
func (s *Square) Name() string  { return "square" }
func orphaned() {}
`,
  "py/base.py": `class Base:
    def run(self):
        return helper()

def helper():
    return 1
`,
  "py/child.py": `from .base import Base, helper

class Child(Base):
    def run(self):
        return helper() + 1
`,
  "java/Shop.java": `package shop;
class Shop extends Market {
  void sell() { price(1); }
  int price(int n) { return n; }
}
`,
  "java/Market.java": "package shop;\nclass Market { void open() {} }\n",
  "rust/port.rs":
    "pub trait Port { fn send(&self); }\npub struct Wire;\nimpl Port for Wire { fn send(&self) { pack(); } }\nfn pack() {}\n",
  "c/io.h": "int read_all(int fd);\n",
  "c/io.c": '#include "io.h"\nint read_all(int fd) { return fd; }\n',
  "c/main.c": '#include "io.h"\nint main(void) { return read_all(0); }\n',
  "cpp/node.cpp":
    "struct Node { virtual void visit(); };\nstruct Leaf : public Node {\n  void visit() override { grow(); }\n  void grow() {}\n};\n",
  "cs/Job.cs":
    "namespace Jobs { interface IJob { void Run(); } class MailJob : IJob {\n  public void Run() { Send(); }\n  void Send() {}\n} }\n",
  "rb/pay.rb":
    "module Payable\n  def pay\n    settle\n  end\n  def settle; end\nend\nclass Order\n  include Payable\nend\n",
  "php/Mail.php":
    "<?php\nabstract class Mail { abstract function send(); }\nclass Letter extends Mail {\n  function send() { $this->seal(); }\n  private function seal() {}\n}\n",
}

const space = indexedOnce(FILES)
const ask = (...args: string[]) => space().json(["symbol", ...args])
type Place = {
  path: string
  line: number
  start_line: number
  name: string
  kind: string
  certainty: string
}
const at = (places: Place[]) => places.map(({ path, line }) => `${path}:${line}`)
const names = (places: Place[]) => places.map(({ path, name }) => `${path} ${name}`).sort()

test("shows a definition with signature and documentation, for any spelling", async () => {
  for (const name of ["openStore", "open_store", "store.openStore"]) {
    const { definitions } = await ask(name, "--path", "web/store.ts")
    expect(definitions).toEqual([
      {
        name: "openStore",
        kind: "function",
        path: "web/store.ts",
        start_line: 2,
        end_line: 4,
        signature: "export function openStore(path: string): Store",
        doc: "Opens the store at a path.",
        language: "typescript",
        centrality: expect.any(Number),
      },
    ])
  }
})

describe("references", () => {
  test("are found under the alias of an import, and exclude namesakes", async () => {
    const { references } = await ask("openStore", "--references", "--path", "web/store.ts")
    expect(at(references)).toEqual(["web/server.ts:1", "web/server.ts:3"])
    expect(references.every(({ certainty }: Place) => certainty === "certain")).toBe(true)
  })

  test("of a method are linked by declared types; calls on values without one are listed as unresolved", async () => {
    const { references, unresolved } = await ask("Store.close", "--references")
    expect(at(references)).toEqual(["web/server.ts:7"])
    expect(at(unresolved.places)).toEqual(["web/cache.ts:7"])
    const other = await ask("Cache.close", "--references")
    expect(at(other.references)).toEqual(["web/cache.ts:6"])
  })

  test("of equal names in different blocks of a file are kept apart", async () => {
    const { definitions, references } = await ask("Row", "--references")
    expect(definitions.map(({ start_line }: Place) => start_line)).toEqual([2, 6])
    expect(at(references)).toEqual(["web/blocks.test.ts:3", "web/blocks.test.ts:7"])
  })

  test("resolve a written key to the property of the declared type", async () => {
    const { references } = await ask("key", "--references")
    expect(at(references)).toEqual(["web/blocks.test.ts:3"])
  })

  test("reports that there are none, with exit code 1", async () => {
    const { code, stdout } = await space().run(["symbol", "orphaned", "--references"])
    expect({ code, stdout }).toEqual({
      code: 1,
      stdout: "go/shape.go:12-12  function orphaned\n\nno references\n",
    })
  })

  test("does not report a name from elsewhere as a name without callers", async () => {
    const { code, stderr } = await space().run(["symbol", "test", "--callers"])
    expect(code).not.toBe(0)
    expect(stderr).toContain(
      "2 files use that name (web/blocks.test.ts, web/store.test.ts): a field, or a name from elsewhere",
    )
  })
})

describe("targets known only at run time", () => {
  test.each([
    ["sharpen", "web/late.ts late"],
    ["makeSaw", "web/late.ts later"],
    ["Saw.constructor", "web/tool.ts makeSaw"],
    ["#count", "web/tool.ts Saw.cut"],
    ["Saw.cut", "web/late.ts later"],
    ["Axe.cut", "web/axe.ts chop"],
  ])("lists callers of %s", async (name, caller) => {
    const { related, unresolved } = await ask(name, "--callers")
    expect(names(related)).toEqual([caller])
    expect(unresolved.total).toBe(0)
  })
})

test("lists callers over several steps, and callees", async () => {
  const callers = await ask("Store.close", "--callers", "--depth", "3")
  expect(
    callers.related.map(({ name, depth }: { name: string; depth: number }) => `${depth} ${name}`),
  ).toEqual(["1 stop", "2 serve"])
  const { related } = await ask("serve", "--callees")
  expect(names(related)).toEqual(["web/server.ts stop", "web/store.ts openStore"])
})

test.each([
  ["Shape", "go/shape.go Square"],
  ["Base", "py/child.py Child"],
  ["Base.run", "py/child.py Child.run"],
  ["Market", "java/Shop.java Shop"],
  ["Port", "rust/port.rs Wire"],
  ["Node", "cpp/node.cpp Leaf"],
  ["IJob.Run", "cs/Job.cs MailJob.Run"],
  ["Payable", "rb/pay.rb Order"],
  ["Mail.send", "php/Mail.php Letter.send"],
])("lists implementations of %s", async (name, wanted) => {
  const { related } = await ask(name, "--implementations")
  expect(names(related)).toEqual([wanted])
})

test.each([
  ["helper", "py/base.py Base.run,py/child.py Child.run"],
  ["price", "java/Shop.java Shop.sell"],
  ["pack", "rust/port.rs Wire.send"],
  ["read_all", "c/main.c main"],
  ["grow", "cpp/node.cpp Leaf.visit"],
  ["Send", "cs/Job.cs MailJob.Run"],
  ["settle", "rb/pay.rb Payable.pay"],
  ["seal", "php/Mail.php Letter.send"],
])("lists calls of %s", async (name, wanted) => {
  const { related } = await ask(name, "--callers")
  expect(names(related).join()).toBe(wanted)
})

test("impact names the tests that use the target", async () => {
  const { related, tests } = await ask("Store.close", "--impact")
  expect(names(related)).toEqual(["web/server.ts serve", "web/server.ts stop"])
  expect(tests).toEqual(["web/store.test.ts"])
})

describe("a drawing", () => {
  test("has the callers, callees and implementations of a symbol, with certainty as the style of a line", async () => {
    const { stdout, code } = await space().run(["symbol", "makeSaw", "--mermaid"])
    expect(code).toBe(0)
    expect(stdout.split("\n").slice(0, 3)).toEqual([
      "flowchart LR",
      '  n0["makeSaw"]:::asked',
      '  n1["later"]',
    ])
    expect(stdout).toContain("  n1 --> n0\n")
    const dot = await space().run(["symbol", "Base", "--implementations", "--path", "py", "--dot"])
    expect(dot.stdout).toContain('"py/child.py:3" -> "py/base.py:1" [style=solid]')
  })

  test("of an impact marks tests, also those that call outside of any function", async () => {
    const { stdout } = await space().run(["symbol", "openStore", "--impact", "--dot"])
    expect(stdout).toContain('"web/store.ts:2" [label="openStore", tooltip="web/store.ts:2", penwidth=2]')
    expect(stdout).toMatch(/tooltip="[^"]*test[^"]*", shape=box\]/)
  })

  test("exists for no other relation, and for no two forms at once", async () => {
    for (const args of [
      ["--unused", "--dot"],
      ["makeSaw", "--dot", "--mermaid"],
      ["makeSaw", "--dot", "--json"],
    ])
      expect((await space().run(["symbol", ...args])).code).toBe(2)
    expect((await space().run(["symbol", "noSuchName", "--dot"])).code).toBe(1)
  })
})

test("lists the outline of a file", async () => {
  const { outline } = await ask("--outline", "web/store.ts")
  expect(outline.map(({ name, level }: { name: string; level: number }) => `${level} ${name}`)).toEqual([
    "0 openStore",
    "0 Store",
    "1 Store.close",
  ])
})

test("lists the most used symbols as central, without tests", async () => {
  const { related } = await ask("--central")
  expect(names(related)).toContain("web/store.ts openStore")
  expect(related.every(({ path }: Place) => !path.includes(".test."))).toBe(true)
  const drawn = related.map(({ centrality }: { centrality: number }) => centrality)
  expect(drawn).toEqual(drawn.toSorted((one: number, other: number) => other - one))
  const { definitions } = await ask("Store")
  expect(definitions[0].centrality).toBeGreaterThan(1)
})

test("lists unused candidates", async () => {
  const { related } = await ask("--unused", "--path", "go")
  expect(names(related)).toContain("go/shape.go orphaned")
  expect(names(related)).not.toContain("go/shape.go Square")
})

test("gives an agent the same answers by the tool", async () => {
  await using server = await connect(space())
  const { content, structuredContent } = await server.call("symbol", {
    name: "Store.close",
    relation: "references",
  })
  expect(at(structuredContent.references)).toEqual(["web/server.ts:7"])
  expect(content[0]!.text).toContain("web/server.ts:7")
  expect(content[0]!.text).toContain("more unresolved uses")
})

test("shows callers on the first page for a name that is mentioned often and called rarely", async () => {
  const named = (at: number) =>
    `#include "pane.h"\nvoid draw_${at}(struct pane *p, void *f) { draw_all(p, close_pane); }\n`
  using many = new Workspace({
    "pane.h": "struct pane {\n  int id;\n};\nvoid close_pane(struct pane *p);\n",
    ...Object.fromEntries(Array.from({ length: 120 }, (_, at) => [`draw_${at}.c`, named(at)])),
    "zz_last.c": '#include "pane.h"\nvoid last(struct pane *p) { close_pane(p); }\n',
  })
  const callers = (name: string) => many.run(["symbol", name, "--callers", "--json", "-n", "10"])
  const called = JSON.parse((await callers("close_pane")).stdout)
  expect(names(called.related)).toEqual(["zz_last.c last"])
  expect(called).toMatchObject({ next_offset: null, unseen_files: 0 })
  const { code, stdout } = await callers("pane")
  expect(code).toBe(1)
  const { total, next_offset, notices } = JSON.parse(stdout)
  expect([total, next_offset]).toEqual([0, null])
  expect(notices).toEqual(["mentioned in 122 places but never called; see its references"])
})

test("finds callers of a name that hundreds of files mention within the files of one page", async () => {
  const FILES_OF_PAGE = 64
  const mentioning = (at: number) => `export const seen${at} = (it: unknown) => [it.ring, it.bell]\n`
  using many = new Workspace({
    "bell.ts":
      "export class Bell {\n  ring(): void {}\n}\nexport function pull(bell: Bell): void {\n  bell.ring()\n}\n",
    ...Object.fromEntries(Array.from({ length: 150 }, (_, at) => [`use${at}.ts`, mentioning(at)])),
  })
  await many.run(["index"])
  await using server = await connect(many)
  const { structuredContent: callers } = await server.call("symbol", {
    name: "Bell.ring",
    relation: "callers",
  })
  expect(names(callers.related)).toEqual(["bell.ts pull"])
  expect(callers).toMatchObject({ unseen_files: 151 - FILES_OF_PAGE, next_offset: 1 })
  expect(callers.unresolved.total).toBe(0)
  const { structuredContent: more } = await server.call("symbol", {
    name: "Bell.ring",
    relation: "callers",
    offset: 1,
  })
  expect(more).toMatchObject({ related: [], total: 1, unseen_files: 0, next_offset: null })
})

test("reports unresolved calls instead of claiming that there are no callers", async () => {
  using till = new Workspace({
    "till.py": `class Till:
    def ring(self):
        return 1

class Bell:
    def ring(self):
        return 2
`,
    "use.py": "from till import Till\n\ndef play(x):\n    x.ring()\n\nHOOK = Till.ring\n",
  })
  const { unresolved, notices } = JSON.parse(
    (await till.run(["symbol", "Till.ring", "--callers", "--json"])).stdout,
  )
  expect(at(unresolved.places)).toEqual(["use.py:4"])
  expect(notices).toEqual([])
})

test("gives an agent each place once over all pages, and reports unread files", async () => {
  const USERS = 70
  using many = new Workspace({
    "tool.ts": "export function tool(): void {}\n",
    ...Object.fromEntries(
      Array.from({ length: USERS }, (_, at) => [
        `use/user${at}.ts`,
        `import { tool } from "../tool"\nexport function use${at}(): void {\n  tool()\n}\n`,
      ]),
    ),
  })
  await many.run(["index"])
  await using server = await connect(many)
  for (const relation of ["references", "callers"] as const) {
    const seen: string[] = []
    const unseen: number[] = []
    for (let offset: number | null = 0; offset !== null; ) {
      const { structuredContent } = await server.call("symbol", { name: "tool", relation, limit: 25, offset })
      const { references, related, unseen_files, next_offset } = structuredContent
      seen.push(...at(references), ...names(related))
      unseen.push(unseen_files)
      offset = next_offset
    }
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen).toHaveLength(relation === "references" ? 2 * USERS : USERS)
    // The first page has not read all files yet; the last page has.
    if (relation === "references") expect(unseen[0]).toBeGreaterThan(0)
    expect(unseen.at(-1)).toBe(0)
  }
})

describe("text of an answer", () => {
  test("has headings and says certainty in words", async () => {
    const { stdout } = await space().run(["symbol", "helper", "--callers"])
    expect(stdout).toContain("\ncallers\n")
    expect(stdout).toMatch(/py\/child\.py:4 .* at 5 certain/)
  })

  test("says which of several definitions each caller and each use means", async () => {
    const method = (owner: string) => `export class ${owner} {\n  openUp() {}\n}\n`
    using several = new Workspace({
      "shop.ts": method("Shop"),
      "door.ts": method("Door"),
      "one/box.ts": "export function openUp() {}\n",
      "two/box.ts": "export function openUp() {}\n",
      "main.ts":
        'import { Shop } from "./shop"\nimport { Door } from "./door"\nimport { openUp } from "./two/box"\nexport function start(shop: Shop, door: Door) {\n  shop.openUp()\n  door.openUp()\n}\nexport function pack() {\n  openUp()\n}\n',
    })
    const { stdout } = await several.run(["symbol", "openUp", "--callers"])
    expect(stdout).toContain("main.ts:4  function start at 5, 6 → Shop.openUp, Door.openUp certain\n")
    expect(stdout).toContain("main.ts:8  function pack at 9 → two/box.ts:1 certain\n")
    const { references } = await several.json(["symbol", "openUp", "--references"])
    expect(
      references.map(({ line, targets }: { line: number; targets: string[] }) => [line, targets]),
    ).toEqual([
      [3, ["two/box.ts:1"]],
      [5, ["Shop.openUp"]],
      [6, ["Door.openUp"]],
      [9, ["two/box.ts:1"]],
    ])
    const only = await several.json(["symbol", "Shop.openUp", "--references"])
    expect(only.references[0]).not.toHaveProperty("targets")
    await using server = await connect(several)
    const { content } = await server.call("symbol", { name: "openUp", relation: "references" })
    expect(content[0]!.text).toContain("main.ts:5 call → Shop.openUp in start (certain): shop.openUp()")
  })

  test("offers a near name for a misspelt one and ends with 1", async () => {
    const { code, stderr } = await space().run(["symbol", "sharpne"])
    expect(code).toBe(1)
    expect(stderr).toContain('no definition of "sharpne" in this project')
    expect(stderr).toContain("did you mean sharpen?")
    const asked = await space().run(["symbol", "sharpne", "--json"])
    expect(asked.code).toBe(1)
    expect(JSON.parse(asked.stdout).error.code).toBe("NOT_FOUND")
  })

  test("resolves the path of an outline as read does", async () => {
    const { outline } = await ask("--outline", "web/../web/tool.ts")
    expect(outline[0]).toMatchObject({ path: "web/tool.ts", name: "sharpen" })
    const { code, stderr } = await space().run(["symbol", "--outline", "web/tol.ts"])
    expect(code).toBe(1)
    expect(stderr).toContain("did you mean web/tool.ts?")
  })
})
