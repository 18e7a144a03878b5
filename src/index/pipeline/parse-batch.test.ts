import { afterAll, describe, expect, test } from "bun:test"
import { LIMITS } from "../../../test/index-run.ts"
import { TempProject } from "../../../test/temp-project.ts"
import { FILE_FLAG } from "../../base/files/file-flag.ts"
import { contentHash } from "../../text/files/read-source.ts"
import { processFile } from "./parse-batch.ts"
import type { FileTask } from "./worker-pool.ts"

const GO = `package shop

// Ledger keeps the payments.
type Ledger struct {
	payments map[string]int
}

// Refund gives money back.
func (l *Ledger) Refund(id string) error {
	return nil
}
`
const project = new TempProject({
  "shop/ledger.go": GO,
  "shop/ledger_test.go": GO,
  "page.js": `var a=1;${"function b(){return a};".repeat(1000)}`,
  "long.py": `a = "${"x".repeat(20_000)}"\n`,
  "data.json": `{"a": ${"1".repeat(6000)}}`,
  "noise.bin": new Uint8Array(50),
  "empty.ts": "",
  "Player.meta": "fileFormatVersion: 2\nguid: 01\n",
})
afterAll(() => project[Symbol.dispose]())

const processed = (path: string, knownHash: string | null = null) =>
  processFile(project.root, { id: 9, path, knownHash }, LIMITS)

test("a file whose encoding must be guessed waits for that", async () => {
  using box = new TempProject({
    "foreign.py": Buffer.from("# h\xe9l\xe8ne \xe0 \xe7 \xfb \xf4 \xee\n", "latin1"),
  })
  const file = { id: 1, path: "foreign.py", knownHash: null }
  const statusOf = async (task: FileTask) => (await processFile(box.root, task, LIMITS)).outcome.status
  expect(await statusOf(file)).toBe("undecided")
  expect(await statusOf({ ...file, mayGuess: true })).toBe("indexed")
})

test("turns a file into rows with its id and words for the keyword index", async () => {
  const { outcome, keyword } = await processed("shop/ledger.go")
  if (outcome.status !== "indexed") throw new Error(outcome.status)
  expect(outcome.file).toMatchObject({
    id: 9,
    path: "shop/ledger.go",
    hash: contentHash(GO),
    language: "go",
    content: "code",
    flags: 0,
    lines: 11,
    method: "tree-sitter",
    degraded: null,
    chunks: outcome.chunks.length,
    package: "shop",
  })
  expect(outcome.symbols.map(({ fileId, name, kind, owner }) => [fileId, name, kind, owner])).toEqual([
    [9, "Ledger", "struct", null],
    [9, "payments", "field", "Ledger"],
    [9, "Refund", "method", "Ledger"],
  ])
  expect(outcome.chunks.map(({ fileId, ordinal }) => [fileId, ordinal])).toEqual(
    outcome.chunks.map((_, ordinal) => [9, ordinal]),
  )
  expect(outcome.file.names.byteLength).toBe(3 * 8)
  expect(keyword).toMatchObject({ id: 9, path: "shop/ledger.go", text: GO })
  expect(keyword!.chunks).toHaveLength(outcome.chunks.length)
})

test("hashes each chunk by its own text", async () => {
  const { outcome } = await processed("shop/ledger.go")
  if (outcome.status !== "indexed") throw new Error(outcome.status)
  const lines = GO.split("\n")
  for (const chunk of outcome.chunks) {
    const text = `${lines.slice(chunk.startLine - 1, chunk.endLine).join("\n")}\n`
    expect(chunk.hash).toBe(contentHash(text))
  }
})

test("does not cut a file again whose bytes are unchanged", async () => {
  const { outcome, keyword } = await processed("shop/ledger.go", contentHash(GO))
  expect(outcome).toMatchObject({ status: "same", path: "shop/ledger.go", size: GO.length })
  expect(keyword).toBeNull()
})

test("sets flags such as test or example by the path", async () => {
  const { outcome } = await processed("shop/ledger_test.go")
  expect(outcome.status === "indexed" && outcome.file.flags).toBe(FILE_FLAG.test)
})

describe("leaves out with a reason:", () => {
  test.each([
    ["page.js", "minified"],
    ["data.json", "minified"],
    ["noise.bin", "binary"],
    ["gone.ts", "unreadable"],
  ])("%s is %s", async (path, reason) => {
    const { outcome, keyword } = await processed(path)
    expect(outcome).toMatchObject({ status: "skipped", path, reason })
    expect(keyword).toBeNull()
  })
})

test("leaves out files that only programs read, and says so", async () => {
  const { outcome, keyword } = await processed("Player.meta")
  expect(outcome).toMatchObject({ status: "skipped", reason: "generated", size: 30 })
  expect(keyword).toBeNull()
})

test("does not count source with a long line as minified in languages without minifiers", async () => {
  expect((await processed("long.py")).outcome.status).toBe("indexed")
})

test("indexes an empty file without chunks", async () => {
  const { outcome } = await processed("empty.ts")
  expect(outcome).toMatchObject({ status: "indexed", chunks: [], symbols: [] })
})

test("accepts a notebook whose cells fit the size limit and whose file is eight times that", async () => {
  const notebook = (source: string, picture: number) => {
    const outputs = [{ output_type: "display_data", data: { "image/png": "iVBO".repeat(picture / 4) } }]
    const cell = { cell_type: "code", metadata: {}, outputs, source: [source] }
    return JSON.stringify({ cells: [cell], metadata: {}, nbformat: 4, nbformat_minor: 5 }, null, 1)
  }
  const large = LIMITS.maxFileBytes + 1
  using box = new TempProject({
    "seen.ipynb": notebook("def clean(orders):\n    return orders\n", large),
    "words.ipynb": notebook("word ".repeat(large / 4), 4),
    "endless.ipynb": notebook("x = 1\n", 9 << 20),
    "none.ipynb": "word ".repeat(large / 4),
    "other.py": "word ".repeat(large / 4),
  })
  const outcomeOf = async (path: string) => {
    const { outcome } = await processFile(box.root, { id: 1, path, knownHash: null }, LIMITS)
    return outcome.status === "skipped" ? outcome.reason : outcome.status
  }
  expect(await outcomeOf("seen.ipynb")).toBe("indexed")
  for (const path of ["words.ipynb", "endless.ipynb", "none.ipynb", "other.py"])
    expect([path, await outcomeOf(path)]).toEqual([path, "too large"])
})
