import { posix } from "node:path"
import { computedImports, packageImports, relativeImports } from "./imports.ts"

/** docs/architecture.md: imports go only to a lower row or within the folder. */
const ROWS: Readonly<Record<number, readonly string[]>> = {
  7: ["main.ts"],
  6: ["cli", "mcp", "hooks"],
  5: ["app"],
  4: ["indexing", "search", "graph", "knowledge", "repos", "setup"],
  3: ["code", "keyword", "vector", "embed"],
  2: ["config", "text", "store", "git"],
  1: ["base"],
}

/** What lies outside src and may be named from there: assets, the tables that list them, addons. */
const ASSETS: Readonly<Record<string, readonly string[]>> = {
  grammars: ["code"],
  models: ["embed", "text"],
  THIRD_PARTY_NOTICES: ["cli"],
  "node_modules/usearch": ["vector"],
}

/** Packages that only one folder, or file, may know; all others reach them through its exports. */
const OWNERS: Readonly<Record<string, readonly string[]>> = {
  "bun:sqlite": ["store"],
  "bun:ffi": ["indexing", "store"],
  "web-tree-sitter": ["code"],
  usearch: ["vector"],
  "@orama/orama": ["keyword"],
  graphology: ["knowledge"],
  "graphology-communities-louvain": ["knowledge"],
  "@modelcontextprotocol/sdk": ["mcp"],
  // Answers and settings are checked by it where they come in.
  zod: ["mcp", "config"],
  yaml: ["config"],
  diff: ["knowledge", "git", "setup"],
  "jsonc-parser": ["setup"],
  "@decimalturn/toml-patch": ["setup"],
  "gpt-tokenizer": ["text"],
  picocolors: ["cli"],
}

/** What is wrong with the imports of one file; `path` is relative to the project, as "src/cli/run.ts". */
export function violations(path: string, source: string): string[] {
  const from = folderOf(path)
  if (rowOf(from) === undefined) return [`${path}: no row for the folder ${from}`]
  const at = (line: number, text: string) => `${path}:${line} ${text}`
  const isTest = path.endsWith(".test.ts")
  return [
    ...relativeImports(source).flatMap(({ line, path: target }) => {
      const resolved = posix.join(posix.dirname(path), target)
      const wrong = isTest && resolved.startsWith("test/") ? null : wrongDirection(from, resolved)
      return wrong === null ? [] : [at(line, wrong)]
    }),
    ...packageImports(source).flatMap(({ line, path: name }) => {
      const owners = Object.entries(OWNERS).find(
        ([owned]) => name === owned || name.startsWith(`${owned}/`),
      )?.[1]
      return isTest || !owners || owners.includes(from) || owners.includes(path)
        ? []
        : [at(line, `${from} must not import ${name}`)]
    }),
    ...computedImports(source).map(({ line, path: text }) =>
      at(line, `cannot see what is imported: ${text}`),
    ),
  ]
}

function wrongDirection(from: string, target: string): string | null {
  const asset = Object.entries(ASSETS).find(
    ([folder]) => target === folder || target.startsWith(`${folder}/`),
  )
  if (asset) return asset[1].includes(from) ? null : `${from} must not use ${asset[0]}`
  if (!target.startsWith("src/")) return `${target} is not part of the sources`
  const to = folderOf(target)
  if (to === from) return null
  const [fromRow, toRow] = [rowOf(from), rowOf(to)]
  if (fromRow === undefined || toRow === undefined) return `no row for the folder ${to}`
  return toRow < fromRow ? null : `${from} (row ${fromRow}) must not import ${to} (row ${toRow})`
}

function folderOf(path: string): string {
  return path.split("/")[1] ?? ""
}

function rowOf(folder: string): number | undefined {
  const row = Object.entries(ROWS).find(([, folders]) => folders.includes(folder))
  return row ? Number(row[0]) : undefined
}
