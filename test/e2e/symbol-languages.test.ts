import { describe, expect, test } from "bun:test"
import { indexedOnce } from "./opened.ts"

/** Of each language a file that defines, and one that imports and uses it. */
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
  ["PHP", "wrapNow4", "php/Lib/WrapPhp.php:4", ["php/UsePhp.php:5 call"], "php/UsePhp.php UsePhp.useNow4"],
])("%s", (_, name, definition, references, caller) => {
  test("where it is defined", async () => {
    const { definitions } = await ask(name)
    expect(definitions.map((each: Place) => `${each.path}:${each.start_line}`)).toEqual([definition])
  })

  test("where it is imported and used", async () => {
    const answer = await ask(name, "--references")
    const inOthers = answer.references.filter(({ path }: Place) => !definition.startsWith(`${path}:`))
    expect(uses(inOthers)).toEqual(references)
    expect(answer.unresolved.total).toBe(0)
  })

  test("what calls it, and that this calls it", async () => {
    expect(names((await ask(name, "--callers")).related)).toEqual([caller])
    const called = (await ask(caller.split(" ")[1]!, "--callees")).related
    expect(called.map((each: Place) => each.path)).toContain(definition.split(":")[0])
  })
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
])("what implements or extends %s in another file", async (name, wanted) => {
  expect(names((await ask(name, "--implementations")).related)).toEqual([wanted])
})
