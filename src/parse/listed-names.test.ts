import { expect, test } from "bun:test"
import { DEFAULT_PARSE_OPTIONS, parseFile } from "./file/parse.ts"

async function keysOf(data: unknown): Promise<string[]> {
  const { chunks } = await parseFile("a.json", JSON.stringify(data, null, 2), DEFAULT_PARSE_OPTIONS)
  return chunks.flatMap(({ symbols }) =>
    symbols.map(({ owner, name }) => (owner ? `${owner}.${name}` : name)),
  )
}

const many = (count: number, value: unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`key${at}`, value]))

test("lists the keys of a small file with the nested ones that have members", async () => {
  expect(await keysOf({ paths: { list: { get: 1 } }, size: 3 })).toEqual(["paths", "paths.list", "size"])
})

test("lists only the outermost keys of a large file, and none of a table", async () => {
  expect(await keysOf({ paths: many(200, { get: 1 }), size: 3 })).toEqual(["paths", "size"])
  expect(await keysOf(many(200, 1))).toEqual([])
})
