import { afterAll, beforeAll, expect, test } from "bun:test"
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const project = join(import.meta.dir, "..")
let copy: string

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), "aman-grammarless-"))
  for (const name of ["src", "grammars", "package.json", "tsconfig.json"]) {
    cpSync(join(project, name), join(copy, name), { recursive: true })
  }
  for (const name of ["node_modules", "models"]) symlinkSync(join(project, name), join(copy, name), "dir")
  writeFileSync(join(copy, "grammars", "go.wasm.zst"), "no grammar")
})
afterAll(() => rmSync(copy, { recursive: true }))

test("cuts a language by rules whose grammar cannot be loaded, reports it, and parses others as usual", async () => {
  const script = `
    import { DEFAULT_PARSE_OPTIONS, parseFile } from "./src/parse/file/parse.ts"
    const cut = async (path, text) => {
      const { method, degraded, chunks } = await parseFile(path, text, DEFAULT_PARSE_OPTIONS)
      return { method, isDegraded: degraded !== null, names: chunks.flatMap(({ symbols }) => symbols.map(({ name }) => name)) }
    }
    console.log(JSON.stringify([
      await cut("a.go", "package a\\n\\nfunc Retry(n int) int {\\n\\treturn n\\n}\\n"),
      await cut("a.py", "def retry(n):\\n    return n\\n"),
    ]))`
  const child = Bun.spawn([process.execPath, "-e", script], { cwd: copy, stdout: "pipe", stderr: "pipe" })
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()])
  expect([await child.exited, stderr]).toEqual([0, ""])
  expect(JSON.parse(stdout)).toEqual([
    { method: "rules", isDegraded: true, names: ["Retry"] },
    { method: "tree-sitter", isDegraded: false, names: ["retry"] },
  ])
})
