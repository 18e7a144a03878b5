import { expect, test } from "bun:test"
import fc from "fast-check"
import { AmanError } from "../base/errors.ts"
import {
  nameOfSymbol,
  placesInText,
  readScip,
  type ScipDocument,
  symbolText,
  WireWriter,
  writeDocument,
  writeMetadata,
} from "./scip-format.ts"

const OPEN = symbolText("shop.ts", { owner: "Shop", name: "open", mark: "()." })
const TEXT = "class Shop { open() {} }\n/* 😀é */ new Shop().open()\n"

/** The document of TEXT with columns of that encoding; `use` is the column of `open` in the second line. */
function documentWith(encoding: 0 | 1 | 2 | 3, use: number): ScipDocument {
  const place = { symbol: OPEN, roles: 0 }
  return {
    path: "shop.ts",
    encoding,
    occurrences: [
      { ...place, roles: 1, line: 0, start: 13, end: 17 },
      { ...place, line: 1, start: use, end: use + 4 },
    ],
    bases: [],
  }
}

test.each([
  ["UTF-8", 1, 24],
  ["UTF-16", 2, 21],
  ["code points", 3, 20],
] as const)(
  "columns in %s are read as such, and recognised where the indexer does not say",
  (_, encoding, use) => {
    const lines = [1, 2]
    expect(placesInText(documentWith(encoding, use), TEXT)?.map(({ line }) => line)).toEqual(lines)
    expect(placesInText(documentWith(0, use), TEXT)?.map(({ line }) => line)).toEqual(lines)
  },
)

test("a document of another version of the file is refused", () => {
  const changed = TEXT.replace("class", "abstract class")
  expect(placesInText(documentWith(2, 21), changed)).toBeNull()
  expect(placesInText(documentWith(2, 2_000_000), TEXT)).toBeNull()
})

test("what is written is read again, without symbols that are local to a document", () => {
  const occurrences = [OPEN, "local 3"].map((symbol) => ({ symbol, roles: 1, line: 0, start: 13, end: 17 }))
  const document = writeDocument({ path: "shop.ts", language: "typescript", occurrences, symbols: [] })
  const bytes = Buffer.concat([writeMetadata({ version: "1", root: "file:///shop" }), document])
  const index = readScip(bytes)
  expect([index.tool, index.projectRoot]).toEqual(["aman 1", "file:///shop"])
  const [read] = [...index.documents()]
  expect(read).toEqual({ path: "shop.ts", encoding: 2, bases: [], occurrences: [occurrences[0]!] })
})

test("relationships of implementations are read, others are not", () => {
  const relation = (symbol: string, field: number) =>
    new WireWriter().text(1, symbol).number(field, 1).finish()
  const symbol = new WireWriter()
    .text(1, "a b")
    .bytes(4, relation("a Base#", 3))
    .bytes(4, relation("a Other#", 2))
  const document = new WireWriter().text(1, "a.ts").bytes(3, symbol.finish())
  const index = readScip(new WireWriter().bytes(2, document.finish()).finish())
  expect([...index.documents()][0]!.bases).toEqual([["a b", "a Base#"]])
})

test.each([
  ["npm . . `src/a.ts`/Shop#open().", "open"],
  ["aman . . . `src/a.ts`/`odd name`#", null],
  ["rust-analyzer cargo shop 1 store/impl#[Shop]open(+1).", "open"],
  ["npm . . `a.ts`/Shop#`<constructor>`().", null],
  ["npm . . `a.ts`/run().(argument)", null],
])("the name of %s is %s", (symbol, name) => {
  expect(nameOfSymbol(symbol)).toBe(name)
})

test("bytes of any kind are read in bounds or refused as no SCIP index", () => {
  const whole = Buffer.from(
    writeDocument({
      path: "shop.ts",
      language: "typescript",
      occurrences: [{ symbol: OPEN, roles: 1, line: 0, start: 13, end: 17 }],
      symbols: [{ symbol: OPEN, name: "open", signature: "open()" }],
    }),
  )
  const damaged = fc
    .tuple(fc.nat(whole.length), fc.uint8Array({ maxLength: 20 }))
    .map(([at, bytes]) => Buffer.concat([whole.subarray(0, at), bytes, whole.subarray(at)]))
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 200 }), damaged), (bytes) => {
      try {
        for (const document of readScip(bytes).documents()) placesInText(document, TEXT)
      } catch (error) {
        expect(error).toBeInstanceOf(AmanError)
      }
    }),
    { numRuns: 500 },
  )
})
