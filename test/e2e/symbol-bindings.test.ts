import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Workspace } from "./harness.ts"
import { indexedOnce } from "./opened.ts"

/**
 * Files with all ways in which each language binds names; each binding is followed by a call of `flush` on
 * the name. A mark at the end of the line says what the graph must find: `//=` a certain call of Store's
 * flush, `//?` only a possible one.
 */
const ROOT = join(import.meta.dir, "../fixtures/bindings")
const PATHS = [...new Bun.Glob("**/*").scanSync(ROOT)].sort()
const FILES = Object.fromEntries(PATHS.map((path) => [path, readFileSync(join(ROOT, path), "utf8")]))
const LANGUAGES = [...new Set(PATHS.map((path) => path.slice(0, path.indexOf("/"))))]

const space = indexedOnce(FILES)
type Place = { path: string; line: number }
const placeOf = ({ path, line }: Place) => `${path}:${line}`

/** The lines in files of a language that match a pattern. */
function linesWith(language: string, pattern: RegExp): string[] {
  return PATHS.filter((path) => path.startsWith(`${language}/`)).flatMap((path) =>
    FILES[path]!.split("\n").flatMap((text, row) => (pattern.test(text) ? [`${path}:${row + 1}`] : [])),
  )
}

test.each(LANGUAGES)(
  "%s: a name's type is known however it is bound, and no use is lost",
  async (language) => {
    const name = language === "go" || language === "cs" ? "Store.Flush" : "Store.flush"
    const answer = await space().json(["symbol", name, "--references", "--path", language, "--limit", "500"])
    const found = new Set<string>(answer.references.map(placeOf))
    const known = linesWith(language, /(?:\/\/|#)=$/)
    expect(known.length).toBeGreaterThan(1)
    expect(known.filter((line) => !found.has(line))).toEqual([])
    const listed = new Set<string>(answer.unresolved.places.map(placeOf))
    const rest = linesWith(language, /(?:\/\/|#)\?$/).filter((line) => !found.has(line) && !listed.has(line))
    const counted = answer.unresolved.total - listed.size + answer.other_uses
    expect(rest.length).toBeLessThanOrEqual(counted)
  },
)

/** What a name means beyond its binding; marks as above, and `//-` for a line that must not be listed. */
const MEANINGS: Readonly<Record<string, readonly [name: string, files: Readonly<Record<string, string>>]>> = {
  "a call of the base's method after super": [
    "Base.reset",
    {
      "a/base.ts": "export class Base {\n  reset() {}\n}\n",
      "a/own.ts":
        'import { Base } from "./base"\nexport class Own extends Base {\n  reset() {\n    super.reset() //=\n    this.reset() //-\n  }\n}\n',
    },
  ],
  "a C function behind its prototype": [
    "resize",
    {
      "b/shop.h": "void resize(int n);\n",
      "b/shop.c": '#include "shop.h"\nvoid resize(int n) {\n  if (n) resize(n - 1); //=\n}\n',
      "b/use.c": '#include "shop.h"\nvoid use(void) {\n  resize(1); //=\n}\n',
    },
  ],
  "a nested type of Java and a top-level one of its name": [
    "Token.Tag",
    {
      "c/Token.java": "package c;\nclass Token {\n  class Tag {}\n  Tag tag; //=\n}\n",
      "c/Tag.java": "package c;\nclass Tag {}\n",
      "c/Use.java": "package c;\nclass Use {\n  Tag tag; //-\n  Token.Tag other; //=\n}\n",
    },
  ],
  "a private method, which other files cannot call": [
    "Parser.contains",
    {
      "d/Parser.java":
        "package d;\nclass Parser {\n  private static boolean contains(String a) { return a.isEmpty(); }\n  boolean run(String b) { return contains(b); } //=\n}\n",
      "d/Use.java": "package d;\nclass Use {\n  boolean run(Object all) { return all.contains(1); } //-\n}\n",
    },
  ],
  "Go's own method, which hides that of an embedded type": [
    "Service.Upsert",
    {
      "go.mod": "module example.com/shop\n",
      "pb/pb.go": "package pb\n\ntype Unimplemented struct{}\n\nfunc (Unimplemented) Upsert() {}\n",
      "api/api.go":
        'package api\n\nimport "example.com/shop/pb"\n\ntype Service struct {\n\tpb.Unimplemented\n}\n\nfunc (s *Service) Upsert() {}\n',
      "e/use.go":
        'package e\n\nimport "example.com/shop/api"\n\ntype Test struct {\n\tService *api.Service\n}\n\nfunc Run(t Test) {\n\tt.Service.Upsert() //=\n}\n',
    },
  ],
  "a Ruby constant that holds an object": [
    "Commander.names",
    {
      "f/commander.rb": "class Commander\n  def names\n  end\nend\n",
      "f/cli.rb": "KAMAL = Commander.new\n",
      "f/use.rb": "class Use\n  def run\n    KAMAL.names #=\n  end\nend\n",
    },
  ],
  "a module of an Elixir alias group": [
    "Shop.Search.find_items",
    {
      "g/search.ex": "defmodule Shop.Search do\n  def find_items(x), do: x\nend\n",
      "g/use.ex":
        "defmodule Shop.Use do\n  alias Shop.{Search, Tar}\n\n  def run(x), do: Search.find_items(x) #=\nend\n",
    },
  ],
  "a C function below #if branches that open the same bracket": [
    "Flags.late",
    {
      "i/parse.c":
        "struct Flags { int late; };\nint parse(struct Flags *of, int x) {\n#ifdef LARGE\n  if (x > 1) {\n#else\n  if (x > 2) {\n#endif\n    of->late = 1; //=\n  }\n  // Is this right?\n  of->late = 2; //=\n  return of->late; //=\n}\nint next(struct Flags *of) {\n  return of->late; //=\n}\n",
    },
  ],
  "a field of a C struct without a name": [
    "bottom_lines",
    {
      "i/span.h": "struct span {\n  union {\n    struct { int bottom_lines; } b;\n  } data;\n};\n",
      "i/span.c":
        '#include "span.h"\nint draw(struct span *bc) {\n  return bc->data.b.bottom_lines; //=\n}\n',
    },
  ],
  "a C function after one with such branches": [
    "do_late",
    {
      "i/late.c":
        "int early(int x) {\n#ifdef LARGE\n  if (x > 1) {\n#else\n  if (x > 2) {\n#endif\n    x = 1;\n  }\n  return x;\n}\nint do_late(int x) { return x; }\n",
      "i/late_use.c": "int use_late(void) { return do_late(1); } //=\n",
    },
  ],
  "a C function that follows an attribute macro": [
    "print_line",
    {
      "i/print.c":
        "static void printflike(1, 2)\nwarn_all(const char *fmt, ...)\n{\n\tprint_line(fmt); //=\n\tif (fmt)\n\t\treturn (0);\n\tprint_line(0); //=\n}\nvoid print_line(const char *x) {}\n",
    },
  ],
  "a method below a property with an explicit field in Kotlin": [
    "CartModel.payNow",
    {
      "j/CartModel.kt":
        "package j\nclass CartModel {\n  val state: StateFlow<Int>\n    field = MutableStateFlow(\n      0\n    )\n\n  fun payNow() {}\n}\n",
      "j/Screen.kt": "package j\nfun show(model: CartModel) {\n  model.payNow() //=\n}\n",
    },
  ],
  "a method of a constructor function in JavaScript": [
    "Legend.addAnchor",
    {
      "k/legend.js":
        "chart.Legend = function (args) {\n  var self = this\n  this.addAnchor = function (line) {}\n  this.lines.forEach(function (each) {\n    self.addAnchor(each) //=\n  })\n}\n",
      "k/use.js": "const legend = new chart.Legend()\nlegend.addAnchor(1) //=\n",
    },
  ],
  "a function that a hook returns in an object": [
    "addItem",
    {
      "l/hook.ts": "export function useCart() {\n  function addItem() {}\n  return { addItem } //=\n}\n",
      "l/page.ts":
        'import { useCart } from "./hook"\nexport function page() {\n  const { addItem } = useCart() //=\n  const cart = useCart()\n  cart.addItem() //=\n}\n',
    },
  ],
  "a method of a class inside a function": [
    "Inner.drain_all",
    {
      "m/make.py":
        "def make_store():\n    class Inner:\n        def drain_all(self):\n            pass\n\n    return Inner()\n",
      "m/use.py": "from make import make_store\n\nstore = make_store()\nstore.drain_all() #=\n",
    },
  ],
  "a function of the parent module in Rust": [
    "read_all",
    {
      "n/src/number/mod.rs": "pub mod complete;\npub fn read_all() {}\n",
      "n/src/number/complete.rs": "pub fn read() {\n    super::read_all(); //=\n}\n",
    },
  ],
  "a function inside a method, asked for by the type": [
    "Parser.check",
    {
      "h/parser.py":
        "class Parser:\n    def parse(self, x):\n        def check(y):\n            return y\n\n        return check(x) #=\n",
    },
  ],
}

const meant = indexedOnce(Object.assign({}, ...Object.values(MEANINGS).map(([, files]) => files)))

test("calls of a local that takes a function out of an object are named", async () => {
  using space = new Workspace({
    "hook.ts": "export function useCart() {\n  function addItem() {}\n  return { addItem }\n}\n",
    "page.ts":
      'import { useCart } from "./hook"\nexport function page() {\n  const { addItem } = useCart()\n  addItem()\n}\n',
  })
  const { stdout, stderr } = await space.run(["symbol", "addItem", "--callers"])
  expect(stdout + stderr).toContain("page.ts:4 names it, and what it means there is not certain")
})

test.each(Object.entries(MEANINGS))("references of %s", async (_, [name, files]) => {
  const answer = await meant().json(["symbol", name, "--references"])
  const found = new Set<string>([...answer.references, ...answer.unresolved.places].map(placeOf))
  const marked = (mark: RegExp) =>
    Object.entries(files).flatMap(([path, text]) =>
      text.split("\n").flatMap((line, row) => (mark.test(line) ? [`${path}:${row + 1}`] : [])),
    )
  expect(marked(/(?:\/\/|#)=$/).filter((place) => !found.has(place))).toEqual([])
  expect(marked(/\/\/-$/).filter((place) => found.has(place))).toEqual([])
})
