import { expect, test } from "bun:test"
import { indexedOnce } from "./opened.ts"

/** In each language: a base, a type below it whose method overrides the base's, and a caller through the base. */
const FILES: Readonly<Record<string, string>> = {
  "ts/repo.ts":
    "export interface Repo {\n  saveTs(): void\n}\nexport abstract class Base implements Repo {\n  abstract saveTs(): void\n}\n",
  "ts/sql.ts":
    'import { Base } from "./repo.ts"\nexport class SqlTs extends Base {\n  saveTs() {}\n}\nexport class Lone {\n  saveTs() {}\n}\n',
  "ts/run.ts":
    'import type { Repo } from "./repo.ts"\nexport function runTs(repo: Repo) {\n  repo.saveTs()\n}\n',
  "go.mod": "module example.com/shop\n\ngo 1.24\n",
  "go/repo.go":
    "package shop\n\ntype Repo interface {\n\tSaveGo(id int) error\n\tDrop() error\n}\n\ntype SqlGo struct{}\n\nfunc (s *SqlGo) SaveGo(id int) error { return nil }\nfunc (s *SqlGo) Drop() error         { return nil }\n\ntype Cached struct{ *SqlGo }\n\nfunc RunGo(repo Repo) { repo.SaveGo(1) }\n",
  "go/site/site.go":
    'package site\n\ntype Site interface {\n\tOpen()\n\tTitle() string\n}\n\ntype base struct{}\n\nfunc (b *base) Title() string { return "" }\n\ntype Blog struct{ base }\n\nfunc (b *Blog) Open() {}\n\nfunc Show(site Site) { site.Title() }\n',
  "go/other/other.go": 'package other\n\ntype Blog struct{}\n\nfunc (b *Blog) Title() string { return "" }\n',
  "py/repo.py":
    "from abc import ABC, abstractmethod\n\n\nclass Repo(ABC):\n    @abstractmethod\n    def save_py(self): ...\n\n\nclass SqlPy(Repo):\n    def save_py(self):\n        return 1\n\n\ndef run_py(repo: Repo):\n    repo.save_py()\n",
  "rs/src/lib.rs":
    "pub trait Repo {\n    fn save_rs(&self);\n}\npub struct SqlRs;\nimpl Repo for SqlRs {\n    fn save_rs(&self) {}\n}\npub fn run_rs(repo: &dyn Repo) {\n    repo.save_rs();\n}\n",
  "Repo.java":
    "interface Repo {\n  void saveJava();\n}\nclass SqlJava implements Repo {\n  public void saveJava() {}\n}\nclass Runner {\n  void runJava(Repo repo) {\n    repo.saveJava();\n  }\n}\n",
  "Visitor.java":
    "interface Visitor<T> {\n  void visit(T node);\n  void visit(String text, int... sizes);\n  void visit(java.util.List<String> all);\n}\nclass Printer implements Visitor<Integer> {\n  public void visit(Integer node) {}\n  public void visit(final String text, int[] sizes) {}\n  public void visit(@Deprecated List<String> all) {}\n  void visit(Map<String, Integer> other) {}\n}\n",
  "py/layers.py":
    "class Layer:\n    def __init__(self): ...\n\n\nclass Deep(Layer):\n    def __init__(self):\n        super().__init__()\n\n\nclass Flat(Layer):\n    def __init__(self): ...\n",
  "cs/Repo.cs":
    "abstract class Repo {\n  public abstract void SaveCs();\n}\nclass SqlCs : Repo {\n  public override void SaveCs() {}\n}\nclass Runner {\n  void RunCs(Repo repo) {\n    repo.SaveCs();\n  }\n}\n",
}

const space = indexedOnce(FILES)

const related = async (...question: [string, ...string[]]) => {
  const { stdout } = await space().run(["symbol", "--json", ...question])
  return JSON.parse(stdout).related.map(
    ({ name, certainty }: { name: string; certainty: string }) => `${name} ${certainty}`,
  )
}

test.each([
  ["SqlTs.saveTs", "runTs"],
  ["SqlGo.SaveGo", "RunGo"],
  ["SqlPy.save_py", "run_py"],
  ["SqlRs.save_rs", "run_rs"],
  ["SqlJava.saveJava", "Runner.runJava"],
  ["SqlCs.SaveCs", "Runner.RunCs"],
])("a call through the base may reach %s", async (method, caller) => {
  expect(await related(method, "--callers")).toEqual([`${caller} possible`])
  expect(await related(method, "--impact")).toEqual([`${caller} possible`])
})

test.each([
  ["Repo.saveTs", "SqlTs.saveTs", "runTs"],
  ["Repo.SaveGo", "SqlGo.SaveGo", "RunGo"],
  ["Repo.save_py", "SqlPy.save_py", "run_py"],
  ["Repo.save_rs", "SqlRs.save_rs", "run_rs"],
  ["Repo.saveJava", "SqlJava.saveJava", "Runner.runJava"],
  ["Repo.SaveCs", "SqlCs.SaveCs", "Runner.RunCs"],
])("a change of %s reaches its overriders and callers", async (method, overrider, caller) => {
  const affected = await related(method, "--impact")
  expect(affected).toEqual(expect.arrayContaining([`${overrider} certain`, `${caller} certain`]))
  expect(await related(method, "--callers")).toEqual([`${caller} certain`])
})

test("a method of an unrelated type has no callers through a base", async () => {
  expect(await related("Lone.saveTs", "--callers")).toEqual([])
})

test("a struct that embeds an implementation implements the interface, too", async () => {
  expect(await related("Repo", "--implementations", "--path", "go")).toEqual([
    "SqlGo certain",
    "Cached certain",
  ])
})

test.each([
  [2, [7, 9, 10]],
  [3, [8]],
  [4, [9]],
])("only a method with the same parameters implements the overload at line %d", async (line, below) => {
  const { stdout } = await space().run(["symbol", "--json", `Visitor.java:${line}`, "--implementations"])
  const places = JSON.parse(stdout).related.map(({ start_line }: { start_line: number }) => start_line)
  expect(places).toEqual(below)
})

test("a call of a base's constructor reaches no constructor of another type below it", async () => {
  expect(await related("Flat.__init__", "--callers")).toEqual([])
  expect(await related("Layer.__init__", "--callers")).toEqual(["Deep.__init__ certain"])
})

test("a method of an embedded Go struct implements what the struct around it implements", async () => {
  expect(await related("Site.Title", "--implementations")).toEqual(["base.Title certain"])
  expect(await related("base.Title", "--callers")).toEqual(["Show possible"])
})
