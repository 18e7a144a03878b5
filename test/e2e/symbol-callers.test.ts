import { expect, test } from "bun:test"
import { connect } from "./connect.ts"
import { indexedOnce } from "./opened.ts"
import { startsOf } from "./symbol-places.ts"

/** In each language: a function, a method of the same name that calls it, and a function that calls itself. */
const FILES: Readonly<Record<string, string>> = {
  "ts/fmt.ts": "export function format(x: number): number {\n  return x\n}\n",
  "ts/money.ts":
    'import { format } from "./fmt.ts"\nexport class Money {\n  format() {\n    return format(1)\n  }\n}\n',
  "ts/self.ts":
    "export function countdown(n: number): number {\n  return n === 0 ? 0 : countdown(n - 1)\n}\n",
  "py/view.py":
    "def render(x):\n    return x\n\n\nclass View:\n    def render(self):\n        return render(self)\n",
  "go.mod": "module example.com/shop\n\ngo 1.24\n",
  "go/load.go":
    "package store\n\nfunc load(n int) int { return n }\n\ntype Box struct{}\n\nfunc (b Box) load() int {\n\treturn load(1)\n}\n",
  "rs/src/lib.rs":
    "pub fn parse(n: u32) -> u32 {\n    n\n}\n\npub struct Reader;\n\nimpl Reader {\n    pub fn parse(&self) -> u32 {\n        parse(1)\n    }\n}\n",
}

/** Functions that only something around them leads to: an unnamed class of Java, a nested function, a variable's value. */
const AROUND: Readonly<Record<string, string>> = {
  "java/Cache.java":
    "package p;\n\nclass Cache {\n  private final Loader delegate =\n      new Loader() {\n        public Object load() {\n          return Cache.this.create();\n        }\n      };\n\n  Object create() {\n    return null;\n  }\n\n  Object fetch() {\n    return delegate.other();\n  }\n}\n",
  "java/Colors.java":
    "package p;\n\nclass Colors {\n  static final int FIRST = first();\n  static int first() { return 1; }\n  static int second() { return 2; }\n}\n\nclass Paint {\n  int one() { return Colors.FIRST; }\n  int two() { return Colors.second(); }\n}\n",
  "java/Loader.java": "package p;\n\ninterface Loader {\n  Object load();\n\n  Object other();\n}\n",
  "around/a.ts":
    "export function innerStep() {}\n\nexport const handler = wrap(() => innerStep())\n\nexport function outer() {\n  function inner() {\n    innerStep()\n  }\n  return [inner]\n}\n\nexport function starts() {\n  return handler\n}\n",
  "py/later.py":
    "def deep_step():\n    pass\n\n\nclass Later:\n    def finish(self):\n        deep_step()\n\n\ndef unclear(given):\n    given.finish()\n",
  "py/others.py":
    "class Other:\n    def finish(self):\n        pass\n\n\nclass Third:\n    def finish(self):\n        pass\n",
}

const space = indexedOnce({ ...FILES, ...AROUND })

test.each([
  ["Cache.create", ["java/Cache.java:6", "java/Cache.java:4", "java/Cache.java:15"]],
  ["Colors.first", ["java/Colors.java:4", "java/Colors.java:10"]],
  ["innerStep", ["around/a.ts:3", "around/a.ts:5", "around/a.ts:12", "around/a.ts:6"]],
])("a change of %s affects the functions and values around its uses", async (name, places) => {
  const { related } = await space().json(["symbol", name, "--impact"])
  expect(startsOf(related).toSorted()).toEqual(places.toSorted())
})

test("an impact lists the uses that its further steps could not resolve", async () => {
  const { related, unresolved } = await space().json(["symbol", "deep_step", "--impact"])
  expect(startsOf(related)).toEqual(["py/later.py:6"])
  expect(unresolved.places.map(({ line }: { line: number }) => line)).toEqual([11])
})

const CALLERS = [
  { name: "format", path: "ts/fmt.ts", callers: ["ts/money.ts:3"] },
  { name: "render", path: "py/view.py", callers: ["py/view.py:6"] },
  { name: "load", path: "go/load.go", callers: ["go/load.go:7"] },
  { name: "parse", path: "rs/src/lib.rs", callers: ["rs/src/lib.rs:8"] },
  { name: "countdown", path: "ts/self.ts", callers: ["ts/self.ts:1"] },
]

for (const { name, path, callers } of CALLERS) {
  test(`lists the callers of ${name} in ${path}, also one that is itself called ${name}`, async () => {
    const answer = await space().json(["symbol", name, "--callers"])
    expect(startsOf(answer.related)).toEqual(callers)
    expect(answer.notices).toEqual([])
  })
}

test("a function of the asked name is affected by a change of its namesake, but not by its own", async () => {
  for (const { name, path, callers } of CALLERS) {
    for (const scope of [[], ["--path", path]]) {
      const { stdout } = await space().run(["symbol", name, "--impact", "--json", ...scope])
      expect(startsOf(JSON.parse(stdout).related)).toEqual(name === "countdown" ? [] : callers)
    }
  }
})

test("callees list a called function of the asked name", async () => {
  const { related } = await space().json(["symbol", "format", "--callees"])
  expect(startsOf(related)).toEqual(["ts/fmt.ts:1"])
})

test("a drawing has an arrow between two symbols of the asked name", async () => {
  const { stdout } = await space().run(["symbol", "format", "--dot"])
  expect(stdout).toContain('"ts/money.ts:3" -> "ts/fmt.ts:1"')
})

test("the MCP tool lists a caller that has the name of its callee", async () => {
  await using server = await connect(space())
  const { structuredContent } = await server.call("symbol", { name: "render", relation: "callers" })
  expect(startsOf(structuredContent.related)).toEqual(["py/view.py:6"])
})
