import { expect, test } from "bun:test"
import { indexedOnce } from "./opened.ts"

/**
 * Small projects in which a local variable has the name of a definition, with the symbol that is asked. `=` at the end of a
 * comment marks a line that uses the symbol for certain, `?` one that may use it, `-` one that must not be listed.
 */
const SCOPES: Readonly<Record<string, readonly [name: string, file: string, text: string]>> = {
  "a local of a nested function hides nothing in the function around it": [
    "py1.tag",
    "py1.py",
    "def tag(m=None):\n    partial(tag) #=\n    def inner():\n        tag = 'x' #-\n        return tag #-\n    return tag #=\n",
  ],
  "a name that is declared global or nonlocal is not local": [
    "py2.total",
    "py2.py",
    "total = 1\ndef add():\n    global total #=\n    total = total + 1 #=\ndef other(total): #-\n    return total #-\n",
  ],
  "the variable of a comprehension is local to it": [
    "py3.item",
    "py3.py",
    "def item():\n    return 1\ndef use(rows):\n    names = [item for item in rows] #-\n    return item() #=\n",
  ],
  "a default value is looked up outside of the function": [
    "py4.store",
    "py4.py",
    "def store():\n    return 1\ndef use(store=store): #=\n    return store #-\n",
  ],
  "names bound by with, except, for and lambda": [
    "py5.each",
    "py5.py",
    "def each():\n    return 1\ndef a():\n    with open() as each:\n        return each #-\ndef b():\n    for each in rows():\n        each #-\ndef c():\n    return (lambda each: each), each #=\ndef rows():\n    return each() #=\n",
  ],
  "a keyword argument is no use of a function": [
    "py6.label",
    "py6.py",
    "def label():\n    return 1\ndef draw(**options):\n    return options\ndraw(label=label) #=\ndraw(label=1) #-\n",
  ],
  "a block ends a variable of JavaScript": [
    "js1Total",
    "js1.js",
    "export function js1Total() {}\nexport function use(rows) {\n  if (rows) {\n    const js1Total = 1 //-\n    return js1Total //-\n  }\n  for (const js1Total of rows) js1Total //-\n  rows.map((js1Total) => js1Total + 1) //-\n  return js1Total() //=\n}\n",
  ],
  "a function of a block hides the one outside": [
    "js4.js:1",
    "js4.js",
    "export function js4Load(n) {}\nexport function use(rows) {\n  if (rows) {\n    const js4Load = (n) => n\n    return js4Load(1) //-\n  }\n  return js4Load(1) //=\n}\nexport function other() {\n  function js4Load() {}\n  return js4Load() //-\n}\n",
  ],
  "var is visible in the whole function": [
    "js2Total",
    "js2.js",
    "export function js2Total() {}\nexport function use(rows) {\n  if (rows) {\n    var js2Total = 1 //-\n  }\n  return js2Total //-\n}\nexport const all = js2Total() //=\n",
  ],
  "an assignment to a pattern binds nothing": [
    "js3Total",
    "js3.js",
    "let js3Total = 1\nexport function use(rows) {\n  ;[js3Total] = rows //=\n  return js3Total //=\n}\n",
  ],
  "a parameter of a function's type is no use": [
    "ts1Open",
    "ts1.ts",
    "export function ts1Open() {}\nexport type F = (ts1Open: number) => void //-\nexport function use(f: F, ts1Open: number) {\n  return f(ts1Open) //-\n}\nts1Open() //=\n",
  ],
  "a value is evaluated before its name hides a function of Go": [
    "go1Total",
    "go1/a.go",
    "package go1\n\nfunc go1Total() int { return 1 }\nfunc use() int {\n\tgo1Total := go1Total() //=\n\treturn go1Total //-\n}\nfunc named() (go1Total int) {\n\treturn go1Total //-\n}\nfunc block() int {\n\tif go1Total := 1; go1Total > 0 {\n\t\treturn go1Total //-\n\t}\n\treturn go1Total() //=\n}\n",
  ],
  "a variable of Go that is called like a type": [
    "conn.Drop",
    "go2/a.go",
    "package go2\n\ntype conn struct{}\nfunc (c *conn) Drop() {}\ntype other struct{}\nfunc (o *other) Drop() {}\ntype pool struct{ items []*other }\nfunc (p *pool) all() {\n\tfor _, conn := range p.items {\n\t\tconn.Drop() //-\n\t}\n}\nfunc use(one conn) {\n\tone.Drop() //=\n}\n",
  ],
  "constants as keys of maps and lists of Go": [
    "go3Kind",
    "go3/a.go",
    'package go3\n\nconst go3Kind = 1\nvar a = map[int]string{go3Kind: "a"} //=\nvar b = [...]string{go3Kind: "b"} //=\nvar c = []map[int]string{{go3Kind: "c"}} //=\n',
  ],
  "a key that may be a constant, in a literal of a type that is no struct of the project": [
    "go7Kind",
    "go7/a.go",
    'package go7\n\nimport "example.com/lib"\n\nconst go7Kind = 1\n\ntype set map[int]string\n\nvar a = lib.Set{go7Kind: 1} //?\nvar b = set{go7Kind: 1} //?\n',
  ],
  "keys of literals of Go are fields": [
    "go4row.go4size",
    "go4/a.go",
    'package go4\n\ntype go4row struct{ go4size int }\nvar a = go4row{go4size: 1} //=\nvar b = []go4row{{go4size: 1}, {go4size: 2}} //=\nvar c = map[string]*go4row{"x": {go4size: 1}} //=\n',
  ],
  "a type of Go before a further parameter": [
    "Go5",
    "go5/a.go",
    "package go5\n\ntype Go5 struct{ n int }\nfunc f(g *Go5, t int) {} //=\nfunc h(a int, g *Go5, t ...int) (r *Go5, err error) { return } //=\n",
  ],
  "a value is evaluated before its name hides a function of Rust": [
    "rs1_total",
    "rs1.rs",
    "pub fn rs1_total() -> u8 { 1 }\npub fn used() -> u8 {\n    let rs1_total = rs1_total(); //=\n    rs1_total //-\n}\npub fn arm(v: Option<u8>) -> u8 {\n    match v {\n        Some(rs1_total) => rs1_total, //-\n        None => rs1_total(), //=\n    }\n}\npub fn closure(v: Vec<u8>) {\n    v.iter().map(|rs1_total| rs1_total); //-\n    rs1_total(); //=\n}\n",
  ],
  "a field of Java behind a local variable": [
    "JavaOne.size",
    "JavaOne.java",
    "class JavaOne {\n  int size;\n  int a() {\n    return size; //=\n  }\n  int b(int size) {\n    return size; //-\n  }\n  int c(java.util.List<Integer> all) {\n    for (int size : all) use(size); //-\n    all.forEach(size -> use(size)); //-\n    return size; //=\n  }\n  void use(int n) {}\n}\n",
  ],
  "a field of C# behind a local variable": [
    "CsOne.size",
    "CsOne.cs",
    "class CsOne {\n  int size;\n  int A() {\n    return size; //=\n  }\n  int B(object o) {\n    if (o is int size) return size; //-\n    return 0;\n  }\n  int C(int[] all) {\n    foreach (var size in all) Use(size); //-\n    System.Linq.Enumerable.Select(all, size => size); //-\n    return size; //=\n  }\n  void Use(int n) {}\n}\n",
  ],
  "an attribute of Python that no constructor sets": [
    "PyRows.rows7",
    "py7.py",
    "class PyRows:\n    def load(self):\n        self.rows7 = 1\n    def use(self):\n        self.rows7 = 2 #=\n        return self.rows7 #=\ndef other(p: PyRows):\n    return p.rows7 #=\n",
  ],
  "an embedded type of Go is a field": [
    "go6Outer.go6Inner",
    "go6/a.go",
    "package go6\n\ntype go6Inner struct{ n int }\ntype go6Outer struct{ *go6Inner }\nfunc f(o *go6Outer) int {\n\treturn o.go6Inner.n //=\n}\n",
  ],
  "a type parameter of C# that is called like a class": [
    "CsT1",
    "CsTwo.cs",
    "class CsT1 {}\nclass CsTwo {\n  CsT1 A() { return null; } //=\n  CsT1 G<CsT1>(CsT1 given) { return given; } //-\n}\n",
  ],
  "a function of Kotlin behind a parameter of a lambda": [
    "ktOpen",
    "ktOne.kt",
    "fun ktOpen() = 1\nfun use(rows: List<Int>): Int {\n  rows.forEach { ktOpen -> println(ktOpen) } //-\n  for (ktOpen in rows) println(ktOpen) //-\n  val ktOther = rows.map { it }\n  return ktOpen() //=\n}\n",
  ],
  "a function of Swift behind bound names": [
    "swOpen",
    "SwOne.swift",
    "func swOpen() -> Int { return 1 }\nfunc use(_ rows: [Int], _ o: Int?) -> Int {\n  for swOpen in rows { print(swOpen) } //-\n  if let swOpen = o { print(swOpen) } //-\n  rows.forEach { swOpen in print(swOpen) } //-\n  return swOpen() //=\n}\n",
  ],
  "a function of C behind a variable of a block": [
    "c_total",
    "c_one.c",
    "int c_total(void) { return 1; }\nint use(int n) {\n  if (n) {\n    int c_total = 1;\n    return c_total; //-\n  }\n  return c_total(); //=\n}\nint other(int c_total) {\n  return c_total; //-\n}\n",
  ],
  "a type of C++ after a reference": [
    "CppShape",
    "cpp_one.cpp",
    "class CppShape {};\nbool overlaps(const CppShape &a, CppShape *b); //=\nvoid use(CppShape &CppOther) {} //=\n",
  ],
  "a method of Ruby behind a parameter of a block": [
    "RbOne.total",
    "rb_one.rb",
    "class RbOne\n  def total\n    1\n  end\n  def a(rows)\n    rows.each { |total| puts total } #-\n    total #=\n  end\n  def b(total)\n    total + 1 #-\n  end\nend\n",
  ],
  "a function of PHP behind a variable": [
    "php_total",
    "php_one.php",
    "<?php\nfunction php_total() { return 1; }\nfunction use_it($rows) {\n  $php_total = 1; //-\n  return $php_total; //-\n}\nfunction other() {\n  return php_total(); //=\n}\n",
  ],
  "a function of Lua behind a local variable": [
    "lua_open",
    "lua_one.lua",
    "function lua_open() return 1 end\nlocal function use(rows)\n  for _, lua_open in pairs(rows) do\n    print(lua_open) --# -\n  end\n  return lua_open() --# =\nend\n",
  ],
  "a function of Scala behind a pattern": [
    "scOpen",
    "ScOne.scala",
    "object ScOne {\n  def scOpen() = 1\n  def use(rows: List[Int]) = {\n    rows.map { case scOpen => scOpen } //-\n    rows.map(scOpen => scOpen + 1) //-\n    scOpen() //=\n  }\n}\n",
  ],
  "a method of C++ with the name of the function that it calls by `::`": [
    "CppFile.cpp_open",
    "cpp_two.cpp",
    "int cpp_open(int n);\nstruct CppFile {\n  int cpp_open(int n) {\n    return ::cpp_open(n); //-\n  }\n  int again() { return cpp_open(1); } //=\n};\n",
  ],
  "a function of C++ that a method of its name calls by `::`, behind a local variable": [
    "cpp_three.cpp:1",
    "cpp_three.cpp",
    "int cpp_shut(int n);\nstruct CppDoor {\n  int cpp_shut(int n) {\n    int cpp_shut = ::cpp_shut(n); //=\n    return cpp_shut + ::cpp_shut(1); //=\n  }\n};\n",
  ],
  "a function of Rust behind one inside a function on one line": [
    "rs_one.rs:3",
    "rs_one.rs",
    "fn rs_a() { fn rs_inner() {} rs_inner(); } //-\nfn rs_use() { rs_inner(); } //=\nfn rs_inner() {}\n",
  ],
  "a function of Rust behind one inside a function on several lines": [
    "rs_two.rs:6",
    "rs_two.rs",
    "fn rs_b() {\n    fn rs_deep() {}\n    rs_deep(); //-\n}\nfn rs_run() { rs_deep(); } //=\nfn rs_deep() {}\n",
  ],
  "a function of Kotlin inside a function on one line": [
    "ktInner",
    "ktTwo.kt",
    "fun ktA() { fun ktInner() {}; ktInner() } //=\nfun ktB() { ktInner() }\n",
  ],
  "a function of Kotlin that begins on the last line of another": [
    "ktSibling",
    "ktThree.kt",
    "fun ktC() {\n  println(1)\n}; fun ktSibling() {}\nfun ktD() { ktSibling() } //=\n",
  ],
  "a method of an object that the setup script of Vue passes on": [
    "vueSave",
    "VueOne.vue",
    "<script setup>\nimport { register } from './register'\nregister({ vueSave() { return 1 } })\nconst call = (given) => given.vueSave() //=\n</script>\n<template>\n  {{ vueSave }} //-\n</template>\n",
  ],
  "a method among the options of Vue": [
    "vueLoad",
    "VueTwo.vue",
    "<script>\nexport default { methods: { vueLoad() { return 1 } } }\n</script>\n<template>\n  {{ vueLoad }} //=\n</template>\n",
  ],
  "a function of Clojure with the name of a namespace": [
    "clj-price",
    "clj_one.clj",
    "(ns clj-one (:require [clj-two :as clj-price]))\n(defn clj-price [x] x)\n(defn clj-show [y] (clj-price y)) ; # =\n(defn clj-other [y] (clj-price/of y)) ; # -\n",
  ],
}

const space = indexedOnce(Object.fromEntries(Object.values(SCOPES).map(([, path, text]) => [path, text])))

test.each(Object.entries(SCOPES))("%s", async (_, [name, path, text]) => {
  const asked = name.replace(/^py\d\./, "")
  const answer = await space().json(["symbol", asked, "--references", "--path", path])
  const linesOf = (places: readonly { path: string; line: number }[]) => places.map(({ line }) => line)
  const marked = (mark: RegExp) => text.split("\n").flatMap((line, row) => (mark.test(line) ? [row + 1] : []))
  expect([...new Set<number>(linesOf(answer.references))].sort((one, other) => one - other)).toEqual(
    marked(/(?:\/\/|#) ?=$/),
  )
  const listed = linesOf(answer.unresolved.places)
  expect(marked(/\/\/\?$/).filter((line) => !listed.includes(line))).toEqual([])
  expect(marked(/(?:\/\/|#) ?-$/).filter((line) => listed.includes(line))).toEqual([])
})
