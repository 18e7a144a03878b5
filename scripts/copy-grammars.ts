/**
 * Makes the grammars in grammars/copies again from the archives that manifest.json pins, and compares them with it. Only a
 * maintainer needs this: `npm run build` uses the copies.
 *
 *   bun scripts/copy-grammars.ts [--write] [language ...]
 *
 * A grammar with `symbol` is compiled from its sources, the others are taken from the archive as they were published. The
 * compiler is itself WebAssembly, so it writes the same bytes on every system. `--write` stores the result and its checksum.
 */
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import manifest from "../grammars/manifest.json" with { type: "json" }

type Archive = { readonly archive: string; readonly integrity: string }
type Copy = Archive & {
  readonly copy: string
  readonly path: string
  readonly symbol?: string
  readonly sha256: string
}
type Tree = { [name: string]: Uint8Array | Tree }

type Compiler = { runClang(args: readonly string[], files: Tree): Promise<Tree> }
let loaded: Promise<Compiler> | undefined

const COMPILER: Archive = {
  archive: "https://registry.npmjs.org/@yowasp/clang/-/clang-22.0.0-git20542-10.tgz",
  integrity:
    "sha512-V31/z9GrJECKeACTDUyvg2llbEUiFi3bxtL5HSg7H/6sydSxdI/AoVAD9F5ozrfLjotWl0B9rghR87m+DUM/zg==",
}
/** The flags of `tree-sitter build --wasm`. */
const FLAGS = [
  "--target=wasm32-wasip1",
  ..."-Os -fPIC -shared -nostdlib -fno-exceptions -fvisibility=hidden".split(" "),
  "-Wl,--allow-undefined,--no-entry",
]

const folder = join(import.meta.dir, "..", "grammars")
const ZSTD_LEVEL = 19

const { values, positionals } = parseArgs({
  args: process.argv.slice(2),
  allowPositionals: true,
  options: { write: { type: "boolean", default: false } },
})
const scratch = mkdtempSync(join(tmpdir(), "aman-grammars-"))
try {
  await copyAll(positionals, values.write)
} finally {
  rmSync(scratch, { recursive: true, force: true })
}

async function copyAll(ids: readonly string[], isWriting: boolean): Promise<void> {
  const copies = manifest.languages.flatMap(({ id, grammar }) =>
    grammar?.copy !== undefined && (ids.length === 0 || ids.includes(id))
      ? [{ id, grammar: grammar as Copy }]
      : [],
  )
  for (const { id, grammar } of copies) {
    const wasm = await made(id, grammar)
    const sha256 = createHash("sha256").update(wasm).digest("hex")
    const isSame = sha256 === grammar.sha256
    console.log(`${id}: ${sha256} ${isSame ? "as in the manifest" : `instead of ${grammar.sha256}`}`)
    if (isSame) continue
    if (!isWriting) process.exitCode = 1
    else store(grammar, wasm, sha256)
  }
}

async function made(id: string, { path, symbol, ...archive }: Copy): Promise<Uint8Array> {
  const sources = await unpacked(id, archive)
  return symbol === undefined ? readFileSync(join(sources, path)) : await compiled(sources, path, symbol)
}

function store({ copy, sha256: before }: Copy, wasm: Uint8Array, sha256: string): void {
  writeFileSync(join(folder, copy), Bun.zstdCompressSync(wasm, { level: ZSTD_LEVEL }))
  const path = join(folder, "manifest.json")
  writeFileSync(path, readFileSync(path, "utf8").replace(before, sha256))
}

/** Downloads an archive, compares it with its checksum, and returns the folder in it. */
async function unpacked(name: string, { archive, integrity }: Archive): Promise<string> {
  const response = await fetch(archive)
  if (!response.ok) throw new Error(`${archive}: ${response.status}`)
  const bytes = Buffer.from(await response.arrayBuffer())
  const [algorithm = ""] = integrity.split("-")
  const found = `${algorithm}-${createHash(algorithm).update(bytes).digest("base64")}`
  if (found !== integrity) throw new Error(`${archive} has the checksum ${found}; expected ${integrity}`)
  const target = join(scratch, name)
  mkdirSync(target)
  writeFileSync(`${target}.tgz`, bytes)
  const { status, stderr } = spawnSync("tar", ["-xzf", `${target}.tgz`, "-C", target], { encoding: "utf8" })
  if (status !== 0) throw new Error(`tar: ${stderr}`)
  return join(target, readdirSync(target)[0]!)
}

/** The parser in a folder of the sources, as a WebAssembly library that exports the function `symbol`. */
async function compiled(sources: string, path: string, symbol: string): Promise<Uint8Array> {
  const { runClang } = await compiler()
  const files = ["parser.c", "scanner.c"].filter((name) => readdirSync(join(sources, path)).includes(name))
  const command = ["clang", ...FLAGS, `-Wl,--export=${symbol}`, "-I", path, "-o", "out.wasm"]
  const result = await runClang([...command, ...files.map((name) => `${path}/${name}`)], sourceTree(sources))
  return result["out.wasm"] as Uint8Array
}

function compiler(): Promise<Compiler> {
  loaded ??= unpacked("compiler", COMPILER).then((path) => import(join(path, "gen", "bundle.js")))
  return loaded
}

function sourceTree(path: string): Tree {
  const names = readdirSync(path).filter(
    (name) => statSync(join(path, name)).isDirectory() || /\.[ch]$/.test(name),
  )
  return Object.fromEntries(
    names.map((name) => {
      const inside = join(path, name)
      return [name, statSync(inside).isDirectory() ? sourceTree(inside) : readFileSync(inside)]
    }),
  )
}
