import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { encode } from "../encode.ts"
import { connect } from "./connect.ts"
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

test("status counts the encodings and names files whose encoding is a guess, and read says so", async () => {
  const { encodings } = await space.json(["status"])
  expect(encodings).toMatchObject({
    shift_jis: { files: 1, guessed: 1, examples: ["stock.py"] },
    "euc-jp": { files: 1, guessed: 0, examples: [] },
    big5: { files: 1, guessed: 0 },
    "windows-1252": { files: 1, guessed: 1, examples: ["size.js"] },
  })
  const { stdout } = await space.run(["status"])
  expect(stdout).toContain("shift_jis of 1 file, 1 by a guess: stock.py")
  expect((await space.json(["read", "stock.py"])).notices).toEqual([
    "stock.py is not UTF-8 and was read as shift_jis, which is a guess",
  ])
  expect((await space.json(["read", "euc.rb"])).notices).toBeUndefined()
})

test("a binary file without zero bytes is not indexed", async () => {
  const { skipped } = await space.json(["status", "--skipped", "binary"])
  expect(skipped).toEqual([{ path: "noise.txt", reason: "binary" }])
})

describe("an encoding that attributes declare", () => {
  // Bytes that are words in each of these encodings; as a guess they would be windows-1252.
  const BYTES = encode("// Němec\n", "iso-8859-2")
  const read = async (own: Workspace, path: string) => (await own.json(["read", path])).text as string

  test("by .gitattributes and .editorconfig, the first being stronger, applies to all doors", async () => {
    using own = new Workspace({
      ".editorconfig":
        "root = true\n[*]\ncharset = utf-8\n[{a,b}/**.js]\ncharset = iso-8859-2\n[c/*.{ts,js}]\ncharset=latin1\n",
      ".gitattributes":
        "/b/two.js working-tree-encoding=windows-1251\n*.utf working-tree-encoding=UTF-16LE\n",
    })
    for (const path of ["a/one.js", "b/two.js", "b/three.js", "c/four.ts", "c/four.go"]) {
      own.write(path, "")
      writeFileSync(join(own.project, path), BYTES)
    }
    writeFileSync(
      join(own.project, "prose.utf"),
      Buffer.from("在庫の数を数える。\u0100".repeat(20), "utf16le"),
    )
    await own.json(["index"])
    expect(await read(own, "a/one.js")).toBe("// Němec")
    expect(await read(own, "b/two.js")).toBe("// Nмmec")
    expect(await read(own, "b/three.js")).toBe("// Němec")
    expect(await read(own, "c/four.ts")).toBe("// Nìmec")
    expect(await read(own, "prose.utf")).toStartWith("在庫の数")
    expect((await own.json(["search", "Němec"])).results.map(({ path }: { path: string }) => path)).toEqual(
      expect.arrayContaining(["a/one.js", "b/three.js"]),
    )
    expect((await own.json(["grep", "Němec"])).files).toMatchObject([
      { path: "a/one.js" },
      { path: "b/three.js" },
    ])
    const { encodings } = await own.json(["status"])
    expect(encodings["windows-1251"]).toEqual({ files: 1, guessed: 0, examples: [] })
    expect(encodings["windows-1252"]).toMatchObject({ files: 2, guessed: 1, examples: ["c/four.go"] })
  })

  test("is applied to a server's text searches, of the project and of one file, and again when it changes", async () => {
    using own = new Workspace({
      ".editorconfig": "root = true\n[*.js]\ncharset = iso-8859-2\n",
      "src/b.js": "",
      "c.js": "",
    })
    for (const path of ["src/b.js", "c.js"]) writeFileSync(join(own.project, path), BYTES)
    await own.json(["index"])
    await using server = await connect(own)
    const found = async (query: string, path?: string[]) => {
      const asked = { query, mode: "exact", ...(path && { path }) }
      const { results } = (await server.call("search", asked)).structuredContent
      return results.map((each: { path: string }) => each.path)
    }
    expect(await found("Němec")).toEqual(["c.js", "src/b.js"])
    expect(await found("Němec", ["src/b.js"])).toEqual(["src/b.js"])
    own.write(".gitattributes", "/c.js working-tree-encoding=windows-1251\n")
    expect(await found("Nмmec")).toEqual(["c.js"])
    expect(await found("Němec")).toEqual(["src/b.js"])
  })

  test("is applied once the declaration appears, and is no more once it is gone", async () => {
    using own = new Workspace({ "a.js": "" })
    writeFileSync(join(own.project, "a.js"), BYTES)
    await own.json(["index"])
    const found = async () =>
      (await own.json(["grep", "-c", "Němec", "."]).catch(() => ({ files: [] }))).files.length
    expect(await found()).toBe(0)
    own.write(".gitattributes", "*.js working-tree-encoding=iso-8859-2\n")
    await own.json(["index"])
    expect(await found()).toBe(1)
    expect((await own.json(["search", "Němec", "--path", "a.js"])).results).toMatchObject([
      { text: "// Němec" },
    ])
    own.write(".gitattributes", "")
    await own.json(["index"])
    expect(await found()).toBe(0)
  })

  test("a hostile .editorconfig costs no more than its length", async () => {
    const nested = `[${"{a,b}".repeat(400)}]\ncharset = latin1\n`
    const wide = `[{${"a,".repeat(900)}}]\n${"charset = latin1\n".repeat(1000)}`
    const brackets = `${"[".repeat(2000)}\n[${"] ".repeat(1000)}\n[{${",".repeat(2000)}]\n`
    using own = new Workspace({ ".editorconfig": (nested + wide + brackets).repeat(300), "a.js": "let a\n" })
    expect(await own.json(["index"])).toMatchObject({ files: 1 })
  })
})
