import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { encode } from "../encode.ts"
import { Workspace } from "./harness.ts"

/** Path, encoding, and the text of a file whose third line has the word that is searched. */
const FILES: readonly (readonly [path: string, encoding: string, word: string, text: string])[] = [
  [
    "stock.py",
    "shift_jis",
    "在庫",
    "import os\n\n# 在庫の数を数えて、足りない商品の一覧を返します。\ndef count_stock():\n    return os\n",
  ],
  ["euc.rb", "euc-jp", "見積", "# coding: euc-jp\n\n# 見積\ndef quote\nend\n"],
  [
    "order.java",
    "gbk",
    "订单",
    "package shop;\n\n// 如果找不到订单，就抛出异常并返回默认值\nclass Order {}\n",
  ],
  ["page.html", "big5", "發票", '<meta charset="big5">\n\n<p>發票的清單</p>\n'],
  ["pay.c", "euc-kr", "결제", "#include <a.h>\n\n/* 결제가 끝나면 영수증을 돌려준다 */\nint pay(void);\n"],
  ["user.php", "windows-1251", "покупатель", "<?php\n\n// Если покупатель не найден, берётся значение\n"],
  ["mail.pl", "koi8-r", "письмо", "use strict;\n\n# Отправляет письмо покупателю и ждёт ответа\n"],
  ["list.xml", "iso-8859-2", "žlutý", '<?xml version="1.0" encoding="iso-8859-2"?>\n\n<a>žlutý kůň</a>\n'],
  ["tax.cpp", "windows-1253", "φόρος", "int a;\n\n// Ο φόρος υπολογίζεται όταν κλείνει η παραγγελία\n"],
  ["size.js", "windows-1252", "Größe", "let a\n\n// die Größe\n"],
]

let space: Workspace
beforeAll(async () => {
  space = new Workspace({ "plain.ts": "export const plain = '在庫'\n" })
  for (const [path, encoding, , text] of FILES)
    writeFileSync(join(space.project, path), encode(text, encoding))
  // Bytes beyond ASCII without a zero byte are no text.
  writeFileSync(
    join(space.project, "noise.txt"),
    Uint8Array.from({ length: 4000 }, (_, i) => ((i * 40503) % 255) + 1),
  )
  await space.json(["index"])
})
afterAll(() => space[Symbol.dispose]())

describe.each(FILES)("%s in %s", (path, _, word, text) => {
  test("is found by its words, with the line and its text", async () => {
    const { results } = await space.json(["search", word, "--path", path])
    expect(results).toMatchObject([{ path }])
    expect(results[0].text).toContain(word)
  })
  test("is found by grep in line 3", async () => {
    const { files } = await space.json(["grep", word, path])
    expect(files).toMatchObject([{ path, lines: [{ line: 3, text: text.split("\n")[2] }] }])
  })
  test("is read whole and by lines", async () => {
    expect((await space.json(["read", path])).text).toBe(text.replace(/\n$/, ""))
    expect((await space.json(["read", `${path}:3`])).text).toBe(text.split("\n")[2])
  })
})

test("a note about a line in Shift-JIS is fresh, and changed once the line is", async () => {
  await space.json(["remember", "counts the shelf", "--source", "stock.py:3"])
  const states = async () => (await space.json(["recall", "shelf"])).results
  expect(JSON.stringify(await states())).toContain('"fresh"')
})

test("a Shift-JIS text is imported as memories", async () => {
  writeFileSync(join(space.project, "notes.md"), encode("# 在庫\n\n- 在庫は毎晩数える\n", "shift_jis"))
  await space.json(["memory", "import", "notes.md"])
  expect(JSON.stringify(await space.json(["recall", "在庫"]))).toContain("在庫は毎晩数える")
})

test("a binary file without zero bytes is not indexed", async () => {
  const { skipped } = await space.json(["status", "--skipped", "binary"])
  expect(skipped).toEqual([{ path: "noise.txt", reason: "binary" }])
})
