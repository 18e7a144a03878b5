import { posix } from "node:path"
import { computedImports, packageImports, relativeImports } from "./imports.ts"

type Room = {
  readonly name: string
  readonly question: string
  readonly folders: readonly string[]
  /** Lines of its files without tests that the room may have: 1 % more than it has. Raised only by a decision. */
  readonly lines: number
  /** Names that its front door may export: 2 % more than it does. */
  readonly names: number
}

/**
 * The rooms of src/, lowest first. A file may import everything of its own room, and of the rooms before it only index.ts,
 * their front door. `folders` are the folders inside; a file in any other folder fails the test, so that nobody adds a
 * folder without deciding to.
 */
export const ROOMS: readonly Room[] = [
  {
    name: "base",
    question: "what did the user decide; how does a process read, write, fail and end?",
    folders: ["config", "files", "process", "signals"],
    lines: 4_210,
    names: 157,
  },
  {
    name: "text",
    question: "which words are in this text, and what must not leave it?",
    folders: ["documents", "files", "secrets", "terms"],
    lines: 4_480,
    names: 83,
  },
  {
    name: "store",
    question: "what is true, and how does it survive a kill?",
    folders: ["cache", "derived", "index", "lock", "memory", "memory/migrations", "memory/salvage"],
    lines: 6_900,
    names: 89,
  },
  {
    name: "parse",
    question: "what does the text of this file contain?",
    folders: ["chunk", "file", "grammars", "languages", "markdown", "notebook", "references", "rules"],
    lines: 13_000,
    names: 99,
  },
  {
    name: "tree",
    question: "which files are there, and what would git say about them?",
    folders: ["git", "git/ignore", "git/run", "scan"],
    lines: 4_030,
    names: 71,
  },
  {
    name: "index",
    question: "how does a project become searchable, and who may read it meanwhile?",
    folders: [
      "changes",
      "embed",
      "embedding",
      "encoder",
      "history",
      "keyword",
      "open",
      "pipeline",
      "team",
      "update",
      "vector",
      "watch",
    ],
    lines: 19_975,
    names: 158,
  },
  {
    name: "search",
    question: "what should be first?",
    folders: ["answer", "channels", "patterns", "query", "rank"],
    lines: 9_083,
    names: 51,
  },
  {
    name: "memory",
    question: "what was learned, and is it still true?",
    folders: [
      "anchors",
      "conflicts",
      "entities",
      "entries",
      "formats",
      "log",
      "projects",
      "recall",
      "recall/index",
      "sharing",
      "use",
      "use/actions",
      "use/embedding",
      "use/entries",
      "use/store",
      "views",
    ],
    lines: 19_785,
    names: 87,
  },
  {
    name: "symbols",
    question: "who uses what?",
    folders: ["answer"],
    lines: 16_000,
    names: 54,
  },
  {
    name: "context",
    question: "which lines will a task need, within a budget of tokens?",
    folders: ["map"],
    lines: 4_160,
    names: 32,
  },
  {
    name: "ask",
    question: "every verb once, whatever holds the code: project, clone, team, several",
    folders: ["api", "clones", "help", "project", "repositories", "team"],
    lines: 6_315,
    names: 96,
  },
  {
    name: "doors",
    question: "arguments in, one verb, text or JSON out: command line, MCP, hooks, setup",
    folders: [
      "cli",
      "cli/commands",
      "doctor",
      "hooks",
      "hooks/agents",
      "hooks/events",
      "hooks/notes",
      "mcp",
      "mcp/http",
      "mcp/resources",
      "mcp/session",
      "mcp/tools",
      "mcp/transports",
      "report",
      "setup",
      "setup/clients",
      "setup/edit",
      "verbs",
    ],
    lines: 18_490,
    names: 55,
  },
]

/**
 * Packages beside the rooms, by their folder in packages/. They import the front doors of the rooms and their own files,
 * the lab any file; only the given files may import them, by their own front door.
 */
const PACKAGES: Readonly<
  Record<string, { readonly purpose: string; readonly importedBy: readonly string[] }>
> = {
  page: {
    purpose: "the page of `aman ui` and of a team's node",
    importedBy: ["src/main.ts", "packages/team/page-door.ts"],
  },
  team: {
    purpose: "`aman team`: worker, query node and catalogue of a team's index",
    importedBy: ["src/main.ts"],
  },
  encoder: {
    purpose: "the sentence encoder: word pieces and the computation of a text's vector",
    importedBy: [
      "src/index/encoder/encode-project.ts",
      "src/index/encoder/encoder-process.ts",
      "src/index/encoder/meanings.ts",
      "src/index/encoder/sentence-encoder.ts",
      "src/index/open/reader.ts",
    ],
  },
  lab: { purpose: "measures, fits and trains; not part of the binary", importedBy: [] },
}

/**
 * Files behind a front door that code for the browser imports, most for types alone: the door itself leads to code that
 * only runs outside of browsers.
 */
const FOR_BROWSERS: ReadonlySet<string> = new Set([
  "src/ask/project/recorded-calls.ts",
  "src/base/answers.ts",
  "src/context/map/code-map.ts",
  "src/doors/mcp/resources/views.ts",
  "src/symbols/answer/drawing.ts",
  "src/symbols/answer/drawn-symbols.ts",
  "src/symbols/answer/symbol-answer.ts",
])

/** The rooms as a Markdown table; docs/architecture.md and CONTRIBUTING.md show it. */
export function layersTable(): string {
  const code = (name: string) => `\`${name}\``
  return [
    "| room | its question | folders | lines at most |",
    "|---|---|---|---|",
    ...ROOMS.map(({ name, question, folders, lines }) => {
      const outer = folders.filter((folder) => !folder.includes("/")).join(", ")
      return `| ${code(name)} | ${question} | ${outer} | ${lines.toLocaleString("en")} |`
    }),
    ...Object.entries(PACKAGES).map(
      ([name, { purpose }]) => `| ${code(`packages/${name}`)} | ${purpose} | | |`,
    ),
  ].join("\n")
}

/**
 * Paths outside of src that the given rooms and packages may import: assets, the tables that list them, native addons.
 */
const ASSETS: Readonly<Record<string, readonly string[]>> = {
  grammars: ["parse"],
  models: ["index", "text", "packages/encoder"],
  THIRD_PARTY_NOTICES: ["doors"],
  "node_modules/usearch": ["index"],
}

/**
 * Modules that lie in the binary as files, by the source that loads them; the path comes from a static import beside
 * it.
 */
const ASSET_IMPORTS: Readonly<Record<string, string>> = {
  "src/text/documents/pdf-text.ts": "import(countingPdfjs)",
}

/** Packages that only these rooms, packages or folders may know; all others reach them through their exports. */
const OWNERS: Readonly<Record<string, readonly string[]>> = {
  "bun:sqlite": ["src/store"],
  "bun:ffi": ["src/base", "src/index", "src/store"],
  "web-tree-sitter": ["src/parse"],
  usearch: ["src/index"],
  "vscode-jsonrpc": ["src/symbols"],
  "@modelcontextprotocol/server": ["src/doors/mcp", "packages/team"],
  // zod checks answers and settings where they enter the program.
  zod: [
    "src/doors/mcp",
    "src/ask/api",
    "src/ask/team",
    "src/base/config",
    "src/index/team",
    "packages/page",
    "packages/team",
  ],
  yaml: ["src/base/config"],
  diff: ["src/memory", "src/tree/git", "src/doors/setup"],
  "jsonc-parser": ["src/doors/setup"],
  "@decimalturn/toml-patch": ["src/doors/setup"],
  "gpt-tokenizer": ["src/text"],
  fflate: ["src/text"],
  jschardet: ["src/text"],
  saxes: ["src/text"],
  unpdf: ["src/text"],
  "@orama/orama": ["src/ask/help"],
  preact: ["packages/page"],
  htm: ["packages/page"],
  "@preact/signals": ["packages/page"],
}

/**
 * Forbidden imports of one file, one message each; `path` is relative to the project, as "src/search/rank-candidates.ts".
 */
export function violations(path: string, source: string): string[] {
  const [top, name] = path.split("/") as [string, string]
  const room = top === "src" && path !== "src/main.ts" ? name : null
  if (room !== null && !ROOMS.some((each) => each.name === room)) return [`${path}: there is no room ${room}`]
  if (top === "packages" && !(name in PACKAGES)) return [`${path}: there is no package ${name}`]
  const folder = posix.dirname(path).split("/").slice(2).join("/")
  if (
    room !== null &&
    folder !== "" &&
    !ROOMS.some((each) => each.name === room && each.folders.includes(folder))
  )
    return [`${path}: ${room} has no folder ${folder}`]
  const isTest = path.endsWith(".test.ts")
  const isLab = path.startsWith("packages/lab/")
  const at = (line: number, text: string) => `${path}:${line} ${text}`
  return [
    ...relativeImports(source).flatMap(({ line, path: target }) => {
      const wrong = wrongTarget(path, posix.join(posix.dirname(path), target), isTest)
      return wrong === null ? [] : [at(line, wrong)]
    }),
    ...packageImports(source).flatMap(({ line, path: used }) => {
      const owners = Object.entries(OWNERS).find(
        ([owned]) => used === owned || used.startsWith(`${owned}/`),
      )?.[1]
      return isTest || isLab || !owners || owners.some((owner) => path.startsWith(`${owner}/`))
        ? []
        : [at(line, `must not import ${used}`)]
    }),
    ...(isLab ? [] : computedImports(source))
      .filter(({ path: text }) => text !== ASSET_IMPORTS[path])
      .map(({ line, path: text }) => at(line, `cannot see what is imported: ${text}`)),
  ]
}

function wrongTarget(path: string, target: string, isTest: boolean): string | null {
  const [own, other] = [ownerOf(path), ownerOf(target)]
  if (own === other)
    return target === `${own}/index.ts` && !isTest ? "its own front door leads in a circle" : null
  if (isTest) return null
  // They measure, fit and build what the rooms keep to themselves, and are not part of the binary.
  if (own === "packages/lab" || path.startsWith("scripts/")) return null
  if (other.startsWith("packages/")) return wrongPackage(path, target, other)
  return target.startsWith("src/") ? wrongRoom(path, target, own, other) : wrongAsset(target, own)
}

/** The room or package of a file: "src/search", "packages/team"; of others their first folder. */
function ownerOf(path: string): string {
  const [top, name] = path.split("/") as [string, string?]
  return (top === "src" || top === "packages") && path.split("/").length > 2 ? `${top}/${name}` : path
}

function wrongPackage(path: string, target: string, other: string): string | null {
  if (target !== `${other}/index.ts`) return `must enter ${other} by ${other}/index.ts`
  return PACKAGES[other.slice("packages/".length)]?.importedBy.includes(path)
    ? null
    : `must not import ${target}`
}

function wrongRoom(path: string, target: string, own: string, other: string): string | null {
  const rank = (owner: string) => ROOMS.findIndex(({ name }) => owner === `src/${name}`)
  if (rank(other) === -1) return `there is no room ${target}`
  if (own === "packages/page" && path.startsWith("packages/page/browser/") && FOR_BROWSERS.has(target))
    return null
  if (target !== `${other}/index.ts`) return `must enter ${other} by ${other}/index.ts`
  return rank(own) === -1 || rank(other) < rank(own)
    ? null
    : `${own} must not import ${other}, which is above it`
}

function wrongAsset(target: string, own: string): string | null {
  const asset = Object.entries(ASSETS).find(([owned]) => target === owned || target.startsWith(`${owned}/`))
  if (!asset) return `${target} is not part of the sources`
  return asset[1].some((owner) => own === `src/${owner}` || own === owner) ? null : `must not use ${asset[0]}`
}
