import { describe, expect, test } from "bun:test"
import { spawnSync } from "node:child_process"
import { Workspace } from "./harness.ts"
import { indexedOnce } from "./opened.ts"

/** For each language, a file that defines a function and one that imports and uses it. */
const FILES: Readonly<Record<string, string>> = {
  "golib/wrap.go": "package golib\n\ntype Port interface {\n\tSend()\n\tStop()\n}\n\nfunc WrapGo() {}\n",
  "gouse/use.go":
    'package gouse\n\nimport "example.org/golib"\n\ntype Wire struct{}\n\nfunc (w Wire) Send() {}\nfunc (w Wire) Stop() {}\n\nfunc UseGo() {\n\tgolib.WrapGo()\n}\n',
  "ts/wrap.ts": "export interface PortTs {\n  send(): void\n}\nexport function wrapTs(): void {}\n",
  "ts/use.ts":
    'import { type PortTs, wrapTs } from "./wrap.ts"\nexport class WireTs implements PortTs {\n  send(): void {\n    wrapTs()\n  }\n}\n',
  "js/wrap.js": "class BaseJs {}\nfunction wrapJs() {}\nmodule.exports = { BaseJs, wrapJs }\n",
  "js/use.js":
    'const { BaseJs, wrapJs } = require("./wrap")\nclass ChildJs extends BaseJs {}\nfunction useJs() {\n  wrapJs()\n}\n',
  "py/wrap.py": "class BasePy:\n    pass\n\n\ndef wrap_py():\n    pass\n",
  "py/use.py":
    "from .wrap import BasePy, wrap_py\n\n\nclass ChildPy(BasePy):\n    def use_py(self):\n        wrap_py()\n",
  "java/lib/WrapJava.java": "package lib;\npublic class WrapJava {\n  public static void wrapNow() {}\n}\n",
  "java/use/UseJava.java":
    "package use;\nimport lib.WrapJava;\nclass UseJava extends WrapJava {\n  void useNow() {\n    WrapJava.wrapNow();\n  }\n}\n",
  "rs/src/wrap.rs": "pub trait PortRs {\n    fn send_rs(&self);\n}\npub fn wrap_rs() {}\n",
  "rs/src/main.rs":
    "mod wrap;\nuse crate::wrap::{wrap_rs, PortRs};\nstruct WireRs;\nimpl PortRs for WireRs {\n    fn send_rs(&self) {\n        wrap_rs();\n    }\n}\n",
  "c/wrap.h": "void wrap_c(int n);\n",
  "c/use.c": '#include "wrap.h"\nvoid use_c(void) {\n  wrap_c(1);\n}\n',
  "cpp/wrap.hpp": "class WrapCpp {\npublic:\n  virtual void wrapNow2();\n};\n",
  "cpp/use.cpp":
    '#include "wrap.hpp"\nclass ChildCpp : public WrapCpp {};\nvoid useCpp(WrapCpp &wrap) {\n  wrap.wrapNow2();\n}\n',
  "cs/Wrap.cs": "namespace Lib {\n  public class WrapCs {\n    public static void WrapNow3() {}\n  }\n}\n",
  "cs/Use.cs": "using Lib;\nclass UseCs : WrapCs {\n  void UseNow() {\n    WrapCs.WrapNow3();\n  }\n}\n",
  "rb/wrap.rb": "class WrapRb\n  def self.wrap_rb\n  end\nend\n",
  "rb/use.rb":
    'require_relative "wrap"\nclass UseRb < WrapRb\n  def use_rb\n    WrapRb.wrap_rb\n  end\nend\n',
  "ex/lib/wrap.ex": "defmodule Shop.Wrap do\n  def wrap_ex(x), do: x\nend\n",
  "ex/lib/use.ex":
    "defmodule Shop.Use do\n  import Shop.Wrap\n\n  def use_ex(x) do\n    x\n    |> wrap_ex()\n    |> Shop.Wrap.wrap_ex()\n  end\nend\n",
  "ex/lib/alias.ex":
    "defmodule Shop.Alias do\n  alias Shop.Wrap\n\n  def own(x) do\n    Wrap.other_ex(x)\n  end\nend\n",
  "ex/lib/dead.ex": "defmodule Shop.Dead do\n  def dead_ex(x), do: x\nend\n",
  "ex/lib/other.ex": "defmodule Other.Wrap do\n  def other_ex(x), do: x\nend\n",
  "lua/shop/wrap.lua": "local M = {}\nfunction M.wrap_lua(x)\n  return x\nend\nreturn M\n",
  "lua/shop/other.lua":
    'local M = {}\nlocal wrap = require("shop.wrap")\nfunction M.wrap_lua(x)\n  return x\nend\nfunction M.use_own()\n  return M.wrap_lua(1)\nend\nfunction M.use_other()\n  return wrap.wrap_lua(2)\nend\nreturn M\n',
  "jl/wrap.jl": "module Wrap\nfunction wrap_jl(x)\n    x\nend\nend\n",
  "jl/use.jl": 'include("wrap.jl")\nusing .Wrap\nfunction use_jl()\n    wrap_jl(1)\nend\n',
  "jl/kinds.jl":
    "abstract type Shape end\nmutable struct Square <: Shape\n    x\nend\nfunction type(x)\n    x\nend\nfunction go_jl(y)\n    type(y)\nend\n",
  "sol/Log.sol":
    "contract Log {\n  error Bad();\n  function error(uint x) internal {}\n  function fail() public {\n    error(1);\n  }\n}\n",
  "kt/Things.kt": "package shop.lib\n\nfun wrapKt() {}\n",
  "kt/Use.kt": "package shop.app\n\nimport shop.lib.wrapKt\n\nfun useKt() {\n  wrapKt()\n}\n",
  "crates/my-base/src/deep/port.rs": "pub trait PortCrate {\n    fn go(&self);\n}\npub fn wrap_crate() {}\n",
  "crates/my-top/src/port.rs": "pub struct PortCrate;\nfn wrap_crate() {}\n",
  "crates/my-top/src/main.rs":
    "use my_base::PortCrate;\nstruct WireCrate;\nimpl PortCrate for WireCrate {\n    fn go(&self) {\n        my_base::wrap_crate();\n    }\n}\n",
  "pl/Wrap.pm": "package Wrap;\nsub wrap_pl { return 1; }\n1;\n",
  "pl/use.pl": "use Wrap;\nsub use_pl { return Wrap::wrap_pl(1); }\n",
  "ps/wrap.ps1": "function Get-Wrap {\n  param([int] $n)\n  return $n\n}\n",
  "ps/use.ps1": ". ./wrap.ps1\nfunction Use-Wrap {\n  Get-Wrap 1\n}\n",
  "erl/wrap.erl": "-module(wrap).\n-export([wrap_erl/1]).\nwrap_erl(X) -> X.\n",
  "erl/use.erl": "-module(use).\n-export([use_erl/1]).\nuse_erl(X) ->\n    wrap:wrap_erl(X).\n",
  "fsharp/Wrap.fs": "module Lib.Wrap\n\nlet wrapFs x = x\n",
  "fsharp/Use.fs": "module App.Use\n\nopen Lib.Wrap\n\nlet useFs x =\n    wrapFs x\n",
  "gleam/src/wrap.gleam": "pub fn wrap_gleam(x) {\n  x\n}\n",
  "gleam/src/use_it.gleam": "import wrap\n\npub fn use_gleam(x) {\n  wrap.wrap_gleam(x)\n}\n",
  "gleam/src/deep/many.gleam": "pub fn many_gleam(x) {\n  x\n}\npub fn taken_gleam(x) {\n  x\n}\n",
  "gleam/src/use_many.gleam":
    "import deep/many\nimport deep/many as kept\nimport deep/many.{taken_gleam}\n\npub fn use_many(x) {\n  many.many_gleam(x)\n  kept.many_gleam(x)\n  taken_gleam(x)\n}\n",
  "hs/src/Shop/Open.hs": "module Shop.Open where\n\nopenHs :: Int -> Int\nopenHs x = x\n",
  "hs/src/Main.hs":
    "module Main where\n\nimport qualified Shop.Open as Open\n\nuseHs :: Int -> Int\nuseHs x = Open.openHs x\n",
  "ml/opened.ml": "let open_ml x = x\n",
  "ml/use.ml": "module K = Opened\nopen Opened\nlet use_ml x = Opened.open_ml x\nlet use_k x = K.open_ml x\n",
  "clj/src/shop/cart.clj": "(ns shop.cart)\n(defn open-clj [x] x)\n",
  "clj/src/shop/use.clj":
    "(ns shop.use\n  (:require [shop.cart :as cart]))\n(defn use-clj [x] (cart/open-clj x))\n",
  "elm/src/Shop/Cart.elm": "module Shop.Cart exposing (..)\n\nopenElm x =\n    x\n",
  "elm/src/Main.elm":
    "module Main exposing (..)\n\nimport Shop.Cart as Cart\n\nuseElm x =\n    Cart.openElm x\n",
  "gd/cart.gd": "static func open_gd(x):\n\treturn x\n",
  "gd/use.gd": 'const Cart = preload("res://gd/cart.gd")\nfunc use_gd(x):\n\treturn Cart.open_gd(x)\n',
  "r/cart.R": "open_r <- function(x) {\n  x\n}\n",
  "r/use.R": 'source("cart.R")\nuse_r <- function(x) {\n  shop::open_r(x)\n}\n',
  "el/wrap.el": "(defun wrap-el (x)\n  x)\n(provide 'wrap)\n",
  "el/use.el": "(require 'wrap)\n(defun use-el (x)\n  (wrap-el x))\n",
  "pyx/wrap_c.pyx": "def wrap_pyx(int x):\n    return x\n",
  "pyx/use.py": "from wrap_c import wrap_pyx\ndef use_pyx(x):\n    return wrap_pyx(x)\n",
  "sv/wrap.sv": "package lib_sv;\n  function int wrap_sv(int a);\n    return a;\n  endfunction\nendpackage\n",
  "sv/use.sv":
    "package app_sv;\n  import lib_sv::*;\n  function int use_sv(int a);\n    return wrap_sv(a);\n  endfunction\nendpackage\n",
  "d/wrap.d": "int wrapD(int x) {\n  return x;\n}\n",
  "d/use.d": "int useD(int x) {\n  return wrapD(x);\n}\n",
  "npm/use.ts": 'import lodash from "lodash"\nexport function useNpm(): void {\n  lodash([])\n}\n',
  "far/config.ts": "export function lodash(): void {}\n",
  "pypi/run.py": "import click\n\n\ndef run_click():\n    click(1)\n",
  "far/tools.py": "def click(one):\n    pass\n",
  "vue/Page.vue":
    '<script setup lang="ts">\nimport { countVue } from "./count"\nfunction pickVue() {}; function leftVue() {}</script>\n<template><a @click="pickVue">{{ countVue(1) }}</a>\n<wide-card />\n<WideCard />\n</template>\n',
  "vue/wide/WideCard.vue": "<template><b>x</b></template>\n",
  "vue/count.ts": "export function countVue(n: number) {\n  return n\n}\n",
  "svelte/Row.svelte": '<script>\nimport { countVue } from "../vue/count"\n</script>\n<p>{countVue(2)}</p>\n',
  "svelte/App.svelte": '<script>import Row from "./Row.svelte"</script>\n<Row />\n',
  "svelte/Note.svelte":
    "<script>let noteSv = 3</script>\n{#snippet showSv(noteSv)}\n{noteSv}\n{/snippet}\n{noteSv}{@render showSv(1)}\n",
  "vue/config.ts": "export default {\n  transformIt() {\n    return 1\n  },\n}\n",
  "php/Lib/WrapPhp.php": "<?php\nnamespace Lib;\nclass WrapPhp {\n  static function wrapNow4() {}\n}\n",
  "php/UsePhp.php":
    "<?php\nuse Lib\\WrapPhp;\nclass UsePhp extends WrapPhp {\n  function useNow4() {\n    WrapPhp::wrapNow4();\n  }\n}\n",
}

const space = indexedOnce(FILES)
const ask = (...args: string[]) => space().json(["symbol", ...args])
type Place = { path: string; line: number; start_line: number; name: string; kind: string }
const uses = (places: Place[]) => places.map(({ path, line, kind }) => `${path}:${line} ${kind}`)
const names = (places: Place[]) => places.map(({ path, name }) => `${path} ${name}`)

describe.each([
  ["Go", "WrapGo", "golib/wrap.go:8", ["gouse/use.go:11 call"], "gouse/use.go UseGo"],
  [
    "TypeScript",
    "wrapTs",
    "ts/wrap.ts:4",
    ["ts/use.ts:1 import", "ts/use.ts:4 call"],
    "ts/use.ts WireTs.send",
  ],
  ["JavaScript", "wrapJs", "js/wrap.js:2", ["js/use.js:1 import", "js/use.js:4 call"], "js/use.js useJs"],
  [
    "Python",
    "wrap_py",
    "py/wrap.py:5",
    ["py/use.py:1 import", "py/use.py:6 call"],
    "py/use.py ChildPy.use_py",
  ],
  [
    "Java",
    "wrapNow",
    "java/lib/WrapJava.java:3",
    ["java/use/UseJava.java:5 call"],
    "java/use/UseJava.java UseJava.useNow",
  ],
  [
    "Rust",
    "wrap_rs",
    "rs/src/wrap.rs:4",
    ["rs/src/main.rs:2 import", "rs/src/main.rs:6 call"],
    "rs/src/main.rs WireRs.send_rs",
  ],
  ["C", "wrap_c", "c/wrap.h:1", ["c/use.c:3 call"], "c/use.c use_c"],
  ["C++", "wrapNow2", "cpp/wrap.hpp:3", ["cpp/use.cpp:4 call"], "cpp/use.cpp useCpp"],
  ["C#", "WrapNow3", "cs/Wrap.cs:3", ["cs/Use.cs:4 call"], "cs/Use.cs UseCs.UseNow"],
  ["Ruby", "wrap_rb", "rb/wrap.rb:2", ["rb/use.rb:4 mention"], "rb/use.rb UseRb.use_rb"],
  [
    "Elixir",
    "wrap_ex",
    "ex/lib/wrap.ex:2",
    ["ex/lib/use.ex:6 call", "ex/lib/use.ex:7 call"],
    "ex/lib/use.ex Shop.Use.use_ex",
  ],
  ["Julia", "wrap_jl", "jl/wrap.jl:2", ["jl/use.jl:4 call"], "jl/use.jl use_jl"],
  ["Kotlin", "wrapKt", "kt/Things.kt:3", ["kt/Use.kt:3 import", "kt/Use.kt:6 call"], "kt/Use.kt useKt"],
  ["Perl", "wrap_pl", "pl/Wrap.pm:2", ["pl/use.pl:2 call"], "pl/use.pl use_pl"],
  ["PowerShell", "Get-Wrap", "ps/wrap.ps1:1", ["ps/use.ps1:3 mention"], "ps/use.ps1 Use-Wrap"],
  ["Erlang", "wrap_erl", "erl/wrap.erl:3", ["erl/use.erl:4 call"], "erl/use.erl use_erl"],
  ["F#", "wrapFs", "fsharp/Wrap.fs:3", ["fsharp/Use.fs:6 mention"], "fsharp/Use.fs App.Use.useFs"],
  [
    "Gleam",
    "wrap_gleam",
    "gleam/src/wrap.gleam:1",
    ["gleam/src/use_it.gleam:4 call"],
    "gleam/src/use_it.gleam use_gleam",
  ],
  [
    "Clojure",
    "open-clj",
    "clj/src/shop/cart.clj:2",
    ["clj/src/shop/use.clj:3 call"],
    "clj/src/shop/use.clj use-clj",
  ],
  ["Emacs Lisp", "wrap-el", "el/wrap.el:1", ["el/use.el:3 mention"], "el/use.el use-el"],
  [
    "Cython",
    "wrap_pyx",
    "pyx/wrap_c.pyx:1",
    ["pyx/use.py:1 import", "pyx/use.py:3 call"],
    "pyx/use.py use_pyx",
  ],
  ["Verilog", "wrap_sv", "sv/wrap.sv:2", ["sv/use.sv:4 call"], "sv/use.sv app_sv.use_sv"],
  ["PHP", "wrapNow4", "php/Lib/WrapPhp.php:4", ["php/UsePhp.php:5 call"], "php/UsePhp.php UsePhp.useNow4"],
])("%s", (_, name, definition, references, caller) => {
  test("lists the definition", async () => {
    const { definitions } = await ask(name)
    expect(definitions.map((each: Place) => `${each.path}:${each.start_line}`)).toEqual([definition])
  })

  test("lists imports and uses", async () => {
    const answer = await ask(name, "--references")
    const inOthers = answer.references.filter(({ path }: Place) => !definition.startsWith(`${path}:`))
    expect(uses(inOthers)).toEqual(references)
    expect(answer.unresolved.total).toBe(0)
  })

  test("lists callers and callees", async () => {
    expect(names((await ask(name, "--callers")).related)).toEqual([caller])
    const called = (await ask(caller.split(" ")[1]!, "--callees")).related
    expect(called.map((each: Place) => each.path)).toContain(definition.split(":")[0])
  })
})

test.each([
  ["many_gleam", ["gleam/src/use_many.gleam:6", "gleam/src/use_many.gleam:7"]],
  ["taken_gleam", ["gleam/src/use_many.gleam:3", "gleam/src/use_many.gleam:8"]],
  ["openHs", ["hs/src/Main.hs:6"]],
  ["open_ml", ["ml/use.ml:3", "ml/use.ml:4"]],
  ["open-clj", ["clj/src/shop/use.clj:3"]],
  ["openElm", ["elm/src/Main.elm:6"]],
  ["open_gd", ["gd/use.gd:3"]],
  ["open_r", ["r/use.R:3"]],
])("%s may be used through any import of its file", async (name, wanted) => {
  const { references, unresolved } = await ask(name, "--references")
  const possible = references.filter(({ certainty }: { certainty: string }) => certainty === "possible")
  expect(possible.map((each: Place) => `${each.path}:${each.line}`)).toEqual(wanted)
  expect(unresolved.total).toBe(0)
})

test.each([
  ["Port", "gouse/use.go Wire"],
  ["PortTs", "ts/use.ts WireTs"],
  ["BaseJs", "js/use.js ChildJs"],
  ["BasePy", "py/use.py ChildPy"],
  ["WrapJava", "java/use/UseJava.java UseJava"],
  ["PortRs", "rs/src/main.rs WireRs"],
  ["WrapCpp", "cpp/use.cpp ChildCpp"],
  ["WrapCs", "cs/Use.cs UseCs"],
  ["WrapRb", "rb/use.rb UseRb"],
  ["WrapPhp", "php/UsePhp.php UsePhp"],
  ["PortCrate", "crates/my-top/src/main.rs WireCrate"],
])("lists what implements or extends %s in another file", async (name, wanted) => {
  expect(names((await ask(name, "--implementations")).related)).toEqual([wanted])
})

describe("a name defined by several files", () => {
  const linesIn = async (path: string, name: string) =>
    (await ask(name, "--references", "--path", path)).references.map(
      (each: Place) => `${each.path}:${each.line}`,
    )

  test("in Lua belongs to the own table, or to the required file", async () => {
    expect(await linesIn("lua/shop/wrap.lua", "wrap_lua")).toEqual(["lua/shop/other.lua:10"])
    expect(await linesIn("lua/shop/other.lua", "wrap_lua")).toEqual(["lua/shop/other.lua:7"])
  })

  test("in Rust belongs to the crate before it, whose folder has a dash", async () => {
    expect(await linesIn("crates/my-base", "wrap_crate")).toEqual(["crates/my-top/src/main.rs:5"])
  })

  test("in Elixir does not belong to another module with the same ending", async () => {
    expect((await ask("Shop.Wrap.wrap_ex")).definitions).toHaveLength(1)
    const { references } = await ask("Other.Wrap", "--references")
    expect(references.filter(({ path }: Place) => path === "ex/lib/use.ex")).toEqual([])
  })
})

test("finds a module whose name has dots, with imports and uses", async () => {
  const { definitions, references } = await ask("Shop.Wrap", "--references")
  expect(definitions.map((each: Place) => `${each.path} ${each.name}`)).toEqual(["ex/lib/wrap.ex Shop.Wrap"])
  expect(uses(references)).toEqual([
    "ex/lib/alias.ex:2 import",
    "ex/lib/alias.ex:5 mention",
    "ex/lib/use.ex:2 import",
    "ex/lib/use.ex:7 mention",
  ])
})

test("lists uses of a module by the last part of its name", async () => {
  const { related } = await ask("--unused", "--path", "ex/lib")
  const modules = related.filter(({ kind }: Place) => kind === "module")
  expect(names(modules).sort()).toEqual([
    "ex/lib/alias.ex Shop.Alias",
    "ex/lib/dead.ex Shop.Dead",
    "ex/lib/use.ex Shop.Use",
  ])
})

test("removing a module breaks its uses, and not those of another with the same ending", async () => {
  const use = (module: string) => `  def of_${module.toLowerCase()}(x) do\n    {x, ${module}.Cart}\n  end\n`
  using space = new Workspace({
    "shop.ex": "defmodule Shop.Cart do\n  @moduledoc false\nend\n",
    "use.ex": `defmodule Use do\n${use("Shop")}${use("Store")}end\n`,
  })
  const git = (...args: string[]) =>
    spawnSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...args], { cwd: space.project })
  git("init", "-q")
  git("add", "-A")
  git("commit", "-qm", "all")
  space.write("shop.ex", "defmodule Shop.Basket do\n  @moduledoc false\nend\n")
  const { related } = await space.json(["symbol", "--diff"])
  expect(names(related)).toEqual(["use.ex Use.of_shop"])
})

test.each([
  ["type", "jl/kinds.jl go_jl"],
  ["Log.error", "sol/Log.sol Log.fail"],
])("%s, a word of the language in some places only, may name a function", async (name, caller) => {
  expect(names((await ask(name, "--callers")).related)).toEqual([caller])
})

test.each(["lodash", "click"])(
  "a library's %s is no use of its namesake elsewhere in the project",
  async (name) => {
    const { code, stdout } = await space().run(["symbol", "--json", name, "--references"])
    const { references, unresolved, other_uses } = JSON.parse(stdout)
    expect([code, references, unresolved.total, other_uses]).toEqual([1, [], 0, 2])
  },
)

test("says that uses are not analysed for a language split by rules", async () => {
  const { stderr, code } = await space().run(["symbol", "wrapD", "--callers"])
  expect(code).toBe(1)
  expect(stderr).toContain('uses are not analysed in d; to find the name: aman grep -w "wrapD"')
})

describe("a component's template", () => {
  test("uses and calls what its script defines or imports", async () => {
    const { references } = await ask("pickVue", "--references")
    expect(uses(references)).toEqual(["vue/Page.vue:4 mention"])
    expect(names((await ask("countVue", "--callers")).related)).toEqual([
      "svelte/Row.svelte Row",
      "vue/Page.vue Page",
    ])
  })

  test("does not take the parameter of a snippet for a function", async () => {
    const { definitions, references } = await ask("noteSv", "--references")
    expect(definitions.map(({ kind }: Place) => kind)).toEqual(["variable"])
    expect(uses(references)).toEqual(["svelte/Note.svelte:5 mention"])
    expect(uses((await ask("showSv", "--references")).references)).toEqual(["svelte/Note.svelte:5 call"])
  })

  test("uses components by their tags, imported or registered for all", async () => {
    const { references } = await ask("WideCard", "--references")
    expect(uses(references)).toEqual(["vue/Page.vue:5 call", "vue/Page.vue:6 call"])
    expect(references.map(({ text }: { text: string }) => text)).toEqual(["<wide-card />", "<WideCard />"])
    expect(uses((await ask("Row", "--references")).references)).toEqual([
      "svelte/App.svelte:1 import",
      "svelte/App.svelte:2 call",
    ])
  })

  test("uses keep symbols off the list of unused ones; names called by the framework stay uncertain", async () => {
    const { related } = await ask("--unused", "--all", "--path", "vue")
    const found = related.map(({ name, certainty }: { name: string; certainty: string }) => [name, certainty])
    expect(found).toEqual(
      expect.arrayContaining([
        ["leftVue", "certain"],
        ["transformIt", "possible"],
      ]),
    )
    expect(found.map(([name]: [string]) => name)).not.toContain("pickVue")
  })
})
