import { expect, test } from "bun:test"
import fc from "fast-check"
import { cpuTime } from "../../../test/cpu-time.ts"
import { AmanError } from "../../base/errors.ts"
import { DEFAULT_PARSE_OPTIONS, parseFile } from "../file/parse.ts"
import { textLines } from "../text-lines.ts"
import { asMember, packUses, StoredUses, subtypeOf, USE, useHash } from "./use-code.ts"
import { usesOf } from "./uses.ts"

const KINDS = ["call", "import", "base", "member", "declares"]

/** "line name kinds qualifier" of each use. */
async function uses(path: string, text: string): Promise<string[]> {
  const file = await parseFile(path, text, DEFAULT_PARSE_OPTIONS)
  return (file.uses?.() ?? []).map(({ name, line, flags, qualifier }) => {
    const kinds = KINDS.filter((_, bit) => (flags >> bit) & 1).join("+")
    return [line, name, kinds || "-", qualifier ?? "-"].join(" ")
  })
}

test.each<[string, string, string[], string[]]>([
  [
    "a.ts",
    'import { open as start } from "./store"\nclass Db extends Base<Row> implements Port {\n  run() {\n    // stop()\n    const db = start(`x ${this.name} stop()`)\n    return new Db<Row>(db).close()\n  }\n}\n',
    [
      "1 open import ./store",
      "2 Base base Db",
      "2 Row - -",
      "2 Port base Db",
      "5 open call -",
      "5 name member this",
      "6 Db call -",
      "6 close call+member ?",
    ],
    ["stop"],
  ],
  [
    "a.py",
    'from .store import open_store as opened\nclass Db(Base, Mixin):\n    """stop()"""\n    def run(self):\n        return opened(f"{self.name} stop()", "stop")\n',
    [
      "1 open_store import .store",
      "2 Base base Db",
      "2 Mixin base Db",
      "5 open_store call -",
      "5 name member this",
    ],
    ["stop"],
  ],
  [
    "a.rs",
    "fn all<I: IntoIterator<Item = Row>>(rows: I, other: Item) {}\n",
    ["1 Item member -", "1 Row - -", "1 Item - -"],
    [],
  ],
  [
    "a.lua",
    "function M:paint()\n  self:draw()\n  other:draw(1)\nend\n",
    ["2 draw call+member this", "3 draw call+member other"],
    [],
  ],
  [
    "a.go",
    'package a\nimport "x/store"\nfunc (s *Server) Run() {\n\tdb := store.Open("stop")\n\ts.close(db)\n}\n',
    ["3 Server - -", "4 Open call+member store", "5 close call+member s"],
    ["stop"],
  ],
  [
    "a.rs",
    'use crate::store::{Store, open};\nimpl Port for Db {\n    fn run(&self) { open::<u8>("stop"); self.close(); log!(1) }\n}\n',
    ["2 Port base Db", "3 open call -", "3 close call+member this", "3 log call -"],
    ["stop"],
  ],
  [
    "A.scala",
    'import x.Store\nimport x.data.{Row, Cell}\nclass A(store: Store) extends B with C[Row] {\n  def run() = { val s = new Store("stop"); s.close(); later() }\n}\n',
    [
      "2 Row import x.data.{Row, Cell}",
      "3 B base A",
      "3 C base A",
      "3 Row - -",
      "4 Store call -",
      "4 close call+member s",
      "4 later call -",
    ],
    ["stop", "extends", "with"],
  ],
  [
    "A.java",
    'import x.Store;\nclass A extends B implements C<Row> {\n  void run() { Store s = new Store("stop"); s.close(); }\n}\n',
    ["2 B base A", "2 C base A", "2 Row - -", "3 Store call -", "3 close call+member s"],
    ["stop"],
  ],
  [
    "a.c",
    '#include "b.h"\nint run(void) { /* stop() */ return open_it("stop"); }\n',
    ["2 open_it call -"],
    ["stop"],
  ],
  [
    "a.cpp",
    "class A : public B {};\nvoid A::run() { store->close(); ns::open(1); }\n",
    ["1 B base A", "2 close call+member store", "2 open call+member ns"],
    [],
  ],
  [
    "a.cs",
    'class A : B, IC { void Run() { Open("stop"); } }\n',
    ["1 B base A", "1 IC base A", "1 Open call -"],
    ["stop"],
  ],
  [
    "a.rb",
    'class A < B\n  include C\n  def run\n    close!("stop")\n    @db.open?\n  end\nend\n',
    ["1 B base A", "2 C base A", "4 close! call -", "5 open? member db"],
    ["stop"],
  ],
  [
    "a.php",
    "<?php\nclass A extends B implements C {\n  use D;\n  function run() { $this->close('stop'); Store::open(); }\n}\n",
    ["2 B base A", "2 C base A", "3 D base A", "4 close call+member this", "4 open call+member Store"],
    ["stop"],
  ],
  [
    "a.jl",
    "abstract type Shape end\nprimitive type Bits 8 end\nmutable struct Square <: Shape\n  x\nend\ngo(y) = type(abstract, y)\n",
    ["6 type call -", "6 abstract - -"],
    ["mutable", "primitive"],
  ],
  [
    "a.sol",
    "contract A {\n  error Bad();\n  function run() public { error(1); revert Bad(); }\n}\n",
    ["3 error call -", "3 Bad call -"],
    ["revert"],
  ],
])(
  "%s: finds calls, imports and bases, and ignores comments and strings",
  async (path, text, wanted, unwanted) => {
    const found = await uses(path, text)
    expect(found).toEqual(expect.arrayContaining(wanted))
    for (const name of unwanted) expect(found.filter((use) => use.split(" ")[1] === name)).toEqual([])
  },
)

test("treats a contextual keyword before a name as a keyword", async () => {
  const found = await uses("a.jl", "abstract type Shape end\nmutable struct Square <: Shape\n  x\nend\n")
  expect(found.map((use) => use.split(" ")[1])).toEqual(["Shape"])
})

/** "name path" of each member whose value is given by a path and not by a single name. */
async function paths(path: string, text: string): Promise<string[]> {
  const file = await parseFile(path, text, DEFAULT_PARSE_OPTIONS)
  return (file.uses?.() ?? []).flatMap(({ name, path: of }) => (of ? [`${name} ${of}`] : []))
}

test.each<[string, string, string, string[]]>([
  [
    "chains",
    "a.ts",
    "this.store.files.path(1)\nopen<Db>(1)!.rows?.[0].name\nnew Store(1).close()\n;(await load()).one\n;(row as Row).key\n",
    [
      "files this.store",
      "path this.store.files",
      "rows open()",
      "name open().rows[]",
      "close :Store",
      "one load()",
      "key :Row",
    ],
  ],
  [
    "chains of other languages",
    "A.java",
    "class A { void f() { store.files().first(); } }\n",
    ["first store.files()"],
  ],
  [
    "a pattern",
    "a.ts",
    "const { one, two: three, in: { deep } } = load()\n",
    ["one load()", "two load()", "deep load().in"],
  ],
  ["each of a list", "a.ts", "for (const { name } of all.rows) use(name)\n", ["name all.rows[]"]],
  [
    "a parameter's pattern",
    "a.ts",
    "function f({ one, two = 1 }: Options<A>, b: B): void {}\n",
    ["one :Options<A>", "two :Options<A>"],
  ],
  ["a callback's parameters", "a.ts", "each(list, (row, { key }) => row.name)\n", ["key each@1@1"]],
  [
    "a declared type",
    "a.ts",
    "const a: Options = { one: 1, two, in: { deep: 1 }, all: [{ last: 1 }] }\n",
    ["one :Options", "two :Options", "deep :Options.in", "all :Options", "last :Options.all[]"],
  ],
  [
    "an argument",
    "a.ts",
    "open(1, { one: 1, two })\nnew Store({ key: 1 })\n",
    ["one open@1", "two open@1", "key :Store@0"],
  ],
  [
    "a result",
    "a.ts",
    "function f(): Options {\n  if (a) return { one: 1 }\n  each((): Row => ({ key: 1 }))\n  each(() => {\n    return { two: 1 }\n  })\n}\n",
    ["one <", "key :Row", "two each@0()"],
  ],
  [
    "satisfies and as",
    "a.ts",
    "f = { one: 1 } satisfies Options\nf = { two: 1 } as Other\n",
    ["one :Options", "two :Other"],
  ],
  [
    "markup",
    "a.tsx",
    'const a = () => <Row name={1} of={<Cell key="a" />} last="b" />\n',
    ["name Row@0", "of Row@0", "key Cell@0", "last Row@0"],
  ],
  [
    "a literal of Go",
    "a.go",
    "package a\nfunc f() { run(Options{Port: 1, In: &Inner{Deep: 2}}) }\n",
    ["Port :Options", "In :Options", "Deep :Inner"],
  ],
])("%s: records the path of a value", async (_, path, text, wanted) => {
  expect(await paths(path, text)).toEqual(wanted)
})

test.each<[string, string, string[]]>([
  [
    "a.ts",
    "async function run() {\n  const db = new Db(1)\n  const { one, two: three } = load()\n  const rows = await read(db);\n  (await import('./x.ts')).go(1)\n  each((row: Row) => this.#hidden(row))\n  return { key: rows }\n}\n",
    [
      "2 db declares :Db",
      "3 one member+declares -",
      "3 two member -",
      "3 three declares load().two",
      "4 rows declares read()",
      "5 go call+import ./x.ts",
      "6 row declares :Row",
      "6 #hidden call+member this",
      "7 key member -",
    ],
  ],
  ["a.js", 'const { open } = await import("./x.js")\nopen()\n', ["1 open import ./x.js", "2 open call -"]],
  [
    "a.go",
    "package a\nfunc f() {\n\tdb, err := store.Open(1)\n\ts := &Server{Port: 1}\n\tvar c Client\n}\n",
    [
      "3 db declares store.Open(),0",
      "3 err declares store.Open(),1",
      "4 s declares :Server",
      "4 Port member -",
      "5 c declares :Client",
    ],
  ],
  [
    "a.py",
    "def f():\n    db = Store(1)\n    rows = read(db)\n    one: Row = rows[0]\n",
    ["2 db declares Store()", "3 rows declares read()", "4 one declares :Row"],
  ],
  [
    "a.rs",
    "fn f() { let db = Store::new(1); let p = Point { x: 1 }; let q: Row = g(); }\n",
    ["1 db declares Store.new()", "1 p declares :Point", "1 q declares :Row"],
  ],
  [
    "A.java",
    "class A { void f() { Store db = make(); for (Row row : db.rows()) g(row); } }\n",
    ["1 db declares :Store", "1 row declares :Row"],
  ],
  ["a.cpp", "void f() { Store *db = make(); auto x = a * b; }\n", ["1 db declares :Store"]],
])("%s: records the type of the value that a name is bound to", async (path, text, wanted) => {
  expect(await uses(path, text)).toEqual(expect.arrayContaining(wanted))
})

test("binds a parameter of one letter like any other and drops unbound single letters", async () => {
  const text =
    "rows.map((i) => i.save())\nrows.map((a, n) => a)\nconst f = ([x], { y: z }) => x\nsum((s), [t])\n"
  const found = await uses("a.ts", text)
  expect(found.filter((use) => /^. (?:.|save) /.test(use))).toEqual([
    "1 i declares rows.map@0@0",
    "1 save call+member i",
    "2 a declares rows.map@0@0",
    "2 n declares rows.map@0@1",
    "3 y member -",
  ])
})

test.each([
  [
    "a.dart",
    "class Db extends Base implements Port {\n  void run() => start('stop()');\n}\n",
    "2 start call -",
  ],
  ["a.lua", 'start("stop()", [[stop()]])\n', "1 start call -"],
  ["a.ex", 'defmodule A do\n  def run, do: start("stop() #{one()}")\nend\n', "2 one call -"],
  ["a.jl", 'run() = start("stop() $(one())")\n', "1 one call -"],
  ["a.zig", 'fn run() void {\n    start("stop()");\n}\n', "2 start call -"],
  ["a.m", '#import <A.h>\nvoid run(void) {\n  start(@"stop()", "stop()");\n}\n', "3 start call -"],
  ["a.ml", 'let run () = start "stop()"\n', "1 start - -"],
  ["a.sol", 'contract A { function run() public { start("stop()"); } }\n', "1 start call -"],
  ["a.hs", 'run = start "stop()"\n', "1 start - -"],
])("%s: ignores names in quotes", async (path, text, wanted) => {
  const found = await uses(path, text)
  expect(found).toContain(wanted)
  expect(found.filter((use) => /^(?:stop|implements)$/.test(use.split(" ")[1]!))).toEqual([])
})

test.each([
  ["a.el", "(defun a (x)\n  (shop-total x-1 (- x y-z)))\n", ["2 shop-total", "2 y-z"]],
  ["a.ps1", "function A { Get-Order $one-$two }\n", ["1 Get-Order", "1 one", "1 two"]],
  ["a.nix", "{ a = lib.mk-if b-c 1; }\n", ["1 b-c", "1 lib", "1 mk-if"]],
  ["a.js", "total-tax\n", ["1 tax", "1 total"]],
])("%s: a hyphen belongs to a name where the language says so", async (path, text, expected) => {
  const found = (await uses(path, text)).map((use) => use.split(" ").slice(0, 2).join(" "))
  expect(found.sort()).toEqual(expected)
})

test("does not record a definition's own name as a use", async () => {
  expect(await uses("a.ts", "export function run(): void {}\nclass Db { close() {} }\n")).toEqual([])
})

test.each<[string, string, string[]]>([
  [
    "a.kt",
    "private suspend fun run(db: Store) = when (db) { is Store -> open(db) else -> null }\n",
    ["Store", "Store", "open"],
  ],
  [
    "a.swift",
    "public func run(db: Store) throws -> Row? {\n  guard let row = try db.open() else { return nil }\n  return row\n}\n",
    ["Store", "Row", "open"],
  ],
  [
    "a.dart",
    "Future<void> run(Store db) async { final row = await db.open(); }\n",
    ["Future", "Store", "open"],
  ],
])("%s: does not record keywords as uses", async (path, text, wanted) => {
  const found = (await uses(path, text)).map((use) => use.split(" ")[1]!)
  const reserved =
    /^(?:private|suspend|fun|when|is|else|null|public|func|throws|guard|let|try|return|nil|final|await|void)$/
  expect(found.filter((name) => reserved.test(name))).toEqual([])
  expect(found).toEqual(expect.arrayContaining(wanted))
})

test.each<[string, string, string[]]>([
  ["a.py", "class A(nn.Module, abc.x.Base, metaclass=abc.ABCMeta):\n    pass\n", ["A Module nn", "A Base x"]],
  [
    "a.ts",
    "class A extends React.Component<P.Props> implements ns.Port {}\n",
    ["A Component React", "A Port ns"],
  ],
  ["A.java", "class A extends Outer.Inner implements x.y.Port<Row.Cell> {}\n", ["A Inner Outer", "A Port y"]],
  ["a.rs", "impl fmt::Display for A {\n  fn fmt(&self) {}\n}\n", ["A Display fmt"]],
  ["a.cpp", "class A : public ns::B<x::Y> {};\n", ["A B ns"]],
  ["a.cs", "class A : Ns.B, IC { Other.Thing t; }\n", ["A B Ns", "A IC"]],
  ["a.rb", "class A < X::B\n  include Y::C\n  def run\n    Z::D.new\n  end\nend\n", ["A B X", "A C Y"]],
  ["a.php", "<?php\nclass A extends \\X\\B implements Y\\C { use Z\\D; }\n", ["A B X", "A C Y", "A D Z"]],
  ["A.kt", "class A(val x: Row.Cell) : Outer.Inner(), Port {}\n", ["A Inner Outer", "A Port"]],
  ["A.scala", "class A extends x.B with y.C {\n  val d = z.D\n}\n", ["A B x", "A C y"]],
])("%s: records a base after a dot by its last part and its qualifier", async (path, text, wanted) => {
  const { uses: found } = await parseFile(path, text, DEFAULT_PARSE_OPTIONS)
  const bases = found!().filter(({ flags }) => (flags & USE.base) !== 0)
  expect(
    bases.map((use) => {
      const { flags, qualifier } = asMember(use)
      return [subtypeOf(use), use.name, ...((flags & USE.member) === 0 ? [] : [qualifier])].join(" ")
    }),
  ).toEqual(wanted)
})

test("records no uses without a syntax tree", async () => {
  expect((await parseFile("a.unknown", "run()", DEFAULT_PARSE_OPTIONS)).uses).toBeNull()
})

test("unpacks the same uses that were packed, by the hash of their name", () => {
  const all = [
    { name: "open", line: 3, flags: USE.call, qualifier: null },
    { name: "open", line: 900, flags: USE.call | USE.member, qualifier: "store" },
    { name: "größe", line: 1, flags: 0, qualifier: "this" },
    { name: "Base", line: 70_000, flags: USE.base, qualifier: "Db" },
  ]
  const { names, places } = packUses(all)
  const stored = new StoredUses(places)
  expect(stored.between(1, 1_000_000, () => true)).toEqual(all)
  expect(stored.between(3, 899, (flags) => (flags & USE.call) !== 0)).toEqual(all.slice(0, 1))
  expect(stored.typeUses()).toEqual(all.slice(-1))
  expect(["open", "größe", "Base"].flatMap((name) => stored.of(name))).toEqual(all)
  // A name that is only a qualifier, parts of names, and a name that does not occur.
  for (const name of ["store", "pen", "ope", "Bas", "ase", "größ", "Dbx"]) expect(stored.of(name)).toEqual([])
  const hashes = new Uint32Array(names.buffer, names.byteOffset, names.byteLength / 4)
  expect([...hashes]).toEqual(["open", "größe", "Base"].map(useHash).sort((one, other) => one - other))
})

/** Calls every method that reads stored uses; false if the bytes were found damaged. */
function isReadable(places: Uint8Array): boolean {
  try {
    const stored = new StoredUses(places)
    for (const name of ["name0", "name39", "holder3", "absent", ""]) stored.of(name)
    stored.typeUses()
    stored.between(1, 1_000_000, () => true)
    return true
  } catch (error) {
    if (error instanceof AmanError && error.code === "INDEX_CORRUPT") return false
    throw error
  }
}

const SOME = packUses(
  Array.from({ length: 200 }, (_, i) => {
    const qualifier = i % 3 === 0 ? `holder${i % 7}` : null
    return { name: `name${i % 40}`, line: 1 + i * 90, flags: i % 32, qualifier }
  }),
).places

test("detects truncated uses, packed or not", () => {
  const plain = Bun.zstdDecompressSync(SOME as Uint8Array<ArrayBuffer>)
  expect(isReadable(SOME)).toBe(true)
  for (let length = 0; length < SOME.length; length++)
    expect(isReadable(SOME.subarray(0, length))).toBe(false)
  for (let length = 0; length < plain.length; length++)
    expect(isReadable(Bun.zstdCompressSync(plain.subarray(0, length)))).toBe(false)
})

test("ends for any stored bytes, and fails only by reporting damage", () => {
  const plain = Bun.zstdDecompressSync(SOME as Uint8Array<ArrayBuffer>)
  const flips = fc.array(fc.tuple(fc.nat(plain.length - 1), fc.integer({ min: 1, max: 255 })), {
    maxLength: 6,
  })
  fc.assert(
    fc.property(flips, (places) => {
      const bytes = plain.slice()
      for (const [at, mask] of places) bytes[at]! ^= mask
      isReadable(Bun.zstdCompressSync(bytes))
    }),
    { numRuns: 500 },
  )
  const bytes = Uint8Array.from(SOME)
  for (let bit = 0; bit < 8 * bytes.length; bit++) {
    bytes[bit >> 3]! ^= 1 << (bit & 7)
    isReadable(bytes)
    bytes[bit >> 3]! ^= 1 << (bit & 7)
  }
})

test("takes linear time for unclosed brackets", () => {
  const source = { silent: new Uint32Array(), names: new Set<number>(), imports: [], types: [] }
  const started = cpuTime()
  for (const text of ["const { a }: <", "({ a }: b<", "const a = f(", "a: b = {", "(a as b"])
    usesOf(textLines(text.repeat(20_000)), "typescript", source)
  expect(cpuTime() - started).toBeLessThan(10_000)
})

test("does not take a comment that ends in a dot or colon for a value before the next name", async () => {
  expect(await uses("a.ts", "// Opens it.\nopen(1)\nshop // the shop.\n  // all:\n  .close()\n")).toEqual([
    "2 open call -",
    "3 shop - -",
    "5 close call+member shop",
  ])
  expect(await uses("a.py", "run(x)\n# again.\nstop(x)\n")).toContain("3 stop call -")
})

test("distinguishes members of the base types from own ones, and C++'s global names from members", async () => {
  expect(await uses("a.ts", "class A extends B {\n  run() { super.run(); this.run() }\n}\n")).toEqual([
    "1 B base A",
    "2 run call+member super",
    "2 run call+member this",
  ])
  expect(await uses("a.py", "class A(B):\n    def run(self):\n        super().run()\n")).toContain(
    "3 run call+member super",
  )
  expect(await uses("a.php", "<?php\nclass A extends B { function run() { parent::run(); } }\n")).toContain(
    "2 run call+member super",
  )
  expect(await uses("a.cc", "void f() { ::info(1); Shop::info(2); }\n")).toEqual(
    expect.arrayContaining(["1 info call -", "1 info call+member Shop"]),
  )
  expect(
    await uses("a.rs", "fn f() { super::u64(1); let a: u64 = 2; }\n").then((all) => all.join()),
  ).toContain("u64 call")
})
