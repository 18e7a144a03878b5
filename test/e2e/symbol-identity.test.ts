import { expect, test } from "bun:test"
import { indexedOnce } from "./opened.ts"

/** Small programs in which two things have one name, each in its own folder. */
const PROGRAMS: Readonly<Record<string, string>> = {
  // Go: two packages with the same struct, method and field.
  "go/go.mod": "module example.com/two\n\ngo 1.24\n",
  ...Object.fromEntries(
    ["z1", "z2"].map((name) => [
      `go/${name}/${name}.go`,
      `package ${name}\n\ntype Conf struct{ Port int }\n\nfunc (c *Conf) Addr() int { return c.Port }\n\nfunc Use(c *Conf) int { return c.Addr() }\n`,
    ]),
  ),
  "go/user/user.go":
    'package user\n\nimport (\n\t"example.com/two/z2"\n\t"sync"\n\t"time"\n)\n\nfunc Both(c *z2.Conf) int {\n\tvar p sync.Pool\n\tp.Get()\n\td := time.Second\n\td.Seconds()\n\treturn c.Addr()\n}\n',
  "go/pool/pool.go":
    "package pool\n\ntype Pool struct{}\n\nfunc (p *Pool) Get() int { return 1 }\n\ntype Map struct{}\n\nfunc (m *Map) Seconds() int { return 1 }\n\nfunc (m *Map) Duration() {}\n\nfunc own(p *Pool) { p.Get() }\n",
  "go/timer/timer.go":
    'package timer\n\nimport "time"\n\nfunc wait(d time.Duration) time.Duration { return d }\n',
  "go/blank/a/a.go": "package a\n\nconst limit = 1\n",
  "go/blank/use.go":
    'package blank\n\nimport _ "example.com/two/blank/a"\n\nfunc use() int {\n\tlimit := 3\n\treturn limit\n}\n',
  // A class of the same name comes from a library.
  "py/local.py": "class Session:\n    def send(self): return 1\n",
  "py/use.py": "from requests import Session\n\ndef use():\n    s = Session()\n    s.send()\n",
  "py/own.py": "from local import Session\n\ndef own():\n    s = Session()\n    s.send()\n",
  "java/own/Lists.java":
    "package own;\n\npublic class Lists {\n  public static int partition(int a) { return a; }\n  int self() { return partition(2); }\n}\n",
  "java/app/App.java":
    "package app;\n\nimport com.google.common.collect.Lists;\n\nclass App {\n  int run() { return Lists.partition(1); }\n}\n",
  "java/app/Good.java":
    "package app;\n\nimport own.Lists;\n\nclass Good {\n  int run() { return Lists.partition(1); }\n}\n",
  "ts/client.ts": "export class Client {\n  connect(): void {}\n}\n",
  "ts/lib.ts":
    'import { Client } from "pg"\n\nexport function lib(): void {\n  const c = new Client()\n  c.connect()\n}\n',
  "ts/own.ts":
    'import { Client } from "./client"\n\nexport function own(c: Client): void {\n  c.connect()\n}\n',
  // Two classes of one name in one project.
  "php/Pa/Box.php": "<?php\nnamespace Pa;\nclass Box {\n  static function openIt() {}\n}\n",
  "php/Pb/Box.php": "<?php\nnamespace Pb;\nclass Box {\n  static function openIt() {}\n}\n",
  "php/Pa/use.php": "<?php\nnamespace Pa;\nuse Pb\\Box;\nfunction useBox() {\n  Box::openIt();\n}\n",
  "cs/Ca/Conf.cs": "namespace Ca {\n  public class Conf {\n    public static void LoadIt() {}\n  }\n}\n",
  "cs/Cb/Conf.cs": "namespace Cb {\n  public class Conf {\n    public static void LoadIt() {}\n  }\n}\n",
  "cs/Use.cs":
    "using Cb;\n\nnamespace App {\n  class Use {\n    void Run() {\n      Conf.LoadIt();\n    }\n  }\n}\n",
  "rs/Cargo.toml": '[package]\nname = "rs"\nversion = "0.1.0"\n',
  "rs/src/lib.rs": "mod a;\nmod b;\nmod c;\n",
  "rs/src/a.rs": "pub struct Node;\nimpl Node {\n    pub fn grow(&self) {}\n}\n",
  "rs/src/b.rs": "pub struct Node;\nimpl Node {\n    pub fn grow(&self) {}\n}\n",
  "rs/src/c.rs": "use crate::b::Node;\n\nfn run(n: &Node) {\n    n.grow();\n}\n",
  "kt/a/Conf.kt": "package ka\n\nclass Conf {\n    fun loadAll() {}\n}\n",
  "kt/b/Conf.kt": "package kb\n\nclass Conf {\n    fun loadAll() {}\n}\n",
  "kt/a/Use.kt": "package ka\n\nimport kb.Conf\n\nfun useIt(c: Conf) {\n    c.loadAll()\n}\n",
  "cpp/a/node.hpp": "#pragma once\nclass Leaf {\n public:\n  void wither();\n};\n",
  "cpp/b/leaf.hpp": "#pragma once\nclass Leaf {\n public:\n  void wither();\n};\n",
  "cpp/b/use.cpp": '#include "leaf.hpp"\n\nvoid run(Leaf& leaf) {\n  leaf.wither();\n}\n',
  "rb/a.rb": "module Aa\n  class Page\n    def paint_all\n    end\n  end\nend\n",
  "rb/b.rb":
    "module Bb\n  class Page\n    def paint_all\n    end\n  end\n  def self.run\n    Page.new.paint_all\n  end\nend\n",
}

/** Overloads that differ in the number of their parameters. */
const OVERLOADS: Readonly<Record<string, string>> = {
  "java/Joiner.java":
    'class Joiner {\n  String glue(String a, String b) {\n    return glue(a, b, "-");\n  }\n  String glue(String a, String b, String c) { return a; }\n  String both() { return glue("a", "b"); }\n}\n',
  "cs/Joiner.cs":
    'class Joiner {\n  string Glue(string a, string b) {\n    return Glue(a, b, "-");\n  }\n  string Glue(string a, string b, string c) { return a; }\n}\n',
  "kt/Joiner.kt":
    'class Joiner {\n    fun glueAll(a: String, b: String): String {\n        return glueAll(a, b, "-")\n    }\n    fun glueAll(a: String, b: String, c: String): String = a\n}\n',
  "erl/joiner.erl": "-module(joiner).\nweld(X) ->\n  weld(X, 1).\nweld(X, Y) ->\n  X + Y.\n",
  "ex/joiner.ex":
    "defmodule Joiner do\n  def fuse(a, b) do\n    fuse(a, b, 1)\n  end\n\n  def fuse(a, b, c) do\n    a + b + c\n  end\nend\n",
}

const space = indexedOnce({ ...PROGRAMS, ...OVERLOADS })

test.each<[name: string, definition: string, caller: string | null]>([
  ["glue", "java/Joiner.java:2", "java/Joiner.java:6"],
  ["glue", "java/Joiner.java:5", "java/Joiner.java:3"],
  ["Glue", "cs/Joiner.cs:2", null],
  ["Glue", "cs/Joiner.cs:5", "cs/Joiner.cs:3"],
  ["glueAll", "kt/Joiner.kt:2", null],
  ["glueAll", "kt/Joiner.kt:5", "kt/Joiner.kt:3"],
  ["weld", "erl/joiner.erl:2", null],
  ["weld", "erl/joiner.erl:4", "erl/joiner.erl:3"],
  ["fuse", "ex/joiner.ex:2", null],
  ["fuse", "ex/joiner.ex:6", "ex/joiner.ex:3"],
])("tells overloads by the number of arguments: %s of %s", async (_name, definition, caller) => {
  const { stdout } = await space().run(["symbol", definition, "--references", "--json"])
  const { references } = JSON.parse(stdout)
  expect((references as Answer[]).map(({ path, line }) => `${path}:${line}`)).toEqual(
    caller === null ? [] : [caller],
  )
})

type Answer = { readonly path: string; readonly line: number; readonly certainty: string }

/** The certain references of a symbol that is defined in a file. */
async function certain(name: string, path: string): Promise<string[]> {
  const { stdout } = await space().run(["symbol", name, "--references", "--path", path, "--json"])
  const { references } = JSON.parse(stdout)
  return (references as Answer[])
    .filter((each) => each.certainty === "certain")
    .map((each) => `${each.path}:${each.line}`)
    .toSorted()
}

test.each<[what: string, name: string, path: string, expected: string[]]>([
  ["a Go method of a type of its package", "Conf.Addr", "go/z1", ["go/z1/z1.go:7"]],
  ["a Go method of an imported type", "Conf.Addr", "go/z2", ["go/user/user.go:14", "go/z2/z2.go:7"]],
  ["a Go field", "Conf.Port", "go/z2", ["go/z2/z2.go:5"]],
  ["a Go type", "Conf", "go/z1", ["go/z1/z1.go:5", "go/z1/z1.go:7"]],
  ["a Go method that a library's type has too", "Pool.Get", "go/pool", ["go/pool/pool.go:13"]],
  ["a Go method named like a library's constant", "Map.Seconds", "go/pool", []],
  ["a Go method named like a library's type", "Map.Duration", "go/pool", []],
  ["a Go constant of a package imported without a name", "limit", "go/blank/a", []],
  ["a Python method that a library's class has too", "Session.send", "py/local.py", ["py/own.py:5"]],
  [
    "a Java method that a library's class has too",
    "Lists.partition",
    "java",
    ["java/app/Good.java:6", "java/own/Lists.java:5"],
  ],
  ["a TypeScript method that a library's class has too", "Client.connect", "ts/client.ts", ["ts/own.ts:4"]],
  ["a PHP method of the nearer class", "Box.openIt", "php/Pa", []],
  ["a PHP method of the imported class", "Box.openIt", "php/Pb", ["php/Pa/use.php:5"]],
  ["a C# method of another namespace", "Conf.LoadIt", "cs/Ca", []],
  ["a C# method of the imported namespace", "Conf.LoadIt", "cs/Cb", ["cs/Use.cs:6"]],
  ["a Rust method of another module", "Node.grow", "rs/src/a.rs", []],
  ["a Rust method of the imported type", "Node.grow", "rs/src/b.rs", ["rs/src/c.rs:4"]],
  ["a Kotlin method of the nearer class", "Conf.loadAll", "kt/a/Conf.kt", []],
  ["a Kotlin method of the imported class", "Conf.loadAll", "kt/b/Conf.kt", ["kt/a/Use.kt:6"]],
  ["a C++ method of a class that is not included", "Leaf.wither", "cpp/a/node.hpp", []],
  ["a C++ method of the included class", "Leaf.wither", "cpp/b/leaf.hpp", ["cpp/b/use.cpp:4"]],
  ["a Ruby method of another module's class", "Page.paint_all", "rb/a.rb", []],
  ["a Ruby method of the class in the same module", "Page.paint_all", "rb/b.rb", ["rb/b.rb:7"]],
])("finds the certain uses of %s", async (_what, name, path, expected) => {
  expect(await certain(name, path)).toEqual(expected)
})
