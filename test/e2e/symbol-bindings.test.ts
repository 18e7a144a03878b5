import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Workspace } from "./harness.ts"
import { indexedOnce } from "./opened.ts"

/**
 * Files with all ways in which each language binds names; each binding is followed by a call of `flush` on
 * the name. A mark at the end of the line says what the graph must find: `//=` a certain call of Store's
 * flush, `//?` only a possible one, `//-` none.
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
    expect(linesWith(language, /(?:\/\/|#)-$/).filter((line) => found.has(line))).toEqual([])
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
  "the element that a Java annotation sets without a name": [
    "Mark.value",
    {
      "an/Mark.java": "package an;\n@interface Mark {\n  String value();\n  int size() default 1;\n}\n",
      "an/Use.java":
        'package an;\nclass Use {\n  @Mark("a") //=\n  void one() {}\n  @Mark(value = "b", size = 2) //=\n  void two() {}\n  @Mark\n  void three() {}\n  @Deprecated\n  void four() {}\n}\n',
    },
  ],
  "a Rust type behind `self as` and an export with a comment": [
    "Span",
    {
      "rw/Cargo.toml": '[workspace]\nmembers = ["kit", "app"]\n',
      "rw/kit/Cargo.toml": '[package]\nname = "kit-core"\nversion = "0.1.0"\n',
      "rw/kit/src/lib.rs":
        "mod span;\npub use self::{\n    // `Other`, too, is public\n    span::{Other, Span}, //=\n};\n",
      "rw/kit/src/span.rs":
        "pub struct Span;\npub struct Other;\nimpl Span { //=\n    pub fn point_rs(at: usize) {}\n}\nimpl Other {\n    pub fn point_rs(at: usize) {}\n}\n",
      "rw/app/Cargo.toml":
        '[package]\nname = "app"\nversion = "0.1.0"\n[dependencies]\nkit-core = { path = "../kit" }\n',
      "rw/app/src/lib.rs":
        "use kit_core::{self as core, Other};\nfn one() {\n    core::Span::point_rs(1); //=\n    Other::point_rs(2); //-\n}\n",
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
  "a default export that imports bind to another name": [
    "Mail",
    {
      "o/mailer/index.js": "class Mail {\n  send() {}\n}\nmodule.exports = Mail //=\n",
      "o/nodemailer.js":
        "const Mailer = require('./mailer') //=\nfunction make(Other) {\n  Other()\n  return new Mailer() //=\n}\n",
      "o/barrel.js": "export { default } from './mailer' //=\n",
      "o/user.js":
        "import Letter, { other } from './barrel' //=\nexport const letter = () => new Letter() //=\nexport const mine = (Letter) => Letter() //-\n",
      "o/load.js": "export const load = () => import('./mailer') //=\n",
      "o/loaded.js":
        "export async function first() {\n  const { default: Sent } = await import('./mailer') //=\n  return new Sent() //=\n}\nexport async function second() {\n  const whole = await import('./mailer') //=\n  return new whole.default()\n}\nexport const third = () =>\n  import('./mailer').then(({ default: Third }) => new Third()) //=\n",
      "o/named.js":
        "export async function part() {\n  const { send } = await import('./mailer') //-\n  const other = await import('./mailer') //-\n  await import('./mailer') //-\n  return [send, other.send, (await import('./mailer')).send] //-\n}\nexport const late = () =>\n  import('./mailer').then((all) => all.send) //-\n",
      "o/elsewhere.js": "import Mailer from 'mailer-of-others'\nnew Mailer() //-\n",
    },
  ],
  "a function of a namespace that another file exports": [
    "openGate",
    {
      "ab/locks.ts": "export function openGate() {}\n",
      "ab/index.ts": 'export * as gates from "./locks"\n',
      "ab/use.ts": 'import { gates } from "./index"\ngates.openGate() //=\n',
      "ab/whole.ts":
        'import { gates as all } from "./index"\nimport * as parts from "./index"\nall.openGate() //=\nparts.gates.openGate() //=\n',
    },
  ],
  "a class of a namespace that another file exports": [
    "Hinge",
    {
      "ac/hinges.ts": "export class Hinge {}\n",
      "ac/index.ts": 'export * as hinges from "./hinges"\n',
      "ac/use.ts": 'import { hinges } from "./index"\nnew hinges.Hinge() //=\n',
    },
  ],
  "a method that a test assigns anew": [
    "Courier.deliver",
    {
      "p/courier.js": "class Courier {\n  deliver() {}\n}\nmodule.exports = { Courier }\n",
      "p/courier.test.js":
        "const { Courier } = require('./courier')\nconst courier = new Courier()\ncourier.deliver = () => 1 //=\ncourier.deliver() //=\n",
    },
  ],
  "an interface that every file sees": [
    "Window",
    {
      "q/globals.ts":
        "export const x = 1\ndeclare global {\n  interface Window {\n    debug?: string\n  }\n}\n",
      "q/look.ts": "export const look = (target: Window) => target.debug //=\n",
    },
  ],
  "a Python function and parameters of its name": [
    "bounding_box",
    {
      "r/box.py":
        "def bounding_box(a):\n    return a\n\n\ndef extend(bounding_box, points):  #-\n    return bounding_box + points  #-\n\n\nclass Svg:\n    def compute(self, node):\n        return bounding_box(node)  #=\n",
    },
  ],
  "a JavaScript function and parameters of its name": [
    "openAll",
    {
      "s/open.js":
        "export function openAll() {}\nfunction one(openAll) { openAll(1) } //-\nclass Two { run(openAll) { openAll(2) } } //-\nconst three = (openAll) => openAll(3) //-\nrun((openAll) => openAll(4), 1) //-\nrun(openAll, 5) //=\n",
    },
  ],
  "a Java field and parameters of its name": [
    "Proxy.lazyLoader",
    {
      "t/Proxy.java":
        "package t;\nclass Proxy {\n  private Loader lazyLoader;\n  Proxy(Loader lazyLoader, int n) { //-\n    this.lazyLoader = lazyLoader; //=\n  }\n  void load() {\n    lazyLoader.run(); //=\n  }\n}\n",
    },
  ],
  "a type of Go and a method of its name": [
    "Position",
    {
      "u/cursor.go": "package u\n\ntype Position struct{ X, Y int }\n",
      "u/use.go":
        'package u\n\nimport "example.com/screen"\n\nfunc flush(s *screen.Screen) Position { //=\n\tx, y := s.Position() //-\n\treturn Position{x, y} //=\n}\n',
    },
  ],
  "a type of C and a field of its name": [
    "protocol",
    {
      "v/conn.h": "enum protocol { ascii, binary }; \nstruct conn { int fd; };\n",
      "v/conn.c":
        '#include "conn.h"\nint run(struct conn *c) {\n  enum protocol p = ascii; //=\n  return c->protocol == p; //-\n}\n',
    },
  ],
  "a method that Rust implements for a type of another file": [
    "Answer.with_code",
    {
      "w/Cargo.toml": '[package]\nname = "answers"\n',
      "w/src/lib.rs": "pub mod api;\npub mod handlers;\npub mod user;\n",
      "w/src/api.rs": "pub struct Answer {\n    pub reason: u16,\n}\n",
      "w/src/handlers.rs":
        "use crate::api::Answer;\npub trait Reply {\n    fn reply() -> Self;\n    fn with_code(self) -> u16;\n}\nimpl Reply for Answer {\n    fn reply() -> Self {\n        Answer { reason: 1 }\n    }\n    fn with_code(self) -> u16 {\n        self.reason\n    }\n}\n",
      "w/src/user.rs":
        "use crate::api::Answer;\nuse crate::handlers::Reply;\npub fn get() -> u16 {\n    Answer::reply().with_code() //=\n}\n",
    },
  ],
  "a Rust type behind &mut and *mut": [
    "RawConfig",
    {
      "x/config.rs":
        "pub struct RawConfig(i32);\npub fn load(config: &mut RawConfig) {} //=\npub fn read<'a>(config: &'a mut RawConfig) {} //=\npub fn raw(config: *mut RawConfig) {} //=\n",
    },
  ],
  "a Python type in quotes that __all__ exports": [
    "TokenProxy",
    {
      "y/driver.py":
        'from typing import Iterator, Literal\n\n__all__ = ("TokenProxy",) #=\n\n\nclass TokenProxy:\n    def release(self) -> Iterator["TokenProxy"]: #=\n        yield self\n\n\ndef setup(\n    proxy: "TokenProxy", #=\n    next: "TokenProxy" | None, #=\n    kind: Literal["TokenProxy"], #-\n):\n    print("TokenProxy") #-\n',
    },
  ],
  "a Go method after a field that has the name of another type": [
    "Reporter.AddStep",
    {
      "aa/go.mod": "module example.com/restore\n",
      "aa/restorer/restorer.go":
        "package restorer\n\ntype Reporter interface {\n\tAddStep(n int)\n}\n\ntype Options struct {\n\tProgress Reporter\n}\n\ntype Restorer struct {\n\topts Options\n}\n\nfunc (r *Restorer) Run() {\n\tr.opts.Progress.AddStep(1) //=\n}\n",
      "aa/ui/progress.go": "package ui\n\ntype Progress struct{}\n\nfunc (p *Progress) AddStep(n int) {}\n",
    },
  ],
  "a Go type that is called like a collection": [
    "Map.Put",
    {
      "ba/go.mod": "module example.com/own\n",
      "ba/own/own.go":
        "package own\n\ntype Map struct{}\n\nfunc (m *Map) Put() {}\n\ntype Option struct{}\n\nfunc (o *Option) Put() {}\n\nfunc use(m *Map, o Option, p *Option) {\n\tm.Put() //=\n\to.Put() //-\n\tp.Put() //-\n}\n",
      "ba/app/app.go":
        'package app\n\nimport (\n\t"sync"\n\n\t"example.com/own/own"\n)\n\nfunc run(m own.Map, all map[string]*own.Map, s *sync.Map) {\n\tm.Put() //=\n\tall["a"].Put() //=\n\ts.Put()\n}\n',
    },
  ],
  "TypeScript types that are called like a collection and a wrapper": [
    "Option.unwrapAll",
    {
      "bb/own.ts": "export class Option<T> {\n  unwrapAll() {}\n}\nexport class Row {\n  unwrapAll() {}\n}\n",
      "bb/use.ts":
        'import { Option, Row } from "./own"\nexport function use(a: Option<Row>, b: Promise<Option<Row>>, c: Map<string, Row>) {\n  a.unwrapAll() //=\n  c.get("a")!.unwrapAll() //-\n}\nexport const later = async (b: Promise<Option<Row>>) => (await b).unwrapAll() //=\n',
    },
  ],
  "a Rust enum that is called like a wrapper": [
    "Option.sum_up",
    {
      "bc/src/lib.rs":
        "pub enum Option {\n    A,\n}\nimpl Option {\n    pub fn sum_up(&self) {}\n}\npub struct Row;\nimpl Row {\n    pub fn sum_up(&self) {}\n}\npub fn f(o: &Option, r: std::rc::Rc<Row>) {\n    o.sum_up(); //=\n    r.sum_up(); //-\n}\n",
    },
  ],
  "a Java method that the wrapper of its type has, too": [
    "Factory.get",
    {
      "bd/Factory.java": "package bd;\nclass Factory {\n  Object get() { return null; }\n}\n",
      "bd/Use.java":
        "package bd;\nimport java.util.Optional;\nimport java.util.concurrent.atomic.AtomicReference;\nclass Use {\n  void run(AtomicReference<Factory> r, Optional<Factory> o, Factory f) {\n    r.get(); //-\n    o.get(); //-\n    f.get(); //=\n    o\n      .get()\n      .get(); //=\n  }\n}\n",
    },
  ],
  "a C++ method that a smart pointer of its type has, too": [
    "Session.reset",
    {
      "be/session.hpp": "struct Session {\n  void reset();\n  void open();\n};\n",
      "be/use.cpp":
        '#include <memory>\n#include "session.hpp"\nvoid run(std::unique_ptr<Session> p, Session &s) {\n  p.reset(); //-\n  s.reset(); //=\n}\n',
    },
  ],
  "a TypeScript type under the alias of an import": [
    "Locker.seal",
    {
      "bf/locker.ts": "export class Locker {\n  seal() {}\n}\nexport class Crate {\n  seal() {}\n}\n",
      "bf/use.ts":
        'import { Crate, Locker as L } from "./locker"\nexport class Use {\n  inner: L\n  all: Map<string, L>\n  constructor(private readonly given: L, private crate: Crate) {}\n  run(a: L) {\n    a.seal() //=\n    this.inner.seal() //=\n    this.given.seal() //=\n    this.crate.seal() //-\n    this.all.get("a")!.seal() //=\n    this.made().seal() //=\n    new L().seal() //=\n  }\n  made(): L {\n    return this.inner\n  }\n}\n',
    },
  ],
  "a Python type under the alias of an import": [
    "Vault.seal_all",
    {
      "bg/vault.py":
        "class Vault:\n    def seal_all(self):\n        pass\n\n\nclass Crate:\n    def seal_all(self):\n        pass\n",
      "bg/use.py":
        "from bg.vault import Crate, Vault as V\n\n\nclass Use:\n    inner: V\n\n    def run(self, a: V, b: Crate):\n        a.seal_all() #=\n        self.inner.seal_all() #=\n        self.made().seal_all() #=\n        b.seal_all() #-\n\n    def made(self) -> V:\n        return self.inner\n",
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
  const { stdout } = await space.run(["symbol", "addItem", "--callers"])
  expect(stdout).toContain("1 more unresolved uses, by name\npage.ts:4")
})

test("implementations for types that the project does not define are listed by their place", async () => {
  using space = new Workspace({
    "src/lib.rs":
      "pub trait Seconds {\n    fn seconds(&self) -> u32;\n}\nimpl Seconds for chrono::Utc {\n    fn seconds(&self) -> u32 {\n        1\n    }\n}\npub struct Own;\nimpl Seconds for Own {\n    fn seconds(&self) -> u32 {\n        2\n    }\n}\n",
  })
  const answer = await space.json(["symbol", "Seconds", "--implementations"])
  expect(answer.related.map(({ name }: { name: string }) => name)).toEqual(["Own"])
  expect(answer.references.map(placeOf)).toEqual(["src/lib.rs:4"])
})

test("a member of a Python module from outside of the project is no use of a method", async () => {
  using space = new Workspace({
    "brackets.py": "class BracketTracker:\n    def mark_all(self):\n        pass\n",
    "use.py":
      "import pytest\nimport gevent.monkey\nfrom brackets import BracketTracker\n\n\n@pytest.mark_all.slow\ndef run():\n    gevent.monkey.mark_all()\n    BracketTracker().mark_all()\n",
  })
  const { references } = await space.json(["symbol", "BracketTracker.mark_all", "--references"])
  expect(references.map(placeOf)).toEqual(["use.py:9"])
})

test("an implementation has the place of Rust's impl", async () => {
  using space = new Workspace({
    "src/lib.rs": "pub mod seconds;\npub struct Own {\n    all: u32,\n}\n",
    "src/seconds.rs": "use crate::Own;\npub trait Seconds {}\nimpl Seconds for Own {}\n",
  })
  const { related } = await space.json(["symbol", "Seconds", "--implementations"])
  expect(related).toMatchObject([
    { path: "src/lib.rs", start_line: 2, declared_at: { path: "src/seconds.rs", line: 3 } },
  ])
  const { stdout } = await space.run(["symbol", "Seconds", "--implementations"])
  expect(stdout).toContain("struct Own declared at src/seconds.rs:3")
})

test("a Go type has the methods of the types that it embeds", async () => {
  using space = new Workspace({
    "go.mod": "module example.com/set\n",
    "set/set.go":
      "package set\n\ntype Set[T any] struct{}\n\nfunc (s *Set[T]) Has(n int) bool { return true }\n\nfunc (s *Set[T]) Drop(n int) {}\n",
    "use/use.go":
      'package use\n\nimport "example.com/set/set"\n\ntype Blobs interface {\n\tHas(n int) bool\n\tDrop(n int)\n\tMerge(other Blobs)\n}\n\ntype blobs struct {\n\tset.Set[struct{}]\n}\n\nfunc (b *blobs) Merge(other Blobs) {}\n',
  })
  const { related } = await space.json(["symbol", "Blobs", "--implementations"])
  expect(related.map(({ name }: { name: string }) => name)).toEqual(["blobs"])
})

test("a Go type does not have the methods of a namesake of the type that it embeds", async () => {
  using space = new Workspace({
    "go.mod": "module example.com/lease\n",
    "dhcp/dhcp.go":
      "package dhcp\n\ntype Interface interface {\n\tLeases() int\n\tHost(ip string) string\n}\n\ntype Wide interface {\n\tInterface\n}\n",
    "watch/watch.go":
      'package watch\n\nimport (\n\t"example.com/lease/dhcp"\n\t"example.org/service"\n)\n\ntype Watcher interface {\n\tservice.Interface\n}\n\ntype Client struct {\n\tdhcp.Interface\n}\n',
  })
  const { related } = await space.json(["symbol", "dhcp/dhcp.go#Interface", "--implementations"])
  expect(related.map(({ name }: { name: string }) => name).toSorted()).toEqual(["Client", "Wide"])
})

test("a Java type nested beside the one that extends it is meant, not a namesake nested elsewhere", async () => {
  using space = new Workspace({
    "Outer.java":
      "package p;\n\nclass Outer {\n  static class Base {}\n\n  static class Sub extends Base {}\n}\n",
    "Free.java": "package p;\n\nclass Free {\n  static class Base {}\n}\n",
  })
  const subtypesOf = async (name: string) => {
    const { stdout } = await space.run(["symbol", name, "--implementations", "--json"])
    return JSON.parse(stdout).related.map((each: { name: string; certainty: string }) => [
      each.name,
      each.certainty,
    ])
  }
  expect(await subtypesOf("Outer.Base")).toEqual([["Outer.Sub", "certain"]])
  expect(await subtypesOf("Free.Base")).toEqual([])
})

test("a file with the name of its Python package hides none of the package's modules", async () => {
  using space = new Workspace({
    "src/poem/poem.py": "class Poem:\n    pass\n",
    "src/poem/views/show.py": "class Show:\n    pass\n",
    "src/poem/own.py": "from poem.views.show import Show\n\n\nclass Own(Show):\n    pass\n",
  })
  const { references } = await space.json(["symbol", "Show", "--references"])
  expect(
    references.map(({ line, certainty }: { line: number; certainty: string }) => [line, certainty]),
  ).toEqual([
    [1, "certain"],
    [4, "certain"],
  ])
})

test("a class that extends another one of its own name is the one at the place", async () => {
  using space = new Workspace({
    "pool.py": "class TaskPool:\n    pass\n",
    "test_pool.py":
      "try:\n    import pool\nexcept ImportError:\n\n    class Stub:\n        class TaskPool:\n            pass\n\n    pool = Stub()\n\n\nclass TaskPool(pool.TaskPool):\n    size = 1\n",
  })
  const { related } = await space.json(["symbol", "TaskPool", "--implementations", "--path", "pool.py"])
  expect(related).toMatchObject([{ path: "test_pool.py", start_line: 12 }])
})

test("a use that only the name of its variable gives to another type is named", async () => {
  using space = new Workspace({
    "graphs.ts":
      "export class ModuleGraph {\n  load() {}\n}\nexport class ClientModuleGraph {\n  load() {}\n}\n",
    "use.ts": "export function use(all: any) {\n  for (const each of all) each.moduleGraph.load()\n}\n",
  })
  const { stdout } = await space.run(["symbol", "ClientModuleGraph.load", "--references"])
  expect(stdout).toContain("1 more unresolved uses, by name\nuse.ts:2")
})

test.each(Object.entries(MEANINGS))("references of %s", async (_, [name, files]) => {
  const answer = await meant().json(["symbol", name, "--references"])
  const found = new Set<string>([...answer.references, ...answer.unresolved.places].map(placeOf))
  const marked = (mark: RegExp) =>
    Object.entries(files).flatMap(([path, text]) =>
      text.split("\n").flatMap((line, row) => (mark.test(line) ? [`${path}:${row + 1}`] : [])),
    )
  expect(marked(/(?:\/\/|#)=$/).filter((place) => !found.has(place))).toEqual([])
  expect(marked(/(?:\/\/|#)-$/).filter((place) => found.has(place))).toEqual([])
})
