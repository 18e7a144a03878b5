import { posix } from "node:path"
import { computedImports, packageImports, relativeImports } from "./imports.ts"

type Row = { readonly row: number; readonly folders: readonly string[]; readonly purpose: string }

/** The layers of src/, highest first. A file may import only from a lower row and from its own folder. */
const ROWS: readonly Row[] = [
  { row: 8, folders: ["main.ts"], purpose: "arguments in, exit code out; connects the doors" },
  { row: 7, folders: ["cli", "mcp", "hooks", "api"], purpose: "doors: parse, call one use case, render" },
  { row: 6, folders: ["verbs"], purpose: "the table of verbs: what each takes, for every door" },
  { row: 5, folders: ["app"], purpose: "use cases: plain data in, plain data out" },
  {
    row: 4,
    folders: ["index", "search", "symbols", "memory", "repos", "setup", "team"],
    purpose: "what aman does",
  },
  {
    row: 3,
    folders: ["code", "keyword", "vector", "embed", "history"],
    purpose: "text to chunks, postings, vectors; past commits",
  },
  { row: 2, folders: ["config", "text", "store", "git"], purpose: "settings, words, databases, git" },
  { row: 1, folders: ["base"], purpose: "errors, paths, logs" },
]

/**
 * The allowed folders inside each folder. A file in any other folder fails the test, so that nobody adds a
 * folder without deciding to.
 */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  app: [
    "context",
    "context/pieces",
    "doctor",
    "grammars",
    "help",
    "index",
    "map",
    "memory",
    "memory/actions",
    "memory/embedding",
    "memory/entries",
    "memory/import",
    "memory/sources",
    "memory/store",
    "project",
    "repositories",
    "search",
    "signals",
    "symbols",
    "team",
    "team/client",
  ],
  base: ["files", "process"],
  cli: ["commands"],
  code: ["chunk", "languages", "markdown", "notebook", "parse", "references", "rules"],
  git: ["ignore", "run"],
  hooks: ["agents", "events", "notes"],
  index: ["changes", "embedding", "pipeline", "scan", "watch"],
  mcp: ["http", "prompts", "resources", "session", "tools", "transports"],
  memory: [
    "anchors",
    "conflicts",
    "entities",
    "entities/graph",
    "entities/names",
    "entries",
    "formats",
    "formats/export",
    "formats/foreign",
    "formats/markdown",
    "log",
    "projects",
    "recall",
    "recall/index",
    "sharing",
    "views",
  ],
  search: ["channels", "patterns", "query", "rank"],
  setup: ["clients", "edit"],
  store: [
    "cache",
    "derived",
    "index",
    "index/migrations",
    "lock",
    "memory",
    "memory/migrations",
    "memory/salvage",
  ],
  text: ["documents", "files", "secrets", "terms"],
}

/**
 * Packages beside the core, by their folder in packages/. Those of the binary may import the core and their own
 * folder, and only the given files of the core may import them. One that no file imports is no part of the binary.
 */
const PACKAGES: Readonly<
  Record<string, { readonly purpose: string; readonly importedBy: readonly string[] }>
> = {
  page: { purpose: "the page of `aman ui` and its server", importedBy: ["src/main.ts"] },
  team: {
    purpose: "`aman team`: worker, query node and catalogue of a team's index",
    importedBy: ["src/main.ts"],
  },
  lab: { purpose: "measures, fits and trains; not part of the binary", importedBy: [] },
}

/** The table of layers as Markdown; docs/architecture.md and CONTRIBUTING.md show it. */
export function layersTable(): string {
  const code = (name: string) => `\`${name}\``
  const folder = (name: string) => {
    const rooms = [...new Set((ROOMS[name] ?? []).map((room) => room.split("/")[0]))]
    return rooms.length === 0 ? code(name) : `${code(name)} (${rooms.join(", ")})`
  }
  return [
    "| row | folders (and the folders inside them) | purpose |",
    "|---|---|---|",
    ...Object.entries(PACKAGES).map(
      ([name, { purpose }]) => `| beside | \`packages/${name}\` | ${purpose} |`,
    ),
    ...ROWS.map(({ row, folders, purpose }) => `| ${row} | ${folders.map(folder).join("; ")} | ${purpose} |`),
  ].join("\n")
}

/**
 * Paths outside of src that the given folders may import: assets, the tables that list them, native addons.
 */
const ASSETS: Readonly<Record<string, readonly string[]>> = {
  grammars: ["code"],
  models: ["embed", "text"],
  THIRD_PARTY_NOTICES: ["cli"],
  "node_modules/usearch": ["vector"],
}

/**
 * Modules that lie in the binary as files, by the source that loads them; the path comes from a static import beside
 * it.
 */
const ASSET_IMPORTS: Readonly<Record<string, string>> = {
  "src/text/documents/pdf-text.ts": "import(countingPdfjs)",
}

/** Packages that only one folder, or file, may know; all others reach them through its exports. */
const OWNERS: Readonly<Record<string, readonly string[]>> = {
  "bun:sqlite": ["store"],
  "bun:ffi": ["index", "store"],
  "web-tree-sitter": ["code"],
  usearch: ["vector"],
  "vscode-jsonrpc": ["symbols"],
  "@modelcontextprotocol/server": ["mcp"],
  // zod checks answers and settings where they enter the program.
  zod: ["mcp", "api", "config", "team"],
  yaml: ["config"],
  diff: ["memory", "git", "setup"],
  "jsonc-parser": ["setup"],
  "@decimalturn/toml-patch": ["setup"],
  "gpt-tokenizer": ["text"],
  fflate: ["text"],
  saxes: ["text"],
  unpdf: ["text"],
  picocolors: ["cli"],
  "@orama/orama": ["app"],
  preact: [],
  htm: [],
  "@preact/signals": [],
}

/**
 * Forbidden imports of one file, one message each; `path` is relative to the project, as "src/doors/cli/run.ts".
 */
export function violations(path: string, source: string): string[] {
  if (path.startsWith("packages/")) return violationsOfPackage(path, source)
  const from = folderOf(path)
  if (rowOf(from) === undefined) return [`${path}: no row for the folder ${from}`]
  const room = posix.dirname(path).split("/").slice(2).join("/")
  if (room !== "" && !(ROOMS[from] ?? []).includes(room)) return [`${path}: ${from} has no folder ${room}`]
  const at = (line: number, text: string) => `${path}:${line} ${text}`
  const isTest = path.endsWith(".test.ts")
  return [
    ...relativeImports(source).flatMap(({ line, path: target }) => {
      const resolved = posix.join(posix.dirname(path), target)
      if (resolved.startsWith("packages/")) {
        const wrong = PACKAGES[folderOf(resolved)]?.importedBy.includes(path)
          ? null
          : `must not import ${resolved}`
        return wrong === null ? [] : [at(line, wrong)]
      }
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
    ...computedImports(source)
      .filter(({ path: text }) => text !== ASSET_IMPORTS[path])
      .map(({ line, path: text }) => at(line, `cannot see what is imported: ${text}`)),
  ]
}

function violationsOfPackage(path: string, source: string): string[] {
  const name = folderOf(path)
  if (!(name in PACKAGES)) return [`${path}: there is no package ${name}`]
  if (PACKAGES[name]!.importedBy.length === 0) return []
  const isAllowed = (target: string) =>
    target.startsWith(`packages/${name}/`) || (target.startsWith("src/") && target !== "src/main.ts")
  return relativeImports(source).flatMap(({ line, path: target }) => {
    const resolved = posix.join(posix.dirname(path), target)
    return isAllowed(resolved) ? [] : [`${path}:${line} must not import ${resolved}`]
  })
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
  return ROWS.find(({ folders }) => folders.includes(folder))?.row
}
