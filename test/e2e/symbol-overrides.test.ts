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
  "py/repo.py":
    "from abc import ABC, abstractmethod\n\n\nclass Repo(ABC):\n    @abstractmethod\n    def save_py(self): ...\n\n\nclass SqlPy(Repo):\n    def save_py(self):\n        return 1\n\n\ndef run_py(repo: Repo):\n    repo.save_py()\n",
  "rs/src/lib.rs":
    "pub trait Repo {\n    fn save_rs(&self);\n}\npub struct SqlRs;\nimpl Repo for SqlRs {\n    fn save_rs(&self) {}\n}\npub fn run_rs(repo: &dyn Repo) {\n    repo.save_rs();\n}\n",
  "Repo.java":
    "interface Repo {\n  void saveJava();\n}\nclass SqlJava implements Repo {\n  public void saveJava() {}\n}\nclass Runner {\n  void runJava(Repo repo) {\n    repo.saveJava();\n  }\n}\n",
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
