/**
 * Packs each grammar's .wasm file from its package into grammars/, after comparing it with the manifest and bounding
 * its work, and writes grammars/assets.ts, whose static imports make the compiler embed the packed files.
 */

import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { constants, zstdCompressSync } from "node:zlib"
import manifest from "../grammars/manifest.json" with { type: "json" }
// Not by the room's door, which imports the packed grammars that this writes.
import { withBoundedWork, withCurrentLinking } from "../src/parse/file/bounded-work.ts"

type Entry = (typeof manifest.languages)[number]
type Source = NonNullable<Entry["grammar"]>
type Parsed = { id: string; query: string; grammar: Source }

const root = join(import.meta.dir, "..")
const folder = join(root, "grammars")

// The files shrink to a sixteenth; unpacking one takes 1 to 3 ms.
const PACKED = {
  params: { [constants.ZSTD_c_compressionLevel]: 9, [constants.ZSTD_c_checksumFlag]: 1 },
}
/** The bit of a frame's fifth byte that says that a checksum follows the content (RFC 8878, 3.1.1.1.1). */
const CHECKSUM_FLAG = 4

prepareGrammars()

function prepareGrammars(): void {
  mkdirSync(folder, { recursive: true })
  const parsed = manifest.languages.flatMap(withGrammar)
  for (const language of parsed) packVerified(language)
  writeIfChanged(join(folder, "assets.ts"), assetsModule(parsed))
}

function withGrammar(entry: Entry): Parsed[] {
  if (!entry.grammar || !entry.query) return []
  if (!existsSync(join(folder, entry.query))) throw new Error(`grammars/${entry.query} is missing`)
  return [{ id: entry.id, query: entry.query, grammar: entry.grammar }]
}

function packVerified({ id, grammar }: Parsed): void {
  const bytes = grammar.copy === undefined ? bytesInPackage(id, grammar) : bytesOfCopy(grammar.copy)
  const sha256 = createHash("sha256").update(bytes).digest("hex")
  if (sha256 !== grammar.sha256) {
    throw new Error(
      `${id}: the grammar of ${grammar.package} has sha256 ${sha256}; the manifest says otherwise`,
    )
  }
  packIfChanged(join(folder, `${id}.wasm.zst`), withBoundedWork(withCurrentLinking(bytes)))
}

function bytesInPackage(id: string, grammar: Source): Buffer {
  // The package may lie in a folder further up, as in a workspace.
  const source = dirname(Bun.resolveSync(`${grammar.package}/package.json`, root))
  const { version } = JSON.parse(readFileSync(join(source, "package.json"), "utf8")) as { version: string }
  if (version !== grammar.version) {
    throw new Error(`${id}: ${grammar.package} is ${version}; the manifest says ${grammar.version}`)
  }
  return readFileSync(join(source, grammar.path))
}

function bytesOfCopy(path: string): Buffer {
  return Bun.zstdDecompressSync(readFileSync(join(folder, path)))
}

function packIfChanged(path: string, bytes: Buffer): void {
  const old = existsSync(path) ? readFileSync(path) : null
  if (old !== null && (old[4]! & CHECKSUM_FLAG) !== 0 && Bun.zstdDecompressSync(old).equals(bytes)) return
  writeFileSync(path, zstdCompressSync(bytes, PACKED))
}

function assetsModule(languages: readonly Parsed[]): string {
  const queries = [...new Set(languages.map(({ query }) => query))]
  const lines = [
    "// Written by scripts/grammars.ts from manifest.json; edit that instead.",
    "// biome-ignore-all assist/source/organizeImports: generated in the manifest's order",
    'import runtime from "web-tree-sitter/web-tree-sitter.wasm" with { type: "file" }',
    ...queries.map((query) => `import ${queryName(query)} from "./${query}" with { type: "file" }`),
    ...languages.map(({ id }) => `import ${wasmName(id)} from "./${id}.wasm.zst" with { type: "file" }`),
    "",
    "/** Path of web-tree-sitter's own module. */",
    "export const runtimePath: string = runtime",
    "",
    "/** Paths of each language's packed grammar and query; nothing is read until one is used. */",
    "export const grammarPaths: Readonly<Record<string, { wasm: string; query: string }>> = {",
    ...languages.map(
      ({ id, query }) =>
        `  ${/-/.test(id) ? JSON.stringify(id) : id}: { wasm: ${wasmName(id)}, query: ${queryName(query)} },`,
    ),
    "}",
    "",
  ]
  return lines.join("\n")
}

function wasmName(id: string): string {
  return `${camelCase(id)}Wasm`
}

function queryName(query: string): string {
  return `${camelCase(query.replace("/definitions.scm", "").replace(/\/|\.scm$/g, "-"))}Query`
}

function camelCase(id: string): string {
  return id.replace(/-(\w|$)/g, (_, letter: string) => letter.toUpperCase())
}

/** Writes a file only if its content differs, so that watchers and build caches see no change. */
function writeIfChanged(path: string, content: string | Uint8Array): void {
  const next = Buffer.from(content)
  if (existsSync(path) && readFileSync(path).equals(next)) return
  writeFileSync(path, next)
}
