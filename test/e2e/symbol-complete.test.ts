import { expect, test } from "bun:test"
import { indexedOnce } from "./opened.ts"
import { placesIn, referencesTo } from "./symbol-places.ts"

const FILES: Readonly<Record<string, string>> = {
  "rs/Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\n',
  "rs/src/lib.rs":
    "pub mod store;\npub mod cart;\nmod tokens;\npub use store::Store as Shop;\npub use store::{open_store as start_store};\n",
  "rs/src/store.rs":
    "pub struct Store {\n    pub rows: u32,\n}\nimpl Store {\n    pub fn new(rows: u32) -> Self {\n        Self { rows }\n    }\n    pub fn count(&self) -> u32 {\n        self.rows\n    }\n}\npub trait Load {}\npub fn open_store() -> Store {\n    Store::new(1)\n}\n#[cfg(test)]\nmod tests {\n    use super::*;\n    fn filled() -> Store {\n        Store { rows: 3 }\n    }\n    #[test]\n    fn counts() {\n        let filled = filled();\n        filled.count();\n    }\n}\n",
  "rs/src/cart.rs":
    "use crate::{\n    store::{Load, open_store},\n    Shop,\n};\nuse crate::tokens::Token::{self, End};\npub fn total() -> u32 {\n    let total = open_store();\n    let shop = Shop::new(2);\n    let other = crate::start_store();\n    shop.count()\n}\npub fn is_end(token: Token) -> bool {\n    matches!(token, End)\n}\nimpl Load for u64 {}\n",
  "rs/src/tokens.rs":
    "use super::store::*;\nimpl Load for u32 {}\npub enum Token {\n    Word(String),\n    End,\n}\nuse regex::Token as Other;\nfn other(other: Other) {}\n",
  "go/go.mod": "module example.com/shop\n",
  "go/store.go":
    'package shop\n\nimport (\n\t"io"\n\t"net/http"\n\n\t"example.org/kit"\n)\n\ntype rowOptions struct {\n\tWide bool\n}\n\nfunc size(rows int) int { return rows }\n\nfunc Run() {\n\tsize := size(1)\n\tstore(rowOptions{\n\t\tWide: true,\n\t}, size)\n}\n\nfunc store(options rowOptions, size int) {}\n\ntype Sink interface {\n\tio.WriteCloser\n}\n\ntype FileSink struct{}\n\nfunc (s *FileSink) Write(p []byte) (int, error) { return 0, nil }\nfunc (s *FileSink) Close() error                { return nil }\n\ntype Pages interface {\n\tkit.Renderer\n}\n\ntype Loop interface {\n\tconstructor\n\tKnot\n}\n\ntype Knot interface {\n\tLoop\n}\n\ntype Answer interface {\n\tStart()\n\tStop()\n}\n\ntype Wrapped struct {\n\thttp.Handler\n\tkit.Base\n}\n\nfunc (w *Wrapped) Start() {}\n',
  "go/file.go":
    'package shop\n\nimport "os"\n\ntype File struct{}\n\ntype Log interface {\n\tWrite(p []byte) (int, error)\n\tRotate()\n}\n\ntype fileLog struct {\n\t*os.File\n}\n\nfunc (l *fileLog) Rotate() {}\n',
  "ts/chain1.ts":
    "export function original() {}\nexport class Thing {\n  act() {}\n}\nconst local = () => 1\nexport default local\n",
  "ts/chain2.ts":
    'export { original as middle, Thing as Item } from "./chain1"\nexport { default as namedLocal } from "./chain1"\n',
  "ts/chain3.ts": 'export { middle as outer } from "./chain2"\nexport * from "./chain2"\n',
  "ts/use.ts":
    'import { Item, namedLocal, outer } from "./chain3"\nouter()\nnamedLocal()\nconst item = new Item()\nitem.act()\n',
  "ts/types.ts":
    "export interface Size {\n  width?: number\n}\nexport namespace Shapes {\n  export interface Round {}\n  interface Ball extends Round {}\n  function inner() {}\n  inner()\n}\n/**\n * See {@link Size}.\n * @param {Size} size - the size\n */\nexport function area(options: { size: Size }) {}\ntype Both = (string | Size\n  : never)\n",
  "ts/taken.ts":
    'import type { Size } from "./types"\nexport function widen(size: Size | null) {\n  const { width } = size === null ? { width: 1 } : size\n}\n',
  "ts/objects.ts": "export const commands = {\n  deep: {\n    play() {},\n  },\n}\ncommands.deep.play()\n",
  "ts/hooks.tsx":
    'import { useCallback } from "react"\nexport function useShop() {\n  const openShop = useCallback(() => 1, [])\n  return { openShop }\n}\n',
  "ts/page.tsx":
    'import { useShop } from "./hooks"\nexport function Page() {\n  const shop = useShop()\n  shop.openShop()\n}\n',
  "vue/shop.js": "export class Order {}\n",
  "vue/Page.vue":
    '<script>\nimport { Order } from "./shop.js"\n/** @param {Order} order */\nfunction send(order) {}\n</script>\n<template><a @click="send" /></template>\n',
  "py/shop/__init__.py": "from .store import Store as Shop\n",
  "py/shop/store.py":
    "class Base:\n    @classmethod\n    def build(cls):\n        return cls()\n\n    def close(self):\n        pass\n\n\nclass Store(Base):\n    pass\n",
  "py/main.py": "from shop import Shop\n\nShop.build()\nstore = Shop()\nstore.close()\n",
  "java/Shop.java":
    'class Shop {\n  String name() { return ""; }\n  void run() {\n    String name = name();\n    print(name);\n  }\n}\n',
}

const space = indexedOnce(FILES)

test.each([
  [
    "a helper in a module of tests that a local of its name is bound to",
    "filled",
    "rs",
    ["rs/src/store.rs:24"],
  ],
  [
    "a field in a literal of Self",
    "Store.rows",
    "rs",
    ["rs/src/store.rs:20", "rs/src/store.rs:6", "rs/src/store.rs:9"],
  ],
  [
    "a name in nested import groups",
    "open_store",
    "rs",
    ["rs/src/cart.rs:2", "rs/src/cart.rs:7", "rs/src/cart.rs:9", "rs/src/lib.rs:5"],
  ],
  ["a member of a type with another name", "Store.new", "rs", ["rs/src/cart.rs:8", "rs/src/store.rs:14"]],
  [
    "a method of a value of a type with another name",
    "Store.count",
    "rs",
    ["rs/src/cart.rs:10", "rs/src/store.rs:25"],
  ],
  ["an imported variant of an enumeration", "End", "rs", ["rs/src/cart.rs:13", "rs/src/cart.rs:5"]],
  ["no type of a library with the same name", "Token", "rs", ["rs/src/cart.rs:12", "rs/src/cart.rs:5"]],
  ["a function that a local of its name is bound to", "size", "go", ["go/store.go:17"]],
  ["a key of a literal of an unexported type", "rowOptions.Wide", "go", ["go/store.go:19"]],
  ["a method that a local of its name is bound to", "Shop.name", "java", ["java/Shop.java:4"]],
  [
    "an export that is renamed twice",
    "original",
    "ts",
    ["ts/chain2.ts:1", "ts/chain3.ts:1", "ts/use.ts:1", "ts/use.ts:2"],
  ],
  ["a method of a class that is exported under another name", "Thing.act", "ts", ["ts/use.ts:5"]],
  [
    "a default export that another file names",
    "local",
    "ts",
    ["ts/chain1.ts:6", "ts/chain2.ts:2", "ts/use.ts:1", "ts/use.ts:3"],
  ],
  [
    "a type in comments of TypeScript, in object types and in conditional types",
    "Size",
    "ts",
    [
      "ts/taken.ts:1",
      "ts/taken.ts:2",
      "ts/types.ts:11",
      "ts/types.ts:12",
      "ts/types.ts:14",
      "ts/types.ts:15",
    ],
  ],
  ["a function of a namespace", "inner", "ts", ["ts/types.ts:8"]],
  ["a method of an object inside an object", "play", "ts", ["ts/objects.ts:6"]],
  ["a function wrapped by useCallback", "openShop", "ts", ["ts/hooks.tsx:4", "ts/page.tsx:4"]],
  ["a type in a comment of a component's script", "Order", "vue", ["vue/Page.vue:2", "vue/Page.vue:3"]],
  [
    "an inherited method of a class that is exported under another name",
    "Base.build",
    "py",
    ["py/main.py:3"],
  ],
  ["an inherited method of a value of such a class", "Base.close", "py", ["py/main.py:5"]],
])("finds %s", async (_, name, path, wanted) => {
  expect(await referencesTo(space(), name, path)).toEqual(wanted)
})

test("a member taken out of a value whose type is not known is reported as unresolved", async () => {
  const { references, unresolved } = await space().json(["symbol", "Size.width", "--references"])
  expect(placesIn([...references, ...unresolved.places])).toContain("ts/taken.ts:3")
})

test("implementations of a Rust trait include those for built-in types in a file that imports everything", async () => {
  const { references } = await space().json(["symbol", "Load", "--implementations", "--path", "rs"])
  expect(placesIn(references).toSorted()).toEqual(["rs/src/cart.rs:15", "rs/src/tokens.rs:2"])
})

test("an interface inside a namespace is implemented by one beside it", async () => {
  const { related } = await space().json(["symbol", "Round", "--implementations"])
  expect(related.map((each: { name: string }) => each.name)).toEqual(["Shapes.Ball"])
})

test("a Go interface requires the methods of the library's interface that it embeds", async () => {
  const { related, notices } = await space().json(["symbol", "Sink", "--implementations"])
  expect(related.map((each: { name: string }) => each.name)).toEqual(["FileSink"])
  expect(notices).toEqual([])
})

test("implementations of a Go interface say that an embedded type of another project may matter", async () => {
  const pages = await space().run(["symbol", "--json", "Pages", "--implementations"])
  expect(pages.stdout).toContain("Pages embeds kit.Renderer, whose methods are not known")
  const answer = await space().run(["symbol", "--json", "Answer", "--implementations"])
  expect(answer.stdout).toContain("Wrapped may be an implementation")
  const log = await space().run(["symbol", "--json", "Log", "--implementations"])
  expect(log.stdout).toContain("fileLog may be an implementation")
})

test("Go interfaces may embed each other and have names of JavaScript's objects", async () => {
  const { stdout } = await space().run(["symbol", "--json", "Loop", "--implementations"])
  expect(stdout).toContain("Loop embeds constructor, whose methods are not known")
})
