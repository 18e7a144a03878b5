import { expect, test } from "bun:test"
import { Workspace } from "./harness.ts"

type Place = { readonly name: string }

/** The names that `--unused` lists, and the reasons for which it leaves others out. */
async function lists(files: Readonly<Record<string, string>>) {
  using mixed = new Workspace(files)
  const listed = await mixed.json(["symbol", "--unused"])
  const all = await mixed.json(["symbol", "--unused", "--all"])
  const reasons = all.related.flatMap((each: { name: string; certainty: string; reason?: string }) =>
    each.reason === undefined ? [] : [[each.name, each.certainty, each.reason]],
  )
  return {
    names: listed.related.map(({ name }: Place) => name),
    reasons: Object.fromEntries(reasons.map(([name, , reason]: [string, string, string]) => [name, reason])),
    certainties: new Set(reasons.map(([, certainty]: [string, string]) => certainty)),
    notices: listed.notices,
  }
}

test("a static class of Java must be named to be used; one of C# may hold extension methods", async () => {
  const { names } = await lists({
    "Outer.java":
      "class Outer {\n    private static class NeverUsed {}\n    public static void main(String[] all) {}\n}\n",
    "Outer.cs": "internal static class Extensions {\n    static int Twice(this int n) => 2 * n;\n}\n",
  })
  expect(names).toContain("Outer.NeverUsed")
  expect(names).not.toContain("Extensions")
})

test("a Rust test below an attribute of several lines is marked; the function after it is not", async () => {
  const { names, reasons } = await lists({
    "src/main.rs":
      '#[rstest]\n#[case(\n    "a {\n\nb",\n    Row { at: 1 }\n)]\nfn reads(#[case] text: &str) {}\n\nfn idle() {}\n\nfn main() {}\n',
  })
  expect(names).toEqual(["idle"])
  expect(reasons["reads"]).toBe("marked by an annotation, attribute or decorator")
})

test("methods of a Go type may be required by an interface of a package outside of the project", async () => {
  const type = (name: string) => `type ${name} struct{}\n\nfunc (${name}) Called${name}() {}\n\n`
  const { names, reasons } = await lists({
    "go.mod": "module example.org/shop\n\ngo 1.22\n",
    "own/own.go": "package own\n\ntype Rule interface{ Calculate() }\n",
    "main.go": `package main\n\nimport (\n\tgast "github.com/mark/down/ast"\n\t"github.com/mark/down/parser"\n\t"example.org/shop/own"\n)\n\n${["Asserted", "Returned", "Passed", "Local"].map(type).join("")}type Embedding struct {\n\tgast.Base\n}\n\nfunc (Embedding) CalledEmbedding() {}\n\nvar _ parser.Rule = (*Asserted)(nil)\n\nfunc makeRule() parser.Rule {\n\treturn &Returned{}\n}\n\nfunc makeLocal() own.Rule {\n\treturn &Local{}\n}\n\nfunc main() {\n\tparser.Add(makeRule(), &Passed{})\n\tmakeLocal()\n\t_ = Embedding{}\n}\n`,
  })
  expect(names.toSorted()).toEqual(["Local.CalledLocal", "Rule.Calculate"])
  for (const each of ["Asserted", "Returned", "Passed", "Embedding"])
    expect(reasons[`${each}.Called${each}`]).toBe("required by an interface")
})

test("functions in tables of Lua and sets of Nix are passed on; local functions are not", async () => {
  const { names, reasons } = await lists({
    "init.lua":
      "setup({\n  callback = function() return 1 end,\n  on = { deep = function() return 2 end },\n})\nlocal lonely = function() return 3 end\n",
    "flake.nix":
      "{\n  outputs = inputs:\n    let\n      unneeded = x: x;\n    in\n    inputs.lib.mkFlake {\n      perSystem = { pkgs, ... }: { };\n    };\n}\n",
  })
  expect(names).toEqual(["unneeded", "lonely"])
  for (const each of ["callback", "deep", "perSystem"])
    expect(reasons[each]).toBe("passed on as part of an object")
})

test("a type that reopens one of a library is left out", async () => {
  const { names } = await lists({
    "event.ts":
      'export {}\ndeclare global {\n  interface HTMLElementEventMap {\n    x: Event\n  }\n}\ndeclare module "@router/core" {\n  interface Register {\n    x: Event\n  }\n}\ninterface Left {}\n',
  })
  expect(names).toEqual(["Left"])
})

test("languages that call by names made at run time are counted and not listed", async () => {
  const { names, reasons, notices } = await lists({
    "lib/draw.rb": "class Draw\n  def idle_one\n    1\n  end\nend\nDraw.new\n",
    "run.sh": "#!/bin/bash\nstart_other() {\n  echo 1\n}\n",
    "Shop.pm": "package Shop;\nsub price_of { return 1; }\n1;\n",
    "mode.el": "(defun shop-mode--fill ()\n  1)\n",
    "left.py": "def left_alone():\n    return 1\n",
  })
  expect(names).toEqual(["left_alone"])
  for (const each of ["Draw.idle_one", "start_other", "shop-mode--fill"])
    expect(reasons[each]).toBe("in a language that calls by names made at run time")
  expect(notices.join()).toMatch(/\d in a language that calls by names made at run time/)
})

test("settings of headers and second names of types of C are used", async () => {
  const { names, reasons } = await lists({
    "fs.c":
      "#define _XOPEN_SOURCE 500\n#define LIBRARY_CLEAN\n#include <stdio.h>\n#define LEFT_CONSTANT 3\ntypedef struct place_s {\n  int at;\n} place_t;\nstruct _Shop {\n  int at;\n};\nstatic int fs__open(void) { return 1; }\nstatic int fs_idle(void) { return 2; }\nint work(place_t *p, Shop *s) { return fs__open(); }\nint main(void) { return work(0, 0); }\n",
    "import.c": "#ifdef _WIN32\n#define SHARED_IN __declspec(dllimport)\n#endif\nint SHARED_IN far();\n",
    "own.hpp": "struct Less {\n  using is_transparent = void;\n};\ninline Less of() { return Less(); }\n",
  })
  expect(names.toSorted()).toEqual(["LEFT_CONSTANT", "far", "fs_idle", "of"])
  expect(reasons["SHARED_IN"]).toBeUndefined()
  for (const each of ["_XOPEN_SOURCE", "LIBRARY_CLEAN", "Less.is_transparent"])
    expect(reasons[each]).toBe("found by a framework through its name or place")
})

test("a folder with the word test in its name holds tests", async () => {
  const { names } = await lists({
    "test cases/one/lib.c": "int never_one(void) { return 1; }\n",
    "shop-integration-tests/src/lib.rs": "fn never_two() {}\n",
    "latest/lib.c": "int never_three(void) { return 1; }\n",
  })
  expect(names).toEqual(["never_three"])
})

test("methods of a class that calls its own methods by computed names may be called", async () => {
  const { names, reasons } = await lists({
    "expect.py":
      'class Chain:\n    def check(self, verb):\n        return getattr(self, "_%s" % verb)()\n\n    def _equal(self):\n        return 1\n\n\nChain().check("equal")\n',
    "plain.py":
      'class Plain:\n    def check(self):\n        return getattr(self, "size", None)\n\n    def _never(self):\n        return 1\n\n\nPlain().check()\n',
    "view.js":
      "export class View {\n  run(what) {\n    return this[what]()\n  }\n  drawn() {}\n}\nnew View().run(1)\n",
    "Job.php":
      "<?php\nclass Job {\n  public function run($step) { return $this->$step(); }\n  private function second() {}\n}\n(new Job())->run(1);\n",
  })
  expect(names).toEqual(["Plain._never"])
  for (const each of ["Chain._equal", "View.drawn", "Job.second"])
    expect(reasons[each]).toBe("in a file that calls by computed names")
})

test("elements of annotations, members of public interfaces and code that a checker keeps are left out", async () => {
  const { names, reasons } = await lists({
    "lib/pom.xml": "<project><packaging>jar</packaging></project>\n",
    "lib/src/Marked.java": "@interface Marked {\n    boolean usesChannel() default false;\n}\n",
    "lib/src/Node.java":
      "@Marked\ninterface Node {\n    Node asNode();\n    static void of(Node one) { Node.of(one); }\n}\n",
    "page.js":
      'import "./other.js"\n// eslint-disable-next-line no-unused-vars\nfunction openPage() {}\nfunction lonely() {}\n',
    "dist-types/state.d.ts": "export declare class State {\n  isLoading(): boolean;\n}\n",
    "state.ts":
      "export class State {\n  isLoading() {\n    return true\n  }\n  isIdle() {\n    return true\n  }\n}\nnew State()\n",
  })
  expect(names.toSorted()).toEqual(["State.isIdle", "lonely"])
  expect(reasons).toMatchObject({
    "Marked.usesChannel": "found by a framework through its name or place",
    "Node.asNode": "public API of a library",
    openPage: "marked by an annotation, attribute or decorator",
    "State.isLoading": "named in a string, a template or a configuration file",
  })
})

test("methods of a type that is named in a configuration may be called", async () => {
  const { names, reasons } = await lists({
    "app/backends.py": "class LinkBackend:\n    def get_account(self, at):\n        return at\n",
    "app/other.py":
      "class OtherBackend:\n    def get_owner(self, at):\n        return at\n\n\nOtherBackend()\n",
    "setup.yaml": "backends:\n  - app.backends.LinkBackend\n",
  })
  expect(names).toEqual(["OtherBackend.get_owner"])
  expect(reasons["LinkBackend.get_account"]).toBe("named in a string, a template or a configuration file")
})

test("types that are inferred, instances of type classes and operators are used without their names", async () => {
  const { names, reasons } = await lists({
    "Shop.hs":
      'module Main (main) where\n\ndata Failure = Lost | Closed\n\ninstance Exception Failure where\n  displayProblem = const "no"\n\nneverCalled x = x + 1\n\nmain :: IO ()\nmain = print (show Lost)\n',
    "Rich.scala":
      "object Rich {\n  class Column(at: Int) {\n    def &&&(other: Int): Int = at\n  }\n  def of = new Column(Rich.of)\n}\n",
  })
  expect(names).toEqual(["neverCalled"])
  expect(reasons).not.toHaveProperty("Failure")
  expect(Object.values(reasons)).toContain("implements an interface of a library")
})

test("generated code and names in templates of Python are left out", async () => {
  const { names, reasons } = await lists({
    "wire.h": "/* Generated by wire-scanner 1.19.0 */\nstatic inline int wire_at(void) { return 1; }\n",
    "keys.py":
      'class Key:\n    def render_key(self):\n        return 1\n\n    def drop_key(self):\n        """\n        The opposite of render_key, see drop_key.\n        """\n        return 1\n\n\nKey()\nTEXT = """\n{{ key.render_key() }}\n"""\n',
  })
  expect(names.toSorted()).toEqual(["Key.drop_key"])
  expect(reasons).toMatchObject({
    wire_at: "in generated code",
    "Key.render_key": "named in code that is not understood",
  })
})

test("namespaces, settings of headers and code of Objective-C are left out", async () => {
  const { names, reasons } = await lists({
    "filter.lua": "local function idle_lua()\n  return 1\nend\n",
    "module.js": "export const one = 1\nfunction idle_js() {}\n",
    "dht.cc": "namespace shop::detail {\nint idle_cc() { return 1; }\n}\n",
    "start.c":
      "#define SHOP_CLEAN 1\n#include <shop.h>\n__attribute__((constructor)) static void at_start(void) {}\nint main(void) { return 0; }\n",
    "view.h": "#define NO_MACROS 1\n#include <curses.h>\n#define LEFT_SIZE 2\n",
    "View.m": "@implementation View\n- (void)drawLater {\n}\n@end\n",
  })
  expect(names.toSorted()).toEqual(["LEFT_SIZE", "idle_js", "idle_lua", "shop::detail.idle_cc"])
  for (const each of ["SHOP_CLEAN", "NO_MACROS"])
    expect(reasons[each]).toBe("found by a framework through its name or place")
  expect(reasons["at_start"]).toBe("marked by an annotation, attribute or decorator")
})

test("traits of Rust objects and calls of macros are required or used", async () => {
  const { names, reasons } = await lists({
    "src/main.rs":
      "trait Pair {}\nimpl PartialEq for dyn Pair + '_ {\n    fn eq(&self, other: &Self) -> bool {\n        true\n    }\n}\nfn main() {}\n",
    "feed.cpp": "json_each_pair(all, key) {\n  run(key);\n}\nstatic int idle() { return 1; }\n",
  })
  expect(names).toEqual(["idle"])
  expect(reasons).toMatchObject({
    eq: "implements an interface of a library",
  })
})

test("a subscript of Swift and a key of a Lua table are no names of uses", async () => {
  const { names } = await lists({
    "Array.swift":
      "extension Array {\n  subscript(at index: Index) -> Element? { return nil }\n}\nprivate func leftOver() {}\n",
    "xml.lua": 'local parts = {\n  ["&#(%d+);"] = function(x) return x end,\n}\nreturn parts\n',
  })
  expect(names).toEqual(["leftOver"])
})

test("an implicit of Scala and a macro whose call reads as a function are used", async () => {
  const { names } = await lists({
    "Rich.scala":
      "object Rich {\n  implicit class RichText(text: String) {\n    def twice = text + text\n  }\n  private implicit def toText(at: Int): String = Rich.toString\n  private def idle(at: Int): Int = at\n}\n",
    "check.cc":
      "#define EACH_BYTE(x) for (int x = 0; x < 9; x++)\n#define LEFT_OVER(x) x\nCHECK_ALL(Suite, Name) {\n  run();\n}\nstatic void idle_c() {\n  EACH_BYTE(at) {\n    EACH_BYTE(to) {\n    }\n  }\n}\n",
  })
  expect(names.toSorted()).toEqual(["LEFT_OVER", "Rich.idle", "RichText.twice", "idle_c"])
})

test("public code of an F# library and of a published Gradle module is the API of a library", async () => {
  const { names, reasons } = await lists({
    "lib/Lib.fsproj": '<Project Sdk="Microsoft.NET.Sdk"></Project>\n',
    "lib/Core.fs": "module Shop.Core\n\nlet offered x = x + 1\nlet private kept x = x + 2\n",
    "zap/zap.gradle.kts": "plugins {\n    `java-library`\n}\n",
    "zap/src/Tool.java":
      "public class Tool {\n    public void given() {}\n    private void kept() {}\n    static Tool of() { return new Tool(); }\n}\n",
  })
  expect(names.toSorted()).toEqual(["Shop.Core.kept", "Tool.kept", "Tool.of"])
  for (const each of ["Shop.Core.offered", "Tool.given"])
    expect(reasons[each]).toBe("public API of a library")
})

test("are left out and counted; --all lists them last, with the reason", async () => {
  const {
    names: listed,
    reasons,
    certainties,
    notices,
  } = await lists({
    "list.c":
      "int push_rule(int a) { return a; }\nint pop_rule(int a) { return a; }\nint orphan_rule(int a) { return a; }\n",
    "one.py":
      'import app\n\n\ndef y():\n    return 1\n\n\nHOOK = y\n\n\n@app.route("/")\ndef served():\n    return 1\n\n\n@staticmethod\ndef idle():\n    return 1\n\n\nclass Row(app.Base):\n    def drawn(self):\n        return 1\n\n    def __hidden(self):\n        return 1\n\n\ndef by_string():\n    return 1  # by_comment\n\n\ndef by_comment():\n    return getattr(app, "run.by_string")\n',
    "manage.py": "# starts\n",
    "rules.y": '%{\n#include "list.h"\n%}\n%%\nrule: NAME { push_rule(1); }\n;\n',
    "start.S": "start:\n  call pop_rule\n",
    "README.md": "`orphan_rule` is documented.\n",
    "regress/check.c": "static int check_rules(void) { return 0; }\n",
    "src/main.rs":
      'use std::ops::Neg;\nstruct Unit;\nimpl Neg for Unit {\n    type Output = Unit;\n    fn neg(self) -> Unit {\n        self\n    }\n}\n#[tokio::test]\nasync fn checks() {}\n#[inline]\nfn forgotten() {}\n#[serde(default = "filled")]\nstruct Wire;\nfn filled() {}\nfn main() {\n    Unit;\n}\n',
    "web/app/orders/page.tsx": "export function Orders() {\n  return null\n}\n",
    "web/lib/package.json": '{ "name": "lib", "main": "./index.js" }',
    "web/lib/index.js": "export function offered() {}\nfunction lonely() {}\n",
    "web/job.js": "export const job = { ticked() {} }\nexport function unwanted() {}\n",
    "web/package.json": '{ "name": "web", "private": true }',
  })
  expect(listed.toSorted()).toEqual([
    "Row.__hidden",
    "by_comment",
    "forgotten",
    "idle",
    "lonely",
    "orphan_rule",
    "unwanted",
  ])
  expect(reasons).toEqual({
    Orders: "found by a framework through its name or place",
    Row: "inherits from a type of a library",
    "Row.drawn": "inherits from a type of a library",
    "Unit.Output": "implements an interface of a library",
    "Unit.neg": "implements an interface of a library",
    Wire: "marked by an annotation, attribute or decorator",
    by_string: "named in a string, a template or a configuration file",
    checks: "marked by an annotation, attribute or decorator",
    filled: "named in a string, a template or a configuration file",
    "job.ticked": "passed on as part of an object",
    offered: "public API of a library",
    pop_rule: "named in a string, a template or a configuration file",
    push_rule: "named in a string, a template or a configuration file",
    served: "marked by an annotation, attribute or decorator",
  })
  expect([...certainties]).toEqual(["possible"])
  expect(notices).toContainEqual(
    expect.stringMatching(
      /^14 more may be called from outside of the code \(--all lists them\): 4 named in /,
    ),
  )
})

test("methods that protocols of a library require in Swift are left out", async () => {
  const { names, reasons } = await lists({
    "Sources/Delegate.swift":
      "class Panel {\n  func userNotificationCenter(\n    _ center: UNUserNotificationCenter,\n    rows: Int\n  ) -> Int { rows }\n  func idle(_ table: NSTableView) {}\n}\nprotocol Own {}\nextension Panel: EntityConvertible {\n  static func entityKey(for text: String) -> Int { 1 }\n}\nextension Panel: Own {\n  static func idleKey(for text: String) -> Int { 1 }\n}\n",
  })
  expect(names.toSorted()).toEqual(["Panel.idle", "Panel.idleKey"])
  for (const each of ["Panel.userNotificationCenter", "Panel.entityKey"])
    expect(reasons[each]).toBe("implements an interface of a library")
})

test("methods that a compiler or serializer calls by name are left out", async () => {
  const { names, reasons } = await lists({
    "Sources/Builder.swift":
      "@resultBuilder\nstruct RowBuilder {\n  static func buildBlock(_ rows: Int...) -> Int { rows.count }\n  static func buildEither(first row: Int) -> Int { row }\n  static func idleRow() -> Int { 1 }\n}\n",
    "Feed.cs":
      "public class Feed {\n  public int Total { get; set; }\n  public bool ShouldSerializeTotal() => Total > 0;\n  public bool IsIdle() => Total > 0;\n}\n",
  })
  expect(names.toSorted()).toEqual(["Feed", "Feed.IsIdle", "RowBuilder.idleRow"])
  for (const each of ["RowBuilder.buildBlock", "RowBuilder.buildEither", "Feed.ShouldSerializeTotal"])
    expect(reasons[each]).toBe("found by a framework through its name or place")
})

test("what test runners, decoders, sorting, previews, macros and migrations call is left out, with the reason", async () => {
  const { names, reasons } = await lists({
    "go.mod": "module example.com/shop\n",
    "conf.go":
      "package main\n\ntype conf struct{}\n\nfunc (c *conf) UnmarshalYAML(read func(any) error) error { return nil }\n\ntype byAge []int\n\nfunc (b byAge) Len() int           { return len(b) }\nfunc (b byAge) Less(i, j int) bool { return b[i] < b[j] }\nfunc (b byAge) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }\n\nfunc idleGo() {}\n\nfunc main() {\n\t_ = conf{}\n\t_ = byAge{}\n}\n",
    "Cart.kt": "package shop\n\n@Preview\n@Composable\nfun CartPreview() {}\n\nprivate fun idleKotlin() {}\n",
    "src/main.rs":
      "#[tauri::command]\nfn greet() {}\n\nfn idle_rust() {}\n\nfn main() {}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn checks() {}\n}\n",
    "shop/migrations/0001_initial.py":
      "from django.db import migrations\n\n\nclass Migration(migrations.Migration):\n    operations = []\n",
    "shop/idle.py": "def idle_python():\n    return 1\n",
  })
  expect(names.toSorted()).toEqual(["idleGo", "idleKotlin", "idle_python", "idle_rust"])
  const MARKED = "marked by an annotation, attribute or decorator"
  const REQUIRED = "implements an interface of a library"
  expect(reasons).toEqual({
    CartPreview: MARKED,
    greet: MARKED,
    "tests.checks": MARKED,
    "byAge.Len": REQUIRED,
    "byAge.Less": REQUIRED,
    "byAge.Swap": REQUIRED,
    "conf.UnmarshalYAML": REQUIRED,
  })
})

test("methods that implement an interface of a library are counted as such, not offered for removal", async () => {
  const { names, reasons, notices } = await lists({
    "go.mod": "module example.com/shop\n\ngo 1.24\n",
    "price.go":
      'package shop\n\ntype Price struct{}\n\nfunc (p Price) GoString() string { return "" }\nfunc (p Price) orphanGo() {}\n\nvar Free = Price{}\n\nfunc use() Price { return Free }\n\nfunc init() { use() }\n',
    "Price.java":
      "class Price {\n  public boolean equals(Object other) { return true; }\n  public int hashCode() { return 1; }\n  public int compareTo(Price other) { return 0; }\n  public void orphanJava() {}\n  static Price make() { return new Price(); }\n  public static void main(String[] all) { make(); }\n}\n",
    "bag.py":
      "class Bag:\n    def __init__(self):\n        pass\n\n    def __len__(self):\n        return 1\n\n    def orphan_py(self):\n        return 1\n\n\nBag()\n",
    "walk.ts":
      "export class Walk {\n  [Symbol.iterator]() {\n    return this\n  }\n  next() {\n    return { done: true, value: 1 }\n  }\n  toJSON() {\n    return 1\n  }\n  orphanTs() {}\n}\nconsole.log(new Walk())\n",
    "src/main.rs":
      "struct Guard;\nimpl Drop for Guard {\n    fn drop(&mut self) {}\n}\ntrait Sound {\n    fn bark(&self) {}\n}\nimpl Sound for Guard {\n    fn bark(&self) {}\n}\nimpl Guard {\n    fn orphan_rs(&self) {}\n}\nfn main() {\n    Guard;\n}\n",
    "Door.cs":
      "class Door : System.IDisposable {\n  public void Dispose() {}\n  public void OrphanCs() {}\n  static void Main() { new Door(); }\n}\n",
  })
  for (const name of [
    "Price.GoString",
    "Price.equals",
    "Price.hashCode",
    "Price.compareTo",
    "Bag.__len__",
    "Walk.next",
    "Walk.toJSON",
    "Guard.drop",
    "Door.Dispose",
  ])
    expect([name, reasons[name]]).toEqual([name, "implements an interface of a library"])
  expect(reasons["Guard.bark"]).toBe("required by an interface")
  expect(names.filter((name: string) => /orphan/i.test(name)).toSorted()).toEqual([
    "Bag.orphan_py",
    "Door.OrphanCs",
    "Guard.orphan_rs",
    "Price.orphanGo",
    "Price.orphanJava",
    "Walk.orphanTs",
  ])
  expect(names).not.toContain("Bag.__init__")
  expect(notices.join()).toContain("implements an interface of a library")
})
