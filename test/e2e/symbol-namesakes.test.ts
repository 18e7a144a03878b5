import { expect, test } from "bun:test"
import { indexedOnce } from "./opened.ts"
import { referencesTo } from "./symbol-places.ts"

const FILES: Readonly<Record<string, string>> = {
  "go.mod": "module example.com/shop\n\ngo 1.24\n",
  "wire/protocol/answer.go":
    "package protocol\n\ntype Answer struct{}\n\nfunc send() *Answer { return &Answer{} }\n",
  "relay/protocol/answer.go": "package protocol\n\ntype Answer struct{}\n\nfunc relayed(answer Answer) {}\n",
  "relay/client/client.go":
    'package client\n\nimport "example.com/shop/relay/protocol"\n\nvar last protocol.Answer\n',
  "store/store.go":
    'package store\n\ntype Backend interface {\n\tGet(key string) (string, error)\n\tSave(string) error\n}\n\ntype File struct{}\n\nfunc (f File) Get(key string) (value string, err error) { return }\nfunc (f File) Save(value string) error                  { return nil }\n\ntype Users struct{}\n\nfunc (u Users) Get(scope, key string) (string, error) { return "", nil }\nfunc (u Users) Save(name string) error                { return nil }\n',
  "box/Box.java":
    "class Box {\n  private int height;\n  Box(int size) {\n    height = size;\n    report(height);\n  }\n  void report(int value) {}\n}\n",
  "box/Jar.cs":
    "class Jar {\n  private int depth;\n  Jar(int size) {\n    depth = size;\n    Report(depth);\n  }\n  void Report(int value) {}\n}\n",
  "js/shop.js": "export class Shop {}\nexport class Cart {}\n",
  "js/page.js":
    '/**\n * @import {\n *   Shop,\n *   Cart,\n * } from "./shop.js"\n */\n\n/** @param {Cart} cart */\nexport function openPage(cart) {}\n',
}

const space = indexedOnce(FILES)

test("two Go packages of one name in different folders are told apart", async () => {
  expect(await referencesTo(space(), "Answer", "relay/protocol")).toEqual([
    "relay/client/client.go:5",
    "relay/protocol/answer.go:5",
  ])
  expect(await referencesTo(space(), "Answer", "wire/protocol")).toEqual(["wire/protocol/answer.go:5"])
})

test("a Go type whose method has another number of parameters is no implementation", async () => {
  const { related } = await space().json(["symbol", "Backend", "--implementations"])
  expect(related.map(({ name }: { name: string }) => name)).toEqual(["File"])
})

test("an @import over several lines names its types, and the file is indexed", async () => {
  expect(await referencesTo(space(), "Cart", "js/shop.js")).toEqual(["js/page.js:4", "js/page.js:8"])
  const { definitions } = await space().json(["symbol", "openPage"])
  expect(definitions).toMatchObject([{ path: "js/page.js", start_line: 9 }])
})

test.each([
  ["Box.height", ["4 certain", "5 certain"]],
  ["Box.report", ["5 certain"]],
  ["Jar.depth", ["4 certain", "5 certain"]],
])("a bare name in a constructor means the member of its type: %s", async (name, uses) => {
  const { references } = await space().json(["symbol", name, "--references"])
  expect(
    references.map(({ line, certainty }: { line: number; certainty: string }) => `${line} ${certainty}`),
  ).toEqual(uses)
})
